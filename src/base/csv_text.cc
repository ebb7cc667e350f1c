#include "base/csv_text.h"

#include "base/text.h"

namespace millstream {
namespace {

bool is_blank(char c) { return static_cast<unsigned char>(c) <= ' '; }
bool is_end(char c) { return c == '\n' || c == '\r'; }

std::string_view without_blanks(std::string_view text, bool left, bool right) {
  while (left && !text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (right && !text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

class LineReader {
 public:
  LineReader(std::string_view line, const CsvDialect& dialect) : line_(line), dialect_(dialect) {}

  std::vector<std::string> fields() {
    std::vector<std::string> out;
    if (line_.empty() || is_end(line_[0])) return out;
    while (true) {
      out.push_back(field());
      if (!separator_at(at_)) return out;
      at_ += dialect_.separator.size();
    }
  }

 private:
  bool separator_at(std::size_t at) const {
    return line_.substr(at).starts_with(dialect_.separator);
  }

  std::string field() {
    std::size_t begin = at_;
    while (dialect_.trim_left && begin < line_.size() && is_blank(line_[begin]) &&
           !is_end(line_[begin]) && !separator_at(begin))
      ++begin;
    if (dialect_.quote != '\0' && begin < line_.size() && line_[begin] == dialect_.quote)
      return quoted(begin);
    const auto value = without_blanks(rest_of_field(at_), dialect_.trim_left, dialect_.trim_right);
    return value.empty() ? dialect_.null_value : std::string(value);
  }

  // What is raw from there to the field's end.
  std::string_view rest_of_field(std::size_t begin) {
    at_ = begin;
    while (at_ < line_.size() && !is_end(line_[at_]) && !separator_at(at_)) ++at_;
    return line_.substr(begin, at_ - begin);
  }

  std::string quoted(std::size_t begin) {
    std::string out;
    for (std::size_t i = begin + 1; i < line_.size(); ++i) {
      const char c = line_[i];
      const char next = i + 1 < line_.size() ? line_[i + 1] : '\0';
      if (c == dialect_.escape && i + 1 < line_.size() &&
          (next == dialect_.quote || (next == dialect_.escape && c != dialect_.quote))) {
        out += next;
        ++i;
        continue;
      }
      if (c != dialect_.quote) {
        out += c;
        continue;
      }
      // Of several quotes in a row the last one may close the field; the others are content.
      std::size_t last = i;
      while (dialect_.escape != dialect_.quote && last + 1 < line_.size() &&
             line_[last + 1] == dialect_.quote)
        ++last;
      std::size_t after = last + 1;
      while (after < line_.size() && is_blank(line_[after]) && !is_end(line_[after]) &&
             !separator_at(after))
        ++after;
      if (after < line_.size() && !is_end(line_[after]) && !separator_at(after)) {
        // No escape: what was read stays, separators too, and the rest goes on without quotes.
        out.insert(0, 1, dialect_.quote);
        out += line_.substr(i, last + 1 - i);
        out += rest_of_field(last + 1);
        return std::string(without_blanks(out, false, dialect_.trim_right));
      }
      at_ = after;
      out.append(last - i, dialect_.quote);
      return out.empty() ? dialect_.empty_value : out;
    }
    // Not closed: all that is left.
    at_ = line_.size();
    return out.empty() ? dialect_.empty_value : out;
  }

  std::string_view line_;
  const CsvDialect& dialect_;
  std::size_t at_ = 0;
};

}  // namespace

CsvDialect CsvDialect::of(const std::map<std::string, std::string>& options, bool writing) {
  CsvDialect out;
  const auto option = [&](const char* name) -> const std::string* {
    const auto found = options.find(name);
    return found == options.end() ? nullptr : &found->second;
  };
  const std::string* separator = option("sep") != nullptr ? option("sep") : option("delimiter");
  if (separator != nullptr) out.separator = *separator == "\\t" ? "\t" : *separator;
  if (const auto* given = option("quote")) out.quote = given->empty() ? '\0' : (*given)[0];
  if (const auto* given = option("escape")) out.escape = given->empty() ? '\0' : (*given)[0];
  const auto trim = [&](const char* name) {
    const auto* given = option(name);
    return given == nullptr ? writing : equals_ignore_case(*given, "true");
  };
  out.trim_left = trim("ignoreleadingwhitespace");
  out.trim_right = trim("ignoretrailingwhitespace");
  if (const auto* given = option("nullvalue")) out.null_value = *given;
  if (writing) out.empty_value = "\"\"";
  if (const auto* given = option("emptyvalue")) out.empty_value = *given;
  return out;
}

std::vector<std::string> csv_fields(std::string_view line, const CsvDialect& dialect) {
  return LineReader(line, dialect).fields();
}

std::string csv_field(std::string_view value, const CsvDialect& dialect) {
  value = without_blanks(value, dialect.trim_left, dialect.trim_right);
  if (value.empty()) return dialect.empty_value;
  const bool plain = value.find_first_of("\n\r") == std::string_view::npos &&
                     value.find(dialect.quote) == std::string_view::npos &&
                     value.find(dialect.separator) == std::string_view::npos;
  if (plain) return std::string(value);
  std::string out(1, dialect.quote);
  for (const char c : value) {
    if (c == dialect.quote || c == dialect.escape) out += dialect.escape;
    out += c;
  }
  return out + dialect.quote;
}

}  // namespace millstream
