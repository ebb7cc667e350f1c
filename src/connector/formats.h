// What is said of a format that nobody has: Spark's error, and the formats there are.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace millstream::connector {

// DATA_SOURCE_NOT_FOUND. `use`: what could be meant, as "df.write takes delta, parquet and json".
Status unknown_format(const std::string& format, std::string_view use);

}  // namespace millstream::connector
