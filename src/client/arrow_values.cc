#include "client/arrow_values.h"

#include <arrow/array.h>
#include <arrow/io/memory.h>
#include <arrow/ipc/reader.h>
#include <arrow/ipc/writer.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include "base/time_of_day.h"

namespace millstream::client {
namespace {

using api::Value;

Status from_arrow(const arrow::Status& status) { return Status::invalid("{}", status.ToString()); }

template <typename Array>
const Array& as(const arrow::Array& array) {
  return static_cast<const Array&>(array);
}

Value list_at(const arrow::Array& values, std::int64_t offset, std::int64_t length) {
  api::Values out;
  out.reserve(static_cast<std::size_t>(length));
  for (std::int64_t i = 0; i < length; ++i) out.push_back(value_at(values, offset + i));
  return out;
}

Value map_at(const arrow::MapArray& array, std::int64_t index) {
  api::Entries out;
  const std::int64_t begin = array.value_offset(index);
  for (std::int64_t i = begin; i < begin + array.value_length(index); ++i)
    out.emplace_back(value_at(*array.keys(), i), value_at(*array.items(), i));
  return out;
}

Value struct_at(const arrow::StructArray& array, std::int64_t index) {
  auto names = std::make_shared<std::vector<std::string>>();
  api::Values values;
  for (int i = 0; i < array.num_fields(); ++i) {
    names->push_back(array.struct_type()->field(i)->name());
    values.push_back(value_at(*array.field(i), index));
  }
  return api::Row(std::move(names), std::move(values));
}

// Units of a second in a microsecond's place.
std::int64_t to_micros(std::int64_t value, arrow::TimeUnit::type unit) {
  switch (unit) {
    case arrow::TimeUnit::SECOND:
      return value * 1'000'000;
    case arrow::TimeUnit::MILLI:
      return value * 1'000;
    case arrow::TimeUnit::MICRO:
      return value;
    case arrow::TimeUnit::NANO:
      return value / 1'000;
  }
  return value;
}

Value timestamp_at(const arrow::TimestampArray& array, std::int64_t index) {
  const auto& type = static_cast<const arrow::TimestampType&>(*array.type());
  const std::int64_t micros = to_micros(array.Value(index), type.unit());
  if (type.timezone().empty()) return api::TimestampNtz{micros};
  return api::Timestamp{micros};
}

// Types that the API has no form for come as Arrow's text.
Value text_at(const arrow::Array& array, std::int64_t index) {
  const auto scalar = array.GetScalar(index);
  return scalar.ok() ? Value((*scalar)->ToString()) : Value();
}

}  // namespace

Value value_at(const arrow::Array& array, std::int64_t index) {
  if (array.IsNull(index)) return {};
  switch (array.type_id()) {
    case arrow::Type::NA:
      return {};
    case arrow::Type::BOOL:
      return as<arrow::BooleanArray>(array).Value(index);
    case arrow::Type::INT8:
      return std::int64_t{as<arrow::Int8Array>(array).Value(index)};
    case arrow::Type::INT16:
      return std::int64_t{as<arrow::Int16Array>(array).Value(index)};
    case arrow::Type::INT32:
      return std::int64_t{as<arrow::Int32Array>(array).Value(index)};
    case arrow::Type::INT64:
      return as<arrow::Int64Array>(array).Value(index);
    case arrow::Type::FLOAT:
      return double{as<arrow::FloatArray>(array).Value(index)};
    case arrow::Type::DOUBLE:
      return as<arrow::DoubleArray>(array).Value(index);
    case arrow::Type::STRING:
      return as<arrow::StringArray>(array).GetString(index);
    case arrow::Type::LARGE_STRING:
      return as<arrow::LargeStringArray>(array).GetString(index);
    case arrow::Type::BINARY:
      return api::Binary{as<arrow::BinaryArray>(array).GetString(index)};
    case arrow::Type::LARGE_BINARY:
      return api::Binary{as<arrow::LargeBinaryArray>(array).GetString(index)};
    case arrow::Type::DECIMAL128:
      return api::Decimal{as<arrow::Decimal128Array>(array).FormatValue(index)};
    case arrow::Type::DATE32:
      return api::Date{as<arrow::Date32Array>(array).Value(index)};
    case arrow::Type::TIMESTAMP:
      return timestamp_at(as<arrow::TimestampArray>(array), index);
    case arrow::Type::TIME64: {  // as a text: the API has no form for it
      const auto& type = static_cast<const arrow::Time64Type&>(*array.type());
      const std::int64_t value = as<arrow::Time64Array>(array).Value(index);
      return time_of_day_text(type.unit() == arrow::TimeUnit::MICRO ? value * 1'000 : value);
    }
    case arrow::Type::DURATION: {
      const auto& type = static_cast<const arrow::DurationType&>(*array.type());
      return api::DayTimeInterval{
          to_micros(as<arrow::DurationArray>(array).Value(index), type.unit())};
    }
    case arrow::Type::INTERVAL_MONTHS:
      return api::YearMonthInterval{as<arrow::MonthIntervalArray>(array).Value(index)};
    case arrow::Type::LIST: {
      const auto& list = as<arrow::ListArray>(array);
      return list_at(*list.values(), list.value_offset(index), list.value_length(index));
    }
    case arrow::Type::MAP:
      return map_at(as<arrow::MapArray>(array), index);
    case arrow::Type::STRUCT:
      return struct_at(as<arrow::StructArray>(array), index);
    default:
      return text_at(array, index);
  }
}

api::Row row_at(const arrow::RecordBatch& batch, const api::Row::Names& names, std::int64_t row) {
  api::Values values;
  values.reserve(static_cast<std::size_t>(batch.num_columns()));
  for (const auto& column : batch.columns()) values.push_back(value_at(*column, row));
  return {names, std::move(values)};
}

Result<std::vector<std::shared_ptr<arrow::RecordBatch>>> read_ipc(const std::string& bytes) {
  auto stream = std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(bytes));
  auto reader = arrow::ipc::RecordBatchStreamReader::Open(stream);
  if (!reader.ok()) return from_arrow(reader.status());
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches;
  for (;;) {
    std::shared_ptr<arrow::RecordBatch> batch;
    if (const auto status = (*reader)->ReadNext(&batch); !status.ok()) return from_arrow(status);
    if (batch == nullptr) return batches;
    if (const auto status = batch->Validate(); !status.ok()) return from_arrow(status);
    batches.push_back(std::move(batch));
  }
}

}  // namespace millstream::client
