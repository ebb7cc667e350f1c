#include <arrow/array/array_base.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include <cmath>

#include "base/text.h"
#include "engine/lower.h"
#include "engine/physical.h"
#include "engine/text.h"
#include "functions/lowering.h"
#include "plan/tree.h"

namespace millstream::engine {

using column::DataType;
using column::TypeKind;
using column::TypePtr;
using plan::Expr;
using plan::ExprKind;

std::string sql_quote(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\0') {
      out += "' || chr(0) || '";
    } else {
      out += c;
      if (c == '\'') out += '\'';
    }
  }
  out += "'";
  return text.find('\0') == std::string_view::npos ? out : "(" + out + ")";
}

std::string column_name(plan::AttributeId id) {
  return "c" + std::to_string(static_cast<std::int64_t>(id));
}

std::string ExprLowering::now() {
  uses_now_ = true;
  return "CAST($1 AS TIMESTAMP)";
}

namespace {

std::string blob_text(std::string_view bytes) {
  std::string out = "'";
  for (const char c : bytes) out += fmt::format("\\x{:02X}", static_cast<unsigned char>(c));
  return out + "'::BLOB";
}

std::string floating_text(double value, std::string_view type) {
  if (std::isnan(value)) return fmt::format("CAST('NaN' AS {})", type);
  if (std::isinf(value)) return fmt::format("CAST('{}Infinity' AS {})", value < 0 ? "-" : "", type);
  return fmt::format("CAST('{:.17g}' AS {})", value, type);
}

template <typename ScalarType>
auto value_of(const arrow::Scalar& scalar) {
  return static_cast<const ScalarType&>(scalar).value;
}

std::string_view bytes_of(const arrow::Scalar& scalar) {
  return static_cast<const arrow::BaseBinaryScalar&>(scalar).view();
}

}  // namespace

namespace {

Result<std::string> atomic_literal(const arrow::Scalar& value, const DataType& type,
                                   const std::string& sql_type) {
  switch (type.kind()) {
    case TypeKind::boolean:
      return std::string(value_of<arrow::BooleanScalar>(value) ? "true" : "false");
    case TypeKind::float_:
      return floating_text(static_cast<double>(value_of<arrow::FloatScalar>(value)), "FLOAT");
    case TypeKind::double_:
      return floating_text(value_of<arrow::DoubleScalar>(value), "DOUBLE");
    case TypeKind::decimal: {
      const auto digits = value_of<arrow::Decimal128Scalar>(value).ToIntegerString();
      return fmt::format("CAST('{}' AS {})", decimal_text(digits, type.scale()), sql_type);
    }
    case TypeKind::string:
    case TypeKind::char_:
    case TypeKind::varchar:
      return sql_quote(bytes_of(value));
    case TypeKind::binary:
      return blob_text(bytes_of(value));
    case TypeKind::date:
      return fmt::format("(DATE '1970-01-01' + CAST({} AS INTEGER))",
                         value_of<arrow::Date32Scalar>(value));
    case TypeKind::timestamp:
    case TypeKind::timestamp_ntz:
      return fmt::format("make_timestamp({}::BIGINT)", value_of<arrow::TimestampScalar>(value));
    case TypeKind::time:
      return fmt::format("CAST('{}' AS BIGINT)", value_of<arrow::Time64Scalar>(value));
    case TypeKind::day_time_interval:
      return fmt::format("CAST('{}' AS BIGINT)", value_of<arrow::DurationScalar>(value));
    case TypeKind::year_month_interval:
      return fmt::format("CAST({} AS INTEGER)", value_of<arrow::MonthIntervalScalar>(value));
    case TypeKind::calendar_interval: {
      const auto interval = value_of<arrow::MonthDayNanoIntervalScalar>(value);
      return fmt::format("CAST(row({}, {}, {}) AS {})", interval.months, interval.days,
                         interval.nanoseconds / 1000, sql_type);
    }
    default:
      return fmt::format("CAST('{}' AS {})", value.ToString(), sql_type);
  }
}

}  // namespace

Result<std::string> ExprLowering::literal(const arrow::Scalar& value, const TypePtr& type) {
  TRY_ASSIGN(const std::string sql_type, physical_sql(type));
  if (!value.is_valid || type->kind() == TypeKind::null)
    return fmt::format("CAST(NULL AS {})", sql_type);
  if (!type->is_nested()) return atomic_literal(value, *type, sql_type);
  if (type->kind() == TypeKind::struct_) {
    const auto& members = static_cast<const arrow::StructScalar&>(value).value;
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < type->fields().size(); ++i) {
      TRY_ASSIGN(const std::string part, literal(*members[i], type->fields()[i].type));
      parts.push_back(fmt::format("f{} := {}", i, part));
    }
    return "struct_pack(" + join(parts, ", ") + ")";
  }
  const auto& items = *static_cast<const arrow::BaseListScalar&>(value).value;
  std::vector<std::string> parts[2];
  for (std::int64_t i = 0; i < items.length(); ++i) {
    const auto item = items.GetScalar(i);
    if (!item.ok()) return Status::internal("{}", item.status().ToString());
    if (type->kind() == TypeKind::array) {
      TRY_ASSIGN(std::string part, literal(**item, type->element()));
      parts[0].push_back(std::move(part));
      continue;
    }
    const auto& entry = static_cast<const arrow::StructScalar&>(**item).value;
    for (std::size_t side = 0; side < 2; ++side) {
      TRY_ASSIGN(std::string part, literal(*entry[side], side == 0 ? type->key() : type->value()));
      parts[side].push_back(std::move(part));
    }
  }
  if (type->kind() == TypeKind::array)
    return fmt::format("CAST([{}] AS {})", join(parts[0], ", "), sql_type);
  return fmt::format("CAST(MAP([{}], [{}]) AS {})", join(parts[0], ", "), join(parts[1], ", "),
                     sql_type);
}

Result<ExprLowering::Arguments> ExprLowering::lower_all(const std::vector<plan::ExprPtr>& exprs) {
  Arguments out;
  for (const auto& expr : exprs) {
    TRY_ASSIGN(std::string sql, lower(*expr));
    out.push_back(std::move(sql));
  }
  return out;
}

namespace {

// A call of constants that could fail, which is known before a row comes. Larger ones were seen in
// parts.
bool is_constant(const Expr& expr, const std::string& sql) {
  constexpr std::size_t looked_at_max = 2000;
  if (expr.kind != ExprKind::cast && expr.kind != ExprKind::call) return false;
  if (expr.type->is_nested() || sql.size() > looked_at_max) return false;
  bool constant = true;
  plan::visit(expr, [&](const Expr& e) {
    const bool fits = e.kind == ExprKind::literal || e.kind == ExprKind::cast ||
                      (e.kind == ExprKind::call && e.deterministic);
    constant = constant && fits;
    return constant;
  });
  return constant && can_fail(sql) && sql.find('$') == std::string::npos;
}

}  // namespace

Result<std::string> ExprLowering::lower(const Expr& expr) {
  const bool elsewhere = expr.time_zone != nullptr && *expr.time_zone != time_zone_;
  const std::string around = elsewhere ? std::exchange(time_zone_, *expr.time_zone) : time_zone_;
  auto lowered = lower_kind(expr);
  time_zone_ = around;
  TRY_ASSIGN(std::string sql, std::move(lowered));
  if (evaluate_ && is_constant(expr, sql)) {
    if (auto value = evaluate_(sql, expr.type)) sql = std::move(*value);
  }
  if (keys_.empty()) return sql;
  const auto key = keys_.find(sql);
  return key == keys_.end() ? sql : key->second;
}

// DuckDB makes a join of an IN that stands alone.
Result<std::string> ExprLowering::lower_conjunct(const Expr& expr) {
  const bool negated = expr.kind == ExprKind::call && expr.name == "not";
  const Expr& in = negated ? *expr.children[0] : expr;
  if (in.kind != ExprKind::subquery || in.name != "in") return lower(expr);
  return in_subquery(in, negated, true);
}

Result<std::string> ExprLowering::lower_kind(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::literal:
      return literal(*expr.value, expr.type);
    case ExprKind::attribute:
      return column_name(expr.id);
    case ExprKind::lambda_variable:
      return lambda_names_[expr.id];
    case ExprKind::alias:
      return lower(*expr.children[0]);
    case ExprKind::cast: {
      TRY_ASSIGN(const std::string value, lower(*expr.children[0]));
      return cast(value, expr.children[0]->type, expr.type, expr.ansi, expr.try_cast);
    }
    case ExprKind::case_when:
      return case_when(expr);
    case ExprKind::in_list:
      return in_list(expr);
    case ExprKind::subquery:
      return subquery(expr);
    case ExprKind::get_field: {
      TRY_ASSIGN(const std::string value, lower(*expr.children[0]));
      return fmt::format("struct_extract({}, 'f{}')", value, expr.ordinal);
    }
    case ExprKind::call: {
      for (const auto& child : expr.children) {
        if (child->kind == ExprKind::lambda) return higher_order(expr);
      }
      if (expr.name == "not" && expr.children[0]->kind == ExprKind::subquery &&
          expr.children[0]->name == "in") {
        return in_subquery(*expr.children[0], true);
      }
      if (expr.name == "not") {
        if (const auto moved = negation_moved_in(expr)) return lower(*moved);
      }
      if (expr.name == "and" || expr.name == "or") return logic(expr);
      TRY_ASSIGN(const Arguments arguments, lower_all(expr.children));
      return until_null(expr, arguments);
    }
    case ExprKind::aggregate:
      return aggregate(expr);
    case ExprKind::window:
      return window(expr);
    case ExprKind::lambda:
    case ExprKind::generator:
      break;
  }
  return Status::unsupported("{} is not supported here", expr.pretty);
}

// Spark gives IN of a subquery its two values after it has moved NOT inwards, so NOT (x NOT IN …)
// is x IN …; null: there is nothing to move.
plan::ExprPtr ExprLowering::negation_moved_in(const Expr& negation) {
  const Expr& child = *negation.children[0];
  if (child.kind != ExprKind::call || !plan::contains(child, ExprKind::subquery)) return nullptr;
  if (child.name == "not") return child.children[0];
  if (child.name != "and" && child.name != "or") return nullptr;
  auto moved = std::make_shared<Expr>(child);
  moved->name = child.name == "and" ? "or" : "and";
  for (auto& part : moved->children) {
    auto negated = std::make_shared<Expr>(negation);
    negated->children = {part};
    negated->type = negation.type;
    part = std::move(negated);
  }
  return moved;
}

Result<std::string> ExprLowering::case_when(const Expr& expr) {
  TRY_ASSIGN(const Arguments parts, lower_all(expr.children));
  TRY_ASSIGN(const std::string type, physical_sql(expr.type));
  std::string out = "CASE";
  std::size_t i = 0;
  for (; i + 1 < parts.size(); i += 2)
    out += fmt::format(" WHEN {} THEN {}", parts[i], parts[i + 1]);
  out += fmt::format(" ELSE {} END", i < parts.size() ? parts[i] : "CAST(NULL AS " + type + ")");
  return out;
}

namespace {

// A whole number that needs no cast beside others: lists have many. Empty: it is none.
std::string bare_number(const Expr& expr) {
  if (expr.kind != ExprKind::literal || !expr.type->is_integral() || !expr.value->is_valid)
    return {};
  std::string text = expr.value->ToString();
  return text == "-9223372036854775808" ? std::string() : text;
}

}  // namespace

Result<std::string> ExprLowering::in_list(const Expr& expr) {
  TRY_ASSIGN(const std::string value, lower(*expr.children[0]));
  if (expr.children.size() == 1)
    return fmt::format("(CASE WHEN {} IS NULL THEN NULL ELSE false END)", value);
  const bool whole = expr.children[0]->type->is_integral();
  std::string out = "(" + value + " IN (";
  for (std::size_t i = 1; i < expr.children.size(); ++i) {
    std::string item = whole ? bare_number(*expr.children[i]) : std::string();
    if (item.empty()) {
      TRY_ASSIGN(item, lower(*expr.children[i]));
    }
    out += (i > 1 ? ", " : "") + item;
  }
  return out + "))";
}

namespace {

// (a, b) IN (…): whether a row is equal; with `possible`, whether one is or may be but for a NULL.
std::string row_in_subquery(const std::vector<std::string>& values, const std::string& plan,
                            bool possible) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string equal = fmt::format("({} = o{})", values[i], i);
    parts.push_back(possible ? "(" + equal + " IS DISTINCT FROM false)" : equal);
  }
  return fmt::format("EXISTS (SELECT 1 FROM ({}) WHERE {})", plan, join(parts, " AND "));
}

}  // namespace

// Spark answers IN with two values: what SQL leaves open is false, under a NOT too.
Result<std::string> ExprLowering::in_subquery(const Expr& expr, bool negated, bool is_open) {
  TRY_ASSIGN(const Arguments arguments, lower_all(expr.children));
  TRY_ASSIGN(const std::string plan, subquery_plan(expr, arguments));
  if (expr.ordinal == 1) {
    const std::string in =
        fmt::format("({} {} ({}))", arguments[0], negated ? "NOT IN" : "IN", plan);
    return is_open ? in : "coalesce(" + in + ", false)";
  }
  const Arguments values(arguments.begin(), arguments.begin() + expr.ordinal);
  return (negated ? "NOT " : "") + row_in_subquery(values, plan, negated);
}

Result<std::string> ExprLowering::subquery(const Expr& expr) {
  if (expr.name == "in") return in_subquery(expr, false);
  TRY_ASSIGN(const Arguments arguments, lower_all(expr.children));
  TRY_ASSIGN(const std::string plan, subquery_plan(expr, arguments));
  return (expr.name == "exists" ? "EXISTS (" : "(") + plan + ")";
}

namespace {

bool holds_subquery(const plan::Node& root) {
  std::vector<const plan::Node*> open = {&root};
  bool found = false;
  while (!open.empty() && !found) {
    const plan::Node& node = *open.back();
    open.pop_back();
    plan::for_each_expression(
        node, [&](const Expr& e) { found = found || plan::contains(e, ExprKind::subquery); });
    for (const auto& child : node.children) open.push_back(child.get());
  }
  return found;
}

// A subquery within subqueries, which has no columns of theirs, as rows that are computed on their
// own: what DuckDB does to push filters down grows fourfold with each level.
plan::NodePtr on_its_own(const plan::NodePtr& plan) {
  auto shared = std::make_shared<plan::Shared>();
  shared->definition = plan;
  shared->output = plan->output;
  for (const auto& attribute : plan->output) shared->columns.push_back(attribute.id);
  return shared;
}

}  // namespace

// The plan's statement, its parameters bound to the outer columns among the arguments.
Result<std::string> ExprLowering::subquery_plan(const Expr& expr, const Arguments& arguments) {
  const auto values = static_cast<std::size_t>(expr.ordinal);
  for (std::size_t i = 0; i < expr.parameters.size(); ++i) {
    bind(expr.parameters[i], arguments[values + i]);
  }
  // Keys and windows are those of the query around.
  const bool may = may_narrow();
  const auto keys = std::exchange(keys_, {});
  const auto over = std::exchange(window_over_, {});
  narrow_off_ += may ? 0 : 1;
  const bool alone =
      expr.name == "scalarsubquery" && expr.parameters.empty() && holds_subquery(*expr.plan);
  auto lowered = lower_plan_(alone ? on_its_own(expr.plan) : expr.plan);
  narrow_off_ -= may ? 0 : 1;
  keys_ = keys;
  window_over_ = over;
  return lowered;
}

namespace {

// The kernel of a function that without ANSI gives NULL, or wraps, where it would fail.
std::string lenient(std::string_view name, std::string_view text) {
  static constexpr std::pair<std::string_view, std::string_view> functions[] = {
      {"make_date", "try_"},
      {"make_timestamp", "null_"},
      {"make_timestamp_zoned", "null_"},
      {"make_timestamp_ntz", "null_"},
      {"parse_date", "try_"},
      {"parse_timestamp", "try_"},
      {"parse_timestamp_ntz", "try_"},
      {"unix_parse", "try_"},
      {"next_day", "try_"},
      {"parse_url", "try_"},
      {"parse_url_key", "try_"},
      {"conv", "wrap_"}};
  constexpr std::string_view prefix = "ms_";
  for (const auto& [function, mode] : functions) {
    if (name == function && text.starts_with(prefix))
      return fmt::format("{}{}{}", prefix, mode, text.substr(prefix.size()));
  }
  return std::string(text);
}

}  // namespace

Result<std::string> ExprLowering::call(const Expr& expr, const std::string& name,
                                       const Arguments& arguments) {
  if (auto sql = arithmetic_call(expr, name, arguments)) return std::move(*sql);
  if (auto sql = ordering_call(expr, name, arguments)) return std::move(*sql);
  if (auto sql = collection_call(expr, name, arguments)) return std::move(*sql);
  if (auto sql = other_call(expr, name, arguments)) return std::move(*sql);
  if (auto sql = time_call(expr, name, arguments)) return std::move(*sql);
  auto text = functions::sql_template(name);
  constexpr std::string_view attempt = "try_";
  if (!text && name.starts_with(attempt)) {
    // NULL in place of the error of a function that has no row of its own for that.
    text = functions::sql_template(name.substr(attempt.size()));
    const bool within_cast = text && text->starts_with("CAST(ms_");
    if (text && (text->starts_with("ms_") || within_cast)) {
      TRY_ASSIGN(const std::string type, physical_sql(expr.type));
      std::string attempted(*text);
      attempted.insert(attempted.find("ms_") + 3, attempt);
      return from_template(expr, attempted, arguments, type);
    }
  }
  if (!text.has_value() || text->empty())
    return Status::unsupported("the function {} is not supported", name);
  TRY_ASSIGN(const std::string type, physical_sql(expr.type));
  return from_template(expr, expr.ansi ? std::string(*text) : lenient(name, *text), arguments,
                       type);
}

}  // namespace millstream::engine
