// Mathematical functions, rounding and bits.
#include <arrow/scalar.h>

#include <algorithm>
#include <random>

#include "base/text.h"
#include "functions/table.h"

namespace millstream::functions {

using column::TypeKind;
using column::TypePtr;

namespace {

bool is_null(const TypePtr& t) { return t->kind() == TypeKind::null; }

Status operand_mismatch(const Call& call, const TypePtr& wrong, std::string_view wanted) {
  return mismatch("BINARY_OP_WRONG_TYPE", call.pretty,
                  {{"inputType", std::string(wanted)}, {"actualDataType", quoted(wrong)}});
}

Status operands_differ(const Call& call, const TypePtr& a, const TypePtr& b) {
  return mismatch("BINARY_OP_DIFF_TYPES", call.pretty, {{"left", quoted(a)}, {"right", quoted(b)}});
}

Result<Call> bitwise(const Request& request) {
  const std::size_t arity = request.entry.canonical == "bitwise_not" ? 1 : 2;
  if (request.arguments.size() != arity) return wrong_arity(request, std::to_string(arity));
  Call call = begin_call(request);
  TypePtr common = arity == 1 ? request.arguments[0].type
                   : request.settings.ansi
                       ? wider_type(request.arguments[0].type, request.arguments[1].type, true)
                       : tightest_type(request.arguments[0].type, request.arguments[1].type, false);
  if (common == nullptr) {
    // Without ANSI a text is a number with a fraction.
    const auto shown = [&](std::size_t i) {
      const TypePtr& type = request.arguments[i].type;
      return type->is_string() && !request.settings.ansi ? column::double_type() : type;
    };
    return operands_differ(call, shown(0), shown(1));
  }
  if (is_null(common)) common = column::int_type();
  if (!common->is_integral()) {
    return arity == 1 ? unexpected_input(request, 0, "\"INTEGRAL\"")
                      : operand_mismatch(call, common, "\"INTEGRAL\"");
  }
  call.argument_types.assign(arity, common);
  call.type = common;
  call.nullable = any_nullable(request);
  return call;
}

// round, bround: the scale is a constant. Decimals lose the digits, other numbers keep their type.
Result<Call> round_to(const Request& request) {
  if (request.arguments.empty() || request.arguments.size() > 2)
    return wrong_arity(request, "[1, 2]");
  Call call = begin_call(request);
  TypePtr type = request.arguments[0].type;
  if (is_null(type) || type->is_string()) type = column::double_type();
  if (!type->is_numeric()) return unexpected_input(request, 0, "\"NUMERIC\"");
  std::int64_t digits = 0;
  if (request.arguments.size() == 2) {
    auto given = literal_int(request.arguments[1]);
    const auto text = literal_text(request.arguments[1]);
    if (!request.settings.ansi && text) given = parse_int64(*text);
    if (!given) {
      return mismatch("NON_FOLDABLE_INPUT", call.pretty,
                      {{"inputName", "`scale`"},
                       {"inputType", "\"INT\""},
                       {"inputExpr", "\"" + request.arguments[1].sql + "\""}});
    }
    digits = std::clamp<std::int64_t>(*given, -400, 400);
    call.argument_types = {type, column::int_type()};
  } else {
    call.argument_types = {type};
    call.added_arguments.push_back(int_literal(0));
    call.pretty = pretty_from(request.name + "({0}, 0)", request);
  }
  call.type = type;
  if (type->kind() == TypeKind::decimal) {
    const int whole = type->precision() - type->scale() + 1;
    if (digits < 0) {
      call.type =
          column::decimal_type(std::min(std::max(whole, static_cast<int>(-digits) + 1), 38), 0);
    } else {
      const int scale = std::min(type->scale(), static_cast<int>(digits));
      call.type = column::decimal_type(std::min(whole + scale, 38), scale);
    }
  }
  call.nullable = true;
  return call;
}

Result<Call> ceil_floor_scaled(const Request& request);

Result<Call> ceil_floor(const Request& request) {
  if (request.arguments.size() == 2) return ceil_floor_scaled(request);
  if (request.arguments.size() != 1) return wrong_arity(request, "[1, 2]");
  Call call = begin_call(request);
  TypePtr type = request.arguments[0].type;
  call.nullable = true;
  if (is_null(type) || type->is_string()) type = column::double_type();
  if (!type->is_numeric())
    return unexpected_input(request, 0, "(\"DECIMAL\" or \"DOUBLE\" or \"BIGINT\")");
  if (type->is_integral()) {
    call.argument_types = {column::long_type()};
    call.type = column::long_type();
  } else if (type->kind() == TypeKind::decimal) {
    call.argument_types = {type};
    call.type =
        type->scale() == 0 ? type : bounded_decimal(type->precision() - type->scale() + 1, 0);
  } else {
    call.argument_types = {column::double_type()};
    call.type = column::long_type();
  }
  return call;
}

// ceil and floor to a scale: of decimals, which all numbers become.
Result<Call> ceil_floor_scaled(const Request& request) {
  Call call = begin_call(request);
  call.pretty = pretty_call(request.name, request);
  TypePtr type = request.arguments[0].type;
  const auto digits = literal_int(request.arguments[1]);
  if (!digits) {
    return Status::error("NON_FOLDABLE_ARGUMENT", {{"funcName", "`" + request.name + "`"},
                                                   {"paramName", "`scale`"},
                                                   {"paramType", "\"INT\""}});
  }
  if (is_null(type)) {
    type = column::decimal_type(38, 18);
  } else if (type->is_string() || type->kind() == TypeKind::double_) {
    type = column::decimal_type(30, 15);
  } else if (type->kind() == TypeKind::float_) {
    type = column::decimal_type(14, 7);
  } else if (type->is_integral()) {
    type = decimal_of_integral(*type);
  } else if (type->kind() != TypeKind::decimal) {
    return unexpected_input(request, 0, "\"DECIMAL\"");
  }
  const auto wanted = static_cast<int>(std::clamp<std::int64_t>(*digits, -38, 38));
  const int scale = std::clamp(wanted, 0, type->scale());
  const int whole = std::max(type->precision() - type->scale() + 1, wanted < 0 ? -wanted + 1 : 0);
  call.name = request.entry.canonical.empty() ? std::string(request.entry.name)
                                              : std::string(request.entry.canonical);
  call.argument_types = {type, column::int_type()};
  call.type = column::decimal_type(std::min(whole + scale, 38), scale);
  call.nullable = true;
  return call;
}

Result<Call> hex_of(const Request& request) {
  if (request.arguments.size() != 1) return wrong_arity(request, "1");
  Call call = begin_call(request);
  const TypePtr& type = request.arguments[0].type;
  call.type = column::string_type();
  call.nullable = any_nullable(request);
  if (type->kind() == TypeKind::binary || type->is_string()) {
    call.name = "hex_binary";
    call.argument_types = {type->is_string() ? column::string_type() : type};
    if (type->is_string()) call.name = "hex_string";
  } else if (type->is_numeric() || is_null(type)) {
    call.argument_types = {column::long_type()};
    call.nullable = call.nullable || !type->is_integral();
  } else if (type->kind() == TypeKind::boolean) {
    call.name = "hex_string";
    call.argument_types = {column::string_type()};
  } else {
    return unexpected_input(request, 0, "(\"BIGINT\" or \"BINARY\" or \"STRING\")");
  }
  return call;
}

Result<Call> bit_count(const Request& request) {
  if (request.arguments.size() != 1) return wrong_arity(request, "1");
  Call call = begin_call(request);
  const TypePtr& type = request.arguments[0].type;
  if (!type->is_integral() && type->kind() != TypeKind::boolean && !is_null(type))
    return unexpected_input(request, 0, "(\"INTEGRAL\" or \"BOOLEAN\")");
  call.type = column::int_type();
  call.argument_types = {type->kind() == TypeKind::boolean ? column::int_type()
                                                           : column::long_type()};
  call.nullable = any_nullable(request);
  return call;
}

Result<Call> bit_get(const Request& request) {
  if (request.arguments.size() != 2) return wrong_arity(request, "2");
  Call call = begin_call(request);
  const TypePtr type =
      is_null(request.arguments[0].type) ? column::int_type() : request.arguments[0].type;
  if (!type->is_integral()) return unexpected_input(request, 0, "\"INTEGRAL\"");
  if (!fits_parameter(*request.arguments[1].type, *column::int_type()))
    return unexpected_input(request, 1, "\"INT\"");
  int bits = 8;
  if (type->kind() == TypeKind::short_) bits = 16;
  if (type->kind() == TypeKind::int_) bits = 32;
  if (type->kind() == TypeKind::long_) bits = 64;
  call.argument_types = {column::long_type(), column::int_type()};
  call.added_arguments.push_back(int_literal(bits));
  call.added_arguments.push_back(string_literal(request.name));
  call.type = column::byte_type();
  call.nullable = any_nullable(request);
  return call;
}

// Shifts of INT and BIGINT; narrower integers count as INT, as in Java.
Result<Call> shift(const Request& request) {
  TRY_ASSIGN(Call call, apply_signature(request));
  if (call.type->kind() != TypeKind::long_) {
    call.type = column::int_type();
    call.argument_types[0] = call.type;
    call.name += "_int";
  }
  return call;
}

// rand(seed) and kin: the seed is the last argument.
Result<Call> seeded(const Request& request) {
  TRY_ASSIGN(Call call, apply_signature(request));
  const std::size_t before_seed = call.name == "randstr" ? 1 : 0;
  if (before_seed == 0 && !request.arguments.empty() && request.arguments[0].type->is_string())
    return unexpected_input(request, 0, "(\"INT\" or \"BIGINT\")");
  if (request.arguments.size() > before_seed) call.name += "_seeded";
  return call;
}

Result<Call> constants_seeded(const Request& request) {
  for (const auto& argument : request.arguments) {
    if (argument.literal == nullptr)
      return Status::unsupported("{} of what is not constant is not supported", request.name);
  }
  return seeded(request);
}

// The wider of both types; whole numbers give a whole number.
TypePtr uniform_type(const TypePtr& low, const TypePtr& high) {
  const auto either = [&](TypeKind kind) { return low->kind() == kind || high->kind() == kind; };
  if (either(TypeKind::double_)) return column::double_type();
  if (either(TypeKind::float_)) return column::float_type();
  const bool left = low->kind() == TypeKind::decimal;
  const bool right = high->kind() == TypeKind::decimal;
  if (left && right) return low->precision() > high->precision() ? low : high;
  if (left || right) return left ? low : high;
  return tightest_type(low, high, true);
}

// uniform(low, high[, seed])
Result<Call> uniform(const Request& request) {
  if (request.arguments.size() != 2 && request.arguments.size() != 3)
    return wrong_arity(request, "[2, 3]");
  Call call = begin_call(request);
  bool null = false;
  for (std::size_t i = 0; i < request.arguments.size(); ++i) {
    const Argument& argument = request.arguments[i];
    if (argument.literal == nullptr)
      return Status::unsupported("uniform of what is not constant is not supported");
    null = null || !argument.literal->is_valid;
    const bool fits = i == 2 ? argument.type->is_integral() : argument.type->is_numeric();
    if (!fits && argument.type->kind() != TypeKind::null)
      return unexpected_input(request, i, i == 2 ? "\"INTEGRAL\"" : "\"NUMERIC\"");
  }
  call.nullable = false;
  call.type = column::double_type();
  call.name = "uniform_null";
  if (null) return call;
  call.type = uniform_type(request.arguments[0].type, request.arguments[1].type);
  call.name = call.type->is_integral() ? "uniform_whole" : "uniform_fraction";
  if (request.arguments.size() == 3) {
    call.argument_types[2] = column::long_type();
  } else {
    std::random_device device;
    call.added_arguments.push_back(int_literal(static_cast<std::int32_t>(device())));
  }
  return call;
}

const Entry entries[] = {
    {.name = "~", .sql = "(~{0})", .pretty = "~{0}", .rule = bitwise, .canonical = "bitwise_not"},
    {.name = "bitwise_not",
     .sql = "(~{0})",
     .pretty = "~{0}",
     .rule = bitwise,
     .canonical = "bitwise_not"},
    {.name = "&", .pretty = "({0} & {1})", .rule = bitwise, .canonical = "bitwise_and"},
    {.name = "bitwise_and", .sql = "({0} & {1})", .pretty = "({0} & {1})", .rule = bitwise},
    {.name = "|", .pretty = "({0} | {1})", .rule = bitwise, .canonical = "bitwise_or"},
    {.name = "bitwise_or", .sql = "({0} | {1})", .pretty = "({0} | {1})", .rule = bitwise},
    {.name = "^", .pretty = "({0} ^ {1})", .rule = bitwise, .canonical = "bitwise_xor"},
    {.name = "bitwise_xor", .sql = "xor({0}, {1})", .pretty = "({0} ^ {1})", .rule = bitwise},
    {.name = "round", .rule = round_to},
    {.name = "bround", .rule = round_to},
    {.name = "ceil", .pretty = "^", .rule = ceil_floor},
    {.name = "ceiling", .pretty = "ceiling({0})", .rule = ceil_floor, .canonical = "ceil"},
    {.name = "floor", .pretty = "^", .rule = ceil_floor},
    {.name = "sqrt",
     .parameters = "d",
     .result = "d",
     .sql = "CASE WHEN {0} < 0 THEN CAST('NaN' AS DOUBLE) ELSE sqrt({0}) END",
     .null = '~',
     .pretty = "^"},
    {.name = "cbrt",
     .parameters = "d",
     .result = "d",
     .sql = "ms_cbrt({0})",
     .null = '~',
     .pretty = "^"},
    {.name = "exp",
     .parameters = "d",
     .result = "d",
     .sql = "ms_exp({0})",
     .null = '~',
     .pretty = "^"},
    {.name = "expm1",
     .parameters = "d",
     .result = "d",
     .sql = "ms_expm1({0})",
     .null = '~',
     .pretty = "^"},
    {.name = "ln",
     .parameters = "d",
     .result = "d",
     .sql = "CASE WHEN {0} > 0 THEN ms_ln({0}) END",
     .null = '~'},
    {.name = "log10",
     .parameters = "d",
     .result = "d",
     .sql = "CASE WHEN {0} > 0 THEN ms_log10({0}) END",
     .null = '~',
     .pretty = "^"},
    {.name = "log2",
     .parameters = "d",
     .result = "d",
     .sql = "CASE WHEN {0} > 0 THEN ms_log2({0}) END",
     .null = '~',
     .pretty = "^"},
    {.name = "log1p",
     .parameters = "d",
     .result = "d",
     .sql = "CASE WHEN {0} > -1 THEN ms_log1p({0}) END",
     .null = '~',
     .pretty = "^"},
    {.name = "log",
     .parameters = "dd?",
     .result = "d",
     .null = '~',
     .pretty = {},
     .rule = [](const Request& request) -> Result<Call> {
       TRY_ASSIGN(Call call, apply_signature(request));
       if (request.arguments.size() == 1) {
         call.name = "ln";
         call.pretty = pretty_from("LOG(E(), {0})", request);
       } else {
         call.name = "log_base";
         call.pretty = pretty_from("LOG({0}, {1})", request);
       }
       return call;
     }},
    {.name = "log_base", .sql = "CASE WHEN {0} > 0 AND {1} > 0 THEN ms_ln({1}) / ms_ln({0}) END"},
    {.name = "pow", .parameters = "dd", .result = "d", .sql = "pow({0}, {1})"},
    {.name = "power", .parameters = "dd", .result = "d", .sql = "pow({0}, {1})", .pretty = "^"},
    {.name = "sin",
     .parameters = "d",
     .result = "d",
     .sql = "ms_sin({0})",
     .null = '~',
     .pretty = "^"},
    {.name = "cos",
     .parameters = "d",
     .result = "d",
     .sql = "ms_cos({0})",
     .null = '~',
     .pretty = "^"},
    {.name = "tan",
     .parameters = "d",
     .result = "d",
     .sql = "ms_tan({0})",
     .null = '~',
     .pretty = "^"},
    {.name = "asin",
     .parameters = "d",
     .result = "d",
     .sql = "ms_asin({0})",
     .null = '~',
     .pretty = "^"},
    {.name = "acos",
     .parameters = "d",
     .result = "d",
     .sql = "ms_acos({0})",
     .null = '~',
     .pretty = "^"},
    {.name = "atan",
     .parameters = "d",
     .result = "d",
     .sql = "ms_atan({0})",
     .null = '~',
     .pretty = "^"},
    {.name = "atan2",
     .parameters = "dd",
     .result = "d",
     .sql = "ms_atan2({0}, {1})",
     .pretty = "ATAN2({0}, {1})"},
    {.name = "sinh",
     .parameters = "d",
     .result = "d",
     .sql = "ms_sinh({0})",
     .null = '~',
     .pretty = "^"},
    {.name = "cosh",
     .parameters = "d",
     .result = "d",
     .sql = "ms_cosh({0})",
     .null = '~',
     .pretty = "^"},
    {.name = "tanh",
     .parameters = "d",
     .result = "d",
     .sql = "ms_tanh({0})",
     .null = '~',
     .pretty = "^"},
    {.name = "cot",
     .parameters = "d",
     .result = "d",
     .sql = "ms_cot({0})",
     .null = '~',
     .pretty = "^"},
    {.name = "sec",
     .parameters = "d",
     .result = "d",
     .sql = "ms_sec({0})",
     .null = '~',
     .pretty = "^"},
    {.name = "csc",
     .parameters = "d",
     .result = "d",
     .sql = "ms_csc({0})",
     .null = '~',
     .pretty = "^"},
    {.name = "asinh",
     .parameters = "d",
     .result = "d",
     .sql = "ms_asinh({0})",
     .null = '~',
     .pretty = "^"},
    {.name = "acosh",
     .parameters = "d",
     .result = "d",
     .sql = "ms_acosh({0})",
     .null = '~',
     .pretty = "^"},
    {.name = "atanh",
     .parameters = "d",
     .result = "d",
     .sql = "ms_atanh({0})",
     .null = '~',
     .pretty = "^"},
    {.name = "bit_count", .sql = "ms_bit_count({0})", .rule = bit_count},
    {.name = "bit_get", .sql = "ms_bit_get({0}, {1}, {2}, {3})", .rule = bit_get},
    {.name = "getbit", .rule = bit_get, .canonical = "bit_get"},
    {.name = "width_bucket",
     .parameters = "dddl",
     .result = "l",
     .sql = "ms_width_bucket({0}, {1}, {2}, {3})",
     .null = '~',
     .rule = [](const Request& request) -> Result<Call> {
       // Intervals are counted as their months or micros.
       const bool intervals =
           request.arguments.size() == 4 &&
           std::all_of(request.arguments.begin(), request.arguments.begin() + 3, [](const auto& a) {
             return a.type->kind() == TypeKind::year_month_interval ||
                    a.type->kind() == TypeKind::day_time_interval;
           });
       if (!intervals || request.arguments[0].type->kind() != request.arguments[1].type->kind() ||
           request.arguments[0].type->kind() != request.arguments[2].type->kind())
         return apply_signature(request);
       Call call = begin_call(request);
       call.name = "width_bucket_interval";
       call.argument_types[3] = column::long_type();
       call.type = column::long_type();
       return call;
     }},
    {.name = "width_bucket_interval",
     .sql = "ms_width_bucket(CAST({0} AS DOUBLE), CAST({1} AS DOUBLE), CAST({2} AS DOUBLE), {3})"},
    {.name = "bin", .parameters = "l", .result = "s", .sql = "ms_bin({0})"},
    {.name = "bitmap_bit_position", .parameters = "l", .result = "l", .sql = "ms_bitmap_bit({0})"},
    {.name = "bitmap_bucket_number",
     .parameters = "l",
     .result = "l",
     .sql = "ms_bitmap_bucket({0})"},
    {.name = "bitmap_count", .parameters = "x", .result = "l", .sql = "ms_bitmap_count({0})"},
    {.name = "degrees",
     .parameters = "d",
     .result = "d",
     .sql = "degrees({0})",
     .null = '~',
     .pretty = "^"},
    {.name = "radians",
     .parameters = "d",
     .result = "d",
     .sql = "radians({0})",
     .null = '~',
     .pretty = "^"},
    {.name = "hypot",
     .parameters = "dd",
     .result = "d",
     .sql = "ms_hypot({0}, {1})",
     .pretty = "HYPOT({0}, {1})"},
    {.name = "rint", .parameters = "d", .result = "d", .sql = "ms_rint({0})", .null = '~'},
    {.name = "pi", .parameters = "", .result = "d", .sql = "pi()", .null = '!', .pretty = "PI()"},
    {.name = "e",
     .parameters = "",
     .result = "d",
     .sql = "exp(1.0::DOUBLE)",
     .null = '!',
     .pretty = "E()"},
    {.name = "factorial",
     .parameters = "i",
     .result = "l",
     .sql = "CASE WHEN {0} BETWEEN 0 AND 20 THEN CAST(factorial({0}) AS BIGINT) END",
     .null = '~'},
    {.name = "hex", .sql = "ms_hex_long({0})", .rule = hex_of},
    {.name = "hex_binary", .sql = "hex({0})"},
    {.name = "hex_string", .sql = "hex(encode({0}))"},
    {.name = "unhex", .parameters = "s", .result = "x", .sql = "ms_unhex({0})", .null = '~'},
    {.name = "<<",
     .parameters = "Ii",
     .result = "0",
     .pretty = "({0} << {1})",
     .rule = shift,
     .canonical = "shiftleft"},
    {.name = ">>",
     .parameters = "Ii",
     .result = "0",
     .pretty = "({0} >> {1})",
     .rule = shift,
     .canonical = "shiftright"},
    {.name = ">>>",
     .parameters = "Ii",
     .result = "0",
     .pretty = "({0} >>> {1})",
     .rule = shift,
     .canonical = "shiftrightunsigned"},
    {.name = "shiftleft",
     .parameters = "Ii",
     .result = "0",
     .sql = "ms_shiftleft({0}, {1})",
     .rule = shift},
    {.name = "shiftright",
     .parameters = "Ii",
     .result = "0",
     .sql = "ms_shiftright({0}, {1})",
     .rule = shift},
    {.name = "shiftleft_int", .sql = "ms_shiftleft_int({0}, {1})"},
    {.name = "shiftright_int", .sql = "ms_shiftright_int({0}, {1})"},
    {.name = "shiftrightunsigned",
     .parameters = "Ii",
     .result = "0",
     .sql = "ms_shift_unsigned({0}, {1})",
     .rule = shift},
    {.name = "shiftrightunsigned_int", .sql = "ms_shift_unsigned_int({0}, {1})"},
    {.name = "rand",
     .parameters = "l?",
     .result = "d",
     .sql = "random()",
     .null = '!',
     .rule = seeded,
     .deterministic = false},
    {.name = "random",
     .parameters = "l?",
     .result = "d",
     .null = '!',
     .pretty = "rand({*})",
     .rule = seeded,
     .canonical = "rand",
     .deterministic = false},
    {.name = "uuid",
     .parameters = "l?",
     .result = "s",
     .sql = "CAST(uuid() AS VARCHAR)",
     .null = '!',
     .rule = seeded,
     .deterministic = false},
    {.name = "uuid_seeded", .sql = "ms_uuid(coalesce({0}, 0))"},
    {.name = "rand_seeded", .sql = "ms_rand(coalesce({0}, 0))"},
    {.name = "randn",
     .parameters = "l?",
     .result = "d",
     .sql = "ms_randn(CAST(random() * 9.0e15 AS BIGINT))",
     .null = '!',
     .rule = seeded,
     .deterministic = false},
    {.name = "randn_seeded", .sql = "ms_randn(coalesce({0}, 0))"},
    {.name = "randstr",
     .parameters = "il?",
     .result = "s",
     .sql = "ms_randstr(coalesce({0}, 0), CAST(random() * 9.0e15 AS BIGINT))",
     .null = '!',
     .rule = constants_seeded,
     .deterministic = false},
    {.name = "randstr_seeded", .sql = "ms_randstr(coalesce({0}, 0), coalesce({1}, 0))"},
    {.name = "uniform", .rule = uniform, .deterministic = false},
    {.name = "uniform_null", .sql = "CAST(NULL AS DOUBLE)"},
    {.name = "uniform_whole",
     .sql = "CAST(trunc(CAST({0} AS DOUBLE) + (CAST({1} AS DOUBLE) - CAST({0} AS DOUBLE)) * "
            "ms_rand({2})) AS {type})"},
    {.name = "uniform_fraction",
     .sql = "CAST(CAST({0} AS DOUBLE) + (CAST({1} AS DOUBLE) - CAST({0} AS DOUBLE)) * "
            "ms_rand({2}) AS {type})"},
};

}  // namespace

std::span<const Entry> math_entries() { return entries; }

}  // namespace millstream::functions
