#include "format/json_lines.h"

#include <algorithm>
#include <cstring>

namespace millstream::format {
namespace {

const char* find_line_end(const char* at, const char* end, bool has_returns) {
  if (!has_returns) {
    const auto* found =
        static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
    return found == nullptr ? end : found;
  }
  while (at < end && *at != '\n' && *at != '\r') ++at;
  return at;
}

bool is_blank(const char* at, const char* end) {
  while (at < end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n')) ++at;
  return at == end;
}

}  // namespace

JsonLines::JsonLines(const JsonOptions& options)
    : nesting_max_(static_cast<int>(options.nesting_max)),
      multi_line_(options.multi_line),
      strict_(options.number_length_max >= StrictScanner::number_max),
      record_bytes_max_(options.string_length_max) {}

Status JsonLines::add_lines(char* text, std::size_t size) {
  if (is_blank(text, text + size)) return Status::OK();
  if (index_.build(text, size)) {
    const char after = text[size];
    text[size] = '\n';  // no token: where the scanner stops
    Status status = add_indexed(text, size);
    text[size] = after;
    return status;
  }
  // A bad byte, or a quote too many, somewhere: find the lines it does not concern by halving.
  char* const middle = text + size / 2;
  char* const end = text + size;
  char* cut = middle + (find_line_end(middle, end, false) - middle);
  if (cut + 1 >= end) {
    cut = middle;
    while (cut > text && cut[-1] != '\n') --cut;
    if (cut == text) return add_one_by_one(text, size);
    --cut;
  }
  ++cut;
  TRY(add_lines(text, static_cast<std::size_t>(cut - text)));
  return add_lines(cut, static_cast<std::size_t>(end - cut));
}

// Lines that the index does not take together, of one '\n' at most: separated by '\r', or a single
// one.
Status JsonLines::add_one_by_one(char* text, std::size_t size) {
  const char* const end = text + size;
  const bool has_returns = std::memchr(text, '\r', size) != nullptr;
  for (const char* at = text; at < end;) {
    const char* line_end = find_line_end(at, end, has_returns);
    if (!is_blank(at, line_end)) {
      // The index may read beyond the line, so the line stands alone.
      padded_.assign(at, line_end);
      padded_.append(padding, '\n');
      const auto length = static_cast<std::size_t>(line_end - at);
      if (line_end - at != static_cast<std::ptrdiff_t>(size) &&
          index_.build(padded_.data(), length)) {
        TRY(add_indexed(padded_.data(), length));
      } else {
        begin_record();
        TRY(read_leniently({at, length}));
      }
    }
    at = line_end + 1;
  }
  return Status::OK();
}

Status JsonLines::add_indexed(const char* text, std::size_t size) {
  const std::uint32_t* at = index_.positions();
  const std::uint32_t* const last = at + index_.count();
  const char* const end = text + size;
  const bool has_returns = std::memchr(text, '\r', size) != nullptr;
  StrictScanner scanner({text, size}, at, nesting_max_);
  const char* line = text;
  while (at < last) {
    const char* token = text + *at;
    const char* line_end = find_line_end(line, end, has_returns);
    while (line_end < token) {  // blank lines
      line = line_end + 1;
      line_end = find_line_end(line, end, has_returns);
    }
    scanner.seek(at, line_end);
    const std::string_view record(line, static_cast<std::size_t>(line_end - line));
    begin_record();
    const bool strict = strict_ && line_end - line <= record_bytes_max_;
    const Outcome outcome = strict ? read_strictly(scanner) : Outcome::malformed;
    if (outcome != Outcome::malformed && scanner.last_end() <= line_end) [[likely]] {
      at = scanner.cursor();
      const bool tail = at < last && text + *at < line_end;
      TRY(end_record(outcome, record, tail));
    } else {
      TRY(read_leniently(record));
    }
    while (at < last && text + *at < line_end) ++at;
    line = line_end;
    if (line < end) ++line;
  }
  return Status::OK();
}

Status JsonLines::add_document(const char* text, std::size_t size) {
  if (is_blank(text, text + size)) return Status::OK();
  begin_record();
  if (size <= JsonIndex::text_max && index_.build(text, size)) {
    StrictScanner scanner({text, size}, index_.positions(), nesting_max_);
    scanner.seek(index_.positions(), text + size);
    const Outcome outcome = strict_ ? read_strictly(scanner) : Outcome::malformed;
    if (outcome != Outcome::malformed) {
      const bool tail = scanner.cursor() < index_.positions() + index_.count();
      return end_record(outcome, {text, size}, tail && !multi_line_);
    }
  }
  return read_leniently({text, size});
}

}  // namespace millstream::format
