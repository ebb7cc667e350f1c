#include "format/text_lines.h"

#include <arrow/array.h>
#include <arrow/array/builder_binary.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <array>
#include <cstring>
#include <vector>

#include "base/text.h"
#include "format/arrow_status.h"
#include "format/base64.h"
#include "format/byte_input.h"
#include "format/json_index.h"
#include "format/json_options.h"

namespace millstream::format {
namespace {

constexpr std::size_t block_bytes = 256 << 10;
constexpr std::int64_t batch_rows_max = 16 << 10;
constexpr std::size_t value_bytes_max = 1u << 30;

class LineReader final : public connector::BatchReader {
 public:
  LineReader(std::unique_ptr<ByteInput> input, TextOptions options, const std::string& column)
      : input_(std::move(input)),
        options_(std::move(options)),
        schema_(arrow::schema({arrow::field(column, arrow::utf8())})) {}

  Result<connector::RecordBatchPtr> next() override {
    while (!ended_ && failed_.ok() && lines_.length() < batch_rows_max &&
           lines_.value_data_length() < (16 << 20))
      TRY(read_block());
    if (lines_.length() == 0) {
      TRY(failed_);
      return connector::RecordBatchPtr();
    }
    std::shared_ptr<arrow::Array> array;
    TRY_ARROW(lines_.Finish(&array));
    const std::int64_t rows = array->length();
    return arrow::RecordBatch::Make(schema_, rows, {std::move(array)});
  }

 private:
  Status read_block() {
    const std::size_t before = text_.size();
    if (before > value_bytes_max)
      return Status::unsupported("a line of more than {} bytes", value_bytes_max);
    const std::size_t wanted = std::max(block_bytes, before);
    text_.resize(before + wanted);
    const Filled filled = fill(*input_, text_.data() + before, wanted);
    text_.resize(before + filled.size);
    failed_ = filled.status;
    ended_ = filled.size < wanted && failed_.ok();
    if (at_start_ && text_.starts_with("\xef\xbb\xbf")) text_.erase(0, 3);
    at_start_ = false;
    if (options_.whole_text) {
      if (ended_ && !text_.empty()) TRY(add(text_));
      return Status::OK();
    }
    TRY_ASSIGN(const std::size_t used, options_.line_sep.empty() ? take_lines() : take_separated());
    text_.erase(0, used);
    if (ended_ && !text_.empty()) {
      TRY(add(text_));
      text_.clear();
    }
    return Status::OK();
  }

  Result<std::size_t> take_lines() {
    std::size_t at = 0;
    for (;;) {
      const auto end = text_.find_first_of("\r\n", at);
      if (end == std::string::npos) return at;
      std::size_t next = end + 1;
      if (text_[end] == '\r') {
        if (next == text_.size() && !ended_) return at;  // the \n may come with the next block
        if (next < text_.size() && text_[next] == '\n') ++next;
      }
      TRY(add({text_.data() + at, end - at}));
      at = next;
    }
  }

  Result<std::size_t> take_separated() {
    std::size_t at = 0;
    for (;;) {
      const auto end = text_.find(options_.line_sep, at);
      if (end == std::string::npos) return at;
      TRY(add({text_.data() + at, end - at}));
      at = end + options_.line_sep.size();
    }
  }

  Status add(std::string_view line) {
    if (is_utf8(line.data(), line.size())) return to_status(lines_.Append(line));
    return to_status(lines_.Append(replace_invalid_utf8(line)));
  }

  std::unique_ptr<ByteInput> input_;
  const TextOptions options_;
  const std::shared_ptr<arrow::Schema> schema_;
  arrow::StringBuilder lines_;
  std::string text_;
  bool at_start_ = true;
  bool ended_ = false;
  Status failed_;  // after the lines before it
};

}  // namespace

Result<TextOptions> parse_text_options(const Options& options) {
  constexpr std::array<std::string_view, 8> known = {
      "wholetext",          "linesep", "encoding", "charset", "compression", "ignorecorruptfiles",
      "ignoremissingfiles", "timezone"};
  for (const auto& [name, entry] : options.entries()) {
    if (is_listing_option(name)) continue;
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      return Status::invalid("'{}' is not an option of the text format", entry.name);
    }
  }
  for (const std::string_view name : {"encoding", "charset"}) {
    const std::string value = options.get(name, "UTF-8");
    if (!equals_ignore_case(value, "UTF-8") && !equals_ignore_case(value, "UTF8")) {
      return Status::unsupported("the option '{}' takes UTF-8 only, not '{}'", name, value);
    }
  }
  TextOptions out;
  TRY_ASSIGN(out.whole_text, options.get_bool("wholetext", false));
  if (const auto* separator = options.find("lineSep"); separator != nullptr) {
    if (separator->empty()) return Status::invalid("'lineSep' cannot be an empty string.");
    out.line_sep = *separator;
  }
  return out;
}

Result<std::unique_ptr<connector::BatchReader>> open_text(const std::shared_ptr<io::Store>& store,
                                                          const io::FileInfo& file,
                                                          const TextOptions& options,
                                                          const std::string& column) {
  TRY_ASSIGN(auto input, open_bytes(store, file.path));
  return std::unique_ptr<connector::BatchReader>(
      std::make_unique<LineReader>(std::move(input), options, column));
}

}  // namespace millstream::format
