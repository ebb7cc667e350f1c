#include "engine/java_regex.h"

#include <re2/re2.h>

#include <algorithm>
#include <unordered_map>

#include "engine/icu_regex.h"
#include "engine/utf8.h"

namespace millstream::engine {
namespace {

Status refused(std::string_view pattern, std::string_view what) {
  return Status::unsupported("the regular expression {} is not supported: {}", pattern, what);
}

constexpr int depth_max = 1000;  // of groups

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// An escape after the backslash at `at` (which is left behind it). `in_class`: between [ and ].
Status translate_escape(std::string_view pattern, std::size_t* at, bool in_class,
                        std::string* out) {
  if (*at >= pattern.size()) return refused(pattern, "it ends with a backslash");
  const char c = pattern[(*at)++];
  if (!is_letter(c) && !(c >= '0' && c <= '9')) {
    *out += '\\';
    *out += c;
    return Status::OK();
  }
  switch (c) {
    case 'd':
    case 'D':
    case 'w':
    case 'W':
      *out += '\\';
      *out += c;
      return Status::OK();
    case 's':
      *out += in_class ? "\\s\\x0B" : "[\\s\\x0B]";
      return Status::OK();
    case 'S':
      if (in_class) return refused(pattern, "\\S in a class");
      *out += "[^\\s\\x0B]";
      return Status::OK();
    case 't':
    case 'n':
    case 'r':
    case 'f':
    case 'a':
      *out += '\\';
      *out += c;
      return Status::OK();
    case 'e':
      *out += "\\x1B";
      return Status::OK();
    case 'b':
    case 'B':
    case 'A':
    case 'z':
      if (in_class) return refused(pattern, "a boundary in a class");
      *out += '\\';
      *out += c;
      return Status::OK();
    case 'x':
    case 'u': {
      const std::size_t digits = c == 'u' ? 4 : 2;
      if (c == 'x' && *at < pattern.size() && pattern[*at] == '{') {
        const auto close = pattern.find('}', *at);
        if (close == std::string_view::npos) return refused(pattern, "\\x{ without }");
        *out += "\\x" + std::string(pattern.substr(*at, close - *at + 1));
        *at = close + 1;
        return Status::OK();
      }
      if (*at + digits > pattern.size()) return refused(pattern, "too few hexadecimal digits");
      *out += "\\x{" + std::string(pattern.substr(*at, digits)) + "}";
      *at += digits;
      return Status::OK();
    }
    case 'p':
    case 'P': {
      static const std::unordered_map<std::string_view, std::string_view> classes = {
          {"Lower", "lower"}, {"Upper", "upper"}, {"ASCII", "ascii"}, {"Alpha", "alpha"},
          {"Digit", "digit"}, {"Alnum", "alnum"}, {"Punct", "punct"}, {"Graph", "graph"},
          {"Print", "print"}, {"Blank", "blank"}, {"Cntrl", "cntrl"}, {"XDigit", "xdigit"},
          {"Space", "space"}};
      if (*at < pattern.size() && pattern[*at] == '{') {
        const auto close = pattern.find('}', *at);
        if (close == std::string_view::npos) return refused(pattern, "\\p{ without }");
        std::string_view name = pattern.substr(*at + 1, close - *at - 1);
        *at = close + 1;
        if (const auto found = classes.find(name); found != classes.end()) {
          const std::string inner = fmt::format("[:{}{}:]", c == 'P' ? "^" : "", found->second);
          *out += in_class ? inner : "[" + inner + "]";
          return Status::OK();
        }
        if (name.starts_with("Is")) name.remove_prefix(2);
        *out += fmt::format("\\{}{{{}}}", c, name);
        return Status::OK();
      }
      if (*at >= pattern.size()) return refused(pattern, "\\p without a class");
      *out += fmt::format("\\{}{}", c, pattern[(*at)++]);
      return Status::OK();
    }
    case 'Q': {
      const auto close = pattern.find("\\E", *at);
      *out += RE2::QuoteMeta(re2::StringPiece(
          pattern.data() + *at, (close == std::string_view::npos ? pattern.size() : close) - *at));
      *at = close == std::string_view::npos ? pattern.size() : close + 2;
      return Status::OK();
    }
    default:
      return refused(pattern, fmt::format("\\{}", c));
  }
}

// What follows a {: "2}", "2,}", "2,3}". RE2 takes a brace of other contents for itself.
bool is_repetition(std::string_view rest) {
  const auto close = rest.find('}');
  if (close == std::string_view::npos || close == 0 || rest[0] == ',') return false;
  const std::string_view inner = rest.substr(0, close);
  return inner.find_first_not_of("0123456789,") == std::string_view::npos &&
         std::count(inner.begin(), inner.end(), ',') <= 1;
}

Status translate_class(std::string_view pattern, std::size_t* at, std::string* out) {
  *out += '[';
  if (*at < pattern.size() && pattern[*at] == '^') *out += pattern[(*at)++];
  bool first = true;
  while (true) {
    if (*at >= pattern.size()) return refused(pattern, "[ without ]");
    const char c = pattern[(*at)++];
    if (c == ']' && !first) break;
    if (c == ']' || c == '[') return refused(pattern, "a class within a class");
    if (c == '&' && *at < pattern.size() && pattern[*at] == '&')
      return refused(pattern, "an intersection of classes");
    first = false;
    if (c == '\\') {
      TRY(translate_escape(pattern, at, true, out));
    } else {
      *out += c;
    }
  }
  *out += ']';
  return Status::OK();
}

}  // namespace

Result<std::string> JavaRegex::translate(std::string_view pattern, bool* has_dollar) {
  std::string out;
  bool dotall = false;
  int depth = 0;
  for (std::size_t at = 0; at < pattern.size();) {
    const char c = pattern[at++];
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    // RE2's work grows with the square of it, and Java's stack ends.
    if (depth > depth_max) return refused(pattern.substr(0, 20), "groups nested too deeply");
    if (c == '\\') {
      TRY(translate_escape(pattern, &at, false, &out));
    } else if (c == '[') {
      TRY(translate_class(pattern, &at, &out));
    } else if (c == '.') {
      // Java's line ends are more than RE2's.
      out += dotall ? "(?s:.)" : "[^\\n\\r\\x{85}\\x{2028}\\x{2029}]";
    } else if (c == '{' && (at == 1 || !is_repetition(pattern.substr(at)))) {
      return refused(pattern, "{ that repeats nothing");
    } else if (c == '$') {
      *has_dollar = true;
      out += c;
    } else if (c == '(' && pattern.substr(at).starts_with("?")) {
      const std::string_view rest = pattern.substr(at);
      if (rest.starts_with("?=") || rest.starts_with("?!") || rest.starts_with("?<=") ||
          rest.starts_with("?<!") || rest.starts_with("?>")) {
        return refused(pattern, "looking around");
      }
      if (rest.starts_with("?<")) {
        out += "(?P<";
        at += 2;
        continue;
      }
      const auto close = rest.find_first_of(":)");
      if (close == std::string_view::npos) return refused(pattern, "( without )");
      const auto flags = rest.substr(1, close - 1);
      if (flags.find_first_not_of("is") != std::string_view::npos)
        return refused(pattern, fmt::format("the flags {}", flags));
      if (flags.find('s') != std::string_view::npos) {
        if (rest[close] == ':') return refused(pattern, "the flag s of a part");
        dotall = true;
      }
      out += "(" + std::string(rest.substr(0, close + 1));
      at += close + 1;
    } else if ((c == '*' || c == '+' || c == '?' || c == '}') && at < pattern.size() &&
               pattern[at] == '+') {
      return refused(pattern, "possessive repetition");
    } else {
      out += c;
    }
  }
  return out;
}

JavaRegex::~JavaRegex() = default;

Result<std::shared_ptr<const JavaRegex>> JavaRegex::get(std::string_view pattern) {
  constexpr std::size_t kept_max = 64;
  thread_local std::unordered_map<std::string, std::shared_ptr<const JavaRegex>> kept;
  thread_local std::shared_ptr<const JavaRegex> last;
  thread_local std::string last_text;
  if (last != nullptr && last_text == pattern) return last;
  auto found = kept.find(std::string(pattern));
  if (found == kept.end()) {
    if (kept.size() >= kept_max) kept.clear();
    auto made = std::make_shared<JavaRegex>();
    made->pattern_ = pattern;
    RE2::Options options(RE2::Quiet);
    options.set_log_errors(false);
    const auto translated = translate(pattern, &made->has_dollar_);
    if (translated.ok()) made->regex_ = std::make_unique<RE2>(*translated, options);
    if (made->regex_ == nullptr || !made->regex_->ok()) {
      made->regex_.reset();
      TRY(made->other().status());
    }
    found =
        kept.emplace(std::string(pattern), std::shared_ptr<const JavaRegex>(std::move(made))).first;
  }
  last = found->second;
  last_text = std::string(pattern);
  return last;
}

int JavaRegex::group_count() const {
  return regex_ == nullptr ? other_->group_count() : regex_->NumberOfCapturingGroups();
}

Result<const IcuRegex*> JavaRegex::other() const {
  std::call_once(other_made_, [this] {
    auto made = IcuRegex::make(pattern_);
    other_status_ = made.status();
    if (made.ok()) other_ = std::move(*made);
  });
  TRY(other_status_);
  return other_.get();
}

namespace {

// Java's line ends: \n, \r, U+0085, U+2028 and U+2029.
bool ends_a_line(std::string_view text) {
  for (const std::string_view end : {"\n", "\r", "\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9"})
    if (text.ends_with(end)) return true;
  return false;
}

}  // namespace

Result<std::optional<JavaRegex::Match>> JavaRegex::find(std::string_view text,
                                                        std::size_t from) const {
  // RE2's `$` is the very end.
  if (regex_ == nullptr || (has_dollar_ && ends_a_line(text))) {
    TRY_ASSIGN(const IcuRegex* regex, other());
    return regex->find(text, from);
  }
  std::vector<re2::StringPiece> pieces(static_cast<std::size_t>(group_count()) + 1);
  const re2::StringPiece subject(text.data(), text.size());
  if (!regex_->Match(subject, from, text.size(), RE2::UNANCHORED, pieces.data(),
                     static_cast<int>(pieces.size()))) {
    return std::optional<Match>();
  }
  Match match;
  match.begin = static_cast<std::size_t>(pieces[0].data() - text.data());
  match.end = match.begin + pieces[0].size();
  for (const auto& piece : pieces) {
    if (piece.data() == nullptr) {
      match.groups.emplace_back();
    } else {
      match.groups.emplace_back(std::string_view(piece.data(), piece.size()));
    }
  }
  return std::optional<Match>(std::move(match));
}

Result<std::string> expand_replacement(std::string_view replacement,
                                       const JavaRegex::Match& match) {
  std::string out;
  for (std::size_t at = 0; at < replacement.size();) {
    const char c = replacement[at++];
    if (c == '\\') {
      if (at >= replacement.size()) return Status::invalid("character to be escaped is missing");
      out += replacement[at++];
      continue;
    }
    if (c != '$') {
      out += c;
      continue;
    }
    if (at >= replacement.size())
      return Status::invalid("Illegal group reference: group index is missing");
    if (replacement[at] < '0' || replacement[at] > '9') {
      if (replacement[at] == '{')
        return Status::unsupported("named groups in a replacement are not supported");
      return Status::invalid("Illegal group reference");
    }
    std::size_t group = static_cast<std::size_t>(replacement[at++] - '0');
    if (group >= match.groups.size()) {
      return Status::plain(ErrorKind::array_index, fmt::format("No group {}", group));
    }
    // More digits belong to the number as long as there is such a group.
    while (at < replacement.size() && replacement[at] >= '0' && replacement[at] <= '9') {
      const std::size_t longer = group * 10 + static_cast<std::size_t>(replacement[at] - '0');
      if (longer >= match.groups.size()) break;
      group = longer;
      ++at;
    }
    if (match.groups[group].has_value()) out += *match.groups[group];
  }
  return out;
}

}  // namespace millstream::engine
