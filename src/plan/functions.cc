// Calls: the functions table decides types; here are those that need to see expressions, not types
// alone.
#include <arrow/scalar.h>

#include <map>

#include "base/text.h"
#include "column/time_types.h"
#include "column/timestamp_meaning.h"
#include "functions/coerce.h"
#include "functions/lowering.h"
#include "plan/char_comparison.h"
#include "plan/expressions.h"
#include "plan/literal.h"
#include "plan/subquery.h"
#include "plan/text.h"
#include "plan/tree.h"
#include "spark/connect/expressions.pb.h"
#include "sql/parser.h"

namespace millstream::plan {

namespace sc = spark::connect;
using column::TypeKind;
using column::TypePtr;

namespace {

functions::Argument argument_of(const Expr& e) {
  functions::Argument argument;
  argument.type = e.type;
  argument.nullable = e.nullable;
  if (e.kind == ExprKind::literal) argument.literal = e.value;
  argument.sql = e.pretty;
  return argument;
}

std::string list_of(const std::vector<ExprPtr>& exprs, std::size_t from) {
  std::string out;
  for (std::size_t i = from; i < exprs.size(); ++i) {
    if (i > from) out += ", ";
    out += exprs[i]->pretty;
  }
  return out;
}

std::string types_of(const std::vector<ExprPtr>& exprs) {
  std::vector<std::string> out;
  for (const auto& e : exprs) out.push_back(sql_type(e->type));
  return "[" + join(out, ", ") + "]";
}

bool has_aggregate(const Expr& expr) {
  bool found = false;
  visit(expr, [&](const Expr& e) {
    if (e.kind == ExprKind::window) return false;
    found = found || e.kind == ExprKind::aggregate;
    return !found;
  });
  return found;
}

const Expr* first_of(const Expr& expr, ExprKind kind) {
  const Expr* found = nullptr;
  visit(expr, [&](const Expr& e) {
    if (found == nullptr && e.kind == kind) found = &e;
    return found == nullptr;
  });
  return found;
}

// The common type of all, nothing when there is none: members of structs of other names go together
// only where their types are the same.
TypePtr common_type(const std::vector<ExprPtr>& exprs, bool ansi) {
  TypePtr common;
  const auto agrees = [&](const ExprPtr& e) {
    return functions::names_agree(*exprs[0]->type, *e->type) ||
           functions::same_but_for_names(exprs[0]->type, e->type);
  };
  if (!std::ranges::all_of(exprs, agrees)) return nullptr;
  if (!ansi) {
    std::vector<TypePtr> types;
    for (const auto& e : exprs) types.push_back(e->type);
    return functions::wider_type(types, ansi);
  }
  for (const auto& e : exprs) {
    common = common == nullptr ? e->type : functions::wider_type(common, e->type, ansi);
    if (common == nullptr) return nullptr;
  }
  return common;
}

bool is_true(const Expr& e) {
  return e.kind == ExprKind::literal && e.type->kind() == TypeKind::boolean && e.value->is_valid &&
         static_cast<const arrow::BooleanScalar&>(*e.value).value;
}

// A constant text that is shown as the call which it answers.
Result<ExprPtr> named_text(const std::string& value, const std::string& pretty) {
  auto out = std::make_shared<Expr>(*string_literal(value));
  out->pretty = pretty;
  return ExprPtr(out);
}

// The options of from_json and kin, map('mode', 'FAILFAST'), as one constant: name and value behind
// unit separators, pairs between record separators.
std::optional<ExprPtr> options_text(const ExprPtr& map) {
  if (map->kind != ExprKind::call || (map->name != "map" && map->name != "map_last_win"))
    return std::nullopt;
  std::string text;
  for (std::size_t i = 0; i < map->children.size(); ++i) {
    const Expr* child = map->children[i].get();
    if (child->kind != ExprKind::literal || !child->type->is_string() || !child->value->is_valid)
      return std::nullopt;
    text += child->value->ToString() + (i % 2 == 0 ? '\x1f' : '\x1e');
  }
  return string_literal(text);
}

Status window_in_aggregate() {
  ErrorInfo info;
  info.kind = ErrorKind::analysis;
  info.condition = "_LEGACY_ERROR_TEMP_1031";
  info.message =
      "It is not allowed to use a window function inside an aggregate function. Please use the "
      "inner window function in a sub-query.";
  return Status(std::move(info));
}

bool is_utc(const std::string& zone) {
  return zone == "UTC" || zone == "Z" || zone == "Etc/UTC" || zone == "GMT" || zone == "+00:00";
}

// A bucket's size and origin must not depend on the row.
Status check_bucket(const functions::Call& call, const std::vector<ExprPtr>& arguments) {
  for (const std::size_t i : {std::size_t{0}, std::size_t{2}}) {
    if (i >= arguments.size()) break;
    bool constant = true;
    visit(*arguments[i], [&](const Expr& e) {
      constant = constant && (e.kind == ExprKind::literal || e.kind == ExprKind::cast ||
                              (e.kind == ExprKind::call && e.deterministic));
      return constant;
    });
    if (constant) continue;
    return Status::error("DATATYPE_MISMATCH.NON_FOLDABLE_INPUT",
                         {{"sqlExpr", sql_expr(call.pretty)},
                          {"inputName", i == 0 ? "`bucketSize`" : "`origin`"},
                          {"inputType", sql_type(arguments[i]->type)},
                          {"inputExpr", sql_expr(arguments[i]->pretty)}});
  }
  return Status::OK();
}

}  // namespace

Status check_parts(const Expr& expr) {
  constexpr int parts_max = 100'000;
  int parts = 0;
  visit(expr, [&](const Expr&) { return ++parts <= parts_max; });
  return parts <= parts_max ? Status::OK() : Status::error("FAILED_TO_PARSE_TOO_COMPLEX");
}

Result<ExprPtr> ExpressionAnalyzer::function(const sc::Expression_UnresolvedFunction& proto) {
  if (proto.is_user_defined_function()) {
    return Status::unsupported("user-defined functions are not supported: {}",
                               proto.function_name());
  }
  std::string name = proto.function_name();
  if (name == "ms_within_group") return within_group(proto);
  if (scope_.subqueries() != nullptr && !functions::exists(name)) {
    const auto written = scope_.subqueries()->sql_function(name);
    if (written != nullptr) return sql_call(*written, proto);
  }
  if (is_higher_order(proto)) return higher_order(proto);
  for (const auto& argument : proto.arguments()) {
    if (!argument.has_named_argument_expression()) continue;
    TRY_ASSIGN(const auto placed_arguments, by_position(proto));
    return function(placed_arguments);
  }
  if (name.find('.') != std::string::npos || name.starts_with('`')) {
    TRY_ASSIGN(auto parts, sql::parse_identifier(name));
    name = parts.back();
    const std::string around = to_lower(join({parts.begin(), parts.end() - 1}, "."));
    const bool known = around.empty() || around == "builtin" || around == "system.builtin";
    const bool of_session = around == "session" || around == "system.session";
    if (of_session && scope_.subqueries() != nullptr) {
      const auto written = scope_.subqueries()->sql_function(name);
      if (written != nullptr) return sql_call(*written, proto);
    }
    if (!known) {
      return Status::error(
          "UNRESOLVED_ROUTINE",
          {{"routineName", sql_id(parts)},
           {"searchPath", "[`system`.`builtin`, `system`.`session`, `spark_catalog`." +
                              sql_id(settings_.database) + "]"}});
    }
  }
  std::vector<ExprPtr> arguments;
  const bool count = equals_ignore_case(name, "count");
  if (count && proto.arguments_size() == 1 &&
      proto.arguments(0).unresolved_star().has_unparsed_target()) {
    std::string target = proto.arguments(0).unresolved_star().unparsed_target();
    if (target.ends_with(".*")) target.resize(target.size() - 2);
    TRY_ASSIGN(const auto parts, sql::parse_identifier(target));
    return Status::error("INVALID_USAGE_OF_STAR_WITH_TABLE_IDENTIFIER_IN_COUNT",
                         {{"tableName", sql_id(parts)}});
  }
  for (const auto& argument : proto.arguments()) {
    const bool star = argument.has_unresolved_star()
                          ? !argument.unresolved_star().has_unparsed_target()
                          : argument.has_expression_string() &&
                                trim(argument.expression_string().expression()) == "*";
    if (count && !proto.is_distinct() && proto.arguments_size() == 1 && star) {
      arguments.push_back(int_literal(1));
      continue;
    }
    TRY_ASSIGN(auto expanded, expand(argument));
    arguments.insert(arguments.end(), expanded.begin(), expanded.end());
  }
  return named_function(name, std::move(arguments), proto.is_distinct());
}

Result<ExprPtr> ExpressionAnalyzer::named_function(const std::string& name,
                                                   std::vector<ExprPtr> arguments, bool distinct) {
  TRY_ASSIGN(auto special, special_function(to_lower(name), name, arguments));
  if (special) return *special;
  for (ExprPtr& argument : arguments) argument = strip_alias(argument);
  return call(name, std::move(arguments), distinct);
}

// Some functions want to know the value of an argument: any constant will do.
Status ExpressionAnalyzer::fold_argument(const std::string& name, std::vector<ExprPtr>& arguments) {
  static const std::map<std::string, std::size_t> places = {
      {"schema_of_json", 0}, {"schema_of_csv", 0}, {"schema_of_xml", 0},
      {"from_json", 1},      {"from_csv", 1},      {"from_xml", 1}};
  const auto found = places.find(to_lower(name));
  if (found == places.end() || found->second >= arguments.size()) return Status::OK();
  ExprPtr& argument = arguments[found->second];
  if (argument->kind == ExprKind::literal || !is_foldable(*argument)) return Status::OK();
  if (scope_.subqueries() == nullptr) return Status::OK();
  TRY_ASSIGN(argument, scope_.subqueries()->constant_value(argument));
  return Status::OK();
}

Result<ExprPtr> ExpressionAnalyzer::call(const std::string& name, std::vector<ExprPtr> arguments,
                                         bool distinct) {
  TRY(fold_argument(name, arguments));
  std::vector<functions::Argument> given;
  bool generators = false;
  for (const auto& argument : arguments) {
    given.push_back(argument_of(*argument));
    if (argument->kind != ExprKind::generator) continue;
    generators = true;
    given.back().type = argument->type->fields()[0].type;
  }
  if (generators) {
    const auto probe = functions::resolve(name, given, distinct, settings_.functions);
    const std::string pretty =
        probe.ok() ? probe->pretty : name + "(" + list_of(arguments, 0) + ")";
    return Status::error("UNSUPPORTED_GENERATOR.NESTED_IN_EXPRESSIONS",
                         {{"expression", sql_expr(pretty)}});
  }
  TRY_ASSIGN(functions::Call resolved,
             functions::resolve(name, given, distinct, settings_.functions));
  if (resolved.name.starts_with("time_bucket")) TRY(check_bucket(resolved, arguments));
  if (resolved.name == "listagg" && arguments.size() > 1 && !is_foldable(*arguments[1]))
    return Status::error("DATATYPE_MISMATCH.NON_FOLDABLE_INPUT",
                         {{"sqlExpr", sql_expr(resolved.pretty)},
                          {"inputName", "`delimiter`"},
                          {"inputType", sql_type(resolved.argument_types[1])},
                          {"inputExpr", sql_expr(arguments[1]->pretty)}});
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (i < resolved.argument_types.size()) {
      ExprPtr converted = implicit_cast(arguments[i], resolved.argument_types[i], ansi());
      if (converted != arguments[i]) TRY(column::check_time_types(*converted->type));
      if (converted != arguments[i] && converted->kind == ExprKind::cast && at_ != nullptr) {
        // What is cast for a call fails at the call's place.
        auto placed_cast = std::make_shared<Expr>(*converted);
        placed_cast->origin = origin();
        converted = placed_cast;
      }
      arguments[i] = std::move(converted);
    }
  }
  fill_up_chars(resolved.name, arguments);
  for (const auto& added : resolved.added_arguments) {
    TRY_ASSIGN(TypePtr type, column::from_arrow(*added->type));
    arguments.push_back(literal_of(added, type));
  }
  // schema_of_json and kin are constants, also for a from_json around them.
  if (resolved.name.starts_with("schema_of_") && resolved.added_arguments.size() == 1)
    return named_text(resolved.added_arguments[0]->ToString(), resolved.pretty);
  if (distinct && resolved.kind != functions::FunctionKind::aggregate) {
    return Status::error("INVALID_SQL_SYNTAX.FUNCTION_WITH_UNSUPPORTED_SYNTAX",
                         {{"prettyName", sql_id(name)}, {"syntax", "DISTINCT"}});
  }
  auto out = std::make_shared<Expr>();
  out->kind = ExprKind::call;
  out->name = resolved.name;
  out->pretty = resolved.pretty;
  out->type = resolved.type;
  out->nullable = resolved.nullable;
  out->deterministic = resolved.deterministic;
  out->ansi = ansi();
  // A long chain of them would hold the text of each of its parts; they raise nothing themselves.
  if (out->name != "and" && out->name != "or") out->origin = origin();
  out->children = std::move(arguments);
  switch (resolved.kind) {
    case functions::FunctionKind::scalar:
      break;
    case functions::FunctionKind::aggregate:
      out->kind = ExprKind::aggregate;
      out->distinct = distinct;
      for (const auto& child : out->children) {
        // sum(sum(x)) OVER (…) is a window function over an aggregate.
        if (!in_window_ && has_aggregate(*child)) return Status::error("NESTED_AGGREGATE_FUNCTION");
        if (!in_window_ && contains(*child, ExprKind::window)) return window_in_aggregate();
      }
      break;
    case functions::FunctionKind::window:
      if (!in_window_) {
        return Status::error("WINDOW_FUNCTION_WITHOUT_OVER_CLAUSE",
                             {{"funcName", sql_expr(resolved.pretty)}});
      }
      // A mark for window(), which takes it off again.
      out->window = std::make_shared<const WindowSpec>();
      break;
    case functions::FunctionKind::generator:
      out->kind = ExprKind::generator;
      out->type = column::struct_type(resolved.generated);
      out->outer = to_lower(name).ends_with("_outer");
      break;
  }
  return ExprPtr(out);
}

namespace {

bool is_day_time(const ExprPtr& e) { return e->type->kind() == TypeKind::day_time_interval; }

// A text moved by days and less: a time, which is a text again.
Result<ExprPtr> moved_text(ExpressionAnalyzer& analyzer, const std::string& sign,
                           std::vector<ExprPtr> arguments, bool swapped) {
  ExprPtr& text = arguments[swapped ? 1 : 0];
  const TypePtr type = text->type;
  text = implicit_cast(text, column::timestamp_type(), analyzer.ansi());
  TRY_ASSIGN(ExprPtr moved, analyzer.call(sign, std::move(arguments)));
  return implicit_cast(moved, type, analyzer.ansi());
}

}  // namespace

Result<std::optional<ExprPtr>> ExpressionAnalyzer::special_function(
    const std::string& lower, const std::string& name, const std::vector<ExprPtr>& given) {
  const auto wrap = [](Result<ExprPtr> made) -> Result<std::optional<ExprPtr>> {
    if (!made.ok()) return made.status();
    return std::optional<ExprPtr>(std::move(made).value());
  };
  if (lower == "struct") return wrap(make_struct(name, given));
  std::vector<ExprPtr> arguments;
  for (const auto& argument : given) arguments.push_back(strip_alias(argument));
  if (functions::takes_options(lower) && arguments.size() > 1) {
    if (const auto text = options_text(arguments.back())) {
      arguments.back() = *text;
      return wrap(call(name, arguments));
    }
  }
  TRY_ASSIGN(auto lenient, without_ansi(lower, arguments));
  if (lenient) return lenient;
  if (lower == "when") return wrap(case_when(arguments));
  if (lower == "in" && !arguments.empty()) return wrap(in_list(arguments));
  if (lower == "between" && arguments.size() == 3) return wrap(between(arguments));
  if (lower == "-" && arguments.size() == 1) {
    // SQL's minus sign; the function negative() is named otherwise.
    return wrap(call("unary_minus", arguments));
  }
  if (lower == "nullif" && arguments.size() == 2) return wrap(null_if(arguments));
  if (lower == "window") return wrap(time_window(arguments));
  if (lower == "window_time" && arguments.size() == 1) return wrap(window_time(arguments[0]));
  if (arguments.empty() && lower.starts_with("input_file_")) return wrap(input_file(lower));
  if (arguments.size() == 1 && lower.starts_with("variant_explode")) {
    TRY_ASSIGN(const ExprPtr entries, call("ms_variant_entries", arguments));
    return wrap(call(lower.ends_with("_outer") ? "inline_outer" : "inline", {entries}));
  }
  if (lower == "session_window") return wrap(session_window(arguments));
  if (arguments.empty() && (lower == "current_database" || lower == "current_schema")) {
    return wrap(named_text(settings_.database, "current_schema()"));
  }
  if (arguments.empty() && lower == "current_catalog") {
    return wrap(named_text("spark_catalog", "current_catalog()"));
  }
  if (lower == "percentile_cont" || lower == "percentile_disc") {
    return Status::error("INVALID_WITHIN_GROUP_EXPRESSION.WITHIN_GROUP_MISSING",
                         {{"funcName", sql_id(lower)}});
  }
  if (lower == "distributed_sequence_id" && arguments.empty()) return wrap(sequence_id());
  if (lower == "stack") return wrap(stack(arguments));
  if (lower == "grouping" || lower == "grouping_id") return wrap(grouping(lower, arguments));
  if (arguments.empty() &&
      (lower == "current_user" || lower == "user" || lower == "session_user")) {
    return wrap(named_text(settings_.user, lower + "()"));
  }
  // LIKE ANY and kin of constants: what the parser made of them, and the value that names it.
  if (lower.starts_with("ms_like_") && arguments.size() == 2) {
    auto out = std::make_shared<Expr>(*arguments[0]);
    out->pretty = lower.substr(8) + "(" + arguments[1]->pretty + ")";
    out->nullable = true;
    return std::optional<ExprPtr>(out);
  }
  if ((lower == "+" || lower == "-") && arguments.size() == 2) {
    const bool swapped = lower == "+" && is_day_time(arguments[0]);
    const ExprPtr& text = arguments[swapped ? 1 : 0];
    if (text->type->is_string() && is_day_time(arguments[swapped ? 0 : 1]))
      return wrap(moved_text(*this, lower, arguments, swapped));
  }
  const bool random = lower == "rand" || lower == "random" || lower == "randn";
  if (random && arguments.size() == 1 && contains(*arguments[0], ExprKind::attribute)) {
    const std::string seeded = (lower == "randn" ? "randn(" : "rand(") + arguments[0]->pretty + ")";
    return Status::error(
        "SEED_EXPRESSION_IS_UNFOLDABLE",
        {{"seedExpr", sql_expr(arguments[0]->pretty)}, {"exprWithSeed", sql_expr(seeded)}});
  }
  if (lower == "ms_variant_path") return wrap(variant_path(arguments));
  if (lower == "ms_row") return wrap(call("named_struct", arguments));
  if (lower == "ms_filter" && arguments.size() == 2) return wrap(aggregate_filter(arguments));
  if (lower == "ms_local_timestamp" && arguments.size() == 2) {
    return wrap(local_timestamp(arguments[0], arguments[1]->pretty == "true"));
  }
  return std::optional<ExprPtr>();
}

namespace {

// The last name of a path: b of $.a.b[0].
std::string last_name(const std::string& path) {
  std::string name;
  for (std::size_t at = path.size(); at > 1; --at) {
    const char c = path[at - 1];
    if (c == '.' && !name.empty()) break;
    if (c == '[') {
      name.clear();
    } else {
      name.insert(name.begin(), c);
    }
  }
  return name;
}

}  // namespace

// v:a.b
Result<ExprPtr> ExpressionAnalyzer::variant_path(const std::vector<ExprPtr>& arguments) {
  if (arguments[0]->type->kind() == column::TypeKind::variant) {
    TRY_ASSIGN(const ExprPtr member, call("variant_get", arguments));
    return make_alias(member, last_name(arguments[1]->pretty), next_attribute_id());
  }
  return Status::unsupported("a path of what is no variant is not supported");
}

// input_file_name() and kin: what the file's hidden column says, where rows come from files.
Result<ExprPtr> ExpressionAnalyzer::input_file(const std::string& name) {
  const bool path = name == "input_file_name";
  const std::string field = path                               ? "file_path"
                            : name == "input_file_block_start" ? "file_block_start"
                                                               : "file_block_length";
  const auto found = scope_.resolve({"_metadata", field});
  const ExprPtr none =
      path ? string_literal("")
           : make_literal(std::make_shared<arrow::Int64Scalar>(-1), column::long_type(), "-1");
  ExprPtr value = none;
  if (found.ok()) {
    value = strip_alias(*found);
    if (path) {
      TRY_ASSIGN(value, call("ms_input_file_name", {value}));
    }
  }
  auto out = std::make_shared<Expr>(*value);
  out->pretty = name + "()";
  out->nullable = false;
  return make_alias(out, out->pretty, next_attribute_id());
}

// The place of each row, from 0.
Result<ExprPtr> ExpressionAnalyzer::sequence_id() {
  auto number = std::make_shared<Expr>();
  number->kind = ExprKind::call;
  number->name = "row_number";
  number->pretty = "row_number()";
  number->type = column::int_type();
  number->nullable = false;
  auto spec = std::make_shared<WindowSpec>();
  spec->rows = true;
  auto over = std::make_shared<Expr>();
  over->kind = ExprKind::window;
  over->type = number->type;
  over->nullable = false;
  over->children = {number};
  over->window = std::move(spec);
  TRY_ASSIGN(const ExprPtr place, cast(over, column::long_type(), ansi(), false));
  TRY_ASSIGN(ExprPtr from_zero, call("-", {place, int_literal(1)}));
  auto out = std::make_shared<Expr>(*from_zero);
  out->pretty = "distributed_sequence_id()";
  return ExprPtr(out);
}

Result<ExprPtr> ExpressionAnalyzer::case_when(const std::vector<ExprPtr>& arguments) {
  if (arguments.size() < 2) {
    return Status::error("WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
                         {{"functionName", "`when`"},
                          {"expectedNum", "> 1"},
                          {"actualNum", std::to_string(arguments.size())},
                          {"docroot", "https://spark.apache.org/docs/latest"}});
  }
  std::string pretty = "CASE";
  std::vector<ExprPtr> values;
  const std::size_t pairs = arguments.size() / 2;
  for (std::size_t i = 0; i < pairs; ++i) {
    pretty += " WHEN " + arguments[2 * i]->pretty + " THEN " + arguments[2 * i + 1]->pretty;
    values.push_back(arguments[2 * i + 1]);
  }
  const bool has_else = arguments.size() % 2 == 1;
  if (has_else) {
    pretty += " ELSE " + arguments.back()->pretty;
    values.push_back(arguments.back());
  }
  pretty += " END";
  const TypePtr type = common_type(values, ansi());
  const bool agree = type != nullptr && std::ranges::all_of(values, [&](const ExprPtr& value) {
                       return functions::names_agree(*value->type, *type);
                     });
  if (!agree) {
    return Status::error("DATATYPE_MISMATCH.DATA_DIFF_TYPES", {{"sqlExpr", sql_expr(pretty)},
                                                               {"functionName", "`casewhen`"},
                                                               {"dataType", types_of(values)}});
  }
  auto out = std::make_shared<Expr>();
  out->kind = ExprKind::case_when;
  out->type = type;
  out->pretty = pretty;
  out->origin = origin();
  bool value_nullable = false;
  bool decided = false;  // what comes behind a condition that is true has no say
  for (std::size_t i = 0; i < pairs; ++i) {
    const ExprPtr& condition = arguments[2 * i];
    const TypeKind kind = condition->type->kind();
    if (kind != TypeKind::boolean) {
      return Status::error("DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
                           {{"sqlExpr", sql_expr(pretty)},
                            {"paramIndex", ordinal_word(2 * i + 1)},
                            {"requiredType", "\"BOOLEAN\""},
                            {"inputSql", sql_expr(condition->pretty)},
                            {"inputType", sql_type(condition->type)}});
    }
    out->children.push_back(implicit_cast(condition, column::boolean_type(), ansi()));
    out->children.push_back(implicit_cast(arguments[2 * i + 1], type, ansi()));
    if (!decided) value_nullable = value_nullable || out->children.back()->nullable;
    decided = decided || is_true(*condition);
  }
  if (has_else) {
    out->children.push_back(implicit_cast(arguments.back(), type, ansi()));
    if (!decided) value_nullable = value_nullable || out->children.back()->nullable;
  }
  out->nullable = value_nullable || (!has_else && !decided);
  return ExprPtr(out);
}

Result<ExprPtr> ExpressionAnalyzer::in_list(const std::vector<ExprPtr>& arguments) {
  const std::string pretty = "(" + arguments[0]->pretty + " IN (" + list_of(arguments, 1) + "))";
  const TypePtr type = common_type(arguments, ansi());
  if (type == nullptr) {
    return Status::error("DATATYPE_MISMATCH.DATA_DIFF_TYPES", {{"sqlExpr", sql_expr(pretty)},
                                                               {"functionName", "`in`"},
                                                               {"dataType", types_of(arguments)}});
  }
  auto out = std::make_shared<Expr>();
  out->kind = ExprKind::in_list;
  out->type = column::boolean_type();
  out->nullable = false;
  out->pretty = pretty;
  out->origin = origin();
  for (const auto& argument : arguments) {
    out->children.push_back(implicit_cast(argument, type, ansi()));
    out->nullable = out->nullable || out->children.back()->nullable;
  }
  fill_up_chars("in", out->children);
  return ExprPtr(out);
}

Result<ExprPtr> ExpressionAnalyzer::between(const std::vector<ExprPtr>& arguments) {
  TRY_ASSIGN(ExprPtr low, call(">=", {arguments[0], arguments[1]}));
  TRY_ASSIGN(ExprPtr high, call("<=", {arguments[0], arguments[2]}));
  std::shared_ptr<Expr> out;
  if (low->children[0] == high->children[0] && !low->children[0]->type->is_nested()) {
    // Compared as the same with both bounds, the value is written once.
    out = std::make_shared<Expr>(*low);
    out->name = "between";
    out->children.push_back(high->children[1]);
    out->nullable = low->nullable || high->nullable;
  } else {
    TRY_ASSIGN(ExprPtr both, call("and", {low, high}));
    TRY(check_parts(*both));
    out = std::make_shared<Expr>(*both);
  }
  out->pretty = "between(" + list_of(arguments, 0) + ")";
  return ExprPtr(out);
}

// nullif(a, b) keeps the type of a, whatever both are compared as.
Result<ExprPtr> ExpressionAnalyzer::null_if(const std::vector<ExprPtr>& arguments) {
  TRY_ASSIGN(ExprPtr same, call("=", {arguments[0], arguments[1]}));
  TRY_ASSIGN(ExprPtr chosen, call("if", {same, null_literal(arguments[0]->type), arguments[0]}));
  auto out = std::make_shared<Expr>(*chosen);
  if (same->children[0] == arguments[0]) {  // written once
    out->name = "nullif";
    out->children = same->children;
  } else {
    TRY(check_parts(*out));
  }
  out->pretty = "nullif(" + list_of(arguments, 0) + ")";
  return ExprPtr(out);
}

// struct(a, b AS c, d + 1): members a, c and col3.
Result<ExprPtr> ExpressionAnalyzer::make_struct(const std::string& name,
                                                const std::vector<ExprPtr>& arguments) {
  std::vector<ExprPtr> pairs;
  std::string pretty = to_lower(name) + "(";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const ExprPtr& argument = arguments[i];
    const ExprPtr value = strip_alias(argument);
    std::string member = fmt::format("col{}", i + 1);
    std::string text = value->pretty;
    if (argument->kind == ExprKind::alias) {
      member = argument->name;
      // A struct's member that is taken by its dotted name carries an alias that nobody wrote.
      const bool written = value->kind != ExprKind::get_field || value->name != member;
      if (written) text += " AS " + member;
    } else if (value->kind == ExprKind::attribute || value->kind == ExprKind::get_field ||
               value->kind == ExprKind::lambda_variable) {
      member = value->name;
    }
    pretty += (i == 0 ? "" : ", ") + text;
    pairs.push_back(string_literal(member));
    pairs.push_back(value);
  }
  TRY_ASSIGN(ExprPtr made, call("named_struct", std::move(pairs)));
  auto out = std::make_shared<Expr>(*made);
  out->pretty = pretty + ")";
  return ExprPtr(out);
}

// TIMESTAMP '2024-01-01 00:00:00' without zone: the parser gives its wall-clock micros. `has_zone`:
// it says TIMESTAMP_LTZ.
Result<ExprPtr> ExpressionAnalyzer::local_timestamp(const ExprPtr& micros, bool has_zone) {
  const auto value = constant_integer(*micros);
  if (!value) return Status::internal("ms_local_timestamp wants a constant");
  if (!has_zone && column::timestamps_are_ntz()) {
    return make_literal(std::make_shared<arrow::TimestampScalar>(
                            *value, column::to_arrow(column::timestamp_ntz_type())),
                        column::timestamp_ntz_type(),
                        fmt::format("TIMESTAMP_NTZ '{}'", format_timestamp_utc(*value)));
  }
  const std::string pretty = fmt::format("TIMESTAMP '{}'", format_timestamp_utc(*value));
  if (is_utc(settings_.functions.time_zone)) {
    return make_literal(std::make_shared<arrow::TimestampScalar>(
                            *value, column::to_arrow(column::timestamp_type())),
                        column::timestamp_type(), pretty);
  }
  ExprPtr wall = make_literal(std::make_shared<arrow::TimestampScalar>(
                                  *value, column::to_arrow(column::timestamp_ntz_type())),
                              column::timestamp_ntz_type(), pretty);
  return make_cast(wall, column::timestamp_type(), true);
}

// agg(x) FILTER (WHERE c), as the parser writes it.
Result<ExprPtr> ExpressionAnalyzer::aggregate_filter(const std::vector<ExprPtr>& arguments) {
  const ExprPtr& aggregate = arguments[0];
  const ExprPtr& filter = arguments[1];
  if (aggregate->kind != ExprKind::aggregate) {
    return Status::error("INVALID_SQL_SYNTAX.FUNCTION_WITH_UNSUPPORTED_SYNTAX",
                         {{"prettyName", sql_id(aggregate->name)}, {"syntax", "FILTER CLAUSE"}});
  }
  ErrorParameters parameters{{"filterExpr", sql_expr(filter->pretty)}};
  if (!is_deterministic(*filter)) {
    return Status::error("INVALID_AGGREGATE_FILTER.NON_DETERMINISTIC", parameters);
  }
  if (filter->type->kind() != TypeKind::boolean) {
    return Status::error("INVALID_AGGREGATE_FILTER.NOT_BOOLEAN", parameters);
  }
  // Spark looks for aggregates first, that of a window function among them.
  if (const Expr* inner = first_of(*filter, ExprKind::aggregate)) {
    parameters.emplace("aggExpr", sql_expr(inner->pretty));
    return Status::error("INVALID_AGGREGATE_FILTER.CONTAINS_AGGREGATE", parameters);
  }
  if (const Expr* over = first_of(*filter, ExprKind::window)) {
    parameters.emplace("windowExpr", sql_expr(over->pretty));
    return Status::error("INVALID_AGGREGATE_FILTER.CONTAINS_WINDOW_FUNCTION", parameters);
  }
  auto out = std::make_shared<Expr>(*aggregate);
  out->filter = filter;
  out->pretty += " FILTER (WHERE " + filter->pretty + ")";
  return ExprPtr(out);
}

}  // namespace millstream::plan
