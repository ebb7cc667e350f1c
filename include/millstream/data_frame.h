// DataFrame: a query that runs when rows, a file or a table are asked of it. The names, defaults
// and errors of Spark's; a call that runs or analyzes throws SparkException.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "millstream/column.h"
#include "millstream/value.h"

namespace spark::connect {
class Relation;
}  // namespace spark::connect

namespace arrow {
class RecordBatch;
}  // namespace arrow

namespace millstream::client {
class Connection;
}  // namespace millstream::client

namespace millstream::api {

class DataFrameNaFunctions;
class DataFrameStatFunctions;
class DataFrameWriter;
class DataFrameWriterV2;
class DataStreamWriter;
class GroupedData;
class MergeIntoWriter;
class Observation;
class RowIterator;

// A column of a schema.
struct Field {
  std::string name;
  std::string type;  // as in DDL: "bigint", "array<string>"
  bool nullable = true;
};
using Schema = std::vector<Field>;

class DataFrame {
 public:
  DataFrame(std::shared_ptr<client::Connection> connection,
            std::shared_ptr<const spark::connect::Relation> relation);

  // --- Other DataFrames.
  DataFrame select(const std::vector<ColumnOrName>& columns) const;
  DataFrame select_expr(const std::vector<std::string>& expressions) const;
  DataFrame filter(const Column& condition) const;
  DataFrame filter(const std::string& condition) const;
  DataFrame where(const Column& condition) const { return filter(condition); }
  DataFrame where(const std::string& condition) const { return filter(condition); }
  DataFrame with_column(const std::string& name, const Column& value) const;
  DataFrame with_columns(const std::vector<std::pair<std::string, Column>>& columns) const;
  DataFrame with_column_renamed(const std::string& existing, const std::string& name) const;
  // Each first name becomes its second; names that are not there are none's.
  DataFrame with_columns_renamed(
      const std::vector<std::pair<std::string, std::string>>& names) const;
  DataFrame drop(const std::vector<std::string>& names) const;
  DataFrame to_df(const std::vector<std::string>& names) const;
  DataFrame alias(const std::string& name) const;

  GroupedData group_by(const std::vector<ColumnOrName>& columns) const;
  GroupedData rollup(const std::vector<ColumnOrName>& columns) const;
  GroupedData cube(const std::vector<ColumnOrName>& columns) const;
  // Aggregates over all rows.
  DataFrame agg(const std::vector<Column>& aggregates) const;

  // `how`: inner, left, right, outer, left_semi, left_anti, cross and Spark's other words for them.
  DataFrame join(const DataFrame& other, const std::vector<std::string>& using_columns,
                 const std::string& how = "inner") const;
  DataFrame join(const DataFrame& other, const Column& condition,
                 const std::string& how = "inner") const;
  DataFrame cross_join(const DataFrame& other) const;

  DataFrame union_all(const DataFrame& other) const;
  DataFrame union_by_name(const DataFrame& other, bool allow_missing_columns = false) const;
  DataFrame intersect(const DataFrame& other) const;
  DataFrame intersect_all(const DataFrame& other) const;
  DataFrame subtract(const DataFrame& other) const;
  DataFrame except_all(const DataFrame& other) const;

  DataFrame sort(const std::vector<ColumnOrName>& columns) const;
  DataFrame order_by(const std::vector<ColumnOrName>& columns) const { return sort(columns); }
  DataFrame sort_within_partitions(const std::vector<ColumnOrName>& columns) const;
  DataFrame limit(std::int32_t rows) const;
  DataFrame offset(std::int32_t rows) const;
  DataFrame distinct() const;
  // The first row of each combination of `columns`; of all columns when there are none.
  DataFrame drop_duplicates(const std::vector<std::string>& columns = {}) const;
  DataFrame drop_duplicates_within_watermark(const std::vector<std::string>& columns = {}) const;
  DataFrame with_watermark(const std::string& event_time, const std::string& delay) const;
  DataFrame sample(double fraction, std::int64_t seed) const;
  // Each row in one of the parts, by chance and as the weights are to each other.
  std::vector<DataFrame> random_split(const std::vector<double>& weights, std::int64_t seed) const;
  // Rows without NULL (in `columns`, if there are any).
  DataFrame drop_na(const std::vector<std::string>& columns = {}) const;
  DataFrame fill_na(const Value& value, const std::vector<std::string>& columns = {}) const;
  DataFrameNaFunctions na() const;
  DataFrameStatFunctions stat() const;
  // Rows become columns: a row for each row and each of `values`, with `ids`, the column's name
  // (`variable_name`, STRING) and its value (`value_name`, the type that holds all). Without
  // `values`: of all columns but `ids`.
  DataFrame unpivot(const std::vector<ColumnOrName>& ids, const std::vector<ColumnOrName>& values,
                    const std::string& variable_name, const std::string& value_name) const;
  DataFrame unpivot(const std::vector<ColumnOrName>& ids, const std::string& variable_name,
                    const std::string& value_name) const;
  DataFrame melt(const std::vector<ColumnOrName>& ids, const std::vector<ColumnOrName>& values,
                 const std::string& variable_name, const std::string& value_name) const {
    return unpivot(ids, values, variable_name, value_name);
  }
  // Rows become columns and columns rows: `index` (the first column, if not said) gives the names.
  DataFrame transpose() const;
  DataFrame transpose(const ColumnOrName& index) const;
  // Texts of count, mean, stddev, min and max of the columns of numbers and texts, of all or of
  // `columns`; summary() adds quartiles, or takes the names of what to compute ("count", "75%").
  DataFrame describe(const std::vector<std::string>& columns = {}) const;
  DataFrame summary(const std::vector<std::string>& statistics = {}) const;
  // The same rows; aggregates of them come as a side result: of a batch into the observation, at
  // the first action; by a name into the progress of a stream (observedMetrics). See observation.h.
  DataFrame observe(const Observation& observation, const std::vector<Column>& metrics) const;
  DataFrame observe(const std::string& name, const std::vector<Column>& metrics) const;
  // "broadcast", or with what it takes: hint("repartition", {lit(3)}).
  DataFrame hint(const std::string& name, const std::vector<Column>& parameters = {}) const;
  DataFrame repartition(std::int32_t partitions) const;
  // Rows of equal values of `columns` together; by range: of values next to each other. 0
  // partitions: as many as spark.sql.shuffle.partitions.
  DataFrame repartition(std::int32_t partitions, const std::vector<ColumnOrName>& columns) const;
  DataFrame repartition_by_range(std::int32_t partitions,
                                 const std::vector<ColumnOrName>& columns) const;
  DataFrame coalesce(std::int32_t partitions) const;

  // The column that this DataFrame has under the name, also where a join has another.
  Column operator[](const std::string& name) const;

  // --- What it is.
  Schema schema() const;
  std::vector<std::string> columns() const;
  // The schema as printSchema prints it.
  std::string tree_string() const;
  void print_schema() const;
  bool is_streaming() const;
  std::vector<std::string> input_files() const;
  // Whether the plans are the same but for names: they give the same rows.
  bool same_semantics(const DataFrame& other) const;
  // `mode`: simple, extended, codegen, cost, formatted.
  std::string explain_string(const std::string& mode = "simple") const;

  // --- Running it.
  std::vector<Row> collect() const;
  std::vector<Row> take(std::int32_t rows) const { return limit(rows).collect(); }
  std::vector<Row> tail(std::int32_t rows) const;
  // The first row; NULL values cannot be told from none: see `take`.
  Row first() const;
  std::int64_t count() const;
  bool is_empty() const;
  // Each row as it comes, without holding the others. What `row_function` throws ends the query.
  void for_each(const std::function<void(const Row&)>& row_function) const;
  // The same as Arrow, batch by batch: for who links Arrow.
  void for_each_batch(
      const std::function<void(const std::shared_ptr<arrow::RecordBatch>&)>& batch_function) const;
  // The rows one by one, as they are asked for: see row_iterator.h.
  RowIterator to_local_iterator() const;
  // Prints a table. `truncate`: characters of a cell; 0: whole cells.
  void show(std::int32_t rows = 20, std::int32_t truncate = 20, bool vertical = false) const;
  std::string show_string(std::int32_t rows = 20, std::int32_t truncate = 20,
                          bool vertical = false) const;

  // Computed at its first use, and kept until unpersist(): in memory, and on disk where it is
  // large.
  const DataFrame& persist() const;
  const DataFrame& cache() const { return persist(); }
  void unpersist() const;
  // The rows as they are now, kept by the server as long as a DataFrame of this program reads them.
  // Computed at once if `eager`, else at the first use. A local one is kept without Spark's
  // checkpoint folder. Not of streams.
  DataFrame checkpoint(bool eager = true) const;
  DataFrame local_checkpoint(bool eager = true) const;

  void create_or_replace_temp_view(const std::string& name) const;
  void create_temp_view(const std::string& name) const;
  void create_global_temp_view(const std::string& name) const;

  DataFrameWriter write() const;
  DataStreamWriter write_stream() const;
  // Creates, replaces or changes a table that has a name: see write_to.h.
  DataFrameWriterV2 write_to(const std::string& table) const;
  // MERGE of these rows into a table: see merge_into.h.
  MergeIntoWriter merge_into(const std::string& table, const Column& condition) const;

  const spark::connect::Relation& relation() const { return *relation_; }
  const std::shared_ptr<client::Connection>& connection() const { return connection_; }

 private:
  std::shared_ptr<client::Connection> connection_;
  std::shared_ptr<const spark::connect::Relation> relation_;
};

// Rows grouped by columns, waiting for what to compute.
class GroupedData {
 public:
  enum class Kind : std::uint8_t { group_by, rollup, cube, pivot };

  DataFrame agg(const std::vector<Column>& aggregates) const;
  DataFrame count() const;
  DataFrame sum(const std::vector<std::string>& columns) const;
  DataFrame avg(const std::vector<std::string>& columns) const;
  DataFrame min(const std::vector<std::string>& columns) const;
  DataFrame max(const std::vector<std::string>& columns) const;
  DataFrame mean(const std::vector<std::string>& columns) const { return avg(columns); }
  // A column of the result for each value of `column`, which asks for them first; or for `values`.
  GroupedData pivot(const std::string& column) const;
  GroupedData pivot(const std::string& column, const std::vector<Value>& values) const;

 private:
  friend class DataFrame;
  GroupedData(DataFrame input, Kind kind, std::vector<Column> columns)
      : input_(std::move(input)), kind_(kind), columns_(std::move(columns)) {}
  DataFrame of_each(const std::string& function, const std::vector<std::string>& columns) const;

  DataFrame input_;
  Kind kind_;
  std::vector<Column> columns_;
  std::string pivot_column_;
  std::vector<Value> pivot_values_;
};

}  // namespace millstream::api
