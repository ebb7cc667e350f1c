#include "engine/java_pattern.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "base/text.h"
#include "engine/text.h"
#include "engine/zone_names.h"

namespace millstream::engine {
namespace {

constexpr std::int64_t second = 1000000;
constexpr std::int64_t day = 86400 * second;

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

Status unrecognized(std::string_view pattern) {
  return Status::error("INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_PATTERN_RECOGNITION",
                       {{"pattern", "'" + std::string(pattern) + "'"},
                        {"config", "\"spark.sql.legacy.timeParserPolicy\""},
                        {"docroot", "https://spark.apache.org/docs/latest"}});
}

// The letters of the pattern that stand for something, the others as quotes.
std::string letters_of(std::string_view pattern) {
  std::string out;
  bool quoted = false;
  for (const char c : pattern) {
    if (c == '\'') quoted = !quoted;
    out += quoted ? '\'' : c;
  }
  return out;
}

// Whether SimpleDateFormat takes all of the letters.
bool had_a_meaning(std::string_view letters) {
  constexpr std::string_view old_letters = "GyYMLwWDdFEuaHkKhmsSzZX";
  return std::ranges::all_of(letters, [&](char c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return !letter || old_letters.find(c) != std::string_view::npos;
  });
}

// Letters that Spark lets nobody use. Where SimpleDateFormat would take the pattern, Spark says
// that its meaning has changed.
Status check_letters(std::string_view pattern, bool for_parsing) {
  const std::string letters = letters_of(pattern);
  const auto found = letters.find_first_of(for_parsing ? "ABnNpEFqQ" : "ABnNp");
  if (found == std::string::npos) return Status::OK();
  if (had_a_meaning(letters)) return unrecognized(pattern);
  return Status::error("INVALID_DATETIME_PATTERN.ILLEGAL_CHARACTER",
                       {{"c", std::string(1, letters[found])}, {"pattern", std::string(pattern)}});
}

std::string offset_text(std::int32_t offset, bool colon, bool minutes, bool seconds) {
  const char sign = offset < 0 ? '-' : '+';
  const int value = std::abs(offset);
  std::string out = fmt::format("{}{:02}", sign, value / 3600);
  if (minutes) out += fmt::format("{}{:02}", colon ? ":" : "", value / 60 % 60);
  if (seconds && value % 60 != 0) out += fmt::format("{}{:02}", colon ? ":" : "", value % 60);
  return out;
}

// X, x and Z by their counts.
std::string zone_offset(char letter, int count, std::int32_t offset) {
  if (letter == 'X' && offset == 0) return "Z";
  if (letter == 'Z')
    return count == 5 ? (offset == 0 ? "Z" : offset_text(offset, true, true, true))
                      : offset_text(offset, false, true, false);
  switch (count) {
    case 1:
      return offset_text(offset, false, offset % 3600 != 0, false);
    case 2:
      return offset_text(offset, false, true, false);
    case 3:
      return offset_text(offset, true, true, false);
    case 4:
      return offset_text(offset, false, true, true);
    default:
      return offset_text(offset, true, true, true);
  }
}

struct Clock {
  Civil date;
  std::int64_t days;
  int hour;
  int minute;
  int second_of_minute;
  std::int64_t micros;
};

Clock clock_of(std::int64_t local) {
  const std::int64_t days = floor_div(local, day);
  const std::int64_t rest = local - days * day;
  const auto seconds = static_cast<int>(rest / second);
  return {civil_of_days(days), days,         seconds / 3600,
          seconds / 60 % 60,   seconds % 60, rest % second};
}

std::string number(std::int64_t value, int width) { return fmt::format("{:0{}}", value, width); }

std::string year_text(std::int64_t year, int count) {
  const std::int64_t of_era = year > 0 ? year : 1 - year;
  if (count == 2) return number(of_era % 100, 2);
  std::string out = number(of_era, count);
  return count >= 4 && static_cast<int>(out.size()) > count ? "+" + out : out;
}

}  // namespace

Result<std::shared_ptr<const JavaPattern>> JavaPattern::compile(std::string_view text,
                                                                bool for_parsing) {
  auto made = std::make_shared<JavaPattern>();
  int depth = 0;
  if (letters_of(text).find_first_of("YWwuec") == std::string::npos)
    TRY(check_letters(text, for_parsing));
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
      std::size_t end = i;
      while (end < text.size() && text[end] == c) ++end;
      if (std::string_view("YWwuec").find(c) != std::string_view::npos) {
        if (had_a_meaning(letters_of(text))) return unrecognized(text);
        return Status::error("INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_WEEK_BASED_PATTERN",
                             {{"c", std::string(1, c)}});
      }
      if (std::string_view("GyDMLdQqEFahKkHmsSVzOXxZ").find(c) == std::string_view::npos)
        return unrecognized(text);
      const int count = static_cast<int>(end - i);
      const int most = c == 'y'                                       ? 6
                       : c == 'S'                                     ? 9
                       : c == 'E' || c == 'M' || c == 'L' || c == 'G' ? 4
                       : c == 'D'                                     ? 3
                       : c == 'X' || c == 'x' || c == 'Z'             ? 5
                       : c == 'z' || c == 'Q' || c == 'q' || c == 'O' ? 4
                       : c == 'a' || c == 'F'                         ? 1
                                                                      : 2;
      if (count > most) return unrecognized(text);
      if (c == 'O' && count != 1 && count != 4) return unrecognized(text);
      if (std::string_view("QqF").find(c) != std::string_view::npos && for_parsing) {
        return Status::unsupported("the date pattern letter {} is not supported when reading", c);
      }
      made->items_.push_back({c, count, {}});
      i = end;
      continue;
    }
    std::string literal;
    if (c == '\'') {
      ++i;
      if (i < text.size() && text[i] == '\'') {
        literal = "'";
        ++i;
      } else {
        while (true) {
          if (i >= text.size()) return unrecognized(text);
          if (text[i] == '\'') {
            ++i;
            if (i >= text.size() || text[i] != '\'') break;
          }
          literal += text[i++];
        }
      }
    } else if (c == '[' || c == ']') {
      depth += c == '[' ? 1 : -1;
      if (depth < 0) return unrecognized(text);
      made->items_.push_back({c, 0, {}});
      ++i;
      continue;
    } else if (c == '{' || c == '}' || c == '#') {
      return unrecognized(text);
    } else {
      literal = c;
      ++i;
    }
    made->items_.push_back({'\0', 0, literal});
  }
  return std::shared_ptr<const JavaPattern>(made);
}

Result<std::shared_ptr<const JavaPattern>> JavaPattern::get(std::string_view text,
                                                            bool for_parsing) {
  constexpr std::size_t kept_max = 64;
  thread_local std::unordered_map<std::string, std::shared_ptr<const JavaPattern>> kept[2];
  thread_local std::shared_ptr<const JavaPattern> last[2];
  thread_local std::string last_text[2];
  const std::size_t kind = for_parsing ? 1 : 0;
  if (last[kind] != nullptr && last_text[kind] == text) return last[kind];
  auto& patterns = kept[kind];
  auto found = patterns.find(std::string(text));
  if (found == patterns.end()) {
    if (patterns.size() >= kept_max) patterns.clear();
    TRY_ASSIGN(auto made, compile(text, for_parsing));
    found = patterns.emplace(std::string(text), std::move(made)).first;
  }
  last[kind] = found->second;
  last_text[kind] = std::string(text);
  return found->second;
}

Result<std::string> JavaPattern::format(std::int64_t utc_micros, const Zone& zone,
                                        std::string_view zone_name) const {
  const Clock clock = clock_of(zone.to_local(utc_micros));
  std::string out;
  for (const auto& item : items_) {
    const int n = item.count;
    switch (item.letter) {
      case '\0':
        out += item.literal;
        break;
      case 'G':
        out += clock.date.year > 0 ? (n == 4 ? "Anno Domini" : "AD")
                                   : (n == 4 ? "Before Christ" : "BC");
        break;
      case 'y':
        out += year_text(clock.date.year, n);
        break;
      case 'M':
      case 'L': {
        const auto name = month_names[static_cast<std::size_t>(clock.date.month - 1)];
        out +=
            n <= 2 ? number(clock.date.month, n) : std::string(n == 3 ? name.substr(0, 3) : name);
        break;
      }
      case 'd':
        out += number(clock.date.day, n);
        break;
      case 'D':
        out += number(clock.days - days_of_civil(clock.date.year, 1, 1) + 1, n);
        break;
      case 'Q':
      case 'q': {
        const int quarter = (clock.date.month + 2) / 3;
        static constexpr std::array<std::string_view, 4> names = {"1st quarter", "2nd quarter",
                                                                  "3rd quarter", "4th quarter"};
        out += n <= 2   ? number(quarter, n)
               : n == 3 ? fmt::format("Q{}", quarter)
                        : std::string(names[static_cast<std::size_t>(quarter - 1)]);
        break;
      }
      case 'E': {
        const auto name = weekday_names[static_cast<std::size_t>(weekday_of(clock.days))];
        out += n == 4 ? name : name.substr(0, 3);
        break;
      }
      case 'F':
        out += number((clock.date.day - 1) % 7 + 1, n);
        break;
      case 'a':
        out += clock.hour < 12 ? "AM" : "PM";
        break;
      case 'h':
        out += number((clock.hour + 11) % 12 + 1, n);
        break;
      case 'K':
        out += number(clock.hour % 12, n);
        break;
      case 'k':
        out += number((clock.hour + 23) % 24 + 1, n);
        break;
      case 'H':
        out += number(clock.hour, n);
        break;
      case 'm':
        out += number(clock.minute, n);
        break;
      case 's':
        out += number(clock.second_of_minute, n);
        break;
      case 'S':
        out += fmt::format("{:06}000", clock.micros).substr(0, static_cast<std::size_t>(n));
        break;
      case 'V':
        out += zone_name;
        break;
      case 'X':
      case 'x':
      case 'Z':
        out += item.letter == 'Z' && n == 4
                   ? gmt_offset(zone.offset_seconds(utc_micros), true)
                   : zone_offset(item.letter, n, zone.offset_seconds(utc_micros));
        break;
      case 'O':
        out += gmt_offset(zone.offset_seconds(utc_micros), n == 4);
        break;
      case 'z': {
        const auto name = zone_display_name(zone_name, zone.is_daylight(utc_micros), n == 4);
        if (!name) {
          return Status::unsupported("the date pattern letter z in the zone {} is not supported",
                                     zone_name);
        }
        out += *name;
        break;
      }
      case '[':
      case ']':
        break;
      default:
        return Status::unsupported("the date pattern letter {} is not supported", item.letter);
    }
  }
  return out;
}

}  // namespace millstream::engine
