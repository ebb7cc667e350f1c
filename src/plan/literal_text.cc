#include <arrow/array.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include "base/time_of_day.h"
#include "plan/literal.h"
#include "plan/text.h"

namespace millstream::plan {
namespace {

using column::TypeKind;
using column::TypePtr;

std::string quoted_string(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string hex_of(const std::string& bytes) {
  std::string out = "X'";
  for (const char c : bytes) out += fmt::format("{:02X}", static_cast<unsigned char>(c));
  return out + "'";
}

// Each value of a list's array, as text.
std::string joined(const arrow::Array& values, const TypePtr& element) {
  std::string out;
  for (std::int64_t i = 0; i < values.length(); ++i) {
    if (i > 0) out += ", ";
    const auto scalar = values.GetScalar(i);
    out += scalar.ok() ? literal_sql(**scalar, element) : "NULL";
  }
  return out;
}

std::string map_text(const arrow::MapScalar& map, const TypePtr& type) {
  const auto& entries = static_cast<const arrow::StructArray&>(*map.value);
  return "MAP(" + [&] {
    std::string out;
    for (std::int64_t i = 0; i < entries.length(); ++i) {
      if (i > 0) out += ", ";
      const auto key = entries.field(0)->GetScalar(i);
      const auto value = entries.field(1)->GetScalar(i);
      out += literal_sql(**key, type->key()) + ", " + literal_sql(**value, type->value());
    }
    return out;
  }() + ")";
}

std::string struct_text(const arrow::StructScalar& value, const TypePtr& type) {
  std::string out = "NAMED_STRUCT(";
  for (std::size_t i = 0; i < value.value.size(); ++i) {
    if (i > 0) out += ", ";
    out += quoted_string(type->fields()[i].name) + ", ";
    out += literal_sql(*value.value[i], type->fields()[i].type);
  }
  return out + ")";
}

std::string calendar_interval_text(const arrow::MonthDayNanoIntervalScalar& scalar) {
  const auto& v = scalar.value;
  std::string out;
  const auto add = [&](std::int64_t n, const char* unit) {
    if (n != 0) out += fmt::format("{}{} {}", out.empty() ? "" : " ", n, unit);
  };
  add(v.months / 12, "years");
  add(v.months % 12, "months");
  add(v.days, "days");
  const std::int64_t micros = v.nanoseconds / 1000;
  add(micros / 3'600'000'000, "hours");
  add(micros / 60'000'000 % 60, "minutes");
  const std::int64_t seconds = micros % 60'000'000;
  if (seconds != 0) {
    std::string text = fmt::format("{}{}.{:06}", seconds < 0 ? "-" : "",
                                   std::abs(seconds) / 1'000'000, std::abs(seconds) % 1'000'000);
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
    out += fmt::format("{}{} seconds", out.empty() ? "" : " ", text);
  }
  return fmt::format("INTERVAL '{}'", out.empty() ? "0 seconds" : out);
}

// Text that is the same inside and outside of other expressions.
std::string common_text(const arrow::Scalar& value, const TypePtr& type) {
  switch (type->kind()) {
    case TypeKind::boolean:
      return static_cast<const arrow::BooleanScalar&>(value).value ? "true" : "false";
    case TypeKind::binary:
      return hex_of(static_cast<const arrow::BaseBinaryScalar&>(value).value->ToString());
    case TypeKind::date:
      return fmt::format("DATE '{}'",
                         format_date(static_cast<const arrow::Date32Scalar&>(value).value));
    case TypeKind::timestamp:
      return fmt::format(
          "TIMESTAMP '{}'",
          format_timestamp_utc(static_cast<const arrow::TimestampScalar&>(value).value));
    case TypeKind::timestamp_ntz:
      return fmt::format(
          "TIMESTAMP_NTZ '{}'",
          format_timestamp_utc(static_cast<const arrow::TimestampScalar&>(value).value));
    case TypeKind::time:
      return fmt::format("TIME '{}'",
                         time_of_day_text(static_cast<const arrow::Time64Scalar&>(value).value));
    case TypeKind::day_time_interval:
      return format_day_time_interval(static_cast<const arrow::DurationScalar&>(value).value,
                                      type->start_field(), type->end_field());
    case TypeKind::year_month_interval:
      return format_year_month_interval(static_cast<const arrow::MonthIntervalScalar&>(value).value,
                                        type->start_field(), type->end_field());
    case TypeKind::calendar_interval:
      return calendar_interval_text(static_cast<const arrow::MonthDayNanoIntervalScalar&>(value));
    case TypeKind::array: {
      const auto& list = static_cast<const arrow::BaseListScalar&>(value);
      return "ARRAY(" + joined(*list.value, type->element()) + ")";
    }
    case TypeKind::map:
      return map_text(static_cast<const arrow::MapScalar&>(value), type);
    case TypeKind::struct_:
      return struct_text(static_cast<const arrow::StructScalar&>(value), type);
    default:
      return value.ToString();
  }
}

}  // namespace

std::string literal_name(const arrow::Scalar& value, const TypePtr& type) {
  if (!value.is_valid) return "NULL";
  switch (type->kind()) {
    case TypeKind::byte_:
    case TypeKind::short_:
    case TypeKind::int_:
    case TypeKind::long_:
    case TypeKind::decimal:
      return value.ToString();
    case TypeKind::float_:
      return java_float(static_cast<const arrow::FloatScalar&>(value).value);
    case TypeKind::double_:
      return java_double(static_cast<const arrow::DoubleScalar&>(value).value);
    case TypeKind::string:
    case TypeKind::char_:
    case TypeKind::varchar:
      return static_cast<const arrow::BaseBinaryScalar&>(value).value->ToString();
    default:
      return common_text(value, type);
  }
}

std::string literal_sql(const arrow::Scalar& value, const TypePtr& type) {
  if (!value.is_valid) {
    return type->kind() == TypeKind::null ? "NULL" : fmt::format("CAST(NULL AS {})", type->sql());
  }
  switch (type->kind()) {
    case TypeKind::byte_:
      return value.ToString() + "Y";
    case TypeKind::short_:
      return value.ToString() + "S";
    case TypeKind::long_:
      return value.ToString() + "L";
    case TypeKind::decimal:
      return value.ToString() + "BD";
    case TypeKind::float_:
      return fmt::format("CAST({} AS FLOAT)", literal_name(value, type));
    case TypeKind::double_:
      return literal_name(value, type) + "D";
    case TypeKind::string:
      return quoted_string(literal_name(value, type));
    default:
      return literal_name(value, type);
  }
}

}  // namespace millstream::plan
