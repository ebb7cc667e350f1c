// format_string: java.util.Formatter over values that travel as one text.
#include "base/text.h"
#include "engine/kernels.h"
#include "engine/text.h"
#include "engine/utf8.h"

namespace millstream::engine {
namespace {

// A width beyond it is an error, before memory ends.
constexpr int width_max = 100'000'000;

// One conversion of java.util.Formatter: flags, width, precision, and the value's text and kind.
Result<std::string> convert(char conversion, std::string_view flags, int width, int precision,
                            std::string_view text, char kind) {
  const auto flag = [&](char c) { return flags.find(c) != std::string_view::npos; };
  std::string out;
  const bool null = text == "\x1e";
  const char lower =
      conversion >= 'A' && conversion <= 'Z' ? static_cast<char>(conversion + 32) : conversion;
  const auto mismatch = [&] {
    return Status::invalid("{} != {}", conversion,
                           kind == 's'   ? "java.lang.String"
                           : kind == 'f' ? "java.lang.Double"
                                         : "java.lang.Long");
  };
  if (null && lower != 'b') {
    out = "null";
  } else if (lower == 's') {
    out = std::string(text);
  } else if (lower == 'b') {
    out = null ? "false" : kind == 'b' ? std::string(text) : "true";
  } else if (lower == 'd' || lower == 'x') {
    if (kind != 'i') return mismatch();
    const auto value = parse_int64(text).value_or(0);
    if (lower == 'x') {
      out = fmt::format("{:x}", static_cast<std::uint64_t>(value));
    } else {
      out = std::string(text);
      const std::size_t sign = value < 0 ? 1 : 0;
      if (flag(',')) {
        for (std::size_t at = out.size(); at > sign + 3;) out.insert(at -= 3, ",");
      }
      if (value >= 0 && (flag('+') || flag(' '))) out.insert(0, flag('+') ? "+" : " ");
    }
  } else if (lower == 'f' || lower == 'e') {
    if (kind != 'f') return mismatch();
    const double value = parse_double(text).value_or(0);
    const int digits = precision < 0 ? 6 : precision;
    out = lower == 'f' ? fmt::format("{:.{}f}", value, digits)
                       : fmt::format("{:.{}e}", value, digits);
    if (flag(',') && lower == 'f') {
      const auto dot = out.find('.');
      const std::size_t sign = value < 0 ? 1 : 0;
      for (std::size_t at = dot == std::string::npos ? out.size() : dot; at > sign + 3;)
        out.insert(at -= 3, ",");
    }
    if (value >= 0 && flag('+')) out.insert(0, "+");
  } else {
    return Status::unsupported("the format conversion %{} is not supported", conversion);
  }
  if (precision >= 0 && (lower == 's' || lower == 'b'))
    out = out.substr(0, byte_of_character(out, static_cast<std::size_t>(precision)));
  if (conversion != lower) out = to_upper(out);
  const auto size = static_cast<int>(utf8_length(out));
  if (size >= width) return out;
  const std::string blanks(static_cast<std::size_t>(width - size), flag('0') ? '0' : ' ');
  if (flag('-')) return out + blanks;
  if (flag('0') && !out.empty() && (out[0] == '-' || out[0] == '+'))
    return out.substr(0, 1) + blanks + out.substr(1);
  return blanks + out;
}

std::optional<std::string> format(Failure& fail, std::string_view pattern, std::string_view kinds,
                                  std::string_view joined) {
  const auto values =
      kinds.empty() ? std::vector<std::string>() : millstream::split(joined, '\x1f');
  std::string out;
  std::size_t next = 0;
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
    // %2$s names its argument.
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
           std::string_view("-#+ 0,(").find(pattern[at]) != std::string_view::npos)
      ++at;
    const auto flags = pattern.substr(flags_at, at - flags_at);
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
    if (index >= kinds.size() || index >= values.size())
      return fail(Status::invalid("Format specifier '%{}'", conversion));
    if (!named) ++next;
    const auto text = convert(conversion, flags, width, precision, values[index], kinds[index]);
    if (!text.ok()) return fail(text.status());
    out += *text;
  }
  return out;
}

}  // namespace

Status register_format_kernels(duckdb_connection c) { return add_kernel<format>(c, "ms_format"); }

}  // namespace millstream::engine
