// Functions of JSON, CSV and XML text.
#include <arrow/scalar.h>

#include <algorithm>

#include "base/text.h"
#include "functions/lowering.h"
#include "functions/schema_of.h"
#include "functions/table.h"

namespace millstream::functions {

using column::TypeKind;
using column::TypePtr;

namespace {

constexpr std::string_view json_read_options[] = {"mode",
                                                  "columnnameofcorruptrecord",
                                                  "dateformat",
                                                  "timestampformat",
                                                  "timestampntzformat",
                                                  "timezone",
                                                  "allowsinglequotes",
                                                  "allowunquotedfieldnames",
                                                  "allownumericleadingzeros",
                                                  "allowcomments",
                                                  "allownonnumericnumbers",
                                                  "allowbackslashescapinganycharacter",
                                                  "allowunquotedcontrolchars",
                                                  "primitivesasstring",
                                                  "prefersdecimal",
                                                  "dropfieldifallnull"};
constexpr std::string_view json_write_options[] = {"dateformat",         "timestampformat",
                                                   "timestampntzformat", "timezone",
                                                   "ignorenullfields",   "pretty"};
constexpr std::string_view csv_read_options[] = {"mode",
                                                 "columnnameofcorruptrecord",
                                                 "dateformat",
                                                 "timestampformat",
                                                 "timestampntzformat",
                                                 "timezone",
                                                 "sep",
                                                 "delimiter",
                                                 "quote",
                                                 "escape",
                                                 "nullvalue",
                                                 "emptyvalue",
                                                 "ignoreleadingwhitespace",
                                                 "ignoretrailingwhitespace",
                                                 "nanvalue",
                                                 "positiveinf",
                                                 "negativeinf"};
constexpr std::string_view csv_write_options[] = {"dateformat",
                                                  "timestampformat",
                                                  "timestampntzformat",
                                                  "timezone",
                                                  "sep",
                                                  "delimiter",
                                                  "quote",
                                                  "escape",
                                                  "nullvalue",
                                                  "emptyvalue",
                                                  "quoteall",
                                                  "ignoreleadingwhitespace",
                                                  "ignoretrailingwhitespace"};

constexpr std::string_view xml_read_options[] = {"mode",
                                                 "columnnameofcorruptrecord",
                                                 "dateformat",
                                                 "timestampformat",
                                                 "timestampntzformat",
                                                 "timezone",
                                                 "rowtag",
                                                 "attributeprefix",
                                                 "valuetag",
                                                 "nullvalue",
                                                 "excludeattribute"};
constexpr std::string_view xml_write_options[] = {
    "dateformat",      "timestampformat", "timestampntzformat", "timezone", "rowtag",
    "attributeprefix", "valuetag",        "arrayelementname",   "indent"};

// Options that Spark's readers and writers know and that mean something which is not built here.
// Those that nobody knows are ignored, as Spark does it.
constexpr std::string_view unbuilt_options[] = {"chartoescapequoteescaping",
                                                "charset",
                                                "comment",
                                                "compression",
                                                "declaration",
                                                "emptyvalue",
                                                "enabledatetimeparsingfallback",
                                                "encoding",
                                                "enforceschema",
                                                "escapequotes",
                                                "header",
                                                "ignorenamespace",
                                                "ignorenullfields",
                                                "ignoresurroundingspaces",
                                                "inferschema",
                                                "infertimestamp",
                                                "linesep",
                                                "locale",
                                                "maxcharspercolumn",
                                                "maxcolumns",
                                                "maxnestingdepth",
                                                "maxnumlen",
                                                "maxstringlen",
                                                "multiline",
                                                "nullvalue",
                                                "preferdate",
                                                "prefersdecimal",
                                                "primitivesasstring",
                                                "quoteall",
                                                "roottag",
                                                "rowvalidationxsdpath",
                                                "samplingratio",
                                                "singlevariantcolumn",
                                                "unescapedquotehandling",
                                                "validatename",
                                                "wildcardcolname",
                                                "writenonasciicharacterascodepoint",
                                                "writenullifwithdefaultvalue"};

using Known = std::span<const std::string_view>;

bool is_among(Known names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The options that the argument at that place holds, when it is there; each must be one that is
// computed here.
Result<DocumentOptions> read_options(const Request& request, std::size_t place, Known known) {
  if (request.arguments.size() <= place) return DocumentOptions();
  const auto text = literal_text(request.arguments[place]);
  if (!text) return Status::unsupported("{} with options that are not constant", request.name);
  auto options = function_options(*text);
  for (const auto& [name, value] : options) {
    if (!is_among(known, name) && is_among(unbuilt_options, name))
      return Status::unsupported("{} with the option {} is not supported", request.name, name);
    // A mode that is none is PERMISSIVE.
    if (name != "mode" || !equals_ignore_case(value, "DROPMALFORMED")) continue;
    return Status::error("PARSE_MODE_UNSUPPORTED",
                         {{"funcName", "`" + request.name + "`"}, {"mode", to_upper(value)}});
  }
  return options;
}

// A schema as a constant, in DDL or JSON.
Result<TypePtr> constant_schema(const Request& request) {
  const auto schema = literal_text(request.arguments[1]);
  if (!schema && request.arguments[1].literal != nullptr) {
    return Status::error("INVALID_SCHEMA.NON_STRING_LITERAL",
                         {{"inputSchema", quoted(request.arguments[1].sql)}});
  }
  if (!schema)
    return Status::unsupported("{} with a schema that is not constant is not supported",
                               request.name);
  auto type = schema->starts_with("{") ? column::type_from_json(*schema)
                                       : column::parse_schema_or_type(*schema);
  if (type.ok()) return column::as_nullable(*type);
  // A schema within a query is the query's analysis, not its text.
  ErrorInfo info = type.status().info();
  if (info.kind == ErrorKind::parse) info.kind = ErrorKind::analysis;
  return Status(std::move(info));
}

// from_json(text, schema[, options]) and from_csv.
Result<Call> begin_reading(const Request& request, Known options) {
  if (request.arguments.size() != 2 && request.arguments.size() != 3)
    return wrong_arity(request, "[2, 3]");
  TRY(read_options(request, 2, options).status());
  Call call = begin_call(request);
  call.pretty = request.name + "(" + request.arguments[0].sql + ")";
  if (!request.arguments[0].type->is_string() &&
      request.arguments[0].type->kind() != TypeKind::null) {
    return mismatch("UNEXPECTED_INPUT_TYPE", call.pretty,
                    {{"paramIndex", "first"},
                     {"requiredType", "\"STRING\""},
                     {"inputSql", quoted(request.arguments[0].sql)},
                     {"inputType", quoted(request.arguments[0].type)}});
  }
  TRY_ASSIGN(call.type, constant_schema(request));
  call.argument_types.assign(request.arguments.size(), column::string_type());
  return call;
}

Result<Call> from_json(const Request& request) {
  TRY_ASSIGN(Call call, begin_reading(request, json_read_options));
  if (!call.type->is_nested()) {
    return mismatch("INVALID_JSON_SCHEMA", call.pretty, {{"schema", quoted(call.type)}});
  }
  if (call.type->kind() == TypeKind::map && !call.type->key()->is_string())
    return mismatch("INVALID_JSON_MAP_KEY_TYPE", call.pretty, {{"schema", quoted(call.type)}});
  // Spark names the column of a map by its own field.
  if (call.type->kind() == TypeKind::map) call.pretty = "entries";
  call.nullable = true;
  return call;
}

Result<Call> from_csv(const Request& request) {
  TRY_ASSIGN(Call call, begin_reading(request, csv_read_options));
  if (call.type->kind() != TypeKind::struct_) {
    return Status::error(
        "INVALID_SCHEMA.NON_STRUCT_TYPE",
        {{"inputSchema", quoted(request.arguments[1].sql)}, {"dataType", quoted(call.type)}});
  }
  for (const auto& field : call.type->fields()) {
    if (field.type->is_nested())
      return Status::unsupported("from_csv of {} is not supported", field.type->sql());
  }
  call.nullable = request.arguments[0].nullable;
  return call;
}

Result<Call> from_xml(const Request& request) {
  TRY_ASSIGN(Call call, begin_reading(request, xml_read_options));
  if (call.type->kind() != TypeKind::struct_)
    return Status::unsupported("from_xml of {} is not supported", call.type->sql());
  call.nullable = true;
  return call;
}

Result<Call> begin_writing(const Request& request, Known options) {
  if (request.arguments.empty() || request.arguments.size() > 2)
    return wrong_arity(request, "[1, 2]");
  TRY(read_options(request, 1, options).status());
  Call call = begin_call(request);
  call.pretty = request.name + "(" + request.arguments[0].sql + ")";
  call.type = column::string_type();
  call.nullable = true;
  return call;
}

Result<Call> to_json(const Request& request) {
  TRY_ASSIGN(Call call, begin_writing(request, json_write_options));
  const TypePtr& type = request.arguments[0].type;
  if (!type->is_nested() && type->kind() != TypeKind::variant) {
    return mismatch("INVALID_JSON_SCHEMA", call.pretty, {{"schema", quoted(type)}});
  }
  return call;
}

Result<Call> to_csv(const Request& request) {
  TRY_ASSIGN(Call call, begin_writing(request, csv_write_options));
  const TypePtr& type = request.arguments[0].type;
  if (type->kind() != TypeKind::struct_) {
    return mismatch("UNSUPPORTED_INPUT_TYPE", call.pretty,
                    {{"functionName", "`to_csv`"}, {"dataType", quoted(type)}});
  }
  return call;
}

Result<Call> to_xml(const Request& request) {
  TRY_ASSIGN(Call call, begin_writing(request, xml_write_options));
  if (request.arguments[0].type->kind() != TypeKind::struct_)
    return unexpected_input(request, 0, "\"STRUCT\"");
  return call;
}

// xpath(xml, path): the path is a constant.
Result<Call> xpath(const Request& request) {
  TRY_ASSIGN(Call call, apply_signature(request));
  if (request.name == "xpath") call.type = column::array_type(column::string_type(), true);
  const Argument& path = request.arguments[1];
  if (path.literal == nullptr && path.type->kind() != TypeKind::null)
    return Status::unsupported("{} with a path that is not constant is not supported",
                               request.name);
  return call;
}

// schema_of_json(text[, options]) is a constant, which the last argument is.
template <Result<TypePtr> (*Infer)(std::string_view, const DocumentOptions&)>
Result<Call> schema_of(const Request& request, Known known, std::string_view format) {
  if (request.arguments.empty() || request.arguments.size() > 2)
    return wrong_arity(request, "[1, 2]");
  TRY_ASSIGN(const auto options, read_options(request, 1, known));
  Call call = begin_call(request);
  call.pretty = request.name + "(" + request.arguments[0].sql + ")";
  const Argument& text = request.arguments[0];
  const bool null =
      text.type->kind() == TypeKind::null || (text.literal != nullptr && !text.literal->is_valid);
  if (null) return mismatch("UNEXPECTED_NULL", call.pretty, {{"exprName", std::string(format)}});
  if (!text.type->is_string()) return unexpected_input(request, 0, "\"STRING\"");
  const auto given = literal_text(text);
  if (!given)
    return Status::unsupported("{} of a text that is not a literal is not supported", request.name);
  TRY_ASSIGN(const TypePtr type, Infer(*given, options));
  call.added_arguments.push_back(string_literal(type->sql()));
  call.type = column::string_type();
  call.nullable = false;
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
    {.name = "from_xml", .rule = from_xml},
    {.name = "to_xml", .rule = to_xml},
    {.name = "schema_of_xml",
     .rule =
         [](const Request& request) {
           return schema_of<schema_of_xml>(request, xml_read_options, "xml");
         }},
    {.name = "xpath",
     .parameters = "ss",
     .result = "s",
     .sql = "@xpath",
     .null = '~',
     .rule = xpath},
    {.name = "xpath_boolean",
     .parameters = "ss",
     .result = "b",
     .sql = "@xpath_boolean",
     .null = '~',
     .rule = xpath},
    {.name = "xpath_short",
     .parameters = "ss",
     .result = "h",
     .sql = "@xpath_number",
     .null = '~',
     .rule = xpath},
    {.name = "xpath_int",
     .parameters = "ss",
     .result = "i",
     .sql = "@xpath_number",
     .null = '~',
     .rule = xpath},
    {.name = "xpath_long",
     .parameters = "ss",
     .result = "l",
     .sql = "@xpath_number",
     .null = '~',
     .rule = xpath},
    {.name = "xpath_float",
     .parameters = "ss",
     .result = "f",
     .sql = "@xpath_number",
     .null = '~',
     .rule = xpath},
    {.name = "xpath_double",
     .parameters = "ss",
     .result = "d",
     .sql = "@xpath_number",
     .null = '~',
     .rule = xpath},
    {.name = "xpath_number",
     .parameters = "ss",
     .result = "d",
     .sql = "@xpath_number",
     .null = '~',
     .rule = xpath},
    {.name = "xpath_string",
     .parameters = "ss",
     .result = "s",
     .sql = "@xpath_string",
     .null = '~',
     .rule = xpath},
    {.name = "from_csv", .rule = from_csv},
    {.name = "to_csv", .rule = to_csv},
    {.name = "schema_of_json",
     .rule =
         [](const Request& request) {
           return schema_of<schema_of_json>(request, json_read_options, "json");
         }},
    {.name = "schema_of_csv",
     .rule =
         [](const Request& request) {
           return schema_of<schema_of_csv>(request, csv_read_options, "csv");
         }},
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
