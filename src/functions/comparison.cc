// Comparisons, boolean logic and tests for NULL.
#include "functions/table.h"

namespace millstream::functions {

using column::TypeKind;
using column::TypePtr;

namespace {

// The number of a truth value and a number.
TypePtr number_of_pair(const TypePtr& a, const TypePtr& b) {
  if (a->kind() == TypeKind::boolean && b->is_numeric()) return b;
  return b->kind() == TypeKind::boolean && a->is_numeric() ? a : nullptr;
}

Result<Call> comparison(const Request& request) {
  if (request.arguments.size() != 2) return wrong_arity(request, "2");
  Call call = begin_call(request);
  const TypePtr& a = request.arguments[0].type;
  const TypePtr& b = request.arguments[1].type;
  TypePtr common = compared_type(a, b, request.settings.ansi);
  const bool equality =
      call.name == "equal" || call.name == "null_safe_equal" || call.name == "not_equal";
  // Without ANSI a truth value equals 1 or 0; no mode orders it beside numbers.
  if (!request.settings.ansi && equality && common == nullptr) common = number_of_pair(a, b);
  if (common == nullptr) {
    return mismatch("BINARY_OP_DIFF_TYPES", call.pretty,
                    {{"left", quoted(a)}, {"right", quoted(b)}});
  }
  if (common->kind() == TypeKind::null) common = column::boolean_type();
  if (!is_orderable(*common)) {
    return mismatch("INVALID_ORDERING_TYPE", call.pretty,
                    {{"functionName", "`" + std::string(request.entry.name) + "`"},
                     {"dataType", quoted(common)}});
  }
  call.argument_types = {common, common};
  call.type = column::boolean_type();
  // A constant integer becomes a decimal of as many digits, which Spark takes for a cast that may
  // be NULL.
  bool narrowed = false;
  for (const auto& argument : request.arguments)
    narrowed = narrowed || (argument.literal != nullptr && argument.type->is_integral());
  narrowed = narrowed && common->kind() == TypeKind::decimal;
  call.nullable = call.name != "null_safe_equal" && (any_nullable(request) || narrowed);
  return call;
}

Result<Call> logic(const Request& request) {
  const std::size_t arity = request.entry.name == "not" || request.entry.name == "!" ? 1 : 2;
  if (request.arguments.size() != arity) return wrong_arity(request, std::to_string(arity));
  Call call = begin_call(request);
  TypePtr wrong;
  for (const auto& argument : request.arguments) {
    const TypeKind kind = argument.type->kind();
    const bool fits = kind == TypeKind::boolean || kind == TypeKind::null ||
                      (arity == 1 && request.settings.ansi && argument.type->is_string());
    if (!fits && wrong == nullptr) wrong = argument.type;
  }
  if (wrong != nullptr && arity == 1) return unexpected_input(request, 0, "\"BOOLEAN\"");
  if (wrong != nullptr) {
    const TypePtr& a = request.arguments[0].type;
    const TypePtr& b = request.arguments[1].type;
    if (!column::same_type(a, b)) {
      return mismatch("BINARY_OP_DIFF_TYPES", call.pretty,
                      {{"left", quoted(a)}, {"right", quoted(b)}});
    }
    return mismatch("BINARY_OP_WRONG_TYPE", call.pretty,
                    {{"inputType", "\"BOOLEAN\""}, {"actualDataType", quoted(wrong)}});
  }
  call.argument_types.assign(arity, column::boolean_type());
  call.type = column::boolean_type();
  call.nullable = any_nullable(request);
  return call;
}

const Entry entries[] = {
    {.name = "==", .pretty = "({0} = {1})", .rule = comparison, .canonical = "equal"},
    {.name = "=", .pretty = "({0} = {1})", .rule = comparison, .canonical = "equal"},
    {.name = "equal", .sql = "({0} = {1})", .pretty = "({0} = {1})", .rule = comparison},
    {.name = "<=>", .pretty = "({0} <=> {1})", .rule = comparison, .canonical = "null_safe_equal"},
    {.name = "equal_null", .rule = comparison, .canonical = "null_safe_equal"},
    {.name = "null_safe_equal",
     .sql = "({0} IS NOT DISTINCT FROM {1})",
     .pretty = "({0} <=> {1})",
     .rule = comparison},
    {.name = "!=", .pretty = "(NOT ({0} = {1}))", .rule = comparison, .canonical = "not_equal"},
    {.name = "<>", .pretty = "(NOT ({0} = {1}))", .rule = comparison, .canonical = "not_equal"},
    {.name = "not_equal", .sql = "({0} <> {1})", .pretty = "(NOT ({0} = {1}))", .rule = comparison},
    {.name = ">", .pretty = "({0} > {1})", .rule = comparison, .canonical = "greater"},
    {.name = "greater", .sql = "({0} > {1})", .pretty = "({0} > {1})", .rule = comparison},
    {.name = "<", .pretty = "({0} < {1})", .rule = comparison, .canonical = "less"},
    {.name = "less", .sql = "({0} < {1})", .pretty = "({0} < {1})", .rule = comparison},
    {.name = ">=", .pretty = "({0} >= {1})", .rule = comparison, .canonical = "greater_equal"},
    {.name = "greater_equal", .sql = "({0} >= {1})", .pretty = "({0} >= {1})", .rule = comparison},
    {.name = "<=", .pretty = "({0} <= {1})", .rule = comparison, .canonical = "less_equal"},
    {.name = "less_equal", .sql = "({0} <= {1})", .pretty = "({0} <= {1})", .rule = comparison},
    {.name = "and", .pretty = "({0} AND {1})", .rule = logic},
    {.name = "or", .pretty = "({0} OR {1})", .rule = logic},
    {.name = "not", .sql = "(NOT {0})", .pretty = "(NOT {0})", .rule = logic},
    {.name = "!", .pretty = "(NOT {0})", .rule = logic, .canonical = "not"},
    {.name = "isnull",
     .parameters = "a",
     .result = "b",
     .sql = "({0} IS NULL)",
     .null = '!',
     .pretty = "({0} IS NULL)"},
    {.name = "isnotnull",
     .parameters = "a",
     .result = "b",
     .sql = "({0} IS NOT NULL)",
     .null = '!',
     .pretty = "({0} IS NOT NULL)"},
    {.name = "isnan",
     .parameters = "N",
     .result = "b",
     .sql = "coalesce(isnan({0}), false)",
     .null = '!',
     .rule = [](const Request& request) -> Result<Call> {
       if (request.arguments.size() != 1) return wrong_arity(request, "1");
       Call call = begin_call(request);
       TypePtr type = request.arguments[0].type;
       if (type->kind() != TypeKind::float_) {
         if (!can_cast_implicitly(*type, *column::double_type())) {
           return unexpected_input(request, 0, "(\"DOUBLE\" or \"FLOAT\")");
         }
         type = column::double_type();
       }
       call.argument_types = {type};
       call.type = column::boolean_type();
       call.nullable = false;
       return call;
     }},
};

}  // namespace

std::span<const Entry> comparison_entries() { return entries; }

}  // namespace millstream::functions
