#include "functions/number_format.h"

#include <algorithm>

#include "base/text.h"

namespace millstream::functions {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

Status invalid(std::string_view subclass, const std::string& format, std::string_view token = {}) {
  ErrorParameters parameters = {{"format", "'" + format + "'"}};
  if (!token.empty()) parameters.emplace("token", std::string(token));
  return Status::error("INVALID_FORMAT." + std::string(subclass), std::move(parameters));
}

// A blank before the sign that stands last: "+" becomes " +".
void add_blank(std::string* out) {
  *out += ' ';
  for (std::size_t i = out->size() - 1; i > 0; --i) {
    const char before = (*out)[i - 1];
    if ((*out)[i] == ' ' && (before == '<' || before == '-' || before == '+'))
      std::swap((*out)[i], (*out)[i - 1]);
  }
}

// A sign before the blanks that stand last.
void add_sign(std::string* out, char sign) {
  *out += sign;
  for (std::size_t i = out->size() - 1; i > 0; --i) {
    if ((*out)[i] == sign && (*out)[i - 1] == ' ') std::swap((*out)[i], (*out)[i - 1]);
  }
}

void blank_last_point(std::string* out) {
  if (!out->empty() && out->back() == '.') out->back() = ' ';
}

}  // namespace

Result<NumberFormat> NumberFormat::parse(std::string_view text) {
  NumberFormat out;
  out.text_ = to_upper(text);
  const std::string& format = out.text_;
  bool point = false;
  for (std::size_t at = 0; at < format.size();) {
    const char c = format[at];
    if (c == '0' || c == '9') {
      const std::size_t begin = at;
      while (at < format.size() && (format[at] == '0' || format[at] == '9')) ++at;
      out.tokens_.push_back({c == '0' ? Kind::exactly : Kind::at_most, at - begin});
      (point ? out.scale_ : out.whole_digits_) += static_cast<int>(at - begin);
      continue;
    }
    const std::string_view pair = std::string_view(format).substr(at, 2);
    if (c == '.' || c == 'D') {
      out.tokens_.push_back({Kind::point});
      point = true;
    } else if (c == ',' || c == 'G') {
      out.tokens_.push_back({Kind::separator});
    } else if (c == '$') {
      out.tokens_.push_back({Kind::dollar});
    } else if (c == 'S') {
      out.tokens_.push_back({Kind::sign});
    } else if (pair == "MI") {
      out.tokens_.push_back({Kind::minus});
      ++at;
    } else if (pair == "PR") {
      out.tokens_.insert(out.tokens_.begin(), {Kind::open});
      out.tokens_.push_back({Kind::close});
      ++at;
    } else if (format.find_first_of("09") == std::string::npos) {
      return invalid("WRONG_NUM_DIGIT", format);
    } else {
      return invalid("UNEXPECTED_TOKEN", format, fmt::format("character '{}''", c));
    }
    ++at;
  }
  TRY(out.check());
  return out;
}

Status NumberFormat::check() const {
  if (text_.empty()) return invalid("EMPTY", text_);
  if (precision() == 0) return invalid("WRONG_NUM_DIGIT", text_);
  const auto count = [&](Kind kind) {
    return std::count_if(tokens_.begin(), tokens_.end(),
                         [&](const Token& token) { return token.kind == kind; });
  };
  bool digits = false;
  bool point = false;
  for (const Token& token : tokens_) {
    digits = digits || token.count > 0;
    if (token.kind == Kind::dollar && digits) return invalid("CUR_MUST_BEFORE_DIGIT", text_);
    if (token.kind == Kind::separator && point)
      return invalid("THOUSANDS_SEPS_MUST_BEFORE_DEC", text_);
    point = point || token.kind == Kind::point;
  }
  if (count(Kind::sign) > 1) return invalid("WRONG_NUM_TOKEN", text_, "S");
  if (count(Kind::dollar) > 1) return invalid("WRONG_NUM_TOKEN", text_, "$");
  if (count(Kind::point) > 1) return invalid("WRONG_NUM_TOKEN", text_, ". or D");
  if (count(Kind::minus) > 1 || count(Kind::close) > 1 || precision() > 38)
    return Status::unsupported("the number format {} is not supported", text_);
  // The order: [MI|S] [$] [0|9|G|,]* [.|D] [0|9]* [PR|MI|S]
  std::size_t at = 0;
  const auto skip = [&](std::initializer_list<Kind> kinds) {
    if (at < tokens_.size() &&
        std::find(kinds.begin(), kinds.end(), tokens_[at].kind) != kinds.end())
      ++at;
  };
  skip({Kind::open});
  skip({Kind::minus, Kind::sign});
  skip({Kind::dollar});
  while (is_group(at)) ++at;
  skip({Kind::point});
  while (is_group(at)) ++at;
  skip({Kind::close, Kind::minus, Kind::sign});
  if (at != tokens_.size())
    return Status::unsupported("the number format {} is not supported", text_);
  return Status::OK();
}

bool NumberFormat::is_group(std::size_t token) const {
  return token < tokens_.size() &&
         (tokens_[token].count > 0 || tokens_[token].kind == Kind::separator);
}

// Digits between commas, compared with the format's from the right.
bool NumberFormat::read_group(std::string_view text, std::size_t* at, std::size_t first,
                              std::size_t last, bool after_point, std::string* digits) const {
  std::vector<std::size_t> sizes = {0};
  for (; *at < text.size() && (is_digit(text[*at]) || text[*at] == ','); ++*at) {
    if (text[*at] == ',') {
      sizes.push_back(0);
    } else {
      *digits += text[*at];
      ++sizes.back();
    }
  }
  if (after_point && sizes.size() > 1) return false;
  std::size_t given = sizes.size();
  for (std::size_t i = last; i > first; --i) {
    const Token& token = tokens_[i - 1];
    if (token.count == 0) continue;
    const std::size_t size = given > 0 ? sizes[--given] : 0;
    if (size > token.count || (token.kind == Kind::exactly && size != token.count)) return false;
  }
  return given == 0;
}

std::optional<__int128> NumberFormat::read(std::string_view text) const {
  text = trim(text);
  std::size_t at = 0;
  bool negative = false;
  bool point = false;
  std::string whole;
  std::string fraction;
  const auto take = [&](char c) {
    if (at >= text.size() || text[at] != c) return false;
    ++at;
    return true;
  };
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    if (is_group(i)) {
      std::size_t end = i;
      while (is_group(end)) ++end;
      // Behind a point that the text has not, there are no digits to read.
      if (!read_group(text, &at, i, end, point, point ? &fraction : &whole)) return std::nullopt;
      i = end - 1;
      continue;
    }
    switch (tokens_[i].kind) {
      case Kind::point:
        point = true;
        if (!take('.') && at < text.size() && is_digit(text[at])) return std::nullopt;
        break;
      case Kind::dollar:
        if (!take('$')) return std::nullopt;
        break;
      case Kind::sign:
        if (!take('+')) negative = take('-') || negative;
        break;
      case Kind::minus:
        negative = take('-') || negative;
        break;
      case Kind::open:
        take('<');
        break;
      default:
        negative = take('>') || negative;
        break;
    }
  }
  if (at < text.size() || (whole.empty() && fraction.empty())) return std::nullopt;
  fraction.resize(static_cast<std::size_t>(scale_), '0');
  __int128 value = 0;
  for (const char c : whole + fraction) value = value * 10 + (c - '0');
  return negative ? -value : value;
}

std::string NumberFormat::too_wide(bool negative) const {
  std::string out;
  for (const Token& token : tokens_) {
    switch (token.kind) {
      case Kind::exactly:
      case Kind::at_most:
        out.append(token.count, '#');
        break;
      case Kind::separator:
        out += ' ';
        break;
      case Kind::point:
        out += '.';
        break;
      case Kind::dollar:
        out += '$';
        break;
      case Kind::sign:
        out += negative ? '-' : '+';
        break;
      case Kind::minus:
        out += negative ? '-' : ' ';
        break;
      case Kind::open:
        if (negative) out += '<';
        break;
      case Kind::close:
        out += negative ? ">" : "  ";
        break;
    }
  }
  return out;
}

std::string NumberFormat::write(std::string_view digits) const {
  const bool negative = digits.starts_with('-');
  if (negative) digits.remove_prefix(1);
  std::string_view whole = digits.substr(0, digits.find('.'));
  std::string_view fraction = digits.substr(std::min(whole.size() + 1, digits.size()));
  while (!whole.empty() && whole[0] == '0') whole.remove_prefix(1);
  while (!fraction.empty() && fraction.back() == '0') fraction.remove_suffix(1);
  std::string out;
  std::size_t left = static_cast<std::size_t>(whole_digits_);
  bool point = false;
  if (whole.size() > left || fraction.size() > static_cast<std::size_t>(scale_))
    return too_wide(negative);
  for (const Token& token : tokens_) {
    for (std::size_t i = 0; i < token.count; ++i) {
      if (point) {
        out += fraction.empty() ? '0' : fraction[0];
        if (!fraction.empty()) fraction.remove_prefix(1);
      } else if (left-- > whole.size()) {
        if (token.kind == Kind::exactly) out += '0';
        if (token.kind == Kind::at_most) add_blank(&out);
      } else {
        out += whole[0];
        whole.remove_prefix(1);
      }
    }
    switch (token.kind) {
      case Kind::separator:
        if (!out.empty() && is_digit(out.back())) {
          out += ',';
        } else {
          add_blank(&out);
        }
        break;
      case Kind::point:
        if (!out.empty() && out.back() == ' ') out.back() = '0';
        out += '.';
        point = true;
        break;
      case Kind::dollar:
        out += '$';
        break;
      case Kind::sign:
        blank_last_point(&out);
        add_sign(&out, negative ? '-' : '+');
        break;
      case Kind::minus:
        blank_last_point(&out);
        if (negative) add_sign(&out, '-');
        if (!negative) out += ' ';
        break;
      case Kind::open:
        if (negative) out += '<';
        break;
      case Kind::close:
        blank_last_point(&out);
        if (negative) add_sign(&out, '>');
        if (!negative) out += "  ";
        break;
      default:
        break;
    }
  }
  blank_last_point(&out);
  return out.empty() || out == "+" || out == "-" ? " " : out;
}

}  // namespace millstream::functions
