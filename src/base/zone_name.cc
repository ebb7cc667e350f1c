#include "base/zone_name.h"

#include <map>

#include "base/text.h"

namespace millstream {
namespace {

bool is_digit(char c) { return static_cast<unsigned char>(c - '0') <= 9; }

// h, hh, hh:mm, hh:mm:ss, hhmm, hhmmss, with one digit where Java would want two.
std::optional<std::int32_t> parse_offset(std::string_view text) {
  if (text.size() < 2 || (text[0] != '+' && text[0] != '-')) return std::nullopt;
  const std::int64_t sign = text[0] == '-' ? -1 : 1;
  text.remove_prefix(1);
  std::int64_t parts[3] = {0, 0, 0};
  std::size_t count = 0;
  if (text.find(':') != std::string_view::npos) {
    for (const auto& part : split(text, ':')) {
      if (count == 3 || part.empty() || part.size() > 2) return std::nullopt;
      for (const char c : part) {
        if (!is_digit(c)) return std::nullopt;
        parts[count] = parts[count] * 10 + (c - '0');
      }
      ++count;
    }
  } else {
    for (const char c : text) {
      if (!is_digit(c)) return std::nullopt;
    }
    if (text.size() > 6 || text.size() == 3 || text.size() == 5) return std::nullopt;
    if (text.size() == 1) {
      parts[0] = text[0] - '0';
    } else {
      for (std::size_t i = 0; i < text.size(); i += 2)
        parts[i / 2] = (text[i] - '0') * 10 + (text[i + 1] - '0');
    }
  }
  if (parts[1] > 59 || parts[2] > 59) return std::nullopt;
  const std::int64_t seconds = parts[0] * 3600 + parts[1] * 60 + parts[2];
  if (seconds > 18 * 3600) return std::nullopt;
  return static_cast<std::int32_t>(sign * seconds);
}

// java.time.ZoneId.SHORT_IDS.
const std::map<std::string_view, std::string_view>& short_ids() {
  static const std::map<std::string_view, std::string_view> ids = {
      {"ACT", "Australia/Darwin"},
      {"AET", "Australia/Sydney"},
      {"AGT", "America/Argentina/Buenos_Aires"},
      {"ART", "Africa/Cairo"},
      {"AST", "America/Anchorage"},
      {"BET", "America/Sao_Paulo"},
      {"BST", "Asia/Dhaka"},
      {"CAT", "Africa/Harare"},
      {"CNT", "America/St_Johns"},
      {"CST", "America/Chicago"},
      {"CTT", "Asia/Shanghai"},
      {"EAT", "Africa/Addis_Ababa"},
      {"ECT", "Europe/Paris"},
      {"IET", "America/Indiana/Indianapolis"},
      {"IST", "Asia/Kolkata"},
      {"JST", "Asia/Tokyo"},
      {"MIT", "Pacific/Apia"},
      {"NET", "Asia/Yerevan"},
      {"NST", "Pacific/Auckland"},
      {"PLT", "Asia/Karachi"},
      {"PNT", "America/Phoenix"},
      {"PRT", "America/Puerto_Rico"},
      {"PST", "America/Los_Angeles"},
      {"SST", "Pacific/Guadalcanal"},
      {"VST", "Asia/Ho_Chi_Minh"},
      {"EST", "-05:00"},
      {"MST", "-07:00"},
      {"HST", "-10:00"},
  };
  return ids;
}

}  // namespace

ZoneName parse_zone_name(std::string_view name) {
  if (const auto short_id = short_ids().find(name); short_id != short_ids().end())
    name = short_id->second;
  if (name == "Z" || name == "UTC" || name == "GMT" || name == "UT" || name == "Etc/UTC")
    return {.offset_seconds = 0, .region = name};
  std::string_view offset = name;
  for (const std::string_view prefix : {"UTC", "GMT", "UT"}) {
    if (name.starts_with(prefix) && name.size() > prefix.size()) {
      offset = name.substr(prefix.size());
      break;
    }
  }
  return {.offset_seconds = parse_offset(offset), .region = name};
}

}  // namespace millstream
