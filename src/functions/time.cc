// Times of day: made, read, cut and taken apart. Their values are nanoseconds since midnight.
#include "base/text.h"
#include "base/time_of_day.h"
#include "column/time_types.h"
#include "functions/table.h"

namespace millstream::functions {

using column::TypeKind;
using column::TypePtr;

namespace {

TypePtr any_time() { return column::type_of(TypeKind::time); }
bool is_null(const TypePtr& type) { return type->kind() == TypeKind::null; }
bool is_time(const TypePtr& type) { return type->kind() == TypeKind::time; }

// What most of these functions are: NULL may come of them whatever is given.
Call begin_time_call(const Request& request, const TypePtr& result) {
  Call call = begin_call(request);
  call.type = result;
  call.nullable = true;
  return call;
}

Status check_count(const Request& request, std::size_t count) {
  return request.arguments.size() == count ? Status::OK()
                                           : wrong_arity(request, std::to_string(count));
}

// A text becomes a time, another type but NULL fits nowhere.
Result<TypePtr> as_time(const Argument& argument) {
  if (is_time(argument.type)) return argument.type;
  if (argument.type->is_string() || is_null(argument.type)) return any_time();
  return mismatch("CAST_WITHOUT_SUGGESTION", argument.sql,
                  {{"srcType", quoted(argument.type)}, {"targetType", quoted(any_time())}});
}

Result<std::int64_t> precision_of(const Request& request) {
  const Argument& argument = request.arguments[0];
  const auto number = literal_int(argument);
  const auto text = number ? std::optional(std::to_string(*number)) : literal_text(argument);
  if (!text) {
    if (argument.literal != nullptr || !argument.type->is_numeric())
      return unexpected_input(request, 0, "\"INT\"");
    return mismatch("NON_FOLDABLE_INPUT", pretty_call(request.name, request),
                    {{"inputName", "`precision`"},
                     {"inputType", "\"INT\""},
                     {"inputExpr", quoted(argument.sql)}});
  }
  const auto precision = parse_int64(*text);
  if (!precision) {
    ErrorInfo info =
        Status::error("CAST_INVALID_INPUT", {{"expression", "'" + *text + "'"},
                                             {"sourceType", quoted(argument.type)},
                                             {"targetType", "\"INT\""},
                                             {"ansiConfig", "\"spark.sql.ansi.enabled\""}})
            .info();
    info.kind = ErrorKind::number_format;
    return Status(std::move(info));
  }
  if (*precision >= 0 && *precision <= time_precision_max) return *precision;
  return mismatch("VALUE_OUT_OF_RANGE", pretty_call(request.name, request),
                  {{"exprName", "`precision`"},
                   {"valueRange", fmt::format("[0, {}]", time_precision_max)},
                   {"currentValue", *text}});
}

// current_time([precision])
Result<Call> current_time(const Request& request) {
  if (request.arguments.size() > 1) return wrong_arity(request, "[0, 1]");
  std::int64_t precision = time_precision_max;
  if (request.arguments.size() == 1) {
    TRY_ASSIGN(precision, precision_of(request));
  }
  Call call = begin_time_call(request, column::time_type(static_cast<int>(precision)));
  if (request.arguments.empty()) call.pretty = fmt::format("current_time({})", precision);
  call.nullable = false;
  return call;
}

// make_time(hour, minute, second)
Result<Call> make_time(const Request& request) {
  TRY(check_count(request, 3));
  TRY(column::check_time_types());
  Call call = begin_time_call(request, any_time());
  for (std::size_t i = 0; i < 3; ++i) {
    const TypePtr type = i < 2 ? column::int_type() : column::decimal_type(16, 6);
    const TypePtr& given = request.arguments[i].type;
    if (!given->is_numeric() && !given->is_string() && !is_null(given))
      return unexpected_input(request, i, quoted(type));
    call.argument_types[i] = type;
  }
  return call;
}

// to_time(text[, format]) and try_to_time
Result<Call> to_time(const Request& request) {
  const std::size_t given = request.arguments.size();
  if (given < 1 || given > 2) return wrong_arity(request, "[1, 2]");
  TRY(column::check_time_types());
  const bool attempt = request.name == "try_to_time";
  const std::string inner = pretty_call("to_time", request);
  Call call = begin_time_call(request, any_time());
  for (std::size_t i = 0; i < given; ++i) {
    const TypePtr& type = request.arguments[i].type;
    if (!type->is_string() && !is_null(type))
      return unexpected_input(request, i, "\"STRING\"", inner);
    call.argument_types[i] = column::string_type();
  }
  if (attempt) call.pretty = "try_to_time(" + inner + ")";
  call.name = std::string(attempt ? "try_" : "") + (given == 2 ? "to_time_pattern" : "to_time");
  if (given == 2 && is_null(request.arguments[1].type)) {
    call.name = "to_time_without_pattern";
    call.type = column::string_type();
  }
  return call;
}

// time_trunc(unit, time) and time_diff(unit, from, to)
Result<Call> with_unit(const Request& request) {
  const bool difference = request.name == "time_diff";
  TRY(check_count(request, difference ? 3 : 2));
  TRY(column::check_time_types());
  Call call = begin_time_call(request, column::long_type());
  const TypePtr& unit = request.arguments[0].type;
  if (unit->is_nested()) return unexpected_input(request, 0, "\"STRING\"");
  call.argument_types[0] = column::string_type();
  for (std::size_t i = 1; i < request.arguments.size(); ++i) {
    TRY_ASSIGN(call.argument_types[i], as_time(request.arguments[i]));
  }
  if (!difference) call.type = call.argument_types[1];
  return call;
}

// time_from_seconds(number), time_from_millis(integer), time_from_micros(integer)
Result<Call> time_from(const Request& request) {
  TRY(check_count(request, 1));
  TRY(column::check_time_types());
  Call call = begin_time_call(request, any_time());
  const bool seconds = request.name == "time_from_seconds";
  const TypePtr& type = request.arguments[0].type;
  const bool fits = seconds ? type->is_numeric() : type->is_integral();
  if (!fits && !is_null(type))
    return unexpected_input(request, 0, seconds ? "\"NUMERIC\"" : "\"INTEGRAL\"");
  call.argument_types[0] = column::long_type();
  if (type->kind() == TypeKind::decimal) {
    call.argument_types[0] = type;
    call.name = "time_from_decimal";
  } else if (type->is_numeric() && !type->is_integral()) {
    call.argument_types[0] = column::double_type();
    call.name = "time_from_double";
  }
  return call;
}

// time_to_seconds, time_to_millis, time_to_micros
Result<Call> time_to(const Request& request) {
  TRY(check_count(request, 1));
  TRY(column::check_time_types());
  const TypePtr& type = request.arguments[0].type;
  if (!is_time(type) && !is_null(type)) return unexpected_input(request, 0, "\"TIME\"");
  Call call =
      begin_time_call(request, request.name == "time_to_seconds" ? column::decimal_type(14, 6)
                                                                 : column::long_type());
  if (is_null(type)) call.argument_types[0] = any_time();
  return call;
}

const Entry entries[] = {
    {.name = "time",
     .rule = [](const Request& request) -> Result<Call> {
       TRY(check_count(request, 1));
       TRY(column::check_time_types());
       Call call = begin_time_call(request, any_time());
       TRY_ASSIGN(call.argument_types[0], as_time(request.arguments[0]));
       // CAST(x AS TIME) cuts nothing off.
       call.argument_types[0] = any_time();
       call.name = "as_is";
       call.pretty = request.arguments[0].sql;
       call.nullable = any_nullable(request) || request.arguments[0].type->is_string();
       return call;
     }},
    {.name = "current_time", .rule = current_time},
    {.name = "make_time",
     .sql = "ms_make_time({0}, {1}, CAST(CAST({2} AS DECIMAL(38,6)) * 1000000 AS BIGINT))",
     .rule = make_time},
    {.name = "to_time", .sql = "ms_to_time({0})", .rule = to_time},
    {.name = "to_time_pattern", .sql = "ms_to_time_pattern({0}, {1})"},
    {.name = "to_time_without_pattern", .sql = "CAST(NULL AS VARCHAR)"},
    {.name = "try_to_time", .sql = "ms_try_to_time({0})", .rule = to_time},
    {.name = "try_to_time_pattern", .sql = "ms_try_to_time_pattern({0}, {1})"},
    {.name = "time_trunc", .sql = "ms_time_trunc({0}, {1})", .rule = with_unit},
    {.name = "time_diff", .sql = "ms_time_diff({0}, {1}, {2})", .rule = with_unit},
    {.name = "time_from_seconds", .sql = "ms_time_of({0}, 1000000000)", .rule = time_from},
    {.name = "time_from_decimal", .sql = "ms_time_of_decimal(CAST({0} AS VARCHAR))"},
    {.name = "time_from_double", .sql = "ms_time_of_double({0})"},
    {.name = "time_from_millis", .sql = "ms_time_of({0}, 1000000)", .rule = time_from},
    {.name = "time_from_micros", .sql = "ms_time_of({0}, 1000)", .rule = time_from},
    {.name = "time_to_seconds",
     .sql = "CAST(CAST({0} // 1000 AS DECIMAL(14,0)) / 1000000 AS DECIMAL(14,6))",
     .rule = time_to},
    {.name = "time_to_millis", .sql = "({0} // 1000000)", .rule = time_to},
    {.name = "time_to_micros", .sql = "({0} // 1000)", .rule = time_to},
    {.name = "hour_of_time", .sql = "CAST({0} // 3600000000000 AS INTEGER)"},
    {.name = "minute_of_time", .sql = "CAST({0} // 60000000000 % 60 AS INTEGER)"},
    {.name = "second_of_time", .sql = "CAST({0} // 1000000000 % 60 AS INTEGER)"},
    {.name = "second_fraction_of_time",
     .sql = "CAST(CAST({0} // 1000 % 60000000 AS DECIMAL(14,0)) / 1000000 AS DECIMAL(8,6))"},
    {.name = "time_minus_time", .sql = "(({0} - {1}) // 1000)"},
    {.name = "time_add_interval"},
    {.name = "time_add_interval_reversed"},
    {.name = "time_add_interval_negated"},
    {.name = "timestamp_of_date_and_time", .sql = "ms_timestamp_of_day({0}, {1}, {tz})"},
    {.name = "timestamp_of_date_and_time_zoned", .sql = "ms_timestamp_of_day({0}, {1}, {2})"},
    {.name = "timestamp_of_date_and_time_ntz", .sql = "ms_timestamp_of_day({0}, {1}, 'UTC')"},
    {.name = "timestamp_of_date", .sql = "ms_timestamp_of_day({0}, 0::BIGINT, {tz})"},
};

}  // namespace

// hour, minute, second and second_fraction of a time.
Result<Call> field_of_time(const Request& request) {
  TRY(column::check_time_types());
  Call call = begin_time_call(
      request, request.name == "second_fraction" ? column::decimal_type(8, 6) : column::int_type());
  call.name += "_of_time";
  return call;
}

// make_timestamp(date[, time[, zone]]) and its kin. A failure of these is one under try_ too.
Result<Call> timestamp_of_date(const Request& request) {
  const bool ntz = request.name.ends_with("_ntz");
  const std::size_t given = request.arguments.size();
  Call call = begin_call(request);
  const auto fits = [&](std::size_t i, TypeKind kind) {
    return request.arguments[i].type->kind() == kind || is_null(request.arguments[i].type);
  };
  if (!fits(0, TypeKind::date)) return unexpected_input(request, 0, "\"DATE\"");
  call.argument_types[0] = column::date_type();
  if (given > 1) {
    if (!fits(1, TypeKind::time)) return unexpected_input(request, 1, "\"TIME\"");
    if (is_null(request.arguments[1].type)) call.argument_types[1] = any_time();
  }
  if (given > 2) {
    if (request.arguments[2].type->is_nested()) return unexpected_input(request, 2, "\"STRING\"");
    call.argument_types[2] = column::string_type();
  }
  call.name = given == 1 ? "timestamp_of_date" : "timestamp_of_date_and_time";
  call.name += ntz ? "_ntz" : given == 3 ? "_zoned" : "";
  if (request.name.ends_with("_ltz")) call.pretty = pretty_call("make_timestamp", request);
  if (request.name == "try_make_timestamp_ntz") {
    call.pretty = "try_make_timestamp_ntz(" + pretty_call("make_timestamp_ntz", request) + ")";
  }
  call.type = ntz ? column::timestamp_ntz_type() : column::timestamp_type();
  call.nullable = ntz || any_nullable(request);
  return call;
}

std::span<const Entry> time_entries() { return entries; }

}  // namespace millstream::functions
