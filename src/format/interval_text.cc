#include "format/interval_text.h"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>

#include "base/ansi_interval.h"
#include "format/arrow_status.h"

namespace millstream::format {
namespace {

using column::DataType;
using column::TypeKind;
using ArrayPtr = std::shared_ptr<arrow::Array>;

bool is_interval(const DataType& type) {
  return type.kind() == TypeKind::day_time_interval || type.kind() == TypeKind::year_month_interval;
}

bool has_interval(const DataType& type) {
  return is_interval(type) ||
         std::any_of(type.fields().begin(), type.fields().end(),
                     [](const column::Field& field) { return has_interval(*field.type); });
}

std::string text_at(const arrow::Array& array, std::int64_t row, const DataType& type,
                    bool is_key) {
  const bool months = type.kind() == TypeKind::year_month_interval;
  const std::int64_t value = months
                                 ? static_cast<const arrow::MonthIntervalArray&>(array).Value(row)
                                 : static_cast<const arrow::DurationArray&>(array).Value(row);
  if (is_key) return std::to_string(value);
  return months ? year_month_interval_text(value, type.start_field(), type.end_field())
                : day_time_interval_text(value, type.start_field(), type.end_field());
}

Result<ArrayPtr> texts_of(const arrow::Array& array, const DataType& type, bool is_key) {
  arrow::StringBuilder builder;
  for (std::int64_t row = 0; row < array.length(); ++row) {
    TRY_ARROW(array.IsNull(row) ? builder.AppendNull()
                                : builder.Append(text_at(array, row, type, is_key)));
  }
  TRY_ARROW_ASSIGN(auto out, builder.Finish());
  return out;
}

Result<ArrayPtr> converted(const ArrayPtr& array, const DataType& type, bool is_key);

// The members of a struct, or the key and the value of a map's entries.
Result<std::shared_ptr<arrow::ArrayData>> with_members(
    const std::shared_ptr<arrow::ArrayData>& data, const DataType& type, bool map) {
  auto out = data->Copy();
  arrow::FieldVector fields;
  for (std::size_t i = 0; i < out->child_data.size(); ++i) {
    TRY_ASSIGN(const auto member, converted(arrow::MakeArray(out->child_data[i]),
                                            *type.fields()[i].type, map && i == 0));
    out->child_data[i] = member->data();
    fields.push_back(data->type->field(static_cast<int>(i))->WithType(member->type()));
  }
  out->type = arrow::struct_(std::move(fields));
  return out;
}

Result<ArrayPtr> converted(const ArrayPtr& array, const DataType& type, bool is_key) {
  if (!has_interval(type)) return array;
  if (is_interval(type)) return texts_of(*array, type, is_key);
  auto data = array->data()->Copy();
  switch (type.kind()) {
    case TypeKind::array: {
      TRY_ASSIGN(const auto items,
                 converted(arrow::MakeArray(data->child_data[0]), *type.element(), false));
      data->child_data[0] = items->data();
      data->type = arrow::list(data->type->field(0)->WithType(items->type()));
      return arrow::MakeArray(data);
    }
    case TypeKind::map: {
      TRY_ASSIGN(data->child_data[0], with_members(data->child_data[0], type, true));
      const auto& entries = *data->child_data[0]->type;
      data->type = std::make_shared<arrow::MapType>(entries.field(0), entries.field(1));
      return arrow::MakeArray(data);
    }
    default: {
      TRY_ASSIGN(data, with_members(data, type, false));
      return arrow::MakeArray(data);
    }
  }
}

}  // namespace

bool has_interval(const column::Schema& schema) {
  return std::any_of(schema.begin(), schema.end(),
                     [](const column::Field& field) { return has_interval(*field.type); });
}

bool set_interval(JsonColumn& column, std::int64_t row, std::string_view text) {
  const DataType& type = *column.type();
  if (type.kind() == TypeKind::day_time_interval) {
    const auto micros = parse_day_time_interval(text, type.start_field(), type.end_field());
    if (micros.ok()) column.set<std::int64_t>(row, *micros);
    return micros.ok();
  }
  const auto months = parse_year_month_interval(text, type.start_field(), type.end_field());
  if (months.ok()) column.set<std::int32_t>(row, *months);
  return months.ok();
}

Result<connector::RecordBatchPtr> with_interval_texts(const connector::RecordBatchPtr& batch,
                                                      const column::Schema& schema) {
  arrow::ArrayVector columns;
  arrow::FieldVector fields;
  for (int i = 0; i < batch->num_columns(); ++i) {
    TRY_ASSIGN(auto column,
               converted(batch->column(i), *schema[static_cast<std::size_t>(i)].type, false));
    fields.push_back(batch->schema()->field(i)->WithType(column->type()));
    columns.push_back(std::move(column));
  }
  return arrow::RecordBatch::Make(arrow::schema(std::move(fields)), batch->num_rows(),
                                  std::move(columns));
}

}  // namespace millstream::format
