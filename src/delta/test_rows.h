// For tests: rows written down in C++ as batches, and batches back as text.
#pragma once

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/util/decimal.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "connector/batches.h"
#include "delta/values.h"

namespace millstream::delta::testing {

// NULL, an integer (also dates in days and timestamps in micros), a double, a text (also decimals),
// a boolean.
using Cell = std::variant<std::monostate, std::int64_t, double, std::string, bool>;
using Row = std::vector<Cell>;

inline std::shared_ptr<arrow::Scalar> scalar_of(const column::Field& field, const Cell& cell) {
  const auto type = column::to_arrow(field.type);
  if (std::holds_alternative<std::monostate>(cell)) return arrow::MakeNullScalar(type);
  if (const auto* number = std::get_if<std::int64_t>(&cell)) {
    if (type->id() == arrow::Type::TIMESTAMP)
      return std::make_shared<arrow::TimestampScalar>(*number, type);
    return arrow::MakeScalar(arrow::int64(), *number).ValueOrDie()->CastTo(type).ValueOrDie();
  }
  if (const auto* number = std::get_if<double>(&cell))
    return arrow::MakeScalar(type, *number).ValueOrDie();
  if (const auto* flag = std::get_if<bool>(&cell))
    return std::make_shared<arrow::BooleanScalar>(*flag);
  const auto& text = std::get<std::string>(cell);
  if (field.type->is_string()) return std::make_shared<arrow::StringScalar>(text);
  if (type->id() == arrow::Type::BINARY) return std::make_shared<arrow::BinaryScalar>(text);
  return parse_partition_value(field, text).value();
}

inline connector::RecordBatchPtr batch_of(const column::Schema& schema,
                                          const std::vector<Row>& rows) {
  std::vector<std::shared_ptr<arrow::Array>> columns;
  for (std::size_t i = 0; i < schema.size(); ++i) {
    auto builder = arrow::MakeBuilder(column::to_arrow(schema[i].type)).ValueOrDie();
    for (const auto& row : rows) CHECK(builder->AppendScalar(*scalar_of(schema[i], row[i])).ok());
    columns.push_back(builder->Finish().ValueOrDie());
  }
  return arrow::RecordBatch::Make(column::to_arrow(schema), static_cast<std::int64_t>(rows.size()),
                                  std::move(columns));
}

// One partition, of one batch.
inline connector::Batches rows_of(const std::string& ddl, const std::vector<Row>& rows) {
  const auto schema = column::parse_schema(ddl).value();
  return connector::batches_of(schema, {batch_of(schema, rows)});
}

// Each row as "1|a|NULL", sorted.
inline std::vector<std::string> texts(const connector::Batches& batches) {
  std::vector<std::string> rows;
  const auto collected = connector::collect(batches);
  if (!collected.ok()) return {collected.status().message()};
  for (const auto& batch : *collected) {
    for (std::int64_t i = 0; i < batch->num_rows(); ++i) {
      std::string row;
      for (const auto& column : batch->columns()) {
        const auto value = column->GetScalar(i).ValueOrDie();
        const bool decimal = value->type->id() == arrow::Type::DECIMAL128;
        if (!row.empty()) row += '|';
        row += !value->is_valid ? "NULL" : decimal ? decimal_text(*value) : value->ToString();
      }
      rows.push_back(std::move(row));
    }
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

}  // namespace millstream::delta::testing
