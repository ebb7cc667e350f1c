// Arrays, maps and structs.
#include "base/text.h"
#include "functions/table.h"

namespace millstream::functions {

using column::Field;
using column::TypeKind;
using column::TypePtr;

namespace {

std::vector<std::string> types_of(const Request& request, std::size_t first, std::size_t step) {
  std::vector<std::string> types;
  for (std::size_t i = first; i < request.arguments.size(); i += step)
    types.push_back(quoted(request.arguments[i].type));
  return types;
}

std::string types_text(const Request& request) {
  return "(" + join(types_of(request, 0, 1), " or ") + ")";
}

std::string types_list(const Request& request, std::size_t first, std::size_t step) {
  return "[" + join(types_of(request, first, step), ", ") + "]";
}

Result<Call> make_array(const Request& request) {
  Call call = begin_call(request);
  const TypePtr common = wider_type_of(request.arguments, request.settings.ansi);
  if (common == nullptr) {
    return mismatch("DATA_DIFF_TYPES", call.pretty,
                    {{"functionName", "`array`"}, {"dataType", types_text(request)}});
  }
  call.argument_types.assign(request.arguments.size(), common);
  call.type = column::array_type(common, any_nullable(request));
  call.nullable = false;
  return call;
}

// A function that makes maps, under the session's policy for keys that come twice.
Call of_keys(const Request& request, Call call) {
  if (request.settings.map_keys_last_win) call.name += "_last_win";
  return call;
}

Result<Call> make_map(const Request& request) {
  if (request.arguments.size() % 2 != 0) {
    return wrong_arity(request, "2n (n > 0)");
  }
  Call call = begin_call(request);
  std::vector<Argument> sides[2];
  for (std::size_t i = 0; i < request.arguments.size(); ++i)
    sides[i % 2].push_back(request.arguments[i]);
  const TypePtr key = wider_type_of(sides[0], request.settings.ansi);
  const TypePtr value = wider_type_of(sides[1], request.settings.ansi);
  if (key == nullptr) {
    return mismatch("CREATE_MAP_KEY_DIFF_TYPES", call.pretty,
                    {{"functionName", "`map`"}, {"dataType", types_list(request, 0, 2)}});
  }
  if (value == nullptr) {
    return mismatch("CREATE_MAP_VALUE_DIFF_TYPES", call.pretty,
                    {{"functionName", "`map`"}, {"dataType", types_list(request, 1, 2)}});
  }
  if (key->kind() == TypeKind::map) {
    return mismatch("INVALID_MAP_KEY_TYPE", call.pretty, {{"keyType", "\"MAP\""}});
  }
  bool nulls = false;
  for (const auto& argument : sides[1]) nulls = nulls || argument.nullable;
  for (std::size_t i = 0; i < request.arguments.size(); ++i)
    call.argument_types[i] = i % 2 == 0 ? key : value;
  call.type = column::map_type(key, value, nulls);
  call.nullable = false;
  return of_keys(request, std::move(call));
}

// named_struct(name, value, …): the analyzer turns struct(a, b) into it.
Result<Call> named_struct(const Request& request) {
  if (request.arguments.empty() || request.arguments.size() % 2 != 0)
    return wrong_arity(request, "2n (n > 0)");
  Call call = begin_call(request);
  std::vector<Field> fields;
  for (std::size_t i = 0; i < request.arguments.size(); i += 2) {
    const auto name = literal_text(request.arguments[i]);
    if (!name) {
      return mismatch("CREATE_NAMED_STRUCT_WITHOUT_FOLDABLE_STRING", call.pretty,
                      {{"inputExprs", "[\"" + request.arguments[i].sql + "\"]"}});
    }
    fields.push_back({*name, request.arguments[i + 1].type, request.arguments[i + 1].nullable, {}});
  }
  call.type = column::struct_type(std::move(fields));
  call.nullable = false;
  return call;
}

// struct(a, b): the names are the arguments' texts when they are columns, col1… otherwise. The
// analyzer knows which and should call named_struct; this rule serves plain columns.
Result<Call> make_struct(const Request& request) {
  Call call = begin_call(request);
  std::vector<Field> fields;
  for (std::size_t i = 0; i < request.arguments.size(); ++i) {
    const std::string& text = request.arguments[i].sql;
    const bool plain = text.find_first_of("()+*/ ") == std::string::npos &&
                       request.arguments[i].literal == nullptr;
    const auto dot = text.rfind('.');
    const std::string name = plain ? (dot == std::string::npos ? text : text.substr(dot + 1))
                                   : fmt::format("col{}", i + 1);
    fields.push_back({name, request.arguments[i].type, request.arguments[i].nullable, {}});
  }
  call.type = column::struct_type(std::move(fields));
  call.nullable = false;
  return call;
}

Result<Call> size(const Request& request) {
  if (request.arguments.size() != 1) return wrong_arity(request, "1");
  Call call = begin_call(request);
  const TypeKind kind = request.arguments[0].type->kind();
  if (kind == TypeKind::null) {
    call.argument_types[0] = column::array_type(column::null_type(), true);
  } else if (kind != TypeKind::array && kind != TypeKind::map) {
    return unexpected_input(request, 0, "(\"ARRAY\" or \"MAP\")");
  }
  if (kind == TypeKind::map) call.name = "size_map";
  call.type = column::int_type();
  call.nullable = any_nullable(request);
  // Without ANSI the size of NULL is -1.
  if (!request.settings.ansi) {
    call.name += "_legacy";
    call.nullable = false;
  }
  return call;
}

// Whether the second argument can be a key of the map that the first is.
Status check_key(const Request& request, const Call& call) {
  const TypePtr& map = request.arguments[0].type;
  const TypePtr& key = request.arguments[1].type;
  const bool apart = key->is_string() != map->key()->is_string() && key->kind() != TypeKind::null;
  if (!request.settings.ansi && apart) {
    return mismatch("MAP_FUNCTION_DIFF_TYPES", call.pretty,
                    {{"functionName", "`" + request.name + "`"},
                     {"dataType", "\"MAP\""},
                     {"leftType", quoted(map)},
                     {"rightType", quoted(key)}});
  }
  return can_cast_implicitly(*key, *map->key()) ? Status::OK()
                                                : unexpected_input(request, 1, quoted(map->key()));
}

// x[i], x[key]: the analyzer's extract of arrays and maps.
Result<Call> get_item(const Request& request) {
  if (request.arguments.size() != 2) return wrong_arity(request, "2");
  Call call = begin_call(request);
  const TypePtr& container = request.arguments[0].type;
  call.nullable = true;
  if (container->kind() == TypeKind::array) {
    if (!request.arguments[1].type->is_integral())
      return unexpected_input(request, 1, request.settings.ansi ? "\"INTEGRAL\"" : "\"INT\"");
    call.argument_types[1] = column::long_type();
    call.type = container->element();
    return call;
  }
  if (container->kind() != TypeKind::map)
    return unexpected_input(request, 0, "(\"ARRAY\" or \"MAP\")");
  TRY(check_key(request, call));
  call.name = "get_map_value";
  call.argument_types[1] = container->key();
  call.type = container->value();
  return call;
}

// The arguments of a map and a key. A key of another type of numbers makes a map of keys that are
// of the wider of both.
Result<std::vector<Argument>> with_common_key(const Request& request) {
  const TypePtr& map = request.arguments[0].type;
  const TypePtr& key = request.arguments[1].type;
  const bool decimals = map->key()->kind() == TypeKind::decimal || key->kind() == TypeKind::decimal;
  const bool known = key->kind() != TypeKind::null && map->key()->kind() != TypeKind::null;
  const TypePtr common =
      map->key()->is_string() != key->is_string() || (decimals && map->key()->kind() != key->kind())
          ? nullptr
          : tightest_type(map->key(), key, request.settings.ansi);
  if (known && common == nullptr) {
    return mismatch("MAP_FUNCTION_DIFF_TYPES", begin_call(request).pretty,
                    {{"functionName", "`" + request.name + "`"},
                     {"dataType", "\"MAP\""},
                     {"leftType", quoted(map)},
                     {"rightType", quoted(key)}});
  }
  std::vector<Argument> out = request.arguments;
  if (known && map->key()->is_numeric() && !column::same_type(common, map->key()))
    out[0].type = column::map_type(common, map->value(), map->value_contains_null());
  return out;
}

Result<Call> element_at(const Request& given) {
  const bool of_map =
      given.arguments.size() == 2 && given.arguments[0].type->kind() == TypeKind::map;
  std::vector<Argument> arguments = given.arguments;
  if (of_map) {
    TRY_ASSIGN(arguments, with_common_key(given));
  }
  const Request request{given.entry, given.name, arguments, given.distinct, given.settings};
  TRY_ASSIGN(Call call, get_item(request));
  if (call.name == "get_map_value") return call;
  call.name = request.name;
  return call;
}

// A function of an array and one value of its element type.
Result<Call> with_element(const Request& request) {
  if (request.arguments.size() != 2) return wrong_arity(request, "2");
  Call call = begin_call(request);
  const TypePtr& array = request.arguments[0].type;
  const TypePtr& value = request.arguments[1].type;
  if (array->kind() != TypeKind::array) return unexpected_input(request, 0, "\"ARRAY\"");
  if (value->kind() == TypeKind::null && call.name == "array_contains") {
    return mismatch("NULL_TYPE", call.pretty, {{"functionName", "`" + request.name + "`"}});
  }
  const bool ansi = request.settings.ansi;
  const bool known = value->kind() != TypeKind::null && array->element()->kind() != TypeKind::null;
  const bool mixed = known && value->is_string() != array->element()->is_string();
  const TypePtr common = mixed  ? nullptr
                         : ansi ? wider_type(array->element(), value, ansi)
                                : tightest_type(array->element(), value, ansi);
  if (common == nullptr) {
    return mismatch("ARRAY_FUNCTION_DIFF_TYPES", call.pretty,
                    {{"functionName", "`" + request.name + "`"},
                     {"dataType", "\"ARRAY\""},
                     {"leftType", quoted(array)},
                     {"rightType", quoted(value)}});
  }
  if (!is_orderable(*common) && call.name != "array_append" && call.name != "array_prepend") {
    return mismatch("INVALID_ORDERING_TYPE", call.pretty,
                    {{"functionName", "`" + request.name + "`"}, {"dataType", quoted(common)}});
  }
  const bool grows = call.name == "array_append" || call.name == "array_prepend";
  const TypePtr as_array = column::array_type(common, array->contains_null() || grows);
  call.argument_types = {as_array, common};
  if (call.name == "array_contains") {
    call.type = column::boolean_type();
    call.nullable = any_nullable(request) || array->contains_null();
  } else if (call.name == "array_position") {
    call.type = column::long_type();
    call.nullable = any_nullable(request);
  } else {
    call.type = as_array;
    call.nullable = grows ? request.arguments[0].nullable : any_nullable(request);
  }
  return call;
}

// array -> array of the same type.
Result<Call> same_array(const Request& request) {
  if (request.arguments.empty() || request.arguments.size() > 2) return wrong_arity(request, "1");
  Call call = begin_call(request);
  const TypePtr& array = request.arguments[0].type;
  if (array->kind() != TypeKind::array) return unexpected_input(request, 0, "\"ARRAY\"");
  const bool ordered =
      call.name == "sort_array" || call.name == "array_sort" || call.name == "array_distinct";
  if (ordered && !is_orderable(*array->element())) {
    return mismatch("INVALID_ORDERING_TYPE", call.pretty,
                    {{"functionName", "`" + request.name + "`"}, {"dataType", quoted(array)}});
  }
  call.type = call.name == "array_compact" ? column::array_type(array->element(), false) : array;
  call.nullable = request.arguments[0].nullable;
  if (request.name == "array_sort") {
    constexpr std::string_view variable = "namedlambdavariable()";
    call.pretty = fmt::format(
        "array_sort({0}, lambdafunction((IF((({1} IS NULL) AND ({1} IS NULL)), 0, (IF(({1} IS "
        "NULL), 1, (IF(({1} IS NULL), -1, (IF(({1} < {1}), -1, (IF(({1} > {1}), 1, 0)))))))))), "
        "{1}, {1}))",
        request.arguments[0].sql, variable);
  }
  if (call.name == "sort_array") {
    if (request.arguments.size() == 2) {
      if (request.arguments[1].literal == nullptr)
        return unexpected_input(request, 1, "\"BOOLEAN\"");
      if (request.arguments[1].sql == "false") call.name = "sort_array_descending";
    } else {
      call.pretty = pretty_from("sort_array({0}, true)", request);
    }
    return call;
  }
  if (request.arguments.size() != 1)
    return Status::unsupported("{} with a comparator is not supported", request.name);
  return call;
}

// array_union and kin: two arrays of one type.
Result<Call> set_of_arrays(const Request& request) {
  if (request.arguments.size() != 2) return wrong_arity(request, "2");
  Call call = begin_call(request);
  const TypePtr& a = request.arguments[0].type;
  const TypePtr& b = request.arguments[1].type;
  const bool arrays = a->kind() == TypeKind::array && b->kind() == TypeKind::array;
  const TypePtr common = arrays ? tightest_type(a, b, request.settings.ansi) : nullptr;
  if (common == nullptr) {
    return mismatch("BINARY_ARRAY_DIFF_TYPES", call.pretty,
                    {{"functionName", "`" + request.name + "`"},
                     {"arrayType", "\"ARRAY\""},
                     {"leftType", quoted(a)},
                     {"rightType", quoted(b)}});
  }
  if (!is_orderable(*common->element())) {
    return mismatch("INVALID_ORDERING_TYPE", call.pretty,
                    {{"functionName", "`" + request.name + "`"}, {"dataType", quoted(common)}});
  }
  const bool nulls = call.name == "array_union"    ? a->contains_null() || b->contains_null()
                     : call.name == "array_except" ? a->contains_null()
                                                   : a->contains_null() && b->contains_null();
  call.argument_types = {common, common};
  if (call.name == "arrays_overlap") {
    call.type = column::boolean_type();
    call.nullable = any_nullable(request) || a->contains_null() || b->contains_null();
    return call;
  }
  call.type = column::array_type(common->element(), nulls);
  call.nullable = any_nullable(request);
  return call;
}

// array_insert(array, position, element)
Result<Call> array_insert(const Request& request) {
  if (request.arguments.size() != 3) return wrong_arity(request, "3");
  Call call = begin_call(request);
  const TypePtr& array = request.arguments[0].type;
  const TypePtr& position = request.arguments[1].type;
  const TypePtr& element = request.arguments[2].type;
  const TypePtr common = array->kind() == TypeKind::array
                             ? tightest_type(array->element(), element, request.settings.ansi)
                             : nullptr;
  if (common == nullptr) {
    return mismatch("ARRAY_FUNCTION_DIFF_TYPES", call.pretty,
                    {{"functionName", "`array_insert`"},
                     {"dataType", "\"ARRAY\""},
                     {"leftType", quoted(array)},
                     {"rightType", quoted(array->kind() == TypeKind::array ? element : position)}});
  }
  if (!position->is_integral() || position->kind() == TypeKind::long_)
    return unexpected_input(request, 1, "\"INT\"");
  call.argument_types = {column::array_type(common, array->contains_null()), column::int_type(),
                         common};
  call.type = column::array_type(common, true);
  call.nullable = request.arguments[0].nullable || request.arguments[1].nullable;
  return call;
}

Result<Call> array_size(const Request& request) {
  if (request.arguments.size() != 1) return wrong_arity(request, "1");
  Call call = begin_call(request);
  const TypePtr& type = request.arguments[0].type;
  if (type->kind() == TypeKind::null) {
    call.argument_types[0] = column::array_type(column::null_type(), true);
  } else if (type->kind() != TypeKind::array) {
    return unexpected_input(request, 0, "\"ARRAY\"");
  }
  call.type = column::int_type();
  call.nullable = any_nullable(request);
  return call;
}

Result<Call> arrays_zip(const Request& request) {
  Call call = begin_call(request);
  std::vector<Field> fields;
  for (std::size_t i = 0; i < request.arguments.size(); ++i) {
    const Argument& argument = request.arguments[i];
    if (argument.type->kind() == TypeKind::null) {
      call.argument_types[i] = column::array_type(column::null_type(), true);
      fields.push_back({std::to_string(i), column::null_type(), true, {}});
      continue;
    }
    if (argument.type->kind() != TypeKind::array) return unexpected_input(request, i, "\"ARRAY\"");
    // Columns give their names, other expressions their places.
    const bool plain =
        argument.sql.find_first_of("()[]+*/ ") == std::string::npos && argument.literal == nullptr;
    fields.push_back({plain ? argument.sql.substr(argument.sql.rfind('.') + 1) : std::to_string(i),
                      argument.type->element(),
                      true,
                      {}});
  }
  call.type = column::array_type(column::struct_type(std::move(fields)), false);
  call.nullable = any_nullable(request);
  return call;
}

Result<Call> array_extreme(const Request& request) {
  TRY_ASSIGN(Call call, same_array(request));
  call.type = request.arguments[0].type->element();
  call.nullable = true;
  return call;
}

Result<Call> flatten(const Request& request) {
  TRY_ASSIGN(Call call, same_array(request));
  const TypePtr& inner = request.arguments[0].type->element();
  if (inner->kind() != TypeKind::array)
    return unexpected_input(request, 0, "\"ARRAY\" of \"ARRAY\"");
  call.type = inner;
  call.nullable = any_nullable(request) || request.arguments[0].type->contains_null();
  return call;
}

Result<Call> map_part(const Request& request) {
  if (request.arguments.size() != 1) return wrong_arity(request, "1");
  Call call = begin_call(request);
  const TypePtr& map = request.arguments[0].type;
  if (map->kind() != TypeKind::map) return unexpected_input(request, 0, "\"MAP\"");
  call.nullable = any_nullable(request);
  if (call.name == "map_keys") {
    call.type = column::array_type(map->key(), true);
  } else if (call.name == "map_values") {
    call.type = column::array_type(map->value(), true);
  } else {
    call.type = column::array_type(
        column::struct_type({{"key", map->key(), false, {}},
                             {"value", map->value(), map->value_contains_null(), {}}}),
        false);
  }
  return call;
}

Result<Call> map_contains_key(const Request& request) {
  if (request.arguments.size() != 2) return wrong_arity(request, "2");
  Call call = begin_call(request);
  const TypePtr& map = request.arguments[0].type;
  if (map->kind() != TypeKind::map) return unexpected_input(request, 0, "\"MAP\"");
  if (request.arguments[1].type->kind() == TypeKind::null) {
    return mismatch("NULL_TYPE", call.pretty, {{"functionName", "`map_contains_key`"}});
  }
  TRY_ASSIGN(const auto arguments, with_common_key(request));
  call.argument_types[0] = arguments[0].type;
  call.argument_types[1] = arguments[0].type->key();
  call.type = column::boolean_type();
  call.nullable = true;
  return call;
}

Result<Call> map_from_arrays(const Request& request) {
  if (request.arguments.size() != 2) return wrong_arity(request, "2");
  Call call = begin_call(request);
  for (std::size_t i = 0; i < 2; ++i) {
    if (request.arguments[i].type->kind() != TypeKind::array)
      return unexpected_input(request, i, "\"ARRAY\"");
  }
  call.type =
      column::map_type(request.arguments[0].type->element(), request.arguments[1].type->element(),
                       request.arguments[1].type->contains_null());
  call.nullable = any_nullable(request);
  return of_keys(request, std::move(call));
}

Result<Call> map_from_entries(const Request& request) {
  if (request.arguments.size() != 1) return wrong_arity(request, "1");
  Call call = begin_call(request);
  const TypePtr& type = request.arguments[0].type;
  const bool pairs = type->kind() == TypeKind::array &&
                     type->element()->kind() == TypeKind::struct_ &&
                     type->element()->fields().size() == 2;
  if (!pairs) return unexpected_input(request, 0, "\"ARRAY\" of pair \"STRUCT\"");
  const auto& members = type->element()->fields();
  call.type = column::map_type(members[0].type, members[1].type, members[1].nullable);
  call.nullable = any_nullable(request) || type->contains_null();
  return of_keys(request, std::move(call));
}

Result<Call> map_concat(const Request& request) {
  Call call = begin_call(request);
  if (request.arguments.empty()) {
    call.type = column::map_type(column::string_type(), column::string_type(), true);
    call.nullable = false;
    return call;
  }
  TypePtr common = request.arguments[0].type;
  std::vector<std::string> types;
  for (const auto& argument : request.arguments) {
    types.push_back(quoted(argument.type));
    if (common != nullptr) {
      common = request.settings.ansi ? tightest_type(common, argument.type, true)
                                     : wider_type(common, argument.type, false);
    }
    if (argument.type->kind() != TypeKind::map) common = nullptr;
  }
  if (common == nullptr) {
    return mismatch(
        "MAP_CONCAT_DIFF_TYPES", call.pretty,
        {{"functionName", "`map_concat`"}, {"dataType", "[" + join(types, ", ") + "]"}});
  }
  call.argument_types.assign(request.arguments.size(), common);
  call.type = common;
  call.nullable = any_nullable(request);
  return of_keys(request, std::move(call));
}

// str_to_map(text[, between pairs[, between key and value]])
Result<Call> str_to_map(const Request& request) {
  const std::size_t given = request.arguments.size();
  if (given < 1 || given > 3) return wrong_arity(request, "[1, 3]");
  Call call = begin_call(request);
  for (std::size_t i = 0; i < given; ++i) {
    if (request.arguments[i].type->is_nested()) return unexpected_input(request, i, "\"STRING\"");
    call.argument_types[i] = column::string_type();
  }
  const std::string_view separators[] = {",", ":"};
  for (std::size_t i = given; i < 3; ++i) {
    call.added_arguments.push_back(string_literal(separators[i - 1]));
    call.pretty.insert(call.pretty.rfind(')'), fmt::format(", {}", separators[i - 1]));
  }
  call.type = column::map_type(column::string_type(), column::string_type(), true);
  call.nullable = any_nullable(request);
  return of_keys(request, std::move(call));
}

Result<Call> array_join(const Request& request) {
  if (request.arguments.size() < 2 || request.arguments.size() > 3)
    return wrong_arity(request, "[2, 3]");
  Call call = begin_call(request);
  if (request.arguments[0].type->kind() != TypeKind::array)
    return unexpected_input(request, 0, "\"ARRAY<STRING>\"");
  call.argument_types[0] =
      column::array_type(column::string_type(), request.arguments[0].type->contains_null());
  for (std::size_t i = 1; i < request.arguments.size(); ++i)
    call.argument_types[i] = column::string_type();
  if (request.arguments.size() == 3) call.name = "array_join_nulls";
  call.type = column::string_type();
  call.nullable = any_nullable(request);
  return call;
}

Result<Call> array_repeat(const Request& request) {
  if (request.arguments.size() != 2) return wrong_arity(request, "2");
  Call call = begin_call(request);
  const TypePtr& count = request.arguments[1].type;
  if (!fits_parameter(*count, *column::int_type()) ||
      (!request.settings.ansi && count->is_string()))
    return unexpected_input(request, 1, "\"INT\"");
  call.argument_types[1] = column::int_type();
  call.type = column::array_type(request.arguments[0].type, request.arguments[0].nullable);
  call.nullable = request.arguments[1].nullable;
  return call;
}

Result<Call> slice(const Request& request) {
  if (request.arguments.size() != 3) return wrong_arity(request, "3");
  Call call = begin_call(request);
  if (request.arguments[0].type->kind() != TypeKind::array)
    return unexpected_input(request, 0, "\"ARRAY\"");
  for (std::size_t i = 1; i < 3; ++i) {
    if (!fits_parameter(*request.arguments[i].type, *column::int_type()))
      return unexpected_input(request, i, "\"INT\"");
    call.argument_types[i] = column::int_type();
  }
  call.type = request.arguments[0].type;
  call.nullable = any_nullable(request);
  return call;
}

// sequence(start, stop[, step]) of timestamps, or of one and a date.
bool is_time_sequence(const Request& request) {
  const TypePtr common =
      wider_type(request.arguments[0].type, request.arguments[1].type, request.settings.ansi);
  return common != nullptr &&
         (common->kind() == TypeKind::timestamp || common->kind() == TypeKind::timestamp_ntz);
}

Result<Call> sequence_of_times(const Request& request, Call call) {
  const TypePtr common =
      wider_type(request.arguments[0].type, request.arguments[1].type, request.settings.ansi);
  call.argument_types[0] = common;
  call.argument_types[1] = common;
  call.name = "sequence_times_daily";
  if (request.arguments.size() == 3) {
    const TypeKind step = request.arguments[2].type->kind();
    if (step != TypeKind::day_time_interval && step != TypeKind::year_month_interval) {
      return Status::unsupported("sequence of timestamps by {} is not supported",
                                 request.arguments[2].type->sql());
    }
    call.name = step == TypeKind::day_time_interval ? "sequence_times" : "sequence_times_months";
  }
  if (common->kind() == TypeKind::timestamp_ntz) call.name += "_ntz";
  call.type = column::array_type(common, false);
  call.nullable = any_nullable(request);
  return call;
}

Result<Call> sequence(const Request& request) {
  if (request.arguments.size() < 2 || request.arguments.size() > 3)
    return wrong_arity(request, "[2, 3]");
  Call call = begin_call(request);
  const auto is_date = [&](std::size_t i) {
    return request.arguments[i].type->kind() == TypeKind::date;
  };
  if (is_date(0) && is_date(1)) {
    const bool stepped = request.arguments.size() == 3;
    const TypeKind step = stepped ? request.arguments[2].type->kind() : TypeKind::day_time_interval;
    if (step == TypeKind::year_month_interval) {
      call.name = "sequence_months";
    } else if (stepped && step == TypeKind::day_time_interval &&
               request.arguments[2].type->end_field() == 0) {
      call.name = "sequence_days";
    } else if (!stepped) {
      call.name = "sequence_each_day";
    } else {
      return Status::unsupported("sequence of dates by {} is not supported",
                                 request.arguments[2].type->sql());
    }
    call.type = column::array_type(column::date_type(), false);
    call.nullable = any_nullable(request);
    return call;
  }
  if (is_time_sequence(request)) return sequence_of_times(request, std::move(call));
  const TypePtr common = wider_type_of(request.arguments, request.settings.ansi);
  const bool times = common != nullptr &&
                     (common->kind() == TypeKind::date || common->kind() == TypeKind::timestamp ||
                      common->kind() == TypeKind::timestamp_ntz);
  if (times) return Status::unsupported("sequence of {} is not supported", types_text(request));
  if (common == nullptr || !common->is_integral()) {
    return mismatch(
        "SEQUENCE_WRONG_INPUT_TYPES", call.pretty,
        {{"functionName", "`sequence`"},
         {"startType", "(\"TIMESTAMP\" or \"TIMESTAMP_NTZ\" or \"DATE\")"},
         {"stepType", "(\"INTERVAL\" or \"INTERVAL YEAR TO MONTH\" or \"INTERVAL DAY TO SECOND\")"},
         {"otherStartType", "\"INTEGRAL\""}});
  }
  call.argument_types.assign(request.arguments.size(), common);
  if (request.arguments.size() == 2) call.name = "sequence_by_sign";
  call.type = column::array_type(common, false);
  call.nullable = any_nullable(request);
  return call;
}

Result<Call> reverse(const Request& request) {
  if (request.arguments.size() != 1) return wrong_arity(request, "1");
  Call call = begin_call(request);
  call.nullable = any_nullable(request);
  if (request.arguments[0].type->kind() == TypeKind::array) {
    call.name = "reverse_array";
    call.type = request.arguments[0].type;
    return call;
  }
  if (request.arguments[0].type->kind() == TypeKind::binary) {
    call.name = "reverse_binary";
    call.type = request.arguments[0].type;
    return call;
  }
  if (request.arguments[0].type->is_nested())
    return unexpected_input(request, 0, "(\"STRING\" or \"ARRAY\")");
  call.argument_types[0] = column::string_type();
  call.type = column::string_type();
  return call;
}

Result<Call> shuffled(const Request& request) {
  TRY_ASSIGN(Call call, apply_signature(request));
  if (request.arguments.size() > 1) call.name = "shuffle_seeded";
  return call;
}

const Entry entries[] = {
    {.name = "array", .rule = make_array},
    {.name = "map", .sql = "@map", .rule = make_map},
    {.name = "map_last_win", .sql = "@map_last_win"},
    {.name = "shuffle",
     .parameters = "Al?",
     .result = "0",
     .sql = "list_select({0}, ms_shuffle(CAST(coalesce(len({0}), 0) AS INTEGER), "
            "CAST(random() * 9.0e15 AS BIGINT)))",
     .pretty = "shuffle({0})",
     .rule = shuffled,
     .deterministic = false},
    {.name = "shuffle_seeded",
     .sql = "list_select({0}, ms_shuffle(CAST(coalesce(len({0}), 0) AS INTEGER), "
            "coalesce({1}, 0)))"},
    {.name = "named_struct", .rule = named_struct},
    {.name = "struct", .rule = make_struct},
    {.name = "size", .sql = "CAST(len({0}) AS INTEGER)", .rule = size},
    {.name = "cardinality", .rule = size, .canonical = "size"},
    {.name = "size_map", .sql = "CAST(cardinality({0}) AS INTEGER)"},
    {.name = "size_legacy", .sql = "coalesce(CAST(len({0}) AS INTEGER), -1)"},
    {.name = "size_map_legacy", .sql = "coalesce(CAST(cardinality({0}) AS INTEGER), -1)"},
    {.name = "get_item", .pretty = "{0}[{1}]", .rule = get_item},
    {.name = "get_map_value"},
    {.name = "get", .sql = "CASE WHEN {1} < 0 THEN NULL ELSE {0}[{1} + 1] END", .rule = element_at},
    {.name = "element_at", .rule = element_at},
    {.name = "try_element_at", .rule = element_at},
    {.name = "array_contains", .sql = "@array_contains", .rule = with_element},
    {.name = "array_position", .sql = "@array_position", .rule = with_element},
    {.name = "array_append",
     .sql = "CASE WHEN {0} IS NOT NULL THEN list_append({0}, {1}) END",
     .rule = with_element},
    {.name = "array_prepend",
     .sql = "CASE WHEN {0} IS NOT NULL THEN list_prepend({1}, {0}) END",
     .rule = with_element},
    {.name = "array_remove", .sql = "@array_remove", .rule = with_element},
    {.name = "array_distinct", .sql = "@array_distinct", .rule = same_array},
    {.name = "array_union", .sql = "@array_union", .rule = set_of_arrays},
    {.name = "array_intersect", .sql = "@array_intersect", .rule = set_of_arrays},
    {.name = "array_except", .sql = "@array_except", .rule = set_of_arrays},
    {.name = "arrays_overlap", .sql = "@arrays_overlap", .rule = set_of_arrays},
    {.name = "array_insert", .sql = "@array_insert", .rule = array_insert},
    {.name = "array_size", .sql = "CAST(len({0}) AS INTEGER)", .rule = array_size},
    {.name = "arrays_zip", .sql = "@arrays_zip", .rule = arrays_zip},
    {.name = "array_compact",
     .sql = "list_filter({0}, lambda x: x IS NOT NULL)",
     .rule = same_array},
    {.name = "sort_array", .sql = "@sort_array", .rule = same_array},
    {.name = "sort_array_descending", .sql = "@sort_array_descending"},
    {.name = "array_sort", .sql = "@array_sort", .rule = same_array},
    {.name = "array_max", .sql = "@array_max", .rule = array_extreme},
    {.name = "array_min", .sql = "@array_min", .rule = array_extreme},
    {.name = "flatten", .sql = "@flatten", .rule = flatten},
    {.name = "array_join", .rule = array_join},
    {.name = "array_join_nulls"},
    {.name = "array_repeat", .sql = "@array_repeat", .rule = array_repeat},
    {.name = "slice", .rule = slice},
    {.name = "sequence", .sql = "CAST(ms_sequence({0}, {1}, {2}) AS {type})", .rule = sequence},
    {.name = "sequence_times",
     .sql = "list_transform(ms_sequence_times({0}, {1}, 0::INTEGER, {2}, {tz}), lambda x: "
            "make_timestamp(x))"},
    {.name = "sequence_times_ntz",
     .sql = "list_transform(ms_sequence_times({0}, {1}, 0::INTEGER, {2}, 'UTC'), lambda x: "
            "make_timestamp(x))"},
    {.name = "sequence_times_months",
     .sql = "list_transform(ms_sequence_times({0}, {1}, {2}, 0::BIGINT, {tz}), lambda x: "
            "make_timestamp(x))"},
    {.name = "sequence_times_months_ntz",
     .sql = "list_transform(ms_sequence_times({0}, {1}, {2}, 0::BIGINT, 'UTC'), lambda x: "
            "make_timestamp(x))"},
    {.name = "sequence_times_daily",
     .sql = "list_transform(ms_sequence_times({0}, {1}, 0::INTEGER, CASE WHEN {0} <= {1} THEN "
            "86400000000 ELSE -86400000000 END, {tz}), lambda x: make_timestamp(x))"},
    {.name = "sequence_times_daily_ntz",
     .sql = "list_transform(ms_sequence_times({0}, {1}, 0::INTEGER, CASE WHEN {0} <= {1} THEN "
            "86400000000 ELSE -86400000000 END, 'UTC'), lambda x: make_timestamp(x))"},
    {.name = "sequence_by_sign",
     .sql = "CAST(ms_sequence({0}, {1}, CASE WHEN {0} <= {1} THEN 1 ELSE -1 END) AS {type})"},
    {.name = "sequence_each_day",
     .sql = "list_transform(ms_sequence({0} - DATE '1970-01-01', {1} - DATE '1970-01-01', CASE "
            "WHEN {0} <= {1} THEN 1 ELSE -1 END), "
            "lambda x: DATE '1970-01-01' + CAST(x AS INTEGER))"},
    {.name = "sequence_days",
     .sql = "list_transform(ms_sequence({0} - DATE '1970-01-01', {1} - DATE '1970-01-01', {2} // "
            "86400000000), "
            "lambda x: DATE '1970-01-01' + CAST(x AS INTEGER))"},
    {.name = "sequence_months",
     .sql = "list_transform(ms_sequence_months({0}, {1}, {2}), lambda x: DATE '1970-01-01' + "
            "CAST(x AS INTEGER))"},
    {.name = "reverse", .sql = "ms_reverse({0})", .rule = reverse},
    {.name = "reverse_binary", .sql = "ms_reverse_bytes({0})"},
    {.name = "reverse_array", .sql = "list_reverse({0})"},
    {.name = "map_keys", .sql = "map_keys({0})", .rule = map_part},
    {.name = "map_values", .sql = "map_values({0})", .rule = map_part},
    {.name = "map_entries", .rule = map_part},
    {.name = "map_contains_key", .sql = "@map_contains_key", .rule = map_contains_key},
    {.name = "map_from_arrays", .sql = "@map_from_arrays", .rule = map_from_arrays},
    {.name = "map_from_arrays_last_win", .sql = "@map_from_arrays_last_win"},
    {.name = "map_from_entries", .sql = "@map_from_entries", .rule = map_from_entries},
    {.name = "map_from_entries_last_win", .sql = "@map_from_entries_last_win"},
    {.name = "map_concat", .sql = "@map_concat", .rule = map_concat},
    {.name = "map_concat_last_win", .sql = "@map_concat_last_win"},
    {.name = "str_to_map", .sql = "@str_to_map", .rule = str_to_map},
    {.name = "str_to_map_last_win", .sql = "@str_to_map_last_win"},
};

}  // namespace

std::span<const Entry> collection_entries() { return entries; }

}  // namespace millstream::functions
