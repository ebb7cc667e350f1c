// XML documents as trees: elements, attributes and text. No DTDs, no entities of one's own, no
// files: those are malformed here. Comments and instructions are passed over. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace millstream {

struct XmlNode {
  std::string name;  // empty: text
  std::string text;
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<XmlNode> children;

  bool is_text() const { return name.empty(); }
  bool has_elements() const;
  std::string content() const;  // all text below
};

// The root element; nothing when the text is malformed.
std::optional<XmlNode> parse_xml(std::string_view text);

void append_xml_escaped(std::string_view text, bool attribute, std::string* out);

}  // namespace millstream
