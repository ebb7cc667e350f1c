// For the tests of this room: a JSON text through the reader, as lines of text.
#pragma once

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "format/json_reader.h"

namespace millstream::format::testing {

inline std::string render(const arrow::Array& array, std::int64_t row) {
  if (array.IsNull(row)) return "NULL";
  switch (array.type_id()) {
    case arrow::Type::STRUCT: {
      const auto& parent = static_cast<const arrow::StructArray&>(array);
      std::string out = "{";
      for (int i = 0; i < parent.num_fields(); ++i) {
        if (i > 0) out += ",";
        out += render(*parent.field(i), row);
      }
      return out + "}";
    }
    case arrow::Type::MAP: {
      const auto& map = static_cast<const arrow::MapArray&>(array);
      std::string out = "{";
      for (auto i = map.value_offset(row); i < map.value_offset(row + 1); ++i) {
        if (i > map.value_offset(row)) out += ",";
        out += render(*map.keys(), i) + ":" + render(*map.items(), i);
      }
      return out + "}";
    }
    case arrow::Type::LIST: {
      const auto& list = static_cast<const arrow::ListArray&>(array);
      std::string out = "[";
      for (auto i = list.value_offset(row); i < list.value_offset(row + 1); ++i) {
        if (i > list.value_offset(row)) out += ",";
        out += render(*list.values(), i);
      }
      return out + "]";
    }
    default:
      return array.GetScalar(row).ValueOrDie()->ToString();
  }
}

inline std::vector<std::string> render(const std::vector<connector::RecordBatchPtr>& batches) {
  std::vector<std::string> rows;
  for (const auto& batch : batches) {
    EXPECT_TRUE(batch->ValidateFull().ok()) << batch->ValidateFull().ToString();
    for (std::int64_t row = 0; row < batch->num_rows(); ++row) {
      std::string line;
      for (int i = 0; i < batch->num_columns(); ++i)
        line += (i > 0 ? "|" : "") + render(*batch->column(i), row);
      rows.push_back(line);
    }
  }
  return rows;
}

struct JsonCase {
  std::string schema;
  std::string text;
  JsonOptions options = {};
  std::vector<std::string> columns = {};  // empty: all of the schema
  std::string file = "/in/a.json";
};

inline Result<std::vector<std::string>> read_json(const JsonCase& test) {
  const auto store = io::memory_store();
  TRY(store->put(test.file, test.text));
  auto scan = std::make_shared<JsonScan>();
  TRY_ASSIGN(scan->schema, column::parse_schema(test.schema));
  scan->options = test.options;
  scan->columns = test.columns;
  if (scan->columns.empty()) {
    for (const auto& field : scan->schema) scan->columns.push_back(field.name);
  }
  TRY_ASSIGN(const auto info, store->stat(test.file));
  TRY_ASSIGN(const auto reader, open_json(store, scan, {FileSplit{info, {}}}));
  std::vector<connector::RecordBatchPtr> batches;
  for (;;) {
    TRY_ASSIGN(auto batch, reader->next());
    if (batch == nullptr) break;
    batches.push_back(std::move(batch));
  }
  return render(batches);
}

inline std::vector<std::string> rows_of(const JsonCase& test) {
  auto rows = read_json(test);
  if (!rows.ok()) return {"error: " + rows.status().message()};
  return std::move(rows).value();
}

}  // namespace millstream::format::testing
