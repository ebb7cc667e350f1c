// String functions that DuckDB does not have: number bases, masks, sound codes, formatted numbers.
#include <utf8proc.h>

#include <algorithm>
#include <limits>

#include "base/text.h"
#include "engine/kernels.h"
#include "engine/raise.h"
#include "engine/text.h"
#include "engine/utf8.h"

namespace millstream::engine {
namespace {

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'z') return c - 'a' + 10;
  if (c >= 'A' && c <= 'Z') return c - 'A' + 10;
  return 99;
}

std::string in_base(std::uint64_t value, int base) {
  std::string out;
  do {
    const int digit = static_cast<int>(value % static_cast<std::uint64_t>(base));
    out += static_cast<char>(digit < 10 ? '0' + digit : 'A' + digit - 10);
    value /= static_cast<std::uint64_t>(base);
  } while (value != 0);
  std::reverse(out.begin(), out.end());
  return out;
}

// A number in one base as text in another. A negative target base shows the sign; a positive one
// shows 64 bits. Digits end at the first that the base does not have.
// With Wrap what does not fit 64 bits is the greatest number that does.
template <bool Wrap>
std::optional<std::string> conv(Failure& fail, std::string_view text, std::int32_t from,
                                std::int32_t to) {
  const std::int32_t base = std::abs(to);
  if (from < 2 || from > 36 || base < 2 || base > 36) return std::nullopt;
  text = trim(text);
  if (text.empty()) return std::nullopt;
  bool negative = text[0] == '-';
  unsigned __int128 value = 0;
  for (const char c : text.substr(negative ? 1 : 0)) {
    const int digit = digit_of(c);
    if (digit >= from) break;
    value = value * static_cast<unsigned>(from) + static_cast<unsigned>(digit);
    if (value <= std::numeric_limits<std::uint64_t>::max()) continue;
    if (!Wrap) return fail(arithmetic_overflow("Overflow in function conv()", ""));
    value = std::numeric_limits<std::uint64_t>::max();
    break;
  }
  auto bits = static_cast<std::uint64_t>(value);
  if (negative && to > 0) bits = static_cast<std::int64_t>(bits) < 0 ? ~0ULL : 0 - bits;
  if (to < 0 && static_cast<std::int64_t>(bits) < 0) {
    bits = 0 - bits;
    negative = true;
  }
  return (negative && to < 0 ? "-" : "") + in_base(bits, base);
}

std::optional<std::string> bin(Failure&, std::int64_t value) {
  return in_base(static_cast<std::uint64_t>(value), 2);
}

std::optional<std::int32_t> find_in_set(Failure&, std::string_view word, std::string_view set) {
  if (word.find(',') != std::string_view::npos) return 0;
  std::int32_t place = 1;
  for (std::size_t at = 0;; ++place) {
    const auto comma = set.find(',', at);
    if (set.substr(at, comma == std::string_view::npos ? comma : comma - at) == word) return place;
    if (comma == std::string_view::npos) return 0;
    at = comma + 1;
  }
}

// Each kind of character becomes the first character given for it; '' leaves it as it is.
std::optional<std::string> mask(Failure&, std::string_view text, std::string_view upper,
                                std::string_view lower, std::string_view digit,
                                std::string_view other) {
  std::string out;
  for_each_character(text, [&](std::int32_t point, std::string_view bytes) {
    const auto category = point < 0 ? UTF8PROC_CATEGORY_CN : utf8proc_category(point);
    const std::string_view by = category == UTF8PROC_CATEGORY_LU   ? upper
                                : category == UTF8PROC_CATEGORY_LL ? lower
                                : category == UTF8PROC_CATEGORY_ND ? digit
                                                                   : other;
    out += by.empty() ? bytes : by.substr(0, character_size(by, 0));
  });
  return out;
}

// overlay(text, by, position, length): a negative length stands for that of `by`.
std::optional<std::string> overlay(Failure&, std::string_view text, std::string_view by,
                                   std::int32_t position, std::int32_t length) {
  const auto part = [&](std::int64_t begin, std::int64_t end) {
    const auto size = static_cast<std::int64_t>(utf8_length(text));
    begin = std::clamp<std::int64_t>(begin, 0, size);
    end = std::clamp<std::int64_t>(end, begin, size);
    const auto from = byte_of_character(text, static_cast<std::size_t>(begin));
    const auto rest = text.substr(from);
    return std::string(
        rest.substr(0, byte_of_character(rest, static_cast<std::size_t>(end - begin))));
  };
  const std::int64_t count = length >= 0 ? length : static_cast<std::int64_t>(utf8_length(by));
  // The tail begins where substring(text, position + count) does.
  const auto size = static_cast<std::int64_t>(utf8_length(text));
  const std::int64_t place = position + count;
  const std::int64_t tail = place > 0 ? place - 1 : place < 0 ? size + place : 0;
  return part(0, position - 1) + std::string(by) + part(tail, size);
}

std::optional<OwnedBlob> overlay_binary(Failure&, Blob text, Blob by, std::int32_t position,
                                        std::int32_t length) {
  const auto size = static_cast<std::int64_t>(text.bytes.size());
  const std::int64_t count = length >= 0 ? length : static_cast<std::int64_t>(by.bytes.size());
  const auto head = std::clamp<std::int64_t>(position - 1, 0, size);
  const auto tail = std::clamp<std::int64_t>(position + count - 1, 0, size);
  return OwnedBlob{std::string(text.bytes.substr(0, static_cast<std::size_t>(head))) +
                   std::string(by.bytes) +
                   std::string(text.bytes.substr(static_cast<std::size_t>(tail)))};
}

std::optional<std::string> quote(Failure&, std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::optional<std::string> soundex(Failure&, std::string_view text) {
  // By the letter's low bits, from 1: the code; 7 is passed over without ending a run (H, W), 0
  // ends it.
  static constexpr std::string_view codes = " 01230127022455012623017202";
  const auto letter = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ? (c & ~0x20) : 0;
  };
  if (text.empty() || letter(text[0]) == 0) return std::string(text);
  std::string out(1, static_cast<char>(letter(text[0])));
  char last = codes[static_cast<std::size_t>(letter(text[0]) & 31)];
  for (const char c : text.substr(1)) {
    if (out.size() == 4) break;
    const int upper = letter(c);
    if (upper == 0) {
      last = '0';
      continue;
    }
    const char code = codes[static_cast<std::size_t>(upper & 31)];
    if (code == '7') continue;
    if (code != '0' && code != last) out += code;
    last = code;
  }
  out.resize(4, '0');
  return out;
}

std::optional<bool> luhn_check(Failure&, std::string_view text) {
  if (text.empty()) return false;
  int sum = 0;
  bool twice = false;
  for (auto at = text.rbegin(); at != text.rend(); ++at) {
    if (*at < '0' || *at > '9') return false;
    const int digit = (*at - '0') * (twice ? 2 : 1);
    sum += digit > 9 ? digit - 9 : digit;
    twice = !twice;
  }
  return sum % 10 == 0;
}

std::vector<std::int32_t> characters_of(std::string_view text) {
  std::vector<std::int32_t> out;
  for_each_character(text, [&](std::int32_t point, std::string_view) { out.push_back(point); });
  return out;
}

// The edit distance, or -1 where it is more than the threshold.
std::optional<std::int32_t> levenshtein(Failure&, std::string_view a, std::string_view b,
                                        std::int32_t threshold) {
  const auto x = characters_of(a);
  const auto y = characters_of(b);
  std::vector<std::int32_t> row(y.size() + 1);
  for (std::size_t j = 0; j <= y.size(); ++j) row[j] = static_cast<std::int32_t>(j);
  for (std::size_t i = 1; i <= x.size(); ++i) {
    proceed(y.size());
    std::int32_t diagonal = row[0];
    row[0] = static_cast<std::int32_t>(i);
    for (std::size_t j = 1; j <= y.size(); ++j) {
      const std::int32_t change = diagonal + (x[i - 1] == y[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({change, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[y.size()] > threshold ? -1 : row[y.size()];
}

// --- numbers as text

// A decimal text rounded half-even to `places` digits after the point.
std::string rounded(std::string_view text, std::size_t places) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const auto dot = text.find('.');
  std::string digits(text.substr(0, dot));
  const std::string fraction(dot == std::string_view::npos ? "" : text.substr(dot + 1));
  std::size_t whole = digits.size();
  digits += fraction.substr(0, places);
  digits.append(places - std::min(places, fraction.size()), '0');
  if (fraction.size() > places) {
    const char next = fraction[places];
    const bool beyond = fraction.find_first_not_of('0', places + 1) != std::string::npos;
    const bool odd = (digits.back() - '0') % 2 != 0;
    if (next > '5' || (next == '5' && (beyond || odd))) {
      std::size_t at = digits.size();
      while (at > 0 && digits[at - 1] == '9') digits[--at] = '0';
      if (at == 0) {
        digits.insert(0, "1");
        ++whole;
      } else {
        ++digits[at - 1];
      }
    }
  }
  if (places > 0) digits.insert(whole, ".");
  return (negative ? "-" : "") + digits;  // of a zero too: what it was shows
}

// What Java's DecimalFormat takes from a pattern of the usual shape: prefix#,##0.00##suffix.
struct NumberPattern {
  std::string prefix;
  std::string suffix;
  std::size_t whole_min = 0;
  std::size_t fraction_min = 0;
  std::size_t fraction_max = 0;
  std::size_t group = 0;

  static std::optional<NumberPattern> parse(std::string_view text);
  std::string format(std::string_view number) const;
};

std::optional<NumberPattern> NumberPattern::parse(std::string_view text) {
  NumberPattern out;
  const auto begin = text.find_first_of("#0,.");
  if (text.find_first_of("%;E'\u2030\u00a4") != std::string_view::npos) return std::nullopt;
  if (begin == std::string_view::npos) {
    out.prefix = std::string(text);
    return out;
  }
  const auto end = text.find_last_of("#0,.") + 1;
  out.prefix = std::string(text.substr(0, begin));
  out.suffix = std::string(text.substr(end));
  bool fraction = false;
  std::size_t since_comma = 0;
  bool comma = false;
  for (const char c : text.substr(begin, end - begin)) {
    if (c == '.') {
      if (fraction) return std::nullopt;
      fraction = true;
    } else if (c == ',') {
      if (fraction) return std::nullopt;
      comma = true;
      since_comma = 0;
    } else if (c == '0' || c == '#') {
      if (!fraction) {
        if (c == '#' && out.whole_min > 0) return std::nullopt;
        out.whole_min += c == '0' ? 1 : 0;
        ++since_comma;
        continue;
      }
      if (c == '0' && out.fraction_max > out.fraction_min) return std::nullopt;
      ++out.fraction_max;
      out.fraction_min += c == '0' ? 1 : 0;
    } else {
      return std::nullopt;
    }
  }
  if (comma) out.group = since_comma;
  // Without a place that must be filled, the one before the point must.
  if (fraction && out.whole_min + out.fraction_min == 0 && text[begin] == '#') out.whole_min = 1;
  return out;
}

std::string NumberPattern::format(std::string_view number) const {
  std::string text = rounded(number, fraction_max);
  const bool negative = text[0] == '-';
  if (negative) text.erase(0, 1);
  const auto dot = text.find('.');
  std::string fraction = dot == std::string::npos ? "" : text.substr(dot + 1);
  std::string whole = text.substr(0, dot);
  while (fraction.size() > fraction_min && fraction.back() == '0') fraction.pop_back();
  whole.erase(0, std::min(whole.find_first_not_of('0'), whole.size()));
  if (whole.size() < whole_min) whole.insert(0, whole_min - whole.size(), '0');
  if (whole.empty() && fraction.empty()) whole = "0";
  if (group > 0) {
    for (std::size_t at = whole.size(); at > group;) whole.insert(at -= group, ",");
  }
  return (negative ? "-" : "") + prefix + whole + (fraction.empty() ? "" : "." + fraction) + suffix;
}

// `number` is plain decimal text, or NaN and the infinities.
std::optional<std::string> format_by_pattern(Failure& fail, std::string_view number,
                                             std::string_view pattern) {
  if (number == "NaN") return std::string("NaN");
  if (number.ends_with("Infinity"))
    return std::string(number.starts_with('-') ? "-\u221e" : "\u221e");
  const auto parsed = NumberPattern::parse(
      pattern.empty() ? std::string_view("#,###,###,###,###,###,##0") : pattern);
  if (!parsed) {
    return fail(Status::unsupported("format_number with the pattern '{}' is not supported",
                                    std::string(pattern)));
  }
  return parsed->format(number);
}

std::optional<std::string> format_number(Failure& fail, std::string_view number,
                                         std::int32_t places) {
  constexpr std::int32_t places_max = 1'000'000;
  if (places < 0) return std::nullopt;
  if (places > places_max)
    return fail(
        Status::unsupported("format_number with more than {} places is not supported", places_max));
  std::string pattern = "#,###,###,###,###,###,##0";
  if (places > 0) pattern += "." + std::string(static_cast<std::size_t>(places), '0');
  return format_by_pattern(fail, number, pattern);
}

// All digits that a double has, without an exponent.
std::optional<std::string> plain_double(Failure&, double value) {
  if (value != value || value - value != 0) return double_text(value);
  std::string text = fmt::format("{:.1074f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace

Status register_text_kernels(duckdb_connection c) {
  TRY(add_kernel<conv<false>>(c, "ms_conv"));
  TRY(add_kernel<conv<true>>(c, "ms_wrap_conv"));
  TRY(add_kernel<bin>(c, "ms_bin"));
  TRY(add_kernel<find_in_set>(c, "ms_find_in_set"));
  TRY(add_kernel<mask>(c, "ms_mask"));
  TRY(add_kernel<overlay>(c, "ms_overlay"));
  TRY(add_kernel<overlay_binary>(c, "ms_overlay_binary"));
  TRY(add_kernel<quote>(c, "ms_quote"));
  TRY(add_kernel<soundex>(c, "ms_soundex"));
  TRY(add_kernel<luhn_check>(c, "ms_luhn_check"));
  TRY(add_kernel<levenshtein>(c, "ms_levenshtein"));
  TRY(add_kernel<format_number>(c, "ms_format_number"));
  TRY(add_kernel<format_by_pattern>(c, "ms_format_by_pattern"));
  return add_kernel<plain_double>(c, "ms_plain_double");
}

}  // namespace millstream::engine
