// Functions of arrays, maps and structs, functions that take lambdas, and those whose SQL depends
// on the argument types.
#include <arrow/scalar.h>

#include "base/text.h"
#include "engine/lower.h"
#include "engine/physical.h"

namespace millstream::engine {

using column::TypeKind;
using plan::Expr;
using plan::ExprKind;

std::optional<Result<std::string>> ExprLowering::collection_call(const Expr& expr,
                                                                 const std::string& name,
                                                                 const Arguments& a) {
  const auto typed = [&](const std::string& sql) -> Result<std::string> {
    TRY_ASSIGN(const std::string type, physical_sql(expr.type));
    return fmt::format("CAST({} AS {})", sql, type);
  };
  if (name == "array") return typed("[" + join(a, ", ") + "]");
  if (name == "named_struct" || name == "struct") {
    std::vector<std::string> parts;
    const std::size_t step = name == "struct" ? 1 : 2;
    for (std::size_t i = step - 1; i < a.size(); i += step)
      parts.push_back(fmt::format("f{} := {}", i / step, a[i]));
    if (parts.empty())
      return Status::unsupported("expressions over empty structs are not supported");
    return "struct_pack(" + join(parts, ", ") + ")";
  }
  if (name == "map") {
    std::vector<std::string> sides[2];
    for (std::size_t i = 0; i < a.size(); ++i) sides[i % 2].push_back(a[i]);
    if (a.empty()) return typed("MAP([], [])");
    const std::string keys = "[" + join(sides[0], ", ") + "]";
    const std::string item = fresh_variable();
    const std::string index = fresh_variable();
    auto text = cast_to_string(item, *expr.type->key());
    if (!text.ok()) return text;
    const std::string again = fmt::format(
        "list_transform(list_filter({0}, lambda {1}, {2}: list_position({0}, {1}) < {2}), lambda "
        "{1}: {3})[1]",
        keys, item, index, *text);
    const std::string checked =
        sides[0].size() == 1
            ? keys
            : fmt::format("CASE WHEN ms_distinct_keys(coalesce({}, chr(30))) THEN {} END", again,
                          keys);
    return typed(fmt::format("MAP({}, [{}])", checked, join(sides[1], ", ")));
  }
  if (name == "concat_arrays") {
    std::vector<std::string> tests;
    for (const auto& argument : a) tests.push_back(argument + " IS NULL");
    return fmt::format("CASE WHEN {} THEN NULL ELSE list_concat({}) END", join(tests, " OR "),
                       join(a, ", "));
  }
  if (name == "get_map_value") return fmt::format("map_extract_value({}, {})", a[0], a[1]);
  if (name == "get_item") {
    return fmt::format("{0}[ms_array_index({1}, len({0})) + 1]", a[0], a[1]);
  }
  if (name == "element_at") return fmt::format("{0}[ms_element_index({1}, len({0}))]", a[0], a[1]);
  if (name == "try_element_at")
    return fmt::format("{0}[ms_try_element_index({1}, len({0}))]", a[0], a[1]);
  if (name == "slice") {
    return fmt::format(
        "list_slice({0}, ms_slice_begin({1}, len({0})), ms_slice_begin({1}, len({0})) + "
        "ms_slice_length({2}) - 1)",
        a[0], a[1], a[2]);
  }
  if (name == "array_distinct") {
    const std::string item = fresh_variable();
    const std::string index = fresh_variable();
    return fmt::format(
        "list_filter({0}, lambda {1}, {2}: {2} = coalesce(list_position({0}, {1}), {2}))", a[0],
        item, index);
  }
  if (name == "get_array_struct_fields") {
    const std::string item = fresh_variable();
    return fmt::format("list_transform({}, lambda {}: struct_extract({}, 'f{}'))", a[0], item, item,
                       expr.ordinal);
  }
  if (name == "arrays_zip") {
    // By place, up to the longest; NULL where any array is.
    const std::string index = fresh_variable();
    std::vector<std::string> sizes;
    std::vector<std::string> members;
    std::vector<std::string> tests;
    for (std::size_t i = 0; i < a.size(); ++i) {
      sizes.push_back("len(" + a[i] + ")");
      members.push_back(fmt::format("f{} := {}[{}]", i, a[i], index));
      tests.push_back(a[i] + " IS NULL");
    }
    return typed(
        fmt::format("CASE WHEN {} THEN NULL ELSE list_transform(range(1, greatest({}, 0) + 1), "
                    "lambda {}: struct_pack({})) END",
                    join(tests, " OR "), join(sizes, ", "), index, join(members, ", ")));
  }
  if (name == "array_union" || name == "array_intersect" || name == "array_except") {
    const std::string item = fresh_variable();
    const std::string index = fresh_variable();
    const auto distinct = [&](const std::string& list) {
      return fmt::format("list_filter({0}, lambda {1}, {2}: list_position({0}, {1}) = {2})", list,
                         item, index);
    };
    const std::string tests = fmt::format("{} IS NULL OR {} IS NULL", a[0], a[1]);
    const std::string source =
        name == "array_union" ? fmt::format("list_concat({}, {})", a[0], a[1]) : a[0];
    std::string out = distinct(source);
    if (name != "array_union") {
      out = fmt::format("list_filter({}, lambda {}: list_position({}, {}) IS {}NULL)", out, item,
                        a[1], item, name == "array_except" ? "" : "NOT ");
    }
    return fmt::format("CASE WHEN {} THEN NULL ELSE {} END", tests, out);
  }
  if (name == "map_entries") {
    const std::string item = fresh_variable();
    return typed(fmt::format(
        "list_transform(map_entries({}), lambda {}: struct_pack(f0 := {}.key, f1 := {}.value))",
        a[0], item, item, item));
  }
  return std::nullopt;
}

// aggregate(list, start, merge[, finish]).
Result<std::string> ExprLowering::fold(const Expr& expr) {
  TRY_ASSIGN(const std::string list, lower(*expr.children[0]));
  TRY_ASSIGN(const std::string start, lower(*expr.children[1]));
  const Expr& merge = *expr.children[2];
  if (merge.kind != ExprKind::lambda || merge.parameters.size() != 2)
    return Status::unsupported("the function {} is not supported", expr.name);
  if (!column::same_type_ignoring_nullability(expr.children[0]->type->element(),
                                              expr.children[1]->type)) {
    return Status::unsupported("{} with a start of another type than the elements is not supported",
                               expr.name);
  }
  const std::string total = fresh_variable();
  const std::string item = fresh_variable();
  lambda_names_[merge.parameters[0]] = total;
  lambda_names_[merge.parameters[1]] = item;
  TRY_ASSIGN(const std::string body, lower(*merge.children[0]));
  TRY_ASSIGN(const std::string type, physical_sql(expr.children[1]->type));
  std::string out = fmt::format("list_reduce({}, lambda {}, {}: CAST({} AS {}), {})", list, total,
                                item, body, type, start);
  if (expr.children.size() < 4) return out;
  const Expr& finish = *expr.children[3];
  if (finish.kind != ExprKind::lambda || finish.parameters.size() != 1)
    return Status::unsupported("the function {} is not supported", expr.name);
  lambda_names_[finish.parameters[0]] = out;
  return lower(*finish.children[0]);
}

// transform, filter, exists and forall.
Result<std::string> ExprLowering::higher_order(const Expr& expr) {
  if ((expr.name == "aggregate" || expr.name == "reduce") && expr.children.size() >= 3)
    return fold(expr);
  const Expr& lambda = *expr.children.back();
  if (expr.children.size() != 2 || lambda.kind != ExprKind::lambda) {
    return Status::unsupported("the function {} is not supported", expr.name);
  }
  TRY_ASSIGN(const std::string list, lower(*expr.children[0]));
  std::vector<std::string> variables;
  for (std::size_t i = 0; i < lambda.parameters.size(); ++i) {
    variables.push_back(fresh_variable());
    // Spark counts from 0, DuckDB from 1.
    lambda_names_[lambda.parameters[i]] =
        i == 0 ? variables[0] : fmt::format("CAST({} - 1 AS INTEGER)", variables[i]);
  }
  TRY_ASSIGN(const std::string text, lower(*lambda.children[0]));
  const std::string arrow = fmt::format("lambda {}: {}", join(variables, ", "), text);
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
  return Status::unsupported("the function {} is not supported", expr.name);
}

std::optional<Result<std::string>> ExprLowering::other_call(const Expr& expr,
                                                            const std::string& name,
                                                            const Arguments& a) {
  if (name == "and" || name == "or") {
    const std::string_view word = name == "and" ? "AND" : "OR";
    if (!can_fail(a[1])) return fmt::format("({} {} {})", a[0], word, a[1]);
    // The right side must not be computed where the left one decides: it may be what guards it
    // against an error.
    return fmt::format("CASE WHEN {0} IS {1} THEN {1} ELSE ({2} {3} {0}) END", a[0],
                       name == "and" ? "false" : "true", a[1], word);
  }
  if (name == "concat") return "(" + join(a, " || ") + ")";
  if (name == "concat_ws") {
    std::vector<std::string> parts;
    for (std::size_t i = 1; i < a.size(); ++i) {
      parts.push_back(expr.children[i]->type->kind() == TypeKind::array
                          ? "coalesce(" + a[i] + ", [])"
                          : "[" + a[i] + "]");
    }
    if (parts.empty()) return fmt::format("CASE WHEN {} IS NOT NULL THEN '' END", a[0]);
    return fmt::format(
        "CASE WHEN {0} IS NOT NULL THEN coalesce(array_to_string(list_concat({1}), {0}), '') END",
        a[0], join(parts, ", "));
  }
  if (name == "current_timestamp") return now();
  if (name == "current_date")
    return fmt::format("CAST(ms_to_local({}, {}) AS DATE)", now(), zone());
  if (name == "unix_now") return fmt::format("ms_epoch_seconds({})", now());
  if (name == "try_cast_timestamp") return cast_from_string(a[0], *expr.type, true);
  if (name == "monotonically_increasing_id") return "(row_number() OVER () - 1)";
  if (name.starts_with("second_argument_")) return call(expr, name.substr(16), {a[1]});
  if (name == "hash" || name == "xxhash64") return hash_call(expr, a);
  if (name == "from_json") return from_json(a[0], expr.type);
  if (name == "to_json") return to_json(a[0], *expr.children[0]->type);
  if (name == "format_string") {
    std::vector<std::string> parts;
    std::string kinds;
    for (std::size_t i = 1; i < a.size(); ++i) {
      const auto& type = *expr.children[i]->type;
      kinds += type.is_integral()                 ? 'i'
               : type.is_numeric()                ? 'f'
               : type.kind() == TypeKind::boolean ? 'b'
                                                  : 's';
      auto text = cast_to_string(a[i], type);
      if (!text.ok()) return text;
      // The values travel as one text, unit separators between; a record separator stands for NULL.
      parts.push_back("coalesce(" + *text + ", chr(30))");
    }
    return fmt::format("ms_format({}, {}, {})", a[0], sql_quote(kinds),
                       parts.empty() ? "''" : join(parts, " || chr(31) || "));
  }
  if (name.starts_with("timestamp_add_")) {
    const bool months = name.starts_with("timestamp_add_months");
    const bool reversed = name.ends_with("_reversed");
    const std::string time = reversed ? a[1] : a[0];
    const std::string step = reversed                     ? a[0]
                             : name.ends_with("_negated") ? "(-" + a[1] + ")"
                                                          : a[1];
    const std::string zone_sql = expr.type->kind() == TypeKind::timestamp ? zone() : "'UTC'";
    return fmt::format("ms_timestamp_add_{}({}, {}, {})", months ? "months" : "interval", time,
                       step, zone_sql);
  }
  return std::nullopt;
}

bool can_fail(std::string_view sql) {
  static constexpr std::string_view parts[] = {"ms_parse_", "ms_divide", "ms_remainder_",
                                               "ms_div_",   "ms_pmod_",  "_index(",
                                               "_to_",      "ms_dec_",   "ms_raise"};
  for (const auto part : parts) {
    if (sql.find(part) != std::string_view::npos) return true;
  }
  return false;
}

// Each value is hashed with the hash of those before it as seed; NULL leaves the seed as it is.
Result<std::string> ExprLowering::hash_call(const Expr& expr, const Arguments& a) {
  const bool wide = expr.name == "xxhash64";
  const std::string function = wide ? "ms_xxhash" : "ms_murmur";
  std::string seed = wide ? "42::BIGINT" : "42::INTEGER";
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto& type = *expr.children[i]->type;
    std::string value = a[i];
    std::string kind;
    std::string filler = "0";
    switch (type.kind()) {
      case TypeKind::boolean:
      case TypeKind::byte_:
      case TypeKind::short_:
      case TypeKind::int_:
        kind = "int";
        value = "CAST(" + value + " AS INTEGER)";
        break;
      case TypeKind::date:
        kind = "int";
        value = "CAST(" + value + " - DATE '1970-01-01' AS INTEGER)";
        break;
      case TypeKind::year_month_interval:
      case TypeKind::null:
        kind = "int";
        break;
      case TypeKind::long_:
      case TypeKind::day_time_interval:
        kind = "long";
        break;
      case TypeKind::timestamp:
      case TypeKind::timestamp_ntz:
        kind = "long";
        value = "epoch_us(" + value + ")";
        break;
      case TypeKind::float_:
        kind = "float";
        break;
      case TypeKind::double_:
        kind = "double";
        break;
      case TypeKind::string:
      case TypeKind::char_:
      case TypeKind::varchar:
        kind = "text";
        filler = "''";
        break;
      case TypeKind::binary:
        kind = "bytes";
        filler = "''::BLOB";
        break;
      default:
        return Status::unsupported("{} of {} is not supported", expr.name, type.sql());
    }
    seed = fmt::format("{}_{}(coalesce({}, {}), {} IS NOT NULL, {})", function, kind, value, filler,
                       a[i], seed);
  }
  return seed;
}

}  // namespace millstream::engine
