#include "delta/placed_rows.h"

#include <arrow/array.h>
#include <arrow/array/util.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>

#include "delta/column_mapping.h"
#include "delta/row_change.h"
#include "delta/row_tracking.h"
#include "delta/values.h"
#include "format/arrow_status.h"

namespace millstream::delta {
namespace {

column::Schema with_places(const Snapshot& snapshot) {
  column::Schema schema = without_delta_notes(snapshot.schema());
  if (keeps_row_ids(snapshot.info())) {
    schema.push_back({std::string(row_ids::id), column::long_type(), true, {}});
  }
  schema.push_back({std::string(places::column), column::long_type(), false, {}});
  return schema;
}

}  // namespace

PlacedRows::PlacedRows(Context context, std::shared_ptr<const RowChoice> choice)
    : context_(std::move(context)),
      choice_(std::move(choice)),
      schema_(with_places(*context_.snapshot)) {}

const column::Schema& PlacedRows::metadata_fields() const {
  return delta::metadata_fields(context_.snapshot->info());
}

Result<connector::Batches> PlacedRows::scan(const connector::ScanRequest& request) const {
  return scan_rows(context_.store, context_.table, context_.snapshot->info_ptr(), choice_, request,
                   context_.case_sensitive, context_.time_zone);
}

std::optional<std::int64_t> PlacedRows::rows_estimated() const {
  std::int64_t rows = 0;
  for (const auto& file : choice_->files) {
    const auto live = live_rows(*file);
    if (!live) return std::nullopt;
    rows += std::clamp<std::int64_t>(*live, 0, std::int64_t{1} << places::position_bits);
  }
  return rows;
}

std::string PlacedRows::describe() const { return fmt::format("delta [{}]", context_.table); }

FileRows::FileRows(PlacedRows::Context context, std::shared_ptr<const RowChoice> choice)
    : context_(std::move(context)),
      choice_(std::move(choice)),
      schema_(with_places(*context_.snapshot)) {}

std::string FileRows::describe() const { return fmt::format("delta files [{}]", context_.table); }

Result<std::shared_ptr<arrow::Array>> FileRows::column_of(const std::string& name) const {
  const auto files = static_cast<std::int64_t>(choice_->files.size());
  if (name == places::column) {
    arrow::Int64Builder builder;
    for (std::int64_t i = 0; i < files; ++i) {
      TRY_ARROW(builder.Append(places::first_of(static_cast<std::size_t>(i))));
    }
    TRY_ARROW_ASSIGN(auto array, builder.Finish());
    return array;
  }
  if (name == row_ids::id) {
    TRY_ARROW_ASSIGN(auto none, arrow::MakeArrayOfNull(arrow::int64(), files));
    return none;
  }
  const TableInfo& info = context_.snapshot->info();
  const auto index = static_cast<std::size_t>(column::find_field(info.schema, name));
  const auto type = column::to_arrow(info.schema[index].type);
  if (!info.is_partition_column(index)) {
    TRY_ARROW_ASSIGN(auto none, arrow::MakeArrayOfNull(type, files));
    return none;
  }
  TRY_ARROW_ASSIGN(const auto builder, arrow::MakeBuilder(type));
  for (const auto& file : choice_->files) {
    const auto found = file->partition_values.find(info.physical[index].name);
    TRY_ASSIGN(
        const auto value,
        parse_partition_value(info.schema[index],
                              found == file->partition_values.end() ? std::nullopt : found->second,
                              context_.time_zone));
    if (value == nullptr || !value->is_valid) {
      TRY_ARROW(builder->AppendNull());
    } else {
      TRY_ARROW(builder->AppendScalar(*value));
    }
  }
  TRY_ARROW_ASSIGN(auto array, builder->Finish());
  return array;
}

Result<connector::Batches> FileRows::scan(const connector::ScanRequest& request) const {
  column::Schema schema;
  std::vector<std::shared_ptr<arrow::Array>> arrays;
  for (const auto& name : request.columns) {
    const int index = column::find_field(schema_, name);
    if (index < 0) return Status::internal("files have no column {}", name);
    schema.push_back(schema_[static_cast<std::size_t>(index)]);
    TRY_ASSIGN(auto array, column_of(name));
    arrays.push_back(std::move(array));
  }
  auto batch =
      arrow::RecordBatch::Make(column::to_arrow(schema),
                               static_cast<std::int64_t>(choice_->files.size()), std::move(arrays));
  return connector::batches_of(std::move(schema), {std::move(batch)});
}

}  // namespace millstream::delta
