#include "format/json_blocks.h"

#include <algorithm>
#include <cstring>

namespace millstream::format {
namespace {

constexpr std::size_t block_bytes = 256 << 10;
constexpr std::size_t document_bytes_max = JsonIndex::text_max;

// How much of the text is whole records, with their separators.
std::size_t whole_records(const char* text, std::size_t size, const std::string& separator) {
  const std::string_view view(text, size);
  if (!separator.empty()) {
    const auto at = view.rfind(separator);
    return at == std::string_view::npos ? 0 : at + separator.size();
  }
  auto at = view.rfind('\n');
  if (at == std::string_view::npos) at = view.rfind('\r');
  return at == std::string_view::npos ? 0 : at + 1;
}

}  // namespace

void JsonBlocks::begin(const io::FileInfo& file) {
  file_ = file;
  carried_ = 0;
  at_start_ = true;
}

void JsonBlocks::reserve(std::size_t size) {
  if (buffer_.size() < size + JsonLines::padding) buffer_.resize(size + JsonLines::padding);
}

// Reads on, and takes the whole lines (or the document) of what is there.
Status JsonBlocks::read(ByteInput& input, const JsonOptions& options, JsonLines& to, bool& ended) {
  if (options.multi_line) return read_document(input, to, ended);
  std::size_t wanted = std::max(block_bytes, carried_ * 2);
  if (const auto size = file_.size; at_start_ && size >= 0) {
    wanted = std::min(wanted, static_cast<std::size_t>(size) + 1);  // a small file: a small buffer
  }
  if (wanted < carried_ + 1) wanted = block_bytes;
  if (wanted > document_bytes_max) {
    return Status::unsupported("{} has a line of more than {} bytes", file_.path,
                               document_bytes_max);
  }
  reserve(wanted);
  const Filled filled = fill(input, buffer_.data() + carried_, wanted - carried_);
  const std::size_t size = carried_ + filled.size;
  ended = size < wanted && filled.status.ok();
  std::size_t begin = 0;
  if (at_start_ && size >= 3 && std::memcmp(buffer_.data(), "\xef\xbb\xbf", 3) == 0) begin = 3;
  if (size >= 3 || ended) at_start_ = false;
  std::size_t end = size;
  if (!ended) end = begin + whole_records(buffer_.data() + begin, size - begin, options.line_sep);
  if (end > begin) TRY(take(begin, end - begin, options.line_sep, to));
  carried_ = size - end;
  if (carried_ > 0) std::memmove(buffer_.data(), buffer_.data() + end, carried_);
  return filled.status;
}

Status JsonBlocks::take(std::size_t begin, std::size_t size, const std::string& separator,
                        JsonLines& to) {
  if (!separator.empty()) return take_separated({buffer_.data() + begin, size}, separator, to);
  return to.add_lines(buffer_.data() + begin, size);
}

Status JsonBlocks::take_separated(std::string_view text, const std::string& separator,
                                  JsonLines& to) {
  while (!text.empty()) {
    const auto at = text.find(separator);
    record_.assign(text.substr(0, at));
    const std::size_t size = record_.size();
    record_.append(JsonLines::padding, '\n');
    TRY(to.add_document(record_.data(), size));
    text = at == std::string_view::npos ? std::string_view() : text.substr(at + separator.size());
  }
  return Status::OK();
}

Status JsonBlocks::read_document(ByteInput& input, JsonLines& to, bool& ended) {
  std::size_t size = 0;
  for (;;) {
    reserve(size + block_bytes);
    const Filled filled = fill(input, buffer_.data() + size, block_bytes);
    TRY(filled.status);
    size += filled.size;
    if (filled.size < block_bytes) break;
    if (size > document_bytes_max) {
      return Status::unsupported("{} is larger than {} bytes, the most that multiLine takes",
                                 file_.path, document_bytes_max);
    }
  }
  ended = true;
  const std::size_t begin =
      size >= 3 && std::memcmp(buffer_.data(), "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
  if (size >= 2 && begin == 0) {
    const bool wide = std::memcmp(buffer_.data(), "\xff\xfe", 2) == 0 ||
                      std::memcmp(buffer_.data(), "\xfe\xff", 2) == 0;
    if (wide) return Status::unsupported("{} is UTF-16: convert it to UTF-8", file_.path);
  }
  std::memset(buffer_.data() + size, '\n', JsonLines::padding);
  return to.add_document(buffer_.data() + begin, size - begin);
}

}  // namespace millstream::format
