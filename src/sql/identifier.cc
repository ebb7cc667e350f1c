// The parts of a dotted name, by the rules of Spark's UnresolvedAttribute.parseAttributeName.
#include "sql/parser.h"

namespace millstream::sql {

Result<std::vector<std::string>> parse_identifier(std::string_view text) {
  const auto wrong = [&] {
    return Status::error("INVALID_ATTRIBUTE_NAME_SYNTAX", {{"name", std::string(text)}});
  };
  std::vector<std::string> parts;
  std::string part;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c != '`') {
        part += c;
      } else if (i + 1 < text.size() && text[i + 1] == '`') {
        part += c;
        ++i;
      } else {
        quoted = false;
        if (i + 1 < text.size() && text[i + 1] != '.') return wrong();
      }
    } else if (c == '`') {
      if (!part.empty()) return wrong();
      quoted = true;
    } else if (c == '.') {
      if (i == 0 || text[i - 1] == '.' || i + 1 == text.size()) return wrong();
      parts.push_back(std::move(part));
      part.clear();
    } else {
      part += c;
    }
  }
  if (quoted) return wrong();
  parts.push_back(std::move(part));
  return parts;
}

}  // namespace millstream::sql
