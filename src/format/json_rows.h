// JsonRows: JSON records in, the Arrow columns of a batch out. Decides what a malformed record, a
// field of the wrong type and an unknown field become, by the options. Owned by one reader; one
// thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "column/types.h"
#include "format/datetime_text.h"
#include "format/json_column.h"
#include "format/json_lines.h"
#include "format/json_options.h"
#include "format/json_strict.h"
#include "format/json_token.h"

namespace millstream::format {

// Members of an object as JSON text, gathered while objects within it are open.
class MemberText {
 public:
  std::size_t mark() const { return text_.size(); }
  bool grew(std::size_t mark) const { return text_.size() > mark; }
  void add(std::string_view key_source, std::string_view value) {
    text_.append(key_source).append(1, ':').append(value).append(1, ',');
  }
  void forget_from(std::size_t mark) { text_.resize(mark); }
  // What was added since `mark` becomes one member, an object.
  void wrap(std::size_t mark, std::string_view key_source);
  void clear() { text_.clear(); }
  bool empty() const { return text_.empty(); }
  // {"a":1,<last>}; `last` may be empty.
  std::string object(std::string_view last) const;

 private:
  std::string text_;
};

// A day as it stood in the text, and its number.
struct IsoDate {
  char text[10] = {};
  std::int64_t days = 0;
};

struct JsonRowSettings {
  JsonOptions options;
  column::Schema fields;     // those of the records, without the corrupt and the rescued column
  std::vector<bool> wanted;  // by field: false: checked, not converted
  bool has_corrupt_column = false;  // the schema has it, asked for or not
  bool fill_corrupt = false;
  bool fill_rescued = false;
  // Called at the first record of a file that has unknown fields, with them. May be null.
  std::function<Status(const std::string& rescued)> on_unknown;
};

class JsonRows final : public JsonLines {
 public:
  static Result<std::unique_ptr<JsonRows>> make(JsonRowSettings settings);

  // `name` is what _file_path says.
  void begin_file(std::string_view name);
  std::int64_t rows() const { return row_; }
  std::int64_t data_bytes() const { return root_.data_bytes(); }
  // The columns of all rows so far, by field (null: not wanted), and then the corrupt and the
  // rescued column (null: not filled). Empties this.
  std::vector<std::shared_ptr<arrow::Array>> finish();

 private:
  explicit JsonRows(JsonRowSettings settings);

  void begin_record() override { first_ = row_; }
  Outcome read_strictly(StrictScanner& scanner) override;
  Status end_record(Outcome outcome, std::string_view record, bool tail) override;
  Status read_leniently(std::string_view record) override;
  void keep_record(std::string_view record, bool lost);
  Status report_unknown();
  Status malformed_error(std::string_view record) const;
  bool keeps_text() const { return settings_.fill_rescued || tracks_unknown_; }

  template <typename Scanner>
  Outcome read_root(Scanner& scanner);
  template <typename Scanner>
  Outcome read_row(Scanner& scanner);
  template <typename Scanner>
  Outcome read_object(Scanner& scanner, JsonColumn& column, std::int64_t row);
  template <typename Scanner>
  Outcome read_unknown(Scanner& scanner, const JsonColumn& column, std::string_view key);
  template <typename Scanner>
  Outcome read_member_keeping_text(Scanner& scanner, JsonColumn& column, std::int64_t row,
                                   const std::string* spelling);
  template <typename Scanner>
  Outcome read_value(Scanner& scanner, JsonColumn& column, std::int64_t row);
  template <typename Scanner>
  Outcome read_other(Scanner& scanner, JsonColumn& column, std::int64_t row);
  template <typename Scanner, typename T>
  Outcome read_integer(Scanner& scanner, JsonColumn& column, std::int64_t row);
  template <typename Scanner, typename T>
  Outcome read_floating(Scanner& scanner, JsonColumn& column, std::int64_t row);
  template <typename Scanner>
  Outcome read_text(Scanner& scanner, JsonColumn& column, std::int64_t row);
  template <typename Scanner>
  Outcome read_from_text(Scanner& scanner, JsonColumn& column, std::int64_t row);
  template <typename Scanner>
  Outcome read_array(Scanner& scanner, JsonColumn& column, std::int64_t row);
  template <typename Scanner>
  Outcome read_map(Scanner& scanner, JsonColumn& column, std::int64_t row);
  bool set_from_text(JsonColumn& column, std::int64_t row, std::string_view text, bool is_string);
  bool set_timestamp(JsonColumn& column, std::int64_t row, std::string_view text);
  bool set_date(JsonColumn& column, std::int64_t row, std::string_view text);

  JsonRowSettings settings_;
  TimeZone zone_;
  std::optional<DateTimePattern> date_format_;
  std::optional<DateTimePattern> timestamp_format_;
  std::optional<DateTimePattern> ntz_format_;

  JsonColumn root_;
  JsonColumn corrupt_;
  JsonColumn rescued_;
  std::int64_t row_ = 0;
  std::int64_t first_ = 0;  // row of the record being read

  IsoDate last_date_;

  std::string file_path_member_;  // "_file_path":"…"
  bool tracks_unknown_ = false;   // no record with unknown fields was met in this file yet
  MemberText rescued_text_;
  MemberText unknown_text_;
  Status failed_;  // set inside the recursion
};

}  // namespace millstream::format
