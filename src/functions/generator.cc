// Functions that make rows: explode and kin.
#include "functions/table.h"

namespace millstream::functions {

using column::TypeKind;
using column::TypePtr;

namespace {

Result<Call> explode(const Request& request) {
  if (request.arguments.size() != 1) return wrong_arity(request, "1");
  Call call = begin_call(request);
  const TypePtr& type = request.arguments[0].type;
  if (type->kind() != TypeKind::array && type->kind() != TypeKind::map) {
    return unexpected_input(request, 0, "(\"ARRAY\" or \"MAP\")");
  }
  const bool outer = request.name.ends_with("_outer");
  if (request.name.starts_with("pos"))
    call.generated.push_back({"pos", column::int_type(), outer, {}});
  if (type->kind() == TypeKind::array) {
    call.generated.push_back({"col", type->element(), outer || type->contains_null(), {}});
  } else {
    call.generated.push_back({"key", type->key(), outer, {}});
    call.generated.push_back({"value", type->value(), outer || type->value_contains_null(), {}});
  }
  call.type = column::struct_type(call.generated);
  return call;
}

Result<Call> inline_rule(const Request& request) {
  if (request.arguments.size() != 1) return wrong_arity(request, "1");
  Call call = begin_call(request);
  const TypePtr& type = request.arguments[0].type;
  if (type->kind() != TypeKind::array || type->element()->kind() != TypeKind::struct_) {
    return unexpected_input(request, 0, "\"ARRAY<STRUCT>\"");
  }
  const bool nulls = request.name.ends_with("_outer") || type->contains_null();
  for (auto field : type->element()->fields()) {
    field.nullable = field.nullable || nulls;
    call.generated.push_back(std::move(field));
  }
  call.type = column::struct_type(call.generated);
  return call;
}

Entry generator(std::string_view name, Rule rule) {
  Entry entry;
  entry.name = name;
  entry.rule = rule;
  entry.kind = FunctionKind::generator;
  return entry;
}

const Entry entries[] = {
    generator("explode", explode),    generator("explode_outer", explode),
    generator("posexplode", explode), generator("posexplode_outer", explode),
    generator("inline", inline_rule), generator("inline_outer", inline_rule),
};

}  // namespace

std::span<const Entry> generator_entries() { return entries; }

}  // namespace millstream::functions
