#include "session/result_table.h"

#include <arrow/api.h>

#include "base/text.h"

namespace millstream::session {

ResultTable& ResultTable::column(const char* name, CellType type, bool nullable,
                                 const char* comment) {
  const column::TypePtr types[] = {column::string_type(), column::boolean_type(),
                                   column::array_type(column::string_type(), true),
                                   column::long_type()};
  const std::string metadata =
      *comment == '\0' ? "" : fmt::format("{{\"comment\":\"{}\"}}", comment);
  schema_.push_back({name, types[static_cast<int>(type)], nullable, metadata});
  types_.push_back(type);
  return *this;
}

void ResultTable::row(std::vector<Cell> cells) {
  CHECK(cells.size() == types_.size());
  rows_.push_back(std::move(cells));
}

Result<CatalogResult> ResultTable::finish() const {
  std::vector<std::shared_ptr<arrow::Array>> arrays;
  for (std::size_t c = 0; c < types_.size(); ++c) {
    auto array = build(c);
    if (!array.ok()) return Status::internal("a result table: {}", array.status().ToString());
    arrays.push_back(*array);
  }
  auto batch = arrow::RecordBatch::Make(column::to_arrow(schema_),
                                        static_cast<std::int64_t>(rows_.size()), std::move(arrays));
  return CatalogResult{schema_, std::move(batch)};
}

arrow::Result<std::shared_ptr<arrow::Array>> ResultTable::build(std::size_t c) const {
  switch (types_[c]) {
    case CellType::flag: {
      arrow::BooleanBuilder builder;
      for (const auto& row : rows_) ARROW_RETURN_NOT_OK(builder.Append(row[c].flag));
      return builder.Finish();
    }
    case CellType::number: {
      arrow::Int64Builder builder;
      for (const auto& row : rows_) ARROW_RETURN_NOT_OK(builder.Append(row[c].number));
      return builder.Finish();
    }
    case CellType::text: {
      arrow::StringBuilder builder;
      for (const auto& row : rows_) {
        ARROW_RETURN_NOT_OK(row[c].text ? builder.Append(*row[c].text) : builder.AppendNull());
      }
      return builder.Finish();
    }
    case CellType::list:
      break;
  }
  auto values = std::make_shared<arrow::StringBuilder>();
  arrow::ListBuilder builder(arrow::default_memory_pool(), values,
                             column::to_arrow(schema_[c].type));
  for (const auto& row : rows_) {
    ARROW_RETURN_NOT_OK(row[c].flag ? builder.Append() : builder.AppendNull());
    for (const auto& text : row[c].list) ARROW_RETURN_NOT_OK(values->Append(text));
  }
  return builder.Finish();
}

namespace {

// One alternative, both sides in lower case. Only the last star is ever tried again.
bool matches_one(std::string_view pattern, std::string_view name) {
  std::size_t p = 0;
  std::size_t n = 0;
  std::size_t star = std::string_view::npos;
  std::size_t resume = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace

bool matches_pattern(std::string_view pattern, std::string_view name) {
  for (const auto& one : split(pattern, '|')) {
    if (matches_one(to_lower(trim(one)), to_lower(name))) return true;
  }
  return false;
}

}  // namespace millstream::session
