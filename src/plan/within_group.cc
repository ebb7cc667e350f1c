// f(…) WITHIN GROUP (ORDER BY …), grouping() and grouping_id(), stack(): calls that say more than
// their arguments.
#include <arrow/scalar.h>

#include "base/text.h"
#include "plan/expressions.h"
#include "plan/literal.h"
#include "plan/text.h"
#include "spark/connect/expressions.pb.h"

namespace millstream::plan {

namespace sc = spark::connect;
using column::TypeKind;

namespace {

std::string key_text(const SortKey& key) {
  return key.expr->pretty + (key.ascending ? " ASC" : " DESC") +
         (key.nulls_first ? " NULLS FIRST" : " NULLS LAST");
}

Status no_within_group(const std::string& condition, const std::string& function,
                       ErrorParameters parameters = {}) {
  parameters["funcName"] = sql_id(function);
  return Status::error("INVALID_WITHIN_GROUP_EXPRESSION." + condition, std::move(parameters));
}

}  // namespace

// percentile_cont(p) and percentile_disc(p): of the ordering's values.
Result<ExprPtr> ExpressionAnalyzer::ordered_percentile(const std::string& name,
                                                       const ExprPtr& percentage,
                                                       const SortKey& key) {
  ExprPtr share = percentage;
  const bool continuous = name == "percentile_cont";
  if (!key.ascending && continuous) {
    TRY_ASSIGN(share, call("-", {int_literal(1), percentage}));
    auto named = std::make_shared<Expr>(*share);
    named->pretty = percentage->pretty;
    share = named;
  }
  TRY_ASSIGN(ExprPtr made, call("percentile", {key.expr, share}));
  auto out = std::make_shared<Expr>(*made);
  out->pretty = fmt::format("{}({}) WITHIN GROUP (ORDER BY {}{})", name, percentage->pretty,
                            key.expr->pretty, key.ascending ? "" : " DESC");
  if (continuous) return ExprPtr(out);
  out->name = "percentile_disc";
  auto order = std::make_shared<WindowSpec>();
  order->order = {key};
  out->window = std::move(order);
  return ExprPtr(out);
}

// ms_within_group(call, key …), as the parser writes it.
Result<ExprPtr> ExpressionAnalyzer::within_group(const sc::Expression_UnresolvedFunction& proto) {
  const auto& inner = proto.arguments(0).unresolved_function();
  std::string name = to_lower(inner.function_name());
  if (name == "string_agg") name = "listagg";
  std::vector<SortKey> keys;
  for (int i = 1; i < proto.arguments_size(); ++i) {
    TRY_ASSIGN(SortKey key, sort_key(proto.arguments(i).sort_order()));
    keys.push_back(std::move(key));
  }
  const bool percentile = name == "percentile_cont" || name == "percentile_disc";
  if (percentile) {
    if (inner.is_distinct()) return no_within_group("DISTINCT_UNSUPPORTED", name);
    if (keys.size() != 1) {
      return no_within_group("WRONG_NUM_ORDERINGS", name,
                             {{"expectedNum", "1"}, {"actualNum", std::to_string(keys.size())}});
    }
    if (inner.arguments_size() != 1) {
      return Status::unsupported("{} of {} arguments is not supported", name,
                                 inner.arguments_size());
    }
    TRY_ASSIGN(ExprPtr percentage, resolve(inner.arguments(0)));
    return ordered_percentile(name, strip_alias(percentage), keys[0]);
  }
  if (name == "mode") {
    if (inner.is_distinct()) return no_within_group("DISTINCT_UNSUPPORTED", name);
    if (keys.size() != 1 || inner.arguments_size() != 0 || !keys[0].ascending) {
      return Status::unsupported("mode() WITHIN GROUP by other than one ascending key");
    }
    const ExprPtr lowest =
        make_literal(std::make_shared<arrow::BooleanScalar>(true), column::boolean_type(), "true");
    TRY_ASSIGN(ExprPtr made, call("mode", {keys[0].expr, lowest}));
    auto out = std::make_shared<Expr>(*made);
    // Spark writes an ascending order this way.
    out->pretty = fmt::format("mode() WITHIN GROUP (ORDER BY {} DESC)", keys[0].expr->pretty);
    return ExprPtr(out);
  }
  if (name != "listagg") {
    if (!functions::exists(name)) return function(inner);  // UNRESOLVED_ROUTINE
    return Status::error("INVALID_SQL_SYNTAX.FUNCTION_WITH_UNSUPPORTED_SYNTAX",
                         {{"prettyName", sql_id(name)}, {"syntax", "WITHIN GROUP (ORDER BY ...)"}});
  }
  TRY_ASSIGN(ExprPtr made, function(inner));
  auto out = std::make_shared<Expr>(*made);
  std::vector<std::string> texts;
  for (const SortKey& key : keys) texts.push_back(key_text(key));
  if (out->distinct && (keys.size() != 1 || keys[0].expr->pretty != out->children[0]->pretty)) {
    return no_within_group("MISMATCH_WITH_DISTINCT_INPUT", name,
                           {{"funcArg", sql_expr(out->children[0]->pretty)},
                            {"orderingExpr", sql_expr(keys[0].expr->pretty)}});
  }
  if (out->pretty.starts_with("string_agg(")) out->pretty.replace(0, 10, "listagg");
  out->pretty += " WITHIN GROUP (ORDER BY " + join(texts, ", ") + ")";
  auto order = std::make_shared<WindowSpec>();
  order->order = std::move(keys);
  out->window = std::move(order);
  return ExprPtr(out);
}

// grouping(key): whether the set of the group leaves the key out; grouping_id(…): a bit for each
// key.
Result<ExprPtr> ExpressionAnalyzer::grouping(const std::string& name,
                                             const std::vector<ExprPtr>& arguments) {
  if (name == "grouping" && arguments.size() != 1) {
    return Status::error("WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
                         {{"functionName", "`grouping`"},
                          {"expectedNum", "1"},
                          {"actualNum", std::to_string(arguments.size())},
                          {"docroot", "https://spark.apache.org/docs/latest"}});
  }
  auto out = std::make_shared<Expr>();
  out->kind = ExprKind::aggregate;
  out->name = name;
  out->type = name == "grouping" ? column::byte_type() : column::long_type();
  out->nullable = false;
  std::vector<std::string> texts;
  for (const ExprPtr& argument : arguments) texts.push_back(argument->pretty);
  out->pretty = name + "(" + join(texts, ", ") + ")";
  out->children = arguments;
  out->origin = origin();
  return ExprPtr(out);
}

// stack(2, a, b, c, d): rows (a, b) and (c, d), as inline makes them of an array.
Result<ExprPtr> ExpressionAnalyzer::stack(const std::vector<ExprPtr>& arguments) {
  if (arguments.size() < 2) {
    return Status::error("WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
                         {{"functionName", "`stack`"},
                          {"expectedNum", "> 1"},
                          {"actualNum", std::to_string(arguments.size())},
                          {"docroot", "https://spark.apache.org/docs/latest"}});
  }
  std::vector<std::string> texts;
  for (const ExprPtr& argument : arguments) texts.push_back(argument->pretty);
  const std::string pretty = "stack(" + join(texts, ", ") + ")";
  const auto rows = constant_integer(*arguments[0]);
  if (!rows) {
    return Status::error("DATATYPE_MISMATCH.NON_FOLDABLE_INPUT",
                         {{"sqlExpr", sql_expr(pretty)},
                          {"inputName", "`n`"},
                          {"inputType", "\"INT\""},
                          {"inputExpr", sql_expr(arguments[0]->pretty)}});
  }
  if (*rows < 1 || *rows > INT32_MAX) {
    return Status::error("DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
                         {{"sqlExpr", sql_expr(pretty)},
                          {"exprName", "`n`"},
                          {"valueRange", "(0, 2147483647]"},
                          {"currentValue", std::to_string(*rows)}});
  }
  const auto values = static_cast<std::int64_t>(arguments.size()) - 1;
  const std::int64_t width = (values + *rows - 1) / *rows;
  const auto type_of = [&](std::int64_t c) {
    for (std::int64_t i = c; i < values; i += width) {
      const auto& type = arguments[static_cast<std::size_t>(i + 1)]->type;
      if (type->kind() != TypeKind::null) return type;
    }
    return column::null_type();
  };
  std::vector<ExprPtr> structs;
  column::Schema fields;
  for (std::int64_t c = 0; c < width; ++c) {
    fields.push_back({fmt::format("col{}", c), type_of(c), true, {}});
  }
  constexpr std::int64_t rows_max = 10'000;
  if (*rows > rows_max) return Status::unsupported("stack of more than {} rows", rows_max);
  for (std::int64_t r = 0; r < *rows; ++r) {
    std::vector<ExprPtr> members;
    for (std::int64_t c = 0; c < width; ++c) {
      const auto i = static_cast<std::size_t>(r * width + c + 1);
      const auto& field = fields[static_cast<std::size_t>(c)];
      members.push_back(string_literal(field.name));
      if (i >= arguments.size() || arguments[i]->type->kind() == TypeKind::null) {
        members.push_back(null_literal(field.type));
        continue;
      }
      if (!column::same_type_ignoring_nullability(arguments[i]->type, field.type)) {
        return Status::error("DATATYPE_MISMATCH.STACK_COLUMN_DIFF_TYPES",
                             {{"sqlExpr", sql_expr(pretty)},
                              {"columnIndex", std::to_string(c)},
                              {"leftParamIndex", std::to_string(c + 1)},
                              {"leftType", sql_type(field.type)},
                              {"rightParamIndex", std::to_string(i)},
                              {"rightType", sql_type(arguments[i]->type)}});
      }
      members.push_back(arguments[i]);
    }
    TRY_ASSIGN(ExprPtr row, call("named_struct", std::move(members)));
    structs.push_back(std::move(row));
  }
  TRY_ASSIGN(ExprPtr array, call("array", std::move(structs)));
  TRY_ASSIGN(ExprPtr made, call("inline", {array}));
  auto out = std::make_shared<Expr>(*made);
  out->pretty = pretty;
  out->type = column::struct_type(fields);
  return ExprPtr(out);
}

}  // namespace millstream::plan
