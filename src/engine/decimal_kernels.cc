// Decimal arithmetic with Spark's result types: exact in 256 bits, then rounded HALF_UP to the
// result's scale. One kernel is registered for each combination of scales that statements use; all
// values travel as DECIMAL(38, scale).
#include <arrow/util/decimal.h>

#include <algorithm>
#include <cmath>

#include "engine/kernels.h"
#include "engine/lower.h"
#include "engine/raise.h"
#include "engine/statement.h"
#include "engine/text.h"

namespace millstream::engine {
namespace {

using Wide = arrow::BasicDecimal256;
using Op = DecimalKernel::Op;
using Rounding = DecimalKernel::Rounding;

Wide widen(Int128 value) {
  return Wide(arrow::BasicDecimal128(static_cast<std::int64_t>(value >> 64),
                                     static_cast<std::uint64_t>(value)));
}

std::optional<Int128> narrow(const Wide& value) {
  const auto& words = value.little_endian_array();
  const auto low = (static_cast<unsigned __int128>(words[1]) << 64) | words[0];
  const auto result = static_cast<Int128>(low);
  const std::uint64_t sign = result < 0 ? ~0ULL : 0;
  if (words[2] != sign || words[3] != sign) return std::nullopt;
  return result;
}

Int128 power_of_ten(int exponent) {
  Int128 power = 1;
  for (int i = 0; i < exponent; ++i) power *= 10;
  return power;
}

// a / b with the remainder rounded. b is not 0.
Wide divide_rounded(const Wide& a, const Wide& b, Rounding rounding) {
  Wide quotient;
  Wide rest;
  a.Divide(b, &quotient, &rest);
  if (rest == Wide(0)) return quotient;
  const bool negative = (a.Sign() < 0) != (b.Sign() < 0);
  const Wide twice = Wide::Abs(rest) + Wide::Abs(rest);
  const Wide limit = Wide::Abs(b);
  bool away = false;
  switch (rounding) {
    case Rounding::half_up:
      away = twice >= limit;
      break;
    case Rounding::half_even:
      away = twice > limit || (twice == limit && (quotient.little_endian_array()[0] & 1U) != 0);
      break;
    case Rounding::floor:
      away = negative;
      break;
    case Rounding::ceiling:
      away = !negative;
      break;
  }
  if (away) quotient += Wide(negative ? -1 : 1);
  return quotient;
}

// The value at `scale` brought to `wanted`.
Wide rescale(const Wide& value, int scale, int wanted, Rounding rounding) {
  if (wanted >= scale) return value * Wide::GetScaleMultiplier(wanted - scale);
  const int drop = scale - wanted;
  if (drop > 76) return Wide(0);
  return divide_rounded(value, Wide::GetScaleMultiplier(drop), rounding);
}

constexpr Int128 part_size = Int128{10} * 1'000'000'000'000'000'000;

bool is_unary(Op op) { return op == Op::round || op == Op::high_part || op == Op::low_part; }

struct Operation {
  DecimalKernel kernel;
  Int128 limit;  // 10^precision

  std::optional<Int128> fit(Failure& fail, const Wide& value, int scale) const {
    const auto result = narrow(value);
    if (result && *result<limit&& * result> - limit) return result;
    // More than 38 digits are shown without those after the point.
    std::string text = arrow::Decimal256(value).ToString(scale);
    if (text.size() > 40 && scale > 0) text = text.substr(0, text.find('.'));
    return fail(decimal_out_of_range(text, kernel.precision, kernel.scale));
  }

  // A product that needs no rounding and fits 128 bits, which nearly all do.
  std::optional<Int128> plain_product(Int128 a, Int128 b) const {
    Int128 product = 0;
    if (kernel.op != Op::multiply || kernel.scale != kernel.left_scale + kernel.right_scale ||
        __builtin_mul_overflow(a, b, &product) || product >= limit || product <= -limit) {
      return std::nullopt;
    }
    return product;
  }

  std::optional<Int128> binary(Failure& fail, Int128 a, Int128 b) const {
    if (const auto product = plain_product(a, b)) return product;
    const int s1 = kernel.left_scale;
    const int s2 = kernel.right_scale;
    const int common = std::max(s1, s2);
    switch (kernel.op) {
      case Op::add:
      case Op::subtract: {
        const Wide left = rescale(widen(a), s1, common, Rounding::half_up);
        const Wide right = rescale(widen(b), s2, common, Rounding::half_up);
        const Wide sum = kernel.op == Op::add ? left + right : left + -right;
        return fit(fail, rescale(sum, common, kernel.scale, Rounding::half_up), kernel.scale);
      }
      case Op::multiply:
        return fit(fail, rescale(widen(a) * widen(b), s1 + s2, kernel.scale, Rounding::half_up),
                   kernel.scale);
      case Op::divide: {
        if (b == 0) return fail(divide_by_zero());
        // a / 10^s1 / (b / 10^s2) * 10^scale
        const int shift = kernel.scale + s2 - s1;
        if (shift > 38 || shift < -38)
          return fail(Status::unsupported("this division of decimals is not supported"));
        const Wide up = shift > 0 ? widen(a) * Wide::GetScaleMultiplier(shift) : widen(a);
        const Wide down = shift < 0 ? widen(b) * Wide::GetScaleMultiplier(-shift) : widen(b);
        return fit(fail, divide_rounded(up, down, Rounding::half_up), kernel.scale);
      }
      default:
        break;
    }
    if (b == 0) return fail(kernel.op == Op::div ? divide_by_zero() : remainder_by_zero());
    const Wide left = rescale(widen(a), s1, common, Rounding::half_up);
    const Wide right = rescale(widen(b), s2, common, Rounding::half_up);
    Wide quotient;
    Wide rest;
    left.Divide(right, &quotient, &rest);
    if (kernel.op == Op::div) return fit(fail, quotient, 0);
    if (kernel.op == Op::pmod && rest.Sign() < 0 && rest != Wide(0)) {
      Wide ignored;
      const Wide moved = rest + right;
      moved.Divide(right, &ignored, &rest);
    }
    return fit(fail, rescale(rest, common, kernel.scale, Rounding::half_up), kernel.scale);
  }

  std::optional<Int128> whole_sum(Failure& fail, Int128 high, Int128 low) const {
    return fit(fail, widen(high) * widen(part_size) + widen(low), kernel.scale);
  }

  std::optional<Int128> round(Failure& fail, Int128 a) const {
    // In front of all digits half rounding leaves nothing; floor and ceiling still go as far as
    // fits no more.
    constexpr int digits_min = -38;
    const bool half =
        kernel.rounding == Rounding::half_up || kernel.rounding == Rounding::half_even;
    if (kernel.right_scale < digits_min && half) return Int128{0};
    const int digits = std::clamp(kernel.right_scale, digits_min, kernel.left_scale);
    const Wide cut = rescale(widen(a), kernel.left_scale, digits, kernel.rounding);
    return fit(fail, rescale(cut, digits, kernel.scale, Rounding::half_up), kernel.scale);
  }

  std::optional<Int128> parse(Failure& fail, std::string_view original,
                              std::string_view text) const {
    const std::string target = fmt::format("DECIMAL({},{})", kernel.precision, kernel.scale);
    const auto plausible = text.find_first_not_of("+-0123456789.eE") == std::string_view::npos;
    const std::string digits(text);
    arrow::Decimal256 value;
    std::int32_t precision = 0;
    std::int32_t scale = 0;
    if (!plausible || text.empty()) return fail(cast_invalid_input(original, "STRING", target));
    if (!arrow::Decimal256::FromString(digits, &value, &precision, &scale).ok()) {
      // More digits than 256 bits hold, or no number.
      const auto approximate = parse_double(text);
      if (!approximate) return fail(cast_invalid_input(original, "STRING", target));
      if (std::fabs(*approximate) < 1e-38) return Int128{0};
      return fail(decimal_out_of_range(original, kernel.precision, kernel.scale));
    }
    if (scale < kernel.scale && precision + kernel.scale - scale > 76) {
      return fail(decimal_out_of_range(original, kernel.precision, kernel.scale));
    }
    const auto result = narrow(rescale(value, scale, kernel.scale, Rounding::half_up));
    if (result && *result<limit&& * result> - limit) return result;
    return fail(decimal_out_of_range(original, kernel.precision, kernel.scale));
  }
};

std::optional<Int128> compute(const Operation& op, Failure& fail, void** data, idx_t row) {
  switch (op.kernel.op) {
    case Op::round:
      return op.round(fail, Physical<Int128>::read(data[0], row));
    case Op::high_part:
      return Physical<Int128>::read(data[0], row) / part_size;
    case Op::low_part:
      return Physical<Int128>::read(data[0], row) % part_size;
    case Op::whole_sum:
      return op.whole_sum(fail, Physical<Int128>::read(data[0], row),
                          Physical<Int128>::read(data[1], row));
    case Op::from_string: {
      const auto text = Physical<std::string_view>::read(data[0], row);
      return op.parse(fail, text, trim_java(text));
    }
    case Op::from_double: {
      const double value = Physical<double>::read(data[0], row);
      // NaN and infinities have no decimal form: NULL, as in Spark.
      if (!std::isfinite(value)) return std::nullopt;
      const std::string text = double_text(value);
      return op.parse(fail, text, text);
    }
    default:
      return op.binary(fail, Physical<Int128>::read(data[0], row),
                       Physical<Int128>::read(data[1], row));
  }
}

void run(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  const auto& op = *static_cast<const Operation*>(duckdb_scalar_function_get_extra_info(info));
  const idx_t rows = duckdb_data_chunk_get_size(input);
  const idx_t columns = duckdb_data_chunk_get_column_count(input);
  void* data[2] = {nullptr, nullptr};
  std::uint64_t* validity[2] = {nullptr, nullptr};
  for (idx_t i = 0; i < columns && i < 2; ++i) {
    const duckdb_vector vector = duckdb_data_chunk_get_vector(input, i);
    data[i] = duckdb_vector_get_data(vector);
    validity[i] = duckdb_vector_get_validity(vector);
  }
  std::uint64_t* nulls = nullptr;
  const auto valid = [&](std::size_t i, idx_t row) {
    return validity[i] == nullptr || ((validity[i][row / 64] >> (row % 64)) & 1U) != 0;
  };
  for (idx_t row = 0; row < rows; ++row) {
    Failure fail;
    std::optional<Int128> value;
    if (valid(0, row) && valid(1, row)) value = compute(op, fail, data, row);
    if (!fail.status.ok() && !op.kernel.null_on_error) {
      return duckdb_scalar_function_set_error(info, wrap_error(fail.status).c_str());
    }
    if (value.has_value()) {
      Physical<Int128>::write(output, row, *value);
      continue;
    }
    if (nulls == nullptr) {
      duckdb_vector_ensure_validity_writable(output);
      nulls = duckdb_vector_get_validity(output);
    }
    duckdb_validity_set_row_invalid(nulls, row);
  }
}

}  // namespace

Status register_decimal_kernel(duckdb_connection connection, const DecimalKernel& kernel) {
  duckdb_scalar_function function = duckdb_create_scalar_function();
  duckdb_scalar_function_set_name(function, kernel.name().c_str());
  const auto decimal = [](int scale) {
    return duckdb_create_decimal_type(38, static_cast<std::uint8_t>(scale));
  };
  const auto add = [&](duckdb_logical_type type) {
    const LogicalType owner(type);
    duckdb_scalar_function_add_parameter(function, type);
  };
  if (kernel.op == Op::from_string) {
    add(duckdb_create_logical_type(DUCKDB_TYPE_VARCHAR));
  } else if (kernel.op == Op::from_double) {
    add(duckdb_create_logical_type(DUCKDB_TYPE_DOUBLE));
  } else {
    add(decimal(kernel.left_scale));
    if (!is_unary(kernel.op)) add(decimal(kernel.right_scale));
  }
  const LogicalType result(decimal(kernel.scale));
  duckdb_scalar_function_set_return_type(function, result.get());
  duckdb_scalar_function_set_extra_info(function,
                                        new Operation{kernel, power_of_ten(kernel.precision)},
                                        [](void* data) { delete static_cast<Operation*>(data); });
  duckdb_scalar_function_set_function(function, run);
  const auto state = duckdb_register_scalar_function(connection, function);
  duckdb_destroy_scalar_function(&function);
  return state == DuckDBSuccess ? Status::OK()
                                : Status::internal("DuckDB refused the function {}", kernel.name());
}

}  // namespace millstream::engine
