// Intervals times and over numbers: months and microseconds, rounded half up as Spark does.
#include "engine/interval_kernels.h"

#include <cmath>
#include <limits>

#include "engine/kernels.h"
#include "engine/raise.h"

namespace millstream::engine {
namespace {

std::optional<std::int64_t> checked(Failure& fail, Int128 value, bool months) {
  const Int128 low =
      months ? std::numeric_limits<std::int32_t>::min() : std::numeric_limits<std::int64_t>::min();
  const Int128 high =
      months ? std::numeric_limits<std::int32_t>::max() : std::numeric_limits<std::int64_t>::max();
  if (value < low || value > high)
    return fail(
        Status::plain(ErrorKind::arithmetic, months ? "integer overflow" : "long overflow"));
  return static_cast<std::int64_t>(value);
}

std::nullopt_t by_zero(Failure& fail) { return fail(Status::error("INTERVAL_DIVIDED_BY_ZERO")); }

// a / b, halves away from zero.
Int128 divide_half_up(Int128 a, Int128 b) {
  const bool negative = (a < 0) != (b < 0);
  if (a < 0) a = -a;
  if (b < 0) b = -b;
  Int128 quotient = a / b;
  const Int128 rest = a % b;
  if (rest >= b - rest) ++quotient;
  return negative ? -quotient : quotient;
}

std::optional<std::int64_t> rounded(Failure& fail, double value, bool months) {
  if (!std::isfinite(value)) {
    return fail(Status::plain(ErrorKind::arithmetic, "input is infinite or NaN"));
  }
  const double nearest = std::round(value);  // halves away from zero
  if (std::fabs(nearest) >= 9.3e18)
    return fail(Status::plain(ErrorKind::arithmetic, "rounded value is out of range for input"));
  return checked(fail, static_cast<Int128>(nearest), months);
}

// "-1.50": the digits as a number, and how many are behind the point.
struct Parsed {
  Int128 unscaled = 0;
  Int128 power = 1;
};

Parsed parse(std::string_view text) {
  Parsed out;
  bool point = false;
  bool negative = false;
  for (const char c : text) {
    if (c == '-') negative = true;
    if (c == '.') point = true;
    if (c < '0' || c > '9') continue;
    out.unscaled = out.unscaled * 10 + (c - '0');
    if (point) out.power *= 10;
  }
  if (negative) out.unscaled = -out.unscaled;
  return out;
}

std::optional<std::int64_t> multiply(Failure& fail, std::int64_t value, std::int64_t by,
                                     bool months) {
  return checked(fail, Int128{value} * by, months);
}

std::optional<std::int64_t> multiply_double(Failure& fail, std::int64_t value, double by,
                                            bool months) {
  return rounded(fail, static_cast<double>(value) * by, months);
}

std::optional<std::int64_t> multiply_decimal(Failure& fail, std::int64_t value, std::string_view by,
                                             bool months) {
  const Parsed number = parse(by);
  Int128 product = 0;
  if (__builtin_mul_overflow(Int128{value}, number.unscaled, &product))
    return fail(Status::error("INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION"));
  return checked(fail, divide_half_up(product, number.power), months);
}

bool fits(Int128 value, bool months) {
  const auto narrow = static_cast<std::int64_t>(value);
  return value == narrow && (!months || narrow == static_cast<std::int32_t>(narrow));
}

// a + b, or a - b with Sign -1.
template <int Sign>
std::optional<std::int64_t> sum(Failure& fail, std::int64_t a, std::int64_t b, bool months) {
  const Int128 total = Int128{a} + Int128{b} * Sign;
  if (fits(total, months)) return static_cast<std::int64_t>(total);
  return fail(Status::error("INTERVAL_ARITHMETIC_OVERFLOW.WITH_SUGGESTION",
                            {{"functionName", Sign > 0 ? "`try_add`" : "`try_subtract`"}}));
}

// A number as a number of units; the names of both types are for the error, where the number is
// shown as a literal.
std::optional<std::int64_t> of_number(Failure& fail, std::string_view number, std::int64_t unit,
                                      bool months, std::string_view from, std::string_view to) {
  const std::string_view suffix = from == "TINYINT"    ? "Y"
                                  : from == "SMALLINT" ? "S"
                                  : from == "INT"      ? ""
                                  : from == "BIGINT"   ? "L"
                                                       : "BD";
  const Parsed parsed = parse(number);
  Int128 product = 0;
  const bool overflows = __builtin_mul_overflow(Int128{unit}, parsed.unscaled, &product);
  const Int128 value = overflows ? 0 : divide_half_up(product, parsed.power);
  if (overflows || !fits(value, months))
    return fail(cast_overflow(std::string(number) + std::string(suffix), from, to));
  return static_cast<std::int64_t>(value);
}

// A decimal of seconds, which must be a whole number of microseconds.
std::optional<std::int64_t> micros_of_seconds(Failure& fail, std::string_view seconds) {
  const Parsed parsed = parse(seconds);
  Int128 product = 0;
  if (__builtin_mul_overflow(Int128{1'000'000}, parsed.unscaled, &product))
    return fail(Status::plain(ErrorKind::arithmetic, "Overflow"));
  if (product % parsed.power != 0)
    return fail(Status::plain(ErrorKind::arithmetic, "Rounding necessary"));
  if (!fits(product / parsed.power, false))
    return fail(Status::plain(ErrorKind::arithmetic, "Overflow"));
  return static_cast<std::int64_t>(product / parsed.power);
}

std::optional<std::int64_t> negate(Failure& fail, std::int64_t value, bool months) {
  const std::int64_t lowest =
      months ? std::numeric_limits<std::int32_t>::min() : std::numeric_limits<std::int64_t>::min();
  if (value == lowest)
    return fail(Status::error("INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION"));
  return -value;
}

std::optional<std::int64_t> divide(Failure& fail, std::int64_t value, std::int64_t by,
                                   bool months) {
  if (by == 0) return by_zero(fail);
  return checked(fail, divide_half_up(value, by), months);
}

std::optional<std::int64_t> divide_double(Failure& fail, std::int64_t value, double by,
                                          bool months) {
  if (by == 0) return by_zero(fail);
  return rounded(fail, static_cast<double>(value) / by, months);
}

std::optional<std::int64_t> divide_decimal(Failure& fail, std::int64_t value, std::string_view by,
                                           bool months) {
  const Parsed number = parse(by);
  if (number.unscaled == 0) return by_zero(fail);
  Int128 product = 0;
  if (__builtin_mul_overflow(Int128{value}, number.power, &product))
    return fail(Status::error("INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION"));
  return checked(fail, divide_half_up(product, number.unscaled), months);
}

}  // namespace

Status register_interval_kernels(duckdb_connection c) {
  TRY(add_kernel<multiply>(c, "ms_interval_multiply"));
  TRY(add_kernel<multiply_double>(c, "ms_interval_multiply_double"));
  TRY(add_kernel<multiply_decimal>(c, "ms_interval_multiply_decimal"));
  TRY(add_kernel<divide>(c, "ms_interval_divide"));
  TRY(add_kernel<divide_double>(c, "ms_interval_divide_double"));
  TRY(add_kernel<negate>(c, "ms_interval_negate"));
  TRY(add_kernel<sum<1>>(c, "ms_interval_add"));
  TRY(add_kernel<sum<-1>>(c, "ms_interval_subtract"));
  TRY(add_kernel<of_number>(c, "ms_interval_of_number"));
  TRY((add_kernel<of_number, true>(c, "ms_try_interval_of_number")));
  TRY(add_kernel<micros_of_seconds>(c, "ms_micros_of_seconds"));
  TRY((add_kernel<multiply, true>(c, "ms_try_interval_multiply")));
  TRY((add_kernel<multiply_double, true>(c, "ms_try_interval_multiply_double")));
  TRY((add_kernel<multiply_decimal, true>(c, "ms_try_interval_multiply_decimal")));
  TRY((add_kernel<divide, true>(c, "ms_try_interval_divide")));
  TRY((add_kernel<divide_double, true>(c, "ms_try_interval_divide_double")));
  TRY((add_kernel<divide_decimal, true>(c, "ms_try_interval_divide_decimal")));
  return add_kernel<divide_decimal>(c, "ms_interval_divide_decimal");
}

}  // namespace millstream::engine
