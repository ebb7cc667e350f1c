// unpivot: columns to rows. transpose: rows to columns, which needs the rows to know its columns.
#include <arrow/array.h>
#include <arrow/array/builder_base.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include <algorithm>

#include "base/text.h"
#include "plan/literal.h"
#include "plan/relations.h"
#include "plan/text.h"
#include "plan/tree.h"
#include "spark/connect/expressions.pb.h"
#include "spark/connect/relations.pb.h"

namespace millstream::plan {

namespace sc = spark::connect;
using column::TypeKind;
using column::TypePtr;

namespace {

// The type that all have in common; texts and other values have none here.
TypePtr common_type(const std::vector<ExprPtr>& exprs, bool ansi) {
  TypePtr common;
  for (const ExprPtr& e : exprs) {
    if (common != nullptr && common->kind() != TypeKind::null &&
        e->type->kind() != TypeKind::null && common->is_string() != e->type->is_string()) {
      return nullptr;
    }
    common = common == nullptr ? e->type : functions::wider_type(common, e->type, ansi);
    if (common == nullptr) return nullptr;
  }
  return common;
}

Status values_mismatch(const std::vector<ExprPtr>& values) {
  // Types with the columns that have them, in the types' order.
  std::map<std::string, std::vector<std::string>> by_type;
  for (const ExprPtr& value : values) by_type[sql_type(value->type)].push_back(sql_id(value->name));
  std::vector<std::string> types;
  for (const auto& [type, names] : by_type) {
    std::vector<std::string> shown(
        names.begin(),
        names.begin() + std::min<std::ptrdiff_t>(3, static_cast<std::ptrdiff_t>(names.size())));
    if (names.size() > 3) shown.push_back("...");
    types.push_back(type + " (" + join(shown, ", ") + ")");
  }
  return Status::error("UNPIVOT_VALUE_DATA_TYPE_MISMATCH", {{"types", join(types, ", ")}});
}

}  // namespace

Result<NodePtr> RelationAnalyzer::unpivot(const sc::Unpivot& proto, NodePtr input) {
  Scope scope = scope_of({input});
  ExpressionAnalyzer analyzer(settings_, scope);
  const auto expanded = [&](const auto& protos) -> Result<Exprs> {
    Exprs out;
    for (const auto& e : protos) {
      TRY_ASSIGN(const Exprs some, analyzer.expand(e));
      for (const ExprPtr& one : some) out.push_back(with_name(one));
    }
    return out;
  };
  TRY_ASSIGN(Exprs ids, expanded(proto.ids()));
  Exprs values;
  if (proto.has_values()) {
    TRY_ASSIGN(values, expanded(proto.values().values()));
  } else {
    std::vector<std::string> computed;
    for (const ExprPtr& id : ids) {
      if (id->kind != ExprKind::attribute)
        computed.push_back(sql_expr(strip_alias(id)->pretty + " AS " + id->name));
    }
    if (!computed.empty()) {
      return Status::error(
          "UNPIVOT_REQUIRES_ATTRIBUTES",
          {{"given", "id"}, {"empty", "value"}, {"expressions", join(computed, ", ")}});
    }
    for (const ExprPtr& column : visible_columns(*input)) {
      const bool is_id = std::any_of(ids.begin(), ids.end(),
                                     [&](const ExprPtr& id) { return id->id == column->id; });
      if (!is_id) values.push_back(column);
    }
  }
  if (values.empty()) return Status::error("UNPIVOT_REQUIRES_VALUE_COLUMNS");
  const TypePtr common = common_type(values, analyzer.ansi());
  if (common == nullptr) return values_mismatch(values);
  // Ids and values that compute something become columns below the copies of the row.
  Exprs below = visible_columns(*input);
  Exprs names;
  const auto column_of = [&](const ExprPtr& e) {
    if (e->kind == ExprKind::attribute) return e;
    below.push_back(e);
    return make_attribute(attribute_of(*e));
  };
  for (ExprPtr& id : ids) id = column_of(id);
  for (ExprPtr& value : values) {
    names.push_back(string_literal(value->name));
    value = implicit_cast(column_of(value), common, analyzer.ansi());
  }
  input = make_project(std::move(input), std::move(below));
  const std::size_t length = values.size();
  TRY_ASSIGN(ExprPtr name_array, analyzer.call("array", std::move(names)));
  TRY_ASSIGN(ExprPtr value_array, analyzer.call("array", std::move(values)));
  return make_unfolded(std::move(input), std::move(ids),
                       {make_alias(name_array, proto.variable_column_name(), next_attribute_id()),
                        make_alias(value_array, proto.value_column_name(), next_attribute_id())},
                       length, analyzer);
}

namespace {

constexpr std::int64_t transpose_rows_max = 500;  // spark.sql.transposeMaxValues

Status from_arrow_status(const arrow::Status& status) {
  return status.ok() ? Status::OK() : Status::internal("transpose: {}", status.ToString());
}

// Row i of the result is column i of `rows` (after the first, which names the result's columns).
Result<NodePtr> turned(const std::vector<connector::RecordBatchPtr>& rows,
                       const std::vector<std::string>& names, const TypePtr& type) {
  auto local = std::make_shared<Local>();
  const auto add = [&](std::string name, TypePtr of, bool nullable) {
    Attribute a;
    a.id = next_attribute_id();
    a.name = std::move(name);
    a.type = std::move(of);
    a.nullable = nullable;
    local->output.push_back(std::move(a));
  };
  add("key", column::string_type(), false);
  arrow::StringBuilder keys;
  for (const std::string& name : names) TRY(from_arrow_status(keys.Append(name)));
  std::vector<std::shared_ptr<arrow::Array>> arrays(1);
  TRY(from_arrow_status(keys.Finish(&arrays[0])));
  for (const auto& batch : rows) {
    const auto& index = static_cast<const arrow::StringArray&>(*batch->column(0));
    for (std::int64_t row = 0; row < batch->num_rows(); ++row) {
      add(index.GetString(row), type, true);
      std::unique_ptr<arrow::ArrayBuilder> builder;
      TRY(from_arrow_status(
          arrow::MakeBuilder(arrow::default_memory_pool(), column::to_arrow(type), &builder)));
      for (int i = 1; i < batch->num_columns(); ++i)
        TRY(from_arrow_status(
            builder->AppendArraySlice(arrow::ArraySpan(*batch->column(i)->data()), row, 1)));
      TRY(from_arrow_status(builder->Finish(&arrays.emplace_back())));
    }
  }
  const auto schema = column::to_arrow(schema_of(*local));
  local->batches = {
      arrow::RecordBatch::Make(schema, static_cast<std::int64_t>(names.size()), std::move(arrays))};
  return NodePtr(local);
}

}  // namespace

Result<NodePtr> RelationAnalyzer::transpose(const sc::Transpose& proto, NodePtr input) {
  const auto bad_index = [](const std::string& reason) {
    return Status::error("TRANSPOSE_INVALID_INDEX_COLUMN", {{"reason", reason}});
  };
  Scope scope = scope_of({input});
  ExpressionAnalyzer analyzer(settings_, scope);
  if (proto.index_columns_size() > 1)
    return Status::unsupported("transpose by several index columns is not supported");
  ExprPtr index;
  Exprs others = visible_columns(*input);
  if (proto.index_columns_size() == 1) {
    TRY_ASSIGN(index, analyzer.resolve(proto.index_columns(0)));
    if (index->kind != ExprKind::attribute) return bad_index("Index column must be an attribute");
  } else {
    if (others.empty()) return bad_index("Index column must be given: there are no columns");
    index = others.front();
  }
  if (index->type->is_nested()) {
    return bad_index("Index column must be of atomic type, but found: " + index->type->sql());
  }
  std::erase_if(others, [&](const ExprPtr& e) { return e->id == index->id; });
  TypePtr common = others.empty() ? column::string_type() : others.front()->type;
  for (const ExprPtr& e : others) {
    const bool texts = common->is_string() == e->type->is_string();
    const TypePtr wider =
        texts ? functions::wider_type(common, e->type, settings_.functions.ansi) : nullptr;
    if (wider == nullptr) {
      return Status::error("TRANSPOSE_NO_LEAST_COMMON_TYPE",
                           {{"dt1", sql_type(common)}, {"dt2", sql_type(e->type)}});
    }
    common = wider;
  }
  auto sort = std::make_shared<Sort>();
  TRY_ASSIGN(ExprPtr there, analyzer.call("isnotnull", {index}));
  sort->keys = {{index, true, true}};
  NodePtr kept = make_filter(std::move(input), there);
  sort->output = kept->output;
  sort->children.push_back(std::move(kept));
  TRY_ASSIGN(NodePtr first, limit(sort, transpose_rows_max + 1, 0, false));
  Exprs columns;
  std::vector<std::string> names;
  TRY_ASSIGN(ExprPtr text, analyzer.cast(index, column::string_type(), analyzer.ansi(), false));
  columns.push_back(make_alias(text, "index", next_attribute_id()));
  for (const ExprPtr& e : others) {
    names.push_back(e->name);
    columns.push_back(
        make_alias(implicit_cast(e, common, analyzer.ansi()), e->name, next_attribute_id()));
  }
  TRY_ASSIGN(const auto rows, resolver_.rows_of(make_project(first, std::move(columns))));
  std::int64_t count = 0;
  for (const auto& batch : rows) count += batch->num_rows();
  if (count > transpose_rows_max) {
    return Status::error("TRANSPOSE_EXCEED_ROW_LIMIT",
                         {{"maxValues", std::to_string(transpose_rows_max)},
                          {"config", "spark.sql.transposeMaxValues"}});
  }
  return turned(rows, names, common);
}

namespace {

constexpr std::int64_t pivot_values_max = 10'000;  // spark.sql.pivotMaxValues

}  // namespace

Result<RelationAnalyzer::Exprs> RelationAnalyzer::distinct_values(const NodePtr& input,
                                                                  const ExprPtr& column) {
  const ExprPtr bare = strip_alias(column);
  if (bare->type->is_nested())
    return Status::unsupported("pivot by {} without its list of values is not supported",
                               bare->type->sql());
  NodePtr values =
      make_project(visible_only(input), {make_alias(bare, column->name, next_attribute_id())});
  values = visible_only(std::move(values));
  auto distinct = std::make_shared<Deduplicate>();
  distinct->output = values->output;
  distinct->keys = visible_columns(*values);
  distinct->children.push_back(std::move(values));
  TRY_ASSIGN(NodePtr some, limit(distinct, pivot_values_max + 1, 0, false));
  auto sort = std::make_shared<Sort>();
  sort->keys = {{make_attribute(some->output[0]), true, true}};
  sort->output = some->output;
  sort->children.push_back(std::move(some));
  TRY_ASSIGN(const auto rows, resolver_.rows_of(sort));
  Exprs out;
  for (const auto& batch : rows) {
    for (std::int64_t row = 0; row < batch->num_rows(); ++row) {
      const auto scalar = batch->column(0)->GetScalar(row);
      if (!scalar.ok()) return Status::internal("pivot: {}", scalar.status().ToString());
      out.push_back(literal_of(*scalar, bare->type));
    }
  }
  if (static_cast<std::int64_t>(out.size()) > pivot_values_max) {
    return Status::plain(
        ErrorKind::analysis,
        fmt::format("The pivot column {} has more than {} distinct values, this could indicate an "
                    "error. If this was intended, set spark.sql.pivotMaxValues to at least the "
                    "number of distinct values of the pivot column.",
                    column->name, pivot_values_max));
  }
  return out;
}

Result<RelationAnalyzer::Exprs> RelationAnalyzer::pivot_values(const sc::Aggregate& proto,
                                                               const NodePtr& input,
                                                               const ExprPtr& column) {
  if (proto.pivot().values_size() == 0) return distinct_values(input, column);
  Exprs out;
  for (const auto& literal : proto.pivot().values()) {
    TRY_ASSIGN(ExprPtr value, literal_from_proto(literal));
    out.push_back(std::move(value));
  }
  return out;
}

}  // namespace millstream::plan
