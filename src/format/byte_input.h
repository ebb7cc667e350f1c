// ByteInput: the bytes of a file, decompressed by its extension, front to back. One thread; closed
// when destroyed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/status.h"
#include "io/store.h"

namespace millstream::format {

class ByteInput {
 public:
  virtual ~ByteInput() = default;
  // Some bytes, at most `size`; none at the end. What precedes a damage is given before the error.
  virtual Result<std::size_t> read(char* to, std::size_t size) = 0;
};

struct Filled {
  std::size_t size = 0;  // less than asked for: the end, or a failure
  Status status;
};
Filled fill(ByteInput& input, char* to, std::size_t size);

// Local files and objects are read in pieces, those of another store whole. .gz, .gzip, .deflate,
// .zst, .zstd (in any case) are decompressed, all their members or frames; .bz2, .snappy, .lz4 are
// refused by name. FileNotFound when there is none.
Result<std::unique_ptr<ByteInput>> open_bytes(const std::shared_ptr<io::Store>& store,
                                              const std::string& path);

// FAILED_READ_FILE.FILE_NOT_EXIST or .NO_HINT about a file, with the cause.
Status failed_read(const std::string& path, const Status& cause);

}  // namespace millstream::format
