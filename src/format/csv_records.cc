#include "format/csv_records.h"

#include "format/base64.h"
#include "format/json_index.h"

namespace millstream::format {
namespace {

constexpr std::size_t block_bytes = 256 << 10;
constexpr std::size_t record_bytes_max = 1u << 30;

void append_latin1(const char* text, std::size_t size, std::string& out) {
  for (std::size_t i = 0; i < size; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x80) {
      out += text[i];
    } else {
      out += static_cast<char>(0xc0 | (byte >> 6));
      out += static_cast<char>(0x80 | (byte & 0x3f));
    }
  }
}

}  // namespace

CsvRecords::CsvRecords(std::unique_ptr<ByteInput> input, const CsvOptions& options)
    : input_(std::move(input)), options_(options), tokens_(options) {}

Status CsvRecords::read_more() {
  if (begin_ > 0) {
    buffer_.erase(0, begin_);
    begin_ = 0;
  }
  const std::size_t before = buffer_.size();
  if (before > record_bytes_max)
    return Status::unsupported("a record of more than {} bytes", record_bytes_max);
  const std::size_t wanted = std::max(block_bytes, before);
  buffer_.resize(before + wanted);
  const Filled filled = fill(*input_, buffer_.data() + before, wanted);
  buffer_.resize(before + filled.size);
  failed_ = filled.status;
  ended_ = filled.size < wanted;
  if (options_.latin1) {
    const std::string bytes = buffer_.substr(before);
    buffer_.resize(before);
    append_latin1(bytes.data(), bytes.size(), buffer_);
  } else if (at_start_ && buffer_.starts_with("\xef\xbb\xbf")) {
    buffer_.erase(0, 3);
  }
  at_start_ = false;
  return Status::OK();
}

Result<bool> CsvRecords::next() {
  for (;;) {
    TRY_ASSIGN(const bool found, options_.multi_line ? next_quoted() : next_line());
    if (!found) {
      TRY(failed_);
      return false;
    }
    if (tokens_.is_skipped(record_)) continue;
    if (!is_utf8(record_.data(), record_.size())) {
      record_text_ = replace_invalid_utf8(record_);
      record_ = record_text_;
      TRY(tokens_.split(record_));
      return true;
    }
    if (!options_.multi_line) TRY(tokens_.split(record_));
    return true;
  }
}

Result<bool> CsvRecords::next_line() {
  for (;;) {
    const std::string_view text = rest();
    std::size_t end;
    std::size_t length = 1;
    if (options_.line_sep.empty()) {
      end = text.find_first_of("\r\n", scanned_);
      if (end != std::string_view::npos && text[end] == '\r') {
        if (end + 1 == text.size() && !ended_) {
          TRY(read_more());
          continue;
        }
        if (end + 1 < text.size() && text[end + 1] == '\n') length = 2;
      }
    } else {
      end = text.find(options_.line_sep, scanned_);
      length = options_.line_sep.size();
    }
    if (end != std::string_view::npos) {
      record_ = text.substr(0, end);
      scanned_ = 0;
      consume(end + length);
      return true;
    }
    if (ended_) {
      record_ = text;
      scanned_ = 0;
      consume(text.size());
      return !record_.empty();
    }
    scanned_ = text.size() > options_.line_sep.size() ? text.size() - options_.line_sep.size() : 0;
    TRY(read_more());
  }
}

Result<bool> CsvRecords::next_quoted() {
  for (;;) {
    const std::string_view text = rest();
    if (text.empty()) {
      if (ended_) return false;
      TRY(read_more());
      continue;
    }
    TRY_ASSIGN(const std::size_t used, tokens_.take(text, ended_));
    if (used == 0) {
      TRY(read_more());
      continue;
    }
    record_ = text.substr(0, used);
    while (!record_.empty() && (record_.back() == '\n' || record_.back() == '\r'))
      record_.remove_suffix(1);
    consume(used);
    return true;
  }
}

}  // namespace millstream::format
