#include "session/json_rows.h"

#include <arrow/api.h>

#include <nlohmann/json.hpp>

namespace millstream::session {

namespace {

using Json = nlohmann::json;
using column::DataType;
using column::TypeKind;

arrow::Status append(const Json& value, const DataType& type, arrow::ArrayBuilder& builder) {
  switch (type.kind()) {
    case TypeKind::string:
      if (!value.is_string()) return builder.AppendNull();
      return static_cast<arrow::StringBuilder&>(builder).Append(value.get<std::string>());
    case TypeKind::int_:
      if (!value.is_number_integer()) return builder.AppendNull();
      return static_cast<arrow::Int32Builder&>(builder).Append(value.get<std::int32_t>());
    case TypeKind::long_:
      if (!value.is_number_integer()) return builder.AppendNull();
      return static_cast<arrow::Int64Builder&>(builder).Append(value.get<std::int64_t>());
    case TypeKind::double_:
      if (!value.is_number()) return builder.AppendNull();
      return static_cast<arrow::DoubleBuilder&>(builder).Append(value.get<double>());
    case TypeKind::timestamp:
      if (!value.is_number_integer()) return builder.AppendNull();
      return static_cast<arrow::TimestampBuilder&>(builder).Append(value.get<std::int64_t>());
    case TypeKind::boolean:
      if (!value.is_boolean()) return builder.AppendNull();
      return static_cast<arrow::BooleanBuilder&>(builder).Append(value.get<bool>());
    case TypeKind::array: {
      auto& list = static_cast<arrow::ListBuilder&>(builder);
      if (!value.is_array()) return list.AppendNull();
      ARROW_RETURN_NOT_OK(list.Append());
      for (const Json& element : value) {
        ARROW_RETURN_NOT_OK(append(element, *type.element(), *list.value_builder()));
      }
      return arrow::Status::OK();
    }
    case TypeKind::map: {
      auto& map = static_cast<arrow::MapBuilder&>(builder);
      if (!value.is_object()) return map.AppendNull();
      ARROW_RETURN_NOT_OK(map.Append());
      for (const auto& [key, element] : value.items()) {
        ARROW_RETURN_NOT_OK(append(Json(key), *type.key(), *map.key_builder()));
        ARROW_RETURN_NOT_OK(append(element, *type.value(), *map.item_builder()));
      }
      return arrow::Status::OK();
    }
    case TypeKind::struct_: {
      auto& members = static_cast<arrow::StructBuilder&>(builder);
      if (!value.is_object()) return members.AppendNull();
      ARROW_RETURN_NOT_OK(members.Append());
      for (int i = 0; i < members.num_fields(); ++i) {
        const auto& field = type.fields()[static_cast<std::size_t>(i)];
        const auto found = value.find(field.name);
        ARROW_RETURN_NOT_OK(
            append(found == value.end() ? Json() : *found, *field.type, *members.field_builder(i)));
      }
      return arrow::Status::OK();
    }
    default:
      return arrow::Status::NotImplemented(type.sql());
  }
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> build(const column::Schema& schema,
                                                         const std::vector<Json>& rows) {
  std::vector<std::shared_ptr<arrow::Array>> columns;
  const auto arrow_schema = column::to_arrow(schema);
  for (std::size_t i = 0; i < schema.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(auto builder,
                          arrow::MakeBuilder(arrow_schema->field(static_cast<int>(i))->type()));
    for (const Json& row : rows) {
      const auto found = row.find(schema[i].name);
      ARROW_RETURN_NOT_OK(append(found == row.end() ? Json() : *found, *schema[i].type, *builder));
    }
    ARROW_ASSIGN_OR_RAISE(auto column, builder->Finish());
    columns.push_back(std::move(column));
  }
  return arrow::RecordBatch::Make(arrow_schema, static_cast<std::int64_t>(rows.size()),
                                  std::move(columns));
}

}  // namespace

Result<CatalogResult> rows_of_json(column::Schema schema, const std::vector<Json>& rows) {
  auto batch = build(schema, rows);
  if (!batch.ok()) return Status::internal("{}", batch.status().ToString());
  return CatalogResult{std::move(schema), *batch};
}

Result<connector::RecordBatchPtr> concatenated(
    const column::Schema& schema, const std::vector<connector::RecordBatchPtr>& batches) {
  if (batches.empty()) {
    auto none = arrow::RecordBatch::MakeEmpty(column::to_arrow(schema));
    if (!none.ok()) return Status::internal("{}", none.status().ToString());
    return *none;
  }
  auto whole = arrow::ConcatenateRecordBatches(batches);
  if (!whole.ok()) return Status::internal("{}", whole.status().ToString());
  return *whole;
}

}  // namespace millstream::session
