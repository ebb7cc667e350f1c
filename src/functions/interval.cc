// Intervals times and over numbers.
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

namespace {

const Entry entries[] = {
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
    {.name = "interval_div", .sql = "ms_div_i64(CAST({0} AS BIGINT), CAST({1} AS BIGINT))"},
};

}  // namespace

std::span<const Entry> interval_entries() { return entries; }

}  // namespace millstream::functions
