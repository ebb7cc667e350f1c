// The number formats of to_number and to_char: "$99,999.99S". Immutable; any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace millstream::functions {

class NumberFormat {
 public:
  // Errors: INVALID_FORMAT.*; letters of either case.
  static Result<NumberFormat> parse(std::string_view text);

  const std::string& text() const { return text_; }  // in upper case
  int precision() const { return whole_digits_ + scale_; }
  int scale() const { return scale_; }

  // The unscaled number at scale(); nothing when the text does not match.
  std::optional<__int128> read(std::string_view text) const;
  // `digits`: a plain decimal number, "-12.50".
  std::string write(std::string_view digits) const;

 private:
  enum class Kind : std::uint8_t {
    exactly,  // digits that must all be there
    at_most,
    separator,
    point,
    dollar,
    sign,   // S
    minus,  // MI
    open,   // PR, on both sides of the number
    close,
  };
  struct Token {
    Kind kind;
    std::size_t count = 0;
  };

  Status check() const;
  bool is_group(std::size_t token) const;
  bool read_group(std::string_view text, std::size_t* at, std::size_t first, std::size_t last,
                  bool after_point, std::string* digits) const;
  std::string too_wide(bool negative) const;

  std::string text_;
  std::vector<Token> tokens_;
  int whole_digits_ = 0;
  int scale_ = 0;
};

}  // namespace millstream::functions
