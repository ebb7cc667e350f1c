// Functions of dates and times. Timestamps are UTC micros; those that show a wall clock are told
// the zone.
#include <cmath>
#include <limits>

#include "base/text.h"
#include "engine/java_pattern.h"
#include "engine/kernels.h"
#include "engine/raise.h"
#include "engine/text.h"
#include "engine/zone.h"

namespace millstream::engine {
namespace {

constexpr std::int64_t micros_per_second = 1000000;
constexpr std::int64_t micros_per_day = 86400 * micros_per_second;

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

std::optional<Timestamp> to_local(Failure& fail, Timestamp value, std::string_view name) {
  const auto zone = Zone::find(name);
  if (!zone.ok()) return fail(zone.status());
  return Timestamp{(*zone)->to_local(value.micros)};
}

std::optional<Timestamp> from_local(Failure& fail, Timestamp value, std::string_view name) {
  const auto zone = Zone::find(name);
  if (!zone.ok()) return fail(zone.status());
  return Timestamp{(*zone)->from_local(value.micros)};
}

std::optional<std::int64_t> epoch_seconds(Failure&, Timestamp value) {
  return floor_div(value.micros, micros_per_second);
}

std::optional<Timestamp> timestamp_of(Failure& fail, std::int64_t value, std::int64_t scale) {
  std::int64_t micros;
  if (__builtin_mul_overflow(value, scale, &micros))
    return fail(Status::plain(ErrorKind::arithmetic, "long overflow"));
  return Timestamp{micros};
}

// A cast of seconds stops at the ends.
std::optional<Timestamp> timestamp_of_seconds(Failure&, std::int64_t value) {
  std::int64_t micros;
  if (__builtin_mul_overflow(value, micros_per_second, &micros))
    micros = value < 0 ? std::numeric_limits<std::int64_t>::min()
                       : std::numeric_limits<std::int64_t>::max();
  return Timestamp{micros};
}

// from_unixtime looks at no overflow.
std::optional<Timestamp> timestamp_wrapped(Failure&, std::int64_t value) {
  return Timestamp{static_cast<std::int64_t>(static_cast<std::uint64_t>(value) *
                                             static_cast<std::uint64_t>(micros_per_second))};
}

// With Wrap the nearest time stands for one that does not fit, and NULL for what is no number.
template <bool Wrap>
std::optional<Timestamp> timestamp_of_double(Failure& fail, double value) {
  if (!std::isfinite(value) && Wrap) return std::nullopt;
  if (!std::isfinite(value)) {
    return fail(with_kind(
        Status::error("CAST_INVALID_INPUT", {{"expression", double_text(value)},
                                             {"sourceType", "\"DOUBLE\""},
                                             {"targetType", "\"TIMESTAMP\""},
                                             {"ansiConfig", "\"spark.sql.ansi.enabled\""}}),
        ErrorKind::date_time));
  }
  const double micros = value * 1e6;
  constexpr double micros_end = 9.2233720368547758e18;
  if (Wrap && std::fabs(micros) >= micros_end) {
    return Timestamp{micros < 0 ? std::numeric_limits<std::int64_t>::min()
                                : std::numeric_limits<std::int64_t>::max()};
  }
  if (std::fabs(micros) >= micros_end)
    return fail(cast_overflow(double_text(value) + "D", "DOUBLE", "TIMESTAMP"));
  return Timestamp{static_cast<std::int64_t>(micros)};
}

std::optional<Date> date_of(Failure& fail, std::int64_t days) {
  if (days < std::numeric_limits<std::int32_t>::min() ||
      days > std::numeric_limits<std::int32_t>::max()) {
    return fail(arithmetic_overflow("integer overflow", ""));
  }
  return Date{static_cast<std::int32_t>(days)};
}

std::optional<Date> date_add(Failure& fail, Date date, std::int64_t days) {
  return date_of(fail, date.days + days);
}

std::int64_t add_months_to(std::int64_t days, std::int64_t months) {
  const Civil date = civil_of_days(days);
  const std::int64_t total = date.year * 12 + (date.month - 1) + months;
  const std::int64_t year = floor_div(total, 12);
  const auto month = static_cast<int>(total - year * 12) + 1;
  return days_of_civil(year, month, std::min(date.day, days_in_month(year, month)));
}

std::optional<Date> add_months(Failure& fail, Date date, std::int32_t months) {
  return date_of(fail, add_months_to(date.days, months));
}

Status long_overflow() { return Status::plain(ErrorKind::arithmetic, "long overflow"); }

// Whole days move the wall clock, the rest is time that passes.
std::optional<Timestamp> add_interval(Failure& fail, Timestamp value, std::int64_t interval,
                                      std::string_view name) {
  const auto zone = Zone::find(name);
  if (!zone.ok()) return fail(zone.status());
  const std::int64_t days = interval / micros_per_day;
  std::int64_t moved = value.micros;
  if (days != 0) {
    if (__builtin_add_overflow((*zone)->to_local(moved), days * micros_per_day, &moved))
      return fail(long_overflow());
    moved = (*zone)->from_local(moved);
  }
  if (__builtin_add_overflow(moved, interval % micros_per_day, &moved))
    return fail(long_overflow());
  return Timestamp{moved};
}

std::optional<Timestamp> add_months_interval(Failure& fail, Timestamp value, std::int32_t months,
                                             std::string_view name) {
  const auto zone = Zone::find(name);
  if (!zone.ok()) return fail(zone.status());
  const std::int64_t local = (*zone)->to_local(value.micros);
  const std::int64_t days = floor_div(local, micros_per_day);
  std::int64_t moved = 0;
  if (__builtin_mul_overflow(add_months_to(days, months), micros_per_day, &moved) ||
      __builtin_add_overflow(moved, local - days * micros_per_day, &moved))
    return fail(long_overflow());
  return Timestamp{(*zone)->from_local(moved)};
}

// Of days in the zone, and of the seconds that have passed in them.
std::optional<double> months_between(Failure& fail, Timestamp a, Timestamp b, bool round_off,
                                     std::string_view name) {
  const auto zone = Zone::find(name);
  if (!zone.ok()) return fail(zone.status());
  const std::int64_t days_a = floor_div((*zone)->to_local(a.micros), micros_per_day);
  const std::int64_t days_b = floor_div((*zone)->to_local(b.micros), micros_per_day);
  const Civil x = civil_of_days(days_a);
  const Civil y = civil_of_days(days_b);
  const auto months = static_cast<double>((x.year - y.year) * 12 + x.month - y.month);
  const bool last_a = x.day == days_in_month(x.year, x.month);
  const bool last_b = y.day == days_in_month(y.year, y.month);
  if (x.day == y.day || (last_a && last_b)) return months;
  const auto seconds_of = [&](std::int64_t micros, std::int64_t days) {
    return floor_div(micros - (*zone)->from_local(days * micros_per_day), micros_per_second);
  };
  const std::int64_t seconds_a = seconds_of(a.micros, days_a);
  const std::int64_t seconds_b = seconds_of(b.micros, days_b);
  const std::int64_t difference = (x.day - y.day) * 86400LL + seconds_a - seconds_b;
  const double result = months + static_cast<double>(difference) / (31.0 * 86400.0);
  return round_off ? std::round(result * 1e8) / 1e8 : result;
}

std::optional<Date> next_day(Failure& fail, Date date, std::string_view name) {
  static constexpr std::string_view names[] = {"MONDAY", "TUESDAY",  "WEDNESDAY", "THURSDAY",
                                               "FRIDAY", "SATURDAY", "SUNDAY"};
  const std::string upper = to_upper(trim(name));
  for (int i = 0; i < 7; ++i) {
    if (upper != names[i] && upper != names[i].substr(0, 3) && upper != names[i].substr(0, 2))
      continue;
    const int today = ((date.days + 3) % 7 + 7) % 7;
    const int ahead = ((i - today) % 7 + 7) % 7;
    return date_of(fail, static_cast<std::int64_t>(date.days) + (ahead == 0 ? 7 : ahead));
  }
  return fail(Status::error("ILLEGAL_DAY_OF_WEEK", {{"string", std::string(name)}}));
}

// Days of start, start + step, … up to stop; each counted from the start, so that month ends do not
// drift.
std::optional<Longs> sequence_months(Failure& fail, Date start, Date stop, std::int32_t step) {
  Longs out;
  if (step == 0)
    return fail(
        Status::error("_LEGACY_ERROR_TEMP_3242", {{"intervalType", "interval year to month"}}));
  if ((step > 0 && start.days > stop.days) || (step < 0 && start.days < stop.days)) {
    if (start.days != stop.days) {
      return fail(Status::invalid("requirement failed: Illegal sequence boundaries: {} to {} by {}",
                                  start.days, stop.days, step));
    }
    out.items.push_back(start.days);
    return out;
  }
  for (std::int64_t i = 0;; ++i) {
    const std::int64_t days = add_months_to(start.days, i * step);
    if (step > 0 ? days > stop.days : days < stop.days) return out;
    out.items.push_back(days);
  }
}

enum class Unit {
  none,
  year,
  quarter,
  month,
  week,
  day,
  hour,
  minute,
  second,
  millisecond,
  microsecond
};

Unit unit_of(std::string_view text) {
  static constexpr std::pair<std::string_view, Unit> units[] = {{"YEAR", Unit::year},
                                                                {"YYYY", Unit::year},
                                                                {"YY", Unit::year},
                                                                {"QUARTER", Unit::quarter},
                                                                {"MONTH", Unit::month},
                                                                {"MON", Unit::month},
                                                                {"MM", Unit::month},
                                                                {"WEEK", Unit::week},
                                                                {"DAY", Unit::day},
                                                                {"DD", Unit::day},
                                                                {"HOUR", Unit::hour},
                                                                {"MINUTE", Unit::minute},
                                                                {"SECOND", Unit::second},
                                                                {"MILLISECOND", Unit::millisecond},
                                                                {"MICROSECOND", Unit::microsecond}};
  for (const auto& [name, unit] : units) {
    if (equals_ignore_case(text, name)) return unit;
  }
  return Unit::none;
}

std::int64_t trunc_days(std::int64_t days, Unit unit) {
  const Civil date = civil_of_days(days);
  switch (unit) {
    case Unit::year:
      return days_of_civil(date.year, 1, 1);
    case Unit::quarter:
      return days_of_civil(date.year, (date.month - 1) / 3 * 3 + 1, 1);
    case Unit::month:
      return days_of_civil(date.year, date.month, 1);
    case Unit::week:
      return days - ((days + 3) % 7 + 7) % 7;
    default:
      return days;
  }
}

std::optional<Date> trunc_date(Failure& fail, Date date, std::string_view text) {
  const Unit unit = unit_of(text);
  if (unit == Unit::none || unit >= Unit::day) return std::nullopt;
  return date_of(fail, trunc_days(date.days, unit));
}

std::optional<Timestamp> date_trunc(Failure& fail, std::string_view text, Timestamp value,
                                    std::string_view name) {
  const Unit unit = unit_of(text);
  if (unit == Unit::none) return std::nullopt;
  const auto zone = Zone::find(name);
  if (!zone.ok()) return fail(zone.status());
  const auto cut = [&](std::int64_t micros, std::int64_t size) {
    return floor_div(micros, size) * size;
  };
  switch (unit) {
    case Unit::microsecond:
      return value;
    case Unit::millisecond:
      return Timestamp{cut(value.micros, 1000)};
    case Unit::second:
      return Timestamp{cut(value.micros, micros_per_second)};
    case Unit::minute:
    case Unit::hour: {
      // By the offset that holds now: an hour that comes twice stays the one it is.
      const std::int64_t local = (*zone)->to_local(value.micros);
      return Timestamp{value.micros -
                       (local - cut(local, unit == Unit::hour ? 3600 * micros_per_second
                                                              : 60 * micros_per_second))};
    }
    default:
      break;
  }
  const std::int64_t days = floor_div((*zone)->to_local(value.micros), micros_per_day);
  return Timestamp{(*zone)->from_local(trunc_days(days, unit) * micros_per_day)};
}

std::optional<std::string> date_format(Failure& fail, Timestamp value, std::string_view pattern,
                                       std::string_view name) {
  const auto zone = Zone::find(name);
  if (!zone.ok()) return fail(zone.status());
  const auto compiled = JavaPattern::get(pattern, false);
  if (!compiled.ok()) return fail(compiled.status());
  auto text = (*compiled)->format(value.micros, **zone, name);
  if (!text.ok()) return fail(text.status());
  return *text;
}

// With Null a text that does not fit its pattern is NULL; a pattern that is none is an error.
template <bool Null>
std::optional<std::int64_t> parse_pattern(Failure& fail, std::string_view text,
                                          std::string_view pattern, std::string_view name,
                                          std::string_view alternative) {
  const auto zone = Zone::find(name);
  if (!zone.ok()) return fail(zone.status());
  const auto compiled = JavaPattern::get(pattern, true);
  if (!compiled.ok()) return fail(compiled.status());
  const auto parsed = (*compiled)->parse(text, **zone);
  if (!parsed.ok()) return fail(parsed.status());
  if (parsed->problem.empty()) return parsed->utc_micros;
  if (Null) return std::nullopt;
  return fail(Status::error(
      "CANNOT_PARSE_TIMESTAMP",
      {{"message", parsed->problem}, {"func", "`" + std::string(alternative) + "`"}}));
}

template <bool Null>
std::optional<Timestamp> parse_timestamp_pattern(Failure& fail, std::string_view text,
                                                 std::string_view pattern, std::string_view zone) {
  const auto micros = parse_pattern<Null>(fail, text, pattern, zone, "try_to_timestamp");
  if (!micros) return std::nullopt;
  return Timestamp{*micros};
}

template <bool Null>
std::optional<Date> parse_date_pattern(Failure& fail, std::string_view text,
                                       std::string_view pattern, std::string_view name) {
  const auto micros = parse_pattern<Null>(fail, text, pattern, name, "try_to_date");
  if (!micros) return std::nullopt;
  const auto zone = Zone::find(name);
  return date_of(fail, floor_div((*zone)->to_local(*micros), micros_per_day));
}

template <bool Null>
std::optional<std::int64_t> unix_parse(Failure& fail, std::string_view text,
                                       std::string_view pattern, std::string_view zone) {
  const auto micros = parse_pattern<Null>(fail, text, pattern, zone, "try_to_timestamp");
  if (!micros) return std::nullopt;
  return floor_div(*micros, micros_per_second);
}

std::optional<Date> make_date(Failure& fail, std::int32_t year, std::int32_t month,
                              std::int32_t dom) {
  constexpr std::int32_t year_max = 999'999'999;
  const auto out_of_range = [&](std::string message) {
    return fail(Status::error(
        "DATETIME_FIELD_OUT_OF_BOUNDS.WITH_SUGGESTION",
        {{"rangeMessage", std::move(message)}, {"ansiConfig", "\"spark.sql.ansi.enabled\""}}));
  };
  if (year < -year_max || year > year_max)
    return out_of_range(
        fmt::format("Invalid value for Year (valid values -999999999 - 999999999): {}", year));
  if (month < 1 || month > 12)
    return out_of_range(
        fmt::format("Invalid value for MonthOfYear (valid values 1 - 12): {}", month));
  if (dom < 1 || dom > 31)
    return out_of_range(
        fmt::format("Invalid value for DayOfMonth (valid values 1 - 28/31): {}", dom));
  if (dom > days_in_month(year, month)) {
    static constexpr std::string_view names[] = {"JANUARY",   "FEBRUARY", "MARCH",    "APRIL",
                                                 "MAY",       "JUNE",     "JULY",     "AUGUST",
                                                 "SEPTEMBER", "OCTOBER",  "NOVEMBER", "DECEMBER"};
    if (dom == 29)
      return out_of_range(
          fmt::format("Invalid date 'February 29' as '{}' is not a leap year", year));
    return out_of_range(fmt::format("Invalid date '{} {}'", names[month - 1], dom));
  }
  return date_of(fail, days_of_civil(year, month, dom));
}

}  // namespace

Status register_datetime_kernels(duckdb_connection c) {
  TRY(add_kernel<to_local>(c, "ms_to_local"));
  TRY(add_kernel<from_local>(c, "ms_from_local"));
  TRY(add_kernel<epoch_seconds>(c, "ms_epoch_seconds"));
  TRY(add_kernel<timestamp_of>(c, "ms_timestamp_of"));
  TRY(add_kernel<timestamp_of_double<false>>(c, "ms_timestamp_of_double"));
  TRY(add_kernel<timestamp_of_double<true>>(c, "ms_wrap_timestamp_of_double"));
  TRY((add_kernel<timestamp_of_double<false>, true>(c, "ms_try_timestamp_of_double")));
  TRY(add_kernel<date_add>(c, "ms_date_add"));
  TRY(add_kernel<add_months>(c, "ms_add_months"));
  TRY(add_kernel<add_interval>(c, "ms_timestamp_add_interval"));
  TRY(add_kernel<add_months_interval>(c, "ms_timestamp_add_months"));
  TRY(add_kernel<months_between>(c, "ms_months_between"));
  TRY(add_kernel<sequence_months>(c, "ms_sequence_months"));
  TRY(add_kernel<next_day>(c, "ms_next_day"));
  TRY(add_kernel<trunc_date>(c, "ms_trunc_date"));
  TRY(add_kernel<date_trunc>(c, "ms_date_trunc"));
  TRY(add_kernel<date_format>(c, "ms_date_format"));
  TRY((add_kernel<next_day, true>(c, "ms_try_next_day")));
  TRY((add_kernel<date_add, true>(c, "ms_try_date_add")));
  TRY((add_kernel<add_months, true>(c, "ms_try_add_months")));
  TRY((add_kernel<add_interval, true>(c, "ms_try_timestamp_add_interval")));
  TRY((add_kernel<add_months_interval, true>(c, "ms_try_timestamp_add_months")));
  TRY(add_kernel<timestamp_wrapped>(c, "ms_timestamp_wrapped"));
  TRY(add_kernel<timestamp_of_seconds>(c, "ms_timestamp_of_seconds"));
  TRY(add_kernel<parse_timestamp_pattern<false>>(c, "ms_parse_timestamp"));
  TRY(add_kernel<parse_timestamp_pattern<true>>(c, "ms_try_parse_timestamp"));
  TRY(add_kernel<parse_date_pattern<false>>(c, "ms_parse_date"));
  TRY(add_kernel<parse_date_pattern<true>>(c, "ms_try_parse_date"));
  TRY(add_kernel<unix_parse<false>>(c, "ms_unix_parse"));
  TRY(add_kernel<unix_parse<true>>(c, "ms_try_unix_parse"));
  TRY((add_kernel<make_date, true>(c, "ms_try_make_date")));
  return add_kernel<make_date>(c, "ms_make_date");
}

}  // namespace millstream::engine
