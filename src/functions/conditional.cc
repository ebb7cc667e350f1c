// Choosing between values: coalesce, if, nullif, greatest and kin.
#include <arrow/scalar.h>

#include <algorithm>

#include "functions/table.h"

namespace millstream::functions {

using column::TypeKind;
using column::TypePtr;

namespace {

bool all_nullable(const Request& request) {
  return std::all_of(request.arguments.begin(), request.arguments.end(),
                     [](const Argument& argument) { return argument.nullable; });
}

Result<Call> coalesce(const Request& request) {
  TRY_ASSIGN(Call call, apply_signature(request));
  call.nullable = all_nullable(request);
  return call;
}

Result<Call> greatest(const Request& request) {
  if (request.arguments.size() < 2) return wrong_arity(request, "> 1");
  TRY_ASSIGN(Call call, apply_signature(request));
  if (!is_orderable(*call.type)) {
    return mismatch("INVALID_ORDERING_TYPE", call.pretty,
                    {{"functionName", "`" + request.name + "`"}, {"dataType", quoted(call.type)}});
  }
  call.nullable = all_nullable(request);
  return call;
}

Result<Call> choose_if(const Request& request) {
  if (request.arguments.size() != 3) return wrong_arity(request, "3");
  Call call = begin_call(request);
  const TypeKind condition = request.arguments[0].type->kind();
  if (condition != TypeKind::boolean && condition != TypeKind::null)
    return unexpected_input(request, 0, "\"BOOLEAN\"");
  const TypePtr common =
      wider_type_of({request.arguments[1], request.arguments[2]}, request.settings.ansi);
  if (common == nullptr) {
    return mismatch("DATA_DIFF_TYPES", call.pretty,
                    {{"functionName", "`if`"},
                     {"dataType", "[" + quoted(request.arguments[1].type) + ", " +
                                      quoted(request.arguments[2].type) + "]"}});
  }
  call.argument_types = {column::boolean_type(), common, common};
  call.type = common;
  call.nullable = request.arguments[1].nullable || request.arguments[2].nullable;
  return call;
}

Result<Call> nvl2(const Request& request) {
  if (request.arguments.size() != 3) return wrong_arity(request, "3");
  Call call = begin_call(request);
  const TypePtr common =
      wider_type_of({request.arguments[1], request.arguments[2]}, request.settings.ansi);
  if (common == nullptr) {
    return mismatch("DATA_DIFF_TYPES", call.pretty,
                    {{"functionName", "`if`"},
                     {"dataType", "[" + quoted(request.arguments[1].type) + ", " +
                                      quoted(request.arguments[2].type) + "]"}});
  }
  call.argument_types = {request.arguments[0].type, common, common};
  call.type = common;
  call.nullable = request.arguments[1].nullable || request.arguments[2].nullable;
  return call;
}

const Entry entries[] = {
    // A value of a user's type is what it is made of.
    {.name = "unwrap_udt", .parameters = "a", .result = "0", .sql = "{0}"},
    {.name = "coalesce",
     .parameters = "ww*",
     .result = "w",
     .sql = "coalesce({*})",
     .rule = coalesce},
    {.name = "nvl", .parameters = "ww", .result = "w", .sql = "coalesce({*})", .rule = coalesce},
    {.name = "ifnull", .parameters = "ww", .result = "w", .sql = "coalesce({*})", .rule = coalesce},
    {.name = "nvl2", .sql = "CASE WHEN {0} IS NOT NULL THEN {1} ELSE {2} END", .rule = nvl2},
    // The analyzer makes it of `=` and `if`.
    {.name = "nullif",
     .sql = "CASE WHEN {0} = {1} THEN NULL ELSE {0} END",
     .rule = [](const Request& request) -> Result<Call> { return wrong_arity(request, "2"); }},
    {.name = "if",
     .sql = "CASE WHEN {0} THEN {1} ELSE {2} END",
     .pretty = "(IF({0}, {1}, {2}))",
     .rule = choose_if},
    {.name = "nanvl",
     .parameters = "dd",
     .result = "d",
     .sql = "CASE WHEN isnan({0}) THEN {1} ELSE {0} END"},
    {.name = "nullifzero",
     .parameters = "n",
     .result = "0",
     .sql = "CASE WHEN {0} = 0 THEN NULL ELSE {0} END",
     .null = '~'},
    {.name = "zeroifnull",
     .parameters = "n",
     .result = "0",
     .sql = "coalesce({0}, 0)",
     .null = '!',
     .rule = [](const Request& request) -> Result<Call> {
       TRY_ASSIGN(Call call, apply_signature(request));
       const Argument zero{column::int_type(), false, nullptr, "0"};
       call.type = wider_type_of({request.arguments[0], zero}, request.settings.ansi);
       if (call.type == nullptr) call.type = call.argument_types[0];
       call.argument_types[0] = call.type;
       return call;
     }},
    {.name = "greatest",
     .parameters = "ww*",
     .result = "w",
     .sql = "greatest({*})",
     .rule = greatest},
    {.name = "least", .parameters = "ww*", .result = "w", .sql = "least({*})", .rule = greatest},
};

}  // namespace

std::span<const Entry> conditional_entries() { return entries; }

}  // namespace millstream::functions
