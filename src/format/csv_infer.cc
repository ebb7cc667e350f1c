#include "format/csv_infer.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "conc/thread_pool.h"
#include "format/byte_input.h"
#include "format/csv_records.h"
#include "format/csv_values.h"
#include "format/json_numbers.h"

namespace millstream::format {
namespace {

enum class Kind : std::uint8_t {
  null_,
  int_,
  long_,
  decimal,
  double_,
  date,
  timestamp_ntz,
  timestamp,
  boolean,
  string,
};

struct Seen {
  Kind kind = Kind::null_;
  int precision = 0;  // of a decimal; its scale is 0
};

bool is_numeric(Kind kind) { return kind >= Kind::int_ && kind <= Kind::double_; }

bool is_time(Kind kind) { return kind >= Kind::date && kind <= Kind::timestamp; }

int digits_of(const Seen& seen) {
  if (seen.kind == Kind::int_) return 10;
  return seen.kind == Kind::long_ ? 20 : seen.precision;
}

// The type of both, as Spark's CSVInferSchema.compatibleType.
Seen common(const Seen& a, const Seen& b) {
  if (a.kind == Kind::null_) return b;
  if (b.kind == Kind::null_) return a;
  if (a.kind == b.kind && a.kind != Kind::decimal) return a;
  if (is_numeric(a.kind) && is_numeric(b.kind)) {
    if (a.kind == Kind::double_ || b.kind == Kind::double_) return {Kind::double_};
    if (a.kind != Kind::decimal && b.kind != Kind::decimal) return {Kind::long_};
    const int digits = std::max(digits_of(a), digits_of(b));
    if (digits > 38) return {Kind::double_};
    return {Kind::decimal, digits};
  }
  if (is_time(a.kind) && is_time(b.kind)) return {std::max(a.kind, b.kind)};
  return {Kind::string};
}

class Inference {
 public:
  Inference(const CsvOptions& options, CsvValues values)
      : options_(options), values_(std::move(values)) {}

  Seen with(const Seen& so_far, std::string_view text) const {
    if (so_far.kind == Kind::string) return so_far;
    return common(so_far, kind_of(text, so_far.kind));
  }

 private:
  static bool is_whole(std::string_view text, int& precision) {
    std::size_t at = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
    precision = 0;
    bool any = false;
    for (; at < text.size(); ++at) {
      if (text[at] == ',') continue;
      if (text[at] == '.' && at + 1 == text.size() && any) break;
      if (!is_digit(text[at])) return false;
      any = true;
      if (precision > 0 || text[at] != '0') ++precision;
    }
    precision = std::max(precision, 1);
    return any && precision <= 38;
  }

  // Types that come before `from` in Spark's order of attempts are not tried.
  Seen kind_of(std::string_view text, Kind from) const {
    std::int64_t value;
    if (from <= Kind::int_ && parse_java_integer(text, std::numeric_limits<std::int32_t>::min(),
                                                 std::numeric_limits<std::int32_t>::max(), value))
      return {Kind::int_};
    if (from <= Kind::long_ && parse_java_integer(text, std::numeric_limits<std::int64_t>::min(),
                                                  std::numeric_limits<std::int64_t>::max(), value))
      return {Kind::long_};
    int precision;
    if (from <= Kind::decimal && is_whole(text, precision)) return {Kind::decimal, precision};
    if (from <= Kind::double_ && values_.is_double(text)) return {Kind::double_};
    if (from <= Kind::date && options_.prefer_date && values_.is_date(text)) return {Kind::date};
    if (from <= Kind::timestamp_ntz && options_.infer_ntz && values_.is_timestamp_ntz(text))
      return {Kind::timestamp_ntz};
    if (from <= Kind::timestamp && values_.is_timestamp(text)) return {Kind::timestamp};
    if (equals_ignore_case(text, "true") || equals_ignore_case(text, "false"))
      return {Kind::boolean};
    return {Kind::string};
  }

  const CsvOptions options_;
  const CsvValues values_;
};

column::TypePtr type_of(const Seen& seen) {
  switch (seen.kind) {
    case Kind::int_:
      return column::int_type();
    case Kind::long_:
      return column::long_type();
    case Kind::decimal:
      return column::decimal_type(seen.precision, 0);
    case Kind::double_:
      return column::double_type();
    case Kind::date:
      return column::date_type();
    case Kind::timestamp_ntz:
      return column::timestamp_ntz_type();
    case Kind::timestamp:
      return column::timestamp_type();
    case Kind::boolean:
      return column::boolean_type();
    default:
      return column::string_type();
  }
}

struct FileResult {
  bool any = false;                // there is a record
  std::vector<std::string> names;  // of the first one; empty where it has no name
  std::vector<Seen> columns;
};

Result<FileResult> read_file(const std::shared_ptr<io::Store>& store, const io::FileInfo& file,
                             const CsvOptions& options, bool types) {
  FileResult out;
  TRY_ASSIGN(auto input, open_bytes(store, file.path));
  CsvRecords records(std::move(input), options);
  TRY_ASSIGN(auto values, CsvValues::make(options));
  const Inference inference(options, std::move(values));
  for (;;) {
    const auto found = records.next();
    if (!found.ok()) return failed_read(file.path, found.status());
    if (!*found) return out;
    const auto& tokens = records.tokens();
    const bool first = !out.any;
    if (first) {
      out.any = true;
      out.columns.resize(tokens.size());
      for (const auto& token : tokens) out.names.emplace_back(token.is_null ? "" : token.text);
      if (options.header) {
        if (!types) return out;
        continue;
      }
    }
    if (!types) return out;
    const std::size_t count = std::min(tokens.size(), out.columns.size());
    for (std::size_t i = 0; i < count; ++i) {
      if (!tokens[i].is_null) out.columns[i] = inference.with(out.columns[i], tokens[i].text);
    }
  }
}

// Names that are there twice get their place behind them.
std::vector<std::string> safe_header(const std::vector<std::string>& given) {
  std::map<std::string, int> counts;
  for (const auto& name : given) ++counts[to_lower(name)];
  std::vector<std::string> names;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i].empty()) {
      names.push_back("_c" + std::to_string(i));
    } else if (counts[to_lower(given[i])] > 1) {
      names.push_back(given[i] + std::to_string(i));
    } else {
      names.push_back(given[i]);
    }
  }
  return names;
}

}  // namespace

Result<column::Schema> infer_csv_schema(const std::shared_ptr<io::Store>& store,
                                        const std::vector<io::FileInfo>& files,
                                        const CsvOptions& options) {
  std::vector<FileResult> results(files.size());
  const auto read = [&](std::size_t i) -> Status {
    TRY_ASSIGN(results[i], read_file(store, files[i], options, options.infer_schema));
    return Status::OK();
  };
  if (options.infer_schema) {
    TRY(shared_pool().run_all(files.size(), read));
  } else {
    for (std::size_t i = 0; i < files.size(); ++i) {
      TRY(read(i));
      if (results[i].any) break;
    }
  }
  column::Schema schema;
  const FileResult* first = nullptr;
  std::vector<Seen> columns;
  for (const FileResult& result : results) {
    if (!result.any) continue;
    if (first == nullptr) {
      first = &result;
      columns.resize(result.columns.size());
    }
    for (std::size_t i = 0; i < std::min(columns.size(), result.columns.size()); ++i)
      columns[i] = common(columns[i], result.columns[i]);
  }
  if (first == nullptr) return schema;
  const auto names = options.header ? safe_header(first->names)
                                    : safe_header(std::vector<std::string>(first->names.size()));
  for (std::size_t i = 0; i < names.size(); ++i) {
    schema.push_back(
        {names[i], options.infer_schema ? type_of(columns[i]) : column::string_type(), true, {}});
  }
  return schema;
}

}  // namespace millstream::format
