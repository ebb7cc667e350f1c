// Dates, times and intervals. Timestamps are UTC micros; those with a zone see it through {tz}.
#include "base/text.h"
#include "functions/table.h"

namespace millstream::functions {

using column::TypeKind;
using column::TypePtr;

namespace {

// Functions of a date that also take a timestamp: the argument is cast to date in the session's
// zone. Functions of a time of day: timestamps with zone and without have a kernel each.
Result<Call> by_zone(const Request& request) {
  TRY_ASSIGN(Call call, apply_signature(request));
  for (const auto& type : call.argument_types) {
    if (type->kind() == TypeKind::timestamp_ntz) {
      call.name += "_ntz";
      break;
    }
  }
  return call;
}

Result<Call> to_date(const Request& request) {
  if (request.arguments.empty() || request.arguments.size() > 2)
    return wrong_arity(request, "[1, 2]");
  Call call = begin_call(request);
  const TypePtr& type = request.arguments[0].type;
  call.type = column::date_type();
  call.nullable = any_nullable(request) || (type->is_string() && request.arguments.size() == 1);
  if (request.arguments.size() == 2 && type->is_string()) {
    call.name = request.name == "try_to_date" ? "try_parse_date" : "parse_date";
    call.argument_types = {column::string_type(), column::string_type()};
    return call;
  }
  if (!can_cast(type, call.type, request.settings.ansi))
    return unexpected_input(request, 0, "(\"STRING\" or \"DATE\" or \"TIMESTAMP\")");
  // The argument's own cast to DATE says what happens.
  call.name = request.name == "try_to_date" && type->is_string() ? "try_cast_date" : "as_is";
  call.argument_types[0] = call.name == "as_is" ? column::date_type() : type;
  if (call.name == "try_cast_date")
    return Status::unsupported("try_to_date without a format is not supported");
  return call;
}

Result<Call> to_timestamp(const Request& request) {
  if (request.arguments.empty() || request.arguments.size() > 2)
    return wrong_arity(request, "[1, 2]");
  Call call = begin_call(request);
  const TypePtr& type = request.arguments[0].type;
  const bool ntz = request.name.ends_with("ntz");
  const bool attempt = request.name.starts_with("try_");
  call.type = ntz ? column::timestamp_ntz_type() : column::timestamp_type();
  call.nullable =
      any_nullable(request) || attempt || (type->is_string() && request.arguments.size() == 1);
  if (request.arguments.size() == 2 && type->is_string()) {
    call.name =
        std::string(attempt ? "try_" : "") + (ntz ? "parse_timestamp_ntz" : "parse_timestamp");
    call.argument_types = {column::string_type(), column::string_type()};
    return call;
  }
  if (!can_cast(type, call.type, request.settings.ansi)) {
    return unexpected_input(request, 0,
                            "(\"STRING\" or \"DATE\" or \"TIMESTAMP\" or \"TIMESTAMP_NTZ\")");
  }
  if (attempt && type->is_string()) {
    call.name = "try_cast_timestamp";
    call.argument_types[0] = type;
  } else {
    call.name = "as_is";
    call.argument_types[0] = call.type;
  }
  return call;
}

Result<Call> unix_timestamp(const Request& request) {
  if (request.arguments.size() > 2) return wrong_arity(request, "[0, 2]");
  Call call = begin_call(request);
  call.type = column::long_type();
  call.nullable = any_nullable(request);
  const std::string format = request.arguments.size() == 2 ? "" : "yyyy-MM-dd HH:mm:ss";
  if (request.arguments.empty()) {
    call.pretty = "unix_timestamp(current_timestamp(), " + format + ")";
    call.name = "unix_now";
    call.nullable = false;
    return call;
  }
  if (!format.empty()) {
    call.pretty = fmt::format("{}({}, {})", request.name, request.arguments[0].sql, format);
    call.added_arguments.push_back(string_literal(format));
  }
  const TypePtr& type = request.arguments[0].type;
  if (type->is_string()) {
    call.name = "unix_parse";
    if (request.arguments.size() == 2) call.argument_types[1] = column::string_type();
  } else if (type->kind() == TypeKind::timestamp_ntz) {
    call.name = "unix_timestamp_of";
  } else if (type->kind() == TypeKind::date || type->kind() == TypeKind::timestamp ||
             type->kind() == TypeKind::null) {
    call.name = "unix_timestamp_of";
    call.argument_types[0] = column::timestamp_type();
  } else {
    return unexpected_input(request, 0,
                            "(\"STRING\" or \"DATE\" or \"TIMESTAMP\" or \"TIMESTAMP_NTZ\")");
  }
  return call;
}

Result<Call> timestamp_seconds(const Request& request) {
  if (request.arguments.size() != 1) return wrong_arity(request, "1");
  Call call = begin_call(request);
  TypePtr type = request.arguments[0].type;
  if (type->kind() == TypeKind::null) type = column::long_type();
  if (!type->is_numeric()) return unexpected_input(request, 0, "\"NUMERIC\"");
  if (type->is_integral()) {
    type = column::long_type();
  } else if (type->kind() == TypeKind::decimal) {
    return Status::unsupported("timestamp_seconds of decimals is not supported");
  } else {
    type = column::double_type();
    call.name = "timestamp_seconds_double";
  }
  call.argument_types = {type};
  call.type = column::timestamp_type();
  call.nullable = any_nullable(request);
  return call;
}

Result<Call> date_trunc(const Request& request) {
  TRY_ASSIGN(Call call, apply_signature(request));
  call.nullable = true;
  if (call.argument_types[1]->kind() == TypeKind::timestamp_ntz) call.name = "date_trunc_ntz";
  return call;
}

// date + interval in SQL is an operator; date_add(date, interval) is not known to Spark.
Result<Call> extract(const Request& request) {
  if (request.arguments.size() != 2) return wrong_arity(request, "2");
  const auto field = literal_text(request.arguments[0]);
  if (!field) return Status::unsupported("{}: the field must be constant", request.name);
  static constexpr std::pair<std::string_view, std::string_view> fields[] = {
      {"year", "year"},
      {"years", "year"},
      {"yr", "year"},
      {"y", "year"},
      {"quarter", "quarter"},
      {"qtr", "quarter"},
      {"month", "month"},
      {"mon", "month"},
      {"months", "month"},
      {"mons", "month"},
      {"week", "weekofyear"},
      {"w", "weekofyear"},
      {"weeks", "weekofyear"},
      {"day", "day"},
      {"d", "day"},
      {"days", "day"},
      {"dayofweek", "dayofweek"},
      {"dow", "dayofweek"},
      {"doy", "dayofyear"},
      {"hour", "hour"},
      {"h", "hour"},
      {"hours", "hour"},
      {"hr", "hour"},
      {"minute", "minute"},
      {"m", "minute"},
      {"min", "minute"},
      {"mins", "minute"},
      {"minutes", "minute"}};
  for (const auto& [text, function] : fields) {
    if (!equals_ignore_case(*field, text)) continue;
    const std::vector<Argument> inner = {request.arguments[1]};
    TRY_ASSIGN(Call call, resolve(function, inner, false, request.settings));
    call.pretty =
        request.name == "extract"
            ? fmt::format("extract({} FROM {})", request.arguments[0].sql, request.arguments[1].sql)
            : pretty_call(request.name, request);
    call.argument_types.insert(call.argument_types.begin(), column::string_type());
    call.name = "second_argument_" + call.name;
    return call;
  }
  return Status::unsupported("{} of field {} is not supported", request.name, *field);
}

// int(x), date(x), …: a cast that is called like a function.
Result<Call> cast_to(const Request& request) {
  if (request.arguments.size() != 1) return wrong_arity(request, "1");
  Call call = begin_call(request);
  call.name = "as_is";
  call.pretty = request.arguments[0].sql;
  if (request.name == "decimal") {
    call.type = column::decimal_type(10, 0);
  } else {
    TRY_ASSIGN(call.type, column::parse_type(request.name));
  }
  const TypePtr& from = request.arguments[0].type;
  if (!can_cast(from, call.type, request.settings.ansi)) {
    return mismatch("CAST_WITHOUT_SUGGESTION",
                    "CAST(" + call.pretty + " AS " + call.type->sql() + ")",
                    {{"srcType", quoted(from)}, {"targetType", quoted(call.type)}});
  }
  call.argument_types = {call.type};
  call.nullable = any_nullable(request);
  return call;
}

const Entry entries[] = {
    {.name = "as_is", .sql = "{0}"},
    {.name = "date", .rule = cast_to},
    {.name = "timestamp", .rule = cast_to},
    {.name = "boolean", .rule = cast_to},
    {.name = "tinyint", .rule = cast_to},
    {.name = "smallint", .rule = cast_to},
    {.name = "int", .rule = cast_to},
    {.name = "bigint", .rule = cast_to},
    {.name = "float", .rule = cast_to},
    {.name = "double", .rule = cast_to},
    {.name = "decimal", .rule = cast_to},
    {.name = "string", .rule = cast_to},
    {.name = "binary", .rule = cast_to},
    {.name = "current_timestamp", .parameters = "", .result = "T", .null = '!'},
    {.name = "now", .parameters = "", .result = "T", .null = '!', .canonical = "current_timestamp"},
    {.name = "current_date", .parameters = "", .result = "D", .null = '!'},
    {.name = "curdate",
     .parameters = "",
     .result = "D",
     .null = '!',
     .pretty = "current_date()",
     .canonical = "current_date"},
    {.name = "current_timezone", .parameters = "", .result = "s", .sql = "{tz}", .null = '!'},
    {.name = "unix_now"},
    {.name = "year", .parameters = "D", .result = "i", .sql = "CAST(year({0}) AS INTEGER)"},
    {.name = "quarter", .parameters = "D", .result = "i", .sql = "CAST(quarter({0}) AS INTEGER)"},
    {.name = "month", .parameters = "D", .result = "i", .sql = "CAST(month({0}) AS INTEGER)"},
    {.name = "day", .parameters = "D", .result = "i", .sql = "CAST(day({0}) AS INTEGER)"},
    {.name = "dayofmonth", .parameters = "D", .result = "i", .sql = "CAST(day({0}) AS INTEGER)"},
    {.name = "dayofyear",
     .parameters = "D",
     .result = "i",
     .sql = "CAST(dayofyear({0}) AS INTEGER)"},
    {.name = "dayofweek",
     .parameters = "D",
     .result = "i",
     .sql = "CAST(dayofweek({0}) + 1 AS INTEGER)"},
    {.name = "weekday",
     .parameters = "D",
     .result = "i",
     .sql = "CAST(isodow({0}) - 1 AS INTEGER)"},
    {.name = "weekofyear",
     .parameters = "D",
     .result = "i",
     .sql = "CAST(weekofyear({0}) AS INTEGER)"},
    {.name = "dayname", .parameters = "D", .result = "s", .sql = "substr(dayname({0}), 1, 3)"},
    {.name = "monthname", .parameters = "D", .result = "s", .sql = "substr(monthname({0}), 1, 3)"},
    {.name = "hour",
     .parameters = "t",
     .result = "i",
     .sql = "CAST(hour(ms_to_local({0}, {tz})) AS INTEGER)",
     .rule = by_zone},
    {.name = "hour_ntz", .sql = "CAST(hour({0}) AS INTEGER)"},
    {.name = "minute",
     .parameters = "t",
     .result = "i",
     .sql = "CAST(minute(ms_to_local({0}, {tz})) AS INTEGER)",
     .rule = by_zone},
    {.name = "minute_ntz", .sql = "CAST(minute({0}) AS INTEGER)"},
    {.name = "second",
     .parameters = "t",
     .result = "i",
     .sql = "CAST(second(ms_to_local({0}, {tz})) AS INTEGER)",
     .rule = by_zone},
    {.name = "second_ntz", .sql = "CAST(second({0}) AS INTEGER)"},
    {.name = "extract", .rule = extract},
    {.name = "date_part", .rule = extract},
    {.name = "datepart", .rule = extract},
    {.name = "date_add", .parameters = "Di", .result = "D", .sql = "ms_date_add({0}, {1})"},
    {.name = "dateadd",
     .parameters = "Di",
     .result = "D",
     .pretty = "date_add({0}, {1})",
     .canonical = "date_add"},
    {.name = "date_add_reversed", .sql = "ms_date_add({1}, {0})"},
    {.name = "date_sub",
     .parameters = "Di",
     .result = "D",
     .sql = "ms_date_add({0}, -CAST({1} AS BIGINT))"},
    {.name = "datediff", .parameters = "DD", .result = "i", .sql = "CAST({0} - {1} AS INTEGER)"},
    {.name = "date_diff", .parameters = "DD", .result = "i", .sql = "CAST({0} - {1} AS INTEGER)"},
    {.name = "date_add_days_interval", .sql = "ms_date_add({0}, {1} // 86400000000)"},
    {.name = "date_add_days_interval_reversed", .sql = "ms_date_add({1}, {0} // 86400000000)"},
    {.name = "date_add_days_interval_negated", .sql = "ms_date_add({0}, -({1} // 86400000000))"},
    {.name = "date_add_months_interval", .sql = "ms_add_months({0}, {1})"},
    {.name = "date_add_months_interval_reversed", .sql = "ms_add_months({1}, {0})"},
    {.name = "date_add_months_interval_negated", .sql = "ms_add_months({0}, -{1})"},
    {.name = "timestamp_add_interval"},
    {.name = "timestamp_add_interval_reversed"},
    {.name = "timestamp_add_interval_negated"},
    {.name = "timestamp_add_months_interval"},
    {.name = "timestamp_add_months_interval_reversed"},
    {.name = "timestamp_add_months_interval_negated"},
    {.name = "add_months", .parameters = "Di", .result = "D", .sql = "ms_add_months({0}, {1})"},
    {.name = "months_between",
     .parameters = "TTb?",
     .result = "d",
     .sql = "ms_months_between(ms_to_local({0}, {tz}), ms_to_local({1}, {tz}), {2})",
     .rule = [](const Request& request) -> Result<Call> {
       TRY_ASSIGN(Call call, apply_signature(request));
       if (request.arguments.size() == 2) {
         call.pretty = pretty_from("months_between({0}, {1}, true)", request);
         call.name = "months_between_rounded";
       }
       return call;
     }},
    {.name = "months_between_rounded",
     .sql = "ms_months_between(ms_to_local({0}, {tz}), ms_to_local({1}, {tz}), true)"},
    {.name = "last_day", .parameters = "D", .result = "D", .sql = "last_day({0})"},
    {.name = "next_day",
     .parameters = "Ds",
     .result = "D",
     .sql = "ms_next_day({0}, {1})",
     .null = '~'},
    {.name = "trunc",
     .parameters = "Ds",
     .result = "D",
     .sql = "ms_trunc_date({0}, {1})",
     .null = '~'},
    {.name = "date_trunc",
     .parameters = "st",
     .result = "1",
     .sql = "ms_date_trunc({0}, {1}, {tz})",
     .rule = date_trunc},
    {.name = "date_trunc_ntz", .sql = "ms_date_trunc({0}, {1}, 'UTC')"},
    {.name = "date_format",
     .parameters = "ts",
     .result = "s",
     .sql = "ms_date_format({0}, {1}, {tz})",
     .rule = by_zone},
    {.name = "date_format_ntz", .sql = "ms_date_format({0}, {1}, 'UTC')"},
    {.name = "to_date", .rule = to_date},
    {.name = "try_to_date", .rule = to_date},
    {.name = "to_timestamp", .rule = to_timestamp},
    {.name = "to_timestamp_ltz", .rule = to_timestamp},
    {.name = "to_timestamp_ntz", .rule = to_timestamp},
    {.name = "try_to_timestamp", .rule = to_timestamp},
    {.name = "parse_date", .sql = "ms_parse_date({0}, {1}, {tz})"},
    {.name = "try_parse_date", .sql = "ms_try_parse_date({0}, {1}, {tz})"},
    {.name = "parse_timestamp", .sql = "ms_parse_timestamp({0}, {1}, {tz})"},
    {.name = "parse_timestamp_ntz", .sql = "ms_parse_timestamp({0}, {1}, 'UTC')"},
    {.name = "try_parse_timestamp", .sql = "ms_try_parse_timestamp({0}, {1}, {tz})"},
    {.name = "try_cast_timestamp"},
    {.name = "try_cast_date"},
    {.name = "unix_timestamp", .rule = unix_timestamp},
    {.name = "to_unix_timestamp", .rule = unix_timestamp},
    {.name = "unix_timestamp_of", .sql = "(epoch_us({0}) // 1000000)"},
    {.name = "unix_parse", .sql = "ms_unix_parse({0}, {1}, {tz})"},
    {.name = "unix_seconds",
     .parameters = "T",
     .result = "l",
     .sql = "(epoch_us({0}) - ((epoch_us({0}) % 1000000) + 1000000) % 1000000) // 1000000"},
    {.name = "unix_millis",
     .parameters = "T",
     .result = "l",
     .sql = "(epoch_us({0}) - ((epoch_us({0}) % 1000) + 1000) % 1000) // 1000"},
    {.name = "unix_micros", .parameters = "T", .result = "l", .sql = "epoch_us({0})"},
    {.name = "unix_date",
     .parameters = "D",
     .result = "i",
     .sql = "CAST({0} - DATE '1970-01-01' AS INTEGER)"},
    {.name = "date_from_unix_date",
     .parameters = "i",
     .result = "D",
     .sql = "ms_date_add(DATE '1970-01-01', {0})"},
    {.name = "timestamp_seconds",
     .sql = "ms_timestamp_of({0}, 1000000)",
     .rule = timestamp_seconds},
    {.name = "timestamp_seconds_double", .sql = "ms_timestamp_of_double({0})"},
    {.name = "timestamp_millis",
     .parameters = "l",
     .result = "T",
     .sql = "ms_timestamp_of({0}, 1000)"},
    {.name = "timestamp_micros", .parameters = "l", .result = "T", .sql = "make_timestamp({0})"},
    {.name = "from_unixtime",
     .parameters = "ls?",
     .result = "s",
     .sql = "ms_date_format(ms_timestamp_of({0}, 1000000), {1}, {tz})",
     .null = '~',
     .defaults = "yyyy-MM-dd HH:mm:ss"},
    {.name = "make_date", .parameters = "iii", .result = "D", .sql = "ms_make_date({0}, {1}, {2})"},
    {.name = "from_utc_timestamp",
     .parameters = "Ts",
     .result = "T",
     .sql = "ms_to_local({0}, {1})"},
    {.name = "to_utc_timestamp",
     .parameters = "Ts",
     .result = "T",
     .sql = "ms_from_local({0}, {1})"},
};

}  // namespace

std::span<const Entry> datetime_entries() { return entries; }

}  // namespace millstream::functions
