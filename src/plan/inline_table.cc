// VALUES: rows written in the query.
#include <arrow/api.h>

#include "plan/literal.h"
#include "plan/relations.h"
#include "plan/text.h"
#include "plan/tree.h"
#include "spark/connect/relations.pb.h"

namespace millstream::plan {

namespace sc = spark::connect;
using column::TypePtr;

namespace {

using Rows = std::vector<std::vector<ExprPtr>>;

bool all_literals(const Rows& rows) {
  for (const auto& row : rows) {
    for (const ExprPtr& value : row) {
      if (value->kind != ExprKind::literal) return false;
    }
  }
  return true;
}

Result<connector::RecordBatchPtr> batch_of(const Rows& rows,
                                           const std::vector<Attribute>& columns) {
  const auto broken = [](const arrow::Status& status) {
    return Status::internal("VALUES: {}", status.ToString());
  };
  std::vector<std::shared_ptr<arrow::Array>> arrays;
  column::Schema schema;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    auto builder = arrow::MakeBuilder(column::to_arrow(columns[c].type));
    if (!builder.ok()) return broken(builder.status());
    for (const auto& row : rows) {
      const arrow::Scalar& value = *row[c]->value;
      const auto status =
          value.is_valid ? (*builder)->AppendScalar(value) : (*builder)->AppendNull();
      if (!status.ok()) return broken(status);
    }
    auto array = (*builder)->Finish();
    if (!array.ok()) return broken(array.status());
    arrays.push_back(std::move(array).ValueUnsafe());
    schema.push_back({columns[c].name, columns[c].type, columns[c].nullable, ""});
  }
  return arrow::RecordBatch::Make(column::to_arrow(schema), static_cast<std::int64_t>(rows.size()),
                                  std::move(arrays));
}

Status check_row(const std::vector<ExprPtr>& row, std::size_t width, std::size_t index) {
  if (row.size() != width) {
    return Status::error("INVALID_INLINE_TABLE.NUM_COLUMNS_MISMATCH",
                         {{"expectedNumCols", std::to_string(width)},
                          {"actualNumCols", std::to_string(row.size())},
                          {"rowIndex", std::to_string(index)}});
  }
  for (const ExprPtr& value : row) {
    if (contains(*value, ExprKind::subquery)) {
      return Status::error("UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.SCALAR_SUBQUERY_IN_VALUES");
    }
    if (has_aggregate_function(*value) || !is_deterministic(*value) ||
        contains(*value, ExprKind::window) || contains(*value, ExprKind::generator)) {
      return Status::error("INVALID_INLINE_TABLE.CANNOT_EVALUATE_EXPRESSION_IN_INLINE_TABLE",
                           {{"expr", sql_expr(value->pretty)}});
    }
  }
  return Status::OK();
}

// The columns' common types and whether they may be NULL.
Result<std::vector<Attribute>> columns_of(const Rows& rows, bool ansi) {
  std::vector<Attribute> columns;
  for (std::size_t c = 0; c < rows[0].size(); ++c) {
    Attribute column;
    column.id = next_attribute_id();
    column.name = fmt::format("col{}", c + 1);
    column.type = rows[0][c]->type;
    column.nullable = false;
    for (const auto& row : rows) {
      const bool texts = column.type->is_string() || row[c]->type->is_string();
      const bool apart = texts && !column::same_type(column.type, row[c]->type) &&
                         column.type->kind() != column::TypeKind::null &&
                         row[c]->type->kind() != column::TypeKind::null;
      // Numbers have the type that they have together without ANSI.
      const bool numbers = column.type->is_numeric() && row[c]->type->is_numeric();
      const TypePtr common =
          apart ? nullptr : functions::wider_type(column.type, row[c]->type, ansi && !numbers);
      if (common == nullptr) {
        return Status::error("INVALID_INLINE_TABLE.INCOMPATIBLE_TYPES_IN_INLINE_TABLE",
                             {{"colName", sql_id(column.name)}});
      }
      column.type = common;
      column.nullable = column.nullable || row[c]->nullable;
    }
    columns.push_back(std::move(column));
  }
  return columns;
}

}  // namespace

namespace {

constexpr const char* keywords[] = {
#include "plan/keywords.inc"
};

}  // namespace

// None is reserved while spark.sql.ansi.enforceReservedKeywords is off, which it always is here.
Result<NodePtr> RelationAnalyzer::sql_keywords() {
  Rows rows;
  for (const char* keyword : keywords) {
    rows.push_back(
        {string_literal(keyword), make_literal(std::make_shared<arrow::BooleanScalar>(false),
                                               column::boolean_type(), "false")});
  }
  TRY_ASSIGN(std::vector<Attribute> columns, columns_of(rows, settings_.functions.ansi));
  columns[0].name = "keyword";
  columns[1].name = "reserved";
  auto node = std::make_shared<Local>();
  TRY_ASSIGN(auto batch, batch_of(rows, columns));
  node->output = std::move(columns);
  node->batches.push_back(std::move(batch));
  return NodePtr(node);
}

// Spark's columns; the one collation that text has here.
Result<NodePtr> RelationAnalyzer::collations() {
  static constexpr const char* names[] = {"CATALOG",          "SCHEMA",        "NAME",
                                          "LANGUAGE",         "COUNTRY",       "ACCENT_SENSITIVITY",
                                          "CASE_SENSITIVITY", "PAD_ATTRIBUTE", "ICU_VERSION"};
  const ExprPtr none = null_literal(column::string_type());
  const Rows rows{{string_literal("SYSTEM"), string_literal("BUILTIN"),
                   string_literal("UTF8_BINARY"), none, none, string_literal("ACCENT_SENSITIVE"),
                   string_literal("CASE_SENSITIVE"), string_literal("NO_PAD"), none}};
  TRY_ASSIGN(std::vector<Attribute> columns, columns_of(rows, settings_.functions.ansi));
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i].name = names[i];
  auto node = std::make_shared<Local>();
  TRY_ASSIGN(auto batch, batch_of(rows, columns));
  node->output = std::move(columns);
  node->batches.push_back(std::move(batch));
  return NodePtr(node);
}

Result<NodePtr> RelationAnalyzer::inline_table(const sc::UnresolvedTableValuedFunction& proto) {
  Scope scope = scope_of({});
  ExpressionAnalyzer analyzer(settings_, scope);
  Rows rows;
  for (const auto& call : proto.arguments()) {
    auto& row = rows.emplace_back();
    for (const auto& value : call.unresolved_function().arguments()) {
      TRY_ASSIGN(ExprPtr resolved, analyzer.resolve(value));
      row.push_back(strip_alias(resolved));
    }
    TRY(check_row(row, rows[0].size(), rows.size() - 1));
  }
  // The parser writes none such, but a client may.
  if (rows.empty() || rows[0].empty())
    return Status::plain(ErrorKind::invalid_plan, "VALUES needs a row, and a row a value");
  TRY_ASSIGN(const std::vector<Attribute> columns, columns_of(rows, settings_.functions.ansi));
  for (auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      row[c] = implicit_cast(row[c], columns[c].type, analyzer.ansi());
    }
  }
  if (all_literals(rows)) {
    auto node = std::make_shared<Local>();
    node->output = columns;
    TRY_ASSIGN(auto batch, batch_of(rows, columns));
    node->batches.push_back(std::move(batch));
    return NodePtr(node);
  }
  auto node = std::make_shared<SetOperation>();
  node->output = columns;
  for (auto& row : rows) {
    Exprs named;
    for (std::size_t c = 0; c < row.size(); ++c) {
      named.push_back(make_alias(row[c], columns[c].name, next_attribute_id()));
    }
    node->children.push_back(make_project(nullptr, std::move(named)));
  }
  return NodePtr(node);
}

}  // namespace millstream::plan
