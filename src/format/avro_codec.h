// The codecs of the blocks of Avro's container files, by the names that the files have. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace millstream::format {

struct AvroCodec {
  std::string name = "null";  // null, deflate, snappy, zstandard, bzip2
  int level = -1;             // of deflate and zstandard; -1: the codec's own default
};

// A codec that Avro has and Millstream has not is refused by name; others are an error.
Status check_avro_codec(const std::string& name);

Result<std::string> avro_compress(const AvroCodec& codec, std::string_view bytes);
Result<std::string> avro_decompress(const std::string& codec, std::string_view bytes);

}  // namespace millstream::format
