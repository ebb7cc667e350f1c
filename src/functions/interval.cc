// Intervals times and over numbers.
#include <arrow/scalar.h>

#include "base/text.h"
#include "functions/table.h"

namespace millstream::functions {

using column::TypeKind;
using column::TypePtr;

Result<Call> scaled_interval(const Request& request, Call call) {
  const bool swapped = call.name == "multiply" &&
                       request.arguments[1].type->kind() != TypeKind::null &&
                       (request.arguments[1].type->kind() == TypeKind::day_time_interval ||
                        request.arguments[1].type->kind() == TypeKind::year_month_interval);
  const std::size_t at = swapped ? 1 : 0;
  const TypePtr& interval = request.arguments[at].type;
  const TypePtr& number = request.arguments[1 - at].type;
  const bool months = interval->kind() == TypeKind::year_month_interval;
  TypePtr factor;
  std::string kind = "double";
  if (number->is_integral()) {
    factor = column::long_type();
    kind = "long";
  } else if (number->kind() == TypeKind::decimal) {
    factor = number;
    kind = "decimal";
  } else if (number->is_numeric() || number->is_string() || number->kind() == TypeKind::null) {
    factor = column::double_type();
  } else {
    return mismatch("UNEXPECTED_INPUT_TYPE", call.pretty,
                    {{"paramIndex", "second"},
                     {"requiredType", "\"NUMERIC\""},
                     {"inputSql", quoted(request.arguments[1 - at].sql)},
                     {"inputType", quoted(number)}});
  }
  call.name = std::string(months ? "months_" : "micros_") + call.name + "_" + kind;
  if (swapped) call.name += "_reversed";
  call.argument_types = {interval, interval};
  call.argument_types[1 - at] = factor;
  call.type =
      months ? column::year_month_interval_type(0, 1) : column::day_time_interval_type(0, 3);
  // Spark writes the interval first.
  if (swapped && request.name == "*") call.pretty = pretty_from("({1} * {0})", request);
  call.nullable = call.nullable || number->is_string();
  return call;
}

bool is_calendar(const TypePtr& type) { return type->kind() == TypeKind::calendar_interval; }

namespace {

bool is_moment(const TypePtr& type) {
  return type->kind() == TypeKind::date || type->kind() == TypeKind::timestamp ||
         type->kind() == TypeKind::timestamp_ntz;
}

// What Spark does without ANSI where the result does not fit.
std::string lenient(const Request& request) { return request.settings.ansi ? "" : "_wrap"; }

// date + interval, interval + timestamp, timestamp - interval
Call moved(const Request& request, Call call, std::size_t at) {
  const bool plus = call.name == "add";
  const TypePtr& moment = request.arguments[at].type;
  const bool date = moment->kind() == TypeKind::date;
  call.pretty = pretty_from(!plus ? "{0} - {1}" : at == 0 ? "{0} + {1}" : "{1} + {0}", request);
  call.name = fmt::format("calendar_{}_{}", plus ? "plus" : "minus", date ? "date" : "time");
  if (date) call.name += lenient(request);
  call.type = moment;
  return call;
}

Result<Call> scaled_calendar(const Request& request, Call call) {
  const std::size_t at = is_calendar(request.arguments[0].type) ? 0 : 1;
  const Argument& number = request.arguments[1 - at];
  const std::string function = call.name + "_interval";
  call.pretty = pretty_from(function + (at == 0 ? "({0}, {1})" : "({1}, {0})"), request);
  const TypePtr& type = number.type;
  if (!type->is_numeric() && !type->is_string() && type->kind() != TypeKind::null) {
    return mismatch("UNEXPECTED_INPUT_TYPE", call.pretty,
                    {{"paramIndex", "second"},
                     {"requiredType", "\"DOUBLE\""},
                     {"inputSql", quoted(number.sql)},
                     {"inputType", quoted(type)}});
  }
  call.argument_types[1 - at] = column::double_type();
  call.name = "calendar_" + call.name + lenient(request);
  call.nullable = true;
  return call;
}

}  // namespace

Result<Call> calendar_arithmetic(const Request& request, Call call) {
  const TypePtr& a = request.arguments[0].type;
  const TypePtr& b = request.arguments[1].type;
  call.type = column::type_of(TypeKind::calendar_interval);
  if ((call.name == "multiply" && (is_calendar(a) || is_calendar(b))) ||
      (call.name == "divide" && is_calendar(a)))
    return scaled_calendar(request, std::move(call));
  const bool sum = call.name == "add" || call.name == "subtract";
  if (sum && is_calendar(a) && is_calendar(b)) {
    call.name = "calendar_" + call.name + lenient(request);
    call.nullable = call.nullable || !request.settings.ansi;
    return call;
  }
  if (sum && is_calendar(b) && is_moment(a)) return moved(request, std::move(call), 0);
  if (call.name == "add" && is_calendar(a) && is_moment(b))
    return moved(request, std::move(call), 1);
  if (!sum) {
    return mismatch("BINARY_OP_DIFF_TYPES", call.pretty,
                    {{"left", quoted(a)}, {"right", quoted(b)}});
  }
  const TypePtr& other = request.arguments[is_calendar(b) ? 0 : 1].type;
  if (other->is_string() || other->kind() == TypeKind::null)
    return Status::unsupported("{} of {} and INTERVAL is not supported", call.name, other->sql());
  // Spark takes one of both for a time: what is added to the calendar interval, or that one itself
  // beside an interval of another type.
  const bool beside_interval = other->kind() == TypeKind::day_time_interval ||
                               other->kind() == TypeKind::year_month_interval;
  const std::size_t time = is_calendar(a) != beside_interval && call.name == "add" ? 1 : 0;
  return mismatch("UNEXPECTED_INPUT_TYPE",
                  pretty_from(time == 1            ? "{1} + {0}"
                              : call.name == "add" ? "{0} + {1}"
                                                   : "{0} - {1}",
                              request),
                  {{"paramIndex", "first"},
                   {"requiredType", "\"(TIMESTAMP OR TIMESTAMP WITHOUT TIME ZONE)\""},
                   {"inputSql", quoted(request.arguments[time].sql)},
                   {"inputType", quoted(request.arguments[time].type)}});
}

namespace {

// make_interval([years[, months[, weeks[, days[, hours[, minutes[, seconds]]]]]]])
Result<Call> make_calendar(const Request& request) {
  constexpr std::size_t most = 7;
  const bool attempt = request.name == "try_make_interval";
  const std::size_t given = request.arguments.size();
  if (given > most || (attempt && given == 0))
    return wrong_arity(request, attempt ? "[1, 2, 3, 4, 5, 6, 7]" : "[0, 1, 2, 3, 4, 5, 6, 7]");
  Call call = begin_call(request);
  for (std::size_t i = given; i < most; ++i) {
    call.added_arguments.push_back(int_literal(0));
    call.pretty.insert(call.pretty.rfind(')'),
                       std::string(i > 0 ? ", " : "") + (i == most - 1 ? "0.000000" : "0"));
  }
  for (std::size_t i = 0; i < most; ++i) {
    const TypePtr type = i == most - 1 ? column::decimal_type(18, 6) : column::int_type();
    if (i >= given) {
      call.argument_types.push_back(type);
      continue;
    }
    const TypePtr& from = request.arguments[i].type;
    if (!from->is_numeric() && !from->is_string() && from->kind() != TypeKind::null)
      return unexpected_input(request, i, quoted(type), call.pretty);
    call.argument_types[i] = type;
  }
  const bool fails = !attempt && request.settings.ansi;
  call.name = fails ? "calendar_make" : "calendar_make_try";
  call.type = column::type_of(TypeKind::calendar_interval);
  call.nullable = !fails || any_nullable(request);
  return call;
}

bool is_beneath_one(const Argument& interval) {
  if (interval.literal == nullptr || !interval.literal->is_valid) return false;
  if (interval.type->kind() == TypeKind::year_month_interval)
    return static_cast<const arrow::MonthIntervalScalar&>(*interval.literal).value <= 0;
  return static_cast<const arrow::DurationScalar&>(*interval.literal).value <= 0;
}

// time_bucket(size, time[, origin]): the start of the bucket that holds the time.
Result<Call> time_bucket(const Request& request) {
  const std::size_t given = request.arguments.size();
  if (given != 2 && given != 3) return wrong_arity(request, "[2, 3]");
  Call call = begin_call(request);
  const TypePtr& size = request.arguments[0].type;
  const bool months = size->kind() == TypeKind::year_month_interval;
  TypePtr time = request.arguments[1].type;
  const bool ntz = time->kind() == TypeKind::timestamp_ntz;
  if (given == 2) {
    const std::string origin = fmt::format("TIMESTAMP{} '1970-01-01 00:00:00'", ntz ? "_NTZ" : "");
    call.pretty.insert(call.pretty.rfind(')'), ", " + origin);
  }
  if (!months && size->kind() != TypeKind::day_time_interval) {
    return unexpected_input(
        request, 0, "(\"INTERVAL DAY TO SECOND\" or \"INTERVAL YEAR TO MONTH\")", call.pretty);
  }
  if (time->kind() == TypeKind::null) time = column::timestamp_type();
  if (is_beneath_one(request.arguments[0])) {
    return mismatch("VALUE_OUT_OF_RANGE", call.pretty,
                    {{"exprName", "`bucketSize`"},
                     {"valueRange", "(0, inf)"},
                     {"currentValue", request.arguments[0].sql}});
  }
  if (!ntz && time->kind() != TypeKind::timestamp)
    return unexpected_input(request, 1, "\"(TIMESTAMP OR TIMESTAMP WITHOUT TIME ZONE)\"",
                            call.pretty);
  if (given == 3 && request.arguments[2].type->kind() != TypeKind::null &&
      !column::same_type(request.arguments[2].type, time))
    return unexpected_input(request, 2, quoted(time), call.pretty);
  call.argument_types = {size, time, time};
  call.argument_types.resize(given);
  call.name = fmt::format("time_bucket_{}{}{}", months ? "months" : "micros", ntz ? "_ntz" : "",
                          given == 2 ? "_epoch" : "");
  call.type = time;
  call.nullable = any_nullable(request);
  return call;
}

const Entry entries[] = {
    {.name = "make_interval", .rule = make_calendar},
    {.name = "try_make_interval", .rule = make_calendar},
    {.name = "calendar_make", .sql = "@calendar_make"},
    {.name = "calendar_make_try", .sql = "@calendar_make_try"},
    {.name = "calendar_add", .sql = "@calendar_add"},
    {.name = "calendar_add_try", .sql = "@calendar_add_try"},
    {.name = "calendar_add_wrap", .sql = "@calendar_add_wrap"},
    {.name = "calendar_subtract", .sql = "@calendar_subtract"},
    {.name = "calendar_subtract_try", .sql = "@calendar_subtract_try"},
    {.name = "calendar_subtract_wrap", .sql = "@calendar_subtract_wrap"},
    {.name = "calendar_negate", .sql = "@calendar_negate"},
    {.name = "calendar_negate_wrap", .sql = "@calendar_negate_wrap"},
    {.name = "calendar_multiply", .sql = "@calendar_multiply"},
    {.name = "calendar_multiply_try", .sql = "@calendar_multiply_try"},
    {.name = "calendar_multiply_wrap", .sql = "@calendar_multiply_wrap"},
    {.name = "calendar_divide", .sql = "@calendar_divide"},
    {.name = "calendar_divide_try", .sql = "@calendar_divide_try"},
    {.name = "calendar_divide_wrap", .sql = "@calendar_divide_wrap"},
    {.name = "calendar_plus_time", .sql = "@calendar_plus_time"},
    {.name = "calendar_plus_time_try", .sql = "@calendar_plus_time_try"},
    {.name = "calendar_minus_time", .sql = "@calendar_minus_time"},
    {.name = "calendar_minus_time_try", .sql = "@calendar_minus_time_try"},
    {.name = "calendar_plus_date", .sql = "@calendar_plus_date"},
    {.name = "calendar_plus_date_try", .sql = "@calendar_plus_date_try"},
    {.name = "calendar_plus_date_wrap", .sql = "@calendar_plus_date_wrap"},
    {.name = "calendar_minus_date", .sql = "@calendar_minus_date"},
    {.name = "calendar_minus_date_try", .sql = "@calendar_minus_date_try"},
    {.name = "calendar_minus_date_wrap", .sql = "@calendar_minus_date_wrap"},
    {.name = "calendar_field_year", .sql = "@calendar_field_year"},
    {.name = "calendar_field_month", .sql = "@calendar_field_month"},
    {.name = "calendar_field_day", .sql = "@calendar_field_day"},
    {.name = "calendar_field_hour", .sql = "@calendar_field_hour"},
    {.name = "calendar_field_minute", .sql = "@calendar_field_minute"},
    {.name = "calendar_field_second_fraction", .sql = "@calendar_field_second"},
    {.name = "time_bucket", .rule = time_bucket},
    {.name = "time_bucket_micros", .sql = "ms_timestamp_bucket({0}, {1}, {2}, {tz})"},
    {.name = "time_bucket_micros_ntz", .sql = "ms_timestamp_bucket({0}, {1}, {2}, 'UTC')"},
    {.name = "time_bucket_micros_epoch", .sql = "ms_timestamp_bucket_epoch({0}, {1}, {tz})"},
    {.name = "time_bucket_micros_ntz_epoch", .sql = "ms_timestamp_bucket_epoch({0}, {1}, 'UTC')"},
    {.name = "time_bucket_months", .sql = "ms_timestamp_bucket_months({0}, {1}, {2}, {tz})"},
    {.name = "time_bucket_months_ntz", .sql = "ms_timestamp_bucket_months({0}, {1}, {2}, 'UTC')"},
    {.name = "time_bucket_months_epoch", .sql = "ms_timestamp_bucket_months_epoch({0}, {1}, {tz})"},
    {.name = "time_bucket_months_ntz_epoch",
     .sql = "ms_timestamp_bucket_months_epoch({0}, {1}, 'UTC')"},
    {.name = "micros_multiply_long", .sql = "ms_interval_multiply({0}, {1}, false)"},
    {.name = "micros_multiply_double", .sql = "ms_interval_multiply_double({0}, {1}, false)"},
    {.name = "micros_multiply_decimal",
     .sql = "ms_interval_multiply_decimal({0}, CAST({1} AS VARCHAR), false)"},
    {.name = "micros_multiply_long_reversed", .sql = "ms_interval_multiply({1}, {0}, false)"},
    {.name = "micros_multiply_double_reversed",
     .sql = "ms_interval_multiply_double({1}, {0}, false)"},
    {.name = "micros_multiply_decimal_reversed",
     .sql = "ms_interval_multiply_decimal({1}, CAST({0} AS VARCHAR), false)"},
    {.name = "micros_divide_long", .sql = "ms_interval_divide({0}, {1}, false)"},
    {.name = "micros_divide_double", .sql = "ms_interval_divide_double({0}, {1}, false)"},
    {.name = "micros_divide_decimal",
     .sql = "ms_interval_divide_decimal({0}, CAST({1} AS VARCHAR), false)"},
    {.name = "months_multiply_long",
     .sql = "CAST(ms_interval_multiply(CAST({0} AS BIGINT), {1}, true) AS INTEGER)"},
    {.name = "months_multiply_double",
     .sql = "CAST(ms_interval_multiply_double(CAST({0} AS BIGINT), {1}, true) AS INTEGER)"},
    {.name = "months_multiply_decimal",
     .sql = "CAST(ms_interval_multiply_decimal(CAST({0} AS BIGINT), CAST({1} AS VARCHAR), true) AS "
            "INTEGER)"},
    {.name = "months_multiply_long_reversed",
     .sql = "CAST(ms_interval_multiply(CAST({1} AS BIGINT), {0}, true) AS INTEGER)"},
    {.name = "months_multiply_double_reversed",
     .sql = "CAST(ms_interval_multiply_double(CAST({1} AS BIGINT), {0}, true) AS INTEGER)"},
    {.name = "months_multiply_decimal_reversed",
     .sql = "CAST(ms_interval_multiply_decimal(CAST({1} AS BIGINT), CAST({0} AS VARCHAR), true) AS "
            "INTEGER)"},
    {.name = "months_divide_long",
     .sql = "CAST(ms_interval_divide(CAST({0} AS BIGINT), {1}, true) AS INTEGER)"},
    {.name = "months_divide_double",
     .sql = "CAST(ms_interval_divide_double(CAST({0} AS BIGINT), {1}, true) AS INTEGER)"},
    {.name = "months_divide_decimal",
     .sql = "CAST(ms_interval_divide_decimal(CAST({0} AS BIGINT), CAST({1} AS VARCHAR), true) AS "
            "INTEGER)"},
    {.name = "interval_div_lenient",
     .sql = "ms_div_i64(CAST({0} AS BIGINT), nullif(CAST({1} AS BIGINT), 0))"},
    {.name = "interval_div", .sql = "ms_div_i64(CAST({0} AS BIGINT), CAST({1} AS BIGINT))"},
};

}  // namespace

std::span<const Entry> interval_entries() { return entries; }

}  // namespace millstream::functions
