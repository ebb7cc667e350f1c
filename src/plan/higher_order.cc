// Functions that take lambdas: transform, filter, exists, forall, aggregate, zip_with and those of
// maps.
#include <algorithm>

#include "base/text.h"
#include "plan/expressions.h"
#include "plan/literal.h"
#include "plan/text.h"
#include "spark/connect/expressions.pb.h"

namespace millstream::plan {

namespace sc = spark::connect;
using column::TypeKind;
using column::TypePtr;

namespace {

struct ParameterType {
  TypePtr type;
  bool nullable = true;
};

// The types of the lambda's parameters, by the function and its other arguments.
Result<std::vector<ParameterType>> parameter_types(const std::string& name,
                                                   const std::vector<ExprPtr>& inputs,
                                                   bool finish) {
  const auto wrong = [&](const ExprPtr& input, const char* required) {
    return Status::error("DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
                         {{"sqlExpr", sql_expr(name + "(" + input->pretty + ")")},
                          {"paramIndex", "first"},
                          {"requiredType", required},
                          {"inputSql", sql_expr(input->pretty)},
                          {"inputType", sql_type(input->type)}});
  };
  const ExprPtr& first = inputs[0];
  const bool of_map =
      name == "map_filter" || name == "transform_keys" || name == "transform_values";
  if (of_map) {
    if (first->type->kind() != TypeKind::map) return wrong(first, "\"MAP\"");
    return std::vector<ParameterType>{{first->type->key(), false},
                                      {first->type->value(), first->type->value_contains_null()}};
  }
  if (name == "map_zip_with") {
    if (first->type->kind() != TypeKind::map) return wrong(first, "\"MAP\"");
    if (inputs.size() < 2 || inputs[1]->type->kind() != TypeKind::map)
      return wrong(inputs.back(), "\"MAP\"");
    return std::vector<ParameterType>{{first->type->key(), false},
                                      {first->type->value(), true},
                                      {inputs[1]->type->value(), true}};
  }
  if (first->type->kind() != TypeKind::array) return wrong(first, "\"ARRAY\"");
  const ParameterType element{first->type->element(), first->type->contains_null()};
  if (name == "zip_with") {
    if (inputs.size() < 2) return wrong(first, "\"ARRAY\"");
    if (inputs[1]->type->kind() != TypeKind::array) return wrong(inputs[1], "\"ARRAY\"");
    return std::vector<ParameterType>{{element.type, true}, {inputs[1]->type->element(), true}};
  }
  if (name == "aggregate" || name == "reduce") {
    if (inputs.size() < 2) return wrong(first, "\"ARRAY\"");
    if (finish) return std::vector<ParameterType>{{inputs[1]->type, true}};
    return std::vector<ParameterType>{{inputs[1]->type, true}, element};
  }
  if (name == "array_sort") return std::vector<ParameterType>{element, element};
  return std::vector<ParameterType>{element, {column::int_type(), false}};
}

struct Shape {
  TypePtr type;
  bool nullable;
};

Result<Shape> shape_of(const std::string& name, const std::vector<ExprPtr>& arguments) {
  const ExprPtr& first = arguments[0];
  const ExprPtr& body = arguments.back()->children[0];
  const auto boolean_body = [&]() -> Status {
    if (body->type->kind() == TypeKind::boolean) return Status::OK();
    return Status::error("DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
                         {{"sqlExpr", sql_expr(fmt::format("{}({}, {})", name, first->pretty,
                                                           arguments.back()->pretty))},
                          {"paramIndex", "second"},
                          {"requiredType", "\"BOOLEAN\""},
                          {"inputSql", sql_expr(arguments.back()->pretty)},
                          {"inputType", sql_type(body->type)}});
  };
  if (name == "transform") {
    return Shape{column::array_type(body->type, body->nullable), first->nullable};
  }
  if (name == "filter" || name == "map_filter") {
    TRY(boolean_body());
    return Shape{first->type, first->nullable};
  }
  if (name == "exists" || name == "any" || name == "forall") {
    TRY(boolean_body());
    return Shape{column::boolean_type(), first->nullable || body->nullable};
  }
  if (name == "zip_with") {
    return Shape{column::array_type(body->type, body->nullable),
                 first->nullable || arguments[1]->nullable};
  }
  if (name == "transform_values") {
    return Shape{column::map_type(first->type->key(), body->type, body->nullable), first->nullable};
  }
  if (name == "transform_keys") {
    return Shape{
        column::map_type(body->type, first->type->value(), first->type->value_contains_null()),
        first->nullable};
  }
  if (name == "aggregate" || name == "reduce") {
    // The finish function that Spark adds gives what it is given, which may be NULL for it.
    const bool finished = arguments.size() > 3;
    return Shape{body->type, !finished || first->nullable || body->nullable};
  }
  if (name == "array_sort") return Shape{first->type, first->nullable};
  if (name == "map_zip_with") {
    return Shape{column::map_type(first->type->key(), body->type, body->nullable),
                 first->nullable || arguments[1]->nullable};
  }
  return Status::unsupported("{} with a lambda is not supported", name);
}

// How many arguments before the lambdas.
int values_before(const std::string& name) {
  const bool two =
      name == "zip_with" || name == "map_zip_with" || name == "aggregate" || name == "reduce";
  return two ? 2 : 1;
}

// As many arguments as the function takes, the lambdas last.
Status check_arguments(const std::string& name, const sc::Expression_UnresolvedFunction& proto) {
  const bool folds = name == "aggregate" || name == "reduce";
  const int values = values_before(name);
  const int most = values + (folds ? 2 : 1);
  const int given = proto.arguments_size();
  if (given <= values || given > most) {
    const std::string expected = folds                  ? "[3, 4]"
                                 : name == "array_sort" ? "[1, 2]"
                                                        : std::to_string(most);
    return Status::error("WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
                         {{"functionName", sql_id(name)},
                          {"expectedNum", expected},
                          {"actualNum", std::to_string(given)},
                          {"docroot", "https://spark.apache.org/docs/latest"}});
  }
  for (int i = 0; i < values; ++i) {
    if (proto.arguments(i).has_lambda_function())
      return Status::error(
          "INVALID_LAMBDA_FUNCTION_CALL.PARAMETER_DOES_NOT_ACCEPT_LAMBDA_FUNCTION");
  }
  return Status::OK();
}

ExprPtr with_body(const Expr& lambda, ExprPtr body) {
  auto out = std::make_shared<Expr>(lambda);
  out->type = body->type;
  out->children = {std::move(body)};
  return out;
}

bool is_predicate(const std::string& name) {
  return name == "filter" || name == "map_filter" || name == "exists" || name == "any" ||
         name == "forall";
}

bool may_leave_out_index(const std::string& name) {
  return name == "transform" || name == "filter";
}

ExprPtr make_lambda(ExprPtr body, const std::vector<Attribute>& parameters) {
  auto out = std::make_shared<Expr>();
  out->kind = ExprKind::lambda;
  out->type = body->type;
  out->nullable = body->nullable;
  out->pretty = "lambdafunction(" + body->pretty;
  for (const Attribute& parameter : parameters) {
    out->parameters.push_back(parameter.id);
    out->pretty += ", namedlambdavariable()";
  }
  out->pretty += ")";
  out->children.push_back(std::move(body));
  return out;
}

}  // namespace

Result<ExprPtr> ExpressionAnalyzer::lambda(const sc::Expression_LambdaFunction& proto,
                                           const std::vector<Attribute>& parameters) {
  scope_.push_lambda(parameters);
  auto body = resolve(proto.function());
  scope_.pop_lambda();
  if (!body.ok()) return body.status();
  return make_lambda(strip_alias(*body), parameters);
}

namespace {

constexpr std::string_view with_lambdas[] = {
    "transform",    "filter",     "exists",     "forall",         "zip_with",
    "aggregate",    "reduce",     "map_filter", "transform_keys", "transform_values",
    "map_zip_with", "array_sort", "any"};

bool may_take_lambdas(const std::string& name) {
  return std::find(std::begin(with_lambdas), std::end(with_lambdas), name) !=
         std::end(with_lambdas);
}

}  // namespace

bool is_higher_order(const sc::Expression_UnresolvedFunction& proto) {
  const std::string name = to_lower(proto.function_name());
  const bool any_lambda = std::any_of(proto.arguments().begin(), proto.arguments().end(),
                                      [](const auto& a) { return a.has_lambda_function(); });
  // These two are another function without one.
  if (any_lambda || name == "any") return any_lambda;
  if (name == "array_sort") return proto.arguments_size() > 1;
  return may_take_lambdas(name);
}

Result<ExprPtr> ExpressionAnalyzer::higher_order(const sc::Expression_UnresolvedFunction& proto) {
  const std::string name = to_lower(proto.function_name());
  if (!may_take_lambdas(name))
    return Status::unsupported("{} with a lambda is not supported", proto.function_name());
  TRY(check_arguments(name, proto));
  std::vector<ExprPtr> arguments;
  bool finish = false;
  for (const auto& argument : proto.arguments()) {
    ExprPtr value;
    if (!argument.has_lambda_function()) {
      TRY_ASSIGN(value, resolve(argument));
      value = strip_alias(value);
      if (static_cast<int>(arguments.size()) < values_before(name)) {
        arguments.push_back(std::move(value));
        continue;
      }
    }
    TRY_ASSIGN(auto types, parameter_types(name, arguments, finish));
    const auto& names = argument.lambda_function().arguments();
    const bool index_left_out =
        types.size() == 2 && (names.size() == 1 || value != nullptr) && may_leave_out_index(name);
    const bool single = is_predicate(name) && name != "map_filter" && name != "filter";
    if (index_left_out || single) types.resize(1);
    if (value == nullptr && static_cast<std::size_t>(names.size()) != types.size()) {
      return Status::error("INVALID_LAMBDA_FUNCTION_CALL.NUM_ARGS_MISMATCH",
                           {{"expectedNumArgs", std::to_string(names.size())},
                            {"actualNumArgs", std::to_string(types.size())}});
    }
    std::vector<Attribute> parameters;
    for (std::size_t i = 0; i < types.size(); ++i) {
      Attribute parameter;
      parameter.id = next_attribute_id();
      if (value == nullptr) {
        const auto& parts = names[static_cast<int>(i)].name_parts();
        parameter.name = join({parts.begin(), parts.end()}, ".");
      }
      parameter.type = types[i].type;
      parameter.nullable = types[i].nullable;
      parameters.push_back(std::move(parameter));
    }
    // A value in place of a lambda is one that takes no notice of its parameters.
    ExprPtr function;
    if (value != nullptr) {
      function = make_lambda(std::move(value), parameters);
    } else {
      TRY_ASSIGN(function, lambda(argument.lambda_function(), parameters));
    }
    if (is_predicate(name) && function->type->kind() == TypeKind::null)
      function = with_body(*function,
                           implicit_cast(function->children[0], column::boolean_type(), ansi()));
    const bool merge = (name == "aggregate" || name == "reduce") && !finish;
    if (merge && !column::same_type_ignoring_nullability(function->type, arguments[1]->type)) {
      return Status::error("DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
                           {{"sqlExpr", sql_expr(name + "(" + arguments[0]->pretty + ")")},
                            {"paramIndex", "third"},
                            {"requiredType", sql_type(arguments[1]->type)},
                            {"inputSql", sql_expr(function->pretty)},
                            {"inputType", sql_type(function->type)}});
    }
    finish = true;
    arguments.push_back(std::move(function));
  }
  TRY_ASSIGN(Shape shape, shape_of(name, arguments));
  auto out = std::make_shared<Expr>();
  out->kind = ExprKind::call;
  out->name = name == "reduce" ? "aggregate" : name == "any" ? "exists" : name;
  if (name == "transform_keys" && settings_.functions.map_keys_last_win) out->name += "_last_win";
  out->type = shape.type;
  out->nullable = shape.nullable;
  out->origin = origin();
  out->ansi = ansi();
  out->pretty = name + "(";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    out->pretty += (i == 0 ? "" : ", ") + arguments[i]->pretty;
  }
  // Spark shows the finish function that it adds.
  if (out->name == "aggregate" && arguments.size() == 3) {
    out->pretty += ", lambdafunction(namedlambdavariable(), namedlambdavariable())";
  }
  out->pretty += ")";
  out->children = std::move(arguments);
  return ExprPtr(out);
}

}  // namespace millstream::plan
