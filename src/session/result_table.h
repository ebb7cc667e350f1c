// ResultTable: the small tables that catalog calls and SHOW statements answer with. Filled row by
// row; used by one thread.
#pragma once

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "column/types.h"
#include "connector/batches.h"

namespace millstream::session {

struct CatalogResult {
  column::Schema schema;
  connector::RecordBatchPtr rows;
};

// A cell: text, a flag, a number, a list of texts, or NULL.
struct Cell {
  std::optional<std::string> text;
  bool flag = false;
  std::vector<std::string> list;
  std::int64_t number = 0;
};

enum class CellType : std::uint8_t { text, flag, list, number };

class ResultTable {
 public:
  ResultTable& column(const char* name, CellType type = CellType::text, bool nullable = true,
                      const char* comment = "");
  void row(std::vector<Cell> cells);
  Result<CatalogResult> finish() const;

 private:
  arrow::Result<std::shared_ptr<arrow::Array>> build(std::size_t c) const;

  column::Schema schema_;
  std::vector<CellType> types_;
  std::vector<std::vector<Cell>> rows_;
};

inline Cell text(std::string value) { return {std::move(value), false, {}, 0}; }
inline Cell flag(bool value) { return {std::nullopt, value, {}, 0}; }
inline Cell list(std::vector<std::string> value) {
  return {std::nullopt, true, std::move(value), 0};  // the flag: it is no NULL
}
inline Cell number(std::int64_t value) { return {std::nullopt, false, {}, value}; }
inline Cell null() { return {}; }

// "*" any text, "|" alternatives; ignoring case.
bool matches_pattern(std::string_view pattern, std::string_view name);

}  // namespace millstream::session
