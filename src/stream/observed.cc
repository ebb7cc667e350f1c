// Observed rows as JSON, from their Arrow form.
#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include <cmath>

#include "base/text.h"
#include "stream/progress.h"

namespace millstream::stream {
namespace {

std::string scalar_json(const arrow::Scalar& scalar, const column::DataType& type);

std::string struct_json(const arrow::StructScalar& scalar, const column::DataType& type) {
  std::string out = "{";
  for (std::size_t i = 0; i < type.fields().size(); ++i) {
    out += i > 0 ? "," : "";
    out += json_quote(type.fields()[i].name) + ":" +
           scalar_json(*scalar.value[i], *type.fields()[i].type);
  }
  return out + "}";
}

std::string list_json(const arrow::BaseListScalar& scalar, const column::DataType& type) {
  std::string out = "[";
  for (std::int64_t i = 0; i < scalar.value->length(); ++i) {
    out += i > 0 ? "," : "";
    const auto element = scalar.value->GetScalar(i);
    out += element.ok() ? scalar_json(**element, *type.element()) : "null";
  }
  return out + "]";
}

std::string double_json(double value) {
  if (!std::isfinite(value))
    return json_quote(std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity");
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string scalar_json(const arrow::Scalar& scalar, const column::DataType& type) {
  using column::TypeKind;
  if (!scalar.is_valid) return "null";
  switch (type.kind()) {
    case TypeKind::boolean:
    case TypeKind::byte_:
    case TypeKind::short_:
    case TypeKind::int_:
    case TypeKind::long_:
    case TypeKind::decimal:
      return scalar.ToString();
    case TypeKind::float_:
      return double_json(static_cast<double>(static_cast<const arrow::FloatScalar&>(scalar).value));
    case TypeKind::double_:
      return double_json(static_cast<const arrow::DoubleScalar&>(scalar).value);
    case TypeKind::struct_:
      return struct_json(static_cast<const arrow::StructScalar&>(scalar), type);
    case TypeKind::array:
      return list_json(static_cast<const arrow::BaseListScalar&>(scalar), type);
    case TypeKind::timestamp: {
      const auto micros = static_cast<const arrow::TimestampScalar&>(scalar).value;
      return json_quote(iso_utc_ms(micros / 1000));
    }
    default:
      return json_quote(scalar.ToString());
  }
}

std::string field_json(const engine::ObservedMetrics& metrics, std::size_t i) {
  const auto scalar = metrics.row->column(static_cast<int>(i))->GetScalar(0);
  return scalar.ok() ? scalar_json(**scalar, *metrics.schema[i].type) : "null";
}

}  // namespace

std::string observed_object(const engine::ObservedMetrics& metrics) {
  std::string out = "{";
  for (std::size_t i = 0; i < metrics.schema.size(); ++i) {
    out += i > 0 ? "," : "";
    out += json_quote(metrics.schema[i].name) + ":" + field_json(metrics, i);
  }
  return out + "}";
}

std::string observed_values(const engine::ObservedMetrics& metrics) {
  std::string out = "[";
  for (std::size_t i = 0; i < metrics.schema.size(); ++i) {
    out += i > 0 ? "," : "";
    out += field_json(metrics, i);
  }
  return out + "]";
}

}  // namespace millstream::stream
