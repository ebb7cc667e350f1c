// Java's DateTimeFormatter patterns as Spark uses them (date_format, to_timestamp, …): US locale,
// strict. Immutable; any thread. Patterns or letters that Spark refuses are its errors; rare ones
// that we lack are refused by name.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "engine/zone.h"

namespace millstream::engine {

inline constexpr std::array<std::string_view, 12> month_names = {
    "January", "February", "March",     "April",   "May",      "June",
    "July",    "August",   "September", "October", "November", "December"};
inline constexpr std::array<std::string_view, 7> weekday_names = {
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"};
inline int weekday_of(std::int64_t days) {
  return static_cast<int>(((days + 3) % 7 + 7) % 7);
}  // Monday 0

class JavaPattern {
 public:
  // The pattern of that text; the last ones of each thread are kept.
  static Result<std::shared_ptr<const JavaPattern>> get(std::string_view text, bool for_parsing);

  Result<std::string> format(std::int64_t utc_micros, const Zone& zone,
                             std::string_view zone_name) const;

  struct Parsed {
    std::int64_t utc_micros = 0;
    std::string problem;  // Java's sentence when the text does not fit: "Text 'x' could not be
                          // parsed at index 0"
  };
  // The instant that `text` names, its wall clock taken in `zone` unless it names one itself.
  Result<Parsed> parse(std::string_view text, const Zone& zone) const;

 private:
  struct Item {
    char letter = '\0';  // '\0': literal; '[' and ']': optional section
    int count = 0;
    std::string literal;
  };
  struct Fields;
  static Result<std::shared_ptr<const JavaPattern>> compile(std::string_view text,
                                                            bool for_parsing);
  bool parse_items(std::string_view text, std::size_t* at, std::size_t first, std::size_t last,
                   Fields* fields) const;
  bool parse_item(std::string_view text, std::size_t* at, std::size_t index, Fields* fields) const;

  std::vector<Item> items_;
};

}  // namespace millstream::engine
