// Avro's binary values as Arrow arrays of a Spark type: a plan is made once from the schema that
// the bytes were written with, the schema that the reader wants and the Spark type, and then run
// for each value. Bytes are not trusted: what is wrong with them is an error. One thread each.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "avro/bytes.h"
#include "avro/schema.h"
#include "base/status.h"
#include "column/types.h"

namespace arrow {
class Array;
}  // namespace arrow

namespace millstream::avro {

struct DecodeRules {
  bool case_sensitive = false;  // of the fields' names
  bool positional = false;      // fields are matched by their place (positionalFieldMatching)
  // With `positional`: the places of the wanted columns in the reader's record, where they are not
  // the first ones.
  std::vector<int> places;
};

class Decoder {
 public:
  virtual ~Decoder() = default;
  // Types that cannot be read as what is wanted: AVRO_INCOMPATIBLE_READ_TYPE and the like.
  // `nullable`: whether NULL may be where the wanted value is.
  static Result<std::unique_ptr<Decoder>> make(std::shared_ptr<const Schema> writer,
                                               std::shared_ptr<const Schema> reader,
                                               column::TypePtr wanted, const DecodeRules& rules);

  // Appends one value. After an error only `reset` may be called.
  virtual Status decode(Input& in) = 0;
  virtual Status append_null() = 0;
  virtual Result<std::shared_ptr<arrow::Array>> finish() = 0;  // and starts anew
  virtual void reset() = 0;                                    // forgets what was appended
};

}  // namespace millstream::avro
