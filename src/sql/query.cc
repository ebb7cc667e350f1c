// Queries: WITH, set operations, ORDER BY, LIMIT, and subqueries of expressions.
#include <algorithm>
#include <array>
#include <limits>

#include "base/text.h"
#include "sql/grammar.h"

namespace millstream::sql {

sc::Relation take_relation(sc::Relation& out) {
  sc::Relation inner;
  inner.Swap(&out);
  return inner;
}

void make_named_table(sc::Relation& out, const std::vector<std::string>& name) {
  out.mutable_read()->mutable_named_table()->set_unparsed_identifier(quoted_name(name));
}

void wrap_alias(sc::Relation& out, const std::string& alias) {
  sc::Relation inner = take_relation(out);
  out.mutable_subquery_alias()->set_alias(alias);
  out.mutable_subquery_alias()->mutable_input()->Swap(&inner);
}

// SELECT DISTINCT: in brackets of its own, so that ORDER BY finds no column below it.
void wrap_distinct(sc::Relation& out) {
  sc::Relation inner = take_relation(out);
  out.mutable_deduplicate()->set_all_columns_as_keys(true);
  out.mutable_deduplicate()->mutable_input()->Swap(&inner);
}

// The subqueries that were met go with the query.
void Grammar::gather_subqueries(sc::Relation& out) {
  if (subqueries_.empty()) return;
  sc::Relation root = take_relation(out);
  auto* with = out.mutable_with_relations();
  with->mutable_root()->Swap(&root);
  for (sc::Relation& one : subqueries_) with->add_references()->Swap(&one);
  subqueries_.clear();
}

// Whether a query begins here, perhaps inside brackets of its own.
bool Grammar::starts_query(std::size_t ahead) const {
  for (int depth = 0; is_symbol("(", ahead) && depth < limits::nesting_max; ++depth) {
    const std::size_t close = matching_bracket(position_ + ahead);
    if (close >= tokens_.size()) return false;
    const std::size_t after = close + 1 - position_;
    const bool goes_on = is_symbol(")", after) || is_symbol("|>", after) ||
                         peek(after).kind == TokenKind::end || is_word("ORDER", after) ||
                         is_word("LIMIT", after) || is_set_word(after);
    if (!goes_on) return false;
    ++ahead;
  }
  const TokenKind next = peek(ahead + 1).kind;
  const bool name = next == TokenKind::word || next == TokenKind::quoted;
  const bool bracket = is_symbol("(", ahead + 1);
  if (is_word("SELECT", ahead)) return true;
  if (is_word("WITH", ahead) || is_word("TABLE", ahead)) return name;
  if (is_word("FROM", ahead)) return name || bracket;
  const bool value = next == TokenKind::string || next == TokenKind::integer ||
                     next == TokenKind::decimal || next == TokenKind::exponent;
  return is_word("VALUES", ahead) && (name || bracket || value);
}

bool Grammar::is_set_word(std::size_t ahead) const {
  return is_word("UNION", ahead) || is_word("EXCEPT", ahead) || is_word("MINUS", ahead) ||
         is_word("INTERSECT", ahead);
}

// Where the bracket that opens at token `open` closes; beyond the end: nowhere.
std::size_t Grammar::matching_bracket(std::size_t open) const {
  if (closing_.empty()) {
    closing_.assign(tokens_.size(), tokens_.size());
    std::vector<std::size_t> opened;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].kind != TokenKind::symbol) continue;
      if (tokens_[i].text == "(") opened.push_back(i);
      if (tokens_[i].text == ")" && !opened.empty()) {
        closing_[opened.back()] = i;
        opened.pop_back();
      }
    }
  }
  return closing_[open];
}

// [WITH …] term [ORDER BY …] [LIMIT …]
Status Grammar::query(sc::Relation& out) {
  if (++nesting_ > limits::nesting_max) return too_complex();
  std::vector<sc::Relation> definitions;
  if (is_word("WITH")) TRY(with_clause(definitions));
  TRY(query_body(out));
  if (!definitions.empty()) {
    sc::Relation root = take_relation(out);
    out.mutable_with_relations()->mutable_root()->Swap(&root);
    for (auto& one : definitions) out.mutable_with_relations()->add_references()->Swap(&one);
  }
  --nesting_;
  return Status::OK();
}

Status Grammar::query_body(sc::Relation& out) {
  TRY(set_operations(out, false));
  TRY(organization(out));
  return pipe_operators(out);
}

// WITH a AS (…), b(x, y) AS (…)
Status Grammar::with_clause(std::vector<sc::Relation>& definitions) {
  const Token with = take();
  const bool recursive = is_word("RECURSIVE") && is_name(1);
  if (recursive) take();
  std::vector<std::string> duplicates;
  do {
    std::string alias;
    TRY(name(&alias));
    std::vector<std::string> columns;
    if (is_symbol("(") && !starts_query(1)) TRY(name_list(&columns));
    sc::Relation recursion;
    if (recursive) TRY(recursion_limit(recursion));
    accept_word("AS");
    TRY(expect_symbol("("));
    sc::Relation& definition = definitions.emplace_back();
    TRY(query(definition));
    TRY(expect_symbol(")"));
    name_columns(definition, columns);
    if (recursive) {
      recursion.mutable_hint()->mutable_input()->Swap(&definition);
      definition.Swap(&recursion);
    }
    const bool known =
        std::any_of(definitions.begin(), definitions.end() - 1, [&](const sc::Relation& other) {
          return equals_ignore_case(other.subquery_alias().alias(), alias);
        });
    if (known) duplicates.push_back("`" + alias + "`");
    wrap_alias(definition, alias);
  } while (accept_symbol(","));
  if (duplicates.empty()) return Status::OK();
  return parse_error(
      text_, with, tokens_[position_ - 1],
      Status::error("DUPLICATED_CTE_NAMES", {{"duplicateNames", join(duplicates, ", ")}}));
}

// [MAX RECURSION LEVEL n]: the hint around what may refer to itself.
Status Grammar::recursion_limit(sc::Relation& definition) {
  definition.mutable_hint()->set_name("ms_recursive");
  if (!is_word("MAX") || !is_word("RECURSION", 1)) return Status::OK();
  position_ += 2;
  TRY(expect_word("LEVEL"));
  return number(*definition.mutable_hint()->add_parameters(), false);
}

// ( a, b )
Status Grammar::name_list(std::vector<std::string>* names) {
  TRY(expect_symbol("("));
  do {
    TRY(name(&names->emplace_back()));
  } while (accept_symbol(","));
  return expect_symbol(")");
}

// The columns of `out` under new names; none: as they are.
void Grammar::name_columns(sc::Relation& out, const std::vector<std::string>& columns) {
  if (columns.empty()) return;
  sc::Relation inner = take_relation(out);
  auto* renamed = out.mutable_to_df();
  for (const auto& column : columns) renamed->add_column_names(column);
  renamed->mutable_input()->Swap(&inner);
}

// A word that joins two queries, not an alias.
bool Grammar::set_operator(bool intersect_only) const {
  if (!is_set_word(0) || (intersect_only && !is_word("INTERSECT"))) return false;
  return is_word("ALL", 1) || is_word("DISTINCT", 1) || is_word("BY", 1) || starts_query(1) ||
         is_symbol("(", 1) || peek(1).kind == TokenKind::word;
}

// Terms joined by UNION, EXCEPT and MINUS, which bind looser than INTERSECT.
Status Grammar::set_operations(sc::Relation& out, bool intersect_only) {
  const std::size_t first = position_;
  TRY(intersect_only ? query_primary(out) : set_operations(out, true));
  return set_operators(out, intersect_only, first);
}

Status Grammar::set_operators(sc::Relation& out, bool intersect_only, std::size_t first) {
  for (int terms = 0; set_operator(intersect_only); ++terms) {
    if (terms > limits::chain_max) return too_complex();
    sc::Relation left = take_relation(out);
    auto* operation = out.mutable_set_op();
    const Token word = take();
    using SetType = sc::SetOperation;
    operation->set_set_op_type(equals_ignore_case(word.text, "UNION") ? SetType::SET_OP_TYPE_UNION
                               : equals_ignore_case(word.text, "INTERSECT")
                                   ? SetType::SET_OP_TYPE_INTERSECT
                                   : SetType::SET_OP_TYPE_EXCEPT);
    operation->set_is_all(accept_word("ALL"));
    if (!operation->is_all()) accept_word("DISTINCT");
    operation->mutable_left_input()->Swap(&left);
    TRY(intersect_only ? query_primary(*operation->mutable_right_input())
                       : set_operations(*operation->mutable_right_input(), true));
    mark(out, first);
  }
  return Status::OK();
}

// SELECT …, FROM …, VALUES …, TABLE t, or a query in brackets
Status Grammar::query_primary(sc::Relation& out) {
  if (is_word("SELECT")) return select(out);
  if (is_word("FROM")) return from_statement(out);
  if (is_word("VALUES")) return inline_table(out);
  if (accept_word("TABLE")) {
    std::vector<std::string> parts;
    TRY(dotted_name(&parts));
    make_named_table(out, parts);
    return Status::OK();
  }
  TRY(expect_symbol("("));
  TRY(query(out));
  return expect_symbol(")");
}

// The last row of VALUES has as many values as is expected.
Status Grammar::check_row_width(int expected, const sc::UnresolvedTableValuedFunction& rows,
                                const Token& first, const Token& last) const {
  const int index = rows.arguments_size() - 1;
  const int actual = rows.arguments(index).unresolved_function().arguments_size();
  if (actual == expected) return Status::OK();
  return parse_error(text_, first, last,
                     Status::error("INVALID_INLINE_TABLE.NUM_COLUMNS_MISMATCH",
                                   {{"expectedNumCols", std::to_string(expected)},
                                    {"actualNumCols", std::to_string(actual)},
                                    {"rowIndex", std::to_string(index)}}));
}

// The members of a row (a, b) or struct(a, b); any other expression is one of one.
std::vector<sc::Expression> members_of(sc::Expression& value) {
  std::vector<sc::Expression> members;
  const std::string& name = value.unresolved_function().function_name();
  const bool row = name == "ms_row";  // a name before each member
  if (!row && !equals_ignore_case(name, "struct")) {
    members.emplace_back().Swap(&value);
    return members;
  }
  auto* arguments = value.mutable_unresolved_function()->mutable_arguments();
  for (int i = row ? 1 : 0; i < arguments->size(); i += row ? 2 : 1) {
    sc::Expression* member = arguments->Mutable(i);
    if (member->has_alias()) member = member->mutable_alias()->mutable_expr();
    members.emplace_back().Swap(member);
  }
  return members;
}

// VALUES (1, 'a'), (2, 'b')
Status Grammar::inline_table(sc::Relation& out) {
  const Token first = peek();
  TRY(expect_word("VALUES"));
  auto* function = out.mutable_unresolved_table_valued_function();
  function->set_function_name("ms_values");
  do {
    sc::Expression value;
    TRY(expression(value));
    const Token& last = tokens_[position_ - 1];
    auto* row = make_function(*function->add_arguments(), "struct");
    for (auto& member : members_of(value)) {
      row->add_arguments()->Swap(&member);
    }
    TRY(check_row_width(function->arguments(0).unresolved_function().arguments_size(), *function,
                        first, last));
  } while (accept_symbol(","));
  return Status::OK();
}

// What follows a whole query: ORDER BY, CLUSTER BY, DISTRIBUTE BY, SORT BY, LIMIT, OFFSET.
Status Grammar::organization(sc::Relation& out) {
  const std::size_t first = position_;
  int clauses = 0;
  const auto begins = [&](const char* word) {
    const bool there = is_word(word) && is_word("BY", 1);
    clauses += there ? 1 : 0;
    return there;
  };
  const bool ordered = begins("ORDER");
  if (ordered) TRY(order_by(out, true));
  if (begins("CLUSTER")) {
    const std::size_t start = position_;
    TRY(distribute_by(out));
    position_ = start;
    TRY(order_by(out, false));
  }
  const bool distributed = begins("DISTRIBUTE");
  if (distributed) TRY(distribute_by(out));
  const bool sorted = begins("SORT");
  if (sorted) TRY(order_by(out, false));
  if (clauses > 1 && !(clauses == 2 && distributed && sorted)) {
    return parse_error(text_, tokens_[first], tokens_[position_ - 1],
                       Status::error("UNSUPPORTED_FEATURE.COMBINATION_QUERY_RESULT_CLAUSES"));
  }
  return limit_clause(out);
}

// ORDER BY a DESC, b or ORDER BY ALL; SORT BY and CLUSTER BY order each partition for itself.
Status Grammar::order_by(sc::Relation& out, bool global) {
  take();
  TRY(expect_word("BY"));
  sc::Relation inner = take_relation(out);
  auto* sort = out.mutable_sort();
  sort->set_is_global(global);
  sort->mutable_input()->Swap(&inner);
  do {
    sc::Expression_SortOrder& order = *sort->add_order();
    const bool all = is_word("ALL") && !is_symbol(".", 1) && !is_symbol("(", 1);
    TRY(sort_item(order));
    const bool only = sort->order_size() == 1 && !is_symbol(",");
    if (all && only) make_function(*order.mutable_child(), "ms_all");
  } while (accept_symbol(","));
  return Status::OK();
}

Status Grammar::distribute_by(sc::Relation& out) {
  take();
  TRY(expect_word("BY"));
  sc::Relation inner = take_relation(out);
  auto* partition = out.mutable_repartition_by_expression();
  partition->mutable_input()->Swap(&inner);
  do {
    TRY(expression(*partition->add_partition_exprs()));
  } while (accept_symbol(","));
  return Status::OK();
}

// An expression whose place is known though it may be a constant.
Status Grammar::counted(sc::Expression& out) {
  const std::size_t first = position_;
  TRY(expression(out));
  const Token& last = tokens_[position_ - 1];
  auto* place = out.mutable_common()->mutable_origin()->mutable_jvm_origin();
  place->set_start_index(static_cast<std::int32_t>(tokens_[first].offset));
  place->set_stop_index(static_cast<std::int32_t>(last.offset + last.text.size()));
  return Status::OK();
}

// LIMIT and OFFSET by an expression: what is no plain number is put to plan.
Status Grammar::limit_clause(sc::Relation& out) {
  // OFFSET stands behind LIMIT but is done first.
  sc::Expression count;
  const bool limited = accept_word("LIMIT");
  const bool all = limited && is_word("ALL");
  if (all) take();
  if (limited && !all) TRY(counted(count));
  if (accept_word("OFFSET")) {
    sc::Expression offset;
    TRY(counted(offset));
    wrap_filter(out, "ms_offset", offset);
  }
  if (limited && !all) wrap_filter(out, "ms_limit", count);
  return Status::OK();
}

void Grammar::wrap_filter(sc::Relation& out, std::string_view function, sc::Expression& argument) {
  sc::Relation inner = take_relation(out);
  out.mutable_filter()->mutable_input()->Swap(&inner);
  make_function(*out.mutable_filter()->mutable_condition(), function)
      ->add_arguments()
      ->Swap(&argument);
}

// The query between brackets that are open already; `out` refers to it by its plan id.
Status Grammar::subquery(sc::Expression& out, sc::SubqueryExpression::SubqueryType type) {
  if (++subquery_nesting_ > limits::subquery_nesting_max) return too_complex();
  sc::Relation relation;
  auto windows = std::move(windows_);
  TRY(query(relation));
  --subquery_nesting_;
  windows_ = std::move(windows);
  set_apart(out, type, relation);
  return Status::OK();
}

// The relation, which is consumed, among the subqueries; `out` refers to it.
void Grammar::set_apart(sc::Expression& out, sc::SubqueryExpression::SubqueryType type,
                        sc::Relation& relation) {
  const std::int64_t id = -1 - static_cast<std::int64_t>(subqueries_.size());
  relation.mutable_common()->set_plan_id(id);
  subqueries_.emplace_back().Swap(&relation);
  auto* subquery = out.mutable_subquery_expression();
  subquery->set_plan_id(id);
  subquery->set_subquery_type(type);
}

}  // namespace millstream::sql
