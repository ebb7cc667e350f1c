// Timestamps and intervals made from their parts, and differences in calendar units.
#include <array>
#include <cstdlib>
#include <limits>

#include "base/text.h"
#include "engine/interval_kernels.h"
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

Status out_of_bounds(std::string message) {
  return Status::error(
      "DATETIME_FIELD_OUT_OF_BOUNDS.WITH_SUGGESTION",
      {{"rangeMessage", std::move(message)}, {"ansiConfig", "\"spark.sql.ansi.enabled\""}});
}

Status check_field(std::string_view name, std::int64_t value, std::int64_t low, std::int64_t high,
                   std::string_view range) {
  if (value >= low && value <= high) return Status::OK();
  return out_of_bounds(
      fmt::format("Invalid value for {} (valid values {}): {}", name, range, value));
}

Status check_day(std::int32_t year, std::int32_t month, std::int32_t day) {
  TRY(check_field("Year", year, -999999999, 999999999, "-999999999 - 999999999"));
  TRY(check_field("MonthOfYear", month, 1, 12, "1 - 12"));
  TRY(check_field("DayOfMonth", day, 1, 31, "1 - 28/31"));
  if (day <= days_in_month(year, month)) return Status::OK();
  static constexpr std::string_view names[] = {"JANUARY",   "FEBRUARY", "MARCH",    "APRIL",
                                               "MAY",       "JUNE",     "JULY",     "AUGUST",
                                               "SEPTEMBER", "OCTOBER",  "NOVEMBER", "DECEMBER"};
  if (day == 29)
    return out_of_bounds(
        fmt::format("Invalid date 'February 29' as '{}' is not a leap year", year));
  return out_of_bounds(fmt::format("Invalid date '{} {}'", names[month - 1], day));
}

// The wall clock of the parts. Second 60 is second 0 of the next minute.
Result<std::int64_t> wall_clock(std::int32_t year, std::int32_t month, std::int32_t day,
                                std::int32_t hour, std::int32_t minute,
                                std::int64_t second_micros) {
  const std::int64_t second = floor_div(second_micros, micros_per_second);
  if (second_micros > 60 * micros_per_second || second_micros < 0) {
    if (second_micros < 0 || second > 60)
      TRY(check_field("SecondOfMinute", second, 0, 59, "0 - 59"));
    std::string text = decimal_text(std::to_string(second_micros), 6);
    text.erase(text.find_last_not_of('0') + 1);
    return Status::error("INVALID_FRACTION_OF_SECOND", {{"secAndMicros", text}});
  }
  TRY(check_day(year, month, day));
  TRY(check_field("HourOfDay", hour, 0, 23, "0 - 23"));
  TRY(check_field("MinuteOfHour", minute, 0, 59, "0 - 59"));
  return days_of_civil(year, month, day) * micros_per_day +
         (hour * 3600LL + minute * 60LL) * micros_per_second + second_micros;
}

// With Null parts that make no time are NULL; a zone that is none is an error.
template <bool Null>
std::optional<Timestamp> make_timestamp(Failure& fail, std::int32_t year, std::int32_t month,
                                        std::int32_t day, std::int32_t hour, std::int32_t minute,
                                        std::int64_t second_micros, std::string_view zone_name) {
  const auto local = wall_clock(year, month, day, hour, minute, second_micros);
  const auto zone = Zone::find(zone_name);
  if (!zone.ok())
    return fail(Status::error("INVALID_TIMEZONE", {{"timeZone", std::string(zone_name)}}));
  if (!local.ok() && Null) return std::nullopt;
  if (!local.ok()) return fail(local.status());
  return Timestamp{(*zone)->from_local(*local)};
}

Status interval_overflow() {
  return Status::error("INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION");
}

std::optional<std::int32_t> make_ym_interval(Failure& fail, std::int32_t years,
                                             std::int32_t months) {
  const std::int64_t total = static_cast<std::int64_t>(years) * 12 + months;
  if (total != static_cast<std::int32_t>(total)) return fail(interval_overflow());
  return static_cast<std::int32_t>(total);
}

std::optional<std::int64_t> make_dt_interval(Failure& fail, std::int32_t days, std::int32_t hours,
                                             std::int32_t minutes, std::int64_t second_micros) {
  const Int128 total =
      static_cast<Int128>(days) * micros_per_day +
      (static_cast<Int128>(hours) * 3600 + static_cast<Int128>(minutes) * 60) * micros_per_second +
      second_micros;
  if (total != static_cast<std::int64_t>(total)) return fail(interval_overflow());
  return static_cast<std::int64_t>(total);
}

enum class Unit {
  none,
  microsecond,
  millisecond,
  second,
  minute,
  hour,
  day,
  week,
  month,
  quarter,
  year
};

Unit unit_of(std::string_view text) {
  static constexpr std::pair<std::string_view, Unit> units[] = {{"MICROSECOND", Unit::microsecond},
                                                                {"MILLISECOND", Unit::millisecond},
                                                                {"SECOND", Unit::second},
                                                                {"MINUTE", Unit::minute},
                                                                {"HOUR", Unit::hour},
                                                                {"DAY", Unit::day},
                                                                {"DAYOFYEAR", Unit::day},
                                                                {"WEEK", Unit::week},
                                                                {"MONTH", Unit::month},
                                                                {"QUARTER", Unit::quarter},
                                                                {"YEAR", Unit::year}};
  for (const auto& [name, unit] : units) {
    if (equals_ignore_case(text, name)) return unit;
  }
  return Unit::none;
}

std::int64_t micros_of(Unit unit) {
  static constexpr std::array<std::int64_t, 8> sizes = {1,
                                                        1,
                                                        1000,
                                                        micros_per_second,
                                                        60 * micros_per_second,
                                                        3600 * micros_per_second,
                                                        micros_per_day,
                                                        7 * micros_per_day};
  return sizes[static_cast<std::size_t>(unit)];
}

int months_of(Unit unit) { return unit == Unit::month ? 1 : unit == Unit::quarter ? 3 : 12; }

// Whole months from one wall clock to another.
std::int64_t months_between(std::int64_t from, std::int64_t to) {
  const std::int64_t from_days = floor_div(from, micros_per_day);
  const std::int64_t to_days = floor_div(to, micros_per_day);
  const Civil a = civil_of_days(from_days);
  const Civil b = civil_of_days(to_days);
  std::int64_t months = (b.year - a.year) * 12 + b.month - a.month;
  const auto within = [](const Civil& date, std::int64_t clock, std::int64_t days) {
    return date.day * micros_per_day + (clock - days * micros_per_day);
  };
  const std::int64_t rest = within(b, to, to_days) - within(a, from, from_days);
  if (months > 0 && rest < 0) --months;
  if (months < 0 && rest > 0) ++months;
  return months;
}

std::optional<std::int64_t> timestamp_diff(Failure& fail, std::string_view unit_name,
                                           Timestamp from, Timestamp to,
                                           std::string_view zone_name) {
  const auto zone = Zone::find(zone_name);
  if (!zone.ok()) return fail(zone.status());
  const Unit unit = unit_of(unit_name);
  const std::int64_t a = (*zone)->to_local(from.micros);
  const std::int64_t b = (*zone)->to_local(to.micros);
  if (unit < Unit::month) return (b - a) / micros_of(unit);
  return months_between(a, b) / months_of(unit);
}

// Months and days move the wall clock, shorter units are time that passes.
std::optional<Timestamp> timestamp_add(Failure& fail, std::string_view unit_name,
                                       std::int64_t count, Timestamp time,
                                       std::string_view zone_name) {
  const auto zone = Zone::find(zone_name);
  if (!zone.ok()) return fail(zone.status());
  const Unit unit = unit_of(unit_name);
  const auto overflow = [&] {
    const std::string text = timestamp_text((*zone)->to_local(time.micros));
    return fail(
        with_kind(Status::error("DATETIME_OVERFLOW",
                                {{"operation", fmt::format("add {}L {} to TIMESTAMP '{}'", count,
                                                           to_upper(unit_name), text)}}),
                  ErrorKind::arithmetic));
  };
  if (unit >= Unit::month) {
    const std::int64_t local = (*zone)->to_local(time.micros);
    const std::int64_t days = floor_div(local, micros_per_day);
    const Civil date = civil_of_days(days);
    std::int64_t months = 0;
    if (__builtin_mul_overflow(count, months_of(unit), &months) ||
        std::abs(months) > 12LL * 1000000)
      return overflow();
    months += date.year * 12 + date.month - 1;
    const std::int64_t year = floor_div(months, 12);
    const int month = static_cast<int>(months - year * 12) + 1;
    std::int64_t moved = days_of_civil(year, month, std::min(date.day, days_in_month(year, month)));
    if (__builtin_mul_overflow(moved, micros_per_day, &moved) ||
        __builtin_add_overflow(moved, local - days * micros_per_day, &moved))
      return overflow();
    return Timestamp{(*zone)->from_local(moved)};
  }
  std::int64_t step = 0;
  std::int64_t moved = unit < Unit::day ? time.micros : (*zone)->to_local(time.micros);
  if (__builtin_mul_overflow(count, micros_of(unit), &step) ||
      __builtin_add_overflow(moved, step, &moved))
    return overflow();
  return Timestamp{unit < Unit::day ? moved : (*zone)->from_local(moved)};
}

// A wall clock in one zone as the wall clock in another at the same instant.
std::optional<Timestamp> convert_timezone(Failure& fail, std::string_view from, std::string_view to,
                                          Timestamp local) {
  const auto source = Zone::find(from);
  if (!source.ok())
    return fail(Status::error("INVALID_TIMEZONE", {{"timeZone", std::string(from)}}));
  const auto target = Zone::find(to);
  if (!target.ok()) return fail(Status::error("INVALID_TIMEZONE", {{"timeZone", std::string(to)}}));
  return Timestamp{(*target)->to_local((*source)->from_local(local.micros))};
}

// A moment so many days and microseconds after another: days as the wall clock of the zone counts.
std::optional<Timestamp> days_and_micros_after(Failure& fail, Timestamp start, Int128 micros,
                                               std::string_view zone_name) {
  if (micros != static_cast<std::int64_t>(micros))
    return fail(arithmetic_overflow("long overflow", ""));
  const auto span = static_cast<std::int64_t>(micros);
  const auto day = timestamp_add(fail, "DAY", span / micros_per_day, start, zone_name);
  if (!day) return std::nullopt;
  return timestamp_add(fail, "MICROSECOND", span % micros_per_day, *day, zone_name);
}

// time_bucket: the start of the bucket of `size` that holds `time`, one beginning at `origin`.
// Sizes of a day and more follow the zone's wall clock.
std::optional<Timestamp> bucket(Failure& fail, std::int64_t size, Timestamp time, Timestamp origin,
                                std::string_view zone_name) {
  if (size <= 0) return fail(Status::invalid("the size of a time bucket must be positive"));
  Int128 number = Int128{time.micros} - origin.micros;
  number = number / size - (number % size < 0 ? 1 : 0);
  if (size < micros_per_day)
    return Timestamp{static_cast<std::int64_t>(origin.micros + number * size)};
  const auto start = [&](Int128 n) {
    return days_and_micros_after(fail, origin, n * size, zone_name);
  };
  const auto guessed = start(number);
  if (!guessed) return std::nullopt;
  if (guessed->micros > time.micros) return start(number - 1);
  const auto next = start(number + 1);
  if (!next) return std::nullopt;
  return next->micros <= time.micros ? next : guessed;
}

// The same of a size in months.
std::optional<Timestamp> bucket_months(Failure& fail, std::int32_t size, Timestamp time,
                                       Timestamp origin, std::string_view zone_name) {
  if (size <= 0) return fail(Status::invalid("the size of a time bucket must be positive"));
  const auto zone = Zone::find(zone_name);
  if (!zone.ok()) return fail(zone.status());
  const auto month_of = [&](Timestamp t) {
    const Civil date = civil_of_days(floor_div((*zone)->to_local(t.micros), micros_per_day));
    return date.year * 12 + date.month;
  };
  const std::int64_t number = floor_div(month_of(time) - month_of(origin), size);
  const auto guessed = timestamp_add(fail, "MONTH", number * size, origin, zone_name);
  if (!guessed || guessed->micros <= time.micros) return guessed;
  return timestamp_add(fail, "MONTH", (number - 1) * size, origin, zone_name);
}

// Without an origin buckets begin at the epoch's midnight in the zone.
std::optional<Timestamp> epoch(Failure& fail, std::string_view zone_name) {
  const auto zone = Zone::find(zone_name);
  if (!zone.ok()) return fail(zone.status());
  return Timestamp{(*zone)->from_local(0)};
}

std::optional<Timestamp> bucket_of_epoch(Failure& fail, std::int64_t size, Timestamp time,
                                         std::string_view zone_name) {
  const auto origin = epoch(fail, zone_name);
  return origin ? bucket(fail, size, time, *origin, zone_name) : std::nullopt;
}

std::optional<Timestamp> bucket_months_of_epoch(Failure& fail, std::int32_t size, Timestamp time,
                                                std::string_view zone_name) {
  const auto origin = epoch(fail, zone_name);
  return origin ? bucket_months(fail, size, time, *origin, zone_name) : std::nullopt;
}

// Timestamps from `start` to `stop` by months and micros, each counted from the start.
std::optional<Longs> sequence_times(Failure& fail, Timestamp start, Timestamp stop,
                                    std::int32_t months, std::int64_t micros,
                                    std::string_view zone_name) {
  const std::int64_t sign = months != 0 ? months : micros;
  Longs out;
  if (sign == 0 || (sign > 0 && start.micros > stop.micros) ||
      (sign < 0 && start.micros < stop.micros)) {
    if (start.micros == stop.micros) {
      out.items.push_back(start.micros);
      return out;
    }
    return fail(Status::invalid("requirement failed: Illegal sequence boundaries: {} to {} by {}",
                                start.micros, stop.micros, sign));
  }
  constexpr std::int64_t elements_max = 1 << 24;
  for (std::int64_t i = 0;; ++i) {
    std::optional<Timestamp> next = start;
    if (months != 0) {
      next = timestamp_add(fail, "MONTH", i * months, start, zone_name);
    } else {
      next = timestamp_add(fail, "DAY", i * (micros / micros_per_day), start, zone_name);
      if (next) {
        next = timestamp_add(fail, "MICROSECOND", i * (micros % micros_per_day), *next, zone_name);
      }
    }
    if (!next) return std::nullopt;
    if (sign > 0 ? next->micros > stop.micros : next->micros < stop.micros) return out;
    if (i > elements_max)
      return fail(Status::invalid("Too long sequence: more than {}", elements_max));
    out.items.push_back(next->micros);
  }
}

}  // namespace

Status register_make_time_kernels(duckdb_connection c) {
  TRY(add_kernel<make_timestamp<false>>(c, "ms_make_timestamp"));
  TRY((add_kernel<make_timestamp<false>, true>(c, "ms_try_make_timestamp")));
  TRY(add_kernel<make_timestamp<true>>(c, "ms_null_make_timestamp"));
  TRY(add_kernel<make_ym_interval>(c, "ms_make_ym_interval"));
  TRY(add_kernel<make_dt_interval>(c, "ms_make_dt_interval"));
  TRY(add_kernel<timestamp_diff>(c, "ms_timestamp_diff"));
  TRY(add_kernel<timestamp_add>(c, "ms_timestamp_add"));
  TRY(add_kernel<convert_timezone>(c, "ms_convert_timezone"));
  TRY(register_interval_kernels(c));
  TRY(register_interval_texts(c));
  TRY(add_kernel<bucket>(c, "ms_timestamp_bucket"));
  TRY(add_kernel<bucket_of_epoch>(c, "ms_timestamp_bucket_epoch"));
  TRY(add_kernel<bucket_months>(c, "ms_timestamp_bucket_months"));
  TRY(add_kernel<bucket_months_of_epoch>(c, "ms_timestamp_bucket_months_epoch"));
  return add_kernel<sequence_times>(c, "ms_sequence_times");
}

}  // namespace millstream::engine
