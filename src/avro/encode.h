// Arrow arrays of a Spark type as Avro's binary values: a plan is made once from the type and the
// schema, and then run for each row. One thread each.
#pragma once

#include <memory>
#include <string>

#include "avro/schema.h"
#include "base/status.h"
#include "column/types.h"

namespace arrow {
class Array;
}  // namespace arrow

namespace millstream::avro {

struct EncodeRules {
  bool case_sensitive = false;
  bool positional = false;  // positionalFieldMatching
};

class Encoder {
 public:
  virtual ~Encoder() = default;
  // Types that cannot be written by the schema are an error here, NULL where the schema has none
  // at the row.
  static Result<std::unique_ptr<Encoder>> make(std::shared_ptr<const Schema> schema,
                                               column::TypePtr type, const EncodeRules& rules);

  virtual Status encode(const arrow::Array& array, std::int64_t row, std::string& out) const = 0;
};

}  // namespace millstream::avro
