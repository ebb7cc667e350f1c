// Functions of strings and binaries.
#include <arrow/buffer.h>
#include <arrow/scalar.h>

#include "base/text.h"
#include "functions/number_format.h"
#include "functions/table.h"

namespace millstream::functions {

using column::TypeKind;
using column::TypePtr;

namespace {

// Functions that take strings or binaries and have a kernel for each.
Result<Call> by_binary(const Request& request) {
  TRY_ASSIGN(Call call, apply_signature(request));
  bool binary = false;
  for (const auto& type : call.argument_types) binary = binary || type->kind() == TypeKind::binary;
  if (binary) call.name += "_binary";
  return call;
}

// trim(text) and trim(characters, text): the API gives the characters first.
Result<Call> trim_rule(const Request& request) {
  TRY_ASSIGN(Call call, apply_signature(request));
  if (request.arguments.size() == 2) {
    const std::string_view side = request.name == "trim"    ? "BOTH"
                                  : request.name == "ltrim" ? "LEADING"
                                                            : "TRAILING";
    call.pretty = fmt::format("TRIM({} {} FROM {})", side, request.arguments[0].sql,
                              request.arguments[1].sql);
    call.name += "_chars";
  }
  return call;
}

Result<Call> concat(const Request& request) {
  Call call = begin_call(request);
  call.nullable = any_nullable(request);
  bool arrays = false;
  bool binaries = !request.arguments.empty();
  for (const auto& argument : request.arguments) {
    arrays = arrays || argument.type->kind() == TypeKind::array;
    binaries = binaries && argument.type->kind() == TypeKind::binary;
  }
  if (arrays) {
    const TypePtr common = wider_type_of(request.arguments, request.settings.ansi);
    if (common == nullptr || common->kind() != TypeKind::array) {
      std::vector<std::string> types;
      for (const auto& argument : request.arguments) types.push_back(quoted(argument.type));
      return mismatch(
          "DATA_DIFF_TYPES", call.pretty,
          {{"functionName", "`concat`"}, {"dataType", "(" + join(types, " or ") + ")"}});
    }
    call.name = "concat_arrays";
    call.type = common;
    call.argument_types.assign(request.arguments.size(), common);
    return call;
  }
  for (std::size_t i = 0; i < request.arguments.size(); ++i) {
    if (request.arguments[i].type->is_nested()) {
      return unexpected_input(request, i, "(\"STRING\" or \"BINARY\" or \"ARRAY\")");
    }
  }
  if (request.arguments.empty()) {
    call.name = "empty_string";
    call.type = column::string_type();
    return call;
  }
  call.type = binaries ? column::binary_type() : column::string_type();
  call.argument_types.assign(request.arguments.size(), call.type);
  return call;
}

Result<Call> concat_ws(const Request& request) {
  if (request.arguments.empty()) return wrong_arity(request, "> 0");
  Call call = begin_call(request);
  for (std::size_t i = 0; i < request.arguments.size(); ++i) {
    const TypePtr& type = request.arguments[i].type;
    if (type->kind() == TypeKind::array && i > 0) {
      call.argument_types[i] = column::array_type(column::string_type(), type->contains_null());
    } else if (type->is_nested()) {
      return unexpected_input(request, i, "(\"ARRAY<STRING>\" or \"STRING\")");
    } else {
      call.argument_types[i] = column::string_type();
    }
  }
  call.type = column::string_type();
  call.nullable = request.arguments[0].nullable;
  return call;
}

Result<Call> split_rule(const Request& request) {
  TRY_ASSIGN(Call call, apply_signature(request));
  call.type = column::array_type(column::string_type(), false);
  return call;
}

Result<Call> like_rule(const Request& request) {
  if (request.arguments.size() != 2 && request.arguments.size() != 3)
    return wrong_arity(request, "[2, 3]");
  TRY_ASSIGN(Call call, apply_signature(request));
  if (request.arguments.size() == 3) {
    const auto escape = literal_text(request.arguments[2]);
    if (!escape || utf8_length(*escape) != 1) {
      return Status::unsupported("{}: the escape must be one constant character", request.name);
    }
    if (*escape != "\\") {
      call.pretty = request.name == "ilike" ? pretty_from("ilike({0}, {1}, {2})", request)
                                            : pretty_from("{0} LIKE {1} ESCAPE '{2}'", request);
      return call;
    }
  }
  call.pretty = request.name == "ilike" ? pretty_from("ilike({0}, {1})", request)
                                        : pretty_from("{0} LIKE {1}", request);
  if (request.arguments.size() == 2) call.added_arguments.push_back(string_literal("\\"));
  return call;
}

// decode(bytes, charset), or decode(value, search, result, …[, default]).
Result<Call> decode_rule(const Request& request) {
  const std::size_t given = request.arguments.size();
  if (given < 2) return wrong_arity(request, "> 1");
  if (given == 2) return apply_signature(request);
  Call call = begin_call(request);
  call.name = "decode_choice";
  std::vector<Argument> keys = {request.arguments[0]};
  std::vector<Argument> results;
  call.nullable = given % 2 == 1;
  for (std::size_t i = 1; i < given; ++i) {
    const bool is_default = i + 1 == given && given % 2 == 0;
    const bool result = i % 2 == 0 || is_default;
    (result ? results : keys).push_back(request.arguments[i]);
    if (result) call.nullable = call.nullable || request.arguments[i].nullable;
  }
  const TypePtr key = wider_type_of(keys, request.settings.ansi);
  const TypePtr result = wider_type_of(results, request.settings.ansi);
  if (key == nullptr || result == nullptr)
    return Status::unsupported("decode of values without a common type is not supported");
  for (std::size_t i = 0; i < given; ++i) {
    const bool is_default = i + 1 == given && given % 2 == 0;
    call.argument_types[i] = i > 0 && (i % 2 == 0 || is_default) ? result : key;
  }
  call.type = result;
  return call;
}

// The fill's default is a blank, or a zero byte.
Result<Call> pad_rule(const Request& request) {
  if (request.arguments.size() < 2 || request.arguments.size() > 3)
    return wrong_arity(request, "[2, 3]");
  const bool binary =
      request.arguments[0].type->kind() == TypeKind::binary &&
      (request.arguments.size() == 2 || request.arguments[2].type->kind() == TypeKind::binary);
  if (!binary) return apply_signature(request);
  Call call = begin_call(request);
  call.name += "_binary";
  call.argument_types[1] = column::int_type();
  call.type = column::binary_type();
  call.nullable = any_nullable(request);
  if (request.arguments.size() == 2) {
    call.added_arguments.push_back(
        std::make_shared<arrow::BinaryScalar>(arrow::Buffer::FromString(std::string(1, '\0'))));
    call.pretty.insert(call.pretty.rfind(')'), ", X'00'");
  }
  return call;
}

// mask(text[, upper[, lower[, digit[, other]]]])
Result<Call> mask_rule(const Request& request) {
  const std::size_t given = request.arguments.size();
  if (given < 1 || given > 5) return wrong_arity(request, "[1, 5]");
  Call call = begin_call(request);
  for (std::size_t i = 0; i < given; ++i) {
    if (request.arguments[i].type->is_nested()) return unexpected_input(request, i, "\"STRING\"");
    call.argument_types[i] = column::string_type();
  }
  const std::string_view defaults[] = {"X", "x", "n"};
  for (std::size_t i = given; i < 5; ++i) {
    const std::string_view text = i < 4 ? defaults[i - 1] : "NULL";
    call.pretty.insert(call.pretty.rfind(')'), fmt::format(", {}", text));
    call.added_arguments.push_back(i < 4 ? string_literal(text) : string_literal(""));
  }
  call.type = column::string_type();
  call.nullable = true;
  return call;
}

// elt(n, first, second, …)
Result<Call> elt_rule(const Request& request) {
  if (request.arguments.size() < 2) return wrong_arity(request, "> 1");
  Call call = begin_call(request);
  if (!fits_parameter(*request.arguments[0].type, *column::int_type()))
    return unexpected_input(request, 0, "\"INT\"");
  call.argument_types[0] = column::int_type();
  bool binary = true;
  for (std::size_t i = 1; i < request.arguments.size(); ++i)
    binary = binary && request.arguments[i].type->kind() == TypeKind::binary;
  for (std::size_t i = 1; i < request.arguments.size(); ++i) {
    if (request.arguments[i].type->is_nested())
      return unexpected_input(request, i, "\"STRING\" or \"BINARY\"");
    call.argument_types[i] = binary ? column::binary_type() : column::string_type();
  }
  call.type = binary ? column::binary_type() : column::string_type();
  call.nullable = true;
  return call;
}

// overlay(text, by, position[, length])
Result<Call> overlay_rule(const Request& request) {
  const std::size_t given = request.arguments.size();
  if (given < 3 || given > 4) return wrong_arity(request, "[3, 4]");
  Call call = begin_call(request);
  const bool binary = request.arguments[0].type->kind() == TypeKind::binary &&
                      request.arguments[1].type->kind() == TypeKind::binary;
  call.type = binary ? column::binary_type() : column::string_type();
  call.argument_types[0] = call.argument_types[1] = call.type;
  for (std::size_t i = 2; i < given; ++i) {
    if (!fits_parameter(*request.arguments[i].type, *column::int_type()))
      return unexpected_input(request, i, "\"INT\"");
    call.argument_types[i] = column::int_type();
  }
  if (given == 3) {
    call.added_arguments.push_back(int_literal(-1));
    call.pretty.insert(call.pretty.rfind(')'), ", -1");
  }
  if (binary) call.name += "_binary";
  call.nullable = any_nullable(request);
  return call;
}

// levenshtein(a, b[, threshold])
Result<Call> levenshtein_rule(const Request& request) {
  TRY_ASSIGN(Call call, apply_signature(request));
  if (request.arguments.size() == 3) call.name = "levenshtein_within";
  return call;
}

// format_number(number, places) and format_number(number, pattern)
Result<Call> format_number_rule(const Request& request) {
  if (request.arguments.size() != 2) return wrong_arity(request, "2");
  Call call = begin_call(request);
  const TypePtr& number = request.arguments[0].type;
  TypePtr type =
      number->is_string() || number->kind() == TypeKind::null ? column::double_type() : number;
  const bool refused = number->is_string() && !request.settings.ansi;
  if (refused || !type->is_numeric()) return unexpected_input(request, 0, "\"NUMERIC\"");
  if (type->kind() == TypeKind::float_) type = column::double_type();
  call.argument_types[0] = type;
  const TypePtr& places = request.arguments[1].type;
  if (places->is_string()) {
    call.name = "format_number_pattern";
  } else if (can_cast_implicitly(*places, *column::int_type())) {
    call.argument_types[1] = column::int_type();
  } else {
    return unexpected_input(request, 1, "(\"INT\" or \"STRING\")");
  }
  call.type = column::string_type();
  call.nullable = true;
  return call;
}

// to_binary(text[, format]): the format is a constant.
Result<Call> to_binary_rule(const Request& request) {
  if (request.arguments.empty() || request.arguments.size() > 2)
    return wrong_arity(request, "[1, 2]");
  Call call = begin_call(request);
  if (request.arguments[0].type->is_nested()) return unexpected_input(request, 0, "\"STRING\"");
  call.argument_types[0] = column::string_type();
  call.type = column::binary_type();
  const std::string prefix = request.name == "try_to_binary" ? "try_to_binary_" : "to_binary_";
  std::string format = "hex";
  if (request.arguments.size() == 2) {
    const auto given = literal_text(request.arguments[1]);
    if (!given) return Status::unsupported("{}: the format must be constant", request.name);
    format = to_lower(*given);
    call.argument_types[1] = column::string_type();
  }
  if (format == "utf8") format = "utf-8";
  call.nullable = any_nullable(request) || format == "hex" || format == "utf-8" ||
                  request.name == "try_to_binary";
  if (format != "hex" && format != "utf-8" && format != "base64") {
    if (request.name != "try_to_binary") {
      return mismatch("INVALID_ARG_VALUE", call.pretty,
                      {{"inputName", "fmt"},
                       {"requireType", "case-insensitive \"STRING\""},
                       {"validValues", "'hex', 'utf-8', 'utf8', or 'base64'"},
                       {"inputValue", "'" + *literal_text(request.arguments[1]) + "'"}});
    }
    call.name = "null_binary";
    return call;
  }
  call.name = prefix + (format == "utf-8" ? "utf8" : format);
  return call;
}

// A number's type as a decimal, and of text the one that Spark reads it as.
TypePtr decimal_argument(const Argument& argument) {
  switch (argument.type->kind()) {
    case TypeKind::float_:
      return column::decimal_type(14, 7);
    case TypeKind::double_:
      return column::decimal_type(30, 15);
    case TypeKind::byte_:
      return column::decimal_type(3, 0);
    case TypeKind::short_:
      return column::decimal_type(5, 0);
    case TypeKind::int_:
    case TypeKind::null:
      return column::decimal_type(10, 0);
    case TypeKind::long_:
      return column::decimal_type(20, 0);
    case TypeKind::decimal:
      return argument.type;
    default:
      return argument.type->is_string() ? column::decimal_type(38, 18) : nullptr;
  }
}

// The format of to_number and to_char: a constant; nothing when it is NULL.
Result<std::optional<NumberFormat>> constant_format(const Request& request) {
  const Argument& argument = request.arguments[1];
  const bool null = argument.type->kind() == TypeKind::null ||
                    (argument.literal != nullptr && !argument.literal->is_valid);
  if (null) return std::optional<NumberFormat>();
  const auto text = literal_text(argument);
  if (!text) return Status::unsupported("{}: the format must be constant", request.name);
  TRY_ASSIGN(auto format, NumberFormat::parse(*text));
  return std::optional<NumberFormat>(std::move(format));
}

// to_number(text, format): the format decides the type.
Result<Call> to_number_rule(const Request& request) {
  if (request.arguments.size() != 2) return wrong_arity(request, "2");
  Call call = begin_call(request);
  if (request.arguments[0].type->is_nested()) return unexpected_input(request, 0, "\"STRING\"");
  TRY_ASSIGN(const auto format, constant_format(request));
  call.argument_types = {column::string_type(), column::string_type()};
  call.type = format ? column::decimal_type(format->precision(), format->scale())
                     : column::decimal_type(10, 0);
  call.nullable = any_nullable(request) || request.name == "try_to_number";
  return call;
}

Result<Call> number_to_char(const Request& request) {
  Call call = begin_call(request);
  call.name = "to_char_number";
  call.pretty = pretty_from("to_char({0}, {1})", request);
  const TypePtr type = decimal_argument(request.arguments[0]);
  if (type == nullptr) return unexpected_input(request, 0, "\"DECIMAL\"");
  TRY(constant_format(request).status());
  call.argument_types = {type, column::string_type()};
  call.type = column::string_type();
  const TypePtr& given = request.arguments[0].type;
  const bool may_fail =
      given->is_string() || given->kind() == TypeKind::float_ || given->kind() == TypeKind::double_;
  call.nullable = any_nullable(request) || may_fail;
  return call;
}

// to_char of dates, binaries and numbers.
Result<Call> to_char_rule(const Request& request) {
  if (request.arguments.size() != 2) return wrong_arity(request, "2");
  const TypeKind kind = request.arguments[0].type->kind();
  const auto as = [&](std::string_view name, std::vector<Argument> arguments) {
    return resolve(name, arguments, false, request.settings);
  };
  if (kind == TypeKind::date || kind == TypeKind::timestamp || kind == TypeKind::timestamp_ntz ||
      kind == TypeKind::time)
    return as("date_format", request.arguments);
  if (kind != TypeKind::binary) return number_to_char(request);
  const auto format = literal_text(request.arguments[1]);
  if (!format) return Status::unsupported("{}: the format must be constant", request.name);
  const std::string lower = to_lower(*format);
  if (lower == "utf-8") return as("decode", request.arguments);
  if (lower == "hex" || lower == "base64") {
    TRY_ASSIGN(Call call, as(lower, {request.arguments[0]}));
    call.argument_types.push_back(column::string_type());
    call.nullable = true;
    return call;
  }
  return Status::error("INVALID_PARAMETER_VALUE.BINARY_FORMAT",
                       {{"functionName", "`" + request.name + "`"},
                        {"parameter", "`format`"},
                        {"invalidFormat", "'" + *format + "'"}});
}

// Strings as their bytes.
Result<Call> of_bytes(const Request& request) {
  TRY_ASSIGN(Call call, apply_signature(request));
  call.argument_types[0] = column::binary_type();
  return call;
}

Result<Call> parse_url_rule(const Request& request) {
  TRY_ASSIGN(Call call, apply_signature(request));
  if (request.arguments.size() == 3) call.name += "_key";
  return call;
}

// Two binaries are compared as they are; a binary beside a string is a string.
Result<Call> both_binary(const Request& request) {
  TRY_ASSIGN(Call call, apply_signature(request));
  const bool left = call.argument_types[0]->kind() == TypeKind::binary;
  const bool right = call.argument_types[1]->kind() == TypeKind::binary;
  if (left && right) {
    call.name += "_binary";
    call.nullable = true;
  } else if (left || right) {
    call.argument_types = {column::string_type(), column::string_type()};
  }
  return call;
}

const Entry entries[] = {
    {.name = "upper", .parameters = "s", .result = "s", .sql = "ms_upper({0})"},
    {.name = "ucase", .parameters = "s", .result = "s", .sql = "ms_upper({0})"},
    {.name = "lower", .parameters = "s", .result = "s", .sql = "ms_lower({0})"},
    {.name = "lcase", .parameters = "s", .result = "s", .sql = "ms_lower({0})"},
    {.name = "initcap", .parameters = "s", .result = "s", .sql = "ms_initcap({0})"},
    {.name = "trim",
     .parameters = "ss?",
     .result = "s",
     .sql = "trim({0}, ' ')",
     .rule = trim_rule},
    {.name = "ltrim",
     .parameters = "ss?",
     .result = "s",
     .sql = "ltrim({0}, ' ')",
     .rule = trim_rule},
    {.name = "rtrim",
     .parameters = "ss?",
     .result = "s",
     .sql = "rtrim({0}, ' ')",
     .rule = trim_rule},
    {.name = "trim_chars", .sql = "trim({1}, {0})"},
    {.name = "ltrim_chars", .sql = "ltrim({1}, {0})"},
    {.name = "rtrim_chars", .sql = "rtrim({1}, {0})"},
    {.name = "btrim",
     .parameters = "ss?",
     .result = "s",
     .sql = "trim({0}, {1})",
     .rule = [](const Request& request) -> Result<Call> {
       TRY_ASSIGN(Call call, apply_signature(request));
       if (request.arguments.size() == 1) call.name = "trim";
       return call;
     }},
    {.name = "length",
     .parameters = "c",
     .result = "i",
     .sql = "CAST(length({0}) AS INTEGER)",
     .rule = by_binary},
    {.name = "length_binary", .sql = "CAST(octet_length({0}) AS INTEGER)"},
    {.name = "char_length",
     .parameters = "c",
     .result = "i",
     .rule = by_binary,
     .canonical = "length"},
    {.name = "character_length",
     .parameters = "c",
     .result = "i",
     .rule = by_binary,
     .canonical = "length"},
    {.name = "len", .parameters = "c", .result = "i", .rule = by_binary, .canonical = "length"},
    {.name = "octet_length",
     .parameters = "c",
     .result = "i",
     .sql = "CAST(strlen({0}) AS INTEGER)",
     .rule = by_binary},
    {.name = "octet_length_binary", .sql = "CAST(octet_length({0}) AS INTEGER)"},
    {.name = "bit_length",
     .parameters = "c",
     .result = "i",
     .sql = "CAST(strlen({0}) * 8 AS INTEGER)",
     .rule = by_binary},
    {.name = "bit_length_binary", .sql = "CAST(octet_length({0}) * 8 AS INTEGER)"},
    {.name = "substring",
     .parameters = "cii?",
     .result = "0",
     .sql = "ms_substring({0}, {1}, {2})",
     .rule = by_binary,
     .defaults = "2147483647"},
    {.name = "substr",
     .parameters = "cii?",
     .result = "0",
     .rule = by_binary,
     .defaults = "2147483647",
     .canonical = "substring"},
    {.name = "conv",
     .parameters = "sii",
     .result = "s",
     .sql = "ms_conv({0}, {1}, {2})",
     .null = '~'},
    {.name = "elt", .rule = elt_rule},
    {.name = "find_in_set", .parameters = "ss", .result = "i", .sql = "ms_find_in_set({0}, {1})"},
    {.name = "mask",
     .sql =
         "ms_mask({0}, coalesce({1}, ''), coalesce({2}, ''), coalesce({3}, ''), coalesce({4}, ''))",
     .rule = mask_rule},
    {.name = "overlay", .sql = "ms_overlay({0}, {1}, {2}, {3})", .rule = overlay_rule},
    {.name = "overlay_binary", .sql = "ms_overlay_binary({0}, {1}, {2}, {3})"},
    {.name = "quote", .parameters = "s", .result = "s", .sql = "ms_quote({0})", .null = '~'},
    {.name = "soundex", .parameters = "s", .result = "s", .sql = "ms_soundex({0})"},
    {.name = "luhn_check",
     .parameters = "s",
     .result = "b",
     .sql = "ms_luhn_check({0})",
     .null = '~'},
    {.name = "format_number", .rule = format_number_rule},
    {.name = "format_number_pattern"},
    {.name = "to_binary", .rule = to_binary_rule},
    {.name = "try_to_binary", .rule = to_binary_rule},
    {.name = "to_binary_hex", .sql = "ms_binary_of_hex({0})"},
    {.name = "to_binary_utf8", .sql = "encode({0})"},
    {.name = "to_binary_base64", .sql = "ms_binary_of_base64({0})"},
    {.name = "try_to_binary_hex", .sql = "ms_try_binary_of_hex({0})"},
    {.name = "try_to_binary_utf8", .sql = "encode({0})"},
    {.name = "try_to_binary_base64", .sql = "ms_try_binary_of_base64({0})"},
    {.name = "null_binary", .sql = "CAST(NULL AS BLOB)"},
    {.name = "to_char", .rule = to_char_rule},
    {.name = "to_varchar", .rule = to_char_rule},
    {.name = "to_char_number", .sql = "@to_char"},
    {.name = "to_number", .sql = "@to_number", .rule = to_number_rule},
    {.name = "try_to_number", .sql = "@try_to_number", .rule = to_number_rule},
    {.name = "sentences",
     .parameters = "ss?s?",
     .result = "s",
     .sql = "@sentences",
     .null = '~',
     .rule = [](const Request& request) -> Result<Call> {
       TRY_ASSIGN(Call call, apply_signature(request));
       call.type = column::array_type(column::array_type(column::string_type(), false), false);
       return call;
     },
     .defaults = ","},
    {.name = "aes_encrypt",
     .parameters = "xxs?s?x?x?",
     .result = "x",
     .sql = "ms_aes_encrypt({0}, {1}, {2}, {3}, CAST({4} AS BLOB), CAST({5} AS BLOB))",
     .null = '~',
     .defaults = "GCM,DEFAULT,,"},
    {.name = "aes_decrypt",
     .parameters = "xxs?s?x?",
     .result = "x",
     .sql = "ms_aes_decrypt({0}, {1}, {2}, {3}, CAST({4} AS BLOB))",
     .null = '~',
     .defaults = "GCM,DEFAULT,"},
    {.name = "try_aes_decrypt",
     .parameters = "xxs?s?x?",
     .result = "x",
     .sql = "ms_try_aes_decrypt({0}, {1}, {2}, {3}, CAST({4} AS BLOB))",
     .null = '~',
     .defaults = "GCM,DEFAULT,"},
    {.name = "is_valid_utf8",
     .parameters = "c",
     .result = "b",
     .sql = "ms_is_valid_utf8({0})",
     .null = '~',
     .rule = of_bytes},
    {.name = "make_valid_utf8",
     .parameters = "c",
     .result = "s",
     .sql = "ms_make_valid_utf8({0})",
     .null = '~',
     .rule = of_bytes},
    {.name = "validate_utf8",
     .parameters = "c",
     .result = "s",
     .sql = "ms_validate_utf8({0})",
     .null = '~',
     .rule = of_bytes},
    {.name = "try_validate_utf8",
     .parameters = "c",
     .result = "s",
     .sql = "ms_try_validate_utf8({0})",
     .null = '~',
     .rule = of_bytes},
    {.name = "collation",
     .parameters = "s",
     .result = "s",
     .sql = "'SYSTEM.BUILTIN.UTF8_BINARY'",
     .null = '!'},
    {.name = "regexp_instr",
     .parameters = "ssi?",
     .result = "i",
     .sql = "ms_regexp_instr({0}, {1}, {2})",
     .defaults = "0"},
    {.name = "url_encode",
     .parameters = "s",
     .result = "s",
     .sql = "ms_url_encode({0})",
     .null = '~'},
    {.name = "url_decode",
     .parameters = "s",
     .result = "s",
     .sql = "ms_url_decode({0})",
     .null = '~'},
    {.name = "try_url_decode",
     .parameters = "s",
     .result = "s",
     .sql = "ms_try_url_decode({0})",
     .null = '~'},
    {.name = "parse_url",
     .parameters = "sss?",
     .result = "s",
     .sql = "ms_parse_url({0}, {1})",
     .null = '~',
     .rule = parse_url_rule},
    {.name = "parse_url_key", .sql = "ms_parse_url_key({0}, {1}, {2})"},
    {.name = "try_parse_url",
     .parameters = "sss?",
     .result = "s",
     .sql = "ms_try_parse_url({0}, {1})",
     .null = '~',
     .rule = parse_url_rule},
    {.name = "try_parse_url_key", .sql = "ms_try_parse_url_key({0}, {1}, {2})"},
    {.name = "decode_choice"},
    {.name = "substring_binary", .sql = "ms_substring_binary({0}, {1}, {2})"},
    {.name = "left",
     .parameters = "ci",
     .result = "0",
     .sql = "ms_substring({0}, 1, {1})",
     .rule = by_binary},
    {.name = "left_binary", .sql = "ms_substring_binary({0}, 1, {1})"},
    {.name = "right",
     .parameters = "si",
     .result = "s",
     .sql = "CASE WHEN {0} IS NULL THEN NULL WHEN {1} <= 0 THEN '' ELSE ms_substring({0}, -{1}, "
            "{1}) END",
     .null = '~'},
    {.name = "substring_index",
     .parameters = "ssi",
     .result = "s",
     .sql = "ms_substring_index({0}, {1}, {2})"},
    {.name = "concat", .rule = concat},
    {.name = "||", .pretty = "concat({0}, {1})", .rule = concat, .canonical = "concat"},
    {.name = "concat_arrays"},
    {.name = "empty_string", .sql = "''"},
    {.name = "concat_ws", .rule = concat_ws},
    {.name = "contains",
     .parameters = "cc",
     .result = "b",
     .sql = "contains({0}, {1})",
     .rule = both_binary},
    {.name = "startswith",
     .parameters = "cc",
     .result = "b",
     .sql = "starts_with({0}, {1})",
     .rule = both_binary},
    {.name = "endswith",
     .parameters = "cc",
     .result = "b",
     .sql = "ends_with({0}, {1})",
     .rule = both_binary},
    {.name = "contains_binary", .sql = "ms_contains_bytes({0}, {1})"},
    {.name = "startswith_binary", .sql = "ms_starts_with_bytes({0}, {1})"},
    {.name = "endswith_binary", .sql = "ms_ends_with_bytes({0}, {1})"},
    {.name = "like",
     .parameters = "sss?",
     .result = "b",
     .sql = "ms_like({0}, {1}, {2})",
     .rule = like_rule},
    {.name = "ilike",
     .parameters = "sss?",
     .result = "b",
     .sql = "ms_like(ms_lower({0}), ms_lower({1}), {2})",
     .rule = like_rule},
    {.name = "rlike",
     .parameters = "ss",
     .result = "b",
     .sql = "ms_rlike({0}, {1})",
     .pretty = "RLIKE({0}, {1})"},
    {.name = "regexp",
     .parameters = "ss",
     .result = "b",
     .pretty = "REGEXP({0}, {1})",
     .canonical = "rlike"},
    {.name = "regexp_like",
     .parameters = "ss",
     .result = "b",
     .pretty = "REGEXP_LIKE({0}, {1})",
     .canonical = "rlike"},
    {.name = "regexp_extract",
     .parameters = "ssi?",
     .result = "s",
     .sql = "ms_regexp_extract({0}, {1}, {2})",
     .defaults = "1"},
    {.name = "regexp_replace",
     .parameters = "sssi?",
     .result = "s",
     .sql = "ms_regexp_replace({0}, {1}, {2}, {3})",
     .rule = [](const Request& request) -> Result<Call> {
       TRY_ASSIGN(Call call, apply_signature(request));
       const auto place =
           request.arguments.size() > 3 ? literal_int(request.arguments[3]) : std::optional(1L);
       if (place && *place <= 0) {
         return mismatch("VALUE_OUT_OF_RANGE", call.pretty,
                         {{"exprName", "position"},
                          {"valueRange", "(0, 2147483647]"},
                          {"currentValue", std::to_string(*place)}});
       }
       return call;
     },
     .defaults = "1"},
    {.name = "regexp_count", .parameters = "ss", .result = "i", .sql = "ms_regexp_count({0}, {1})"},
    {.name = "regexp_substr",
     .parameters = "ss",
     .result = "s",
     .sql = "nullif(ms_regexp_substr({0}, {1}), '')",
     .null = '~'},
    {.name = "regexp_extract_all",
     .parameters = "ssi?",
     .result = "s",
     .sql = "ms_regexp_extract_all({0}, {1}, {2})",
     .rule = [](const Request& request) -> Result<Call> {
       TRY_ASSIGN(Call call, apply_signature(request));
       call.type = column::array_type(column::string_type(), true);
       return call;
     },
     .defaults = "1"},
    {.name = "split",
     .parameters = "ssi?",
     .result = "s",
     .sql = "ms_split({0}, {1}, {2})",
     .rule = split_rule,
     .defaults = "-1"},
    {.name = "split_part",
     .parameters = "ssi",
     .result = "s",
     .sql = "ms_split_part({0}, {1}, {2})",
     .null = '~'},
    {.name = "replace",
     .parameters = "sss?",
     .result = "s",
     .sql = "ms_replace({0}, {1}, {2})",
     .rule = [](const Request& request) -> Result<Call> {
       TRY_ASSIGN(Call call, apply_signature(request));
       if (request.arguments.size() == 2) {
         call.added_arguments.push_back(string_literal(""));
         call.pretty = pretty_from("replace({0}, {1}, )", request);
       }
       return call;
     }},
    {.name = "translate", .parameters = "sss", .result = "s", .sql = "translate({0}, {1}, {2})"},
    {.name = "repeat", .parameters = "si", .result = "s", .sql = "ms_repeat({0}, {1})"},
    {.name = "space", .parameters = "i", .result = "s", .sql = "ms_repeat(' ', {0})"},
    {.name = "lpad",
     .parameters = "sis?",
     .result = "s",
     .sql = "ms_lpad({0}, {1}, {2})",
     .rule = pad_rule,
     .defaults = " "},
    {.name = "lpad_binary", .sql = "ms_lpad_binary({0}, {1}, {2})"},
    {.name = "rpad_binary", .sql = "ms_rpad_binary({0}, {1}, {2})"},
    {.name = "rpad",
     .parameters = "sis?",
     .result = "s",
     .sql = "ms_rpad({0}, {1}, {2})",
     .rule = pad_rule,
     .defaults = " "},
    {.name = "instr", .parameters = "ss", .result = "i", .sql = "CAST(instr({0}, {1}) AS INTEGER)"},
    {.name = "locate",
     .parameters = "ssi?",
     .result = "i",
     .sql = "ms_locate({0}, {1}, {2})",
     .defaults = "1"},
    {.name = "position",
     .parameters = "ssi?",
     .result = "i",
     .defaults = "1",
     .canonical = "locate"},
    {.name = "ascii", .parameters = "s", .result = "i", .sql = "ms_ascii({0})"},
    {.name = "chr", .parameters = "l", .result = "s", .sql = "ms_chr({0})"},
    {.name = "char", .parameters = "l", .result = "s", .sql = "ms_chr({0})"},
    {.name = "levenshtein",
     .parameters = "ssi?",
     .result = "i",
     .sql = "ms_levenshtein({0}, {1}, 2147483647)",
     .rule = levenshtein_rule},
    {.name = "levenshtein_within", .sql = "ms_levenshtein({0}, {1}, {2})"},
    {.name = "base64", .parameters = "x", .result = "s", .sql = "to_base64({0})"},
    {.name = "unbase64", .parameters = "s", .result = "x", .sql = "ms_unbase64({0})"},
    {.name = "encode",
     .parameters = "ss",
     .result = "x",
     .sql = "ms_encode({0}, {1})",
     .null = '~'},
    {.name = "decode",
     .parameters = "xs",
     .result = "s",
     .sql = "ms_charset_decode({0}, {1})",
     .null = '~',
     .rule = decode_rule},
    {.name = "md5", .parameters = "x", .result = "s", .sql = "md5({0})"},
    {.name = "sha1", .parameters = "x", .result = "s", .sql = "sha1({0})"},
    {.name = "sha", .parameters = "x", .result = "s", .sql = "sha1({0})"},
    {.name = "sha2", .parameters = "xi", .result = "s", .sql = "ms_sha2({0}, {1})", .null = '~'},
    {.name = "crc32", .parameters = "x", .result = "l", .sql = "ms_crc32({0})"},
    {.name = "format_string",
     .rule = [](const Request& request) -> Result<Call> {
       if (request.arguments.empty()) return wrong_arity(request, "> 0");
       if (!request.arguments[0].type->is_string())
         return unexpected_input(request, 0, "\"STRING\"");
       Call call = begin_call(request);
       call.type = column::string_type();
       call.nullable = request.arguments[0].nullable;
       for (const auto& type : call.argument_types) {
         if (type->is_nested())
           return Status::unsupported("format_string of {} is not supported", type->sql());
       }
       return call;
     }},
    {.name = "printf",
     .rule = [](const Request& request) -> Result<Call> {
       Call call;
       TRY_ASSIGN(call, find_entry("format_string")->rule(request));
       call.name = "format_string";
       return call;
     }},
};

}  // namespace

std::span<const Entry> string_entries() { return entries; }

}  // namespace millstream::functions
