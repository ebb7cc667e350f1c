#include "engine/java_decimal.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace millstream::engine {

JavaDecimal JavaDecimal::of(std::string_view text) {
  JavaDecimal out;
  const std::size_t e = std::min(text.find('E'), text.size());
  const std::size_t point = std::min(text.find('.'), e);
  out.digits_ = text.substr(0, e);
  out.exponent_ = static_cast<int>(point);
  if (e < text.size())
    out.exponent_ += static_cast<int>(parse_int64(text.substr(e + 1)).value_or(0));
  std::erase(out.digits_, '.');
  const std::size_t zeros = out.digits_.find_first_not_of('0');
  if (zeros == std::string::npos) {
    out.digits_ = "0";
    out.exponent_ = 1;
    return out;
  }
  out.digits_.erase(0, zeros);
  out.exponent_ -= static_cast<int>(zeros);
  while (out.digits_.back() == '0') out.digits_.pop_back();
  return out;
}

// Half up, to the first so many digits; fewer than none: it stays as it is.
JavaDecimal JavaDecimal::rounded(int digits) const {
  JavaDecimal out = *this;
  if (digits < 0 || digits >= static_cast<int>(digits_.size())) return out;
  const auto keep = static_cast<std::size_t>(digits);
  const bool up = digits_[keep] >= '5';
  out.digits_.resize(keep);
  if (!up) {
    if (keep == 0) out.digits_ = "0";
    return out;
  }
  while (!out.digits_.empty() && out.digits_.back() == '9') out.digits_.pop_back();
  if (out.digits_.empty()) {
    out.digits_ = "1";
    ++out.exponent_;
  } else {
    ++out.digits_.back();
  }
  return out;
}

std::string JavaDecimal::fixed_text(int places) const {
  const int size = static_cast<int>(digits_.size());
  const auto digit = [&](int at) {
    return at >= 0 && at < size ? digits_[static_cast<std::size_t>(at)] : '0';
  };
  std::string out;
  for (int at = std::min(exponent_ - 1, 0); at < exponent_; ++at) out += digit(at);
  if (out.empty()) out = "0";
  if (places > 0) out += '.';
  for (int at = 0; at < places; ++at) out += digit(exponent_ + at);
  return out;
}

std::string JavaDecimal::scientific_text(int places) const {
  std::string out(1, digits_[0]);
  if (places > 0) {
    out += '.' + digits_.substr(1);
    out.resize(static_cast<std::size_t>(places) + 2, '0');
  }
  const int power = exponent_ - 1;
  return out + fmt::format("e{}{:02}", power < 0 ? '-' : '+', std::abs(power));
}

std::string JavaDecimal::fixed(int places) const {
  return rounded(exponent_ + places).fixed_text(places);
}

std::string JavaDecimal::scientific(int places) const {
  return rounded(places + 1).scientific_text(places);
}

std::string JavaDecimal::general(int digits) const {
  digits = std::max(digits, 1);
  if (digits_ == "0") return fixed_text(digits - 1);
  const JavaDecimal out = rounded(digits);
  const bool scientific = out.exponent_ - 1 < -4 || out.exponent_ - 1 >= digits;
  return scientific ? out.scientific_text(digits - 1) : out.fixed_text(digits - out.exponent_);
}

}  // namespace millstream::engine
