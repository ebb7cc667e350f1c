// Hashes and functions about the query rather than its rows.
#include "functions/table.h"

namespace millstream::functions {

using column::TypeKind;

namespace {

bool has_map(const column::DataType& type) {
  if (type.kind() == TypeKind::map) return true;
  for (const auto& field : type.fields()) {
    if (has_map(*field.type)) return true;
  }
  return false;
}

Result<Call> hash(const Request& request) {
  if (request.arguments.empty()) return wrong_arity(request, "> 0");
  Call call = begin_call(request);
  for (const auto& argument : request.arguments) {
    if (has_map(*argument.type)) {
      return mismatch("HASH_MAP_TYPE", call.pretty, {{"functionName", "`" + request.name + "`"}});
    }
  }
  call.type = call.name == "hash" ? column::int_type() : column::long_type();
  call.nullable = false;
  return call;
}

Result<Call> type_of_argument(const Request& request) {
  if (request.arguments.size() != 1) return wrong_arity(request, "1");
  Call call = begin_call(request);
  call.added_arguments.push_back(string_literal(request.arguments[0].type->simple_string()));
  call.type = column::string_type();
  call.nullable = false;
  return call;
}

Result<Call> raise(const Request& request) {
  if (request.name == "raise_error" && request.arguments.size() != 1)
    return Status::unsupported("{} with a condition name is not supported", request.name);
  TRY_ASSIGN(Call call, apply_signature(request));
  call.type = column::null_type();
  call.nullable = true;
  return call;
}

// Calls of Java's own methods: there is no JVM.
Result<Call> java_call(const Request& request) {
  return Status::unsupported("{} calls a method of a Java class, which Millstream cannot run",
                             request.name);
}

const Entry entries[] = {
    {.name = "reflect", .rule = java_call},
    {.name = "try_reflect", .rule = java_call},
    {.name = "java_method", .rule = java_call},
    {.name = "hash", .rule = hash},
    {.name = "xxhash64", .rule = hash},
    {.name = "typeof", .sql = "{1}", .rule = type_of_argument},
    {.name = "monotonically_increasing_id",
     .parameters = "",
     .result = "l",
     .null = '!',
     .deterministic = false},
    // What the pandas API numbers rows with.
    {.name = "distributed_sequence_id",
     .parameters = "b?",
     .result = "l",
     .null = '!',
     .deterministic = false},
    {.name = "distributed_id",
     .parameters = "",
     .result = "l",
     .null = '!',
     .canonical = "monotonically_increasing_id",
     .deterministic = false},
    {.name = "spark_partition_id",
     .parameters = "",
     .result = "i",
     .null = '!',
     .pretty = "SPARK_PARTITION_ID()",
     .deterministic = false},
    {.name = "raise_error",
     .parameters = "s",
     .result = "s",
     .sql = "ms_raise_error(coalesce({0}, 'null'))",
     .rule = raise,
     .deterministic = false},
    // What CHAR(n) and VARCHAR(n) take of a text; and CHAR(n) as it is compared and read.
    {.name = "ms_fit_char", .parameters = "si", .result = "s", .sql = "ms_fit_char({0}, {1})"},
    {.name = "ms_fit_varchar",
     .parameters = "si",
     .result = "s",
     .sql = "ms_fit_varchar({0}, {1})"},
    {.name = "ms_fill_char", .parameters = "si", .result = "s", .sql = "ms_fill_char({0}, {1})"},
    {.name = "ms_exceeded",
     .parameters = "ss",
     .result = "s",
     .sql = "ms_exceeded({0}, {1})",
     .rule = raise,
     .deterministic = false},
    // A row that breaks a table's rule: the rule's name, its expression, the row's values.
    {.name = "ms_violated",
     .parameters = "sss",
     .result = "s",
     .sql = "ms_violated({0}, {1}, {2})",
     .rule = raise,
     .deterministic = false},
    {.name = "assert_true",
     .parameters = "bs?",
     .result = "s",
     .sql = "CASE WHEN {0} THEN NULL ELSE ms_raise_error({1}) END",
     .rule = [](const Request& request) -> Result<Call> {
       TRY_ASSIGN(Call call, apply_signature(request));
       if (request.arguments.size() == 1) {
         const std::string text = "'" + request.arguments[0].sql + "' is not true!";
         call.added_arguments.push_back(string_literal(text));
         call.pretty = "assert_true(" + request.arguments[0].sql + ", " + text + ")";
       }
       call.type = column::null_type();
       call.nullable = true;
       call.deterministic = false;
       return call;
     }},
    // The path of a hidden column as input_file_name() shows it.
    {.name = "ms_input_file_name",
     .parameters = "s",
     .result = "s",
     .sql = "CASE WHEN starts_with({0}, 'file:/') AND NOT starts_with({0}, 'file://') THEN "
            "'file://' || substr({0}, 6) ELSE {0} END"},
    {.name = "current_catalog",
     .parameters = "",
     .result = "s",
     .sql = "'spark_catalog'",
     .null = '!'},
    {.name = "version", .parameters = "", .result = "s", .sql = "'4.2.0'", .null = '!'},
};

}  // namespace

std::span<const Entry> hash_entries() { return entries; }

}  // namespace millstream::functions
