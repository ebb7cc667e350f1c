#include "sql/substitution.h"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

namespace millstream::sql {
namespace {

thread_local const FindSetting* current = nullptr;

// More than this is a setting that holds itself twice over, which would never end.
constexpr std::size_t text_size_max = std::size_t{1} << 28;

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// ${name}, ${prefix:name}.
struct Reference {
  std::string_view prefix;
  std::string_view name;
  std::string_view whole;
};

// The reference that begins at text[at], which is `${`: up to the next brace, without a blank.
std::optional<Reference> reference_at(std::string_view text, std::size_t at) {
  std::size_t end = at + 2;
  while (end < text.size() && !is_space(text[end]) && (text[end] != '}' || end == at + 2)) ++end;
  if (end >= text.size() || text[end] != '}') return std::nullopt;
  const std::string_view inner = text.substr(at + 2, end - at - 2);
  const Reference plain{{}, inner, text.substr(at, end + 1 - at)};
  const auto colon = std::find_if_not(inner.begin(), inner.end(), is_word);
  if (colon == inner.begin() || colon == inner.end() || *colon != ':' || colon + 1 == inner.end())
    return plain;
  const auto width = static_cast<std::size_t>(colon - inner.begin());
  return Reference{inner.substr(0, width), inner.substr(width + 1), plain.whole};
}

class Replacing {
 public:
  explicit Replacing(const FindSetting& find) : find_(find) {}

  Result<std::string> run(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t next = std::min(text.find("${", at), text.size());
      out += text.substr(at, next - at);
      if (next == text.size()) break;
      const auto reference = reference_at(text, next);
      if (!reference) {
        out += "${";
        at = next + 2;
        continue;
      }
      TRY_ASSIGN(const std::string value, value_of(*reference, text));
      out += value;
      at = next + reference->whole.size();
      if (out.size() > text_size_max)
        return Status::invalid("the values of {} and others make the SQL text too long",
                               reference->whole);
    }
    return out;
  }

 private:
  Result<std::string> value_of(const Reference& reference, std::string_view text) {
    const auto value = found(reference);
    if (!value) return std::string(reference.whole);
    if (std::find(open_.begin(), open_.end(), reference.whole) != open_.end())
      return Status::invalid("requirement failed: Circular reference in {}: {}", text,
                             reference.whole.substr(2, reference.whole.size() - 3));
    open_.emplace_back(reference.whole);
    auto out = run(*value);
    open_.pop_back();
    return out;
  }

  // Nothing: it is left as it is.
  std::optional<std::string> found(const Reference& reference) const {
    const std::string_view prefix = reference.prefix;
    const std::string name(reference.name);
    if (prefix == "env") {
      const char* value = std::getenv(name.c_str());
      return value == nullptr ? std::nullopt : std::optional<std::string>(value);
    }
    const bool setting = prefix.empty() || prefix == "spark" || prefix == "sparkconf" ||
                         prefix == "hivevar" || prefix == "hiveconf";
    return setting ? std::optional<std::string>(find_(name)) : std::nullopt;
  }

  const FindSetting& find_;
  std::vector<std::string> open_;
};

}  // namespace

Substitution::Substitution(FindSetting find)
    : find_(std::move(find)), outer_(std::exchange(current, &find_)) {}

Substitution::~Substitution() { current = outer_; }

Result<std::optional<std::string>> substituted(std::string_view text) {
  if (current == nullptr || !*current || text.find("${") == std::string_view::npos)
    return std::optional<std::string>();
  TRY_ASSIGN(std::string replaced, Replacing(*current).run(text));
  return std::optional<std::string>(std::move(replaced));
}

}  // namespace millstream::sql
