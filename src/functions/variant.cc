// Functions of variants.
#include "base/text.h"
#include "functions/table.h"

namespace millstream::functions {

using column::TypeKind;
using column::TypePtr;

namespace {

Result<Call> parse(const Request& request) {
  TRY_ASSIGN(Call call, apply_signature(request));
  call.type = column::variant_type();
  call.nullable = request.name == "try_parse_json" || any_nullable(request);
  return call;
}

bool takes_variant(const Argument& argument) {
  return argument.type->kind() == TypeKind::variant || argument.type->kind() == TypeKind::null;
}

// A function of one variant.
template <TypePtr (*Result_)()>
Result<Call> of_variant(const Request& request) {
  if (request.arguments.size() != 1) return wrong_arity(request, "1");
  if (!takes_variant(request.arguments[0])) return unexpected_input(request, 0, "\"VARIANT\"");
  Call call = begin_call(request);
  call.argument_types = {column::variant_type()};
  call.type = Result_();
  call.nullable = request.entry.null == ' ' && request.arguments[0].nullable;
  return call;
}

// variant_get(variant, path[, type]): the type is a constant.
Result<Call> get(const Request& request) {
  const std::size_t given = request.arguments.size();
  if (given != 2 && given != 3) return wrong_arity(request, "[2, 3]");
  if (!takes_variant(request.arguments[0])) return unexpected_input(request, 0, "\"VARIANT\"");
  Call call = begin_call(request);
  call.pretty = pretty_from(request.name + "({0}, {1})", request);
  call.type = column::variant_type();
  call.nullable = true;
  call.argument_types.assign(given, column::string_type());
  call.argument_types[0] = column::variant_type();
  if (given == 2) return call;
  const auto text = literal_text(request.arguments[2]);
  if (!text) return Status::unsupported("{} of a type that is not constant", request.name);
  auto type = column::parse_schema_or_type(*text);
  if (!type.ok()) {
    ErrorInfo info = type.status().info();
    if (info.kind == ErrorKind::parse) info.kind = ErrorKind::analysis;
    return Status(std::move(info));
  }
  call.type = column::as_nullable(*type);
  return call;
}

TypePtr entries_type() {
  return column::array_type(column::struct_type({{"pos", column::int_type(), false, {}},
                                                 {"key", column::string_type(), true, {}},
                                                 {"value", column::variant_type(), false, {}}}),
                            false);
}

Result<Call> explode(const Request& request) { return wrong_arity(request, "1"); }

Result<Call> to_object(const Request& request) {
  if (request.arguments.size() != 1) return wrong_arity(request, "1");
  Call call = begin_call(request);
  const TypePtr& type = request.arguments[0].type;
  const bool keys = type->kind() != TypeKind::map || type->key()->is_string();
  if (!type->is_nested() || !keys) {
    return mismatch("CAST_WITHOUT_SUGGESTION", call.pretty,
                    {{"srcType", quoted(type)}, {"targetType", "\"VARIANT\""}});
  }
  call.type = column::variant_type();
  call.nullable = any_nullable(request);
  return call;
}

const Entry entries[] = {
    {.name = "parse_json", .parameters = "s", .result = "s", .sql = "@parse_json", .rule = parse},
    {.name = "try_parse_json",
     .parameters = "s",
     .result = "s",
     .sql = "@try_parse_json",
     .rule = parse},
    {.name = "variant_get", .sql = "@variant_get", .rule = get},
    {.name = "try_variant_get", .sql = "@try_variant_get", .rule = get},
    {.name = "is_variant_null",
     .sql = "@is_variant_null",
     .null = '!',
     .rule = of_variant<column::boolean_type>},
    {.name = "is_valid_variant",
     .sql = "({0} IS NOT NULL)",
     .null = '!',
     .rule = of_variant<column::boolean_type>},
    {.name = "schema_of_variant",
     .sql = "@schema_of_variant",
     .rule = of_variant<column::string_type>},
    // The analyzer writes these as inline(ms_variant_entries(variant)).
    {.name = "variant_explode", .rule = explode, .kind = FunctionKind::generator},
    {.name = "variant_explode_outer", .rule = explode, .kind = FunctionKind::generator},
    {.name = "ms_variant_entries", .sql = "@variant_entries", .rule = of_variant<entries_type>},
    {.name = "schema_of_variant_agg",
     .sql = "@schema_of_variant_agg",
     .null = '!',
     .rule = of_variant<column::string_type>,
     .kind = FunctionKind::aggregate},
    {.name = "to_variant_object", .sql = "@to_variant", .rule = to_object},
};

}  // namespace

std::span<const Entry> variant_entries() { return entries; }

}  // namespace millstream::functions
