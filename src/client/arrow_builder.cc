// Rows of the API become Arrow: one appender for all types, driven by the builder's type.
#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/io/memory.h>
#include <arrow/ipc/writer.h>
#include <arrow/record_batch.h>
#include <arrow/util/decimal.h>

#include "client/arrow_values.h"

namespace millstream::client {
namespace {

using api::Value;

Status append(const Value& value, arrow::ArrayBuilder* builder);

Status check(const arrow::Status& status) {
  return status.ok() ? Status::OK() : Status::invalid("{}", status.ToString());
}

template <typename T>
Result<const T*> get(const Value& value, const arrow::ArrayBuilder& builder) {
  if (const T* found = std::get_if<T>(&value.storage())) return found;
  return Status::invalid("{} is no {}", value.to_string(), builder.type()->ToString());
}

template <typename Builder>
Status append_integer(const Value& value, arrow::ArrayBuilder* builder) {
  using T = typename Builder::value_type;
  TRY_ASSIGN(const auto* number, get<std::int64_t>(value, *builder));
  const T narrow = static_cast<T>(*number);
  if (narrow != *number)
    return Status::invalid("{} is too large for {}", *number, builder->type()->ToString());
  return check(static_cast<Builder*>(builder)->Append(narrow));
}

template <typename Builder>
Status append_floating(const Value& value, arrow::ArrayBuilder* builder) {
  using T = typename Builder::value_type;
  if (const auto* number = std::get_if<std::int64_t>(&value.storage()))
    return check(static_cast<Builder*>(builder)->Append(static_cast<T>(*number)));
  TRY_ASSIGN(const auto* number, get<double>(value, *builder));
  return check(static_cast<Builder*>(builder)->Append(static_cast<T>(*number)));
}

Status append_decimal(const Value& value, arrow::ArrayBuilder* builder) {
  const auto& type = static_cast<const arrow::Decimal128Type&>(*builder->type());
  std::string text;
  if (const auto* number = std::get_if<std::int64_t>(&value.storage())) {
    text = std::to_string(*number);
  } else {
    TRY_ASSIGN(const auto* decimal, get<api::Decimal>(value, *builder));
    text = decimal->text;
  }
  arrow::Decimal128 number;
  std::int32_t precision = 0;
  std::int32_t scale = 0;
  TRY(check(arrow::Decimal128::FromString(text, &number, &precision, &scale)));
  const auto scaled = number.Rescale(scale, type.scale());
  if (!scaled.ok() || !scaled->FitsInPrecision(type.precision()))
    return Status::invalid("{} does not fit {}", text, type.ToString());
  return check(static_cast<arrow::Decimal128Builder*>(builder)->Append(*scaled));
}

Status append_timestamp(const Value& value, arrow::ArrayBuilder* builder) {
  auto* target = static_cast<arrow::TimestampBuilder*>(builder);
  const bool zoned = !static_cast<const arrow::TimestampType&>(*builder->type()).timezone().empty();
  if (zoned) {
    TRY_ASSIGN(const auto* time, get<api::Timestamp>(value, *builder));
    return check(target->Append(time->micros));
  }
  TRY_ASSIGN(const auto* time, get<api::TimestampNtz>(value, *builder));
  return check(target->Append(time->micros));
}

Status append_list(const Value& value, arrow::ListBuilder* builder) {
  TRY_ASSIGN(const auto* values, get<std::shared_ptr<const api::Values>>(value, *builder));
  TRY(check(builder->Append()));
  for (const Value& element : **values) TRY(append(element, builder->value_builder()));
  return Status::OK();
}

Status append_map(const Value& value, arrow::MapBuilder* builder) {
  TRY_ASSIGN(const auto* entries, get<std::shared_ptr<const api::Entries>>(value, *builder));
  TRY(check(builder->Append()));
  for (const auto& [key, item] : **entries) {
    TRY(append(key, builder->key_builder()));
    TRY(append(item, builder->item_builder()));
  }
  return Status::OK();
}

Status append_struct(const Value& value, arrow::StructBuilder* builder) {
  TRY_ASSIGN(const auto* row, get<api::Row>(value, *builder));
  if (row->size() != static_cast<std::size_t>(builder->num_fields()))
    return Status::invalid("{} has {} fields, not {}", row->to_string(), row->size(),
                           builder->num_fields());
  TRY(check(builder->Append()));
  for (int i = 0; i < builder->num_fields(); ++i)
    TRY(append((*row)[static_cast<std::size_t>(i)], builder->field_builder(i)));
  return Status::OK();
}

Status append(const Value& value, arrow::ArrayBuilder* builder) {
  if (value.is_null()) return check(builder->AppendNull());
  switch (builder->type()->id()) {
    case arrow::Type::BOOL: {
      TRY_ASSIGN(const auto* flag, get<bool>(value, *builder));
      return check(static_cast<arrow::BooleanBuilder*>(builder)->Append(*flag));
    }
    case arrow::Type::INT8:
      return append_integer<arrow::Int8Builder>(value, builder);
    case arrow::Type::INT16:
      return append_integer<arrow::Int16Builder>(value, builder);
    case arrow::Type::INT32:
      return append_integer<arrow::Int32Builder>(value, builder);
    case arrow::Type::INT64:
      return append_integer<arrow::Int64Builder>(value, builder);
    case arrow::Type::FLOAT:
      return append_floating<arrow::FloatBuilder>(value, builder);
    case arrow::Type::DOUBLE:
      return append_floating<arrow::DoubleBuilder>(value, builder);
    case arrow::Type::DECIMAL128:
      return append_decimal(value, builder);
    case arrow::Type::STRING: {
      TRY_ASSIGN(const auto* text, get<std::string>(value, *builder));
      return check(static_cast<arrow::StringBuilder*>(builder)->Append(*text));
    }
    case arrow::Type::BINARY: {
      TRY_ASSIGN(const auto* binary, get<api::Binary>(value, *builder));
      return check(static_cast<arrow::BinaryBuilder*>(builder)->Append(binary->bytes));
    }
    case arrow::Type::DATE32: {
      TRY_ASSIGN(const auto* date, get<api::Date>(value, *builder));
      return check(static_cast<arrow::Date32Builder*>(builder)->Append(date->days));
    }
    case arrow::Type::TIMESTAMP:
      return append_timestamp(value, builder);
    case arrow::Type::DURATION: {
      TRY_ASSIGN(const auto* interval, get<api::DayTimeInterval>(value, *builder));
      return check(static_cast<arrow::DurationBuilder*>(builder)->Append(interval->micros));
    }
    case arrow::Type::LIST:
      return append_list(value, static_cast<arrow::ListBuilder*>(builder));
    case arrow::Type::MAP:
      return append_map(value, static_cast<arrow::MapBuilder*>(builder));
    case arrow::Type::STRUCT:
      return append_struct(value, static_cast<arrow::StructBuilder*>(builder));
    default:
      return Status::unsupported("a local DataFrame cannot hold {}", builder->type()->ToString());
  }
}

Result<std::shared_ptr<arrow::RecordBatch>> to_batch(const std::vector<api::Values>& rows,
                                                     const column::Schema& schema) {
  std::vector<std::shared_ptr<arrow::Array>> arrays;
  const auto arrow_schema = column::to_arrow(schema);
  for (std::size_t c = 0; c < schema.size(); ++c) {
    std::unique_ptr<arrow::ArrayBuilder> builder;
    TRY(check(arrow::MakeBuilder(arrow::default_memory_pool(),
                                 arrow_schema->field(static_cast<int>(c))->type(), &builder)));
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const auto place = [&] { return fmt::format("row {}, column {}", r + 1, schema[c].name); };
      if (rows[r].size() != schema.size())
        return Status::invalid("row {} has {} values, the schema {} columns", r + 1, rows[r].size(),
                               schema.size());
      if (rows[r][c].is_null() && !schema[c].nullable)
        return Status::invalid("{}: NULL in a column that is NOT NULL", place());
      if (const Status status = append(rows[r][c], builder.get()); !status.ok())
        return status.at(place());
    }
    std::shared_ptr<arrow::Array> array;
    TRY(check(builder->Finish(&array)));
    arrays.push_back(std::move(array));
  }
  return arrow::RecordBatch::Make(arrow_schema, static_cast<std::int64_t>(rows.size()),
                                  std::move(arrays));
}

}  // namespace

Result<std::string> write_ipc(const std::vector<api::Values>& rows, const column::Schema& schema) {
  TRY_ASSIGN(const auto batch, to_batch(rows, schema));
  auto sink = arrow::io::BufferOutputStream::Create();
  if (!sink.ok()) return check(sink.status());
  auto writer = arrow::ipc::MakeStreamWriter(*sink, batch->schema());
  if (!writer.ok()) return check(writer.status());
  TRY(check((*writer)->WriteRecordBatch(*batch)));
  TRY(check((*writer)->Close()));
  const auto buffer = (*sink)->Finish();
  if (!buffer.ok()) return check(buffer.status());
  return (*buffer)->ToString();
}

}  // namespace millstream::client
