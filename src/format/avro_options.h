// The options of Spark's Avro source. Values.
#pragma once

#include <memory>
#include <string>

#include "avro/schema.h"
#include "avro/types.h"
#include "base/options.h"
#include "format/avro_codec.h"

namespace millstream::format {

struct AvroOptions {
  std::shared_ptr<const avro::Schema> schema;  // avroSchema; null: the files' own
  avro::TypeRules types;
  bool positional = false;
  bool ignore_extension = true;
  std::string record_name = "topLevelRecord";
  std::string record_namespace;
  AvroCodec codec{"snappy", -1};
};

// Options that the source has not are refused by name.
Result<AvroOptions> parse_avro_options(const Options& options);
Result<AvroOptions> parse_avro_write_options(const Options& options);

}  // namespace millstream::format
