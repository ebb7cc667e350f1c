#include "format/xml_records.h"

#include <algorithm>

namespace millstream::format {
namespace {

constexpr std::size_t piece_bytes = 1 << 20;
constexpr std::size_t record_bytes_max = 256 << 20;

bool ends_name(char c) {
  return c == '>' || c == '/' || c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

}  // namespace

XmlRecords::XmlRecords(std::unique_ptr<ByteInput> input, const std::string& tag)
    : input_(std::move(input)), is_texts_(tag.empty()), opening_("<" + tag), closing_("</" + tag) {}

bool XmlRecords::more() {
  if (ended_) return false;
  if (buffer_.size() > record_bytes_max + piece_bytes) {
    failure_ = Status::io("an XML record of more than {} bytes", record_bytes_max);
    ended_ = true;
    return false;
  }
  const std::size_t before = buffer_.size();
  buffer_.resize(before + piece_bytes);
  const auto read = input_->read(buffer_.data() + before, piece_bytes);
  if (!read.ok()) failure_ = read.status();
  const std::size_t size = read.ok() ? *read : 0;
  buffer_.resize(before + size);
  ended_ = size == 0;
  return !ended_;
}

bool XmlRecords::starts(std::size_t at, std::string_view what) {
  return has(at + what.size()) && std::string_view(buffer_).substr(at).starts_with(what);
}

std::size_t XmlRecords::find(std::string_view what, std::size_t from) {
  for (;;) {
    const std::size_t found = buffer_.find(what, from);
    if (found != nowhere) return found;
    from = std::max(from, buffer_.size() - std::min(buffer_.size(), what.size() - 1));
    if (!more()) return nowhere;
  }
}

// The next '<' that begins a tag: comments, CDATA and instructions are passed over.
std::size_t XmlRecords::next_mark(std::size_t from) {
  for (;;) {
    const std::size_t at = find("<", from);
    if (at == nowhere) return nowhere;
    std::string_view end;
    if (starts(at, "<!--")) end = "-->";
    if (starts(at, "<![CDATA[")) end = "]]>";
    if (starts(at, "<?")) end = "?>";
    if (end.empty()) return at;
    const std::size_t close = find(end, at);
    if (close == nowhere) return nowhere;
    from = close + end.size();
  }
}

bool XmlRecords::is_tag(std::size_t at, const std::string& opening) {
  return starts(at, opening) && has(at + opening.size() + 1) &&
         ends_name(buffer_[at + opening.size()]);
}

// Behind the '>' of the tag at `at`; a '>' within quotes is none. `closed`: <tag/>
std::size_t XmlRecords::end_of_tag(std::size_t at, bool* closed) {
  char quote = 0;
  for (std::size_t i = at; has(i + 1); ++i) {
    const char c = buffer_[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '>') {
      *closed = buffer_[i - 1] == '/';
      return i + 1;
    }
  }
  return nowhere;
}

// `from`: behind the opening tag.
std::size_t XmlRecords::end_of_record(std::size_t from) {
  for (int depth = 1;;) {
    const std::size_t at = next_mark(from);
    if (at == nowhere) return nowhere;
    bool closed = false;
    const bool opens = is_tag(at, opening_);
    const bool closes = !opens && is_tag(at, closing_);
    from = opens || closes ? end_of_tag(at, &closed) : at + 1;
    if (from == nowhere) return nowhere;
    if (opens && !closed) ++depth;
    if (closes && --depth == 0) return from;
  }
}

Result<bool> XmlRecords::next_text() {
  buffer_.erase(0, behind_);
  end_ = find(std::string_view(&xml_text_end, 1), 0);
  behind_ = end_ == nowhere ? 0 : end_ + 1;
  if (end_ != nowhere) return true;
  end_ = 0;
  TRY(failure_);
  return false;
}

Result<bool> XmlRecords::next() {
  if (is_texts_) return next_text();
  buffer_.erase(0, end_);
  begin_ = end_ = 0;
  std::size_t from = 0;
  for (;;) {
    const std::size_t at = next_mark(from);
    if (at == nowhere) break;
    if (!is_tag(at, opening_)) {
      // What stands before is not needed again.
      if (at > piece_bytes) buffer_.erase(0, at);
      from = at > piece_bytes ? 1 : at + 1;
      continue;
    }
    bool closed = false;
    begin_ = at;
    end_ = end_of_tag(at, &closed);
    if (end_ != nowhere && !closed) end_ = end_of_record(end_);
    if (end_ == nowhere) end_ = buffer_.size();
    TRY(failure_);
    return true;
  }
  begin_ = end_ = buffer_.size();
  TRY(failure_);
  return false;
}

}  // namespace millstream::format
