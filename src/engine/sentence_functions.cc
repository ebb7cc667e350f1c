// sentences(text): words by sentence, as Java's BreakIterator finds them in texts of European
// scripts; others are refused.
#include <string>
#include <vector>

#include "engine/utf8.h"
#include "engine/value_kernel.h"

namespace millstream::engine {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_letter(char c) {
  return is_lower(c) || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_one_of(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

// Where the sentence that begins at `at` ends: behind its marks, closing quotes and blanks. After a
// full stop a small letter goes on with it.
std::size_t sentence_end(std::string_view text, std::size_t at) {
  for (; at < text.size(); ++at) {
    if (!is_one_of(text[at], ".?!")) continue;
    bool stop_only = true;
    while (at < text.size() && is_one_of(text[at], ".?!"))
      stop_only = text[at++] == '.' && stop_only;
    while (at < text.size() && is_one_of(text[at], "\"')]}")) ++at;
    const std::size_t blanks = at;
    while (at < text.size() && is_blank(text[at])) ++at;
    if (at == text.size()) return at;
    if (at > blanks ? !(stop_only && is_lower(text[at])) : !stop_only) return at;
    --at;
  }
  return text.size();
}

// The end of the word, number or mark that begins at `at`.
std::size_t word_end(std::string_view text, std::size_t at) {
  const std::size_t begin = at;
  if (text[at] == '_') return at + 1;
  if (at + 1 < text.size() && is_one_of(text[at], "$#.") && is_digit(text[at + 1])) ++at;
  while (at < text.size()) {
    const char c = text[at];
    if (is_letter(c) || is_digit(c)) {
      ++at;
      continue;
    }
    const bool inside = at > begin && at + 1 < text.size();
    const bool letters = inside && is_letter(text[at - 1]) && is_letter(text[at + 1]);
    const bool digits = inside && is_digit(text[at - 1]) && is_digit(text[at + 1]);
    if ((letters && is_one_of(c, "-'\".")) || (digits && is_one_of(c, "'\",."))) {
      ++at;
      continue;
    }
    if (c == '%' && at > begin && is_digit(text[at - 1])) ++at;
    break;
  }
  return at == begin ? at + 1 : at;
}

Result<Value> sentences(const ValueKernel&, const Values& a) {
  const std::string_view text = a[0].text;
  bool european = true;
  for_each_character(text, [&](std::int32_t point, std::string_view) {
    european = european && point >= 0 && point < 0x0590;
  });
  if (!european)
    return Status::unsupported("sentences of texts in scripts other than European ones");
  Value out = list_value({});
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = sentence_end(text, at);
    const std::string_view sentence = text.substr(at, end - at);
    Value words = list_value({});
    for (std::size_t place = 0; place < sentence.size();) {
      const std::size_t after = word_end(sentence, place);
      const char first = sentence[place];
      if (first != '_' && (is_letter(first) || is_digit(first)))
        words.items.push_back(text_value(std::string(sentence.substr(place, after - place))));
      place = after;
    }
    out.items.push_back(std::move(words));
    at = end;
  }
  return out;
}

constexpr ValueFunction functions[] = {{"sentences", sentences}};

}  // namespace

std::span<const ValueFunction> sentence_functions() { return functions; }

}  // namespace millstream::engine
