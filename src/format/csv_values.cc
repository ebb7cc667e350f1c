#include "format/csv_values.h"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

#include "base/text.h"
#include "base/time_of_day.h"
#include "format/interval_text.h"
#include "format/json_numbers.h"

namespace millstream::format {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && static_cast<unsigned char>(text.front()) <= ' ') text.remove_prefix(1);
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
  return text;
}

// Java's Double.parseDouble, but for hexadecimal forms.
bool parse_java_double(std::string_view given, double& value) {
  std::string_view text = trimmed(given);
  if (text.empty()) return false;
  std::string_view body = text;
  bool negative = false;
  if (body[0] == '+' || body[0] == '-') {
    negative = body[0] == '-';
    body.remove_prefix(1);
  }
  if (body == "NaN") {
    value = std::numeric_limits<double>::quiet_NaN();
    return true;
  }
  if (body == "Infinity") {
    value = negative ? -std::numeric_limits<double>::infinity()
                     : std::numeric_limits<double>::infinity();
    return true;
  }
  if (!body.empty() && std::string_view("dDfF").find(body.back()) != std::string_view::npos)
    body.remove_suffix(1);
  std::size_t at = 0;
  std::size_t digits = 0;
  for (; at < body.size() && is_digit(body[at]); ++at) ++digits;
  if (at < body.size() && body[at] == '.') {
    for (++at; at < body.size() && is_digit(body[at]); ++at) ++digits;
  }
  if (digits == 0) return false;
  if (at < body.size() && (body[at] == 'e' || body[at] == 'E')) {
    ++at;
    if (at < body.size() && (body[at] == '+' || body[at] == '-')) ++at;
    const std::size_t exponent = at;
    for (; at < body.size() && is_digit(body[at]); ++at) continue;
    if (at == exponent) return false;
  }
  if (at != body.size()) return false;
  const std::string number(body);
  value = std::strtod(number.c_str(), nullptr);
  if (negative) value = -value;
  return true;
}

std::optional<bool> parse_scala_boolean(std::string_view text) {
  if (equals_ignore_case(text, "true")) return true;
  if (equals_ignore_case(text, "false")) return false;
  return std::nullopt;
}

template <typename T>
bool set_integer(JsonColumn& column, std::int64_t row, std::string_view text) {
  std::int64_t value;
  if (!parse_java_integer(text, std::numeric_limits<T>::min(), std::numeric_limits<T>::max(),
                          value))
    return false;
  column.set<T>(row, static_cast<T>(value));
  return true;
}

}  // namespace

bool parse_java_integer(std::string_view text, std::int64_t low, std::int64_t high,
                        std::int64_t& value) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.empty() || !is_digit(text[0])) return false;
  }
  return parse_integer(text, value) && value >= low && value <= high;
}

Result<CsvValues> CsvValues::make(const CsvOptions& options) {
  CsvValues values(options);
  TRY_ASSIGN(values.zone_, TimeZone::find(options.time_zone));
  const auto compile = [](const std::optional<std::string>& format,
                          std::optional<DateTimePattern>& out) -> Status {
    if (!format) return Status::OK();
    TRY_ASSIGN(out, DateTimePattern::compile(*format));
    return Status::OK();
  };
  TRY(compile(options.date_format, values.date_format_));
  TRY(compile(options.timestamp_format, values.timestamp_format_));
  TRY(compile(options.timestamp_ntz_format, values.ntz_format_));
  return values;
}

bool CsvValues::read_double(std::string_view text, double& value) const {
  if (text == options_.nan_value) {
    value = std::numeric_limits<double>::quiet_NaN();
    return true;
  }
  if (text == options_.positive_inf || text == options_.negative_inf) {
    value = std::numeric_limits<double>::infinity();
    if (text == options_.negative_inf) value = -value;
    return true;
  }
  return parse_java_double(text, value);
}

bool CsvValues::is_double(std::string_view text) const {
  double ignored;
  return read_double(text, ignored);
}

bool CsvValues::read_date(std::string_view text, std::int32_t& days) const {
  if (!date_format_) return parse_date_lenient(text, days);
  DateTimePattern::Fields fields;
  if (!date_format_->parse(text, fields)) return false;
  const std::int64_t seconds = fields.local_seconds;
  days = static_cast<std::int32_t>(seconds >= 0 ? seconds / 86'400 : (seconds - 86'399) / 86'400);
  return true;
}

// Without a pattern of one's own only yyyy-MM-dd is taken for a date.
bool CsvValues::is_date(std::string_view text) const {
  std::int32_t ignored;
  if (date_format_) return read_date(text, ignored);
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  for (const std::size_t i : {0U, 1U, 2U, 3U, 5U, 6U, 8U, 9U}) {
    if (!is_digit(text[i])) return false;
  }
  return parse_date_lenient(text, ignored);
}

bool CsvValues::read_timestamp(std::string_view text, std::int64_t& micros) const {
  if (!timestamp_format_) return parse_timestamp_lenient(text, zone_, micros);
  DateTimePattern::Fields fields;
  if (!timestamp_format_->parse(text, fields)) return false;
  const TimeZone& zone = fields.zone ? *fields.zone : zone_;
  micros = (fields.local_seconds - zone.offset_of_local(fields.local_seconds)) * 1'000'000 +
           fields.micros;
  return true;
}

bool CsvValues::is_timestamp(std::string_view text) const {
  std::int64_t ignored;
  return read_timestamp(text, ignored);
}

bool CsvValues::read_timestamp_ntz(std::string_view text, std::int64_t& micros) const {
  if (!ntz_format_) return parse_timestamp_ntz_lenient(text, micros);
  DateTimePattern::Fields fields;
  if (!ntz_format_->parse(text, fields) || fields.has_zone) return false;
  micros = fields.local_seconds * 1'000'000 + fields.micros;
  return true;
}

bool CsvValues::is_timestamp_ntz(std::string_view text) const {
  std::int64_t ignored;
  return read_timestamp_ntz(text, ignored);
}

bool CsvValues::set_time(JsonColumn& column, std::int64_t row, std::string_view text) const {
  std::int64_t micros;
  const bool read = column.kind() == JsonColumn::Kind::timestamp ? read_timestamp(text, micros)
                                                                 : read_timestamp_ntz(text, micros);
  if (!read) return false;
  column.set<std::int64_t>(row, micros);
  return true;
}

bool CsvValues::set(JsonColumn& column, std::int64_t row, std::string_view text) const {
  using Kind = JsonColumn::Kind;
  switch (column.kind()) {
    case Kind::string:
    case Kind::binary:
      column.set_string(row, text);
      return true;
    case Kind::boolean: {
      const auto value = parse_scala_boolean(text);
      if (value) column.set<std::uint8_t>(row, *value ? 1 : 0);
      return value.has_value();
    }
    case Kind::int8:
      return set_integer<std::int8_t>(column, row, text);
    case Kind::int16:
      return set_integer<std::int16_t>(column, row, text);
    case Kind::int32:
      return set_integer<std::int32_t>(column, row, text);
    case Kind::int64:
      return set_integer<std::int64_t>(column, row, text);
    case Kind::float32:
    case Kind::float64: {
      double value;
      if (!read_double(text, value)) return false;
      if (column.kind() == Kind::float64) {
        column.set<double>(row, value);
      } else if (std::isfinite(value)) {
        column.set<float>(row, std::strtof(std::string(trimmed(text)).c_str(), nullptr));
      } else {
        column.set<float>(row, static_cast<float>(value));
      }
      return true;
    }
    case Kind::decimal: {
      __int128 value;
      if (!parse_decimal(text, column.type()->precision(), column.type()->scale(), true, value))
        return false;
      column.set<__int128>(row, value);
      return true;
    }
    case Kind::date: {
      std::int32_t days;
      if (!read_date(text, days)) return false;
      column.set<std::int32_t>(row, days);
      return true;
    }
    case Kind::timestamp:
    case Kind::timestamp_ntz:
      return set_time(column, row, text);
    case Kind::day_time:
    case Kind::year_month:
      return set_interval(column, row, text);
    case Kind::time: {
      const auto nanos = parse_time_of_day(text);
      if (nanos) column.set<std::int64_t>(row, *nanos);
      return nanos.has_value();
    }
    default:
      return false;
  }
}

}  // namespace millstream::format
