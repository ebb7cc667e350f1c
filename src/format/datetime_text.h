// Dates and times as text, by Spark's rules: the lenient forms of its casts, and java.time
// patterns. Parsers are plain values; one that works in a time zone remembers the last offset, so
// each thread has its own.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace millstream::format {

struct CivilDate {
  std::int64_t year = 1970;
  int month = 1;
  int day = 1;
};

std::int64_t days_from_civil(std::int64_t year, int month, int day);
CivilDate civil_from_days(std::int64_t days);
bool is_valid_date(std::int64_t year, int month, int day);

// A time zone by Spark's names: regions, "UTC", "Z", "+01:00", "GMT+1", "EST" …
class TimeZone {
 public:
  static Result<TimeZone> find(std::string_view name);
  static TimeZone fixed(std::int64_t offset_seconds);

  // Seconds to add to UTC at an instant; and at a wall-clock time (in a gap the offset before it,
  // in an overlap the earlier).
  std::int64_t offset_at(std::int64_t epoch_seconds) const;
  std::int64_t offset_of_local(std::int64_t local_seconds) const;

 private:
  const void* region_ = nullptr;  // null: fixed_
  std::int64_t fixed_ = 0;
  mutable std::int64_t known_from_ = 0;  // the last answer holds for local times from … to
  mutable std::int64_t known_to_ = 0;
  mutable std::int64_t known_offset_ = 0;
};

// Spark's stringToDate: yyyy, yyyy-[m]m, yyyy-[m]m-[d]d, and anything after a blank or 'T' that
// follows the last.
bool parse_date_lenient(std::string_view text, std::int32_t& days);

// Spark's stringToTimestamp, and the one without time zone (a zone, or a bare time, is then a
// failure).
bool parse_timestamp_lenient(std::string_view text, const TimeZone& zone, std::int64_t& micros);
bool parse_timestamp_ntz_lenient(std::string_view text, std::int64_t& micros);

// A java.time.format pattern. Compiling refuses letters that are not supported, by name.
class DateTimePattern {
 public:
  static Result<DateTimePattern> compile(std::string_view pattern);

  struct Fields {
    std::int64_t local_seconds = 0;  // of the day that was read, at the time that was read
    std::int64_t micros = 0;         // of the second
    bool has_time = false;
    bool has_zone = false;
    std::optional<TimeZone> zone;
  };
  // The whole text must match.
  bool parse(std::string_view text, Fields& fields) const;
  // Of a wall-clock time, with the offset of the zone it is in.
  std::string format(std::int64_t local_micros, std::int64_t offset_seconds) const;

 private:
  struct Element {
    char letter = 0;  // 0: literal; '[' and ']': an optional part
    int count = 0;
    std::string literal;
    std::size_t jump = 0;  // of '[': where its ']' is
  };
  struct State;
  bool parse_from(std::size_t element, std::string_view text, State& state) const;
  bool parse_one(std::size_t element, std::string_view& text, State& state) const;

  std::vector<Element> elements_;
};

// 2024-01-02 and 2024-01-02 03:04:05[.ffffff] as Spark's casts print them.
std::string date_text(std::int32_t days);
std::string timestamp_text(std::int64_t local_micros);

}  // namespace millstream::format
