// Functions that take lambdas. DuckDB's own lambdas compute them; what walks over maps goes over
// lists of entries.
#include <arrow/scalar.h>

#include "base/text.h"
#include "engine/lower.h"
#include "engine/physical.h"

namespace millstream::engine {

using column::TypePtr;
using plan::Expr;
using plan::ExprKind;

namespace {

Status refused(const Expr& expr) {
  return Status::unsupported("the function {} is not supported", expr.name);
}

TypePtr entries_type(const column::DataType& map) {
  return column::array_type(
      column::struct_type(
          {{"key", map.key(), false, {}}, {"value", map.value(), map.value_contains_null(), {}}}),
      false);
}

}  // namespace

// The lambda's body, its parameters being these texts.
Result<std::string> ExprLowering::body_of(const Expr& lambda,
                                          const std::vector<std::string>& parameters) {
  if (lambda.kind != ExprKind::lambda || lambda.parameters.size() > parameters.size())
    return Status::unsupported("this lambda is not supported");
  for (std::size_t i = 0; i < lambda.parameters.size(); ++i)
    lambda_names_[lambda.parameters[i]] = parameters[i];
  TRY_ASSIGN(const std::string body, lower(*lambda.children[0]));
  // A list may have any length, and DuckDB hears of no cancellation until it is done.
  return "CASE WHEN ms_watch() THEN " + body + " END";
}

// aggregate(list, start, merge[, finish]): the list is walked as pairs of accumulator and element,
// the first of which holds the start.
Result<std::string> ExprLowering::fold(const Expr& expr) {
  TRY_ASSIGN(const std::string list, lower(*expr.children[0]));
  TRY_ASSIGN(const std::string start, lower(*expr.children[1]));
  const TypePtr& accumulator = expr.children[1]->type;
  TRY_ASSIGN(const std::string state_type, physical_sql(accumulator));
  TRY_ASSIGN(const std::string item_type, physical_sql(expr.children[0]->type->element()));
  const std::string item = fresh_variable();
  const std::string state = fresh_variable();
  const std::string next = fresh_variable();
  TRY_ASSIGN(const std::string merged,
             body_of(*expr.children[2], {"struct_extract(" + state + ", 'f0')",
                                         "struct_extract(" + next + ", 'f1')"}));
  TRY_ASSIGN(const std::string merged_as,
             cast(merged, expr.children[2]->type, accumulator, true, false));
  const std::string pairs = fmt::format(
      "list_concat([struct_pack(f0 := CAST({0} AS {1}), f1 := CAST(NULL AS {2}))], "
      "list_transform({3}, lambda {4}: struct_pack(f0 := CAST(NULL AS {1}), f1 := {4})))",
      start, state_type, item_type, list, item);
  const std::string reduced = fmt::format(
      "struct_extract(list_reduce({0}, lambda {1}, {2}: CASE WHEN ms_watch_state({1}) THEN "
      "struct_pack(f0 := CAST({3} AS {4}), f1 := CAST(NULL AS {5})) END), 'f0')",
      pairs, state, next, merged_as, state_type, item_type);
  std::string out = reduced;
  if (expr.children.size() == 4) {
    TRY_ASSIGN(out, body_of(*expr.children[3], {reduced}));
  }
  return fmt::format("CASE WHEN {} IS NULL THEN NULL ELSE {} END", list, out);
}

// map_filter, transform_keys, transform_values: `(key, value)` of each entry.
Result<std::string> ExprLowering::over_entries(const Expr& expr, const std::string& map) {
  const std::string entry = fresh_variable();
  const std::string key = entry + ".key";
  const std::string value = entry + ".value";
  TRY_ASSIGN(const std::string body, body_of(*expr.children[1], {key, value}));
  std::string entries = "map_entries(" + map + ")";
  if (expr.name == "map_filter")
    entries = fmt::format("list_filter({}, lambda {}: {})", entries, entry, body);
  const std::string pairs =
      fmt::format("list_transform({}, lambda {}: struct_pack(f0 := {}, f1 := {}))", entries, entry,
                  expr.name.starts_with("transform_keys") ? body : key,
                  expr.name == "transform_values" ? body : value);
  const bool last_wins = expr.name.ends_with("_last_win");
  return use(last_wins ? "map_from_entries_last_win" : "map_from_entries",
             {entries_type(*expr.type)}, expr.type, {pairs});
}

// map_zip_with(a, b, (key, value of a, value of b) -> …)
Result<std::string> ExprLowering::zip_maps(const Expr& expr, const Arguments& maps) {
  const TypePtr& first = expr.children[0]->type;
  const std::string key = fresh_variable();
  const auto value = [&](const std::string& map) {
    return fmt::format("map_extract_value({}, {})", map, key);
  };
  TRY_ASSIGN(const std::string body,
             body_of(*expr.children[2], {key, value(maps[0]), value(maps[1])}));
  const std::string keys = use("map_key_union", {first, expr.children[1]->type},
                               column::array_type(first->key(), false), maps);
  const std::string pairs = fmt::format(
      "list_transform({}, lambda {}: struct_pack(f0 := {}, f1 := {}))", keys, key, key, body);
  return use("map_from_entries", {entries_type(*expr.type)}, expr.type, {pairs});
}

// array_sort(list, (left, right) -> order): an element's place is the number of those before it.
Result<std::string> ExprLowering::sort_by(const Expr& expr, const std::string& list) {
  const std::string mine = fresh_variable();
  const std::string other = fresh_variable();
  TRY_ASSIGN(const std::string order,
             body_of(*expr.children[1], {list + "[" + other + "]", list + "[" + mine + "]"}));
  const std::string places = "range(1, len(" + list + ") + 1)";
  const std::string ranks = fmt::format(
      "list_transform({0}, lambda {1}: len(list_filter({0}, lambda {2}: {2} <> {1} AND "
      "ms_comes_before(coalesce({3}, 0), ({3}) IS NULL, {2} < {1}))))",
      places, mine, other, order);
  return use("by_rank", {expr.children[0]->type, column::array_type(column::long_type(), false)},
             expr.type, {list, ranks});
}

Result<std::string> ExprLowering::higher_order(const Expr& expr) {
  if ((expr.name == "aggregate" || expr.name == "reduce") && expr.children.size() >= 3)
    return fold(expr);
  Arguments inputs;
  for (std::size_t i = 0; i + 1 < expr.children.size(); ++i) {
    TRY_ASSIGN(std::string input, lower(*expr.children[i]));
    inputs.push_back(std::move(input));
  }
  const Expr& lambda = *expr.children.back();
  if (lambda.kind != ExprKind::lambda || inputs.empty()) return refused(expr);
  if (expr.name == "map_zip_with") return zip_maps(expr, inputs);
  if (expr.name == "zip_with") {
    const std::string place = fresh_variable();
    TRY_ASSIGN(const std::string body,
               body_of(lambda, {inputs[0] + "[" + place + "]", inputs[1] + "[" + place + "]"}));
    return fmt::format(
        "CASE WHEN {0} IS NULL OR {1} IS NULL THEN NULL ELSE list_transform(range(1, "
        "greatest(len({0}), len({1})) + 1), lambda {2}: {3}) END",
        inputs[0], inputs[1], place, body);
  }
  if (inputs.size() != 1) return refused(expr);
  const std::string& list = inputs[0];
  if (expr.name == "array_sort") return sort_by(expr, list);
  if (expr.children[0]->type->kind() == column::TypeKind::map) return over_entries(expr, list);
  // Spark counts from 0, DuckDB from 1.
  const std::string item = fresh_variable();
  const std::string index = fresh_variable();
  TRY_ASSIGN(const std::string body, body_of(lambda, {item, "CAST(" + index + " - 1 AS INTEGER)"}));
  const std::string arrow =
      fmt::format("lambda {}: {}", lambda.parameters.size() > 1 ? item + ", " + index : item, body);
  if (expr.name == "transform") return fmt::format("list_transform({}, {})", list, arrow);
  if (expr.name == "filter") return fmt::format("list_filter({}, {})", list, arrow);
  if (expr.name == "exists" || expr.name == "forall") {
    const std::string results = fmt::format("list_transform({}, {})", list, arrow);
    const std::string hit = expr.name == "exists" ? "true" : "false";
    const std::string miss = expr.name == "exists" ? "false" : "true";
    return fmt::format(
        "CASE WHEN {0} IS NULL THEN NULL WHEN list_contains({1}, {2}) THEN {2} "
        "WHEN list_count({1}) < len({1}) THEN NULL ELSE {3} END",
        list, results, hit, miss);
  }
  return refused(expr);
}

}  // namespace millstream::engine
