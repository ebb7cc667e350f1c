// Dates, times and intervals. Timestamps are UTC micros; those with a zone see it through {tz}.
#include <algorithm>

#include "base/text.h"
#include "column/timestamp_meaning.h"
#include "functions/table.h"

namespace millstream::functions {

using column::TypeKind;
using column::TypePtr;

namespace {

// Functions of a time of day take one as such too.
// Functions of a date that also take a timestamp: the argument is cast to date in the session's
// zone. Functions of a time of day: timestamps with zone and without have a kernel each.
Result<Call> by_zone(const Request& request) {
  if (request.arguments.size() == 1 && request.name != "date_format" &&
      request.arguments[0].type->kind() == TypeKind::time)
    return field_of_time(request);
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
  call.nullable = any_nullable(request) || request.name == "try_to_date" ||
                  !request.settings.ansi || type->kind() == TypeKind::timestamp_ntz ||
                  (type->is_string() && request.arguments.size() == 1);
  if (request.arguments.size() == 2 && type->is_string()) {
    call.name = request.name == "try_to_date" ? "try_parse_date" : "parse_date";
    call.argument_types = {column::string_type(), column::string_type()};
    return call;
  }
  // Without ANSI anything but a time is read as its text.
  if (!request.settings.ansi && !type->is_nested() && !can_cast(type, call.type, true)) {
    call.name = "try_cast_date";
    call.argument_types[0] = column::string_type();
    return call;
  }
  if (!can_cast(type, call.type, request.settings.ansi))
    return unexpected_input(request, 0, "(\"STRING\" or \"DATE\" or \"TIMESTAMP\")");
  // The argument's own cast to DATE says what happens.
  call.name = request.name == "try_to_date" && type->is_string() ? "try_cast_date" : "as_is";
  call.argument_types[0] = call.name == "as_is" ? column::date_type() : type;
  return call;
}

// Of to_timestamp, make_timestamp and kin.
bool means_ntz(const std::string& name) {
  return name.ends_with("_ntz") || (!name.ends_with("_ltz") && column::timestamps_are_ntz());
}

Result<Call> to_timestamp(const Request& request) {
  if (request.arguments.empty() || request.arguments.size() > 2)
    return wrong_arity(request, "[1, 2]");
  Call call = begin_call(request);
  const TypePtr& type = request.arguments[0].type;
  const bool ntz = means_ntz(request.name);
  const bool attempt = request.name.starts_with("try_");
  call.type = ntz ? column::timestamp_ntz_type() : column::timestamp_type();
  call.nullable = any_nullable(request) || attempt ||
                  (type->is_string() && (!request.settings.ansi || request.arguments.size() == 1));
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
    call.nullable = call.nullable || !request.settings.ansi;
    call.name = "unix_parse";
    if (request.arguments.size() == 2) call.argument_types[1] = column::string_type();
  } else if (type->kind() == TypeKind::timestamp_ntz) {
    call.name = "unix_timestamp_of";
  } else if (type->kind() == TypeKind::date || type->kind() == TypeKind::timestamp ||
             type->kind() == TypeKind::null) {
    call.name = "unix_timestamp_of";
    call.argument_types[0] = column::timestamp_type();
  } else {
    return unexpected_input(
        request, 0, "(\"STRING\" or \"DATE\" or \"TIMESTAMP\" or \"TIMESTAMP_NTZ\")", call.pretty);
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
    call.name = "timestamp_seconds_decimal";
  } else {
    type = column::double_type();
    call.name = "timestamp_seconds_double";
  }
  call.argument_types = {type};
  call.type = column::timestamp_type();
  call.nullable = any_nullable(request) || type->kind() == TypeKind::double_;
  return call;
}

std::string field_pretty(const Request& request) {
  if (request.name == "date_part") return pretty_call(request.name, request);
  return pretty_from(request.name + "({0} FROM {1})", request);
}

// A member of an interval.
Result<Call> interval_field(const Request& request, const std::string& field,
                            std::string_view function) {
  Call call = begin_call(request);
  const TypeKind kind = request.arguments[1].type->kind();
  const bool of_months = function == "year" || function == "month";
  const bool of_time = function == "day" || function == "hour" || function == "minute" ||
                       function == "second_fraction";
  const int place = function == "year" || function == "day"     ? 0
                    : function == "month" || function == "hour" ? 1
                    : function == "minute"                      ? 2
                                                                : 3;
  const column::DataType& type = *request.arguments[1].type;
  const bool within = kind == TypeKind::calendar_interval ||
                      (type.start_field() <= place && place <= type.end_field());
  const bool fits = within && ((of_months && kind != TypeKind::day_time_interval) ||
                               (of_time && kind != TypeKind::year_month_interval));
  if (!fits) {
    ErrorInfo info =
        Status::error("INVALID_EXTRACT_FIELD", {{"field", "`" + field + "`"},
                                                {"expr", "\"" + request.arguments[1].sql + "\""}})
            .info();
    info.kind = ErrorKind::analysis;
    return Status(std::move(info));
  }
  call.pretty = field_pretty(request);
  call.name = kind == TypeKind::calendar_interval ? "calendar_field_" : "interval_";
  call.name += function;
  call.type = function == "second_fraction"             ? column::decimal_type(8, 6)
              : function == "year" || function == "day" ? column::int_type()
                                                        : column::byte_type();
  call.nullable = any_nullable(request);
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
      {"dayofweek_iso", "weekday_iso"},
      {"dow_iso", "weekday_iso"},
      {"yearofweek", "year_of_week"},
      {"second", "second_fraction"},
      {"s", "second_fraction"},
      {"sec", "second_fraction"},
      {"seconds", "second_fraction"},
      {"secs", "second_fraction"},
      {"hour", "hour"},
      {"h", "hour"},
      {"hours", "hour"},
      {"hr", "hour"},
      {"minute", "minute"},
      {"m", "minute"},
      {"min", "minute"},
      {"mins", "minute"},
      {"minutes", "minute"}};
  const TypeKind kind = request.arguments[1].type->kind();
  for (const auto& [text, function] : fields) {
    if (!equals_ignore_case(*field, text)) continue;
    const bool of_day = function == "hour" || function == "minute" || function == "second_fraction";
    if (kind == TypeKind::time && !of_day) break;
    if (kind == TypeKind::day_time_interval || kind == TypeKind::year_month_interval ||
        kind == TypeKind::calendar_interval)
      return interval_field(request, *field, function);
    const std::vector<Argument> inner = {request.arguments[1]};
    TRY_ASSIGN(Call call, resolve(function, inner, false, request.settings));
    call.pretty = field_pretty(request);
    call.argument_types.insert(call.argument_types.begin(), column::string_type());
    call.name = "second_argument_" + call.name;
    return call;
  }
  if (kind == TypeKind::day_time_interval || kind == TypeKind::year_month_interval)
    return Status::unsupported("{} of field {} is not supported", request.name, *field);
  const Status no_field = Status::error(
      "INVALID_EXTRACT_FIELD",
      {{"field", "`" + *field + "`"}, {"expr", "\"" + request.arguments[1].sql + "\""}});
  if (kind != TypeKind::time) return no_field;
  ErrorInfo info = no_field.info();
  info.kind = ErrorKind::analysis;
  return Status(std::move(info));
}

// make_timestamp(year, month, day, hour, minute, second[, zone]) and its kin.
Result<Call> make_timestamp(const Request& request) {
  const std::size_t given = request.arguments.size();
  const bool ntz = means_ntz(request.name);
  const std::size_t most = request.name.ends_with("_ntz") ? 6 : 7;
  if (given < 6 || given > most) {
    const bool of_date = request.name.ends_with("_ntz") ? given == 2 : given >= 1 && given <= 3;
    if (of_date) return timestamp_of_date(request);
    return wrong_arity(request, most == 6 ? "6" : "[6, 7]");
  }
  Call call = begin_call(request);
  for (std::size_t i = 0; i < given; ++i) {
    const TypePtr type = i < 5    ? column::int_type()
                         : i == 5 ? column::decimal_type(16, 6)
                                  : column::string_type();
    const TypePtr& given_type = request.arguments[i].type;
    const bool fits = i == 6 ? !given_type->is_nested()
                             : given_type->is_numeric() || given_type->is_string() ||
                                   given_type->kind() == TypeKind::null;
    if (!fits) return unexpected_input(request, i, quoted(type));
    call.argument_types[i] = type;
  }
  const bool attempt = request.name.starts_with("try_");
  call.name = std::string(attempt ? "try_" : "") + "make_timestamp";
  // A time of day has no zone to be taken from.
  if (ntz) call.name += "_ntz";
  if (given == 7 && !ntz) call.name += "_zoned";
  if (given == 7 && request.name == "try_make_timestamp")
    call.pretty = pretty_from("try_make_timestamp({0}, {1}, {2}, {3}, {4}, {5})", request);
  call.type = ntz ? column::timestamp_ntz_type() : column::timestamp_type();
  call.nullable = attempt || any_nullable(request) || !request.settings.ansi;
  return call;
}

// make_dt_interval([days[, hours[, minutes[, seconds]]]]), make_ym_interval([years[, months]])
Result<Call> make_interval(const Request& request) {
  const bool days = request.name == "make_dt_interval";
  const std::size_t most = days ? 4 : 2;
  const std::size_t given = request.arguments.size();
  if (given > most) return wrong_arity(request, days ? "[0, 4]" : "[0, 2]");
  Call call = begin_call(request);
  call.type = days ? column::day_time_interval_type(0, 3) : column::year_month_interval_type(0, 1);
  for (std::size_t i = 0; i < given; ++i) {
    const TypePtr type = days && i == 3 ? column::decimal_type(18, 6) : column::int_type();
    if (request.arguments[i].type->is_nested()) return unexpected_input(request, i, quoted(type));
    call.argument_types[i] = type;
  }
  for (std::size_t i = given; i < most; ++i) {
    const bool seconds = days && i == 3;
    call.added_arguments.push_back(int_literal(0));
    const auto close = call.pretty.rfind(')');
    const std::string text = seconds ? "0.000000" : "0";
    call.pretty.insert(close, (i > 0 ? ", " : "") + text);
  }
  call.nullable = any_nullable(request);
  return call;
}

// timestampadd(unit, count, time) and timestampdiff(unit, from, to); date_add and kin with a unit
// are the same.
Result<Call> with_unit(const Request& request, bool difference) {
  Call call = begin_call(request);
  const auto unit = literal_text(request.arguments[0]);
  static constexpr std::string_view units[] = {"YEAR",   "QUARTER",     "MONTH",      "WEEK",
                                               "DAY",    "DAYOFYEAR",   "HOUR",       "MINUTE",
                                               "SECOND", "MILLISECOND", "MICROSECOND"};
  const bool known =
      unit && std::find(std::begin(units), std::end(units), to_upper(*unit)) != std::end(units);
  if (!known) return Status::unsupported("{} of this unit is not supported", request.name);
  if (difference && equals_ignore_case(*unit, "DAYOFYEAR")) {
    const Status status = Status::error("INVALID_PARAMETER_VALUE.DATETIME_UNIT",
                                        {{"functionName", "`TIMESTAMPDIFF`"},
                                         {"parameter", "`unit`"},
                                         {"invalidValue", "'" + *unit + "'"}});
    ErrorInfo info = status.info();
    info.kind = ErrorKind::illegal_argument;
    return Status(std::move(info));
  }
  for (std::size_t i = difference ? 1 : 2; i < 3; ++i) {
    if (request.arguments[i].type->kind() != TypeKind::time) continue;
    return mismatch(
        "CAST_WITHOUT_SUGGESTION", request.arguments[i].sql,
        {{"srcType", quoted(request.arguments[i].type)}, {"targetType", "\"TIMESTAMP\""}});
  }
  call.name = difference ? "timestampdiff" : "timestampadd";
  call.pretty = fmt::format("{}({}, {}, {})", call.name, *unit, request.arguments[1].sql,
                            request.arguments[2].sql);
  call.nullable = any_nullable(request);
  if (difference) {
    call.argument_types = {column::string_type(), column::timestamp_type(),
                           column::timestamp_type()};
    call.type = column::long_type();
    return call;
  }
  call.argument_types[1] = column::long_type();
  call.type = request.arguments[2].type->kind() == TypeKind::timestamp_ntz
                  ? column::timestamp_ntz_type()
                  : column::timestamp_type();
  call.argument_types[2] = call.type;
  if (call.type->kind() == TypeKind::timestamp_ntz) call.name += "_ntz";
  return call;
}

Result<Call> timestamp_unit(const Request& request) {
  if (request.arguments.size() != 3) return wrong_arity(request, "3");
  return with_unit(request, request.name == "timestampdiff");
}

// date_add(date, days), or with a unit in front.
// Days are small whole numbers or texts of such: Spark widens nothing here.
Result<Call> add_days(const Request& request) {
  if (request.arguments.size() == 3) return with_unit(request, false);
  if (request.arguments.size() == 2) {
    const TypePtr& days = request.arguments[1].type;
    const bool wider =
        days->is_numeric() && (!days->is_integral() || days->kind() == column::TypeKind::long_);
    if (wider || days->kind() == column::TypeKind::boolean)
      return unexpected_input(request, 1, "(\"INT\" or \"SMALLINT\" or \"TINYINT\")");
    const auto text = literal_text(request.arguments[1]);
    if (text && !request.settings.ansi && !parse_int64(*text)) {
      const bool add = request.entry.canonical.empty() ? request.entry.name == "date_add"
                                                       : request.entry.canonical == "date_add";
      return Status::error("SECOND_FUNCTION_ARGUMENT_NOT_INTEGER",
                           {{"functionName", add ? "date_add" : "date_sub"}});
    }
  }
  return apply_signature(request);
}
Result<Call> days_between(const Request& request) {
  return request.arguments.size() == 3 ? with_unit(request, true) : apply_signature(request);
}

// convert_timezone([from, ]to, time)
Result<Call> convert_timezone(const Request& request) {
  const std::size_t given = request.arguments.size();
  if (given < 2 || given > 3) return wrong_arity(request, "[2, 3]");
  Call call = begin_call(request);
  for (std::size_t i = 0; i + 1 < given; ++i) call.argument_types[i] = column::string_type();
  call.argument_types[given - 1] = column::timestamp_ntz_type();
  if (given == 2) {
    call.name = "convert_timezone_session";
    call.pretty = pretty_from("convert_timezone(current_timezone(), {0}, {1})", request);
  }
  call.type = column::timestamp_ntz_type();
  call.nullable = any_nullable(request);
  return call;
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
    TRY_ASSIGN(call.type, column::parse_noted_type(request.name));
  }
  const TypePtr& from = request.arguments[0].type;
  if (!can_cast(from, call.type, request.settings.ansi)) {
    const bool from_date = from->kind() == TypeKind::date && call.type->is_numeric();
    const bool to_date = call.type->kind() == TypeKind::date && from->is_numeric();
    if (request.settings.ansi && (from_date || to_date)) {
      return mismatch("CAST_WITH_FUNC_SUGGESTION", call.pretty,
                      {{"srcType", quoted(from)},
                       {"targetType", quoted(call.type)},
                       {"functionNames", from_date ? "`UNIX_DATE`" : "`DATE_FROM_UNIX_DATE`"}});
    }
    if (can_cast(from, call.type, false)) {
      return mismatch("CAST_WITH_CONF_SUGGESTION", call.pretty,
                      {{"srcType", quoted(from)},
                       {"targetType", quoted(call.type)},
                       {"config", "\"spark.sql.ansi.enabled\""},
                       {"configVal", "'false'"}});
    }
    return mismatch("CAST_WITHOUT_SUGGESTION", call.pretty,
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
    {.name = "weekday_iso",
     .parameters = "D",
     .result = "i",
     .sql = "CAST(isodow({0}) AS INTEGER)"},
    {.name = "year_of_week",
     .parameters = "D",
     .result = "i",
     .sql = "CAST(isoyear({0}) AS INTEGER)"},
    {.name = "second_fraction",
     .parameters = "t",
     .result = "i",
     .sql = "CAST(CAST(epoch_us(ms_to_local({0}, {tz})) - epoch_us(date_trunc('minute', "
            "ms_to_local({0}, {tz}))) AS DECIMAL(14,0)) / 1000000 AS DECIMAL(8,6))",
     .rule = [](const Request& request) -> Result<Call> {
       TRY_ASSIGN(Call call, by_zone(request));
       call.type = column::decimal_type(8, 6);
       return call;
     }},
    {.name = "second_fraction_ntz",
     .sql = "CAST(CAST(epoch_us({0}) - epoch_us(date_trunc('minute', {0})) AS DECIMAL(14,0)) / "
            "1000000 AS DECIMAL(8,6))"},
    {.name = "interval_year", .sql = "CAST({1} // 12 AS INTEGER)"},
    {.name = "interval_month", .sql = "CAST({1} % 12 AS TINYINT)"},
    {.name = "interval_day", .sql = "CAST({1} // 86400000000 AS INTEGER)"},
    {.name = "interval_hour", .sql = "CAST({1} % 86400000000 // 3600000000 AS TINYINT)"},
    {.name = "interval_minute", .sql = "CAST({1} % 3600000000 // 60000000 AS TINYINT)"},
    {.name = "interval_second_fraction",
     .sql = "CAST(CAST({1} % 60000000 AS DECIMAL(14,0)) / 1000000 AS DECIMAL(8,6))"},
    {.name = "extract", .rule = extract},
    {.name = "date_part", .rule = extract},
    {.name = "datepart", .rule = extract},
    {.name = "make_timestamp",
     .sql = "ms_make_timestamp({0}, {1}, {2}, {3}, {4}, CAST(CAST({5} AS DECIMAL(38,6)) * 1000000 "
            "AS BIGINT), {tz})",
     .rule = make_timestamp},
    {.name = "make_timestamp_zoned",
     .sql = "ms_make_timestamp({0}, {1}, {2}, {3}, {4}, CAST(CAST({5} AS DECIMAL(38,6)) * 1000000 "
            "AS BIGINT), {6})"},
    {.name = "make_timestamp_ntz",
     .sql = "ms_make_timestamp({0}, {1}, {2}, {3}, {4}, CAST(CAST({5} AS DECIMAL(38,6)) * 1000000 "
            "AS BIGINT), 'UTC')",
     .rule = make_timestamp},
    {.name = "make_timestamp_ltz", .rule = make_timestamp},
    {.name = "try_make_timestamp",
     .sql = "ms_try_make_timestamp({0}, {1}, {2}, {3}, {4}, CAST(CAST({5} AS DECIMAL(38,6)) * "
            "1000000 AS BIGINT), {tz})",
     .rule = make_timestamp},
    {.name = "try_make_timestamp_zoned",
     .sql = "ms_try_make_timestamp({0}, {1}, {2}, {3}, {4}, CAST(CAST({5} AS DECIMAL(38,6)) * "
            "1000000 AS BIGINT), {6})"},
    {.name = "try_make_timestamp_ntz",
     .sql = "ms_try_make_timestamp({0}, {1}, {2}, {3}, {4}, CAST(CAST({5} AS DECIMAL(38,6)) * "
            "1000000 AS BIGINT), 'UTC')",
     .rule = make_timestamp},
    {.name = "try_make_timestamp_ltz", .rule = make_timestamp},
    {.name = "make_ym_interval", .sql = "ms_make_ym_interval({0}, {1})", .rule = make_interval},
    {.name = "make_dt_interval",
     .sql =
         "ms_make_dt_interval({0}, {1}, {2}, CAST(CAST({3} AS DECIMAL(38,6)) * 1000000 AS BIGINT))",
     .rule = make_interval},
    {.name = "timestampadd",
     .sql = "ms_timestamp_add({0}, {1}, {2}, {tz})",
     .rule = timestamp_unit},
    {.name = "timestampadd_ntz", .sql = "ms_timestamp_add({0}, {1}, {2}, 'UTC')"},
    {.name = "timestampdiff",
     .sql = "ms_timestamp_diff({0}, {1}, {2}, {tz})",
     .rule = timestamp_unit},
    {.name = "convert_timezone",
     .sql = "ms_convert_timezone({0}, {1}, {2})",
     .rule = convert_timezone},
    {.name = "convert_timezone_session", .sql = "ms_convert_timezone({tz}, {0}, {1})"},
    {.name = "localtimestamp",
     .parameters = "",
     .result = "T",
     .null = '!',
     .rule = [](const Request& request) -> Result<Call> {
       TRY_ASSIGN(Call call, apply_signature(request));
       call.type = column::timestamp_ntz_type();
       return call;
     }},
    {.name = "date_add",
     .parameters = "Di",
     .result = "D",
     .sql = "ms_date_add({0}, {1})",
     .rule = add_days},
    {.name = "dateadd",
     .parameters = "Di",
     .result = "D",
     .pretty = "date_add({0}, {1})",
     .rule = add_days,
     .canonical = "date_add"},
    {.name = "date_add_reversed", .sql = "ms_date_add({1}, {0})"},
    {.name = "date_sub",
     .parameters = "Di",
     .result = "D",
     .sql = "ms_date_add({0}, -CAST({1} AS BIGINT))",
     .rule = add_days},
    {.name = "datediff",
     .parameters = "DD",
     .result = "i",
     .sql = "CAST({0} - {1} AS INTEGER)",
     .rule = days_between},
    {.name = "date_diff",
     .parameters = "DD",
     .result = "i",
     .sql = "CAST({0} - {1} AS INTEGER)",
     .rule = days_between},
    {.name = "date_add_days_interval", .sql = "ms_date_add({0}, {1} // 86400000000)"},
    {.name = "date_add_days_interval_reversed", .sql = "ms_date_add({1}, {0} // 86400000000)"},
    {.name = "date_add_days_interval_negated", .sql = "ms_date_add({0}, -({1} // 86400000000))"},
    {.name = "date_add_months_interval", .sql = "ms_add_months({0}, {1})"},
    {.name = "date_add_months_interval_reversed", .sql = "ms_add_months({1}, {0})"},
    {.name = "date_add_months_interval_negated",
     .sql = "ms_add_months({0}, CAST(ms_interval_negate(CAST({1} AS BIGINT), true) AS INTEGER))"},
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
     .sql = "ms_months_between({0}, {1}, {2}, {tz})",
     .rule = [](const Request& request) -> Result<Call> {
       TRY_ASSIGN(Call call, apply_signature(request));
       if (request.arguments.size() == 2) {
         call.pretty = pretty_from("months_between({0}, {1}, true)", request);
         call.name = "months_between_rounded";
       }
       return call;
     }},
    {.name = "months_between_rounded", .sql = "ms_months_between({0}, {1}, true, {tz})"},
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
     .parameters = "sT",
     .result = "T",
     .sql = "ms_date_trunc({0}, {1}, {tz})",
     .null = '~'},
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
    {.name = "try_parse_timestamp_ntz", .sql = "ms_try_parse_timestamp({0}, {1}, 'UTC')"},
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
    {.name = "timestamp_seconds_decimal",
     .sql = "make_timestamp(ms_micros_of_seconds(CAST({0} AS VARCHAR)))"},
    {.name = "timestamp_seconds_double", .sql = "ms_wrap_timestamp_of_double({0})"},
    {.name = "timestamp_millis",
     .parameters = "l",
     .result = "T",
     .sql = "ms_timestamp_of({0}, 1000)"},
    {.name = "timestamp_micros", .parameters = "l", .result = "T", .sql = "make_timestamp({0})"},
    {.name = "from_unixtime",
     .parameters = "ls?",
     .result = "s",
     .sql = "ms_date_format(ms_timestamp_wrapped({0}), {1}, {tz})",
     .null = '~',
     .defaults = "yyyy-MM-dd HH:mm:ss"},
    {.name = "make_date",
     .parameters = "iii",
     .result = "D",
     .sql = "ms_make_date({0}, {1}, {2})",
     .rule = [](const Request& request) -> Result<Call> {
       TRY_ASSIGN(Call call, apply_signature(request));
       call.nullable = call.nullable || !request.settings.ansi;
       return call;
     }},
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
