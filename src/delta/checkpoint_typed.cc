#include "delta/checkpoint_typed.h"

#include <arrow/array/builder_primitive.h>
#include <arrow/scalar.h>

#include "delta/stats_columns.h"
#include "delta/values.h"

namespace millstream::delta {
namespace {

using column::TypeKind;

bool has_bounds(const column::DataType& type) {
  if (type.is_nested()) return false;
  switch (type.kind()) {
    case TypeKind::boolean:
    case TypeKind::binary:
    case TypeKind::null:
    case TypeKind::variant:
      return false;
    default:
      return true;
  }
}

arrow::Status append_scalar(const ScalarPtr& value, arrow::ArrayBuilder* out) {
  const bool fits = value != nullptr && value->is_valid && value->type->Equals(*out->type());
  return fits ? out->AppendScalar(*value) : out->AppendNull();
}

arrow::StructBuilder* as_struct(arrow::ArrayBuilder* builder) {
  return static_cast<arrow::StructBuilder*>(builder);
}

}  // namespace

TypedColumns::TypedColumns(const TableInfo& info) {
  arrow::FieldVector partitions;
  for (const int index : info.partition_index) {
    partition_columns_.push_back(info.physical[static_cast<std::size_t>(index)]);
    partitions.push_back(column::to_arrow(partition_columns_.back())->WithNullable(true));
  }
  if (!partitions.empty())
    partition_values_ = arrow::field("partitionValues_parsed", arrow::struct_(partitions));

  column::Schema schema;
  column::Schema physical;
  for (std::size_t i = 0; i < info.schema.size(); ++i) {
    if (info.is_partition_column(i)) continue;
    schema.push_back(info.schema[i]);
    physical.push_back(info.physical[i]);
  }
  columns_ = columns_below(info, schema, physical, {});
  arrow::FieldVector members = {arrow::field("numRecords", arrow::int64())};
  const auto add_part = [&](const char* name, Part part) {
    auto fields = fields_of(columns_, part);
    if (!fields.empty()) members.push_back(arrow::field(name, arrow::struct_(std::move(fields))));
  };
  add_part("minValues", Part::least);
  add_part("maxValues", Part::greatest);
  add_part("nullCount", Part::nulls);
  members.push_back(arrow::field("tightBounds", arrow::boolean()));
  stats_ = arrow::field("stats_parsed", arrow::struct_(std::move(members)));
}

std::vector<TypedColumns::Column> TypedColumns::columns_below(
    const TableInfo& info, const column::Schema& schema, const column::Schema& physical,
    const std::vector<std::string>& path) {
  std::vector<Column> out;
  for (std::size_t i = 0; i < schema.size(); ++i) {
    auto below = path;
    below.push_back(schema[i].name);
    Column column{physical[i].name, physical[i].type, {}};
    if (column.type->kind() == TypeKind::struct_) {
      column.members = columns_below(info, schema[i].type->fields(), column.type->fields(), below);
      if (!column.members.empty()) out.push_back(std::move(column));
    } else if (has_statistics(info, below)) {
      out.push_back(std::move(column));
    }
  }
  return out;
}

arrow::FieldVector TypedColumns::fields_of(const std::vector<Column>& columns, Part part) {
  arrow::FieldVector out;
  for (const auto& column : columns) {
    if (!column.members.empty()) {
      auto members = fields_of(column.members, part);
      if (!members.empty())
        out.push_back(arrow::field(column.name, arrow::struct_(std::move(members))));
    } else if (part == Part::nulls) {
      out.push_back(arrow::field(column.name, arrow::int64()));
    } else if (has_bounds(*column.type)) {
      out.push_back(arrow::field(column.name, column::to_arrow(column.type)));
    }
  }
  return out;
}

arrow::Status TypedColumns::append_partition_values(const AddFile& file,
                                                    arrow::ArrayBuilder* out) const {
  auto* values = as_struct(out);
  ARROW_RETURN_NOT_OK(values->Append());
  for (std::size_t i = 0; i < partition_columns_.size(); ++i) {
    const auto& column = partition_columns_[i];
    const auto found = file.partition_values.find(column.name);
    const auto value = parse_partition_value(
        column, found == file.partition_values.end() ? std::nullopt : found->second);
    ARROW_RETURN_NOT_OK(
        append_scalar(value.ok() ? *value : nullptr, values->field_builder(static_cast<int>(i))));
  }
  return arrow::Status::OK();
}

arrow::Status TypedColumns::append_stats(const AddFile& file, arrow::ArrayBuilder* out) const {
  if (file.stats.empty()) return out->AppendNull();
  const FileStats stats = parse_stats(file.stats);
  auto* row = as_struct(out);
  ARROW_RETURN_NOT_OK(row->Append());
  for (int i = 0; i < row->num_fields(); ++i) {
    const std::string& name = row->type()->field(i)->name();
    arrow::ArrayBuilder* member = row->field_builder(i);
    std::vector<std::string> path;
    if (name == "numRecords") {
      ARROW_RETURN_NOT_OK(stats.rows
                              ? static_cast<arrow::Int64Builder*>(member)->Append(*stats.rows)
                              : member->AppendNull());
    } else if (name == "tightBounds") {
      // Bounds are tight where nothing is said of them.
      const bool said = file.stats.find("\"tightBounds\"") != std::string::npos;
      ARROW_RETURN_NOT_OK(said ? static_cast<arrow::BooleanBuilder*>(member)->Append(stats.tight)
                               : member->AppendNull());
    } else {
      const Part part = name == "minValues"   ? Part::least
                        : name == "maxValues" ? Part::greatest
                                              : Part::nulls;
      ARROW_RETURN_NOT_OK(append_part(columns_, part, stats, path, member));
    }
  }
  return arrow::Status::OK();
}

arrow::Status TypedColumns::append_part(const std::vector<Column>& columns, Part part,
                                        const FileStats& stats, std::vector<std::string>& path,
                                        arrow::ArrayBuilder* out) {
  auto* row = as_struct(out);
  ARROW_RETURN_NOT_OK(row->Append());
  int next = 0;
  for (const auto& column : columns) {
    if (next == row->num_fields() || row->type()->field(next)->name() != column.name)
      continue;  // no member of this part
    arrow::ArrayBuilder* member = row->field_builder(next++);
    path.push_back(column.name);
    if (!column.members.empty()) {
      ARROW_RETURN_NOT_OK(append_part(column.members, part, stats, path, member));
    } else {
      const auto found = stats.columns.find(path);
      const ColumnStats known = found == stats.columns.end() ? ColumnStats() : found->second;
      const auto& bound = part == Part::least ? known.min : known.max;
      if (part == Part::nulls) {
        ARROW_RETURN_NOT_OK(
            known.null_count ? static_cast<arrow::Int64Builder*>(member)->Append(*known.null_count)
                             : member->AppendNull());
      } else {
        ARROW_RETURN_NOT_OK(append_scalar(
            bound ? parse_stats_value(column.type, bound->text, bound->is_string) : nullptr,
            member));
      }
    }
    path.pop_back();
  }
  return arrow::Status::OK();
}

}  // namespace millstream::delta
