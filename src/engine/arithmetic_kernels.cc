// Arithmetic where DuckDB's differs from Spark's: zero divisors, overflow, rounding, Java's shifts
// and hashes.
#include <arrow/util/decimal.h>

#include <atomic>
#include <cmath>
#include <limits>

#include "engine/hash.h"
#include "engine/kernels.h"
#include "engine/raise.h"
#include "engine/spark_random.h"
#include "engine/strict_math.h"
#include "engine/text.h"

namespace millstream::engine {
namespace {

std::optional<double> divide(Failure& fail, double a, double b) {
  if (b == 0) return fail(divide_by_zero());
  return a / b;
}

template <typename T>
std::optional<T> div(Failure& fail, T a, T b) {
  if (b == 0) return fail(divide_by_zero());
  if (b == -1 && a == std::numeric_limits<T>::min()) {
    return fail(arithmetic_overflow(
        "overflow", " Use 'try_divide' to tolerate overflow and return NULL instead."));
  }
  return static_cast<T>(a / b);
}

// Java's quotient: the least number by -1 is itself.
template <typename T>
std::optional<T> wrap_div(Failure&, T a, T b) {
  if (b == 0) return std::nullopt;
  if (b == -1) return static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(a));
  return static_cast<T>(a / b);
}

template <typename T>
std::optional<T> remainder(Failure& fail, T a, T b) {
  if (b == 0) return fail(remainder_by_zero());
  if constexpr (std::is_floating_point_v<T>) {
    return std::fmod(a, b);
  } else {
    return b == -1 ? T{0} : static_cast<T>(a % b);
  }
}

template <typename T>
std::optional<T> pmod(Failure& fail, T a, T b) {
  const auto rest = remainder<T>(fail, a, b);
  if (!rest || *rest >= 0 || std::isnan(static_cast<double>(*rest))) return rest;
  if constexpr (std::is_floating_point_v<T>) {
    return std::fmod(*rest + b, b);
  } else {
    return static_cast<T>((*rest + b) % b);
  }
}

enum class Op { add, subtract, multiply };

template <typename T, Op O>
bool overflows(T a, T b, T* out) {
  if constexpr (O == Op::add) return __builtin_add_overflow(a, b, out);
  if constexpr (O == Op::subtract) return __builtin_sub_overflow(a, b, out);
  return __builtin_mul_overflow(a, b, out);
}

template <typename T, Op O>
std::optional<T> try_op(Failure&, T a, T b) {
  T out;
  if (overflows<T, O>(a, b, &out)) return std::nullopt;
  return out;
}

template <typename T, Op O>
std::optional<T> wrap_op(Failure&, T a, T b) {
  T out;
  (void)overflows<T, O>(a, b, &out);
  return out;
}

template <typename T>
std::optional<T> negate(Failure& fail, T a) {
  if (a == std::numeric_limits<T>::min()) return fail(arithmetic_overflow("overflow", ""));
  return static_cast<T>(-a);
}

template <typename T>
std::optional<T> wrap_negate(Failure&, T a) {
  return a == std::numeric_limits<T>::min() ? a : static_cast<T>(-a);
}

template <typename T>
std::optional<T> absolute(Failure& fail, T a) {
  return a < 0 ? negate<T>(fail, a) : std::optional<T>(a);
}

template <typename T>
std::optional<T> wrap_absolute(Failure& fail, T a) {
  return a < 0 ? wrap_negate<T>(fail, a) : std::optional<T>(a);
}

template <double (*F)(double)>
std::optional<double> math(Failure&, double x) {
  return F(x);
}
template <double (*F)(double, double)>
std::optional<double> math2(Failure&, double x, double y) {
  return F(x, y);
}

// ceil and floor of doubles are BIGINT, as Java's (long) conversion gives it.
std::int64_t to_long(double value) {
  if (std::isnan(value)) return 0;
  if (value >= 9223372036854775807.0) return std::numeric_limits<std::int64_t>::max();
  if (value <= -9223372036854775808.0) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(value);
}
std::optional<std::int64_t> floor_double(Failure&, double x) { return to_long(std::floor(x)); }
std::optional<std::int64_t> ceil_double(Failure&, double x) { return to_long(std::ceil(x)); }

// Rounds the decimal text of a double, as BigDecimal(Double.toString(x)).setScale does.
double round_text(double x, int digits, bool half_even, bool single) {
  if (!std::isfinite(x) || digits > 340) return x;
  if (digits < -310) return 0;
  std::string text = single ? float_text(static_cast<float>(x)) : double_text(x);
  arrow::Decimal256 value;
  std::int32_t precision = 0;
  std::int32_t scale = 0;
  if (!arrow::Decimal256::FromString(text, &value, &precision, &scale).ok()) return x;
  if (scale <= digits) return x;
  const int drop = scale - digits;
  if (drop > 76) return 0;
  arrow::BasicDecimal256 quotient;
  arrow::BasicDecimal256 rest;
  const auto power = arrow::BasicDecimal256::GetScaleMultiplier(drop);
  if (arrow::BasicDecimal256(value).Divide(power, &quotient, &rest) !=
      arrow::DecimalStatus::kSuccess)
    return x;
  rest.Abs();
  const arrow::BasicDecimal256 twice = rest + rest;
  const bool odd = (quotient.little_endian_array()[0] & 1U) != 0;
  if (twice > power || (twice == power && (!half_even || odd)))
    quotient += value.Sign() < 0 ? arrow::BasicDecimal256(-1) : arrow::BasicDecimal256(1);
  const std::string rounded =
      arrow::Decimal256(quotient).ToString(0) + "E" + std::to_string(-digits);
  const double result = std::strtod(rounded.c_str(), nullptr);
  return result == 0 && x < 0 ? 0.0 : result;
}

std::optional<double> round_double(Failure&, double x, std::int32_t digits) {
  return round_text(x, digits, false, false);
}
std::optional<double> bround_double(Failure&, double x, std::int32_t digits) {
  return round_text(x, digits, true, false);
}
std::optional<float> round_float(Failure&, float x, std::int32_t digits) {
  return static_cast<float>(round_text(static_cast<double>(x), digits, false, true));
}
std::optional<float> bround_float(Failure&, float x, std::int32_t digits) {
  return static_cast<float>(round_text(static_cast<double>(x), digits, true, true));
}

// Integers to tens and hundreds.
template <typename T, bool HalfEven, bool Wrap = false>
std::optional<T> round_integer(Failure& fail, T x, std::int32_t digits) {
  if (digits >= 0) return x;
  if (digits < -19) return T{0};
  Int128 power = 1;
  for (int i = 0; i < -digits; ++i) power *= 10;
  Int128 quotient = static_cast<Int128>(x) / power;
  Int128 rest = static_cast<Int128>(x) % power;
  if (rest < 0) rest = -rest;
  if (rest * 2 > power || (rest * 2 == power && (!HalfEven || quotient % 2 != 0)))
    quotient += x < 0 ? -1 : 1;
  const Int128 result = quotient * power;
  const bool fits =
      result <= std::numeric_limits<T>::max() && result >= std::numeric_limits<T>::min();
  if (!fits && !Wrap) {
    return fail(arithmetic_overflow("Overflow", ""));
  }
  return static_cast<T>(result);
}

std::optional<std::int32_t> bit_count(Failure&, std::int64_t value) {
  return __builtin_popcountll(static_cast<std::uint64_t>(value));
}

// The bit at a place of a number of so many bits.
std::optional<std::int8_t> bit_get(Failure& fail, std::int64_t value, std::int32_t place,
                                   std::int32_t bits, std::string_view function) {
  if (place >= 0 && place < bits) return static_cast<std::int8_t>((value >> place) & 1);
  return fail(Status::error("INVALID_PARAMETER_VALUE.BIT_POSITION_RANGE",
                            {{"functionName", "`" + std::string(function) + "`"},
                             {"parameter", "`pos`"},
                             {"upper", std::to_string(bits)},
                             {"invalidValue", std::to_string(place)}}));
}

std::optional<std::int64_t> width_bucket(Failure&, double value, double low, double high,
                                         std::int64_t buckets) {
  if (buckets <= 0 || buckets == std::numeric_limits<std::int64_t>::max() || std::isnan(value) ||
      !std::isfinite(low) || !std::isfinite(high) || low == high)
    return std::nullopt;
  const bool rising = low < high;
  if (rising ? value < low : value > low) return 0;
  if (rising ? value >= high : value <= high) return buckets + 1;
  return static_cast<std::int64_t>(static_cast<double>(buckets) * (value - low) / (high - low)) + 1;
}

double cotangent(double x) { return 1.0 / std::tan(x); }
double secant(double x) { return 1.0 / std::cos(x); }
double cosecant(double x) { return 1.0 / std::sin(x); }
// Of -0.0 it is what it is of 0.0.
double arc_tangent2(double y, double x) { return std::atan2(y + 0.0, x + 0.0); }
double area_sine(double x) { return std::asinh(x); }
double area_cosine(double x) { return std::acosh(x); }
double area_tangent(double x) { return 0.5 * (std::log1p(x) - std::log1p(-x)); }

std::optional<std::int64_t> bitmap_bit(Failure&, std::int64_t value) {
  constexpr std::int64_t bits = 32768;
  return value > 0 ? (value - 1) % bits : (value - value / bits * bits) * -1 % bits;
}
std::optional<std::int64_t> bitmap_bucket(Failure&, std::int64_t value) {
  constexpr std::int64_t bits = 32768;
  return value > 0 ? 1 + (value - 1) / bits : value / bits;
}
std::optional<std::int64_t> bitmap_count(Failure&, Blob bitmap) {
  std::int64_t count = 0;
  for (const char c : bitmap.bytes) count += __builtin_popcount(static_cast<unsigned char>(c));
  return count;
}

std::optional<std::int64_t> try_sum_long(Failure&, Int128 sum) {
  if (sum != static_cast<std::int64_t>(sum)) return std::nullopt;
  return static_cast<std::int64_t>(sum);
}

std::optional<std::int64_t> wrap_sum_long(Failure&, Int128 sum) {
  return static_cast<std::int64_t>(sum);
}

std::optional<std::int64_t> sum_long(Failure& fail, Int128 sum) {
  if (sum > std::numeric_limits<std::int64_t>::max() ||
      sum < std::numeric_limits<std::int64_t>::min()) {
    return fail(arithmetic_overflow(
        "overflow", " Use 'try_add' to tolerate overflow and return NULL instead."));
  }
  return static_cast<std::int64_t>(sum);
}

std::optional<std::int64_t> shift_left(Failure&, std::int64_t x, std::int32_t n) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(x) << (n & 63));
}

std::optional<std::int32_t> shift_left_int(Failure&, std::int32_t x, std::int32_t n) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(x) << (n & 31));
}
std::optional<std::int64_t> shift_unsigned(Failure&, std::int64_t x, std::int32_t n) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(x) >> (n & 63));
}
std::optional<std::int32_t> shift_unsigned_int(Failure&, std::int32_t x, std::int32_t n) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(x) >> (n & 31));
}
// Java's shift keeps the sign, whatever DuckDB's does with negative numbers.
std::optional<std::int64_t> shift_right(Failure&, std::int64_t x, std::int32_t n) {
  return x >> (n & 63);
}
std::optional<std::int32_t> shift_right_int(Failure&, std::int32_t x, std::int32_t n) {
  return x >> (n & 31);
}

// Math.signum: NaN and both zeros are themselves.
std::optional<double> signum(Failure&, double x) {
  return std::isnan(x) || x == 0 ? x : std::copysign(1.0, x);
}

std::optional<double> sample(Failure&, std::int64_t seed, std::int64_t row) {
  // The numbers are a sequence, and the rows come in order: the next one is at hand.
  struct Place {
    std::int64_t seed = 0;
    std::int64_t row = -1;
    SparkRandom random{0};
    double value = 0;
  };
  static thread_local Place place;
  if (place.seed != seed || place.row > row || place.row < 0)
    place = {seed, 0, SparkRandom(seed), 0};
  for (; place.row < row; ++place.row) place.value = place.random.next_double();
  return place.value;
}

// A number for each row that is above those of the rows before it, times `sign`.
std::optional<std::int64_t> row_tick(Failure&, std::int64_t sign) {
  static std::atomic<std::int64_t> last = 0;
  return sign * ++last;
}

// How often a sample with replacement takes the row of a partition. As for `sample`, rows come in
// order, and so do partitions, whose seeds are a sequence.
std::optional<std::int64_t> sample_count(Failure&, std::int64_t seed, std::int64_t partition,
                                         std::int64_t row, double mean) {
  struct Place {
    std::int64_t seed = 0;
    double mean = 0;
    std::int64_t partition = 0;
    std::int64_t row = 0;
    JavaRandom seeds{0};
    std::optional<PoissonRandom> random;
    std::int64_t value = 0;
  };
  static thread_local Place place;
  if (!place.random || place.seed != seed || place.mean != mean || place.partition > partition ||
      (place.partition == partition && place.row > row)) {
    place = {seed, mean, -1, 0, JavaRandom(seed), {}, 0};
  }
  for (; place.partition < partition; ++place.partition) {
    place.random.emplace(place.seeds.next_long(), mean);
    place.row = 0;
  }
  for (; place.row < row; ++place.row) place.value = place.random->next();
  return place.value;
}

std::optional<std::int64_t> array_index(Failure& fail, std::int64_t index, std::int64_t size) {
  if (index >= 0 && index < size) return index;
  return fail(Status::error("INVALID_ARRAY_INDEX", {{"indexValue", std::to_string(index)},
                                                    {"arraySize", std::to_string(size)}}));
}

std::optional<std::string> missing_index(Failure& fail, std::int64_t index, std::int64_t size) {
  return fail(Status::error("INVALID_ARRAY_INDEX", {{"indexValue", std::to_string(index)},
                                                    {"arraySize", std::to_string(size)}}));
}

std::optional<std::int64_t> element_index(Failure& fail, std::int64_t index, std::int64_t size) {
  if (index == 0) return fail(Status::error("INVALID_INDEX_OF_ZERO"));
  if (index > size || index < -size) {
    return fail(Status::error(
        "INVALID_ARRAY_INDEX_IN_ELEMENT_AT",
        {{"indexValue", std::to_string(index)}, {"arraySize", std::to_string(size)}}));
  }
  return index < 0 ? size + index + 1 : index;
}

std::optional<std::int64_t> try_element_index(Failure& fail, std::int64_t index,
                                              std::int64_t size) {
  if (index != 0 && (index > size || index < -size)) return std::nullopt;
  return element_index(fail, index, size);
}

std::optional<std::int64_t> slice_begin(Failure& fail, std::int32_t start, std::int64_t size) {
  if (start == 0) {
    return fail(Status::error("INVALID_PARAMETER_VALUE.START",
                              {{"functionName", "`slice`"}, {"parameter", "`start`"}}));
  }
  return start > 0 ? start
                   : std::max<std::int64_t>(size + start + 1, size + start < 0 ? size + 1 : 1);
}

std::optional<std::int64_t> slice_length(Failure& fail, std::int32_t length) {
  if (length >= 0) return length;
  return fail(
      Status::error("INVALID_PARAMETER_VALUE.LENGTH", {{"functionName", "`slice`"},
                                                       {"parameter", "`length`"},
                                                       {"length", std::to_string(length)}}));
}

std::optional<Longs> sequence(Failure& fail, std::int64_t start, std::int64_t stop,
                              std::int64_t step) {
  if (step == 0 && start != stop)
    return fail(Status::invalid("requirement failed: Illegal sequence boundaries: {} to {} by {}",
                                start, stop, step));
  if ((step > 0 && start > stop) || (step < 0 && start < stop)) {
    return fail(Status::invalid("requirement failed: Illegal sequence boundaries: {} to {} by {}",
                                start, stop, step));
  }
  Longs out;
  if (start == stop) {
    out.items.push_back(start);
    return out;
  }
  const Int128 count = (static_cast<Int128>(stop) - start) / step + 1;
  constexpr std::int64_t elements_max = 1 << 27;
  if (count > elements_max) {
    return fail(
        Status::error("COLLECTION_SIZE_LIMIT_EXCEEDED.PARAMETER",
                      {{"functionName", "`sequence`"},
                       {"numberOfElements", std::to_string(static_cast<std::int64_t>(count))},
                       {"maxRoundedArrayLength", "2147483632"},
                       {"parameter", "`count`"}}));
  }
  for (Int128 i = 0; i < count; ++i)
    out.items.push_back(static_cast<std::int64_t>(start + i * step));
  return out;
}

template <typename T>
Status register_integer(duckdb_connection c, const std::string& suffix) {
  const auto name = [&](const char* prefix) { return prefix + suffix; };
  TRY(add_kernel<div<T>>(c, name("ms_div_").c_str()));
  TRY((add_kernel<div<T>, true>(c, name("ms_try_div_").c_str())));
  TRY(add_kernel<wrap_div<T>>(c, name("ms_wrap_div_").c_str()));
  TRY(add_kernel<remainder<T>>(c, name("ms_remainder_").c_str()));
  TRY((add_kernel<remainder<T>, true>(c, name("ms_try_remainder_").c_str())));
  TRY(add_kernel<pmod<T>>(c, name("ms_pmod_").c_str()));
  TRY((add_kernel<pmod<T>, true>(c, name("ms_try_pmod_").c_str())));
  TRY((add_kernel<try_op<T, Op::add>>(c, name("ms_try_add_").c_str())));
  TRY((add_kernel<try_op<T, Op::subtract>>(c, name("ms_try_subtract_").c_str())));
  TRY((add_kernel<try_op<T, Op::multiply>>(c, name("ms_try_multiply_").c_str())));
  TRY((add_kernel<wrap_op<T, Op::add>>(c, name("ms_wrap_add_").c_str())));
  TRY((add_kernel<wrap_op<T, Op::subtract>>(c, name("ms_wrap_subtract_").c_str())));
  TRY((add_kernel<wrap_op<T, Op::multiply>>(c, name("ms_wrap_multiply_").c_str())));
  TRY(add_kernel<negate<T>>(c, name("ms_negative_").c_str()));
  TRY(add_kernel<wrap_negate<T>>(c, name("ms_wrap_negative_").c_str()));
  TRY(add_kernel<absolute<T>>(c, name("ms_abs_").c_str()));
  TRY(add_kernel<wrap_absolute<T>>(c, name("ms_wrap_abs_").c_str()));
  TRY((add_kernel<round_integer<T, false>>(c, name("ms_round_").c_str())));
  TRY((add_kernel<round_integer<T, true>>(c, name("ms_bround_").c_str())));
  TRY((add_kernel<round_integer<T, false, true>>(c, name("ms_wrap_round_").c_str())));
  TRY((add_kernel<round_integer<T, true, true>>(c, name("ms_wrap_bround_").c_str())));
  return Status::OK();
}

template <typename T>
Status register_floating(duckdb_connection c, const std::string& suffix) {
  TRY(add_kernel<remainder<T>>(c, ("ms_remainder_" + suffix).c_str()));
  TRY((add_kernel<remainder<T>, true>(c, ("ms_try_remainder_" + suffix).c_str())));
  TRY(add_kernel<pmod<T>>(c, ("ms_pmod_" + suffix).c_str()));
  TRY((add_kernel<pmod<T>, true>(c, ("ms_try_pmod_" + suffix).c_str())));
  return Status::OK();
}

Status register_math(duckdb_connection c) {
  TRY((add_kernel<math<std::expm1>>(c, "ms_expm1")));
  TRY((add_kernel<math<std::log1p>>(c, "ms_log1p")));
  TRY((add_kernel<math<std::sin>>(c, "ms_sin")));
  TRY((add_kernel<math<std::cos>>(c, "ms_cos")));
  TRY((add_kernel<math<std::tan>>(c, "ms_tan")));
  TRY((add_kernel<math<std::asin>>(c, "ms_asin")));
  TRY((add_kernel<math<std::acos>>(c, "ms_acos")));
  TRY((add_kernel<math<std::atan>>(c, "ms_atan")));
  TRY((add_kernel<math<std::sinh>>(c, "ms_sinh")));
  TRY((add_kernel<math<strict_cosh>>(c, "ms_cosh")));
  TRY((add_kernel<math<strict_exp>>(c, "ms_exp")));
  TRY((add_kernel<math<strict_log>>(c, "ms_ln")));
  TRY((add_kernel<math<strict_log2>>(c, "ms_log2")));
  TRY((add_kernel<math<strict_log10>>(c, "ms_log10")));
  TRY((add_kernel<math<std::tanh>>(c, "ms_tanh")));
  TRY((add_kernel<math<strict_cbrt>>(c, "ms_cbrt")));
  TRY((add_kernel<math<std::nearbyint>>(c, "ms_rint")));
  TRY((add_kernel<math2<arc_tangent2>>(c, "ms_atan2")));
  TRY((add_kernel<math2<std::hypot>>(c, "ms_hypot")));
  return Status::OK();
}

}  // namespace

Status register_arithmetic_kernels(duckdb_connection c) {
  TRY(register_integer<std::int8_t>(c, "i8"));
  TRY(register_integer<std::int16_t>(c, "i16"));
  TRY(register_integer<std::int32_t>(c, "i32"));
  TRY(register_integer<std::int64_t>(c, "i64"));
  TRY(register_floating<float>(c, "f32"));
  TRY(register_floating<double>(c, "f64"));
  TRY(register_math(c));
  TRY(add_kernel<divide>(c, "ms_divide"));
  TRY(add_kernel<floor_double>(c, "ms_floor_f64"));
  TRY(add_kernel<ceil_double>(c, "ms_ceil_f64"));
  TRY(add_kernel<round_double>(c, "ms_round_f64"));
  TRY(add_kernel<bround_double>(c, "ms_bround_f64"));
  TRY(add_kernel<round_float>(c, "ms_round_f32"));
  TRY(add_kernel<bround_float>(c, "ms_bround_f32"));
  TRY((add_kernel<math<cotangent>>(c, "ms_cot")));
  TRY((add_kernel<math<secant>>(c, "ms_sec")));
  TRY((add_kernel<math<cosecant>>(c, "ms_csc")));
  TRY((add_kernel<math<area_sine>>(c, "ms_asinh")));
  TRY((add_kernel<math<area_cosine>>(c, "ms_acosh")));
  TRY((add_kernel<math<area_tangent>>(c, "ms_atanh")));
  TRY(add_kernel<bit_count>(c, "ms_bit_count"));
  TRY(add_kernel<bit_get>(c, "ms_bit_get"));
  TRY(add_kernel<width_bucket>(c, "ms_width_bucket"));
  TRY(add_kernel<bitmap_bit>(c, "ms_bitmap_bit"));
  TRY(add_kernel<bitmap_bucket>(c, "ms_bitmap_bucket"));
  TRY(add_kernel<bitmap_count>(c, "ms_bitmap_count"));
  TRY(add_kernel<sum_long>(c, "ms_sum_long"));
  TRY(add_kernel<try_sum_long>(c, "ms_try_sum_long"));
  TRY(add_kernel<wrap_sum_long>(c, "ms_wrap_sum_long"));
  TRY(add_kernel<shift_left>(c, "ms_shiftleft"));
  TRY(add_kernel<shift_left_int>(c, "ms_shiftleft_int"));
  TRY(add_kernel<shift_right>(c, "ms_shiftright"));
  TRY(add_kernel<shift_right_int>(c, "ms_shiftright_int"));
  TRY(add_kernel<shift_unsigned>(c, "ms_shift_unsigned"));
  TRY(add_kernel<shift_unsigned_int>(c, "ms_shift_unsigned_int"));
  TRY(add_kernel<sample>(c, "ms_sample"));
  TRY(add_kernel<row_tick>(c, "ms_row_tick", KernelKind::volatile_));
  TRY(add_kernel<sample_count>(c, "ms_sample_count"));
  TRY(add_kernel<signum>(c, "ms_signum"));
  TRY(add_kernel<missing_index>(c, "ms_missing_index"));
  TRY(add_kernel<array_index>(c, "ms_array_index"));
  TRY(add_kernel<element_index>(c, "ms_element_index"));
  TRY(add_kernel<try_element_index>(c, "ms_try_element_index"));
  TRY(add_kernel<slice_begin>(c, "ms_slice_begin"));
  TRY(add_kernel<slice_length>(c, "ms_slice_length"));
  TRY(add_kernel<sequence>(c, "ms_sequence"));
  return register_hash_kernels(c);
}

}  // namespace millstream::engine
