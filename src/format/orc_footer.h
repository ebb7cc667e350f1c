// The footer of an ORC file, looked at before ORC's library sees it: that ends the process where a
// footer says what cannot be. Pure functions on bytes.
#pragma once

#include <cstdint>
#include <memory>

#include "base/status.h"

namespace arrow::io {
class RandomAccessFile;
}  // namespace arrow::io

namespace millstream::format {

struct OrcFooter {
  bool julian = true;  // days before 1582 are the Julian calendar's, as all but one note says
  std::int64_t rows = 0;
};

// What is wrong with the footer is an error; the codecs that are not read here are refused by name.
Result<OrcFooter> check_orc_footer(arrow::io::RandomAccessFile& file);

}  // namespace millstream::format
