// The decimal digits of a double as java.util.Formatter rounds them: those that Java prints of the
// number, half up. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace millstream::engine {

class JavaDecimal {
 public:
  static JavaDecimal of(std::string_view text);  // "1.5", "4.9E-324"

  std::string fixed(int places) const;       // %f: "0.13"
  std::string scientific(int places) const;  // %e: "1.3e-01"
  std::string general(int digits) const;     // %g: of either, with so many digits

 private:
  JavaDecimal rounded(int digits) const;
  std::string fixed_text(int places) const;
  std::string scientific_text(int places) const;

  std::string digits_;
  int exponent_ = 0;  // of 0.d1d2d3…
};

}  // namespace millstream::engine
