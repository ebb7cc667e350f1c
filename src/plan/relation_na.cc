// df.na: fill, drop, replace.
#include <arrow/scalar.h>

#include <algorithm>

#include "base/text.h"
#include "plan/literal.h"
#include "plan/relations.h"
#include "plan/text.h"
#include "spark/connect/expressions.pb.h"
#include "spark/connect/relations.pb.h"

namespace millstream::plan {

namespace sc = spark::connect;
using column::TypeKind;

namespace {

bool is_floating(const column::TypePtr& type) {
  return type->kind() == TypeKind::float_ || type->kind() == TypeKind::double_;
}

// A value given without a column goes to the columns of its kind.
bool same_kind(const column::TypePtr& value, const column::TypePtr& column) {
  if (value->is_numeric()) return column->is_numeric();
  if (value->is_string()) return column->is_string();
  return value->kind() == column->kind();
}

// The named columns (all when none is named), by index; the error that Spark gives for a name that
// is not there.
Result<std::vector<std::size_t>> chosen(const std::vector<ExprPtr>& columns,
                                        const std::vector<std::string>& names,
                                        bool case_sensitive) {
  std::vector<std::size_t> out;
  for (const std::string& name : names) {
    bool found = false;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (!same_name(columns[i]->name, name, case_sensitive)) continue;
      out.push_back(i);
      found = true;
    }
    if (found) continue;
    std::vector<std::string> all;
    for (const ExprPtr& column : columns) all.push_back(sql_id(column->name));
    return Status::error("UNRESOLVED_COLUMN.WITH_SUGGESTION",
                         {{"objectName", sql_id(name)}, {"proposal", join(all, ", ")}});
  }
  if (names.empty()) {
    for (std::size_t i = 0; i < columns.size(); ++i) out.push_back(i);
  }
  return out;
}

Result<ExprPtr> filled(ExpressionAnalyzer& analyzer, const ExprPtr& column, const ExprPtr& value) {
  ExprPtr base = column;
  if (is_floating(column->type)) {
    TRY_ASSIGN(base, analyzer.call("nanvl", {column, null_literal(column->type)}));
    base = implicit_cast(base, column->type, analyzer.ansi());
  }
  ExprPtr replacement = value;
  if (!column::same_type(value->type, column->type)) {
    TRY_ASSIGN(replacement, analyzer.cast(value, column->type, analyzer.ansi(), false));
  }
  TRY_ASSIGN(ExprPtr either, analyzer.call("coalesce", {base, replacement}));
  return make_alias(either, column->name, next_attribute_id());
}

}  // namespace

Result<NodePtr> RelationAnalyzer::fill_na(const sc::NAFill& proto, NodePtr input) {
  if (proto.values_size() == 0) {
    return Status::error("CONNECT_INVALID_PLAN.NA_FILL_VALUES_EMPTY");
  }
  if (proto.values_size() > 1 && proto.values_size() != proto.cols_size()) {
    return Status::error("CONNECT_INVALID_PLAN.NA_FILL_VALUES_LENGTH_MISMATCH");
  }
  Exprs columns = visible_columns(*input);
  Scope scope = scope_of({input});
  ExpressionAnalyzer analyzer(settings_, scope);
  const std::vector<std::string> names(proto.cols().begin(), proto.cols().end());
  if (proto.values_size() == 1) {
    TRY_ASSIGN(ExprPtr value, literal_from_proto(proto.values(0)));
    TRY_ASSIGN(auto indexes, chosen(columns, names, settings_.case_sensitive));
    for (const std::size_t i : indexes) {
      if (!same_kind(value->type, columns[i]->type)) continue;
      if (columns[i]->kind != ExprKind::attribute) continue;
      TRY_ASSIGN(columns[i], filled(analyzer, columns[i], value));
    }
    return make_project(std::move(input), std::move(columns));
  }
  for (int v = 0; v < proto.values_size(); ++v) {
    TRY_ASSIGN(ExprPtr value, literal_from_proto(proto.values(v)));
    TRY_ASSIGN(auto indexes, chosen(columns, {proto.cols(v)}, settings_.case_sensitive));
    for (const std::size_t i : indexes) {
      if (columns[i]->kind != ExprKind::attribute) continue;
      TRY_ASSIGN(columns[i], filled(analyzer, columns[i], value));
    }
  }
  return make_project(std::move(input), std::move(columns));
}

Result<NodePtr> RelationAnalyzer::drop_na(const sc::NADrop& proto, NodePtr input) {
  const Exprs columns = visible_columns(*input);
  Scope scope = scope_of({input});
  ExpressionAnalyzer analyzer(settings_, scope);
  const std::vector<std::string> names(proto.cols().begin(), proto.cols().end());
  TRY_ASSIGN(auto indexes, chosen(columns, names, settings_.case_sensitive));
  const auto count = static_cast<int>(indexes.size());
  const int least = proto.has_min_non_nulls() ? proto.min_non_nulls() : count;
  if (indexes.empty() || least <= 0) return input;
  Exprs present;
  for (const std::size_t i : indexes) {
    TRY_ASSIGN(ExprPtr there, analyzer.call("isnotnull", {columns[i]}));
    if (is_floating(columns[i]->type)) {
      TRY_ASSIGN(ExprPtr nan, analyzer.call("isnan", {columns[i]}));
      TRY_ASSIGN(ExprPtr number, analyzer.call("not", {nan}));
      TRY_ASSIGN(there, analyzer.call("and", {there, number}));
    }
    present.push_back(std::move(there));
  }
  if (least > count) {
    return make_filter(input, make_literal(std::make_shared<arrow::BooleanScalar>(false),
                                           column::boolean_type(), "false"));
  }
  ExprPtr condition;
  for (const ExprPtr& there : present) {
    ExprPtr term = there;
    if (least != count && least != 1) {
      TRY_ASSIGN(term, analyzer.call("if", {there, int_literal(1), int_literal(0)}));
    }
    if (condition == nullptr) {
      condition = term;
      continue;
    }
    const char* with = least == count ? "and" : least == 1 ? "or" : "+";
    TRY_ASSIGN(condition, analyzer.call(with, {condition, term}));
  }
  if (least != count && least != 1) {
    TRY_ASSIGN(condition, analyzer.call(">=", {condition, int_literal(least)}));
  }
  return make_filter(std::move(input), condition);
}

Result<NodePtr> RelationAnalyzer::replace(const sc::NAReplace& proto, NodePtr input) {
  Exprs columns = visible_columns(*input);
  Scope scope = scope_of({input});
  ExpressionAnalyzer analyzer(settings_, scope);
  const std::vector<std::string> names(proto.cols().begin(), proto.cols().end());
  TRY_ASSIGN(auto indexes, chosen(columns, names, settings_.case_sensitive));
  std::vector<std::pair<ExprPtr, ExprPtr>> pairs;
  column::TypePtr kind;
  for (const auto& r : proto.replacements()) {
    TRY_ASSIGN(ExprPtr from, literal_from_proto(r.old_value()));
    TRY_ASSIGN(ExprPtr to, literal_from_proto(r.new_value()));
    const column::TypePtr& type = from->type->kind() == TypeKind::null ? to->type : from->type;
    if (kind == nullptr && type->kind() != TypeKind::null) kind = type;
    pairs.emplace_back(std::move(from), std::move(to));
  }
  if (kind == nullptr) return input;
  for (const std::size_t i : indexes) {
    const ExprPtr column = columns[i];
    if (column->kind != ExprKind::attribute || !same_kind(kind, column->type)) continue;
    auto choice = std::make_shared<Expr>();
    choice->kind = ExprKind::case_when;
    choice->type = column->type;
    choice->nullable = column->nullable;
    choice->pretty = column->name;
    for (const auto& [from, to] : pairs) {
      TRY_ASSIGN(ExprPtr equal, analyzer.call("==", {column, from}));
      ExprPtr value = to;
      if (to->type->kind() == TypeKind::null) {
        value = null_literal(column->type);
      } else if (!column::same_type(to->type, column->type)) {
        TRY_ASSIGN(value, analyzer.cast(to, column->type, analyzer.ansi(), false));
      }
      choice->nullable = choice->nullable || value->nullable;
      choice->children.push_back(std::move(equal));
      choice->children.push_back(std::move(value));
    }
    choice->children.push_back(column);
    columns[i] = make_alias(choice, column->name, next_attribute_id());
  }
  return make_project(std::move(input), std::move(columns));
}

}  // namespace millstream::plan
