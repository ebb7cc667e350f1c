// Calendar intervals: months, days and microseconds, each of its own. Functions that end in _try
// give NULL where the others fail; _wrap is what Spark does without ANSI.
#include <cmath>
#include <limits>

#include "base/calendar_interval.h"
#include "base/text.h"
#include "engine/raise.h"
#include "engine/text.h"
#include "engine/value_kernel.h"
#include "engine/zone.h"

namespace millstream::engine {
namespace {

using column::TypeKind;

constexpr std::int64_t micros_per_second = 1'000'000;
constexpr std::int64_t micros_per_hour = 3600 * micros_per_second;
constexpr std::int64_t micros_per_day = 24 * micros_per_hour;

CalendarInterval interval_of(const Value& value) {
  return {value.items[0].integer, value.items[1].integer, value.items[2].integer};
}

Value value_of(const CalendarInterval& interval) {
  return list_value({integer_value(interval.months), integer_value(interval.days),
                     integer_value(interval.micros)});
}

bool fits_int(std::int64_t value) { return value == static_cast<std::int32_t>(value); }

enum class Beyond : std::uint8_t { fails, null, wraps };

Beyond beyond(const ValueKernel& kernel) {
  if (kernel.function.ends_with("_try")) return Beyond::null;
  return kernel.function.ends_with("_wrap") ? Beyond::wraps : Beyond::fails;
}

Result<Value> overflow(const ValueKernel& kernel) {
  if (beyond(kernel) == Beyond::null) return null_value();
  return arithmetic_overflow("overflow", "");
}

// Members as far as they fit; `exact`: the microseconds did.
Result<Value> checked(const ValueKernel& kernel, CalendarInterval interval, bool exact) {
  if (exact && fits_int(interval.months) && fits_int(interval.days)) return value_of(interval);
  if (beyond(kernel) != Beyond::wraps) return overflow(kernel);
  interval.months = static_cast<std::int32_t>(interval.months);
  interval.days = static_cast<std::int32_t>(interval.days);
  return value_of(interval);
}

// make_interval(years, months, weeks, days, hours, minutes, seconds)
Result<Value> make(const ValueKernel& kernel, const Values& a) {
  __int128 micros = a[6].decimal;
  micros += static_cast<__int128>(a[4].integer) * micros_per_hour;
  micros += static_cast<__int128>(a[5].integer) * 60 * micros_per_second;
  return checked(kernel,
                 {a[0].integer * 12 + a[1].integer, a[2].integer * 7 + a[3].integer,
                  static_cast<std::int64_t>(micros)},
                 micros == static_cast<std::int64_t>(micros));
}

Result<Value> add(const ValueKernel& kernel, const Values& a) {
  const CalendarInterval x = interval_of(a[0]);
  const CalendarInterval y = interval_of(a[1]);
  std::int64_t micros = 0;
  const bool lost = __builtin_add_overflow(x.micros, y.micros, &micros);
  return checked(kernel, {x.months + y.months, x.days + y.days, micros}, !lost);
}

Result<Value> subtract(const ValueKernel& kernel, const Values& a) {
  const CalendarInterval x = interval_of(a[0]);
  const CalendarInterval y = interval_of(a[1]);
  std::int64_t micros = 0;
  const bool lost = __builtin_sub_overflow(x.micros, y.micros, &micros);
  return checked(kernel, {x.months - y.months, x.days - y.days, micros}, !lost);
}

Result<Value> negate(const ValueKernel& kernel, const Values& a) {
  return subtract(kernel, {value_of({}), a[0]});
}

template <typename T>
T saturated(double value) {
  if (std::isnan(value)) return 0;
  // The largest integer is not a double: the comparison is with the power of two behind it.
  const double end = -static_cast<double>(std::numeric_limits<T>::min());
  if (value >= end) return std::numeric_limits<T>::max();
  if (value <= -end) return std::numeric_limits<T>::min();
  return static_cast<T>(value);
}

// Parts of days become time, parts of months are dropped.
Result<Value> from_parts(const ValueKernel& kernel, double months, double days, double micros) {
  constexpr double int_end = 2147483648.0;
  const bool fits = !(std::trunc(months) >= int_end || std::trunc(months) < -int_end ||
                      std::trunc(days) >= int_end || std::trunc(days) < -int_end);
  if (!fits && beyond(kernel) != Beyond::wraps) return overflow(kernel);
  const auto whole_days = saturated<std::int32_t>(days);
  const double rest = micros + (days - whole_days) * static_cast<double>(micros_per_day);
  return value_of({saturated<std::int32_t>(months), whole_days,
                   saturated<std::int64_t>(std::floor(rest + 0.5))});
}

Result<Value> multiply(const ValueKernel& kernel, const Values& a) {
  const bool first = kernel.arguments[0]->kind() == TypeKind::calendar_interval;
  const CalendarInterval x = interval_of(a[first ? 0 : 1]);
  const double by = a[first ? 1 : 0].floating;
  return from_parts(kernel, static_cast<double>(x.months) * by, static_cast<double>(x.days) * by,
                    static_cast<double>(x.micros) * by);
}

Result<Value> divide(const ValueKernel& kernel, const Values& a) {
  const CalendarInterval x = interval_of(a[0]);
  const double by = a[1].floating;
  if (by == 0) {
    if (beyond(kernel) != Beyond::fails) return null_value();
    return Status::error("INTERVAL_DIVIDED_BY_ZERO");
  }
  return from_parts(kernel, static_cast<double>(x.months) / by, static_cast<double>(x.days) / by,
                    static_cast<double>(x.micros) / by);
}

// The wall clock moved by months and then by days; false: beyond all times.
bool move_clock(std::int64_t* local, const CalendarInterval& by) {
  const std::int64_t day = *local / micros_per_day - (*local % micros_per_day < 0 ? 1 : 0);
  const Civil date = civil_of_days(day);
  const std::int64_t months = date.year * 12 + date.month - 1 + by.months;
  const std::int64_t year = months / 12 - (months % 12 < 0 ? 1 : 0);
  const int month = static_cast<int>(months - year * 12) + 1;
  const std::int64_t moved =
      days_of_civil(year, month, std::min(date.day, days_in_month(year, month))) + by.days;
  std::int64_t midnight = 0;
  return !__builtin_mul_overflow(moved, micros_per_day, &midnight) &&
         !__builtin_add_overflow(midnight, *local - day * micros_per_day, local);
}

// The interval among a moment and an interval, in either order, and the moment.
std::pair<std::int64_t, CalendarInterval> moment_and_interval(const ValueKernel& kernel,
                                                              const Values& a) {
  const bool first = kernel.arguments[0]->kind() == TypeKind::calendar_interval;
  CalendarInterval by = interval_of(a[first ? 0 : 1]);
  if (kernel.function.find("minus") != std::string::npos)
    by = {-by.months, -by.days,
          static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(by.micros))};
  return {a[first ? 1 : 0].integer, by};
}

Result<Value> move_time(const ValueKernel& kernel, const Values& a) {
  auto [time, by] = moment_and_interval(kernel, a);
  const bool zoned = kernel.result->kind() == TypeKind::timestamp;
  TRY_ASSIGN(const Zone* zone, Zone::find(zoned ? kernel.time_zone : "UTC"));
  std::int64_t local = zone->to_local(time);
  bool fits = move_clock(&local, by);
  if (fits) {
    time = zone->from_local(local);
    fits = !__builtin_add_overflow(time, by.micros, &time);
  }
  if (fits) return integer_value(time);
  if (beyond(kernel) == Beyond::null) return null_value();
  return arithmetic_overflow("long overflow", "");
}

// Time is only added to a date without ANSI, from its midnight on.
Result<Value> move_date(const ValueKernel& kernel, const Values& a) {
  const auto [day, by] = moment_and_interval(kernel, a);
  if (by.micros != 0 && beyond(kernel) == Beyond::null) return null_value();
  if (by.micros != 0 && beyond(kernel) == Beyond::fails)
    return Status::error("INVALID_INTERVAL_WITH_MICROSECONDS_ADDITION");
  std::int64_t local = day * micros_per_day;
  const bool fits = move_clock(&local, by) && !__builtin_add_overflow(local, by.micros, &local);
  if (!fits && beyond(kernel) == Beyond::null) return null_value();
  if (!fits) return arithmetic_overflow("integer overflow", "");
  return integer_value(local / micros_per_day - (local % micros_per_day < 0 ? 1 : 0));
}

// extract(field FROM interval), the field in the function's name.
Result<Value> field(const ValueKernel& kernel, const Values& a) {
  const CalendarInterval x = interval_of(a[1]);
  const std::string& name = kernel.function;
  if (name.ends_with("_year")) return integer_value(x.months / 12);
  if (name.ends_with("_month")) return integer_value(x.months % 12);
  if (name.ends_with("_day")) return integer_value(x.days);
  if (name.ends_with("_hour")) return integer_value(x.micros % micros_per_day / micros_per_hour);
  if (name.ends_with("_minute"))
    return integer_value(x.micros % micros_per_hour / (60 * micros_per_second));
  Value seconds;
  seconds.kind = Value::Kind::decimal;
  seconds.decimal = x.micros % (60 * micros_per_second);
  return seconds;
}

Result<Value> text(const ValueKernel&, const Values& a) {
  const CalendarInterval x = interval_of(a[0]);
  return text_value(calendar_text(x.months, x.days, x.micros));
}

// What is no interval is NULL in every mode.
Result<Value> parse(const ValueKernel&, const Values& a) {
  const auto interval = parse_interval(a[0].text);
  if (!interval.ok() || !fits_int(interval->months) || !fits_int(interval->days))
    return null_value();
  return value_of(*interval);
}

}  // namespace

std::span<const ValueFunction> calendar_functions() {
  static const ValueFunction functions[] = {{"calendar_make", make},
                                            {"calendar_make_try", make},
                                            {"calendar_add", add},
                                            {"calendar_add_try", add},
                                            {"calendar_add_wrap", add},
                                            {"calendar_subtract", subtract},
                                            {"calendar_subtract_try", subtract},
                                            {"calendar_subtract_wrap", subtract},
                                            {"calendar_negate", negate},
                                            {"calendar_negate_wrap", negate},
                                            {"calendar_multiply", multiply},
                                            {"calendar_multiply_try", multiply},
                                            {"calendar_multiply_wrap", multiply},
                                            {"calendar_divide", divide},
                                            {"calendar_divide_try", divide},
                                            {"calendar_divide_wrap", divide},
                                            {"calendar_plus_time", move_time},
                                            {"calendar_plus_time_try", move_time},
                                            {"calendar_minus_time", move_time},
                                            {"calendar_minus_time_try", move_time},
                                            {"calendar_plus_date", move_date},
                                            {"calendar_plus_date_try", move_date},
                                            {"calendar_plus_date_wrap", move_date},
                                            {"calendar_minus_date", move_date},
                                            {"calendar_minus_date_try", move_date},
                                            {"calendar_minus_date_wrap", move_date},
                                            {"calendar_field_year", field},
                                            {"calendar_field_month", field},
                                            {"calendar_field_day", field},
                                            {"calendar_field_hour", field},
                                            {"calendar_field_minute", field},
                                            {"calendar_field_second", field},
                                            {"calendar_text", text},
                                            {"calendar_parse", parse}};
  return functions;
}

}  // namespace millstream::engine
