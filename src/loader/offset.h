// The offset of a cloudFiles source, Auto Loader's JSON on one line. Pure; printed the same way
// always, because the loop compares offsets as text.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"

namespace millstream::loader {

struct LoaderOffset {
  std::int64_t seq = 0;  // files with numbers up to this one
  std::int64_t listing_start_ms = 0;
  std::int64_t listing_finish_ms = 0;
  std::string input;  // the path that was read, as a URI
};

std::string print_offset(const LoaderOffset& offset);
Result<LoaderOffset> parse_offset(const std::string& text);

}  // namespace millstream::loader
