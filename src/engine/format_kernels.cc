// format_string: java.util.Formatter over values that travel as one text.
#include <cmath>

#include "base/text.h"
#include "engine/java_decimal.h"
#include "engine/kernels.h"
#include "engine/text.h"
#include "engine/utf8.h"

namespace millstream::engine {
namespace {

// A width beyond it is an error, before memory ends.
constexpr int width_max = 100'000'000;

// "%-8.2f": what stands between the sign of per cent and the end.
struct Conversion {
  std::string_view text;  // from the sign of per cent on
  char letter;            // an upper case one makes the text upper case
  std::string_view flags;
  int width = -1;
  int precision = -1;

  bool flag(char c) const { return flags.find(c) != std::string_view::npos; }
  char kind() const {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter;
  }
};

// The classes that values of these kinds are of in Java.
const char* class_of(char kind) {
  switch (kind) {
    case '1':
      return "java.lang.Byte";
    case '2':
      return "java.lang.Short";
    case '4':
      return "java.lang.Integer";
    case '8':
      return "java.lang.Long";
    case 'f':
      return "java.lang.Double";
    case 'r':
      return "java.lang.Float";
    case 'm':
      return "org.apache.spark.sql.types.Decimal";
    case 'b':
      return "java.lang.Boolean";
    default:
      return "org.apache.spark.unsafe.types.UTF8String";
  }
}

bool is_integral(char kind) { return kind >= '1' && kind <= '8'; }
bool is_floating(char kind) { return kind == 'f' || kind == 'r'; }

void group(std::string* whole) {
  for (std::size_t at = std::min(whole->find('.'), whole->size()); at > 3;)
    whole->insert(at -= 3, 1, ',');
}

// A magnitude with what its flags put around it: sign, brackets, zeros up to the width.
std::string signed_text(const Conversion& c, bool negative, std::string magnitude, bool zeros) {
  const bool brackets = negative && c.flag('(');
  std::string sign;
  if (negative) {
    sign = brackets ? "(" : "-";
  } else if (c.flag('+') || c.flag(' ')) {
    sign = c.flag('+') ? "+" : " ";
  }
  const std::size_t taken = sign.size() + magnitude.size() + (brackets ? 1 : 0);
  const auto width = static_cast<std::size_t>(std::max(c.width, 0));
  if (zeros && c.flag('0') && taken < width) magnitude.insert(0, width - taken, '0');
  return sign + magnitude + (brackets ? ")" : "");
}

double value_of(std::string_view text, char kind) {
  const double value = parse_double(text).value_or(0);
  return kind == 'r' ? static_cast<double>(static_cast<float>(value)) : value;
}

std::string floating_text(const Conversion& c, double value) {
  const bool negative = std::signbit(value) && !std::isnan(value);
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return signed_text(c, negative, "Infinity", false);
  const JavaDecimal decimal = JavaDecimal::of(double_text(std::fabs(value)));
  const int precision = c.precision < 0 ? 6 : c.precision;
  std::string text = c.kind() == 'f'   ? decimal.fixed(precision)
                     : c.kind() == 'e' ? decimal.scientific(precision)
                                       : decimal.general(precision);
  if (c.flag('#') && precision == 0) text.insert(std::min(text.find('e'), text.size()), 1, '.');
  if (c.flag(',')) group(&text);
  return signed_text(c, negative, std::move(text), true);
}

std::string integral_text(const Conversion& c, std::string_view text, char kind) {
  const std::int64_t value = parse_int64(text).value_or(0);
  if (c.kind() != 'd') {
    auto bits = static_cast<std::uint64_t>(value);
    if (kind < '8') bits &= (std::uint64_t{1} << (8 * (kind - '0'))) - 1;
    std::string digits = c.kind() == 'x' ? fmt::format("{:x}", bits) : fmt::format("{:o}", bits);
    if (c.flag('#')) digits = (c.kind() == 'x' ? "0x" : "0") + digits;
    const auto width = static_cast<std::size_t>(std::max(c.width, 0));
    if (c.flag('0') && digits.size() < width) digits.insert(0, width - digits.size(), '0');
    return digits;
  }
  std::string magnitude(text.substr(value < 0 ? 1 : 0));
  if (c.flag(',')) group(&magnitude);
  return signed_text(c, value < 0, std::move(magnitude), true);
}

Status flag_mismatch(const Conversion& c, char flag) {
  return Status::invalid("Conversion = {}, Flags = {}", c.kind(), flag);
}

// The flags that a conversion cannot have.
std::string_view refused_flags(char kind) {
  switch (kind) {
    case 'd':
      return "#";
    case 'x':
    case 'o':
      return "+ ,(";
    case 'e':
      return ",";
    case 'g':
      return "#";
    case 'f':
      return "";
    default:
      return "#+ 0,(";
  }
}

Status check(const Conversion& c) {
  constexpr std::string_view in_order = "-#+ 0,(";
  if (std::string_view("bsdxofegc").find(c.kind()) == std::string_view::npos) {
    if (std::string_view("ahtn").find(c.kind()) == std::string_view::npos)
      return Status::invalid("Conversion = '{}'", c.letter);
    return Status::unsupported("the format conversion %{} is not supported", c.letter);
  }
  for (const char flag : refused_flags(c.kind())) {
    if (c.flag(flag)) return flag_mismatch(c, flag);
  }
  if ((c.flag('-') || c.flag('0')) && c.width < 0) return Status::invalid("{}", c.text);
  if ((c.flag('-') && c.flag('0')) || (c.flag('+') && c.flag(' '))) {
    std::string flags;
    for (const char flag : in_order) flags += c.flag(flag) ? std::string(1, flag) : "";
    return Status::invalid("Flags = '{}'", flags);
  }
  if (c.precision >= 0 && std::string_view("dxoc").find(c.kind()) != std::string_view::npos)
    return Status::invalid("{}", c.precision);
  return Status::OK();
}

// One conversion of java.util.Formatter of a value's text, of that kind.
Result<std::string> convert(const Conversion& c, std::string_view text, char kind) {
  TRY(check(c));
  const bool null = text == "\x1e";
  const auto mismatch = [&] { return Status::invalid("{} != {}", c.letter, class_of(kind)); };
  std::string out;
  switch (c.kind()) {
    case 's':
      out = null ? "null" : std::string(text);
      break;
    case 'b':
      out = null ? "false" : kind == 'b' ? std::string(text) : "true";
      break;
    case 'd':
    case 'x':
    case 'o':
      if (!null && !is_integral(kind)) return mismatch();
      out = null ? "null" : integral_text(c, text, kind);
      break;
    case 'f':
    case 'e':
    case 'g':
      if (!null && !is_floating(kind)) return mismatch();
      out = null ? "null" : floating_text(c, value_of(text, kind));
      break;
    default:  // c
      if (!null && !is_integral(kind)) return mismatch();
      if (null)
        out = "null";
      else
        append_character(&out, static_cast<std::int32_t>(parse_int64(text).value_or(0)));
      break;
  }
  if (c.precision >= 0 && (null || c.kind() == 's' || c.kind() == 'b'))
    out = out.substr(0, byte_of_character(out, static_cast<std::size_t>(c.precision)));
  if (c.letter != c.kind()) out = to_upper(out);
  const auto size = static_cast<int>(utf8_length(out));
  if (size >= c.width) return out;
  const std::string blanks(static_cast<std::size_t>(c.width - size), ' ');
  return c.flag('-') ? out + blanks : blanks + out;
}

std::optional<std::string> format(Failure& fail, std::string_view pattern, std::string_view kinds,
                                  std::string_view joined) {
  const auto values =
      kinds.empty() ? std::vector<std::string>() : millstream::split(joined, '\x1f');
  std::string out;
  std::size_t next = 0;
  std::size_t last = kinds.size();  // the argument of the conversion before; none yet
  for (std::size_t at = 0; at < pattern.size();) {
    const char c = pattern[at++];
    if (c != '%') {
      out += c;
      continue;
    }
    const auto number = [&] {
      int value = -1;
      for (; at < pattern.size() && pattern[at] >= '0' && pattern[at] <= '9'; ++at) {
        if (value <= width_max) value = std::max(value, 0) * 10 + (pattern[at] - '0');
      }
      return value;
    };
    // %2$s names its argument, %<s is of the one before.
    std::size_t index = next;
    bool named = false;
    const std::size_t start = at;
    const int position = number();
    if (position > 0 && at < pattern.size() && pattern[at] == '$') {
      index = static_cast<std::size_t>(position) - 1;
      named = true;
      ++at;
    } else {
      at = start;
    }
    const std::size_t flags_at = at;
    while (at < pattern.size() &&
           std::string_view("-#+ 0,(<").find(pattern[at]) != std::string_view::npos)
      ++at;
    const auto flags = pattern.substr(flags_at, at - flags_at);
    if (flags.find('<') != std::string_view::npos) {
      index = last;
      named = true;
    }
    const int width = number();
    int precision = -1;
    if (at < pattern.size() && pattern[at] == '.') {
      ++at;
      precision = number();
    }
    if (std::max(width, precision) > width_max) {
      return fail(Status::error("COLLECTION_SIZE_LIMIT_EXCEEDED.PARAMETER",
                                {{"functionName", "`format_string`"},
                                 {"numberOfElements", std::to_string(std::max(width, precision))},
                                 {"maxRoundedArrayLength", std::to_string(width_max)},
                                 {"parameter", "`strfmt`"}}));
    }
    if (at >= pattern.size()) return fail(Status::invalid("Conversion = '%'"));
    const char conversion = pattern[at++];
    if (conversion == '%' || conversion == 'n') {
      out += conversion == 'n' ? '\n' : '%';
      continue;
    }
    const auto written = pattern.substr(start - 1, at - start + 1);
    if (index >= kinds.size() || index >= values.size())
      return fail(Status::invalid("Format specifier '{}'", written));
    if (!named) ++next;
    last = index;
    const auto text =
        convert({written, conversion, flags, width, precision}, values[index], kinds[index]);
    if (!text.ok()) return fail(text.status());
    out += *text;
  }
  return out;
}

}  // namespace

Status register_format_kernels(duckdb_connection c) { return add_kernel<format>(c, "ms_format"); }

}  // namespace millstream::engine
