// JsonBlocks: a file's bytes in blocks of whole lines (or as one document), for JsonLines. Strips
// the byte order mark. One per reader, used again for each file; one thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "format/byte_input.h"
#include "format/json_lines.h"
#include "format/json_options.h"
#include "io/store.h"

namespace millstream::format {

class JsonBlocks {
 public:
  void begin(const io::FileInfo& file);
  // Reads on, and gives the whole lines (or the document) of what is there.
  Status read(ByteInput& input, const JsonOptions& options, JsonLines& to, bool& ended);

 private:
  void reserve(std::size_t size);
  Status take(std::size_t begin, std::size_t size, const std::string& separator, JsonLines& to);
  Status take_separated(std::string_view text, const std::string& separator, JsonLines& to);
  Status read_document(ByteInput& input, JsonLines& to, bool& ended);

  io::FileInfo file_;
  std::vector<char> buffer_;
  std::size_t carried_ = 0;  // bytes of an unfinished line, at the buffer's begin
  bool at_start_ = false;
  std::string record_;
};

}  // namespace millstream::format
