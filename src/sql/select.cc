// SELECT: its list, WHERE, GROUP BY, HAVING, QUALIFY and WINDOW.
#include <algorithm>

#include "base/text.h"
#include "sql/grammar.h"

namespace millstream::sql {

namespace limits {
inline constexpr std::size_t grouping_sets_max = 4096;
}  // namespace limits

struct Grammar::SelectParts {
  std::vector<sc::Expression> list;
  bool distinct = false;
  sc::Relation from;
  bool has_from = false;
  sc::Aggregate grouping;  // without its input
  bool grouped = false;
  sc::Expression having;
  bool has_having = false;
  sc::Expression qualify;
  bool has_qualify = false;
  std::vector<sc::Hint> hints;
  std::size_t first = 0;  // its first token
};

// Whether the word at hand begins a clause of a query, so that it is no alias. What nothing can
// follow, such as a last "LIMIT", is a name.
bool Grammar::starts_clause() const {
  if (peek().kind != TokenKind::word) return false;
  const bool last =
      peek(1).kind == TokenKind::end || is_symbol(",", 1) || is_symbol(")", 1) || is_symbol(";", 1);
  if (last) return false;
  for (const char* word :
       {"SELECT", "FROM", "WHERE", "HAVING", "QUALIFY", "LIMIT", "OFFSET", "ON", "USING"}) {
    if (is_word(word)) return true;
  }
  for (const char* word : {"GROUP", "ORDER", "SORT", "CLUSTER", "DISTRIBUTE"}) {
    if (is_word(word)) return is_word("BY", 1) && peek(2).kind != TokenKind::end;
  }
  if (is_word("INSERT")) return is_word("INTO", 1) || is_word("OVERWRITE", 1);
  if (is_word("WINDOW")) return is_name(1) && is_word("AS", 2);
  if (is_word("LATERAL")) return is_word("VIEW", 1) || is_word("JOIN", 1);
  if (is_word("PIVOT") || is_word("TABLESAMPLE")) return is_symbol("(", 1);
  if (is_word("UNPIVOT")) return is_symbol("(", 1) || is_name(1);
  return set_operator(false);
}

// SELECT … [FROM …] [WHERE …] [GROUP BY …] [HAVING …] [QUALIFY …] [WINDOW …]
Status Grammar::select(sc::Relation& out) {
  SelectParts parts;
  parts.first = position_;
  auto windows = std::move(windows_);
  windows_.clear();
  TRY(named_windows());
  TRY(select_list(parts));
  if (is_word("FROM")) {
    TRY(from_clause(parts.from));
    parts.has_from = true;
  }
  TRY(select_clauses(parts));
  TRY(finish_select(parts, out));
  windows_ = std::move(windows);
  return Status::OK();
}

// FROM t SELECT … [SELECT …], the rows of all of them; or FROM t alone.
Status Grammar::from_statement(sc::Relation& out) {
  sc::Relation from;
  const std::size_t first = position_;
  TRY(from_clause(from));
  if (!is_word("SELECT")) {
    out.Swap(&from);
    return Status::OK();
  }
  TRY(from_body(from, first, out));
  for (int bodies = 1; is_word("SELECT"); ++bodies) {
    if (bodies >= limits::bodies_max) return too_complex();
    sc::Relation left = take_relation(out);
    auto* all = out.mutable_set_op();
    all->set_set_op_type(sc::SetOperation::SET_OP_TYPE_UNION);
    all->set_is_all(true);
    all->mutable_left_input()->Swap(&left);
    TRY(from_body(from, first, *all->mutable_right_input()));
    mark(out, first);
  }
  return Status::OK();
}

// One SELECT … [ORDER BY …] [LIMIT …] of what stands in the FROM before it, at token `first`.
Status Grammar::from_body(const sc::Relation& from, std::size_t first, sc::Relation& out) {
  SelectParts parts;
  parts.first = first;
  auto windows = std::move(windows_);
  windows_.clear();
  TRY(named_windows());
  TRY(select_list(parts));
  parts.from = from;
  parts.has_from = true;
  while (is_word("LATERAL") && is_word("VIEW", 1)) TRY(lateral_view(parts.from));
  TRY(select_clauses(parts));
  TRY(finish_select(parts, out));
  windows_ = std::move(windows);
  return organization(out);
}

Status Grammar::select_list(SelectParts& parts) {
  TRY(expect_word("SELECT"));
  TRY(hints(parts));
  parts.distinct = is_word("DISTINCT") && !is_symbol(",", 1) && peek(1).kind != TokenKind::end;
  const bool all = is_word("ALL") && !is_symbol(",", 1) && peek(1).kind != TokenKind::end;
  if (parts.distinct || all) take();
  do {
    if (!parts.list.empty() && is_word("FROM") && is_name(1)) {
      return Status::error("TRAILING_COMMA_IN_SELECT");
    }
    TRY(named(parts.list.emplace_back()));
  } while (accept_symbol(","));
  return Status::OK();
}

Status Grammar::select_clauses(SelectParts& parts) {
  if (accept_word("WHERE")) {
    sc::Relation inner = take_relation(parts.from);
    if (!parts.has_from) inner.mutable_project();
    parts.has_from = true;
    parts.from.mutable_filter()->mutable_input()->Swap(&inner);
    TRY(expression(*parts.from.mutable_filter()->mutable_condition()));
    mark(parts.from, parts.first);
  }
  parts.grouping.set_group_type(sc::Aggregate::GROUP_TYPE_GROUPBY);
  if (is_word("GROUP") && is_word("BY", 1)) {
    parts.grouped = true;
    TRY(group_by(parts.grouping));
  }
  if (accept_word("HAVING")) {
    parts.has_having = true;
    TRY(expression(parts.having));
  }
  if (accept_word("QUALIFY")) {
    parts.has_qualify = true;
    TRY(expression(parts.qualify));
  }
  // Its definitions were read before the list, which refers to them.
  if (is_word("WINDOW") && is_name(1) && is_word("AS", 2)) TRY(window_definitions());
  return Status::OK();
}

// The parts as relations. SELECT with GROUP BY or HAVING is an Aggregate whose only aggregate
// expressions are the calls ms_select(list …), ms_having(condition), ms_qualify(condition).
Status Grammar::finish_select(SelectParts& parts, sc::Relation& out) {
  if (parts.grouped || parts.has_having || parts.has_qualify) {
    auto* aggregate = out.mutable_aggregate();
    aggregate->Swap(&parts.grouping);
    if (!parts.grouped) aggregate->set_group_type(sc::Aggregate::GROUP_TYPE_UNSPECIFIED);
    if (!parts.has_from) parts.from.mutable_project();
    aggregate->mutable_input()->Swap(&parts.from);
    auto* list = make_function(*aggregate->add_aggregate_expressions(), "ms_select");
    for (auto& one : parts.list) list->add_arguments()->Swap(&one);
    const auto add = [&](std::string_view name, sc::Expression& condition) {
      make_function(*aggregate->add_aggregate_expressions(), name)
          ->add_arguments()
          ->Swap(&condition);
    };
    if (parts.has_having) add("ms_having", parts.having);
    if (parts.has_qualify) add("ms_qualify", parts.qualify);
  } else {
    auto* project = out.mutable_project();
    if (parts.has_from) project->mutable_input()->Swap(&parts.from);
    for (auto& one : parts.list) project->add_expressions()->Swap(&one);
  }
  mark(out, parts.first);
  if (parts.distinct) wrap_distinct(out);
  for (auto& hint : parts.hints) {
    hint.mutable_input()->Swap(&out);
    out.mutable_hint()->Swap(&hint);
  }
  return Status::OK();
}

namespace {

bool spreads_rows(const std::string& hint) {
  for (const char* name : {"COALESCE", "REPARTITION", "REPARTITION_BY_RANGE", "REBALANCE"}) {
    if (equals_ignore_case(hint, name)) return true;
  }
  return false;
}

}  // namespace

// /*+ BROADCAST(t), COALESCE(3) */: how Spark is to run it. Kept are those that spread the
// rows over the files of a write.
Status Grammar::hints(SelectParts& parts) {
  while (accept_symbol("/*+")) {
    do {
      sc::Hint hint;
      TRY(name(hint.mutable_name()));
      if (!accept_symbol("(")) continue;
      do {
        TRY(postfix(*hint.add_parameters()));
      } while (accept_symbol(","));
      TRY(expect_symbol(")"));
      if (spreads_rows(hint.name())) parts.hints.push_back(std::move(hint));
    } while (accept_symbol(",") || is_name());
    TRY(expect_symbol("*/"));
  }
  return Status::OK();
}

namespace {

using Keys = std::vector<sc::Expression>;
using Sets = std::vector<Keys>;

// Each set of `a` with each set of `b` behind it.
bool multiply(Sets& a, const Sets& b) {
  if (a.size() * b.size() > limits::grouping_sets_max) return false;
  Sets product;
  for (const Keys& left : a) {
    for (const Keys& right : b) {
      product.push_back(left);
      product.back().insert(product.back().end(), right.begin(), right.end());
    }
  }
  a = std::move(product);
  return true;
}

// ROLLUP or CUBE of groups of keys, which go together.
bool expand(const Sets& groups, bool cube, Sets& sets) {
  const std::size_t n = groups.size();
  if (n > 12) return false;
  const auto add = [&](unsigned mask) {
    Keys& set = sets.emplace_back();
    for (std::size_t i = 0; i < n; ++i) {
      if ((mask >> (n - 1 - i)) & 1U) set.insert(set.end(), groups[i].begin(), groups[i].end());
    }
  };
  const unsigned all = (1U << n) - 1;
  if (cube) {
    for (unsigned mask = all + 1; mask-- > 0;) add(mask);
  } else {
    for (std::size_t left = 0; left <= n; ++left) add((all >> left) << left);
  }
  return true;
}

}  // namespace

// GROUP BY a, b | ALL | a, ROLLUP (b, c) | a, b WITH CUBE | a, b GROUPING SETS ((a), (b))
Status Grammar::group_by(sc::Aggregate& aggregate) {
  take();
  take();
  if (is_word("ALL") && !is_symbol(",", 1) && !is_symbol("(", 1) && !is_symbol(".", 1)) {
    take();
    make_function(*aggregate.add_grouping_expressions(), "ms_all");
    return Status::OK();
  }
  Sets sets(1);
  Keys plain;
  bool analytics = false;
  do {
    if (starts_grouping_analytics()) {
      analytics = true;
      Sets more;
      TRY(grouping_analytics(more));
      if (!multiply(sets, more)) return too_complex();
      continue;
    }
    TRY(expression(plain.emplace_back()));
    for (Keys& set : sets) set.push_back(plain.back());
  } while (accept_symbol(","));
  if (is_word("WITH") && (is_word("ROLLUP", 1) || is_word("CUBE", 1))) {
    take();
    Sets groups;
    for (const auto& key : plain) groups.push_back({key});
    sets.clear();
    analytics = true;
    if (!expand(groups, equals_ignore_case(take().text, "CUBE"), sets)) return too_complex();
  } else if (is_word("GROUPING") && is_word("SETS", 1)) {
    analytics = true;
    sets.clear();
    TRY(grouping_analytics(sets));
  }
  for (auto& key : plain) aggregate.add_grouping_expressions()->Swap(&key);
  if (!analytics) return Status::OK();
  aggregate.set_group_type(sc::Aggregate::GROUP_TYPE_GROUPING_SETS);
  for (Keys& set : sets) {
    auto* keys = aggregate.add_grouping_sets();
    for (auto& key : set) keys->add_grouping_set()->Swap(&key);
  }
  return Status::OK();
}

bool Grammar::starts_grouping_analytics() const {
  if (is_word("GROUPING") && is_word("SETS", 1)) return true;
  return (is_word("ROLLUP") || is_word("CUBE")) && is_symbol("(", 1);
}

// ROLLUP (…), CUBE (…) or GROUPING SETS (…): the sets that they stand for.
Status Grammar::grouping_analytics(std::vector<std::vector<sc::Expression>>& sets) {
  if (++nesting_ > limits::nesting_max) return too_complex();
  const bool given = accept_word("GROUPING");
  const bool cube = !given && is_word("CUBE");
  take();
  TRY(expect_symbol("("));
  Sets groups;
  do {
    if (given && starts_grouping_analytics()) {
      TRY(grouping_analytics(sets));
    } else {
      Keys& group = given ? sets.emplace_back() : groups.emplace_back();
      TRY(grouping_tuple(group));
    }
    if (sets.size() > limits::grouping_sets_max) return too_complex();
  } while (accept_symbol(","));
  TRY(expect_symbol(")"));
  --nesting_;
  return given || expand(groups, cube, sets) ? Status::OK() : too_complex();
}

// a or (a, b) or ()
Status Grammar::grouping_tuple(std::vector<sc::Expression>& out) {
  if (is_symbol("(") && is_symbol(")", 1)) {
    take();
    take();
    return Status::OK();
  }
  sc::Expression one;
  TRY(expression(one));
  out = members_of(one);
  return Status::OK();
}

// Reads the definitions of the WINDOW clause of the SELECT that begins here, for its list to use.
Status Grammar::named_windows() {
  if (!has_window_clause_) return Status::OK();
  int depth = 0;
  const std::size_t start = position_;
  for (std::size_t i = position_; i < tokens_.size() && depth >= 0; ++i) {
    position_ = i;
    if (is_symbol("(")) ++depth;
    if (is_symbol(")")) --depth;
    if (depth != 0) continue;
    if (i > start && (is_word("SELECT") || set_operator(false))) break;
    if (is_word("WINDOW") && is_name(1) && is_word("AS", 2)) {
      TRY(window_definitions());
      break;
    }
  }
  position_ = start;
  return Status::OK();
}

// WINDOW w AS (PARTITION BY k), x AS w
Status Grammar::window_definitions() {
  take();
  std::map<std::string, sc::Expression_Window> defined;
  do {
    const Token name = take();
    TRY(expect_word("AS"));
    sc::Expression_Window window;
    TRY(window_specification(window));
    const std::string key = to_lower(name.value);
    if (!defined.emplace(key, window).second) {
      return parse_error(text_, name, name,
                         Status::error("INVALID_SQL_SYNTAX.REPETITIVE_WINDOW_DEFINITION",
                                       {{"windowName", "`" + name.value + "`"}}));
    }
    windows_[key] = std::move(window);
  } while (accept_symbol(",") && is_name());
  return Status::OK();
}

}  // namespace millstream::sql
