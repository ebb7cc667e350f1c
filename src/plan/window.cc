// OVER: window expressions.
#include <arrow/scalar.h>

#include <cstdlib>
#include <limits>

#include "base/text.h"
#include "functions/registry.h"
#include "plan/expressions.h"
#include "plan/literal.h"
#include "plan/subquery.h"
#include "plan/text.h"
#include "plan/tree.h"
#include "spark/connect/expressions.pb.h"

namespace millstream::plan {

namespace sc = spark::connect;

namespace {

using Bound = FrameBound::Kind;

bool is_ranking(const std::string& name) {
  return name == "row_number" || name == "rank" || name == "dense_rank" || name == "percent_rank" ||
         name == "cume_dist" || name == "ntile";
}

bool needs_order(const std::string& name) {
  return is_ranking(name) || name == "lag" || name == "lead";
}

bool is_interval(const column::TypePtr& type) {
  return type->kind() == column::TypeKind::day_time_interval ||
         type->kind() == column::TypeKind::year_month_interval;
}

std::string bound_text(const FrameBound& bound) {
  switch (bound.kind) {
    case Bound::unbounded_preceding:
      return "UNBOUNDED PRECEDING";
    case Bound::unbounded_following:
      return "UNBOUNDED FOLLOWING";
    case Bound::current_row:
      return "CURRENT ROW";
    // A bound given by the DataFrame API is a signed literal, and Spark prints it as it is: -1
    // FOLLOWING.
    case Bound::preceding:
      if (is_interval(bound.offset->type) && bound.offset->pretty.starts_with("(- "))
        return bound.offset->pretty.substr(3, bound.offset->pretty.size() - 4) + " PRECEDING";
      return bound.offset->pretty +
             (bound.offset->pretty.starts_with('-') || bound.offset->pretty.starts_with("(- ")
                  ? " FOLLOWING"
                  : " PRECEDING");
    case Bound::following:
      return bound.offset->pretty + " FOLLOWING";
  }
  return "";
}

std::string spec_text(const WindowSpec& spec, const std::string& lower, const std::string& upper) {
  std::string out;
  for (std::size_t i = 0; i < spec.partition.size(); ++i) {
    out += (i == 0 ? "PARTITION BY " : ", ") + spec.partition[i]->pretty;
  }
  for (std::size_t i = 0; i < spec.order.size(); ++i) {
    const SortKey& key = spec.order[i];
    out += i == 0 ? (out.empty() ? "ORDER BY " : " ORDER BY ") : ", ";
    out += key.expr->pretty + (key.ascending ? " ASC" : " DESC") +
           (key.nulls_first ? " NULLS FIRST" : " NULLS LAST");
  }
  if (!out.empty()) out += " ";
  return out + fmt::format("{} BETWEEN {} AND {}", spec.rows ? "ROWS" : "RANGE", lower, upper);
}

std::string frame_text(const WindowSpec& spec) {
  return fmt::format("{} BETWEEN {} AND {}", spec.rows ? "ROWS" : "RANGE", bound_text(spec.lower),
                     bound_text(spec.upper));
}

bool is_time(const column::TypePtr& type) {
  return type->kind() == column::TypeKind::date || type->kind() == column::TypeKind::timestamp ||
         type->kind() == column::TypeKind::timestamp_ntz;
}

// A text without the sign that PRECEDING stands for.
std::string without_sign(const std::string& text) {
  if (text.starts_with("(- ")) return text.substr(3, text.size() - 4);
  return text.starts_with('-') ? text.substr(1) : text;
}

// How far a bound of RANGE is from the row, and on which side.
struct Distance {
  ExprPtr offset;  // not negative
  bool preceding = false;
};

// The constant without its sign: -x, x, or a literal below zero. Nothing: it is no constant.
std::optional<Distance> distance_of(const ExprPtr& value) {
  if (value->kind == ExprKind::call && value->name == "negative" && value->children.size() == 1) {
    auto inner = distance_of(value->children[0]);
    if (!inner) return std::nullopt;
    inner->preceding = !inner->preceding;
    return inner;
  }
  if (value->kind == ExprKind::cast && !value->children[0]->type->is_string()) {
    auto inner = distance_of(value->children[0]);
    if (!inner) return std::nullopt;
    inner->offset = make_cast(inner->offset, value->type, value->ansi);
    return inner;
  }
  if (value->kind != ExprKind::literal || !value->value->is_valid) return std::nullopt;
  return Distance{value, value->pretty.starts_with('-')};
}

// Whether RANGE can go by such a distance from a value of that type.
bool fits_range(const column::TypePtr& ordered, const column::TypePtr& distance) {
  using column::TypeKind;
  switch (ordered->kind()) {
    case TypeKind::date:
      return distance->kind() == TypeKind::int_ ||
             distance->kind() == TypeKind::year_month_interval ||
             (distance->kind() == TypeKind::day_time_interval && distance->sql() == "INTERVAL DAY");
    case TypeKind::timestamp:
    case TypeKind::timestamp_ntz:
      return is_interval(distance);
    default:
      return ordered->is_numeric() && distance->is_numeric();
  }
}

Status bad_bound_type(const WindowSpec& spec, const Expr& value, bool is_lower,
                      const std::string& frame) {
  const bool over_order = !spec.rows;
  return Status::error(
      "DATATYPE_MISMATCH.SPECIFIED_WINDOW_FRAME_UNACCEPTED_TYPE",
      {{"sqlExpr", sql_expr(frame)},
       {"location", is_lower ? "lower" : "upper"},
       {"exprType", sql_type(over_order ? spec.order[0].expr->type : value.type)},
       {"expectedType", over_order ? "(\"NUMERIC\" or \"INTERVAL DAY TO SECOND\" or \"INTERVAL "
                                     "YEAR TO MONTH\" or \"INTERVAL\")"
                                   : "\"INT\""}});
}

// A frame as Spark prints its expression.
std::string frame_tree(const WindowSpec& spec) {
  const auto bound = [](const FrameBound& b) -> std::string {
    switch (b.kind) {
      case Bound::unbounded_preceding:
        return "unboundedpreceding$()";
      case Bound::unbounded_following:
        return "unboundedfollowing$()";
      case Bound::current_row:
        return "currentrow$()";
      case Bound::preceding: {
        const std::string& text = b.offset->pretty;
        return text.starts_with('-') || text.starts_with("(-") ? text : "-" + text;
      }
      case Bound::following:
        return b.offset->pretty;
    }
    return "";
  };
  return fmt::format("specifiedwindowframe({}, {}, {})", spec.rows ? "RowFrame" : "RangeFrame",
                     bound(spec.lower), bound(spec.upper));
}

Status legacy_window_error(const char* condition, ErrorParameters parameters, std::string text) {
  ErrorInfo info;
  info.kind = ErrorKind::analysis;
  info.condition = condition;
  info.parameters = std::move(parameters);
  info.message = std::move(text);
  return Status(std::move(info));
}

// The number of a constant bound.
std::optional<double> magnitude(const Expr& offset) {
  const Expr* e = &offset;
  while (e->kind == ExprKind::cast) e = e->children[0].get();
  if (e->kind != ExprKind::literal || !e->value->is_valid) return std::nullopt;
  if (is_interval(e->type)) {
    const bool months = e->type->kind() == column::TypeKind::year_month_interval;
    const auto& value = *e->value;
    return months ? static_cast<double>(static_cast<const arrow::MonthIntervalScalar&>(value).value)
                  : static_cast<double>(static_cast<const arrow::DurationScalar&>(value).value);
  }
  if (!e->type->is_numeric()) return std::nullopt;
  const auto number = e->value->CastTo(arrow::float64());
  if (!number.ok()) return std::nullopt;
  return std::abs(static_cast<const arrow::DoubleScalar&>(**number).value);
}

Status check_bounds(const WindowSpec& spec) {
  const bool offsets = spec.lower.offset != nullptr && spec.upper.offset != nullptr;
  if (offsets && !column::same_type(spec.lower.offset->type, spec.upper.offset->type)) {
    return Status::error("DATATYPE_MISMATCH.SPECIFIED_WINDOW_FRAME_DIFF_TYPES",
                         {{"sqlExpr", sql_expr(frame_text(spec))},
                          {"lower", sql_expr(spec.lower.offset->pretty)},
                          {"upper", sql_expr(spec.upper.offset->pretty)},
                          {"lowerType", sql_type(spec.lower.offset->type)},
                          {"upperType", sql_type(spec.upper.offset->type)}});
  }
  if (!offsets) return Status::OK();
  const auto signed_distance = [](const FrameBound& bound) -> std::optional<double> {
    const auto distance = magnitude(*bound.offset);
    if (!distance) return std::nullopt;
    return bound.kind == Bound::preceding ? -*distance : *distance;
  };
  const auto lower = signed_distance(spec.lower);
  const auto upper = signed_distance(spec.upper);
  if (!lower || !upper || *lower <= *upper) return Status::OK();
  return Status::error(
      "DATATYPE_MISMATCH.SPECIFIED_WINDOW_FRAME_WRONG_COMPARISON",
      {{"sqlExpr", sql_expr(frame_text(spec))}, {"comparison", "less than or equal"}});
}

// Bounds of a type that the ordering, or ROWS, has no distance in.
Status check_bound_types(const WindowSpec& spec) {
  for (const bool is_lower : {true, false}) {
    const FrameBound& bound = is_lower ? spec.lower : spec.upper;
    if (bound.offset == nullptr) continue;
    const auto& type = bound.offset->type;
    if (spec.rows && type->kind() != column::TypeKind::int_)
      return bad_bound_type(spec, *bound.offset, is_lower, frame_text(spec));
    if (spec.rows || spec.order.size() != 1) continue;
    const auto& ordered = spec.order[0].expr->type;
    if (!is_time(ordered) || fits_range(ordered, type)) continue;
    return Status::error(
        "DATATYPE_MISMATCH.RANGE_FRAME_INVALID_TYPE",
        {{"sqlExpr",
          sql_expr("(" + spec_text(spec, bound_text(spec.lower), bound_text(spec.upper)) + ")")},
         {"orderSpecType", sql_type(ordered)},
         {"valueBoundaryType", sql_type(type)}});
  }
  return Status::OK();
}

}  // namespace

Result<ExprPtr> ExpressionAnalyzer::window(const sc::Expression_Window& proto) {
  const bool outer = in_window_;
  in_window_ = true;
  auto resolved = resolve(proto.window_function());
  in_window_ = outer;
  TRY_ASSIGN(ExprPtr function, std::move(resolved));
  function = strip_alias(function);
  if (function->kind == ExprKind::window) function = function->children[0];
  const bool fits = function->kind == ExprKind::aggregate ||
                    (function->kind == ExprKind::call && function->window != nullptr);
  if (!fits) {
    return Status::error("UNSUPPORTED_EXPR_FOR_WINDOW", {{"sqlExpr", sql_expr(function->pretty)}});
  }
  if (function->distinct) {
    return Status::error("DISTINCT_WINDOW_FUNCTION_UNSUPPORTED",
                         {{"windowExpr", sql_expr(function->pretty)}});
  }
  auto spec = std::make_shared<WindowSpec>();
  for (const auto& p : proto.partition_spec()) {
    TRY_ASSIGN(ExprPtr e, resolve(p));
    spec->partition.push_back(strip_alias(e));
  }
  for (const auto& o : proto.order_spec()) {
    TRY_ASSIGN(SortKey key, sort_key(o));
    spec->order.push_back(std::move(key));
  }
  // lag_ignore_nulls_1: the function, and how many arguments came before the mark.
  const std::string name = function->name.substr(0, function->name.find("_ignore_nulls"));
  const std::size_t marks = name == function->name ? 0 : 1;
  if (spec->order.empty() && needs_order(name)) {
    return Status::error("WINDOW_FUNCTION_FRAME_NOT_ORDERED",
                         {{"wf_name", name}, {"wf_expr", function->pretty}});
  }
  if (proto.has_frame_spec()) {
    if (name == "lag" || name == "lead") {
      return legacy_window_error("_LEGACY_ERROR_TEMP_1035", {{"prettyName", name}},
                                 "Cannot specify window frame for " + name + " function.");
    }
    TRY(window_frame(proto.frame_spec(), *spec));
    const bool required = spec->rows && spec->lower.kind == Bound::unbounded_preceding &&
                          spec->upper.kind == Bound::current_row;
    if (is_ranking(name) && !required) {
      const std::string given = frame_tree(*spec);
      const std::string wanted =
          "specifiedwindowframe(RowFrame, unboundedpreceding$(), currentrow$())";
      return legacy_window_error(
          "_LEGACY_ERROR_TEMP_1036", {{"wf", given}, {"required", wanted}},
          "Window Frame " + given + " must match the required frame " + wanted + ".");
    }
  } else if (spec->order.empty()) {
    spec->rows = true;
    spec->upper.kind = Bound::unbounded_following;
  }
  if (!proto.has_frame_spec() && is_ranking(name) && name != "cume_dist") spec->rows = true;
  std::string lower = bound_text(spec->lower);
  std::string upper = bound_text(spec->upper);
  if (name == "lag" || name == "lead") {
    spec->rows = true;
    const std::string offset =
        function->children.size() > 1 + marks ? function->children[1]->pretty : "1";
    const bool back = name == "lag";
    lower = !back ? offset : offset.starts_with('-') ? offset.substr(1) : "-" + offset;
    lower += " FOLLOWING";
    upper = lower;
  }
  auto out = std::make_shared<Expr>();
  out->kind = ExprKind::window;
  out->type = function->type;
  out->nullable = function->nullable;
  out->origin = origin();
  out->pretty = function->pretty + " OVER (" + spec_text(*spec, lower, upper) + ")";
  auto bare = std::make_shared<Expr>(*function);
  if (bare->kind == ExprKind::call) bare->window = nullptr;  // of an aggregate: WITHIN GROUP
  out->children.push_back(std::move(bare));
  out->window = std::move(spec);
  return ExprPtr(out);
}

// The bound as a constant with a sign; in the type of the ordering where that is no time.
Result<ExprPtr> ExpressionAnalyzer::frame_distance(const ExprPtr& value, const WindowSpec& spec) {
  const bool ranged = !spec.rows && spec.order.size() == 1;
  const column::TypePtr& ordered = ranged ? spec.order[0].expr->type : value->type;
  const bool plain = ranged ? distance_of(value).has_value() && fits_range(ordered, value->type)
                            : constant_integer(*value).has_value();
  if (plain || !is_foldable(*value) || scope_.subqueries() == nullptr) return value;
  ExprPtr constant = value;
  const bool converted = ranged && !is_time(ordered) && !fits_range(ordered, value->type);
  if (converted) {
    if (!functions::can_cast(value->type, ordered, ansi())) return value;
    TRY_ASSIGN(constant, cast(value, ordered, ansi(), false));
  }
  TRY_ASSIGN(constant, scope_.subqueries()->constant_value(constant));
  auto out = std::make_shared<Expr>(*constant);
  out->pretty = value->pretty;
  const std::string shown =
      out->value->is_valid ? literal_name(*out->value, out->type) : std::string();
  const bool negative = shown.starts_with('-') || shown.find("'-") != std::string::npos;
  if (!negative || (converted && out->type->is_integral())) return ExprPtr(out);
  TRY_ASSIGN(ExprPtr opposite, call("negative", {constant}));
  TRY_ASSIGN(opposite, scope_.subqueries()->constant_value(opposite));
  TRY_ASSIGN(const ExprPtr back, call("negative", {opposite}));
  out = std::make_shared<Expr>(*back);
  out->pretty = value->pretty;
  return ExprPtr(out);
}

Status ExpressionAnalyzer::window_frame(const sc::Expression_Window_WindowFrame& proto,
                                        WindowSpec& spec) {
  using Frame = sc::Expression_Window_WindowFrame;
  if (proto.frame_type() == Frame::FRAME_TYPE_UNDEFINED) {
    return Status::error("CONNECT_INVALID_PLAN.INVALID_ENUM",
                         {{"fullName", "spark.connect.Expression.Window.WindowFrame.FrameType"},
                          {"name", "FRAME_TYPE_UNDEFINED"},
                          {"number", "0"}});
  }
  spec.rows = proto.frame_type() == Frame::FRAME_TYPE_ROW;
  // Of no fitting type: the error shows the whole frame.
  const auto refuse_later = [](const Expr& value, FrameBound& out) {
    auto shown = std::make_shared<Expr>(value);
    shown->pretty = without_sign(value.pretty);
    out.kind = shown->pretty == value.pretty ? Bound::following : Bound::preceding;
    out.offset = std::move(shown);
  };
  const auto bound = [&](const Frame::FrameBoundary& b, bool is_lower, FrameBound& out) -> Status {
    if (b.has_current_row() && b.current_row()) {
      out.kind = Bound::current_row;
      return Status::OK();
    }
    if (b.has_unbounded() && b.unbounded()) {
      out.kind = is_lower ? Bound::unbounded_preceding : Bound::unbounded_following;
      return Status::OK();
    }
    if (!b.has_value()) {
      return Status::error("CONNECT_INVALID_PLAN.LOWER_BOUND_REQUIRED_IN_WINDOW_FRAME");
    }
    TRY_ASSIGN(ExprPtr value, resolve(b.value()));
    TRY_ASSIGN(value, frame_distance(strip_alias(value), spec));
    if (!spec.rows && value->kind == ExprKind::literal && !value->value->is_valid) {
      // A bound that is NULL is before each value.
      if (!is_lower || !spec.order[0].ascending)
        return Status::unsupported("a RANGE frame bound that is NULL");
      out.kind = Bound::unbounded_preceding;
      return Status::OK();
    }
    const auto apart = spec.rows || spec.order.size() != 1 ? std::nullopt : distance_of(value);
    const auto constant = constant_integer(*value);
    const bool of_numbers = spec.order.size() == 1 && spec.order[0].expr->type->is_integral();
    if (apart && !(constant && of_numbers)) {
      const auto& ordered_by = spec.order[0].expr->type;
      if (constant == 0) {
        out.kind = Bound::current_row;
        return Status::OK();
      }
      if (!fits_range(ordered_by, value->type)) {
        if (ordered_by->is_string() || ordered_by->is_nested()) {
          return bad_bound_type(spec, *value, is_lower, value->pretty);
        }
        if (!is_time(ordered_by)) {
          return Status::unsupported("a RANGE frame by {} over the type {}", value->pretty,
                                     ordered_by->sql());
        }
        refuse_later(*value, out);
        return Status::OK();
      }
      out.kind = apart->preceding ? Bound::preceding : Bound::following;
      ExprPtr offset = apart->offset;
      if (constant) offset = int_literal(static_cast<std::int32_t>(std::abs(*constant)));
      if (ordered_by->is_numeric()) offset = implicit_cast(offset, ordered_by, ansi());
      auto as_written = std::make_shared<Expr>(*offset);
      as_written->pretty = value->pretty;
      out.offset = as_written;
      return Status::OK();
    }
    if (!constant) {
      if (spec.rows && value->type->kind() != column::TypeKind::int_ &&
          (value->kind == ExprKind::literal || value->name == "negative")) {
        refuse_later(*value, out);
        return Status::OK();
      }
      if (spec.rows || spec.order.size() != 1) {
        return Status::error("DATATYPE_MISMATCH.SPECIFIED_WINDOW_FRAME_WITHOUT_FOLDABLE",
                             {{"sqlExpr", sql_expr(value->pretty)},
                              {"location", is_lower ? "lower" : "upper"},
                              {"expression", sql_expr(value->pretty)}});
      }
      return Status::unsupported("a RANGE frame bound that is not a whole number: {}",
                                 value->pretty);
    }
    if (spec.rows && value->type->kind() != column::TypeKind::int_) {
      refuse_later(*value, out);
      return Status::OK();
    }
    if (*constant == 0) {
      out.kind = Bound::current_row;
      return Status::OK();
    }
    if (*constant == std::numeric_limits<std::int64_t>::min()) {
      out.kind = Bound::unbounded_preceding;
      return Status::OK();
    }
    out.kind = *constant < 0 ? Bound::preceding : Bound::following;
    const std::int64_t distance = std::abs(*constant);
    ExprPtr magnitude =
        distance <= std::numeric_limits<std::int32_t>::max()
            ? int_literal(static_cast<std::int32_t>(distance))
            : literal_of(std::make_shared<arrow::Int64Scalar>(distance), column::long_type());
    if (!spec.rows && spec.order.size() == 1) {
      const auto& ordered_by = spec.order[0].expr->type;
      if (!ordered_by->is_numeric()) {
        return Status::unsupported("a RANGE frame with an offset over the type {}",
                                   ordered_by->sql());
      }
      magnitude = implicit_cast(magnitude, ordered_by, ansi());
    }
    if (value->kind == ExprKind::literal) {
      auto as_written = std::make_shared<Expr>(*magnitude);
      as_written->pretty = value->pretty;
      magnitude = as_written;
    }
    out.offset = magnitude;
    return Status::OK();
  };
  TRY(bound(proto.lower(), true, spec.lower));
  TRY(bound(proto.upper(), false, spec.upper));
  if (!spec.rows && spec.order.size() > 1 &&
      (spec.lower.offset != nullptr || spec.upper.offset != nullptr)) {
    std::vector<std::string> keys;
    for (const SortKey& key : spec.order) {
      keys.push_back(fmt::format("{}#{} {} {}", key.expr->pretty, key_of(key.expr->id),
                                 key.ascending ? "ASC" : "DESC",
                                 key.nulls_first ? "NULLS FIRST" : "NULLS LAST"));
    }
    return Status::error(
        "DATATYPE_MISMATCH.RANGE_FRAME_MULTI_ORDER",
        {{"sqlExpr",
          sql_expr("(" + spec_text(spec, bound_text(spec.lower), bound_text(spec.upper)) + ")")},
         {"orderSpec", join(keys, ",")}});
  }
  TRY(check_bound_types(spec));
  TRY(check_bounds(spec));
  if (!spec.rows && spec.order.empty() &&
      (spec.lower.offset != nullptr || spec.upper.offset != nullptr)) {
    return Status::error(
        "DATATYPE_MISMATCH.RANGE_FRAME_WITHOUT_ORDER",
        {{"sqlExpr",
          sql_expr("(" + spec_text(spec, bound_text(spec.lower), bound_text(spec.upper)) + ")")}});
  }
  return Status::OK();
}

}  // namespace millstream::plan
