#include "base/zone_year.h"

#include <chrono>

namespace millstream {
namespace {

constexpr std::int64_t day = 86400;
constexpr std::int64_t cycle = 146097 * day;  // of 400 years, a whole number of weeks

// The days from 1970 to the year's first.
std::int64_t first_day(int year) {
  using namespace std::chrono;
  return sys_days(std::chrono::year(year) / January / 1).time_since_epoch().count();
}

}  // namespace

ZoneYear year_that_stands_for(std::int64_t seconds) {
  if (seconds < zone_files_end) return {};
  const std::int64_t cycles = (seconds - zone_files_end) / cycle;
  const std::int64_t within = seconds - cycles * cycle;
  const std::chrono::sys_days date{std::chrono::days(within / day)};
  const int year = static_cast<int>(std::chrono::year_month_day(date).year());
  constexpr int days_of_week = 7;
  const auto days_in = [](int y) { return first_day(y + 1) - first_day(y); };
  int alike = 2037;
  while (days_in(alike) != days_in(year) ||
         (first_day(year) - first_day(alike)) % days_of_week != 0)
    --alike;
  const std::int64_t begin = cycles * cycle + first_day(year) * day;
  return {begin, begin + days_in(year) * day, begin - first_day(alike) * day};
}

}  // namespace millstream
