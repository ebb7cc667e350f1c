#include "functions/registry.h"

#include <arrow/scalar.h>

#include <algorithm>
#include <unordered_map>

#include "base/text.h"
#include "functions/lowering.h"
#include "functions/table.h"

namespace millstream::functions {

using column::DataType;
using column::TypeKind;
using column::TypePtr;

namespace {

constexpr std::string_view search_path =
    "[`system`.`builtin`, `system`.`session`, `spark_catalog`.`default`]";

const std::unordered_map<std::string_view, const Entry*>& index() {
  static const auto* all = [] {
    auto* map = new std::unordered_map<std::string_view, const Entry*>();
    for (const auto entries :
         {arithmetic_entries(), interval_entries(), comparison_entries(), string_entries(),
          datetime_entries(), time_entries(), conditional_entries(), collection_entries(),
          aggregate_entries(), window_entries(), hash_entries(), json_entries(), avro_entries(),
          variant_entries(), math_entries(), generator_entries(), sketch_entries()}) {
      for (const auto& entry : entries) CHECK(map->emplace(entry.name, &entry).second);
    }
    return map;
  }();
  return *all;
}

// One parameter letter, and what follows it.
struct Parameter {
  char letter;
  bool optional;
  bool repeated;
};

std::vector<Parameter> parse_parameters(std::string_view text) {
  std::vector<Parameter> out;
  bool optional = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    optional = optional || next == '?';
    out.push_back({text[i], optional, next == '*'});
    if (next == '?' || next == '*') ++i;
  }
  return out;
}

std::string arity_text(const std::vector<Parameter>& parameters) {
  std::size_t least = 0;
  bool open = false;
  for (const auto& parameter : parameters) {
    if (parameter.repeated) {
      open = true;
    } else if (!parameter.optional) {
      ++least;
    }
  }
  if (open) return fmt::format("> {}", least == 0 ? 0 : least - 1);
  if (least == parameters.size()) return std::to_string(least);
  std::vector<std::string> counts;
  for (std::size_t n = least; n <= parameters.size(); ++n) counts.push_back(std::to_string(n));
  return "[" + join(counts, ", ") + "]";
}

TypePtr concrete(char letter) {
  switch (letter) {
    case 'b':
      return column::boolean_type();
    case 'y':
      return column::byte_type();
    case 'h':
      return column::short_type();
    case 'i':
      return column::int_type();
    case 'l':
      return column::long_type();
    case 'f':
      return column::float_type();
    case 'd':
      return column::double_type();
    case 's':
      return column::string_type();
    case 'x':
      return column::binary_type();
    case 'D':
      return column::date_type();
    case 'T':
      return column::timestamp_type();
    default:
      return nullptr;
  }
}

std::string required_text(char letter) {
  if (const TypePtr type = concrete(letter)) return quoted(type);
  switch (letter) {
    case 'n':
    case 'N':
    case 'm':
      return "\"NUMERIC\"";
    case 'I':
      return "\"INTEGRAL\"";
    case 'c':
      return "(\"STRING\" or \"BINARY\")";
    case 't':
      return "(\"TIMESTAMP\" or \"TIMESTAMP_NTZ\")";
    case 'e':
      return "(\"TIMESTAMP_NTZ\" or \"TIMESTAMP\")";
    case 'A':
      return "\"ARRAY\"";
    case 'M':
      return "\"MAP\"";
    case 'S':
      return "\"STRUCT\"";
    default:
      return "\"ANY\"";
  }
}

bool is_null(const DataType& type) { return type.kind() == TypeKind::null; }

TypePtr accept_number(char letter, const TypePtr& type) {
  if (is_null(*type) || type->is_string()) return column::double_type();
  if (!type->is_numeric()) return nullptr;
  if (letter == 'I') return type->is_integral() ? type : nullptr;
  const bool decimal = type->kind() == TypeKind::decimal;
  if (letter == 'N' && decimal) return column::double_type();
  if (letter == 'm' && !decimal) return column::double_type();
  return type;
}

// The type that an argument takes for a parameter; nothing: it does not fit.
TypePtr accept(char letter, const TypePtr& type) {
  if (const TypePtr wanted = concrete(letter)) {
    if (type->is_string() && wanted->is_string()) return column::string_type();
    return fits_parameter(*type, *wanted) ? wanted : nullptr;
  }
  const TypeKind kind = type->kind();
  switch (letter) {
    case 'n':
    case 'N':
    case 'm':
    case 'I':
      return letter == 'I' && is_null(*type) ? column::int_type() : accept_number(letter, type);
    case 'c':
      if (kind == TypeKind::binary) return type;
      return type->is_nested() ? nullptr : column::string_type();
    case 't':
      return kind == TypeKind::timestamp_ntz ? type : accept('T', type);
    case 'e':
      return kind == TypeKind::timestamp_ntz || kind == TypeKind::date ? type : accept('T', type);
    case 'A':
      return kind == TypeKind::array || is_null(*type) ? type : nullptr;
    case 'M':
      return kind == TypeKind::map || is_null(*type) ? type : nullptr;
    case 'S':
      return kind == TypeKind::struct_ || is_null(*type) ? type : nullptr;
    default:
      return type;
  }
}

constexpr std::string_view ordinals[] = {"first", "second", "third",  "fourth",
                                         "fifth", "sixth",  "seventh"};

Status not_orderable(const Request& request, const TypePtr& type) {
  return mismatch("INVALID_ORDERING_TYPE", pretty_from(request.entry.pretty, request),
                  {{"functionName", "`" + request.name + "`"}, {"dataType", quoted(type)}});
}

Status check_arity(const Request& request, const std::vector<Parameter>& parameters) {
  std::size_t least = 0;
  std::size_t most = 0;
  for (const auto& parameter : parameters) {
    if (parameter.repeated) {
      most = 100000;
    } else {
      least += parameter.optional ? 0 : 1;
      ++most;
    }
  }
  const std::size_t given = request.arguments.size();
  if (given >= least && given <= most) return Status::OK();
  return wrong_arity(request, arity_text(parameters));
}

// A time of day is for Spark as any date until it is cast to one. Functions of whole days and of
// seconds since 1970 look at its type themselves.
Status no_date(const Request& request, const Argument& time, char letter) {
  const bool date = letter == 'D';
  if (!date && letter != 'T' && letter != 't' && letter != 'e') return Status::OK();
  if (request.name.starts_with("unix_") || request.name.starts_with("date_add") ||
      request.name.starts_with("date_sub") || request.name == "dateadd")
    return Status::OK();
  return mismatch("CAST_WITHOUT_SUGGESTION", time.sql,
                  {{"srcType", quoted(time.type)},
                   {"targetType", quoted(date ? column::date_type() : column::timestamp_type())}});
}

Status check_arguments(const Request& request, const std::vector<Parameter>& parameters, Call* call,
                       TypePtr* common) {
  std::vector<Argument> joined;
  for (std::size_t i = 0; i < request.arguments.size(); ++i) {
    const Parameter& parameter = parameters[std::min(i, parameters.size() - 1)];
    const Argument& argument = request.arguments[i];
    const TypePtr type = accept(parameter.letter, argument.type);
    if (type == nullptr && argument.type->kind() == TypeKind::time)
      TRY(no_date(request, argument, parameter.letter));
    if (type == nullptr) return unexpected_input(request, i, required_text(parameter.letter));
    if (parameter.letter == 'o' && !is_orderable(*type)) return not_orderable(request, type);
    if (parameter.letter == 'w') joined.push_back(argument);
    call->argument_types[i] = type;
  }
  if (joined.empty()) return Status::OK();
  const bool ansi = request.settings.ansi;
  *common = request.name == "greatest" || request.name == "least"
                ? wider_type_without_text(joined, ansi)
                : wider_type_of(joined, ansi);
  if (*common == nullptr) {
    std::vector<std::string> types;
    for (const auto& argument : joined) types.push_back(quoted(argument.type));
    const bool listed = request.name == "greatest" || request.name == "least";
    return mismatch(
        "DATA_DIFF_TYPES", pretty_from(request.entry.pretty, request),
        {{"functionName", "`" + request.name + "`"},
         {"dataType", listed ? "[" + join(types, ", ") + "]" : "(" + join(types, " or ") + ")"}});
  }
  for (std::size_t i = 0; i < request.arguments.size(); ++i) {
    const Parameter& parameter = parameters[std::min(i, parameters.size() - 1)];
    if (parameter.letter == 'w') call->argument_types[i] = *common;
  }
  return Status::OK();
}

void add_defaults(const Request& request, std::size_t parameter_count, Call* call) {
  if (request.entry.defaults.empty()) return;
  const auto values = split(request.entry.defaults, ',');
  const std::size_t given = request.arguments.size();
  const std::size_t missing = parameter_count > given ? parameter_count - given : 0;
  for (std::size_t i = 0; i < missing && i < values.size(); ++i) {
    const std::string& value = values[values.size() - missing + i];
    if (const auto number = parse_int64(value)) {
      call->added_arguments.push_back(int_literal(static_cast<std::int32_t>(*number)));
    } else {
      call->added_arguments.push_back(string_literal(value));
    }
    const auto close = call->pretty.rfind(')');
    if (close != std::string::npos) call->pretty.insert(close, ", " + value);
  }
}

}  // namespace

const Entry* find_entry(std::string_view name) {
  const auto found = index().find(name);
  return found == index().end() ? nullptr : found->second;
}

std::string pretty_call(std::string_view name, const Request& request) {
  std::vector<std::string> texts;
  for (const auto& argument : request.arguments) texts.push_back(argument.sql);
  return fmt::format("{}({}{})", name, request.distinct ? "DISTINCT " : "", join(texts, ", "));
}

std::string pretty_from(std::string_view pattern, const Request& request) {
  if (pattern.empty()) return pretty_call(request.name, request);
  if (pattern == "^") return pretty_call(to_upper(request.name), request);
  std::vector<std::string> texts;
  for (const auto& argument : request.arguments) texts.push_back(argument.sql);
  return expand_template(pattern, texts, "", "");
}

bool any_nullable(const Request& request) {
  return std::any_of(request.arguments.begin(), request.arguments.end(),
                     [](const Argument& argument) { return argument.nullable; });
}

Status wrong_arity(const Request& request, const std::string& expected) {
  return Status::error("WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
                       {{"functionName", "`" + request.name + "`"},
                        {"expectedNum", expected},
                        {"actualNum", std::to_string(request.arguments.size())},
                        {"docroot", "https://spark.apache.org/docs/latest"}});
}

Status mismatch(std::string_view subclass, const std::string& sql, ErrorParameters parameters) {
  parameters.emplace("sqlExpr", "\"" + sql + "\"");
  return Status::error("DATATYPE_MISMATCH." + std::string(subclass), std::move(parameters));
}

Status unexpected_input(const Request& request, std::size_t index, const std::string& required) {
  return unexpected_input(request, index, required, pretty_from(request.entry.pretty, request));
}

Status unexpected_input(const Request& request, std::size_t index, const std::string& required,
                        const std::string& sql) {
  const Argument& argument = request.arguments[index];
  const std::string place =
      index < std::size(ordinals) ? std::string(ordinals[index]) : fmt::format("{}th", index + 1);
  return mismatch("UNEXPECTED_INPUT_TYPE", sql,
                  {{"paramIndex", place},
                   {"requiredType", required},
                   {"inputSql", "\"" + argument.sql + "\""},
                   {"inputType", quoted(argument.type)}});
}

std::shared_ptr<arrow::Scalar> int_literal(std::int32_t value) {
  return std::make_shared<arrow::Int32Scalar>(value);
}

std::shared_ptr<arrow::Scalar> string_literal(std::string_view value) {
  return std::make_shared<arrow::StringScalar>(std::string(value));
}

std::optional<std::string> literal_text(const Argument& argument) {
  if (argument.literal == nullptr || !argument.literal->is_valid || !argument.type->is_string())
    return std::nullopt;
  return argument.literal->ToString();
}

std::optional<std::int64_t> literal_int(const Argument& argument) {
  if (argument.literal == nullptr || !argument.literal->is_valid || !argument.type->is_integral())
    return std::nullopt;
  return parse_int64(argument.literal->ToString());
}

Call begin_call(const Request& request) {
  Call call;
  call.name = request.entry.canonical.empty() ? request.entry.name : request.entry.canonical;
  call.pretty = pretty_from(request.entry.pretty, request);
  call.kind = request.entry.kind;
  call.deterministic = request.entry.deterministic;
  for (const auto& argument : request.arguments) call.argument_types.push_back(argument.type);
  return call;
}

Result<Call> apply_signature(const Request& request) {
  const auto parameters = parse_parameters(request.entry.parameters);
  TRY(check_arity(request, parameters));
  Call call = begin_call(request);
  TypePtr common;
  TRY(check_arguments(request, parameters, &call, &common));
  const char result = request.entry.result[0];
  if (result >= '0' && result <= '9') {
    call.type = call.argument_types[static_cast<std::size_t>(result - '0')];
  } else {
    call.type = result == 'w' ? common : concrete(result);
  }
  CHECK(call.type != nullptr);
  call.nullable = request.entry.null == '~' || (request.entry.null == ' ' && any_nullable(request));
  add_defaults(request, parameters.size(), &call);
  return call;
}

namespace {

// A string that is read as something else, or a fraction as a whole number, makes the result
// nullable, also where ANSI mode fails instead. Not for functions that look at NULLs themselves.
bool reads_strings(const Request& request, const Call& call) {
  static constexpr std::string_view own[] = {
      "coalesce", "nvl",  "ifnull", "named_struct", "struct",
      "array",    "map",  "hash",   "xxhash64",     "typeof",
      "if",       "nvl2", "<=>",    "equal_null",   "null_safe_equal"};
  if (std::find(std::begin(own), std::end(own), request.name) != std::end(own)) return false;
  for (std::size_t i = 0; i < request.arguments.size() && i < call.argument_types.size(); ++i) {
    const DataType& from = *request.arguments[i].type;
    const DataType& to = *call.argument_types[i];
    const bool read = from.is_string() && !to.is_string() && to.kind() != TypeKind::binary;
    const bool cut = from.is_numeric() && !from.is_integral() && to.is_integral();
    if (read || cut) return true;
  }
  return false;
}

}  // namespace

Result<Call> resolve(std::string_view name, const std::vector<Argument>& arguments, bool distinct,
                     const Settings& settings) {
  const std::string lower = to_lower(name);
  const Entry* entry = find_entry(lower);
  // A row without rule and result is a target of other rows' rules, not a name for users.
  if (entry == nullptr || (entry->rule == nullptr && entry->result.empty())) {
    std::vector<std::string> parts;
    for (const auto& part : split(name, '.')) parts.push_back("`" + part + "`");
    return Status::error("UNRESOLVED_ROUTINE", {{"routineName", join(parts, ".")},
                                                {"searchPath", std::string(search_path)}});
  }
  const Request request{*entry, lower, arguments, distinct, settings};
  TRY_ASSIGN(Call call, entry->rule != nullptr ? entry->rule(request) : apply_signature(request));
  if (entry->null == ' ' && call.kind == FunctionKind::scalar && reads_strings(request, call))
    call.nullable = true;
  return call;
}

bool exists(std::string_view name) {
  const Entry* entry = find_entry(to_lower(name));
  return entry != nullptr && (entry->rule != nullptr || !entry->result.empty());
}

std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const auto& [name, entry] : index()) {
    const bool word = (name[0] >= 'a' && name[0] <= 'z') || name[0] == '_';
    const bool internal = name.starts_with("ms_");
    if (word && !internal && exists(name)) out.emplace_back(name);
  }
  std::sort(out.begin(), out.end());
  return out;
}

FunctionKind kind_of(std::string_view name) {
  const Entry* entry = find_entry(to_lower(name));
  return entry == nullptr ? FunctionKind::scalar : entry->kind;
}

std::optional<std::string_view> sql_template(std::string_view canonical) {
  const Entry* entry = find_entry(canonical);
  if (entry == nullptr) return std::nullopt;
  return entry->sql;
}

bool takes_options(std::string_view name) {
  static constexpr std::string_view names[] = {
      "from_json", "to_json", "from_csv",      "to_csv",    "schema_of_json", "schema_of_csv",
      "from_xml",  "to_xml",  "schema_of_xml", "from_avro", "to_avro",        "schema_of_avro"};
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

std::map<std::string, std::string> function_options(std::string_view text) {
  std::map<std::string, std::string> out;
  for (const auto& pair : split(text, '\x1e')) {
    const auto middle = pair.find('\x1f');
    if (middle != std::string::npos)
      out[to_lower(pair.substr(0, middle))] = pair.substr(middle + 1);
  }
  return out;
}

std::string expand_template(std::string_view text, const std::vector<std::string>& arguments,
                            std::string_view time_zone, std::string_view type) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto close = text[at] == '{' ? text.find('}', at) : std::string_view::npos;
    if (close == std::string_view::npos) {
      out += text[at++];
      continue;
    }
    std::string_view key = text.substr(at + 1, close - at - 1);
    at = close + 1;
    if (key == "tz") {
      out += time_zone;
    } else if (key == "type") {
      out += type;
    } else {
      const bool rest = key.ends_with('*');
      const std::size_t first =
          key.empty() || key[0] == '*' ? 0 : static_cast<std::size_t>(key[0] - '0');
      const std::size_t last = rest ? arguments.size() : std::min(first + 1, arguments.size());
      for (std::size_t i = first; i < last; ++i) out += (i > first ? ", " : "") + arguments[i];
    }
  }
  return out;
}

}  // namespace millstream::functions
