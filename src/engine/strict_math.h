// Java's StrictMath (fdlibm), where the C library differs from it in the last digit: Spark computes
// with it, so these do. Pure; any thread.
#pragma once

namespace millstream::engine {

double strict_exp(double x);
double strict_cosh(double x);
double strict_log(double x);
double strict_log2(double x);  // the quotient of two logarithms, as Spark computes it
double strict_log10(double x);
double strict_cbrt(double x);

}  // namespace millstream::engine
