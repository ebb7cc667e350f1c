// Functions of JSON text.
#include <algorithm>

#include "base/text.h"
#include "functions/lowering.h"
#include "functions/table.h"

namespace millstream::functions {

using column::TypeKind;
using column::TypePtr;

namespace {

constexpr std::string_view from_json_options[] = {"mode", "columnnameofcorruptrecord", "dateformat",
                                                  "timestampformat"};
constexpr std::string_view to_json_options[] = {"dateformat", "timestampformat",
                                                "ignorenullfields"};

// The last argument holds the options; each must be one that is computed here.
Status check_json_options(const Request& request, std::span<const std::string_view> known) {
  const auto text = literal_text(request.arguments.back());
  if (!text) return Status::unsupported("{} with options that are not constant", request.name);
  for (const auto& [name, value] : function_options(*text)) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      return Status::unsupported("{} with the option {} is not supported", request.name, name);
    if (name != "mode" || equals_ignore_case(value, "PERMISSIVE") ||
        equals_ignore_case(value, "FAILFAST"))
      continue;
    return Status::error("PARSE_MODE_UNSUPPORTED",
                         {{"funcName", "`" + request.name + "`"}, {"mode", to_upper(value)}});
  }
  return Status::OK();
}

// from_json(text, schema): the schema is a constant, in DDL or JSON, and decides the result's type.
Result<Call> from_json(const Request& request) {
  if (request.arguments.size() != 2 && request.arguments.size() != 3)
    return wrong_arity(request, "[2, 3]");
  if (request.arguments.size() == 3) TRY(check_json_options(request, from_json_options));
  Call call = begin_call(request);
  call.pretty = "from_json(" + request.arguments[0].sql + ")";
  if (!request.arguments[0].type->is_string() &&
      request.arguments[0].type->kind() != TypeKind::null) {
    return unexpected_input(request, 0, "\"STRING\"");
  }
  const auto schema = literal_text(request.arguments[1]);
  if (!schema)
    return Status::unsupported("from_json with a schema that is not constant is not supported");
  auto type = schema->starts_with("{") ? column::type_from_json(*schema)
                                       : column::parse_schema_or_type(*schema);
  if (!type.ok()) {
    // A schema within a query is the query's analysis, not its text.
    ErrorInfo info = type.status().info();
    if (info.kind == ErrorKind::parse) info.kind = ErrorKind::analysis;
    return Status(std::move(info));
  }
  call.type = *type;
  if (!call.type->is_nested()) {
    return mismatch("INVALID_JSON_SCHEMA", call.pretty, {{"schema", quoted(call.type)}});
  }
  call.type = column::as_nullable(call.type);
  call.argument_types.assign(request.arguments.size(), column::string_type());
  call.nullable = true;
  return call;
}

Result<Call> to_json(const Request& request) {
  if (request.arguments.empty() || request.arguments.size() > 2)
    return wrong_arity(request, "[1, 2]");
  if (request.arguments.size() == 2) TRY(check_json_options(request, to_json_options));
  Call call = begin_call(request);
  call.pretty = "to_json(" + request.arguments[0].sql + ")";
  const TypePtr& type = request.arguments[0].type;
  if (!type->is_nested() && type->kind() != TypeKind::variant) {
    return mismatch("INVALID_JSON_SCHEMA", call.pretty, {{"schema", quoted(type)}});
  }
  call.type = column::string_type();
  call.nullable = true;
  return call;
}

Result<Call> json_tuple(const Request& request) {
  if (request.arguments.size() < 2) return wrong_arity(request, "> 1");
  Call call = begin_call(request);
  for (std::size_t i = 0; i < request.arguments.size(); ++i) {
    if (!request.arguments[i].type->is_string() &&
        request.arguments[i].type->kind() != TypeKind::null) {
      return mismatch("NON_STRING_TYPE", call.pretty, {{"funcName", "`json_tuple`"}});
    }
    call.argument_types[i] = column::string_type();
    if (i > 0)
      call.generated.push_back({fmt::format("c{}", i - 1), column::string_type(), true, {}});
  }
  call.type = column::struct_type(call.generated);
  return call;
}

const Entry entries[] = {
    {.name = "from_json", .rule = from_json},
    {.name = "to_json", .rule = to_json},
    {.name = "get_json_object",
     .parameters = "ss",
     .result = "s",
     .sql = "ms_get_json_object({0}, {1})",
     .null = '~'},
    {.name = "json_array_length",
     .parameters = "s",
     .result = "i",
     .sql = "ms_json_array_length({0})",
     .null = '~'},
    {.name = "json_object_keys",
     .parameters = "s",
     .result = "s",
     .sql = "ms_json_object_keys({0})",
     .null = '~',
     .rule = [](const Request& request) -> Result<Call> {
       TRY_ASSIGN(Call call, apply_signature(request));
       call.type = column::array_type(column::string_type(), true);
       return call;
     }},
    {.name = "json_tuple", .rule = json_tuple, .kind = FunctionKind::generator},
};

}  // namespace

std::span<const Entry> json_entries() { return entries; }

}  // namespace millstream::functions
