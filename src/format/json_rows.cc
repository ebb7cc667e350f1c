#include "format/json_rows.h"

#include <arrow/array.h>

#include <algorithm>

#include "base/time_of_day.h"
#include "format/base64.h"
#include "format/interval_text.h"
#include "format/json_values.h"

namespace millstream::format {
namespace {

// yyyy-MM-dd'T'HH:mm:ss[.f…][Z] (or a blank for the T), the form that nearly all files have. `date`
// remembers the last day, which is mostly that of the next row too.
bool parse_iso(std::string_view text, IsoDate& date, std::int64_t& local_micros, bool& is_utc) {
  if (text.size() < 19) return false;
  const char* p = text.data();
  bool digits = true;
  const auto two = [&](int at) {
    const auto high = static_cast<unsigned>(p[at] - '0');
    const auto low = static_cast<unsigned>(p[at + 1] - '0');
    digits = digits & (high < 10) & (low < 10);
    return static_cast<int>(high * 10 + low);
  };
  if (std::memcmp(p, date.text, 10) != 0) {
    const int year = two(0) * 100 + two(2);
    const int month = two(5);
    const int day = two(8);
    if (!digits || p[4] != '-' || p[7] != '-' || !is_valid_date(year, month, day)) return false;
    std::memcpy(date.text, p, 10);
    date.days = days_from_civil(year, month, day);
  }
  const int hour = two(11);
  const int minute = two(14);
  const int second = two(17);
  if (!digits || (p[10] != 'T' && p[10] != ' ') || p[13] != ':' || p[16] != ':' || hour > 23 ||
      minute > 59 || second > 59) {
    return false;
  }
  std::int64_t fraction = 0;
  std::size_t at = 19;
  if (at < text.size() && p[at] == '.') {
    int count = 0;
    for (++at; at < text.size() && is_digit(p[at]); ++at) {
      if (count++ < 6) fraction = fraction * 10 + (p[at] - '0');
    }
    for (; count < 6; ++count) fraction *= 10;
  }
  is_utc = at + 1 == text.size() && p[at] == 'Z';
  if (at != text.size() && !is_utc) return false;
  local_micros = (date.days * 86'400 + hour * 3600 + minute * 60 + second) * 1'000'000 + fraction;
  return true;
}

// DateTimeUtils.cleanLegacyTimestampStr.
std::string without_gmt(std::string_view text) {
  std::string out(text);
  const auto at = out.find("GMT");
  if (at != std::string::npos && at > 0) out.erase(at, 3);
  return out;
}

}  // namespace

void MemberText::wrap(std::size_t mark, std::string_view key_source) {
  text_.pop_back();  // the comma
  text_ += "},";
  text_.insert(mark, std::string(key_source) + ":{");
}

std::string MemberText::object(std::string_view last) const {
  std::string out = "{" + text_;
  if (last.empty() && out.size() > 1) out.pop_back();
  return out.append(last).append("}");
}

Result<std::unique_ptr<JsonRows>> JsonRows::make(JsonRowSettings settings) {
  std::unique_ptr<JsonRows> rows(new JsonRows(std::move(settings)));
  const JsonOptions& options = rows->settings_.options;
  TRY_ASSIGN(rows->zone_, TimeZone::find(options.time_zone));
  if (options.date_format) {
    TRY_ASSIGN(rows->date_format_, DateTimePattern::compile(*options.date_format));
  }
  if (options.timestamp_format) {
    TRY_ASSIGN(rows->timestamp_format_, DateTimePattern::compile(*options.timestamp_format));
  }
  if (options.timestamp_ntz_format) {
    TRY_ASSIGN(rows->ntz_format_, DateTimePattern::compile(*options.timestamp_ntz_format));
  }
  return rows;
}

JsonRows::JsonRows(JsonRowSettings settings)
    : JsonLines(settings.options),
      settings_(std::move(settings)),
      zone_(TimeZone::fixed(0)),
      root_(column::as_nullable(settings_.fields)),
      corrupt_("", column::string_type()),
      rescued_("", column::string_type()) {
  CHECK(settings_.wanted.size() == settings_.fields.size());
  for (std::size_t i = 0; i < settings_.wanted.size(); ++i) {
    if (!settings_.wanted[i]) root_.child(i).skip();
  }
}

void JsonRows::begin_file(std::string_view name) {
  file_path_member_ = "\"_file_path\":" + json_quote(name);
  tracks_unknown_ = settings_.on_unknown != nullptr;
}

Outcome JsonRows::read_strictly(StrictScanner& scanner) { return read_root(scanner); }

Status JsonRows::read_leniently(std::string_view record) {
  row_ = first_;
  root_.forget_from(first_);
  rescued_.forget_from(first_);
  rescued_text_.clear();
  unknown_text_.clear();
  LenientScanner scanner(record, settings_.options);
  if (scanner.at_end()) return Status::OK();  // comments only
  Outcome outcome = read_root(scanner);
  const auto used = static_cast<std::size_t>(scanner.last_end() - record.data());
  if (outcome != Outcome::malformed && !is_utf8(record.data(), used)) outcome = Outcome::malformed;
  return end_record(outcome, record, !scanner.at_end() && !settings_.options.multi_line);
}

Status JsonRows::end_record(Outcome outcome, std::string_view record, bool tail) {
  if (outcome == Outcome::ok && !tail && unknown_text_.empty()) [[likely]]
    return Status::OK();
  const std::int64_t first = first_;
  const bool bad =
      outcome == Outcome::malformed || (outcome != Outcome::ok && !settings_.fill_rescued);
  if (bad && settings_.options.mode == ParseMode::fail_fast) return malformed_error(record);
  if (outcome == Outcome::malformed ||
      (bad && settings_.options.mode == ParseMode::drop_malformed)) {
    row_ = first;
    root_.forget_from(first);
    rescued_.forget_from(first);
    rescued_text_.clear();
    unknown_text_.clear();
    if (settings_.options.mode == ParseMode::drop_malformed) return Status::OK();
    ++row_;
  }
  if (bad || tail) keep_record(record, outcome == Outcome::malformed || tail);
  return report_unknown();
}

// What could not be read stays visible: in the corrupt column where the schema has one, else what
// no column shows (`lost`) in the rescued one.
void JsonRows::keep_record(std::string_view record, bool lost) {
  const bool rescue =
      lost && settings_.fill_rescued && !settings_.has_corrupt_column && row_ > first_;
  if (!settings_.fill_corrupt && !rescue) return;
  std::string cleaned;
  if (!is_utf8(record.data(), record.size())) {
    cleaned = replace_invalid_utf8(record);
    record = cleaned;
  }
  if (settings_.fill_corrupt) {
    for (std::int64_t row = first_; row < row_; ++row) corrupt_.set_string(row, record);
    return;
  }
  MemberText text;
  text.add(json_quote(settings_.options.corrupt_column), json_quote(record));
  rescued_.set_string(row_ - 1, text.object(file_path_member_));
}

Status JsonRows::report_unknown() {
  if (unknown_text_.empty()) return Status::OK();
  tracks_unknown_ = false;
  const std::string rescued = unknown_text_.object({});
  unknown_text_.clear();
  return settings_.on_unknown(rescued);
}

Status JsonRows::malformed_error(std::string_view record) const {
  return Status::error(
      "MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION",
      {{"badRecord", std::string(record.substr(0, 4096))}, {"failFastMode", "FAILFAST"}});
}

bool JsonRows::set_from_text(JsonColumn& column, std::int64_t row, std::string_view text,
                             bool is_string) {
  using Kind = JsonColumn::Kind;
  switch (column.kind()) {
    case Kind::decimal: {
      __int128 value;
      if (!parse_decimal(text, column.type()->precision(), column.type()->scale(), is_string,
                         value))
        return false;
      column.set<__int128>(row, value);
      return true;
    }
    case Kind::date:
      return set_date(column, row, text);
    case Kind::timestamp:
    case Kind::timestamp_ntz:
      return set_timestamp(column, row, text);
    case Kind::day_time:
    case Kind::year_month:
      return set_interval(column, row, text);
    case Kind::time: {
      const auto nanos = parse_time_of_day(text);
      if (nanos) column.set<std::int64_t>(row, *nanos);
      return nanos.has_value();
    }
    default: {
      std::string bytes;
      if (!decode_base64(text, bytes)) return false;
      column.set_string(row, bytes);
      return true;
    }
  }
}

bool JsonRows::set_date(JsonColumn& column, std::int64_t row, std::string_view text) {
  std::int32_t days;
  if (date_format_) {
    DateTimePattern::Fields fields;
    if (!date_format_->parse(text, fields)) return false;
    const std::int64_t seconds = fields.local_seconds;
    days = static_cast<std::int32_t>(seconds >= 0 ? seconds / 86'400 : (seconds - 86'399) / 86'400);
  } else if (text.empty()) {
    return false;
  } else if (!parse_date_lenient(text, days)) {
    // As Spark 1.5 wrote dates: a number of days. Those before 1582 would need the Julian calendar.
    constexpr std::int64_t gregorian_start = -141'427;
    std::int64_t number;
    if (text.front() == '+') text.remove_prefix(1);
    if (!parse_integer(text, number) || number < gregorian_start ||
        number > std::numeric_limits<std::int32_t>::max()) {
      return false;
    }
    days = static_cast<std::int32_t>(number);
  }
  column.set<std::int32_t>(row, days);
  return true;
}

bool JsonRows::set_timestamp(JsonColumn& column, std::int64_t row, std::string_view text) {
  const bool ntz = column.kind() == JsonColumn::Kind::timestamp_ntz;
  const auto& format = ntz ? ntz_format_ : timestamp_format_;
  std::int64_t micros;
  bool is_utc = false;
  if (format) {
    DateTimePattern::Fields fields;
    if (!format->parse(text, fields) || (ntz && fields.has_zone)) return false;
    const TimeZone& zone = fields.zone ? *fields.zone : zone_;
    const std::int64_t offset = ntz ? 0 : zone.offset_of_local(fields.local_seconds);
    micros = (fields.local_seconds - offset) * 1'000'000 + fields.micros;
  } else if (parse_iso(text, last_date_, micros, is_utc) && !(ntz && is_utc)) {
    if (!ntz && !is_utc) {
      const std::int64_t local = micros >= 0 ? micros / 1'000'000 : (micros - 999'999) / 1'000'000;
      micros -= zone_.offset_of_local(local) * 1'000'000;
    }
  } else if (ntz) {
    if (!parse_timestamp_ntz_lenient(text, micros)) return false;
  } else if (text.empty() || (!parse_timestamp_lenient(text, zone_, micros) &&
                              !parse_timestamp_lenient(without_gmt(text), zone_, micros))) {
    return false;
  }
  column.set<std::int64_t>(row, micros);
  return true;
}

std::vector<std::shared_ptr<arrow::Array>> JsonRows::finish() {
  std::vector<std::shared_ptr<arrow::Array>> columns;
  for (std::size_t i = 0; i < settings_.fields.size(); ++i) {
    columns.push_back(settings_.wanted[i] ? root_.child(i).finish(row_) : nullptr);
  }
  columns.push_back(settings_.fill_corrupt ? corrupt_.finish(row_) : nullptr);
  columns.push_back(settings_.fill_rescued ? rescued_.finish(row_) : nullptr);
  row_ = 0;
  return columns;
}

}  // namespace millstream::format
