// The typed copies that a checkpoint may have of its files' statistics (stats_parsed) and partition
// values (partitionValues_parsed): their columns, and the rows of those. Made for one checkpoint,
// used by one thread.
#pragma once

#include <arrow/array/builder_nested.h>
#include <arrow/type.h>

#include <memory>
#include <string>
#include <vector>

#include "column/types.h"
#include "delta/actions.h"
#include "delta/snapshot.h"
#include "delta/stats.h"

namespace millstream::delta {

class TypedColumns {
 public:
  explicit TypedColumns(const TableInfo& info);

  // Null: the table is not partitioned.
  const std::shared_ptr<arrow::Field>& partition_values() const { return partition_values_; }
  const std::shared_ptr<arrow::Field>& stats() const { return stats_; }

  // What cannot be read as its column's type is NULL.
  arrow::Status append_partition_values(const AddFile& file, arrow::ArrayBuilder* out) const;
  arrow::Status append_stats(const AddFile& file, arrow::ArrayBuilder* out) const;

 private:
  // A column with statistics, by its physical name, or a struct with some.
  struct Column {
    std::string name;
    column::TypePtr type;
    std::vector<Column> members;
  };
  enum class Part : std::uint8_t { least, greatest, nulls };

  static std::vector<Column> columns_below(const TableInfo& info, const column::Schema& schema,
                                           const column::Schema& physical,
                                           const std::vector<std::string>& path);
  static arrow::FieldVector fields_of(const std::vector<Column>& columns, Part part);
  static arrow::Status append_part(const std::vector<Column>& columns, Part part,
                                   const FileStats& stats, std::vector<std::string>& path,
                                   arrow::ArrayBuilder* out);

  std::vector<Column> columns_;
  column::Schema partition_columns_;
  std::shared_ptr<arrow::Field> partition_values_;
  std::shared_ptr<arrow::Field> stats_;
};

}  // namespace millstream::delta
