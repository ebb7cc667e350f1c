#include "delta/values.h"

#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>

#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>

#include "base/text.h"
#include "format/datetime_text.h"

namespace millstream::delta {
namespace {

using column::TypeKind;

// Digits of `text` from `at` on, `count` of them.
std::optional<int> number_at(std::string_view text, std::size_t at, std::size_t count) {
  if (at + count > text.size()) return std::nullopt;
  int value = 0;
  for (const char c : text.substr(at, count)) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

// The zone at the end of a timestamp: its offset in seconds, and the text before it. No zone: zero.
std::optional<std::pair<std::string_view, int>> split_zone(std::string_view text) {
  if (text.ends_with('Z') || text.ends_with('z'))
    return std::pair(text.substr(0, text.size() - 1), 0);
  const auto sign = text.find_last_of("+-");
  if (sign == std::string_view::npos || sign < 16) return std::pair(text, 0);
  const std::string_view zone = text.substr(sign + 1);
  const auto hours = number_at(zone, 0, 2);
  if (!hours) return std::nullopt;
  int minutes = 0;
  if (zone.size() == 4 || zone.size() == 5) {
    const auto parsed = number_at(zone, zone.size() - 2, 2);
    if (!parsed) return std::nullopt;
    minutes = *parsed;
  } else if (zone.size() != 2) {
    return std::nullopt;
  }
  const int offset = (*hours * 60 + minutes) * 60;
  return std::pair(text.substr(0, sign), text[sign] == '-' ? -offset : offset);
}

template <typename S, typename V>
ScalarPtr make(V value, const std::shared_ptr<arrow::DataType>& type) {
  return std::make_shared<S>(static_cast<typename S::ValueType>(value), type);
}

ScalarPtr parse_integer(const column::TypePtr& type, std::string_view text, std::int64_t low,
                        std::int64_t high) {
  const auto value = parse_int64(text);
  if (!value || *value < low || *value > high) return nullptr;
  const auto arrow_type = column::to_arrow(type);
  switch (type->kind()) {
    case TypeKind::byte_:
      return make<arrow::Int8Scalar>(*value, arrow_type);
    case TypeKind::short_:
      return make<arrow::Int16Scalar>(*value, arrow_type);
    case TypeKind::int_:
      return make<arrow::Int32Scalar>(*value, arrow_type);
    default:
      return make<arrow::Int64Scalar>(*value, arrow_type);
  }
}

ScalarPtr parse_decimal(const column::TypePtr& type, std::string_view text) {
  arrow::Decimal128 value;
  std::int32_t precision = 0;
  std::int32_t scale = 0;
  if (!arrow::Decimal128::FromString(text, &value, &precision, &scale).ok()) return nullptr;
  const auto scaled = value.Rescale(scale, type->scale());
  if (!scaled.ok() || !scaled->FitsInPrecision(type->precision())) return nullptr;
  return std::make_shared<arrow::Decimal128Scalar>(*scaled, column::to_arrow(type));
}

std::optional<double> parse_double(std::string_view text) {
  if (equals_ignore_case(text, "NaN")) return std::numeric_limits<double>::quiet_NaN();
  if (equals_ignore_case(text, "Infinity") || equals_ignore_case(text, "inf"))
    return std::numeric_limits<double>::infinity();
  if (equals_ignore_case(text, "-Infinity") || equals_ignore_case(text, "-inf")) {
    return -std::numeric_limits<double>::infinity();
  }
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) return std::nullopt;
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

// Nullptr when the text is no value of the type.
ScalarPtr parse_value(const column::TypePtr& type, const std::string& text) {
  switch (type->kind()) {
    case TypeKind::byte_:
      return parse_integer(type, text, INT8_MIN, INT8_MAX);
    case TypeKind::short_:
      return parse_integer(type, text, INT16_MIN, INT16_MAX);
    case TypeKind::int_:
      return parse_integer(type, text, INT32_MIN, INT32_MAX);
    case TypeKind::long_:
      return parse_integer(type, text, INT64_MIN, INT64_MAX);
    case TypeKind::float_:
      if (const auto value = parse_double(text))
        return std::make_shared<arrow::FloatScalar>(static_cast<float>(*value));
      return nullptr;
    case TypeKind::double_:
      if (const auto value = parse_double(text))
        return std::make_shared<arrow::DoubleScalar>(*value);
      return nullptr;
    case TypeKind::decimal:
      return parse_decimal(type, text);
    case TypeKind::boolean:
      if (const auto value = parse_bool(text))
        return std::make_shared<arrow::BooleanScalar>(*value);
      return nullptr;
    case TypeKind::date:
      if (const auto value = parse_date(text)) return std::make_shared<arrow::Date32Scalar>(*value);
      return nullptr;
    case TypeKind::timestamp:
    case TypeKind::timestamp_ntz:
      if (const auto value = parse_timestamp(text)) {
        return std::make_shared<arrow::TimestampScalar>(*value, column::to_arrow(type));
      }
      return nullptr;
    case TypeKind::string:
    case TypeKind::char_:
    case TypeKind::varchar:
      return std::make_shared<arrow::StringScalar>(text);
    default:
      return nullptr;
  }
}

// "\u0001\u00ff" -> the bytes; text without such escapes is its own bytes.
std::string unescape_binary(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size();) {
    int value = 0;
    if (text.substr(i).starts_with("\\u") && i + 6 <= text.size() &&
        std::from_chars(text.data() + i + 2, text.data() + i + 6, value, 16).ptr ==
            text.data() + i + 6) {
      bytes += static_cast<char>(value);
      i += 6;
    } else {
      bytes += text[i++];
    }
  }
  return bytes;
}

}  // namespace

std::string date_text(std::int32_t days) {
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(days))};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

std::string timestamp_text(std::int64_t micros, char separator, int min_digits) {
  using namespace std::chrono;
  const sys_time<microseconds> time{microseconds(micros)};
  const auto day = floor<days>(time);
  const hh_mm_ss clock(time - day);
  std::string text = fmt::format(
      "{}{}{:02}:{:02}:{:02}", date_text(static_cast<std::int32_t>(day.time_since_epoch().count())),
      separator, clock.hours().count(), clock.minutes().count(), clock.seconds().count());
  std::string fraction = fmt::format("{:06}", clock.subseconds().count());
  while (static_cast<int>(fraction.size()) > min_digits && fraction.ends_with('0'))
    fraction.pop_back();
  return fraction.empty() ? text : text + '.' + fraction;
}

std::string decimal_text(const arrow::Scalar& value) {
  const auto& decimal = static_cast<const arrow::Decimal128Scalar&>(value);
  const int scale = static_cast<const arrow::Decimal128Type&>(*value.type).scale();
  std::string digits = decimal.value.ToIntegerString();
  const bool negative = digits.starts_with('-');
  if (negative) digits.erase(0, 1);
  if (scale > 0) {
    const auto fraction = static_cast<std::size_t>(scale);
    if (digits.size() <= fraction) digits.insert(0, fraction + 1 - digits.size(), '0');
    digits.insert(digits.size() - fraction, 1, '.');
  }
  return negative ? '-' + digits : digits;
}

std::optional<std::int32_t> parse_date(std::string_view text) {
  bool negative = false;
  if (text.starts_with('-') || text.starts_with('+')) {
    negative = text.front() == '-';
    text.remove_prefix(1);
  }
  const auto dash = text.find('-');
  if (dash == std::string_view::npos || dash < 1 || dash > 6 || text.size() != dash + 6 ||
      text[dash + 3] != '-') {
    return std::nullopt;
  }
  const auto year = number_at(text, 0, dash);
  const auto month = number_at(text, dash + 1, 2);
  const auto day = number_at(text, dash + 4, 2);
  if (!year || !month || !day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(negative ? -*year : *year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  return static_cast<std::int32_t>(std::chrono::sys_days(date).time_since_epoch().count());
}

std::optional<std::int64_t> parse_timestamp(std::string_view text) {
  constexpr std::int64_t day_us = 86'400'000'000;
  const auto zoned = split_zone(trim(text));
  if (!zoned) return std::nullopt;
  const auto [local, offset] = *zoned;
  const auto gap = local.find_first_of(" T");
  const auto days = parse_date(local.substr(0, gap));
  if (!days) return std::nullopt;
  std::int64_t micros = *days * day_us;
  if (gap == std::string_view::npos) return micros;
  const std::string_view clock = local.substr(gap + 1);
  const auto hours = number_at(clock, 0, 2);
  const auto minutes = number_at(clock, 3, 2);
  if (!hours || !minutes || clock[2] != ':' || *hours > 23 || *minutes > 59) return std::nullopt;
  std::int64_t seconds = *hours * 3600 + *minutes * 60;
  std::int64_t fraction = 0;
  if (clock.size() > 5) {
    const auto part = number_at(clock, 6, 2);
    if (!part || clock[5] != ':' || *part > 59) return std::nullopt;
    seconds += *part;
    if (clock.size() > 8) {
      if (clock[8] != '.' || clock.size() == 9) return std::nullopt;
      std::string digits(clock.substr(9, 6));
      if (clock.find_first_not_of("0123456789", 9) != std::string_view::npos) return std::nullopt;
      digits.resize(6, '0');
      fraction = *parse_int64(digits);
    }
  }
  return micros + (seconds - offset) * 1'000'000 + fraction;
}

Result<std::optional<std::string>> partition_text(const column::Field& field,
                                                  const arrow::Scalar& value) {
  if (!value.is_valid) return std::optional<std::string>();
  switch (field.type->kind()) {
    case TypeKind::byte_:
      return std::optional(fmt::to_string(static_cast<const arrow::Int8Scalar&>(value).value + 0));
    case TypeKind::short_:
      return std::optional(fmt::to_string(static_cast<const arrow::Int16Scalar&>(value).value + 0));
    case TypeKind::int_:
      return std::optional(fmt::to_string(static_cast<const arrow::Int32Scalar&>(value).value));
    case TypeKind::long_:
      return std::optional(fmt::to_string(static_cast<const arrow::Int64Scalar&>(value).value));
    case TypeKind::float_:
      return std::optional(java_text(static_cast<const arrow::FloatScalar&>(value).value));
    case TypeKind::double_:
      return std::optional(java_text(static_cast<const arrow::DoubleScalar&>(value).value));
    case TypeKind::decimal:
      return std::optional(decimal_text(value));
    case TypeKind::boolean:
      return std::optional<std::string>(
          static_cast<const arrow::BooleanScalar&>(value).value ? "true" : "false");
    case TypeKind::date:
      return std::optional(date_text(static_cast<const arrow::Date32Scalar&>(value).value));
    case TypeKind::timestamp:
      return std::optional(
          timestamp_text(static_cast<const arrow::TimestampScalar&>(value).value, 'T', 6) + 'Z');
    case TypeKind::timestamp_ntz:
      return std::optional(
          timestamp_text(static_cast<const arrow::TimestampScalar&>(value).value, ' ', 0));
    case TypeKind::string:
    case TypeKind::char_:
    case TypeKind::varchar: {
      const auto& text = static_cast<const arrow::BaseBinaryScalar&>(value);
      if (text.value == nullptr || text.value->size() == 0) return std::optional<std::string>();
      return std::optional(text.value->ToString());
    }
    case TypeKind::binary: {
      const auto& bytes = static_cast<const arrow::BaseBinaryScalar&>(value);
      std::string text;
      for (const char byte : bytes.view())
        text += fmt::format("\\u{:04x}", static_cast<unsigned char>(byte));
      return text.empty() ? std::optional<std::string>() : std::optional(text);
    }
    default:
      return Status::error("DELTA_INVALID_PARTITION_COLUMN_TYPE",
                           {{"name", field.name}, {"dataType", field.type->sql()}});
  }
}

bool says_its_zone(std::string_view timestamp) {
  const auto zoned = split_zone(trim(timestamp));
  return zoned && zoned->first.size() != trim(timestamp).size();
}

Result<ScalarPtr> parse_partition_value(const column::Field& field,
                                        const std::optional<std::string>& text,
                                        const std::string& time_zone) {
  const auto arrow_type = column::to_arrow(field.type);
  if (!text || text->empty()) return arrow::MakeNullScalar(arrow_type);
  if (field.type->kind() == TypeKind::binary) {
    return ScalarPtr(std::make_shared<arrow::BinaryScalar>(unescape_binary(*text)));
  }
  ScalarPtr value = parse_value(field.type, *text);
  if (value != nullptr && field.type->kind() == TypeKind::timestamp && time_zone != "UTC" &&
      !says_its_zone(*text)) {
    TRY_ASSIGN(const auto zone, format::TimeZone::find(time_zone));
    const std::int64_t local = static_cast<const arrow::TimestampScalar&>(*value).value;
    const std::int64_t seconds = local / 1'000'000 - (local % 1'000'000 < 0 ? 1 : 0);
    return ScalarPtr(std::make_shared<arrow::TimestampScalar>(
        local - zone.offset_of_local(seconds) * 1'000'000, arrow_type));
  }
  if (value == nullptr) {
    return Status::illegal_state(
        "the Delta log has '{}' as a value of the partition column {}, which is {}", *text,
        field.name, field.type->sql());
  }
  return value;
}

ScalarPtr parse_stats_value(const column::TypePtr& type, const std::string& token, bool is_string) {
  const bool text_type = type->is_string() || type->kind() == TypeKind::date ||
                         type->kind() == TypeKind::timestamp ||
                         type->kind() == TypeKind::timestamp_ntz;
  const bool float_type = type->kind() == TypeKind::float_ || type->kind() == TypeKind::double_;
  if (is_string ? !text_type && !float_type : text_type) return nullptr;
  if (type->kind() == TypeKind::boolean) return nullptr;
  return parse_value(type, token);
}

std::optional<int> compare(const arrow::Scalar& a, const arrow::Scalar& b) {
  const auto order = [](const auto& x, const auto& y) { return x < y ? -1 : (y < x ? 1 : 0); };
  const auto order_floats = [&](double x, double y) {
    if (std::isnan(x) || std::isnan(y))
      return static_cast<int>(std::isnan(x)) - static_cast<int>(std::isnan(y));
    return order(x, y);
  };
  if (a.type->id() != b.type->id() || !a.is_valid || !b.is_valid) return std::nullopt;
  const auto by_value = [&]<typename S>(const S* x) {
    return order(x->value, static_cast<const S&>(b).value);
  };
  switch (a.type->id()) {
    case arrow::Type::BOOL:
      return by_value(static_cast<const arrow::BooleanScalar*>(&a));
    case arrow::Type::INT8:
      return by_value(static_cast<const arrow::Int8Scalar*>(&a));
    case arrow::Type::INT16:
      return by_value(static_cast<const arrow::Int16Scalar*>(&a));
    case arrow::Type::INT32:
      return by_value(static_cast<const arrow::Int32Scalar*>(&a));
    case arrow::Type::INT64:
      return by_value(static_cast<const arrow::Int64Scalar*>(&a));
    case arrow::Type::DATE32:
      return by_value(static_cast<const arrow::Date32Scalar*>(&a));
    case arrow::Type::TIMESTAMP:
      return by_value(static_cast<const arrow::TimestampScalar*>(&a));
    case arrow::Type::FLOAT:
      return order_floats(static_cast<const arrow::FloatScalar&>(a).value,
                          static_cast<const arrow::FloatScalar&>(b).value);
    case arrow::Type::DOUBLE:
      return order_floats(static_cast<const arrow::DoubleScalar&>(a).value,
                          static_cast<const arrow::DoubleScalar&>(b).value);
    case arrow::Type::DECIMAL128:
      if (!a.type->Equals(*b.type)) return std::nullopt;
      return by_value(static_cast<const arrow::Decimal128Scalar*>(&a));
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      return order(static_cast<const arrow::BaseBinaryScalar&>(a).view(),
                   static_cast<const arrow::BaseBinaryScalar&>(b).view());
    default:
      return std::nullopt;
  }
}

std::string hive_escape(std::string_view text) {
  constexpr std::string_view special = "\"#%'*/:=?\\{[]^\x7f";
  std::string out;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || special.find(c) != std::string_view::npos) {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out;
}

std::string partition_directory(const std::string& column, const std::optional<std::string>& text) {
  return hive_escape(column) + '=' +
         (text && !text->empty() ? hive_escape(*text) : std::string("__HIVE_DEFAULT_PARTITION__"));
}

}  // namespace millstream::delta
