// Pipe syntax: what follows |>.
#include "base/text.h"
#include "sql/grammar.h"

namespace millstream::sql {

Status Grammar::pipe_operators(sc::Relation& out) {
  for (int count = 0; accept_symbol("|>"); ++count) {
    if (count > limits::nesting_max) return too_complex();
    if (peek().kind == TokenKind::end) break;  // Spark takes a last |> for nothing
    TRY(pipe_operator(out));
  }
  return Status::OK();
}

Status Grammar::pipe_operator(sc::Relation& out) {
  if (accept_word("SELECT")) return pipe_list(out, false);
  if (accept_word("EXTEND")) return pipe_list(out, true);
  if (accept_word("SET")) return pipe_set(out);
  if (accept_word("DROP")) return pipe_drop(out);
  if (accept_word("AGGREGATE")) return pipe_aggregate(out);
  if (accept_word("AS")) {
    std::string alias;
    TRY(name(&alias));
    wrap_alias(out, alias);
    return Status::OK();
  }
  if (accept_word("WHERE")) {
    sc::Relation input = take_relation(out);
    out.mutable_filter()->mutable_input()->Swap(&input);
    return expression(*out.mutable_filter()->mutable_condition());
  }
  if (is_set_word(0)) return set_operators(out, false, 0);
  if (is_word("TABLESAMPLE")) return sample_clause(out);
  const std::size_t start = position_;
  TRY(organization(out));
  if (position_ == start) TRY(relation_extensions(out));
  return position_ == start ? unexpected() : Status::OK();
}

// SELECT list, or EXTEND list: all columns and those.
Status Grammar::pipe_list(sc::Relation& out, bool keep) {
  const bool distinct = !keep && accept_word("DISTINCT");
  sc::Relation input = take_relation(out);
  auto* project = out.mutable_project();
  project->mutable_input()->Swap(&input);
  if (keep) project->add_expressions()->mutable_unresolved_star();
  do {
    TRY(named(*project->add_expressions()));
  } while (accept_symbol(","));
  if (distinct) wrap_distinct(out);
  return Status::OK();
}

// SET a = 1, b = a + 1: the columns' new values, one after the other.
Status Grammar::pipe_set(sc::Relation& out) {
  do {
    std::string column;
    TRY(name(&column));
    TRY(expect_symbol("="));
    sc::Relation input = take_relation(out);
    auto* project = out.mutable_project();
    project->mutable_input()->Swap(&input);
    auto* set = make_function(*project->add_expressions(), "ms_star_set");
    set->add_arguments()->mutable_unresolved_star();
    make_string(*set->add_arguments(), column);
    TRY(expression(*set->add_arguments()));
  } while (accept_symbol(","));
  return Status::OK();
}

// DROP a, b
Status Grammar::pipe_drop(sc::Relation& out) {
  sc::Relation input = take_relation(out);
  auto* project = out.mutable_project();
  project->mutable_input()->Swap(&input);
  auto* rest = make_function(*project->add_expressions(), "ms_star_except");
  rest->add_arguments()->mutable_unresolved_star();
  do {
    std::string column;
    TRY(name(&column));
    rest->add_arguments()->mutable_unresolved_attribute()->set_unparsed_identifier(
        quoted_name({column}));
  } while (accept_symbol(","));
  return Status::OK();
}

// AGGREGATE sum(v) AS s [GROUP BY k AS x]: keys first, as groupBy().agg() gives them.
Status Grammar::pipe_aggregate(sc::Relation& out) {
  sc::Relation input = take_relation(out);
  auto* aggregate = out.mutable_aggregate();
  aggregate->set_group_type(sc::Aggregate::GROUP_TYPE_GROUPBY);
  aggregate->mutable_input()->Swap(&input);
  if (!is_word("GROUP")) {
    do {
      TRY(named(*aggregate->add_aggregate_expressions()));
    } while (accept_symbol(","));
  }
  if (!is_word("GROUP")) return Status::OK();
  take();
  TRY(expect_word("BY"));
  do {
    sc::Expression& key = *aggregate->add_grouping_expressions();
    if (starts_grouping_analytics() || is_word("ALL")) {
      return Status::unsupported("|> AGGREGATE … GROUP BY {} is not supported",
                                 to_upper(peek().text));
    }
    TRY(named(key));
    if (key.has_literal()) {
      return Status::unsupported("|> AGGREGATE … GROUP BY a place is not supported");
    }
  } while (accept_symbol(","));
  return Status::OK();
}

}  // namespace millstream::sql
