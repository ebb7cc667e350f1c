#include "plan/text.h"

#include <cstdio>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "base/text.h"

namespace millstream::plan {

std::string sql_id(const std::string& name) {
  std::string out = "`";
  for (const char c : name) {
    if (c == '`') out += '`';
    out += c;
  }
  return out + "`";
}

std::string sql_id(const std::vector<std::string>& parts) {
  std::string out;
  for (const auto& part : parts) {
    if (!out.empty()) out += '.';
    out += sql_id(part);
  }
  return out;
}

std::string sql_expr(const std::string& pretty) { return "\"" + pretty + "\""; }

std::string sql_type(const column::TypePtr& type) { return "\"" + type->sql() + "\""; }

std::string ordinal_word(std::size_t n) {
  switch (n) {
    case 1:
      return "first";
    case 2:
      return "second";
    case 3:
      return "third";
    default:
      return fmt::format("{}th", n);
  }
}

namespace {

template <typename T>
std::string java_floating(T value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  if (value == 0) return std::signbit(value) ? "-0.0" : "0.0";
  char buffer[64];
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific);
  std::string text(buffer, end.ptr);
  // Java shows two digits at least, the nearest two where one would do: 4.9E-324.
  if (text.find('.') == std::string::npos) {
    const auto two =
        std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific, 1);
    T read = 0;
    const std::string longer(buffer, two.ptr);
    const bool same = std::from_chars(buffer, two.ptr, read).ec == std::errc() && read == value;
    const bool lower =
        std::is_same_v<T, double> && longer.substr(longer.find('e')) != text.substr(text.find('e'));
    if (same && !lower && longer.find(".0e") == std::string::npos) text = longer;
  }
  const std::size_t e = text.find('e');
  const int exponent = std::atoi(text.c_str() + e + 1);
  std::string digits;
  for (std::size_t i = 0; i < e; ++i) {
    if (text[i] >= '0' && text[i] <= '9') digits += text[i];
  }
  const std::string sign = value < 0 ? "-" : "";
  if (exponent < -3 || exponent >= 7) {
    const std::string rest = digits.size() > 1 ? digits.substr(1) : "0";
    return fmt::format("{}{}.{}E{}", sign, digits[0], rest, exponent);
  }
  if (exponent < 0) {
    return sign + "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
  }
  const auto whole = static_cast<std::size_t>(exponent) + 1;
  if (digits.size() <= whole) digits.append(whole - digits.size(), '0');
  const std::string fraction = digits.size() > whole ? digits.substr(whole) : "0";
  return sign + digits.substr(0, whole) + "." + fraction;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

std::string java_double(double value) { return java_floating(value); }
std::string java_float(float value) { return java_floating(value); }

std::string suggestions(const NameParts& wanted, const std::vector<Attribute>& candidates) {
  std::vector<const Attribute*> visible;
  bool same_qualifier = true;
  for (const Attribute& a : candidates) {
    if (a.hidden) continue;
    visible.push_back(&a);
    same_qualifier = same_qualifier && a.qualifier == visible[0]->qualifier;
  }
  std::stable_sort(visible.begin(), visible.end(),
                   [](const Attribute* a, const Attribute* b) { return a->name < b->name; });
  // Spark measures from the bare name to the quoted candidate.
  const std::string base = join(wanted, ".");
  struct Candidate {
    std::size_t distance;
    std::string text;
  };
  std::vector<Candidate> found;
  for (const Attribute* a : visible) {
    // One common qualifier tells nothing to whoever did not write one.
    NameParts parts;
    if (wanted.size() > 1 || !same_qualifier) parts = a->qualifier;
    parts.push_back(a->name);
    std::string text = sql_id(parts);
    found.push_back({edit_distance(text, base), std::move(text)});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& x, const auto& y) { return x.distance < y.distance; });
  std::string out;
  for (std::size_t i = 0; i < found.size() && i < 5; ++i) {
    if (i > 0) out += ", ";
    out += found[i].text;
  }
  return out;
}

Status unresolved_column(const NameParts& parts, const std::vector<Attribute>& candidates) {
  const std::string proposal = suggestions(parts, candidates);
  if (proposal.empty()) {
    return Status::error("UNRESOLVED_COLUMN.WITHOUT_SUGGESTION", {{"objectName", sql_id(parts)}});
  }
  return Status::error("UNRESOLVED_COLUMN.WITH_SUGGESTION",
                       {{"objectName", sql_id(parts)}, {"proposal", proposal}});
}

namespace {

struct Civil {
  std::int64_t year;
  int month;
  int day;
};

Civil civil_from_days(std::int64_t days) {
  days += 719468;
  const std::int64_t era = (days >= 0 ? days : days - 146096) / 146097;
  const std::int64_t doe = days - era * 146097;
  const std::int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
  const std::int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
  const std::int64_t mp = (5 * doy + 2) / 153;
  const auto day = static_cast<int>(doy - (153 * mp + 2) / 5 + 1);
  const auto month = static_cast<int>(mp < 10 ? mp + 3 : mp - 9);
  return {yoe + era * 400 + (month <= 2 ? 1 : 0), month, day};
}

std::string fraction_of(std::int64_t micros) {
  if (micros == 0) return "";
  std::string text = fmt::format(".{:06}", micros);
  while (text.back() == '0') text.pop_back();
  return text;
}

}  // namespace

std::string format_date(std::int64_t days) {
  const Civil c = civil_from_days(days);
  if (c.year > 9999) return fmt::format("+{}-{:02}-{:02}", c.year, c.month, c.day);
  if (c.year < 0) return fmt::format("-{:04}-{:02}-{:02}", -c.year, c.month, c.day);
  return fmt::format("{:04}-{:02}-{:02}", c.year, c.month, c.day);
}

std::string format_timestamp_utc(std::int64_t micros) {
  constexpr std::int64_t day = 86'400'000'000;
  std::int64_t days = micros / day;
  std::int64_t rest = micros % day;
  if (rest < 0) {
    rest += day;
    --days;
  }
  const std::int64_t seconds = rest / 1'000'000;
  return fmt::format("{} {:02}:{:02}:{:02}{}", format_date(days), seconds / 3600, seconds / 60 % 60,
                     seconds % 60, fraction_of(rest % 1'000'000));
}

std::string format_day_time_interval(std::int64_t micros, int start_field, int end_field) {
  static constexpr const char* names[] = {"DAY", "HOUR", "MINUTE", "SECOND"};
  const bool negative = micros < 0;
  const auto magnitude =
      negative ? 0 - static_cast<std::uint64_t>(micros) : static_cast<std::uint64_t>(micros);
  const std::uint64_t seconds = magnitude / 1'000'000;
  const std::string fraction = fraction_of(static_cast<std::int64_t>(magnitude % 1'000'000));
  std::uint64_t first = 0;
  std::string text = negative ? "-" : "";
  switch (start_field) {
    case 0:
      first = seconds / 86400;
      break;
    case 1:
      first = seconds / 3600;
      break;
    case 2:
      first = seconds / 60;
      break;
    default:
      first = seconds;
      break;
  }
  text += start_field == 0 ? fmt::format("{}", first) : fmt::format("{:02}", first);
  for (int field = start_field + 1; field <= end_field; ++field) {
    const std::uint64_t part = field == 1   ? seconds / 3600 % 24
                               : field == 2 ? seconds / 60 % 60
                                            : seconds % 60;
    text += fmt::format("{}{:02}", field == 1 ? " " : ":", part);
  }
  if (end_field == 3) text += fraction;
  return fmt::format("INTERVAL '{}' {}{}", text, names[start_field],
                     start_field == end_field ? "" : fmt::format(" TO {}", names[end_field]));
}

std::string format_year_month_interval(std::int32_t months, int start_field, int end_field) {
  const bool negative = months < 0;
  const std::int64_t magnitude = negative ? -static_cast<std::int64_t>(months) : months;
  const char* sign = negative ? "-" : "";
  if (start_field == 0 && end_field == 0) {
    return fmt::format("INTERVAL '{}{}' YEAR", sign, magnitude / 12);
  }
  if (start_field == 1) return fmt::format("INTERVAL '{}{}' MONTH", sign, magnitude);
  return fmt::format("INTERVAL '{}{}-{}' YEAR TO MONTH", sign, magnitude / 12, magnitude % 12);
}

Status placed_in_text(const Status& status, const QueryContext& place) {
  ErrorInfo info = status.info();
  info.contexts.push_back(place);
  // The summary begins with the place: "== SQL (line 1, position 8) ==".
  int line = 0;
  int position = 0;
  const bool known =
      std::sscanf(place.summary.c_str(), "== SQL (line %d, position %d", &line, &position) == 2;
  if (place.is_sql && known) info.message += fmt::format("; line {} pos {}", line, position - 1);
  return Status(std::move(info));
}

}  // namespace millstream::plan
