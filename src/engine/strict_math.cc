#include "engine/strict_math.h"

#include <bit>
#include <cmath>
#include <cstdint>

namespace millstream::engine {
namespace {

constexpr double ln2_high = 6.93147180369123816490e-01;  // ln 2, in two parts
constexpr double ln2_low = 1.90821492927058770002e-10;
constexpr double ln2 = 0.6931471805599453;

std::int32_t high_word(double x) {
  return static_cast<std::int32_t>(std::bit_cast<std::uint64_t>(x) >> 32);
}
double with_high_word(double x, std::int32_t high) {
  const std::uint64_t low = std::bit_cast<std::uint64_t>(x) & 0xFFFFFFFFU;
  return std::bit_cast<double>(static_cast<std::uint64_t>(static_cast<std::uint32_t>(high)) << 32 |
                               low);
}

}  // namespace

double strict_exp(double x) {
  constexpr double p[] = {1.66666666666666019037e-01, -2.77777777770155933842e-03,
                          6.61375632143793436117e-05, -1.65339022054652515390e-06,
                          4.13813679705723846039e-08};
  const double size = std::fabs(x);
  if (std::isnan(x) || x > 7.09782712893383973096e+02 || x < -7.45133219101941108420e+02)
    return std::exp(x);
  int k = 0;
  double upper = x;
  double lower = 0;
  if (size > 0.5 * ln2) {
    const double sign = x < 0 ? -1 : 1;
    k = static_cast<int>(size < 1.5 * ln2 ? sign : 1.44269504088896338700e+00 * x + sign * 0.5);
    upper = x - k * ln2_high;
    lower = k * ln2_low;
  } else if (size < 0x1p-28) {
    return 1 + x;
  }
  const double r = upper - lower;
  const double t = r * r;
  const double c = r - t * (p[0] + t * (p[1] + t * (p[2] + t * (p[3] + t * p[4]))));
  if (k == 0) return 1 - ((r * c) / (c - 2) - r);
  return std::ldexp(1 - ((lower - (r * c) / (2 - c)) - upper), k);
}

double strict_cosh(double x) {
  const double size = std::fabs(x);
  if (size < 0.5 * ln2) {
    const double t = std::expm1(size);
    return size < 0x1p-55 ? 1 : 1 + (t * t) / (2 * (1 + t));
  }
  if (!(size < 709.782712893384)) return std::cosh(x);
  const double t = strict_exp(size);
  return size <= 22 ? 0.5 * t + 0.5 / t : 0.5 * t;
}

double strict_log(double x) {
  constexpr double g[] = {6.666666666666735130e-01, 3.999999999940941908e-01,
                          2.857142874366239149e-01, 2.222219843214978396e-01,
                          1.818357216161805012e-01, 1.531383769920937332e-01,
                          1.479819860511658591e-01};
  if (!(x > 0) || std::isinf(x)) return std::log(x);
  int k = 0;
  if (x < 0x1p-1022) {
    k = -54;
    x *= 0x1p54;
  }
  std::int32_t high = high_word(x);
  k += (high >> 20) - 1023;
  high &= 0xFFFFF;
  const std::int32_t half = (high + 0x95F64) & 0x100000;
  k += half >> 20;
  const double f = with_high_word(x, high | (half ^ 0x3FF00000)) - 1;
  const double d = k;
  if ((0xFFFFF & (2 + high)) < 3) {
    if (f == 0) return d * ln2_high + d * ln2_low;
    const double r = f * f * (0.5 - 0.33333333333333333 * f);
    return k == 0 ? f - r : d * ln2_high - ((r - d * ln2_low) - f);
  }
  const double s = f / (2 + f);
  const double z = s * s;
  const double w = z * z;
  const double r =
      z * (g[0] + w * (g[2] + w * (g[4] + w * g[6]))) + w * (g[1] + w * (g[3] + w * g[5]));
  if (((high - 0x6147A) | (0x6B851 - high)) > 0) {
    const double square = 0.5 * f * f;
    if (k == 0) return f - (square - s * (square + r));
    return d * ln2_high - ((square - (s * (square + r) + d * ln2_low)) - f);
  }
  if (k == 0) return f - s * (f - r);
  return d * ln2_high - ((s * (f - r) - d * ln2_low) - f);
}

double strict_log2(double x) { return strict_log(x) / strict_log(2); }

double strict_log10(double x) {
  constexpr double inverse = 4.34294481903251816668e-01;
  constexpr double log2_high = 3.01029995663611771306e-01;
  constexpr double log2_low = 3.69423907715893078616e-13;
  if (!(x > 0) || std::isinf(x)) return std::log10(x);
  int k = 0;
  if (x < 0x1p-1022) {
    k = -54;
    x *= 0x1p54;
  }
  const std::int32_t high = high_word(x);
  k += (high >> 20) - 1023;
  const int negative = k < 0 ? 1 : 0;
  const double y = k + negative;
  const double part = with_high_word(x, (high & 0xFFFFF) | ((0x3FF - negative) << 20));
  return y * log2_low + inverse * strict_log(part) + y * log2_high;
}

// A rough root by the exponent, a better one by a quotient of polynomials, and a step of Newton's.
double strict_cbrt(double x) {
  constexpr std::int32_t bias = 715094163;
  constexpr std::int32_t subnormal_bias = 696219795;
  if (x == 0 || !std::isfinite(x)) return x;
  const double size = std::fabs(x);
  double root = 0;
  if (size < 0x1.0p-1022) {
    root = size * 0x1.0p54;
    root = with_high_word(root, high_word(root) / 3 + subnormal_bias);
  } else {
    root = with_high_word(root, high_word(size) / 3 + bias);
  }
  double rest = root * root / size;
  const double sum = 0x1.15f15f15f15f1p-1 + rest * root;
  root *= 0x1.6db6db6db6db7p-2 +
          0x1.9b6db6db6db6ep0 / (sum + 0x1.6a0ea0ea0ea0fp0 + -0x1.691de2532c834p-1 / sum);
  // 20 bits, and more than the root.
  root = with_high_word(0, high_word(root) + 1);
  rest = size / (root * root);
  root += root * ((rest - root) / (root + root + rest));
  return x < 0 ? -root : root;
}

}  // namespace millstream::engine
