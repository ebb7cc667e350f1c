#include "delta/partitioner.h"

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/compute/api_vector.h>
#include <arrow/datum.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include <map>

#include "delta/values.h"
#include "format/arrow_status.h"

namespace millstream::delta {
namespace {

// Timestamps are cut as they are spelled in paths: like Spark's, without the UTC form that the log
// has.
std::optional<std::string> directory_text(const column::Field& field, const arrow::Scalar& value,
                                          const std::optional<std::string>& log_text) {
  if (log_text && field.type->kind() == column::TypeKind::timestamp) {
    return timestamp_text(static_cast<const arrow::TimestampScalar&>(value).value, ' ', 0);
  }
  return log_text;
}

// Row -> number of its group, and a row of each group.
struct Grouping {
  std::vector<std::int32_t> group_of;
  std::vector<std::int64_t> first_row;
};

// Refines the grouping by the values of one column.
Status refine(const arrow::Array& array, Grouping& grouping) {
  TRY_ARROW_ASSIGN(const auto encoded,
                   arrow::compute::DictionaryEncode(arrow::Datum(array.data())));
  const auto made = encoded.make_array();
  const auto& dictionary = static_cast<const arrow::DictionaryArray&>(*made);
  const auto& indices = static_cast<const arrow::Int32Array&>(*dictionary.indices());
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> numbers;
  std::vector<std::int64_t> first_row;
  std::pair<std::int32_t, std::int32_t> last_key;
  std::int32_t last_number = -1;
  for (std::int64_t row = 0; row < array.length(); ++row) {
    auto& group = grouping.group_of[static_cast<std::size_t>(row)];
    const std::pair key(group, indices.IsNull(row) ? -1 : indices.Value(row));
    if (last_number < 0 || key != last_key) {
      const auto [found, is_new] =
          numbers.try_emplace(key, static_cast<std::int32_t>(first_row.size()));
      if (is_new) first_row.push_back(row);
      last_key = key;
      last_number = found->second;
    }
    group = last_number;
  }
  grouping.first_row = std::move(first_row);
  return Status::OK();
}

}  // namespace

Result<std::vector<PartitionGroup>> partition_rows(const connector::RecordBatchPtr& batch,
                                                   const column::Schema& schema,
                                                   const std::vector<int>& columns) {
  if (columns.empty() || batch->num_rows() == 0)
    return std::vector<PartitionGroup>{{"", {}, batch}};
  Grouping grouping{std::vector<std::int32_t>(static_cast<std::size_t>(batch->num_rows()), 0), {0}};
  for (const int index : columns) TRY(refine(*batch->column(index), grouping));

  // Different values may have one text (NULL and ''): those are one partition.
  std::map<std::string, std::size_t> number_of;  // of a directory
  std::vector<std::size_t> partition_of;         // of a group
  std::vector<PartitionGroup> partitions;
  for (const std::int64_t row : grouping.first_row) {
    PartitionGroup partition;
    for (const int index : columns) {
      const auto& field = schema[static_cast<std::size_t>(index)];
      TRY_ARROW_ASSIGN(const auto value, batch->column(index)->GetScalar(row));
      TRY_ASSIGN(auto text, partition_text(field, *value));
      partition.directory +=
          partition_directory(field.name, directory_text(field, *value, text)) + '/';
      partition.values[field.name] = std::move(text);
    }
    const auto [known, is_new] = number_of.try_emplace(partition.directory, partitions.size());
    partition_of.push_back(known->second);
    if (is_new) partitions.push_back(std::move(partition));
  }

  if (partitions.size() == 1) {
    partitions.front().rows = batch;
    return partitions;
  }
  std::vector<std::vector<std::int64_t>> rows_of(partitions.size());
  for (std::size_t row = 0; row < grouping.group_of.size(); ++row) {
    const auto group = static_cast<std::size_t>(grouping.group_of[row]);
    rows_of[partition_of[group]].push_back(static_cast<std::int64_t>(row));
  }
  std::vector<PartitionGroup> out;
  for (const auto& [directory, number] : number_of) {
    const auto& rows = rows_of[number];
    const arrow::Int64Array indices(static_cast<std::int64_t>(rows.size()),
                                    arrow::Buffer::Wrap(rows));
    TRY_ARROW_ASSIGN(const auto taken,
                     arrow::compute::Take(arrow::Datum(batch), arrow::Datum(indices.data())));
    partitions[number].rows = taken.record_batch();
    out.push_back(std::move(partitions[number]));
  }
  return out;
}

}  // namespace millstream::delta
