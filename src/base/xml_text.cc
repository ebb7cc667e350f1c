#include "base/xml_text.h"

#include <algorithm>
#include <cstdint>

namespace millstream {
namespace {

constexpr int depth_max = 500;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == ':' || c == '-' || c == '.' || static_cast<unsigned char>(c) >= 0x80;
}

void append_point(std::uint32_t point, std::string* out) {
  if (point < 0x80) {
    *out += static_cast<char>(point);
    return;
  }
  const int more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  const std::uint32_t lead = more == 1 ? 0xC0 : more == 2 ? 0xE0 : 0xF0;
  *out += static_cast<char>(lead | (point >> (6 * more)));
  for (int i = more - 1; i >= 0; --i) *out += static_cast<char>(0x80 | ((point >> (6 * i)) & 0x3F));
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::optional<XmlNode> document() {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
    XmlNode root;
    if (!skip_misc() || !element(&root, 0) || !skip_misc() || at_ != text_.size())
      return std::nullopt;
    return root;
  }

 private:
  bool starts(std::string_view part) const { return text_.substr(at_).starts_with(part); }

  bool skip_past(std::string_view end) {
    const auto found = text_.find(end, at_);
    if (found == std::string_view::npos) return false;
    at_ = found + end.size();
    return true;
  }

  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }

  // Blanks, comments and instructions between elements.
  bool skip_misc() {
    while (true) {
      skip_blanks();
      if (starts("<?")) {
        if (!skip_past("?>")) return false;
      } else if (starts("<!--")) {
        if (!skip_past("-->")) return false;
      } else {
        return true;
      }
    }
  }

  bool name(std::string* out) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    *out = std::string(text_.substr(begin, at_ - begin));
    return !out->empty() && ((*out)[0] < '0' || (*out)[0] > '9') && (*out)[0] != '-' &&
           (*out)[0] != '.';
  }

  // What stands for a character: &lt; &#65; &#x41;
  bool reference(std::string* out) {
    const auto end = text_.find(';', at_);
    if (end == std::string_view::npos || end - at_ > 12) return false;
    std::string_view body = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    static constexpr std::pair<std::string_view, char> known[] = {
        {"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}};
    for (const auto& [word, c] : known) {
      if (body != word) continue;
      *out += c;
      return true;
    }
    if (!body.starts_with('#')) return false;
    body.remove_prefix(1);
    const bool hex = body.starts_with('x');
    if (hex) body.remove_prefix(1);
    std::uint32_t point = 0;
    for (const char c : body) {
      const int digit = c >= '0' && c <= '9'                            ? c - '0'
                        : hex && (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10
                                                                        : -1;
      if (digit < 0 || point > 0x10FFFF) return false;
      point = point * (hex ? 16U : 10U) + static_cast<std::uint32_t>(digit);
    }
    if (body.empty() || point == 0 || point > 0x10FFFF || (point >= 0xD800 && point < 0xE000))
      return false;
    append_point(point, out);
    return true;
  }

  bool attribute(XmlNode* node) {
    std::pair<std::string, std::string> out;
    if (!name(&out.first)) return false;
    skip_blanks();
    if (at_ >= text_.size() || text_[at_++] != '=') return false;
    skip_blanks();
    if (at_ >= text_.size() || (text_[at_] != '"' && text_[at_] != '\'')) return false;
    const char quote = text_[at_++];
    while (at_ < text_.size() && text_[at_] != quote) {
      if (text_[at_] == '<') return false;
      if (text_[at_] == '&') {
        if (!reference(&out.second)) return false;
      } else {
        out.second += is_blank(text_[at_]) ? ' ' : text_[at_];
        ++at_;
      }
    }
    if (at_++ >= text_.size()) return false;
    for (const auto& other : node->attributes) {
      if (other.first == out.first) return false;
    }
    node->attributes.push_back(std::move(out));
    return true;
  }

  bool element(XmlNode* out, int depth) {
    if (depth > depth_max || at_ >= text_.size() || text_[at_] != '<') return false;
    ++at_;
    if (!name(&out->name)) return false;
    while (true) {
      const std::size_t before = at_;
      skip_blanks();
      if (starts("/>")) {
        at_ += 2;
        return true;
      }
      if (starts(">")) break;
      if (at_ == before || !attribute(out)) return false;
    }
    ++at_;
    return content(out, depth);
  }

  std::string& last_text(XmlNode* out) {
    if (out->children.empty() || !out->children.back().is_text()) out->children.emplace_back();
    return out->children.back().text;
  }

  bool content(XmlNode* out, int depth) {
    while (at_ < text_.size()) {
      if (starts("</")) {
        at_ += 2;
        std::string closed;
        if (!name(&closed) || closed != out->name) return false;
        skip_blanks();
        return at_ < text_.size() && text_[at_++] == '>';
      }
      if (starts("<!--")) {
        if (!skip_past("-->")) return false;
      } else if (starts("<?")) {
        if (!skip_past("?>")) return false;
      } else if (starts("<![CDATA[")) {
        at_ += 9;
        const std::size_t begin = at_;
        if (!skip_past("]]>")) return false;
        last_text(out) += text_.substr(begin, at_ - begin - 3);
      } else if (text_[at_] == '<') {
        XmlNode child;
        if (!element(&child, depth + 1)) return false;
        out->children.push_back(std::move(child));
      } else if (text_[at_] == '&') {
        if (!reference(&last_text(out))) return false;
      } else {
        const auto end = std::min(text_.find_first_of("<&", at_), text_.size());
        last_text(out) += text_.substr(at_, end - at_);
        at_ = end;
      }
    }
    return false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

void append_content(const XmlNode& node, std::string* out) {
  *out += node.text;
  for (const auto& child : node.children) append_content(child, out);
}

}  // namespace

bool XmlNode::has_elements() const {
  return std::any_of(children.begin(), children.end(),
                     [](const XmlNode& child) { return !child.is_text(); });
}

std::string XmlNode::content() const {
  std::string out;
  append_content(*this, &out);
  return out;
}

std::optional<XmlNode> parse_xml(std::string_view text) { return Parser(text).document(); }

void append_xml_escaped(std::string_view text, bool attribute, std::string* out) {
  for (const char c : text) {
    if (c == '&') {
      *out += "&amp;";
    } else if (c == '<') {
      *out += "&lt;";
    } else if (c == '"' && attribute) {
      *out += "&quot;";
    } else {
      *out += c;
    }
  }
}

}  // namespace millstream
