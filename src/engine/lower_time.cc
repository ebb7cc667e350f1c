// Casts and calls of times of day, whose kernels are time_kernels.cc's.
#include <limits>

#include "base/text.h"
#include "base/time_of_day.h"
#include "engine/lower.h"

namespace millstream::engine {

using column::DataType;
using column::TypeKind;

// A time as whole seconds, or as seconds with a fraction.
Result<std::string> ExprLowering::cast_time_to_number(const std::string& value,
                                                      const DataType& from, const DataType& to,
                                                      bool ansi, bool attempt) {
  if (to.kind() == TypeKind::decimal) {
    const std::string seconds = fmt::format(
        "CAST(CAST({} AS DECIMAL(15,0)) * 0.000000001::DECIMAL(10,9) AS DECIMAL(14,9))", value);
    return cast_to_number(seconds, *column::decimal_type(14, 9), to, ansi, attempt);
  }
  std::int64_t limit = std::numeric_limits<std::int64_t>::max();
  std::string type = "BIGINT";
  switch (to.kind()) {
    case TypeKind::byte_:
      limit = std::numeric_limits<std::int8_t>::max();
      type = "TINYINT";
      break;
    case TypeKind::short_:
      limit = std::numeric_limits<std::int16_t>::max();
      type = "SMALLINT";
      break;
    case TypeKind::int_:
      type = "INTEGER";  // holds each second of a day
      break;
    default:
      break;
  }
  return fmt::format("CAST(ms_{}seconds_of_time({}, {}::BIGINT, {}, {}) AS {})",
                     attempt || !ansi ? "try_" : "", value, limit, sql_quote(from.sql()),
                     sql_quote(to.sql()), type);
}

// What has fewer digits loses some.
std::string ExprLowering::cast_time_to_time(const std::string& value, const DataType& from,
                                            const DataType& to) {
  if (to.precision() >= from.precision()) return value;
  return fmt::format("({0} // {1} * {1})", value, nanos_of_last_digit(to.precision()));
}

std::optional<Result<std::string>> ExprLowering::time_call(const plan::Expr& expr,
                                                           const std::string& name,
                                                           const Arguments& a) {
  if (name == "current_time") {
    return fmt::format("(epoch_us(ms_to_local({}, {})) % 86400000000 * 1000 // {} * {})", now(),
                       zone(), nanos_of_last_digit(expr.type->precision()),
                       nanos_of_last_digit(expr.type->precision()));
  }
  const bool attempt = name.starts_with("try_");
  const std::string_view plain = std::string_view(name).substr(attempt ? 4 : 0);
  if (!plain.starts_with("time_add_interval")) return std::nullopt;
  const std::size_t time = plain.ends_with("_reversed") ? 1 : 0;
  const DataType& interval = *expr.children[1 - time]->type;
  const std::string amount =
      plain.ends_with("_negated") ? "ms_interval_negate(" + a[1] + ", false)" : a[1 - time];
  return fmt::format("ms_{}time_add({}, {}, {}, {})", attempt ? "try_" : "", a[time], amount,
                     interval.start_field(), interval.end_field());
}

}  // namespace millstream::engine
