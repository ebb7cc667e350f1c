#include "engine/icu_regex.h"

#include <unicode/regex.h>
#include <unicode/utext.h>

#include <unordered_map>
#include <vector>

namespace millstream::engine {
namespace {

constexpr std::size_t pattern_bytes_max = 1U << 20;
constexpr int depth_max = 250;                  // of groups: ICU's compiler recurses
constexpr std::int32_t search_ms_max = 10'000;  // about
constexpr std::int32_t stack_bytes_max = 8'000'000;

Status refused(std::string_view pattern, std::string_view what) {
  return Status::unsupported("the regular expression {} is not supported: {}",
                             pattern.substr(0, 200), what);
}

// What is no pattern for Java either.
Status no_pattern(std::string_view pattern) {
  return Status::plain(ErrorKind::parse,
                       fmt::format("no regular expression: {}", pattern.substr(0, 200)));
}

bool is_syntax(UErrorCode code) {
  return code == U_REGEX_RULE_SYNTAX || code == U_REGEX_MISMATCHED_PAREN ||
         code == U_REGEX_MISSING_CLOSE_BRACKET || code == U_REGEX_MAX_LT_MIN;
}

// What stands for a class of Java, which knows ASCII alone.
const std::string* ascii_class(std::string_view name) {
  static const std::unordered_map<std::string_view, std::string> classes = {
      {"w", "[a-zA-Z_0-9]"},
      {"W", "[^a-zA-Z_0-9]"},
      {"d", "[0-9]"},
      {"D", "[^0-9]"},
      {"s", "[ \\t\\n\\x0B\\f\\r]"},
      {"S", "[^ \\t\\n\\x0B\\f\\r]"},
      {"Lower", "[a-z]"},
      {"Upper", "[A-Z]"},
      {"ASCII", "[\\x00-\\x7F]"},
      {"Alpha", "[a-zA-Z]"},
      {"Digit", "[0-9]"},
      {"Alnum", "[a-zA-Z0-9]"},
      {"Punct", "[\\x21-\\x2F\\x3A-\\x40\\x5B-\\x60\\x7B-\\x7E]"},
      {"Graph", "[\\x21-\\x7E]"},
      {"Print", "[\\x20-\\x7E]"},
      {"Blank", "[ \\t]"},
      {"Cntrl", "[\\x00-\\x1F\\x7F]"},
      {"XDigit", "[0-9a-fA-F]"},
      {"Space", "[ \\t\\n\\x0B\\f\\r]"}};
  const auto found = classes.find(name);
  return found == classes.end() ? nullptr : &found->second;
}

// What differs between the two: the line ends of `.`, `^`, `$` and \Z, and classes that are
// ASCII's.
class Translator {
 public:
  explicit Translator(std::string_view pattern) : pattern_(pattern) {}

  Result<std::string> run() {
    while (at_ < pattern_.size()) {
      const char c = pattern_[at_++];
      if (c == '\\') {
        const std::size_t begin = out_.size();
        const bool looks =
            std::string_view("bBAGz").find(pattern_.substr(at_, 1)) != std::string_view::npos;
        TRY(escape());
        if (looks && repeats()) bracket(begin);
      } else if (c == '[') {
        TRY(char_class());
      } else if (c == '(') {
        TRY(open_group());
      } else if (c == ')') {
        if (outer_.empty()) return no_pattern(pattern_);
        const Group group = outer_.back();
        flags_ = group.flags;
        outer_.pop_back();
        out_ += c;
        if (group.looks && repeats()) bracket(group.begin);
      } else if (c == '#' && flags_.comments) {
        at_ = std::min(pattern_.find('\n', at_), pattern_.size());
      } else {
        plain(c);
      }
    }
    return std::move(out_);
  }

 private:
  struct Flags {
    bool unix_lines = false;
    bool many_lines = false;
    bool dot_all = false;
    bool unicode_classes = false;
    bool comments = false;
  };

  // A group that is open.
  struct Group {
    Flags flags;  // around it
    std::size_t begin = 0;
    bool looks = false;  // ahead or behind
  };

  bool repeats() const {
    return at_ < pattern_.size() &&
           std::string_view("?*+{").find(pattern_[at_]) != std::string_view::npos;
  }
  // What looks around may be repeated in Java; in ICU only within brackets.
  void bracket(std::size_t begin) {
    out_.insert(begin, "(?:");
    out_ += ')';
  }

  void plain(char c) {
    if (c == '.') {
      out_ += flags_.dot_all      ? "[\\x{0}-\\x{10FFFF}]"
              : flags_.unix_lines ? "[^\\n]"
                                  : "[^\\n\\r\\x{85}\\x{2028}\\x{2029}]";
    } else if (c == '$') {
      out_ += end_of_line(flags_.many_lines);
    } else if (c == '^' && flags_.many_lines) {
      // Not at the end of the text, and not within \r\n.
      out_ += flags_.unix_lines ? "(?:(?:^|(?<=\\n))(?!\\z))"
                                : "(?:(?:^|(?<=[\\n\\x{85}\\x{2028}\\x{2029}])|(?<=\\r)(?!\\n))"
                                  "(?!\\z))";
    } else if (c == '^' && repeats()) {
      out_ += "(?:^)";
    } else {
      out_ += c;
    }
  }

  // Before the last line end of the text, or before any; and at its end. Not within \r\n.
  std::string end_of_line(bool any) const {
    if (flags_.unix_lines) return any ? "(?:(?=\\n|\\z))" : "(?:(?=\\n?\\z))";
    return any ? "(?:(?=\\r\\n|(?<!\\r)\\n|[\\r\\x{85}\\x{2028}\\x{2029}]|\\z))"
               : "(?:(?=\\r\\n\\z|(?<!\\r)\\n\\z|[\\r\\x{85}\\x{2028}\\x{2029}]\\z|\\z))";
  }

  Status escape() {
    if (at_ >= pattern_.size()) return refused(pattern_, "it ends with a backslash");
    const char c = pattern_[at_++];
    const auto* known = flags_.unicode_classes ? nullptr : ascii_class({&c, 1});
    if (known != nullptr) {
      out_ += *known;
    } else if (c == 'Z') {
      out_ += end_of_line(false);
    } else if (c == 'Q') {
      const std::size_t end = std::min(pattern_.find("\\E", at_), pattern_.size());
      out_ += "\\Q" + std::string(pattern_.substr(at_, end - at_)) + "\\E";
      at_ = std::min(end + 2, pattern_.size());
    } else if ((c == 'p' || c == 'P') && at_ < pattern_.size() && pattern_[at_] == '{') {
      property(c == 'P');
    } else {
      out_ += '\\';
      out_ += c;
    }
    return Status::OK();
  }

  void property(bool negated) {
    const std::size_t close = std::min(pattern_.find('}', at_), pattern_.size());
    const auto* known = ascii_class(pattern_.substr(at_ + 1, close - at_ - 1));
    if (known == nullptr || flags_.unicode_classes) {
      out_ += negated ? "\\P" : "\\p";
      return;
    }
    out_ += negated ? "[^" + *known + "]" : *known;
    at_ = std::min(close + 1, pattern_.size());
  }

  Status char_class() {
    int depth = 1;
    out_ += '[';
    while (depth > 0) {
      if (at_ >= pattern_.size()) return no_pattern(pattern_);
      const char c = pattern_[at_++];
      if (c == '\\') {
        TRY(escape());
        continue;
      }
      if (c == '[' && at_ < pattern_.size() && pattern_[at_] == ':')
        return refused(pattern_, "[: in a class");
      depth += c == '[' ? 1 : c == ']' ? -1 : 0;
      if (depth > depth_max) return refused(pattern_, "classes nested too deeply");
      out_ += c;
    }
    return Status::OK();
  }

  Status open_group() {
    if (outer_.size() >= depth_max) return refused(pattern_, "groups nested too deeply");
    const std::string_view rest = pattern_.substr(at_);
    const bool looks = rest.starts_with("?=") || rest.starts_with("?!") ||
                       rest.starts_with("?<=") || rest.starts_with("?<!");
    outer_.push_back({flags_, out_.size(), looks});
    out_ += '(';
    const bool flagged = rest.size() > 1 && rest[0] == '?' &&
                         std::string_view("=!<>:").find(rest[1]) == std::string_view::npos;
    return flagged ? group_flags() : Status::OK();
  }

  // (?ims-d) and (?ims-d:
  Status group_flags() {
    const std::size_t end = pattern_.find_first_of(":)", at_);
    if (end == std::string_view::npos) return no_pattern(pattern_);
    std::string kept;  // those that ICU is to know
    bool on = true;
    for (const char c : pattern_.substr(at_ + 1, end - at_ - 1)) {
      if (c == '-') {
        on = false;
        kept += c;
      } else if (c == 'i' || c == 'x') {
        kept += c;
        if (c == 'x') flags_.comments = on;
      } else if (bool* flag = flag_of(c)) {
        *flag = on;
      } else if (c != 'u') {
        return refused(pattern_, "an unknown flag");
      }
    }
    if (kept.ends_with('-')) kept.pop_back();
    at_ = end + 1;
    if (pattern_[end] == ':') {
      out_ += "?" + kept + ":";
      return Status::OK();
    }
    // They hold to the end of the group around them.
    outer_.pop_back();
    out_ += kept.empty() ? "?:)" : "?" + kept + ")";
    return Status::OK();
  }

  bool* flag_of(char c) {
    switch (c) {
      case 'd':
        return &flags_.unix_lines;
      case 'm':
        return &flags_.many_lines;
      case 's':
        return &flags_.dot_all;
      case 'U':
        return &flags_.unicode_classes;
      default:
        return nullptr;
    }
  }

  const std::string_view pattern_;
  std::size_t at_ = 0;
  std::string out_;
  Flags flags_;
  std::vector<Group> outer_;
};

}  // namespace

struct IcuRegex::Compiled {
  std::unique_ptr<icu::RegexPattern> pattern;
  int groups = 0;
};

IcuRegex::IcuRegex() = default;
IcuRegex::~IcuRegex() = default;

Result<std::string> IcuRegex::translate(std::string_view pattern) {
  return Translator(pattern).run();
}

Result<std::unique_ptr<const IcuRegex>> IcuRegex::make(std::string_view pattern) {
  if (pattern.size() > pattern_bytes_max) return refused(pattern, "it is too long");
  TRY_ASSIGN(const std::string translated, translate(pattern));
  UErrorCode code = U_ZERO_ERROR;
  UParseError place{};
  std::unique_ptr<IcuRegex> out(new IcuRegex);
  out->pattern_ = pattern;
  out->compiled_ = std::make_unique<Compiled>();
  out->compiled_->pattern.reset(
      icu::RegexPattern::compile(icu::UnicodeString::fromUTF8(translated), 0, place, code));
  if (U_FAILURE(code) != 0)
    return is_syntax(code) ? no_pattern(pattern) : refused(pattern, u_errorName(code));
  const std::unique_ptr<icu::RegexMatcher> matcher(out->compiled_->pattern->matcher(code));
  if (U_FAILURE(code) != 0) return refused(pattern, u_errorName(code));
  out->compiled_->groups = matcher->groupCount();
  return std::unique_ptr<const IcuRegex>(std::move(out));
}

int IcuRegex::group_count() const { return compiled_->groups; }

Result<std::optional<JavaRegex::Match>> IcuRegex::find(std::string_view text,
                                                       std::size_t from) const {
  UErrorCode code = U_ZERO_ERROR;
  const std::unique_ptr<UText, UText* (*)(UText*)> subject(
      utext_openUTF8(nullptr, text.data(), static_cast<std::int64_t>(text.size()), &code),
      utext_close);
  const std::unique_ptr<icu::RegexMatcher> matcher(compiled_->pattern->matcher(code));
  if (U_FAILURE(code) != 0) return refused(pattern_, u_errorName(code));
  matcher->reset(subject.get());
  matcher->setTimeLimit(search_ms_max, code);
  matcher->setStackLimit(stack_bytes_max, code);
  const bool found = matcher->find(static_cast<std::int64_t>(from), code) != 0;
  if (U_FAILURE(code) != 0) {
    return refused(pattern_,
                   code == U_REGEX_TIME_OUT ? "the search takes too long" : u_errorName(code));
  }
  if (!found) return std::optional<JavaRegex::Match>();
  JavaRegex::Match match;
  for (int group = 0; group <= compiled_->groups; ++group) {
    const std::int64_t begin = matcher->start64(group, code);
    const std::int64_t end = matcher->end64(group, code);
    if (begin < 0) {
      match.groups.emplace_back();
    } else {
      match.groups.emplace_back(
          text.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
    }
    if (group == 0) {
      match.begin = static_cast<std::size_t>(begin);
      match.end = static_cast<std::size_t>(end);
    }
  }
  return std::optional<JavaRegex::Match>(std::move(match));
}

}  // namespace millstream::engine
