// Casts between strings, numbers and times with Spark's errors.
#include <cmath>
#include <limits>

#include "engine/kernels.h"
#include "engine/raise.h"
#include "engine/text.h"
#include "engine/zone.h"

namespace millstream::engine {
namespace {

template <typename T>
constexpr std::string_view type_name() {
  if constexpr (std::is_same_v<T, std::int8_t>) return "TINYINT";
  if constexpr (std::is_same_v<T, std::int16_t>) return "SMALLINT";
  if constexpr (std::is_same_v<T, std::int32_t>) return "INT";
  if constexpr (std::is_same_v<T, std::int64_t>) return "BIGINT";
  if constexpr (std::is_same_v<T, float>) return "FLOAT";
  return "DOUBLE";
}

// A number as Spark's messages write it: 300S, 5000000000L, 1.0E20D.
template <typename T>
std::string value_text(T value) {
  if constexpr (std::is_same_v<T, std::int8_t>) return std::to_string(value) + "Y";
  if constexpr (std::is_same_v<T, std::int16_t>) return std::to_string(value) + "S";
  if constexpr (std::is_same_v<T, std::int64_t>) return std::to_string(value) + "L";
  if constexpr (std::is_same_v<T, float>) return "CAST('" + float_text(value) + "' AS FLOAT)";
  if constexpr (std::is_same_v<T, double>)
    return std::isfinite(value) ? double_text(value) + "D" : double_text(value);
  return std::to_string(value);
}

// "-0.00000012" as BigDecimal.toString has it: -1.2E-7 below a millionth.
std::optional<std::string> decimal_java_text(Failure&, std::string_view plain) {
  const auto point = plain.find('.');
  if (point == std::string_view::npos) return std::string(plain);
  const int scale = static_cast<int>(plain.size() - point) - 1;
  std::string digits;
  for (const char c : plain) {
    if (c >= '0' && c <= '9' && (c != '0' || !digits.empty())) digits += c;
  }
  if (digits.empty()) digits = "0";
  const int exponent = static_cast<int>(digits.size()) - 1 - scale;
  constexpr int plain_exponent_min = -6;
  if (exponent >= plain_exponent_min) return std::string(plain);
  const std::string rest = digits.size() > 1 ? "." + digits.substr(1) : "";
  return fmt::format("{}{}{}E{}", plain[0] == '-' ? "-" : "", digits[0], rest, exponent);
}

template <typename From, typename To>
std::optional<To> narrow(Failure& fail, From value) {
  bool fits = false;
  if constexpr (std::is_floating_point_v<From>) {
    const double low = static_cast<double>(std::numeric_limits<To>::min());
    const double high = -low;  // one past the largest
    const double wide = std::trunc(static_cast<double>(value));
    fits = wide >= low && wide < high;
  } else {
    fits = value >= std::numeric_limits<To>::min() && value <= std::numeric_limits<To>::max();
  }
  if (!fits) return fail(cast_overflow(value_text(value), type_name<From>(), type_name<To>()));
  return static_cast<To>(value);
}

// Java's conversion: integers lose their high bits, floats saturate (through int for byte and
// short).
template <typename From, typename To>
std::optional<To> wrap(Failure&, From value) {
  if constexpr (std::is_floating_point_v<From>) {
    using Middle = std::conditional_t<std::is_same_v<To, std::int64_t>, std::int64_t, std::int32_t>;
    if (std::isnan(value)) return To{0};
    const double wide = static_cast<double>(value);
    if (wide >= -static_cast<double>(std::numeric_limits<Middle>::min()))
      return static_cast<To>(std::numeric_limits<Middle>::max());
    if (wide <= static_cast<double>(std::numeric_limits<Middle>::min()))
      return static_cast<To>(std::numeric_limits<Middle>::min());
    return static_cast<To>(static_cast<Middle>(value));
  } else {
    return static_cast<To>(value);
  }
}

std::string whole_text(Int128 value) {
  const bool negative = value < 0;
  std::string digits;
  do {
    digits.insert(digits.begin(), static_cast<char>('0' + std::abs(static_cast<int>(value % 10))));
    value /= 10;
  } while (value != 0);
  return (negative ? "-" : "") + digits;
}

template <typename To>
std::optional<To> from_decimal(Failure& fail, Int128 whole, std::string_view type) {
  if (whole < std::numeric_limits<To>::min() || whole > std::numeric_limits<To>::max()) {
    return fail(cast_overflow(whole_text(whole) + "BD", type, type_name<To>()));
  }
  return static_cast<To>(whole);
}

template <typename To>
std::optional<To> wrap_decimal(Failure&, Int128 whole, std::string_view) {
  return static_cast<To>(whole);
}

template <typename To>
std::optional<To> parse_integer(Failure& fail, std::string_view text) {
  const auto value = parse_long(text);
  if (!value || *value < std::numeric_limits<To>::min() ||
      *value > std::numeric_limits<To>::max()) {
    return fail(cast_invalid_input(text, "STRING", type_name<To>()));
  }
  return static_cast<To>(*value);
}

// Without ANSI a text loses what stands behind its point.
template <typename To>
std::optional<To> parse_integer_part(Failure&, std::string_view text) {
  const auto value = parse_long(whole_part(text));
  if (!value || *value != static_cast<To>(*value)) return std::nullopt;
  return static_cast<To>(*value);
}

// Java's bytes of a number, the highest first.
template <typename From>
std::optional<OwnedBlob> bytes_of(Failure&, From value) {
  OwnedBlob out;
  for (int shift = static_cast<int>(sizeof(From)) * 8 - 8; shift >= 0; shift -= 8)
    out.bytes += static_cast<char>(static_cast<std::uint64_t>(value) >> shift & 0xff);
  return out;
}

template <typename To>
std::optional<To> parse_floating(Failure& fail, std::string_view text) {
  const auto value = parse_double(text);
  if (!value) return fail(cast_invalid_input(text, "STRING", type_name<To>()));
  if constexpr (std::is_same_v<To, float>) {
    return std::strtof(fmt::format("{:.17g}", *value).c_str(), nullptr);
  } else {
    return value;
  }
}

std::optional<bool> parse_bool_text(Failure& fail, std::string_view text) {
  const auto value = parse_boolean(text);
  if (!value) return fail(cast_invalid_input(text, "STRING", "BOOLEAN"));
  return value;
}

std::optional<Date> parse_date_text(Failure& fail, std::string_view text) {
  const auto value = parse_date(text);
  if (!value) return fail(cast_invalid_input(text, "STRING", "DATE"));
  return Date{*value};
}

// A time without a date is of the day that `now` is in.
std::optional<Timestamp> parse_timestamp_text(Failure& fail, std::string_view text,
                                              std::string_view session_zone, Timestamp now) {
  const auto parts = parse_timestamp(text);
  if (!parts) return fail(cast_invalid_input(text, "STRING", "TIMESTAMP"));
  const auto zone = Zone::find(parts->zone.empty() ? session_zone : std::string_view(parts->zone));
  if (!zone.ok()) return fail(cast_invalid_input(text, "STRING", "TIMESTAMP"));
  std::int64_t local = parts->local_micros;
  if (!parts->has_date) {
    constexpr std::int64_t day = 86400LL * 1000000;
    const std::int64_t today = (*zone)->to_local(now.micros);
    local += today - (today % day + day) % day;
  }
  return Timestamp{(*zone)->from_local(local)};
}

std::optional<Timestamp> parse_ntz_text(Failure& fail, std::string_view text) {
  const auto parts = parse_timestamp(text);
  const bool known = parts && (parts->zone.empty() || Zone::find(parts->zone).ok());
  if (!known || !parts->has_date) return fail(cast_invalid_input(text, "STRING", "TIMESTAMP_NTZ"));
  return Timestamp{parts->local_micros};
}

std::optional<std::string> show_double(Failure&, double value) { return double_text(value); }
std::optional<std::string> show_float(Failure&, float value) { return float_text(value); }
std::optional<std::string> show_date(Failure&, Date value) { return date_text(value.days); }
std::optional<std::string> show_timestamp(Failure& fail, Timestamp value,
                                          std::string_view zone_name) {
  const auto zone = Zone::find(zone_name);
  if (!zone.ok()) return fail(zone.status());
  return timestamp_text((*zone)->to_local(value.micros));
}
std::optional<std::string> show_day_time(Failure&, std::int64_t value, std::int32_t start,
                                         std::int32_t end) {
  return day_time_text(value, start, end);
}
std::optional<std::string> show_year_month(Failure&, std::int32_t value, std::int32_t start,
                                           std::int32_t end) {
  return year_month_text(value, start, end);
}
std::optional<float> to_float(Failure&, double value) { return static_cast<float>(value); }

template <typename From, typename To>
Status register_narrowing(duckdb_connection c, const std::string& names) {
  TRY((add_kernel<narrow<From, To>>(c, ("ms_" + names).c_str())));
  TRY((add_kernel<narrow<From, To>, true>(c, ("ms_try_" + names).c_str())));
  return add_kernel<wrap<From, To>>(c, ("ms_wrap_" + names).c_str());
}

template <typename To>
Status register_to(duckdb_connection c, const std::string& to) {
  TRY((register_narrowing<double, To>(c, "f64_to_" + to)));
  TRY((register_narrowing<float, To>(c, "f32_to_" + to)));
  TRY(add_kernel<from_decimal<To>>(c, ("ms_decimal_to_" + to).c_str()));
  TRY((add_kernel<from_decimal<To>, true>(c, ("ms_try_decimal_to_" + to).c_str())));
  TRY(add_kernel<wrap_decimal<To>>(c, ("ms_wrap_decimal_to_" + to).c_str()));
  TRY(add_kernel<parse_integer<To>>(c, ("ms_parse_" + to).c_str()));
  TRY((add_kernel<parse_integer<To>, true>(c, ("ms_try_parse_" + to).c_str())));
  TRY(add_kernel<parse_integer_part<To>>(c, ("ms_wrap_parse_" + to).c_str()));
  return add_kernel<bytes_of<To>>(c, ("ms_bytes_of_" + to).c_str());
}

}  // namespace

Status register_cast_kernels(duckdb_connection c) {
  using i8 = std::int8_t;
  using i16 = std::int16_t;
  using i32 = std::int32_t;
  using i64 = std::int64_t;
  TRY(register_to<i8>(c, "i8"));
  TRY(register_to<i16>(c, "i16"));
  TRY(register_to<i32>(c, "i32"));
  TRY(register_to<i64>(c, "i64"));
  TRY((register_narrowing<i16, i8>(c, "i16_to_i8")));
  TRY((register_narrowing<i32, i8>(c, "i32_to_i8")));
  TRY((register_narrowing<i64, i8>(c, "i64_to_i8")));
  TRY((register_narrowing<i32, i16>(c, "i32_to_i16")));
  TRY((register_narrowing<i64, i16>(c, "i64_to_i16")));
  TRY((register_narrowing<i64, i32>(c, "i64_to_i32")));
  TRY(add_kernel<parse_floating<float>>(c, "ms_parse_f32"));
  TRY((add_kernel<parse_floating<float>, true>(c, "ms_try_parse_f32")));
  TRY(add_kernel<parse_floating<double>>(c, "ms_parse_f64"));
  TRY((add_kernel<parse_floating<double>, true>(c, "ms_try_parse_f64")));
  TRY(add_kernel<parse_bool_text>(c, "ms_parse_boolean"));
  TRY((add_kernel<parse_bool_text, true>(c, "ms_try_parse_boolean")));
  TRY(add_kernel<parse_date_text>(c, "ms_parse_date_text"));
  TRY((add_kernel<parse_date_text, true>(c, "ms_try_parse_date_text")));
  TRY(add_kernel<parse_timestamp_text>(c, "ms_parse_timestamp_text"));
  TRY((add_kernel<parse_timestamp_text, true>(c, "ms_try_parse_timestamp_text")));
  TRY(add_kernel<parse_ntz_text>(c, "ms_parse_timestamp_ntz_text"));
  TRY((add_kernel<parse_ntz_text, true>(c, "ms_try_parse_timestamp_ntz_text")));
  TRY(add_kernel<decimal_java_text>(c, "ms_decimal_java_text"));
  TRY(add_kernel<show_double>(c, "ms_double_text"));
  TRY(add_kernel<show_float>(c, "ms_float_text"));
  TRY(add_kernel<show_date>(c, "ms_date_text"));
  TRY(add_kernel<show_timestamp>(c, "ms_timestamp_text"));
  TRY(add_kernel<show_day_time>(c, "ms_day_time_text"));
  TRY(add_kernel<show_year_month>(c, "ms_year_month_text"));
  return add_kernel<to_float>(c, "ms_to_float");
}

}  // namespace millstream::engine
