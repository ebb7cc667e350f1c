#include "engine/document_text.h"

#include <algorithm>

#include "base/text.h"
#include "base/time_of_day.h"
#include "engine/java_pattern.h"
#include "engine/raise.h"
#include "engine/text.h"
#include "engine/zone.h"

namespace millstream::engine {

using column::DataType;
using column::TypeKind;

namespace {

constexpr std::int64_t micros_per_day = 86400LL * 1000000;

std::int64_t day_of(std::int64_t micros) {
  return micros / micros_per_day - (micros % micros_per_day < 0 ? 1 : 0);
}

std::string_view pattern_of(const ValueKernel& kernel, const DataType& type) {
  return kernel.option(type.kind() == TypeKind::date        ? "dateformat"
                       : type.kind() == TypeKind::timestamp ? "timestampformat"
                                                            : "timestampntzformat");
}

std::string zone_name(const ValueKernel& kernel, const DataType& type) {
  if (type.kind() != TypeKind::timestamp) return "UTC";
  const auto given = kernel.option("timezone");
  return given.empty() ? kernel.time_zone : std::string(given);
}

// As CAST reads it.
std::optional<std::int64_t> lenient_time(const DataType& type, std::string_view text,
                                         const Zone& zone) {
  if (type.kind() == TypeKind::date) {
    const auto days = parse_date(text);
    return days ? std::optional<std::int64_t>(*days) : std::nullopt;
  }
  const auto parts = parse_timestamp(text);
  if (!parts || !parts->has_date) return std::nullopt;
  if (type.kind() == TypeKind::timestamp_ntz)
    return parts->zone.empty() ? std::optional(parts->local_micros) : std::nullopt;
  if (parts->zone.empty()) return zone.from_local(parts->local_micros);
  const auto named = Zone::find(parts->zone);
  if (!named.ok()) return std::nullopt;
  return (*named)->from_local(parts->local_micros);
}

}  // namespace

Result<std::optional<std::int64_t>> read_time(const ValueKernel& kernel, const DataType& type,
                                              std::string_view text) {
  if (type.kind() == TypeKind::time) return parse_time_of_day(text);
  TRY_ASSIGN(const Zone* zone, Zone::find(zone_name(kernel, type)));
  const auto pattern = pattern_of(kernel, type);
  if (pattern.empty()) return lenient_time(type, text, *zone);
  TRY_ASSIGN(const auto compiled, JavaPattern::get(pattern, true));
  TRY_ASSIGN(const auto parsed, compiled->parse(text, *zone));
  if (!parsed.problem.empty()) return std::optional<std::int64_t>();
  if (type.kind() != TypeKind::date) return std::optional(parsed.utc_micros);
  return std::optional(day_of(parsed.utc_micros));
}

Result<std::string> write_time(const ValueKernel& kernel, const DataType& type,
                               std::int64_t value) {
  if (type.kind() == TypeKind::time) return time_of_day_text(value);
  auto pattern = pattern_of(kernel, type);
  const bool date = type.kind() == TypeKind::date;
  if (pattern.empty() && date) return date_text(value);
  if (pattern.empty()) {
    pattern = type.kind() == TypeKind::timestamp ? "yyyy-MM-dd'T'HH:mm:ss.SSSXXX"
                                                 : "yyyy-MM-dd'T'HH:mm:ss.SSS";
  }
  const std::string name = zone_name(kernel, type);
  TRY_ASSIGN(const Zone* zone, Zone::find(name));
  TRY_ASSIGN(const auto compiled, JavaPattern::get(pattern, false));
  return compiled->format(date ? value * micros_per_day : value, *zone, name);
}

namespace {

constexpr int decimal_digits_max = 38;

// The digits of a number and the power of ten that they count from the point.
struct ExactNumber {
  bool negative = false;
  std::string digits;
  std::int64_t scale = 0;
};

std::optional<ExactNumber> exact_number(std::string_view text) {
  ExactNumber out;
  if (text.empty()) return std::nullopt;
  if (text[0] == '-' || text[0] == '+') {
    out.negative = text[0] == '-';
    text.remove_prefix(1);
  }
  bool point = false;
  std::size_t at = 0;
  for (; at < text.size() && text[at] != 'e' && text[at] != 'E'; ++at) {
    if (text[at] == '.' && !point) {
      point = true;
    } else if (text[at] >= '0' && text[at] <= '9') {
      out.digits += text[at];
      out.scale += point ? 1 : 0;
    } else {
      return std::nullopt;
    }
  }
  if (out.digits.empty()) return std::nullopt;
  if (at < text.size()) {
    std::string_view exponent = text.substr(at + 1);
    if (exponent.starts_with('+')) exponent.remove_prefix(1);
    const auto power = parse_int64(exponent);
    if (!power || *power > 1000000 || *power < -1000000) return std::nullopt;
    out.scale -= *power;
  }
  const auto first = out.digits.find_first_not_of('0');
  out.digits.erase(0, std::min(first, out.digits.size()));
  return out;
}

}  // namespace

std::optional<__int128> read_decimal(std::string_view text, int precision, int scale) {
  auto number = exact_number(text);
  if (!number) return std::nullopt;
  if (number->digits.empty()) return __int128{0};
  bool round_up = false;
  if (number->scale > scale) {
    const std::int64_t drop = number->scale - scale;
    const auto size = static_cast<std::int64_t>(number->digits.size());
    if (drop > size) return __int128{0};
    const auto keep = static_cast<std::size_t>(size - drop);
    round_up = number->digits[keep] >= '5';
    number->digits.resize(keep);
  } else {
    const std::int64_t add = scale - number->scale;
    if (add + static_cast<std::int64_t>(number->digits.size()) > decimal_digits_max)
      return std::nullopt;
    number->digits.append(static_cast<std::size_t>(add), '0');
  }
  if (number->digits.size() > decimal_digits_max) return std::nullopt;
  __int128 value = 0;
  for (const char c : number->digits) value = value * 10 + (c - '0');
  value += round_up ? 1 : 0;
  __int128 limit = 1;
  for (int i = 0; i < precision; ++i) limit *= 10;
  if (value >= limit) return std::nullopt;
  return number->negative ? -value : value;
}

namespace {

std::string digits_of(__int128 unscaled) {
  std::string digits;
  for (__int128 rest = unscaled < 0 ? -unscaled : unscaled; rest > 0; rest /= 10)
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(rest % 10)));
  return digits.empty() ? "0" : digits;
}

}  // namespace

std::string plain_decimal(__int128 unscaled, int scale) {
  return decimal_text((unscaled < 0 ? "-" : "") + digits_of(unscaled), scale);
}

std::string java_decimal(__int128 unscaled, int scale) {
  std::string digits = digits_of(unscaled);
  const std::string sign = unscaled < 0 ? "-" : "";
  const int exponent = static_cast<int>(digits.size()) - 1 - scale;
  if (exponent >= -6) return decimal_text(sign + digits, scale);
  if (digits.size() > 1) digits.insert(1, ".");
  return fmt::format("{}{}E{}", sign, digits, exponent);
}

std::optional<std::string> read_base64(std::string_view text) {
  std::string out;
  std::uint32_t bits = 0;
  int count = 0;
  std::size_t digits = 0;
  std::size_t padding = 0;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) <= 0x20) continue;
    if (c == '=') {
      ++padding;
      continue;
    }
    static constexpr std::string_view alphabet =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const auto value = alphabet.find(c);
    if (value == std::string_view::npos || padding > 0) return std::nullopt;
    ++digits;
    bits = (bits << 6) | static_cast<std::uint32_t>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out += static_cast<char>((bits >> count) & 0xFFU);
  }
  if (padding > 2 || digits % 4 == 1 || (digits + padding) % 4 != 0) return std::nullopt;
  return out;
}

std::string write_base64(std::string_view bytes) {
  static constexpr char alphabet[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i)
      bits = bits << 8 | (at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    for (std::size_t i = 0; i < 4; ++i)
      out += at + i > bytes.size() ? '=' : alphabet[(bits >> (18 - 6 * i)) & 0x3FU];
  }
  return out;
}

std::string internal_text(const Value& value, const DataType& type) {
  if (value.is_null()) return "null";
  if (type.kind() == TypeKind::struct_) {
    std::string out = "[";
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      if (i > 0) out += ",";
      out += internal_text(value.items[i], *type.fields()[i].type);
    }
    return out + "]";
  }
  if (type.kind() == TypeKind::decimal) return java_decimal(value.decimal, type.scale());
  switch (value.kind) {
    case Value::Kind::boolean:
      return value.integer != 0 ? "true" : "false";
    case Value::Kind::integer:
      return std::to_string(value.integer);
    default:
      return text_of(value, type, "UTC");
  }
}

Value null_members(const DataType& type) {
  return list_value(std::vector<Value>(type.fields().size()));
}

Status malformed_record(const Value& partial, const DataType& type) {
  std::string shown = internal_text(partial, type);
  if (type.kind() != TypeKind::struct_) shown = "[" + shown + "]";
  const Status status = Status::error("MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION",
                                      {{"badRecord", shown}, {"failFastMode", "FAILFAST"}});
  return with_kind(status, ErrorKind::spark);
}

}  // namespace millstream::engine
