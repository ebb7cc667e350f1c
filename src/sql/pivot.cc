// PIVOT and UNPIVOT.
#include <set>

#include "base/text.h"
#include "sql/grammar.h"

namespace millstream::sql {

// PIVOT (sum(v) AS s, … FOR k IN ('a' AS x, 'b')): an Aggregate of the kind PIVOT whose last
// aggregate expression is the call ms_pivot_values(name, value, …); the name '' is none.
Status Grammar::pivot_clause(sc::Relation& out) {
  take();
  take();
  sc::Relation input = take_relation(out);
  auto* aggregate = out.mutable_aggregate();
  aggregate->set_group_type(sc::Aggregate::GROUP_TYPE_PIVOT);
  aggregate->mutable_input()->Swap(&input);
  do {
    sc::Expression value;
    TRY(expression(value));
    sc::Expression& named = *aggregate->add_aggregate_expressions();
    const bool has_as = accept_word("AS");
    if (!has_as && (!is_name() || is_word("FOR"))) {
      named.Swap(&value);
      continue;
    }
    TRY(name(named.mutable_alias()->add_name()));
    named.mutable_alias()->mutable_expr()->Swap(&value);
  } while (accept_symbol(","));
  TRY(expect_word("FOR"));
  TRY(pivot_column(*aggregate->mutable_pivot()->mutable_col()));
  TRY(expect_word("IN"));
  TRY(pivot_values(*aggregate));
  TRY(expect_symbol(")"));
  return table_alias(out, false);
}

// k or (k, l), which is a struct of them.
Status Grammar::pivot_column(sc::Expression& out) {
  const bool several = accept_symbol("(");
  std::vector<std::vector<std::string>> columns;
  do {
    TRY(dotted_name(&columns.emplace_back()));
  } while (several && accept_symbol(","));
  if (several) TRY(expect_symbol(")"));
  const auto put = [](sc::Expression& one, const std::vector<std::string>& name) {
    one.mutable_unresolved_attribute()->set_unparsed_identifier(quoted_name(name));
  };
  if (columns.size() == 1) {
    put(out, columns[0]);
    return Status::OK();
  }
  auto* row = make_function(out, "struct");
  for (const auto& column : columns) put(*row->add_arguments(), column);
  return Status::OK();
}

Status Grammar::pivot_values(sc::Aggregate& aggregate) {
  TRY(expect_symbol("("));
  auto* values = make_function(*aggregate.add_aggregate_expressions(), "ms_pivot_values");
  do {
    sc::Expression value;
    TRY(expression(value));
    std::string alias;
    if (accept_word("AS") || is_name()) TRY(name(&alias));
    make_string(*values->add_arguments(), alias);
    values->add_arguments()->Swap(&value);
  } while (accept_symbol(","));
  return expect_symbol(")");
}

// UNPIVOT [INCLUDE NULLS] (value FOR name IN (a AS x, b)): the columns' values as rows of structs,
// unfolded beside the other columns.
Status Grammar::unpivot_clause(sc::Relation& out) {
  take();
  const bool with_nulls = is_word("INCLUDE");
  if (is_word("NULLS", 1)) position_ += 2;
  TRY(expect_symbol("("));
  std::vector<std::string> values;
  TRY(unpivot_names(&values));
  TRY(expect_word("FOR"));
  std::string name_column;
  TRY(name(&name_column));
  TRY(expect_word("IN"));
  TRY(expect_symbol("("));
  sc::Relation input = take_relation(out);
  auto* project = out.mutable_project();
  project->mutable_input()->Swap(&input);
  auto* rest = make_function(*project->add_expressions(), "ms_star_except");
  rest->add_arguments()->mutable_unresolved_star();
  sc::Expression rows;
  auto* array = make_function(rows, "array");
  std::set<std::string> left_out;  // a column may stand in several rows
  do {
    sc::Expression& row = *array->add_arguments();
    TRY(unpivot_column(name_column, values, row));
    const auto& members = row.unresolved_function().arguments();
    for (int i = 3; i < members.size(); i += 2) {
      const auto& column = members[i].unresolved_attribute().unparsed_identifier();
      if (left_out.insert(to_lower(column)).second) *rest->add_arguments() = members[i];
    }
  } while (accept_symbol(","));
  TRY(expect_symbol(")"));
  TRY(expect_symbol(")"));
  wrap(rows, "inline");
  project->add_expressions()->Swap(&rows);
  if (!with_nulls) {
    sc::Expression any;
    for (const auto& value : values) {
      sc::Expression one;
      one.mutable_unresolved_attribute()->set_unparsed_identifier(quoted_name({value}));
      wrap(one, "isNotNull");
      if (any.expr_type_case() == sc::Expression::EXPR_TYPE_NOT_SET) {
        any.Swap(&one);
      } else {
        wrap(any, "or", one);
      }
    }
    sc::Relation all = take_relation(out);
    out.mutable_filter()->mutable_input()->Swap(&all);
    out.mutable_filter()->mutable_condition()->Swap(&any);
  }
  return table_alias(out, false);
}

// value or (v1, v2)
Status Grammar::unpivot_names(std::vector<std::string>* names) {
  if (is_symbol("(")) return name_list(names);
  return name(&names->emplace_back());
}

// a [AS x] or (a, b) [AS x]: named_struct(name, 'x', v1, a, v2, b).
Status Grammar::unpivot_column(const std::string& name_column,
                               const std::vector<std::string>& values, sc::Expression& out) {
  std::vector<std::vector<std::string>> columns;
  const bool several = accept_symbol("(");
  do {
    TRY(dotted_name(&columns.emplace_back()));
  } while (several && accept_symbol(","));
  if (several) TRY(expect_symbol(")"));
  if (columns.size() != values.size()) return unexpected();
  std::string alias;
  for (const auto& column : columns) alias += (alias.empty() ? "" : "_") + column.back();
  if (accept_word("AS") || is_name()) TRY(name(&alias));
  auto* row = make_function(out, "named_struct");
  make_string(*row->add_arguments(), name_column);
  make_string(*row->add_arguments(), alias);
  for (std::size_t i = 0; i < values.size(); ++i) {
    make_string(*row->add_arguments(), values[i]);
    row->add_arguments()->mutable_unresolved_attribute()->set_unparsed_identifier(
        quoted_name(columns[i]));
  }
  return Status::OK();
}

}  // namespace millstream::sql
