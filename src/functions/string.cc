// Functions of strings and binaries.
#include <arrow/scalar.h>

#include "base/text.h"
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
    const TypePtr common = wider_type_of(request.arguments);
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
    if (*escape != "\\") call.pretty = pretty_from(request.name + "({0}, {1}, {2})", request);
    if (*escape != "\\") return call;
  }
  call.pretty = request.name == "ilike" ? pretty_from("ilike({0}, {1})", request)
                                        : pretty_from("{0} LIKE {1}", request);
  if (request.arguments.size() == 2) call.added_arguments.push_back(string_literal("\\"));
  return call;
}

Result<Call> sha2_rule(const Request& request) {
  TRY_ASSIGN(Call call, apply_signature(request));
  const auto bits = literal_int(request.arguments[1]);
  if (!bits || (*bits != 0 && *bits != 256)) {
    return Status::unsupported("sha2 with {} bits is not supported: only 256",
                               request.arguments[1].sql);
  }
  return call;
}

Result<Call> decode_rule(const Request& request) {
  if (request.arguments.size() != 2)
    return Status::unsupported("decode with {} arguments is not supported",
                               request.arguments.size());
  TRY_ASSIGN(Call call, apply_signature(request));
  const auto charset = literal_text(request.arguments[1]);
  if (!charset ||
      !(equals_ignore_case(*charset, "utf-8") || equals_ignore_case(*charset, "utf8"))) {
    return Status::unsupported("{} with charset {} is not supported: only UTF-8", request.name,
                               request.arguments[1].sql);
  }
  return call;
}

constexpr std::string_view boolean_pair = "cc";

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
     .sql = "trim({0}, coalesce({1*}, ' '))",
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
    {.name = "substring_binary", .sql = "ms_substring_binary({0}, {1}, {2})"},
    {.name = "left",
     .parameters = "ci",
     .result = "0",
     .sql = "CASE WHEN {1} <= 0 THEN '' ELSE ms_substring({0}, 1, {1}) END"},
    {.name = "right",
     .parameters = "si",
     .result = "s",
     .sql = "CASE WHEN {1} <= 0 THEN '' ELSE ms_substring({0}, -{1}, {1}) END"},
    {.name = "substring_index",
     .parameters = "ssi",
     .result = "s",
     .sql = "ms_substring_index({0}, {1}, {2})"},
    {.name = "concat", .rule = concat},
    {.name = "||", .pretty = "concat({0}, {1})", .rule = concat, .canonical = "concat"},
    {.name = "concat_arrays"},
    {.name = "empty_string", .sql = "''"},
    {.name = "concat_ws", .rule = concat_ws},
    {.name = "contains", .parameters = boolean_pair, .result = "b", .sql = "contains({0}, {1})"},
    {.name = "startswith",
     .parameters = boolean_pair,
     .result = "b",
     .sql = "starts_with({0}, {1})"},
    {.name = "endswith", .parameters = boolean_pair, .result = "b", .sql = "ends_with({0}, {1})"},
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
     .defaults = "1"},
    {.name = "regexp_count", .parameters = "ss", .result = "i", .sql = "ms_regexp_count({0}, {1})"},
    {.name = "regexp_substr",
     .parameters = "ss",
     .result = "s",
     .sql = "ms_regexp_substr({0}, {1})",
     .null = '~'},
    {.name = "regexp_extract_all",
     .parameters = "ssi?",
     .result = "s",
     .sql = "ms_regexp_extract_all({0}, {1}, {2})",
     .rule = split_rule,
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
     .sql = "ms_split_part({0}, {1}, {2})"},
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
    {.name = "repeat", .parameters = "si", .result = "s", .sql = "repeat({0}, greatest({1}, 0))"},
    {.name = "space", .parameters = "i", .result = "s", .sql = "repeat(' ', greatest({0}, 0))"},
    {.name = "lpad",
     .parameters = "sis?",
     .result = "s",
     .sql = "ms_lpad({0}, {1}, {2})",
     .defaults = " "},
    {.name = "rpad",
     .parameters = "sis?",
     .result = "s",
     .sql = "ms_rpad({0}, {1}, {2})",
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
     .parameters = "ss",
     .result = "i",
     .sql = "CAST(levenshtein({0}, {1}) AS INTEGER)"},
    {.name = "base64", .parameters = "x", .result = "s", .sql = "to_base64({0})"},
    {.name = "unbase64", .parameters = "s", .result = "x", .sql = "ms_unbase64({0})"},
    {.name = "encode",
     .parameters = "ss",
     .result = "x",
     .sql = "encode({0})",
     .null = '~',
     .rule = decode_rule},
    {.name = "decode",
     .parameters = "xs",
     .result = "s",
     .sql = "ms_decode({0})",
     .null = '~',
     .rule = decode_rule},
    {.name = "md5", .parameters = "x", .result = "s", .sql = "md5({0})"},
    {.name = "sha1", .parameters = "x", .result = "s", .sql = "sha1({0})"},
    {.name = "sha", .parameters = "x", .result = "s", .sql = "sha1({0})"},
    {.name = "sha2",
     .parameters = "xi",
     .result = "s",
     .sql = "sha256({0})",
     .null = '~',
     .rule = sha2_rule},
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
