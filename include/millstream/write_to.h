// DataFrameWriterV2: rows into a table that has a name, by what is to happen to the table.
//
//   frame.write_to("lake.flights").using_provider("delta").partitioned_by({"year"}).create();
//
// The last call runs, and throws SparkException: TABLE_OR_VIEW_ALREADY_EXISTS of create(),
// TABLE_OR_VIEW_NOT_FOUND of those that need a table.
#pragma once

#include <string>
#include <vector>

#include "millstream/read_write.h"

namespace spark::connect {
class WriteOperationV2;
}  // namespace spark::connect

namespace millstream::api {

class DataFrameWriterV2 {
 public:
  DataFrameWriterV2(DataFrame input, std::string table)
      : input_(std::move(input)), table_(std::move(table)) {}

  // Spark's `using`, which is a word of C++: the format of a new table, "delta".
  DataFrameWriterV2& using_provider(const std::string& provider);
  DataFrameWriterV2& option(const std::string& key, const std::string& value);
  DataFrameWriterV2& options(const Options& options);
  DataFrameWriterV2& table_property(const std::string& name, const std::string& value);
  // Columns, or transforms of them: call_function("days", {col("at")}).
  DataFrameWriterV2& partitioned_by(const std::vector<ColumnOrName>& columns);
  DataFrameWriterV2& cluster_by(const std::vector<std::string>& columns);

  // A new table with these rows.
  void create() const;
  // In place of a table that exists; or, createOrReplace, also of none.
  void replace() const;
  void create_or_replace() const;
  // Into a table that exists; columns go by their names.
  void append() const;
  // In place of the rows that the condition holds for; of all: lit(true).
  void overwrite(const Column& condition) const;
  // In place of each partition that these rows are of.
  void overwrite_partitions() const;

 private:
  void run(const spark::connect::WriteOperationV2& how) const;

  DataFrame input_;
  std::string table_;
  std::string provider_;
  Options options_;
  Options table_properties_;
  std::vector<Column> partitioned_by_;
  std::vector<std::string> cluster_by_;
};

}  // namespace millstream::api
