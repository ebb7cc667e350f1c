// Aggregate and window functions.
#include <arrow/scalar.h>

#include <cmath>
#include <cstdlib>

#include "base/text.h"
#include "engine/lower.h"
#include "engine/physical.h"
#include "engine/sketches.h"
#include "functions/lowering.h"

namespace millstream::engine {

using column::TypeKind;
using plan::Expr;
using plan::ExprKind;

namespace {

// A flag that has another value for a while.
class SetFor {
 public:
  SetFor(bool& flag, bool value) : flag_(flag), before_(std::exchange(flag, value)) {}
  ~SetFor() { flag_ = before_; }
  SetFor(const SetFor&) = delete;
  SetFor& operator=(const SetFor&) = delete;

 private:
  bool& flag_;
  const bool before_;
};

std::string suffix(const std::string& filter) {
  return filter.empty() ? "" : " FILTER (WHERE " + filter + ")";
}

std::string both(const std::string& a, const std::string& b) {
  if (a.empty()) return b;
  return b.empty() ? a : "(" + a + ") AND (" + b + ")";
}

std::string count_sql(const std::vector<std::string>& a, bool distinct, const std::string& filter,
                      const std::string& over) {
  if (a.size() == 1)
    return fmt::format("count({}{}){}{}", distinct ? "DISTINCT " : "", a[0], suffix(filter), over);
  std::vector<std::string> tests;
  std::vector<std::string> members;
  for (std::size_t i = 0; i < a.size(); ++i) {
    tests.push_back(a[i] + " IS NOT NULL");
    members.push_back(fmt::format("f{} := {}", i, a[i]));
  }
  const std::string value = distinct ? "struct_pack(" + join(members, ", ") + ")" : "1";
  return fmt::format("count({}CASE WHEN {} THEN {} END){}{}", distinct ? "DISTINCT " : "",
                     join(tests, " AND "), value, suffix(filter), over);
}

// An aggregate of the C interface (moments.h, approx_distinct.h): those crash in some statements of
// several windows.
bool is_own_aggregate(std::string_view sql) {
  for (const std::string_view name :
       {"ms_var_", "ms_stddev_", "ms_skewness", "ms_kurtosis", "ms_covar_", "ms_comoment",
        "ms_regr_", "ms_approx_distinct_"}) {
    if (sql.find(name) != std::string_view::npos) return true;
  }
  return false;
}

// DuckDB's aggregate of doubles over a frame. It fails where its result is not finite; a frame with
// a value that is not has NaN for its result, once there are rows enough for one.
std::string over_finite(std::string_view name, const std::string& call,
                        const std::vector<std::string>& a, const std::string& filter,
                        const std::string& over) {
  const bool of_sample = name == "std" || name == "stddev" || name == "variance" ||
                         name == "corr" || name.ends_with("_samp");
  std::vector<std::string> known;
  std::vector<std::string> finite;
  for (const std::string& value : a) {
    known.push_back(value + " IS NOT NULL");
    finite.push_back("isfinite(" + value + ")");
  }
  std::vector<std::string> given;
  for (const std::string& value : a)
    given.push_back(fmt::format("CASE WHEN {} THEN {} END", join(finite, " AND "), value));
  const std::string pairs = fmt::format("({})", join(known, " AND "));
  const std::string tail = suffix(both(filter, pairs)) + over;
  // Where nothing varies DuckDB has NaN, Spark NULL.
  std::string unknown;
  if (name == "corr") unknown = fmt::format("WHEN count(*){} <= 1 THEN NULL ", tail);
  if (name == "regr_slope" || name == "regr_intercept")
    unknown = fmt::format("WHEN var_pop({}){} = 0 THEN NULL ", given[1], tail);
  return fmt::format(
      "CASE WHEN bool_or(NOT ({0})){1} AND count(*){1} > {2} THEN 'NaN'::DOUBLE {5}ELSE "
      "{3}{4}){1} END",
      join(finite, " AND "), tail, of_sample ? 1 : 0, call, join(given, ", "), unknown);
}

bool is_null_literal(const Expr& expr) {
  const Expr* e = &expr;
  while (e->kind == ExprKind::cast) e = e->children[0].get();
  return e->kind == ExprKind::literal && (e->value == nullptr || !e->value->is_valid);
}

// Spark adds up BIGINTs for a mean as doubles, DuckDB as whole numbers.
std::string summand(const std::string& value, const column::DataType& type) {
  return type.kind() == TypeKind::long_ ? "CAST(" + value + " AS DOUBLE)" : value;
}

}  // namespace

// Constants are passed on as they are.
std::string ExprLowering::over_lists(const Expr& expr, std::string_view function,
                                     const Arguments& a, const std::string& filter) {
  std::vector<column::TypePtr> types;
  Arguments lists;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const column::TypePtr& type = expr.children[i]->type;
    if (i > 0 && plan::references_only(*expr.children[i], {})) {
      types.push_back(type);
      lists.push_back(a[i]);
      continue;
    }
    types.push_back(column::array_type(type, true));
    lists.push_back(fmt::format("coalesce(list({}{}){}{}, [])", expr.distinct ? "DISTINCT " : "",
                                a[i], suffix(filter), window_over_));
  }
  return use(function, types, expr.type, lists);
}

// DuckDB's sum has 38 digits and says nothing of a 39th. What may reach it is added up in two
// parts.
std::string ExprLowering::decimal_sum(const Expr& expr, const std::string& value, int precision,
                                      int scale, const std::string& filter, bool null_on_overflow) {
  using Op = DecimalKernel::Op;
  constexpr int plain_precision_max = 28;  // 10^10 rows of these have no 39th digit
  const std::string tail = suffix(filter) + window_over_;
  const auto typed = [&](const std::string& sql) {
    return fmt::format("CAST({} AS DECIMAL({},{}))", sql, precision, scale);
  };
  const std::string plain =
      fmt::format("sum({}{}){}", expr.distinct ? "DISTINCT " : "", value, tail);
  const auto narrowed =
      may_narrow() ? narrow(*expr.children[0]) : MaybeNarrow(std::optional<Narrow>());
  const bool is_narrow = narrowed.ok() && narrowed->has_value();
  if (is_narrow || expr.children[0]->type->precision() <= plain_precision_max) return typed(plain);
  if (expr.distinct) {
    const std::string checked =
        use({Op::round, scale, scale, precision, scale, {}, null_on_overflow});
    return typed(fmt::format("{}(CAST({} AS DECIMAL(38,{})))", checked, plain, scale));
  }
  const auto part = [&](Op op) {
    return fmt::format("sum({}(CAST({} AS DECIMAL(38,{})))){}",
                       use({op, scale, 0, 38, 0, {}, false}), value, scale, tail);
  };
  return typed(fmt::format("{}({}, {})",
                           use({Op::whole_sum, 0, 0, precision, scale, {}, null_on_overflow}),
                           part(Op::high_part), part(Op::low_part)));
}

// `over` is empty for grouping; FILTER comes before OVER.
Result<std::string> ExprLowering::aggregate(const Expr& expr) {
  const SetFor in_aggregate(in_aggregate_, window_over_.empty());
  TRY_ASSIGN(Arguments a, lower_all(expr.children));
  std::string filter;
  if (expr.filter != nullptr) {
    TRY_ASSIGN(filter, lower(*expr.filter));
    // DuckDB computes the arguments of all rows; those that it leaves out may fail.
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (can_fail(a[i]) && !plan::references_only(*expr.children[i], {}))
        a[i] = fmt::format("CASE WHEN {} THEN {} END", filter, a[i]);
    }
  }
  const std::string over = window_over_;
  const std::string once = expr.distinct ? "DISTINCT " : "";
  const std::string& name = expr.name;
  if (name == "count") return count_sql(a, expr.distinct, filter, over);
  if (name == "count_if")
    return fmt::format("count(*) FILTER (WHERE {}){}", both(filter, a[0]), over);
  if (name == "sum" || name == "try_sum") {
    TRY_ASSIGN(const std::string value, summed(*expr.children[0], a[0]));
    const std::string sum = fmt::format("sum({}{}){}{}", once, value, suffix(filter), over);
    if (expr.type->kind() == TypeKind::long_) {
      const std::string_view mode = name == "try_sum" ? "try_" : expr.ansi ? "" : "wrap_";
      return fmt::format("ms_{}sum_long({})", mode, sum);
    }
    if (expr.type->kind() == TypeKind::day_time_interval)
      return fmt::format("ms_interval_multiply_decimal(1, CAST({} AS VARCHAR), false)", sum);
    if (expr.type->kind() == TypeKind::year_month_interval) {
      return fmt::format(
          "CAST(ms_interval_multiply_decimal(1, CAST({} AS VARCHAR), true) AS INTEGER)", sum);
    }
    if (expr.type->kind() != TypeKind::decimal) return sum;
    return decimal_sum(expr, value, expr.type->precision(), expr.type->scale(), filter,
                       name == "try_sum" || !expr.ansi);
  }
  const bool days = expr.type->kind() == TypeKind::day_time_interval;
  if (name == "avg" && (days || expr.type->kind() == TypeKind::year_month_interval)) {
    const std::string mean = fmt::format(
        "ms_interval_divide(CAST(sum({0}{1}){2}{3} AS BIGINT), nullif(count({0}{1}){2}{3}, 0), "
        "{4})",
        once, a[0], suffix(filter), over, days ? "false" : "true");
    return days ? mean : "CAST(" + mean + " AS INTEGER)";
  }
  if (name == "avg" || name == "try_avg") {
    const bool lenient = name == "try_avg" || !expr.ansi;
    if (expr.type->kind() != TypeKind::decimal)
      return fmt::format("avg({}{}){}{}", once, summand(a[0], *expr.children[0]->type),
                         suffix(filter), over);
    const int scale = expr.children[0]->type->scale();
    TRY_ASSIGN(const std::string value, summed(*expr.children[0], a[0]));
    const std::string kernel = use({DecimalKernel::Op::divide,
                                    scale,
                                    0,
                                    expr.type->precision(),
                                    expr.type->scale(),
                                    {},
                                    lenient});
    const int precision = std::min(expr.children[0]->type->precision() + 10, 38);
    return fmt::format(
        "CAST({0}(CAST({1} AS DECIMAL(38,{2})), CAST(nullif(count({3}{4}){5}{6}, 0) "
        "AS DECIMAL(38,0))) AS DECIMAL({7},{8}))",
        kernel, decimal_sum(expr, value, precision, scale, filter, lenient), scale, once, value,
        suffix(filter), over, expr.type->precision(), expr.type->scale());
  }
  // Aggregates of the C interface crash in some statements of several windows: OVER takes DuckDB's.
  if (name == "corr" && !over.empty()) return over_finite(name, "corr(", a, filter, over);
  if (name == "corr") {
    const std::string both_parts =
        fmt::format("({}{}, {}){}{}", once, a[0], a[1], suffix(filter), over);
    const std::string scale = "ms_comoment_scale" + both_parts;
    if (expr.ansi) return fmt::format("ms_divide(ms_comoment{}, {})", both_parts, scale);
    return fmt::format("(ms_comoment{} / nullif({}, 0))", both_parts, scale);
  }
  if (name == "approx_count_distinct") {
    Expr hashed(expr);
    hashed.name = "xxhash64";
    hashed.children.resize(1);
    TRY_ASSIGN(const std::string hash, hash_call(hashed, {a[0]}));
    double deviation = 0.05;
    if (expr.children.size() > 1) {
      const Expr* given = expr.children[1].get();
      while (given->kind == ExprKind::cast) given = given->children[0].get();
      if (given->kind == ExprKind::literal)
        deviation = std::strtod(given->value->ToString().c_str(), nullptr);
    }
    const int p = static_cast<int>(std::ceil(2.0 * std::log2(1.106 / deviation)));
    if (!over.empty()) {
      const std::string codes =
          fmt::format("coalesce(list(DISTINCT ms_approx_code({}, {})){}{}, [])", hash, p,
                      suffix(both(filter, a[0] + " IS NOT NULL")), over);
      return use("approx_distinct",
                 {column::array_type(column::long_type(), false), column::long_type()}, expr.type,
                 {codes, fmt::format("{}::BIGINT", p)});
    }
    return fmt::format("ms_approx_distinct_{}(CASE WHEN {} IS NOT NULL THEN {} END){}{}", p, a[0],
                       hash, suffix(filter), over);
  }
  if (name == "collect_list" || name == "collect_set") {
    TRY_ASSIGN(const std::string type, physical_sql(expr.type));
    const bool distinct = name == "collect_set" || expr.distinct;
    const auto kind = expr.children[0]->type->kind();
    const bool floating = kind == TypeKind::float_ || kind == TypeKind::double_;
    // Of -0.0 and 0.0 a set has the latter.
    const std::string item =
        floating && name == "collect_set" ? "(" + a[0] + " + 0.0::FLOAT)" : a[0];
    return fmt::format("coalesce(list({}{}){}{}, CAST([] AS {}))", distinct ? "DISTINCT " : "",
                       item, suffix(both(filter, a[0] + " IS NOT NULL")), over, type);
  }
  if (name == "last_ignore_nulls") {
    return fmt::format("last({}){}{}", a[0], suffix(both(filter, a[0] + " IS NOT NULL")), over);
  }
  if (name == "listagg") {
    std::string order;
    if (expr.window != nullptr) {
      TRY_ASSIGN(order, lower_order(expr.window->order));
      if (expr.distinct && order.find(a[0]) == std::string::npos)
        return Status::unsupported("listagg(DISTINCT …) in an order of other values");
      order = " ORDER BY " + order;
    }
    // No delimiter and one that is NULL are the empty text.
    const bool delimited = a.size() > 1 && !is_null_literal(*expr.children[1]);
    if (expr.type->kind() == TypeKind::binary) {
      if (expr.distinct && !order.empty())
        return Status::unsupported("listagg(DISTINCT …) of BINARY in an order is not supported");
      return fmt::format("unhex(string_agg({}hex({}), {}{}){}{})", once, a[0],
                         delimited ? "hex(" + a[1] + ")" : "''", order, suffix(filter), over);
    }
    return fmt::format("string_agg({}{}, {}{}){}{}", once, a[0], delimited ? a[1] : "''", order,
                       suffix(filter), over);
  }
  if (name == "percentile_disc") {
    const bool ascending = expr.window->order[0].ascending;
    // DuckDB takes the lowest for the first of a descending order.
    const Expr* share = expr.children[1].get();
    while (share->kind == ExprKind::cast) share = share->children[0].get();
    const bool of_none = share->kind == ExprKind::literal && share->value->is_valid &&
                         std::strtod(share->value->ToString().c_str(), nullptr) == 0;
    if (!ascending && of_none && !share->type->is_nested())
      return fmt::format("max(CAST({} AS DOUBLE)){}{}", a[0], suffix(filter), over);
    return fmt::format("quantile_disc(CAST({} AS DOUBLE), {} ORDER BY CAST({} AS DOUBLE) {}){}{}",
                       a[0], a[1], a[0], ascending ? "ASC" : "DESC", suffix(filter), over);
  }
  if (name == "grouping") return fmt::format("CAST(GROUPING({}) AS TINYINT)", a[0]);
  if (name == "grouping_id") return fmt::format("CAST(GROUPING({}) AS BIGINT)", join(a, ", "));
  if (name == "max_by" || name == "min_by") filter = both(filter, a[1] + " IS NOT NULL");
  if (is_sketch_aggregate(name)) return sketch_aggregate(expr, a, filter);
  const auto text = functions::sql_template(name);
  if (!text.has_value() || text->empty())
    return Status::unsupported("the aggregate function {} is not supported", name);
  if (!over.empty() && (name == "skewness" || name == "kurtosis"))
    return over_lists(expr, name, a, filter);
  if (text->starts_with('@')) return over_lists(expr, text->substr(1), a, filter);
  Arguments given = a;
  // DuckDB orders NULLs within nested values otherwise.
  if (name == "max" || name == "min") {
    const std::string key = compared(a[0], expr.children[0]->type);
    if (key != a[0])
      return fmt::format("arg_{}({}, {}){}{}", name, a[0], key, suffix(filter), over);
  }
  if (name == "max_by" || name == "min_by") {
    given[1] = compared(a[1], expr.children[1]->type);
    // Of rows that are as great the last one counts.
    if (over.empty() && !expr.distinct) {
      given[1] = fmt::format("struct_pack(f0 := {}, f1 := ms_row_tick({}))", given[1],
                             name == "min_by" ? -1 : 1);
    }
  }
  if (expr.distinct) given[0] = once + given[0];
  std::string sql = functions::expand_template(*text, given, zone(), "");
  const bool own = name.starts_with("stddev") || name == "std" || name.starts_with("var") ||
                   name.starts_with("covar") || name.starts_with("regr_");
  if (!over.empty() && own && sql.starts_with("ms_"))
    return over_finite(name, sql.substr(3, sql.find('(') - 2), a, filter, over);
  if (!over.empty() && is_own_aggregate(sql))
    return Status::unsupported("the aggregate function {} is not supported with OVER", name);
  return sql + suffix(filter) + over;
}

namespace {

// A distance of RANGE in the type that DuckDB adds to the ordering's. A month is no constant:
// DuckDB holds the constants of a month and of 30 days for equal, and makes one window of two.
std::string range_distance(const std::string& sql, const column::DataType& distance,
                           const std::string& key, const column::DataType& ordered_by) {
  if (distance.kind() == TypeKind::day_time_interval) return "to_microseconds(" + sql + ")";
  if (distance.kind() == TypeKind::year_month_interval)
    return fmt::format("to_months(CASE WHEN {} IS NULL THEN 0 ELSE {} END)", key, sql);
  return ordered_by.kind() == TypeKind::date ? "to_days(" + sql + ")" : sql;
}

bool is_below_a_day(const Expr& distance) {
  constexpr std::int64_t micros_per_day = 86'400'000'000;
  return distance.kind == ExprKind::literal &&
         distance.type->kind() == TypeKind::day_time_interval && distance.value->is_valid &&
         std::abs(static_cast<const arrow::DurationScalar&>(*distance.value).value) <
             micros_per_day;
}

// How far the end of a RANGE over moments is from the row's: days and months are those of the zone.
std::string zoned_distance(const std::string& key, const std::string& distance,
                           const column::DataType& type, bool upwards, const std::string& zone) {
  return fmt::format(
      "to_microseconds(coalesce(abs(epoch_us(ms_timestamp_add_{}({}, {}{}, {})) - "
      "epoch_us({})), 0))",
      type.kind() == TypeKind::year_month_interval ? "months" : "interval", key, upwards ? "" : "-",
      distance, zone, key);
}

// The largest value of the type; nothing where a sum does not fail.
std::optional<std::string> largest(const column::DataType& type) {
  switch (type.kind()) {
    case TypeKind::byte_:
      return "127::TINYINT";
    case TypeKind::short_:
      return "32767::SMALLINT";
    case TypeKind::int_:
      return "2147483647::INTEGER";
    case TypeKind::long_:
      return "9223372036854775807::BIGINT";
    case TypeKind::decimal: {
      const auto scale = static_cast<std::size_t>(type.scale());
      std::string digits(static_cast<std::size_t>(type.precision()), '9');
      if (scale > 0) digits.insert(digits.size() - scale, ".");
      return fmt::format("'{}'::DECIMAL({},{})", digits, type.precision(), type.scale());
    }
    default:
      return std::nullopt;
  }
}

// A distance that ends where the type does: beyond its ends there are no rows, and DuckDB fails.
std::string within_type(const std::string& key, const std::string& distance,
                        const column::DataType& type, bool upwards) {
  const auto most = largest(type);
  if (!most) return distance;
  const std::string least =
      type.kind() == TypeKind::decimal ? "(-" + *most + ")" : "(-" + *most + " - 1)";
  const std::string sql = upwards
                              ? fmt::format("CASE WHEN {0} > {1} - {2} THEN {1} - {0} ELSE {2} END",
                                            key, *most, distance)
                              : fmt::format("CASE WHEN {0} < {1} + {2} THEN {0} - {1} ELSE {2} END",
                                            key, least, distance);
  const std::string name = most->substr(most->find("::") + 2);
  return fmt::format("CAST({} AS {})", sql, name);
}

}  // namespace

Result<std::string> ExprLowering::frame(const plan::WindowSpec& spec) {
  const auto bound = [&](const plan::FrameBound& b) -> Result<std::string> {
    using Kind = plan::FrameBound::Kind;
    switch (b.kind) {
      case Kind::unbounded_preceding:
        return std::string("UNBOUNDED PRECEDING");
      case Kind::unbounded_following:
        return std::string("UNBOUNDED FOLLOWING");
      case Kind::current_row:
        return std::string("CURRENT ROW");
      case Kind::preceding:
      case Kind::following: {
        TRY_ASSIGN(std::string offset, lower(*b.offset));
        if (!spec.rows && spec.order.size() == 1) {
          const plan::SortKey& by = spec.order[0];
          TRY_ASSIGN(const std::string key, lower(*by.expr));
          const bool upwards = (b.kind == Kind::following) == by.ascending;
          const bool of_zone = by.expr->type->kind() == TypeKind::timestamp && zone() != "'UTC'" &&
                               !is_below_a_day(*b.offset);
          offset = of_zone ? zoned_distance(key, offset, *b.offset->type, upwards, zone())
                           : range_distance(offset, *b.offset->type, key, *by.expr->type);
          if (column::same_type(b.offset->type, by.expr->type))
            offset = within_type(key, offset, *by.expr->type, upwards);
        }
        return offset + (b.kind == Kind::preceding ? " PRECEDING" : " FOLLOWING");
      }
    }
    CHECK(false);
  };
  TRY_ASSIGN(std::string lower_bound, bound(spec.lower));
  TRY_ASSIGN(std::string upper_bound, bound(spec.upper));
  // A frame without rows, which DuckDB takes with two distances only.
  using Kind = plan::FrameBound::Kind;
  const auto none = [](const std::string& other, std::string_view side) {
    const std::string distance = other.substr(0, other.size() - side.size());
    return fmt::format("({0} - {0}){1}", distance, side);
  };
  if (spec.lower.kind == Kind::following && spec.upper.kind == Kind::current_row)
    upper_bound = none(lower_bound, " FOLLOWING");
  if (spec.lower.kind == Kind::current_row && spec.upper.kind == Kind::preceding)
    lower_bound = none(upper_bound, " PRECEDING");
  return fmt::format("{} BETWEEN {} AND {}", spec.rows ? "ROWS" : "RANGE", lower_bound,
                     upper_bound);
}

Result<std::string> ExprLowering::window(const Expr& expr) {
  CHECK(expr.window != nullptr);
  const plan::WindowSpec& spec = *expr.window;
  std::string over = " OVER (";
  if (!spec.partition.empty()) {
    TRY_ASSIGN(Arguments partition, lower_all(spec.partition));
    for (std::size_t i = 0; i < partition.size(); ++i)
      partition[i] = sort_key(partition[i], spec.partition[i]->type);
    over += "PARTITION BY " + join(partition, ", ");
  }
  if (!spec.order.empty()) {
    TRY_ASSIGN(const std::string order, lower_order(spec.order));
    over += " ORDER BY " + order;
  }
  const Expr& function = *expr.children[0];
  if (function.kind == ExprKind::aggregate || function.name.starts_with("nth_value")) {
    TRY_ASSIGN(const std::string frame_sql, frame(spec));
    over += " " + frame_sql;
  }
  over += ")";
  if (function.kind == ExprKind::aggregate) {
    static const std::map<std::string, std::string> by_position = {{"first", "first_value"},
                                                                   {"last", "last_value"}};
    if (const auto found = by_position.find(function.name); found != by_position.end()) {
      TRY_ASSIGN(const std::string value, lower(*function.children[0]));
      return fmt::format("{}({}){}", found->second, value, over);
    }
    if (function.name == "first_ignore_nulls" || function.name == "last_ignore_nulls") {
      TRY_ASSIGN(const std::string value, lower(*function.children[0]));
      return fmt::format("{}_value({} IGNORE NULLS){}",
                         function.name.substr(0, function.name.find('_')), value, over);
    }
    window_over_ = over;
    auto sql = aggregate(function);
    window_over_.clear();
    return sql;
  }
  TRY_ASSIGN(const Arguments arguments, lower_all(function.children));
  const auto text = functions::sql_template(function.name);
  if (!text.has_value() || text->empty())
    return Status::unsupported("the window function {} is not supported", function.name);
  const std::string sql = functions::expand_template(*text, arguments, zone(), "") + over;
  if (expr.type->kind() == TypeKind::int_ &&
      functions::sql_template(function.name)->ends_with("()")) {
    return fmt::format("CAST({} AS INTEGER)", sql);
  }
  if (function.name == "ntile") return fmt::format("CAST({} AS INTEGER)", sql);
  return sql;
}

}  // namespace millstream::engine
