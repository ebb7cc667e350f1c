// AND, OR and what is written more than once. Spark does not look at what comes behind a side that
// decides, so what can fail is put behind a CASE; and each value is written once, since nesting
// would double a text with each level.
#include <arrow/scalar.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "engine/chain.h"
#include "engine/lower.h"
#include "engine/physical.h"
#include "functions/lowering.h"
#include "plan/tree.h"

namespace millstream::engine {

using plan::Expr;
using plan::ExprKind;

namespace {

// Longer texts are not written twice.
constexpr std::size_t repeated_max = 200;

// The operands of a chain of the same operator, in order.
std::vector<const Expr*> operands_of(const Expr& expr) {
  std::vector<const Expr*> out;
  std::vector<const Expr*> open = {&expr};
  while (!open.empty()) {
    const Expr* e = open.back();
    open.pop_back();
    if (e->kind == ExprKind::call && e->name == expr.name) {
      open.push_back(e->children[1].get());
      open.push_back(e->children[0].get());
    } else {
      out.push_back(e);
    }
  }
  return out;
}

// A lambda's body may hold neither aggregates nor subqueries.
bool may_bind(const Expr& expr) {
  return !plan::contains(expr, ExprKind::aggregate) && !plan::contains(expr, ExprKind::window) &&
         !plan::contains(expr, ExprKind::subquery);
}

// `body`, in which `variable` is the value.
std::string bound(const std::string& value, const std::string& variable, const std::string& body) {
  return fmt::format("list_transform([{}], lambda {}: {})[1]", value, variable, body);
}

bool is_used_again(std::string_view text, std::size_t argument) {
  const std::string place = fmt::format("{{{}}}", argument);
  const auto first = text.find(place);
  return first != std::string_view::npos && text.find(place, first + 1) != std::string_view::npos;
}

}  // namespace

std::string chained(const std::vector<std::string>& parts, std::size_t from, std::size_t to,
                    std::string_view word) {
  constexpr std::size_t flat_max = 16;
  if (to - from <= flat_max) {
    std::string out;
    for (std::size_t i = from; i < to; ++i) out.append(i > from ? word : "").append(parts[i]);
    return out;
  }
  const std::size_t middle = from + (to - from) / 2;
  return "(" + chained(parts, from, middle, word) + ")" + std::string(word) + "(" +
         chained(parts, middle, to, word) + ")";
}

namespace {

// The column of `column = constant`, of a type whose equality is DuckDB's; null: it is something
// else.
const Expr* compared_column(const Expr& e) {
  if (e.kind != ExprKind::call || e.name != "equal") return nullptr;
  const Expr& column = *e.children[0];
  const Expr& constant = *e.children[1];
  const bool plain = column.type->is_integral() || column.type->is_string() ||
                     column.type->kind() == column::TypeKind::date;
  const bool comparable = column.kind == ExprKind::attribute &&
                          constant.kind == ExprKind::literal &&
                          column.type->kind() == constant.type->kind();
  return plain && comparable ? &column : nullptr;
}

}  // namespace

// a = 1 OR a = 2 OR … as a IN (1, 2, …), whose cost does not grow with the square of the terms.
// Nothing where there are few of them, or where the order of the terms matters.
Result<std::optional<std::string>> ExprLowering::folded_or(const std::vector<const Expr*>& parts) {
  constexpr std::size_t few = 16;
  if (parts.size() <= few) return std::optional<std::string>();
  std::map<plan::AttributeId, std::vector<const Expr*>> by_column;
  for (const Expr* part : parts) {
    if (const Expr* column = compared_column(*part)) by_column[column->id].push_back(part);
  }
  Arguments terms;
  for (const Expr* part : parts) {
    const Expr* column = compared_column(*part);
    if (column != nullptr && by_column[column->id].size() > few) continue;
    TRY_ASSIGN(std::string term, lower(*part));
    if (can_fail(term)) return std::optional<std::string>();
    terms.push_back(std::move(term));
  }
  if (terms.size() == parts.size()) return std::optional<std::string>();
  for (const auto& [id, equalities] : by_column) {
    if (equalities.size() <= few) continue;
    TRY_ASSIGN(const std::string column, lower(*equalities[0]->children[0]));
    Arguments constants;
    for (const Expr* e : equalities) {
      TRY_ASSIGN(std::string constant, lower(*e->children[1]));
      constants.push_back(std::move(constant));
    }
    terms.push_back("(" + column + " IN (" + join(constants, ", ") + "))");
  }
  return std::optional<std::string>("(" + chained(terms, 0, terms.size(), " OR ") + ")");
}

std::string all_true(const std::vector<std::string>& conditions) {
  return chained(conditions, 0, conditions.size(), " AND ");
}

std::vector<std::string> guarded(const std::vector<std::string>& conditions, std::size_t from) {
  std::vector<std::string> out;
  std::size_t last = 0;  // the last that needs a guard
  for (std::size_t i = from; i < conditions.size(); ++i) {
    if (i > 0 && can_fail(conditions[i])) {
      last = i;
    } else {
      out.push_back("(" + conditions[i] + ")");
    }
  }
  if (last == 0) return out;
  std::string chain = "(CASE";
  for (std::size_t i = 0; i < last; ++i)
    chain += fmt::format(" WHEN ({}) IS NOT TRUE THEN false", conditions[i]);
  out.push_back(chain + " ELSE (" + conditions[last] + ") END)");
  return out;
}

Result<std::string> ExprLowering::logic(const Expr& expr) {
  const auto parts = operands_of(expr);
  if (expr.name == "or") {
    TRY_ASSIGN(const auto folded, folded_or(parts));
    if (folded) return *folded;
  }
  Arguments sql;
  bool fails = false;
  for (const Expr* part : parts) {
    TRY_ASSIGN(std::string one, lower(*part));
    fails = fails || (!sql.empty() && can_fail(one));
    sql.push_back(std::move(one));
  }
  const bool both = expr.name == "and";
  if (!fails) return "(" + chained(sql, 0, sql.size(), both ? " AND " : " OR ") + ")";
  bool bind = false;
  for (std::size_t i = 0; i + 1 < parts.size(); ++i)
    bind = bind || (parts[i]->nullable && sql[i].size() > repeated_max);
  const std::string stop = both ? "false" : "true";
  const std::string word = both ? " AND " : " OR ";
  if (bind && may_bind(expr)) return in_turn(parts, sql, both);
  // What is neither decided nor NULL leaves the answer to the last.
  std::string out = "(CASE";
  Arguments rest = {sql.back()};
  for (std::size_t i = 0; i + 1 < sql.size(); ++i) {
    out += fmt::format(" WHEN ({}) IS {} THEN {}", sql[i], stop, stop);
    if (parts[i]->nullable) rest.push_back(sql[i]);
  }
  return out + " ELSE (" + chained(rest, 0, rest.size(), word) + ") END)";
}

// From the last operand to the first: each decides, or asks those behind it.
std::string ExprLowering::in_turn(const std::vector<const Expr*>& parts, const Arguments& sql,
                                  bool both) {
  const std::string_view stop = both ? "false" : "true";
  const std::string_view word = both ? "AND" : "OR";
  std::string out = sql.back();
  for (std::size_t i = sql.size() - 1; i-- > 0;) {
    const bool long_one = sql[i].size() > repeated_max;
    if (!parts[i]->nullable) {
      out = fmt::format("CASE WHEN ({0}) IS {1} THEN {1} ELSE ({2}) END", sql[i], stop, out);
      continue;
    }
    const std::string value = long_one ? fresh_variable() : sql[i];
    out = fmt::format("CASE WHEN ({0}) IS {1} THEN {1} ELSE (({2}) {3} {0}) END", value, stop, out,
                      word);
    if (long_one) out = bound(sql[i], value, out);
  }
  return "(" + out + ")";
}

namespace {

// Functions that are NULL when any argument is: Spark takes the arguments in their order and looks
// at none behind a NULL, which then cannot fail.
bool stops_at_null(std::string_view name) {
  static constexpr std::string_view names[] = {"add",
                                               "subtract",
                                               "multiply",
                                               "divide",
                                               "remainder",
                                               "div",
                                               "pmod",
                                               "equal",
                                               "not_equal",
                                               "less",
                                               "less_equal",
                                               "greater",
                                               "greater_equal",
                                               "concat",
                                               "bitwise_and",
                                               "bitwise_or",
                                               "bitwise_xor",
                                               "date_add",
                                               "date_sub",
                                               "datediff",
                                               "date_diff",
                                               "add_months",
                                               "pow",
                                               "power",
                                               "atan2",
                                               "substring",
                                               "left",
                                               "repeat",
                                               "lpad",
                                               "rpad",
                                               "instr",
                                               "locate",
                                               "split",
                                               "replace",
                                               "translate",
                                               "contains",
                                               "startswith",
                                               "endswith",
                                               "like",
                                               "rlike",
                                               "levenshtein",
                                               "date_format",
                                               "date_trunc",
                                               "trunc",
                                               "next_day",
                                               "make_date",
                                               "get_item",
                                               "element_at",
                                               "conv",
                                               "split_part",
                                               "months_between",
                                               "shiftleft",
                                               "shiftright",
                                               "between",
                                               "array_contains",
                                               "array_position",
                                               "timestamp_add_interval",
                                               "timestamp_add_interval_negated",
                                               "timestamp_add_months_interval",
                                               "timestamp_add_months_interval_negated"};
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

}  // namespace

namespace {

// Spark looks at the divisor first.
bool is_division(std::string_view name) {
  return name == "divide" || name == "div" || name == "remainder" || name == "pmod";
}

// A call of constants one of which is NULL: the others are not computed.
bool is_constant_null(const Expr& expr) {
  const auto is_null = [](const plan::ExprPtr& e) {
    return e->kind == ExprKind::literal && !e->value->is_valid;
  };
  return std::any_of(expr.children.begin(), expr.children.end(), is_null) &&
         plan::references_only(expr, {});
}

// Of a call with a constant NULL: an argument in front of it that can fail, and does so first.
std::optional<std::size_t> fails_before_null(const Expr& expr,
                                             const std::vector<std::string>& arguments) {
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const Expr& e = *expr.children[i];
    if (e.kind != ExprKind::literal || e.value->is_valid) continue;
    for (std::size_t k = 0; k < i; ++k) {
      if (can_fail(arguments[k])) return k;
    }
  }
  return std::nullopt;
}

}  // namespace

Result<std::string> ExprLowering::until_null(const Expr& expr, Arguments a) {
  std::size_t last = 0;  // the last that can fail
  for (std::size_t i = 1; i < a.size(); ++i) last = can_fail(a[i]) ? i : last;
  if (!stops_at_null(expr.name)) return call(expr, expr.name, a);
  if (is_constant_null(expr)) {
    TRY_ASSIGN(const std::string type, physical_sql(expr.type));
    return fmt::format("CAST(NULL AS {})", type);
  }
  if (const auto failing = fails_before_null(expr, a)) {
    // DuckDB would make NULL of it at once.
    TRY_ASSIGN(const std::string type, physical_sql(expr.type));
    return fmt::format("(CASE WHEN {} IS NULL THEN NULL ELSE CAST(NULL AS {}) END)", a[*failing],
                       type);
  }
  if (is_division(expr.name) && can_fail(a[0]) && expr.children[1]->nullable &&
      a[1].size() <= repeated_max) {
    TRY_ASSIGN(const std::string quotient, call(expr, expr.name, a));
    return fmt::format("(CASE WHEN {} IS NULL THEN NULL ELSE {} END)", a[1], quotient);
  }
  if (last == 0 || is_division(expr.name)) return call(expr, expr.name, a);
  std::string tests;
  std::vector<std::pair<std::string, std::string>> bindings;
  for (std::size_t i = 0; i < last; ++i) {
    if (!expr.children[i]->nullable) continue;
    if (a[i].size() > repeated_max) {
      if (!may_bind(expr)) continue;
      const std::string variable = fresh_variable();
      bindings.emplace_back(std::exchange(a[i], variable), variable);
    }
    tests += (tests.empty() ? "" : " OR ") + a[i] + " IS NULL";
  }
  TRY_ASSIGN(std::string out, call(expr, expr.name, a));
  if (tests.empty()) return out;
  out = fmt::format("CASE WHEN {} THEN NULL ELSE {} END", tests, out);
  for (auto binding = bindings.rbegin(); binding != bindings.rend(); ++binding)
    out = bound(binding->first, binding->second, out);
  return "(" + out + ")";
}

Result<std::string> ExprLowering::from_template(const Expr& expr, std::string_view text,
                                                Arguments a, const std::string& type) {
  Arguments variables(a.size());
  for (std::size_t i = 0; i < a.size() && i < 10; ++i) {
    if (a[i].size() <= repeated_max || !is_used_again(text, i) || !may_bind(expr)) continue;
    variables[i] = fresh_variable();
    std::swap(a[i], variables[i]);
  }
  std::string out = functions::expand_template(text, a, zone(), type);
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!variables[i].empty()) out = bound(variables[i], a[i], out);
  }
  return out;
}

}  // namespace millstream::engine
