// from_avro, to_avro and schema_of_avro: Avro's binary values in columns.
#include <arrow/scalar.h>

#include <algorithm>

#include "avro/types.h"
#include "base/text.h"
#include "functions/lowering.h"
#include "functions/table.h"

namespace millstream::functions {

using column::TypeKind;

namespace {

using AvroOptions = std::map<std::string, std::string>;  // names in lower case

Result<AvroOptions> read_options(const Request& request, std::size_t place) {
  constexpr std::string_view known[] = {"mode",
                                        "avroschema",
                                        "enablestableidentifiersforuniontype",
                                        "stableidentifierprefixforuniontype",
                                        "recursivefieldmaxdepth",
                                        "datetimerebasemode"};
  if (request.arguments.size() <= place) return AvroOptions();
  const auto text = literal_text(request.arguments[place]);
  if (!text) return Status::unsupported("{} with options that are not constant", request.name);
  auto options = function_options(*text);
  for (const auto& [name, value] : options) {
    if (name == "mode" && equals_ignore_case(value, "DROPMALFORMED")) {
      return Status::error("PARSE_MODE_UNSUPPORTED",
                           {{"funcName", "`" + request.name + "`"}, {"mode", to_upper(value)}});
    }
    if (std::find(std::begin(known), std::end(known), name) == std::end(known))
      return Status::unsupported("{} with the option {} is not supported", request.name, name);
    if (name == "datetimerebasemode" && equals_ignore_case(value, "LEGACY"))
      return Status::unsupported("{} with the datetimeRebaseMode LEGACY", request.name);
  }
  return options;
}

// The call by its name, as Spark shows it: with NULL for what is left out at the end.
Call begin(const Request& request, std::size_t arguments_max) {
  Call call = begin_call(request);
  if (request.arguments.size() < arguments_max && call.pretty.ends_with(")"))
    call.pretty.replace(call.pretty.size() - 1, 1, ", NULL)");
  return call;
}

// A constant schema, as the function's second argument is (or the first of schema_of_avro).
Result<std::string> constant_schema(const Request& request, const Call& call, std::size_t place) {
  const auto text = literal_text(request.arguments[place]);
  if (text) return *text;
  return mismatch("TYPE_CHECK_FAILURE_WITH_HINT", call.pretty,
                  {{"msg", fmt::format("The {} argument of the {} SQL function must be a constant "
                                       "string containing the JSON representation of the schema "
                                       "to use for converting the value {} AVRO format",
                                       place == 0 ? "first" : "second", to_upper(request.name),
                                       request.name == "to_avro" ? "to" : "from")},
                   {"hint", ""}});
}

Result<column::TypePtr> type_of_schema(const std::string& text, const AvroOptions& options) {
  avro::TypeRules rules;
  const auto option = [&](const char* name) {
    const auto found = options.find(name);
    return found == options.end() ? std::string() : found->second;
  };
  rules.stable_union_names =
      equals_ignore_case(option("enablestableidentifiersforuniontype"), "true");
  if (const auto prefix = options.find("stableidentifierprefixforuniontype");
      prefix != options.end()) {
    rules.stable_prefix = prefix->second;
  }
  if (const auto depth = parse_int64(option("recursivefieldmaxdepth")))
    rules.recursive_depth_max = static_cast<int>(std::clamp<std::int64_t>(*depth, -1, 15));
  const std::string reader = option("avroschema");
  TRY_ASSIGN(const auto schema, avro::Schema::parse(reader.empty() ? text : reader));
  TRY_ASSIGN(const auto type, avro::to_spark(schema->root(), rules));
  const std::string mode = option("mode");
  const bool fails = mode.empty() || equals_ignore_case(mode, "FAILFAST");
  return fails ? type.type : column::as_nullable(type.type);
}

bool has_months(const column::DataType& type) {
  return type.kind() == TypeKind::year_month_interval ||
         std::any_of(type.fields().begin(), type.fields().end(),
                     [](const column::Field& field) { return has_months(*field.type); });
}

Result<Call> from_avro(const Request& request) {
  if (request.arguments.size() != 2 && request.arguments.size() != 3)
    return wrong_arity(request, "[2, 3]");
  TRY_ASSIGN(const auto options, read_options(request, 2));
  Call call = begin(request, 3);
  TRY_ASSIGN(const auto schema, constant_schema(request, call, 1));
  const auto& data = *request.arguments[0].type;
  if (data.kind() != TypeKind::binary && data.kind() != TypeKind::null)
    return unexpected_input(request, 0, "\"BINARY\"");
  TRY_ASSIGN(call.type, type_of_schema(schema, options));
  if (has_months(*call.type))
    return Status::unsupported("from_avro of {} is not supported", call.type->sql());
  call.argument_types.assign(request.arguments.size(), column::string_type());
  call.argument_types[0] = column::binary_type();
  call.nullable = true;
  return call;
}

Result<Call> to_avro(const Request& request) {
  if (request.arguments.empty() || request.arguments.size() > 2)
    return wrong_arity(request, "[1, 2]");
  Call call = begin(request, 2);
  const Argument& data = request.arguments[0];
  std::string schema;
  if (request.arguments.size() > 1 && request.arguments[1].type->kind() != TypeKind::null) {
    TRY_ASSIGN(schema, constant_schema(request, call, 1));
    if (!schema.empty()) TRY(avro::Schema::parse(schema).status());
  }
  if (schema.empty()) {
    TRY_ASSIGN(schema, avro::to_avro_schema(data.type, data.nullable));
  }
  call.added_arguments.push_back(string_literal(schema));
  call.type = column::binary_type();
  call.nullable = data.nullable;
  return call;
}

Result<Call> schema_of_avro(const Request& request) {
  if (request.arguments.empty() || request.arguments.size() > 2)
    return wrong_arity(request, "[1, 2]");
  TRY_ASSIGN(const auto options, read_options(request, 1));
  Call call = begin(request, 2);
  TRY_ASSIGN(const auto schema, constant_schema(request, call, 0));
  TRY_ASSIGN(const auto type, type_of_schema(schema, options));
  call.added_arguments.push_back(string_literal(type->sql()));
  call.type = column::string_type();
  call.nullable = false;
  return call;
}

const Entry entries[] = {{.name = "from_avro", .rule = from_avro},
                         {.name = "to_avro", .rule = to_avro},
                         {.name = "schema_of_avro", .rule = schema_of_avro}};

}  // namespace

std::span<const Entry> avro_entries() { return entries; }

}  // namespace millstream::functions
