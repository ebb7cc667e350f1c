// Spark's types and their columns in ORC's terms, both ways, in the Arrow form that Arrow's adapter
// takes and gives. Pure functions.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "column/types.h"
#include "format/datetime_text.h"

namespace arrow {
class Array;
class Field;
}  // namespace arrow

namespace millstream::format {

// What is the same for all columns of a file.
struct OrcRules {
  TimeZone zone = TimeZone::fixed(0);  // of wall-clock times
  bool julian = true;                  // days before 1582 are the Julian calendar's
};

// By Spark's note on the type, or else by what it is.
Result<column::TypePtr> spark_type_of_orc(const arrow::Field& field);
std::shared_ptr<arrow::Field> orc_field(const column::Field& field);

// An array of a file as one of the wanted type, converted where they differ as ORC's own library
// does: what has no value there is NULL. Conversions that are not built are refused by name.
Result<std::shared_ptr<arrow::Array>> from_orc(const std::shared_ptr<arrow::Array>& array,
                                               const column::TypePtr& wanted,
                                               const std::string& column, const OrcRules& rules);
Result<std::shared_ptr<arrow::Array>> to_orc(const std::shared_ptr<arrow::Array>& array,
                                             const column::TypePtr& type, const OrcRules& rules);

}  // namespace millstream::format
