#include "delta/file_stats.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>

#include <cmath>
#include <optional>

#include "delta/ordered_values.h"
#include "delta/space_order.h"
#include "delta/stats.h"
#include "delta/stats_columns.h"
#include "delta/values.h"

namespace millstream::delta {
namespace {

// The rows of a batch with the smallest and the largest value; nothing: there are none.
struct Extremes {
  std::optional<std::int64_t> min;
  std::optional<std::int64_t> max;
};

template <typename Value, typename F>
Extremes extremes_of(const F& each_value, bool& ordered) {
  Extremes rows;
  Value min{};
  Value max{};
  ordered = each_value([&](std::int64_t row, const auto& value) {
    if (!rows.min || value < min) {
      min = Value(value);
      rows.min = row;
    }
    if (!rows.max || max < value) {
      max = Value(value);
      rows.max = row;
    }
  });
  return rows;
}

bool is_nan(const arrow::Array& column, std::int64_t row) {
  if (column.type_id() == arrow::Type::DOUBLE)
    return std::isnan(static_cast<const arrow::DoubleArray&>(column).Value(row));
  return column.type_id() == arrow::Type::FLOAT &&
         std::isnan(static_cast<const arrow::FloatArray&>(column).Value(row));
}

Extremes extremes_of(const arrow::Array& column, bool& has_nan) {
  bool ordered = false;
  const auto numbers = [&](const auto& f) {
    return each_number(column, [&](std::int64_t row, std::uint64_t number) {
      if (is_nan(column, row)) {
        has_nan = true;
      } else {
        f(row, number);
      }
    });
  };
  const Extremes rows = extremes_of<std::uint64_t>(numbers, ordered);
  if (ordered) return rows;
  return extremes_of<std::string>([&](const auto& f) { return each_text(column, f); }, ordered);
}

// Whether statistics have bounds of such values.
bool is_bounded(const column::DataType& type) {
  return type.kind() != column::TypeKind::boolean && type.kind() != column::TypeKind::binary &&
         !type.is_nested();
}

Status keep(const arrow::Array& column, std::optional<std::int64_t> row, int wanted,
            std::shared_ptr<arrow::Scalar>& kept) {
  if (!row) return Status::OK();
  auto value = column.GetScalar(*row);
  if (!value.ok()) return Status::internal("Arrow: {}", value.status().ToString());
  if (kept == nullptr || compare(**value, *kept) == wanted) kept = *std::move(value);
  return Status::OK();
}

}  // namespace

FileStatsGatherer::FileStatsGatherer(const TableInfo& info)
    : string_prefix_(string_prefix_length(info)) {
  for (std::size_t i = 0; i < info.schema.size(); ++i) {
    if (!info.is_partition_column(i))
      find_leaves(info, {info.schema[i]}, {info.physical[i]}, {}, {});
  }
}

void FileStatsGatherer::find_leaves(const TableInfo& info, const column::Schema& fields,
                                    const column::Schema& physical,
                                    const std::vector<std::string>& path,
                                    const std::vector<std::string>& physical_path) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    auto here = path;
    here.push_back(fields[i].name);
    auto there = physical_path;
    there.push_back(physical[i].name);
    if (fields[i].type->kind() == column::TypeKind::struct_) {
      find_leaves(info, fields[i].type->fields(), physical[i].type->fields(), here, there);
    } else if (has_statistics(info, here)) {
      Leaf leaf{std::move(here), {}};
      leaf.stats.path = std::move(there);
      leaf.stats.type = fields[i].type;
      leaves_.push_back(std::move(leaf));
    }
  }
}

Status FileStatsGatherer::add(const connector::RecordBatchPtr& rows) {
  rows_ += rows->num_rows();
  for (auto& leaf : leaves_) {
    TRY_ASSIGN(const auto column, column_at(rows, leaf.path));
    leaf.stats.null_count += column->null_count();
    if (!is_bounded(*leaf.stats.type)) continue;
    const Extremes found = extremes_of(*column, leaf.stats.has_nan);
    TRY(keep(*column, found.min, -1, leaf.stats.min));
    TRY(keep(*column, found.max, 1, leaf.stats.max));
  }
  return Status::OK();
}

std::string FileStatsGatherer::json() const {
  std::vector<format::LeafStats> leaves;
  for (const auto& leaf : leaves_) leaves.push_back(leaf.stats);
  return stats_json(rows_, leaves, string_prefix_);
}

}  // namespace millstream::delta
