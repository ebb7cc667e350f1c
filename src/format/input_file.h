// Files that are read here and there, not front to back. Internal to this room.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "io/store.h"

namespace arrow::io {
class RandomAccessFile;
}  // namespace arrow::io

namespace millstream::format {

// FAILED_READ_FILE.* names the file. Of files in S3 that are large only what is read is fetched;
// those of other stores are held whole.
Result<std::shared_ptr<arrow::io::RandomAccessFile>> open_input_file(
    const std::shared_ptr<io::Store>& store, const std::string& path);

}  // namespace millstream::format
