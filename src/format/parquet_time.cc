#include "format/parquet_time.h"

#include <arrow/array.h>
#include <arrow/array/data.h>
#include <arrow/buffer.h>
#include <arrow/type.h>
#include <parquet/schema.h>

#include "format/arrow_status.h"

namespace millstream::format {
namespace {

using TypePtr = std::shared_ptr<arrow::DataType>;

// Times in that unit; in a file's own form intervals are the numbers that they count.
TypePtr in_unit(const TypePtr& type, arrow::TimeUnit::type unit) {
  const auto member = [&](const std::shared_ptr<arrow::Field>& field) {
    return field->WithType(in_unit(field->type(), unit));
  };
  switch (type->id()) {
    case arrow::Type::TIME64:
      return arrow::time64(unit);
    case arrow::Type::DURATION:
      return arrow::int64();
    case arrow::Type::INTERVAL_MONTHS:
      return arrow::int32();
    case arrow::Type::LIST:
      return arrow::list(member(type->field(0)));
    case arrow::Type::MAP: {
      const auto& map = static_cast<const arrow::MapType&>(*type);
      return std::make_shared<arrow::MapType>(member(map.key_field()), member(map.item_field()),
                                              map.keys_sorted());
    }
    case arrow::Type::STRUCT: {
      arrow::FieldVector members;
      for (const auto& field : type->fields()) members.push_back(member(field));
      return arrow::struct_(std::move(members));
    }
    default:
      return type;
  }
}

std::shared_ptr<arrow::Schema> in_unit(const std::shared_ptr<arrow::Schema>& schema,
                                       arrow::TimeUnit::type unit) {
  arrow::FieldVector fields;
  for (const auto& field : schema->fields())
    fields.push_back(field->WithType(in_unit(field->type(), unit)));
  return arrow::schema(std::move(fields), schema->metadata());
}

using DataPtr = std::shared_ptr<arrow::ArrayData>;

// The values of `from` in microseconds.
Result<DataPtr> in_micros(const arrow::ArrayData& from, const TypePtr& type) {
  constexpr std::int64_t nanos_per_micro = 1000;
  const std::int64_t count = from.offset + from.length;
  TRY_ARROW_ASSIGN(std::shared_ptr<arrow::Buffer> buffer,
                   arrow::AllocateBuffer(count * static_cast<std::int64_t>(sizeof(std::int64_t))));
  const auto* nanos = from.GetValues<std::int64_t>(1, 0);
  auto* micros = reinterpret_cast<std::int64_t*>(buffer->mutable_data());
  for (std::int64_t i = 0; i < count; ++i) micros[i] = nanos[i] / nanos_per_micro;
  auto out = from.Copy();
  out->type = type;
  out->buffers[1] = std::move(buffer);
  return out;
}

// Another type of the same layout, but for times, which are divided.
Result<DataPtr> relabelled(const DataPtr& data, const TypePtr& type) {
  if (data->type->Equals(*type)) return data;
  if (type->id() == arrow::Type::TIME64) return in_micros(*data, type);
  auto out = data->Copy();
  out->type = type;
  for (std::size_t i = 0; i < out->child_data.size(); ++i) {
    const auto& child = type->id() == arrow::Type::MAP
                            ? static_cast<const arrow::MapType&>(*type).value_type()
                            : type->field(static_cast<int>(i))->type();
    TRY_ASSIGN(out->child_data[i], relabelled(data->child_data[i], child));
  }
  return out;
}

}  // namespace

TypePtr parquet_form(const TypePtr& type) { return in_unit(type, arrow::TimeUnit::MICRO); }

std::shared_ptr<arrow::Schema> parquet_form(const std::shared_ptr<arrow::Schema>& schema) {
  return in_unit(schema, arrow::TimeUnit::MICRO);
}

std::shared_ptr<arrow::Schema> spark_form(const std::shared_ptr<arrow::Schema>& schema) {
  return in_unit(schema, arrow::TimeUnit::NANO);
}

Result<std::shared_ptr<arrow::Array>> in_parquet_form(const std::shared_ptr<arrow::Array>& array,
                                                      const TypePtr& type) {
  TRY_ASSIGN(const auto data, relabelled(array->data(), type));
  return arrow::MakeArray(data);
}

Status check_parquet_times(const parquet::SchemaDescriptor& schema) {
  for (int i = 0; i < schema.num_columns(); ++i) {
    const auto& logical = schema.Column(i)->logical_type();
    if (logical == nullptr || !logical->is_time()) continue;
    const auto& time = static_cast<const parquet::TimeLogicalType&>(*logical);
    if (time.time_unit() == parquet::LogicalType::TimeUnit::MICROS && !time.is_adjusted_to_utc())
      continue;
    const bool millis = time.time_unit() == parquet::LogicalType::TimeUnit::MILLIS;
    const std::string_view unit = millis ? "MILLIS"
                                  : time.time_unit() == parquet::LogicalType::TimeUnit::MICROS
                                      ? "MICROS"
                                      : "NANOS";
    return Status::error(
        "PARQUET_TYPE_ILLEGAL",
        {{"parquetType", fmt::format("{} (TIME({},{}))", millis ? "INT32" : "INT64", unit,
                                     time.is_adjusted_to_utc())}});
  }
  return Status::OK();
}

}  // namespace millstream::format
