// XmlRecords: the elements of one tag in a file, one after the other, wherever they stand. The file
// is read in pieces: what is kept is one record. Used by one thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "format/byte_input.h"
#include "format/xml_options.h"

namespace millstream::format {

// What XmlRecords are asked for.
inline std::string record_tag(const XmlOptions& options) {
  return options.whole_texts ? std::string() : options.row_tag;
}

class XmlRecords {
 public:
  // With an empty tag each text of a file of texts is a record.
  XmlRecords(std::unique_ptr<ByteInput> input, const std::string& tag);

  // False: there is no other. The last one may lack its end.
  Result<bool> next();
  std::string_view text() const { return {buffer_.data() + begin_, end_ - begin_}; }

 private:
  static constexpr std::size_t nowhere = std::string::npos;

  Result<bool> next_text();
  bool more();  // reads on; false at the end and where reading failed
  bool has(std::size_t size) { return buffer_.size() >= size || (more() && has(size)); }
  bool starts(std::size_t at, std::string_view what);
  std::size_t find(std::string_view what, std::size_t from);
  std::size_t next_mark(std::size_t from);
  bool is_tag(std::size_t at, const std::string& opening);
  std::size_t end_of_tag(std::size_t at, bool* closed);
  std::size_t end_of_record(std::size_t from);

  std::unique_ptr<ByteInput> input_;
  const bool is_texts_;
  const std::string opening_;  // "<tag"
  const std::string closing_;  // "</tag"
  std::string buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t behind_ = 0;  // of a text
  bool ended_ = false;
  Status failure_;
};

}  // namespace millstream::format
