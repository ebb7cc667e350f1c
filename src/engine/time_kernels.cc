// Times of day: BIGINT nanoseconds since midnight.
#include <array>
#include <cmath>

#include "base/text.h"
#include "base/time_of_day.h"
#include "engine/java_pattern.h"
#include "engine/kernels.h"
#include "engine/raise.h"
#include "engine/text.h"
#include "engine/zone.h"

namespace millstream::engine {
namespace {

constexpr std::int64_t nanos_per_micro = 1000;
constexpr std::int64_t micros_per_second = 1'000'000;
constexpr std::int64_t micros_per_day = 86'400 * micros_per_second;

std::string quoted_text(std::string_view text) { return "'" + std::string(text) + "'"; }

std::string literal_of(std::int64_t nanos) { return "TIME '" + time_of_day_text(nanos) + "'"; }

// A cast cuts nothing off: the target only stands in the error.
std::optional<std::int64_t> parse_time(Failure& fail, std::string_view text,
                                       std::string_view target) {
  const auto nanos = parse_time_of_day(text);
  if (!nanos) return fail(cast_invalid_input(text, "STRING", target));
  return *nanos;
}

std::optional<std::string> show_time(Failure&, std::int64_t nanos) {
  return time_of_day_text(nanos);
}

// Whole seconds, of which `target` holds those from -limit - 1 to limit.
std::optional<std::int64_t> seconds_of_time(Failure& fail, std::int64_t nanos, std::int64_t limit,
                                            std::string_view source, std::string_view target) {
  const std::int64_t seconds = nanos / nanos_per_second;
  if (seconds > limit) return fail(cast_overflow(literal_of(nanos), source, target));
  return seconds;
}

Status cannot_parse(std::string_view text, std::string_view pattern) {
  return Status::error("CANNOT_PARSE_TIME",
                       {{"input", quoted_text(text)}, {"format", quoted_text(pattern)}});
}

std::optional<std::int64_t> to_time(Failure& fail, std::string_view text) {
  const auto nanos = parse_time_of_day(text);
  if (!nanos) return fail(cannot_parse(text, "HH:mm:ss.SSSSSS"));
  return *nanos;
}

std::optional<std::int64_t> to_time_pattern(Failure& fail, std::string_view text,
                                            std::string_view pattern) {
  const auto compiled = JavaPattern::get(pattern, true);
  if (!compiled.ok()) {
    // What Millstream alone refuses says so.
    if (compiled.status().condition().empty()) return fail(compiled.status());
    return fail(Status::error(
        "INVALID_DATETIME_PATTERN.WITH_SUGGESTION",
        {{"pattern", quoted_text(pattern)}, {"docroot", "https://spark.apache.org/docs/latest"}}));
  }
  const auto utc = Zone::find("UTC");
  if (!utc.ok()) return fail(utc.status());
  const auto parsed = (*compiled)->parse(text, **utc);
  if (!parsed.ok() || !parsed->problem.empty()) return fail(cannot_parse(text, pattern));
  const std::int64_t micros = parsed->utc_micros % micros_per_day;
  return (micros < 0 ? micros + micros_per_day : micros) * nanos_per_micro;
}

Status out_of_bounds(std::string message) {
  return Status::error("DATETIME_FIELD_OUT_OF_BOUNDS.WITHOUT_SUGGESTION",
                       {{"rangeMessage", std::move(message)}});
}

Status check_field(std::string_view name, std::int64_t value, std::int64_t most) {
  if (value >= 0 && value <= most) return Status::OK();
  return out_of_bounds(
      fmt::format("Invalid value for {} (valid values 0 - {}): {}", name, most, value));
}

Result<std::int64_t> time_of_parts(std::int32_t hour, std::int32_t minute, std::int64_t micros) {
  const std::int64_t second = micros / micros_per_second - (micros % micros_per_second < 0 ? 1 : 0);
  TRY(check_field("HourOfDay", hour, 23));
  TRY(check_field("MinuteOfHour", minute, 59));
  TRY(check_field("SecondOfMinute", second, 59));
  return (hour * 3600LL + minute * 60LL) * nanos_per_second + micros * nanos_per_micro;
}

std::optional<std::int64_t> make_time(Failure& fail, std::int32_t hour, std::int32_t minute,
                                      std::int64_t second_micros) {
  const auto nanos = time_of_parts(hour, minute, second_micros);
  if (!nanos.ok()) return fail(nanos.status());
  return *nanos;
}

// The nanoseconds of a unit; 0: it is none.
std::int64_t nanos_of_unit(std::string_view unit) {
  static constexpr std::pair<std::string_view, std::int64_t> units[] = {
      {"HOUR", 3600 * nanos_per_second},
      {"MINUTE", 60 * nanos_per_second},
      {"SECOND", nanos_per_second},
      {"MILLISECOND", 1'000'000},
      {"MICROSECOND", nanos_per_micro}};
  for (const auto& [name, nanos] : units) {
    if (equals_ignore_case(unit, name)) return nanos;
  }
  return 0;
}

Status no_unit(std::string_view function, std::string_view unit) {
  const Status status = Status::error("INVALID_PARAMETER_VALUE.TIME_UNIT",
                                      {{"functionName", "`" + std::string(function) + "`"},
                                       {"parameter", "`unit`"},
                                       {"invalidValue", quoted_text(unit)}});
  return with_kind(status, ErrorKind::illegal_argument);
}

std::optional<std::int64_t> time_trunc(Failure& fail, std::string_view unit, std::int64_t nanos) {
  const std::int64_t size = nanos_of_unit(unit);
  if (size == 0) return fail(no_unit("time_trunc", unit));
  return nanos - nanos % size;
}

std::optional<std::int64_t> time_diff(Failure& fail, std::string_view unit, std::int64_t from,
                                      std::int64_t to) {
  const std::int64_t size = nanos_of_unit(unit);
  if (size == 0) return fail(no_unit("time_diff", unit));
  return (to - from) / size;
}

std::optional<std::int64_t> checked_time(Failure& fail, Int128 nanos) {
  if (nanos >= 0 && nanos < nanos_per_day) return static_cast<std::int64_t>(nanos);
  if (nanos != static_cast<std::int64_t>(nanos))
    return fail(Status::plain(ErrorKind::arithmetic, "long overflow"));
  return fail(out_of_bounds(
      fmt::format("Invalid TIME value: must be between 00:00:00 and 23:59:59.999999999, but got {} "
                  "nanoseconds",
                  static_cast<std::int64_t>(nanos))));
}

std::optional<std::int64_t> time_of(Failure& fail, std::int64_t count, std::int64_t unit_nanos) {
  return checked_time(fail, static_cast<Int128>(count) * unit_nanos);
}

// Seconds as a plain decimal's text; what lies behind the nanoseconds is cut off.
std::optional<std::int64_t> time_of_decimal(Failure& fail, std::string_view text) {
  const bool negative = text.starts_with('-');
  constexpr Int128 beyond = static_cast<Int128>(INT64_MAX) * 10;  // an overflow, however much
  Int128 nanos = 0;
  std::int64_t unit = nanos_per_second;
  bool fraction = false;
  for (const char c : text) {
    fraction = fraction || c == '.';
    if (c < '0' || c > '9') continue;
    if (fraction) unit /= 10;
    const Int128 digit = static_cast<Int128>(c - '0') * unit;
    nanos = fraction ? nanos + digit : std::min(nanos * 10 + digit, beyond);
  }
  return checked_time(fail, negative ? -nanos : nanos);
}

std::optional<std::int64_t> time_of_double(Failure& fail, double seconds) {
  if (!std::isfinite(seconds))
    return fail(out_of_bounds("Cannot convert NaN or Infinite value to TIME"));
  const double nanos = seconds * static_cast<double>(nanos_per_second);
  constexpr auto most = static_cast<double>(INT64_MAX);
  if (nanos >= most) return checked_time(fail, INT64_MAX);
  if (nanos <= -most) return checked_time(fail, INT64_MIN);
  return checked_time(fail, static_cast<std::int64_t>(nanos));
}

// `start` and `end` are the fields of the interval's type.
std::optional<std::int64_t> time_add(Failure& fail, std::int64_t nanos, std::int64_t micros,
                                     std::int32_t start, std::int32_t end) {
  const Int128 moved = nanos + static_cast<Int128>(micros) * nanos_per_micro;
  if (moved >= 0 && moved < nanos_per_day) return static_cast<std::int64_t>(moved);
  return fail(with_kind(Status::error("DATETIME_OVERFLOW",
                                      {{"operation", fmt::format("add {} to the time value {}",
                                                                 day_time_text(micros, start, end),
                                                                 literal_of(nanos))}}),
                        ErrorKind::arithmetic));
}

std::optional<Timestamp> timestamp_of_day(Failure& fail, Date date, std::int64_t nanos,
                                          std::string_view name) {
  const auto zone = Zone::find(name);
  if (!zone.ok()) return fail(Status::error("INVALID_TIMEZONE", {{"timeZone", std::string(name)}}));
  return Timestamp{(*zone)->from_local(date.days * micros_per_day + nanos / nanos_per_micro)};
}

}  // namespace

Status register_time_kernels(duckdb_connection c) {
  TRY(add_kernel<parse_time>(c, "ms_parse_time"));
  TRY((add_kernel<parse_time, true>(c, "ms_try_parse_time")));
  TRY(add_kernel<show_time>(c, "ms_time_text"));
  TRY(add_kernel<seconds_of_time>(c, "ms_seconds_of_time"));
  TRY((add_kernel<seconds_of_time, true>(c, "ms_try_seconds_of_time")));
  TRY(add_kernel<to_time>(c, "ms_to_time"));
  TRY((add_kernel<to_time, true>(c, "ms_try_to_time")));
  TRY(add_kernel<to_time_pattern>(c, "ms_to_time_pattern"));
  TRY((add_kernel<to_time_pattern, true>(c, "ms_try_to_time_pattern")));
  TRY(add_kernel<make_time>(c, "ms_make_time"));
  TRY(add_kernel<time_trunc>(c, "ms_time_trunc"));
  TRY(add_kernel<time_diff>(c, "ms_time_diff"));
  TRY(add_kernel<time_of>(c, "ms_time_of"));
  TRY(add_kernel<time_of_decimal>(c, "ms_time_of_decimal"));
  TRY(add_kernel<time_of_double>(c, "ms_time_of_double"));
  TRY(add_kernel<time_add>(c, "ms_time_add"));
  TRY((add_kernel<time_add, true>(c, "ms_try_time_add")));
  return add_kernel<timestamp_of_day>(c, "ms_timestamp_of_day");
}

}  // namespace millstream::engine
