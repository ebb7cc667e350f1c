#include "format/calendar.h"

#include "format/datetime_text.h"

namespace millstream::format {
namespace {

// Between 1 March 4801 B.C. of the Julian calendar, where its cycle of 1461 days begins here, and
// 1970.
constexpr std::int64_t epoch_in_cycle = 2'472'670;
constexpr std::int64_t cycle_years = 4800;

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

}  // namespace

std::int32_t gregorian_of_julian(std::int32_t days) {
  if (days >= first_gregorian_day) return days;
  const std::int64_t day = days + epoch_in_cycle;
  const std::int64_t cycle_year = floor_div(4 * day + 3, 1461);
  const std::int64_t day_of_year = day - floor_div(1461 * cycle_year, 4);
  const std::int64_t month = (5 * day_of_year + 2) / 153;  // 0: March
  const std::int64_t day_of_month = day_of_year - (153 * month + 2) / 5;
  const std::int64_t year = cycle_year - cycle_years + (month >= 10 ? 1 : 0);
  const int civil_month = static_cast<int>(month < 10 ? month + 3 : month - 9);
  return static_cast<std::int32_t>(days_from_civil(year, civil_month, 1) + day_of_month);
}

std::int32_t julian_of_gregorian(std::int32_t days) {
  if (days >= first_gregorian_day) return days;
  if (days >= first_gregorian_day - 10) return first_gregorian_day;
  const CivilDate date = civil_from_days(days);
  const std::int64_t month = date.month >= 3 ? date.month - 3 : date.month + 9;
  const std::int64_t year = date.year + cycle_years - (date.month < 3 ? 1 : 0);
  return static_cast<std::int32_t>(floor_div(1461 * year, 4) + (153 * month + 2) / 5 + date.day -
                                   1 - epoch_in_cycle);
}

}  // namespace millstream::format
