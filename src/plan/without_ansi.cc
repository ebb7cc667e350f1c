// Operators that mean something else while ANSI mode is off.
#include <arrow/scalar.h>

#include <cstdlib>

#include "base/text.h"
#include "plan/expressions.h"
#include "plan/literal.h"

namespace millstream::plan {

using column::TypeKind;

namespace {

bool is_equality(const std::string& name) {
  return name == "=" || name == "==" || name == "<=>" || name == "equal_null";
}

// 1 or 0 of a numeric constant; nothing: it is neither.
std::optional<bool> truth_of(const Expr& e) {
  if (e.kind != ExprKind::literal || !e.type->is_numeric() || !e.value->is_valid)
    return std::nullopt;
  const double value = std::strtod(e.value->ToString().c_str(), nullptr);
  if (value != 0 && value != 1) return std::nullopt;
  return value == 1;
}

bool is_boolean(const Expr& e) { return e.type->kind() == TypeKind::boolean; }

}  // namespace

// A truth value that equals 1 is that value itself, one that equals 0 its negation.
Result<std::optional<ExprPtr>> ExpressionAnalyzer::truth_equality(const std::string& name,
                                                                  const ExprPtr& a,
                                                                  const ExprPtr& b) {
  const auto made = [](ExprPtr e) { return std::optional<ExprPtr>(std::move(e)); };
  if (name == "!=" || name == "<>") {
    TRY_ASSIGN(auto equal, truth_equality("=", a, b));
    if (!equal) return equal;
    TRY_ASSIGN(ExprPtr negated, call("not", {*equal}));
    return made(negated);
  }
  if (!is_equality(name) || is_boolean(*a) == is_boolean(*b)) return std::optional<ExprPtr>();
  const ExprPtr& value = is_boolean(*a) ? a : b;
  const auto truth = truth_of(is_boolean(*a) ? *b : *a);
  if (!truth) return std::optional<ExprPtr>();
  ExprPtr out = value;
  if (!*truth) {
    TRY_ASSIGN(out, call("not", {value}));
  }
  if (name == "=" || name == "==") return made(out);
  TRY_ASSIGN(ExprPtr known, call("isnotnull", {value}));
  TRY_ASSIGN(out, call("and", {known, out}));
  return made(out);
}

// A text and an interval are a timestamp and an interval, and the answer is a text again.
Result<std::optional<ExprPtr>> ExpressionAnalyzer::text_and_interval(const std::string& name,
                                                                     ExprPtr a, ExprPtr b) {
  const auto days = [](const Expr& e) { return e.type->kind() == TypeKind::day_time_interval; };
  const bool plus = name == "+";
  if (!plus && name != "-") return std::optional<ExprPtr>();
  if (a->type->is_string() && days(*b)) {
    a = make_cast(a, column::timestamp_type(), false);
  } else if (plus && days(*a) && b->type->is_string()) {
    b = make_cast(b, column::timestamp_type(), false);
  } else {
    return std::optional<ExprPtr>();
  }
  TRY_ASSIGN(ExprPtr moved, call(name, {a, b}));
  return std::optional<ExprPtr>(make_cast(moved, column::string_type(), false));
}

Result<std::optional<ExprPtr>> ExpressionAnalyzer::without_ansi(
    const std::string& name, const std::vector<ExprPtr>& arguments) {
  if (ansi() || arguments.size() != 2) return std::optional<ExprPtr>();
  TRY_ASSIGN(auto out, truth_equality(name, arguments[0], arguments[1]));
  if (out) return out;
  return text_and_interval(name, arguments[0], arguments[1]);
}

}  // namespace millstream::plan
