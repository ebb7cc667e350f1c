// JSON inside expressions. A JSON value travels as its text; NULL is "not there", "of the wrong
// kind" or JSON's null.
#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "base/json_text.h"
#include "base/text.h"
#include "engine/kernels.h"
#include "engine/raise.h"
#include "engine/text.h"

namespace millstream::engine {
namespace {

// The document when it is an object ('{') or an array ('['); other documents are malformed for the
// caller.
std::optional<std::string> document(Failure&, std::string_view text, std::string_view kind) {
  const auto value = json_document(text);
  if (!value || json_kind(*value) != kind[0]) return std::nullopt;
  return std::string(*value);
}

std::optional<std::string> field(Failure&, std::string_view object, std::string_view name) {
  std::optional<std::string> out;
  for (const auto& [key, value] : json_members(object)) {
    if (key == name) out = std::string(value);
  }
  if (out && json_kind(*out) == 'n') return std::nullopt;
  return out;
}

std::optional<std::string> of_kind(Failure&, std::string_view value, std::string_view kind) {
  if (json_kind(value) != kind[0]) return std::nullopt;
  return std::string(value);
}

std::optional<Strings> elements(Failure&, std::string_view value) {
  if (json_kind(value) != '[') return std::nullopt;
  Strings out;
  for (const auto item : json_elements(value)) {
    if (json_kind(item) == 'n') {
      out.items.emplace_back();
    } else {
      out.items.emplace_back(std::string(item));
    }
  }
  return out;
}

// Names and values of an object, each name once: the last one counts.
Strings entries(std::string_view value, bool names) {
  Strings out;
  const auto members = json_members(value);
  for (std::size_t i = 0; i < members.size(); ++i) {
    bool again = false;
    for (std::size_t later = i + 1; later < members.size(); ++later)
      again = again || members[later].first == members[i].first;
    if (again) continue;
    if (names) {
      out.items.emplace_back(members[i].first);
    } else if (json_kind(members[i].second) == 'n') {
      out.items.emplace_back();
    } else {
      out.items.emplace_back(std::string(members[i].second));
    }
  }
  return out;
}
std::optional<Strings> names_of(Failure&, std::string_view value) { return entries(value, true); }
std::optional<Strings> values_of(Failure&, std::string_view value) { return entries(value, false); }

std::optional<std::string> as_text(Failure&, std::string_view value) { return json_as_text(value); }

std::optional<std::int64_t> as_long(Failure&, std::string_view value, std::int64_t low,
                                    std::int64_t high) {
  if (json_kind(value) != '0') return std::nullopt;
  const auto number = parse_int64(value);
  if (!number || *number < low || *number > high) return std::nullopt;
  return number;
}

std::optional<double> as_double(Failure&, std::string_view value) {
  const char kind = json_kind(value);
  if (kind == '"') {
    const std::string text = json_unescape(value);
    for (const std::string_view special :
         {"NaN", "Infinity", "+Infinity", "-Infinity", "INF", "+INF", "-INF"}) {
      if (text == special) return parse_double(text);
    }
    return std::nullopt;
  }
  if (kind != '0' && value != "NaN") return std::nullopt;
  return parse_double(value);
}

std::optional<bool> as_boolean(Failure&, std::string_view value) {
  if (value == "true") return true;
  if (value == "false") return false;
  return std::nullopt;
}

std::optional<std::string> number_text(Failure&, std::string_view value) {
  const char kind = json_kind(value);
  if (kind == '0') return std::string(value);
  if (kind == '"') return json_unescape(value);
  return std::nullopt;
}

std::optional<std::string> string_only(Failure&, std::string_view value) {
  if (json_kind(value) != '"') return std::nullopt;
  return json_unescape(value);
}

// One step of a path: a member's name, an element's place, or every element.
struct PathStep {
  enum class Kind : std::uint8_t { name, index, every_element };
  Kind kind;
  std::string_view name = {};
  std::size_t index = 0;
};

// $.a.b[0]['c'][*]; nothing when it is malformed.
std::optional<std::vector<PathStep>> parse_path(std::string_view path) {
  if (path.empty() || path[0] != '$') return std::nullopt;
  std::vector<PathStep> steps;
  for (std::size_t at = 1; at < path.size();) {
    if (path[at] == '.') {
      const std::size_t end = std::min(path.find_first_of(".[", at + 1), path.size());
      const auto name = path.substr(at + 1, end - at - 1);
      if (name.empty() || name == "*") return std::nullopt;
      steps.push_back({PathStep::Kind::name, name});
      at = end;
      continue;
    }
    if (path[at] != '[') return std::nullopt;
    const bool quoted = path.substr(at).starts_with("['");
    const auto end = path.find(quoted ? "']" : "]", at + (quoted ? 2 : 1));
    if (end == std::string_view::npos) return std::nullopt;
    const auto inside = path.substr(at + (quoted ? 2 : 1), end - at - (quoted ? 2 : 1));
    at = end + (quoted ? 2 : 1);
    if (quoted) {
      if (inside.empty()) return std::nullopt;
      steps.push_back({PathStep::Kind::name, inside});
    } else if (inside == "*") {
      steps.push_back({PathStep::Kind::every_element});
    } else {
      const auto index = parse_int64(inside);
      if (!index || *index < 0) return std::nullopt;
      steps.push_back({PathStep::Kind::index, {}, static_cast<std::size_t>(*index)});
    }
  }
  return steps;
}

using Steps = std::span<const PathStep>;

std::optional<std::string> follow(std::string_view value, Steps steps);

// What the steps find in each element; two stars in a row look into the elements' own elements.
void follow_each(std::string_view array, Steps steps, std::vector<std::string>* found) {
  const bool flat = !steps.empty() && steps[0].kind == PathStep::Kind::every_element;
  for (const auto item : json_elements(array)) {
    if (flat && json_kind(item) == '[') {
      follow_each(item, steps.subspan(1), found);
    } else if (auto one = flat ? std::nullopt : follow(item, steps)) {
      found->push_back(std::move(*one));
    }
  }
}

// The JSON text at the end of the steps. Several finds are an array, one is itself.
std::optional<std::string> follow(std::string_view value, Steps steps) {
  if (steps.empty()) return json_compact(value);
  const char kind = json_kind(value);
  const Steps rest = steps.subspan(1);
  if (steps[0].kind == PathStep::Kind::name) {
    if (kind != '{') return std::nullopt;
    for (const auto& [name, member] : json_members(value)) {
      if (name == steps[0].name)
        return json_kind(member) == 'n' ? std::nullopt : follow(member, rest);
    }
    return std::nullopt;
  }
  if (kind != '[') return std::nullopt;
  if (steps[0].kind == PathStep::Kind::index) {
    const auto items = json_elements(value);
    if (steps[0].index >= items.size()) return std::nullopt;
    return follow(items[steps[0].index], rest);
  }
  std::vector<std::string> found;
  follow_each(value, rest, &found);
  if (found.empty()) return std::nullopt;
  return found.size() == 1 ? found[0] : "[" + join(found, ",") + "]";
}

std::optional<std::string> get_object(Failure&, std::string_view text, std::string_view path) {
  const auto value = json_document(text);
  const auto steps = parse_path(path);
  if (!value || !steps) return std::nullopt;
  const auto found = follow(*value, *steps);
  if (!found) return std::nullopt;
  const bool several = std::any_of(steps->begin(), steps->end(), [](const PathStep& step) {
    return step.kind == PathStep::Kind::every_element;
  });
  return several || *found == "null" ? *found : json_as_text(*found);
}

// The end of a query in FAILFAST mode; `fields` are what could be read.
std::optional<bool> bad_record(Failure& fail, std::string_view fields) {
  const Status status =
      Status::error("MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION",
                    {{"badRecord", std::string(fields)}, {"failFastMode", "FAILFAST"}});
  return fail(with_kind(status, ErrorKind::spark));
}

std::optional<std::int32_t> array_length(Failure&, std::string_view text) {
  const auto value = json_document(text);
  if (!value || json_kind(*value) != '[') return std::nullopt;
  const auto elements = json_elements(*value);
  const auto no_number = [](std::string_view element) {
    return element == "NaN" || element.ends_with("Infinity") || element.ends_with("INF");
  };
  if (std::any_of(elements.begin(), elements.end(), no_number)) return std::nullopt;
  return static_cast<std::int32_t>(elements.size());
}

std::optional<Strings> object_keys(Failure&, std::string_view text) {
  const auto value = json_document(text);
  if (!value || json_kind(*value) != '{') return std::nullopt;
  Strings out;
  for (const auto& [name, member] : json_members(*value)) out.items.emplace_back(name);
  return out;
}

std::optional<std::string> quote(Failure&, std::string_view text) { return json_quote(text); }

std::optional<std::string> double_json(Failure&, double value) {
  const std::string text = double_text(value);
  return text.find_first_of("IN") == std::string::npos ? text : "\"" + text + "\"";
}
std::optional<std::string> float_json(Failure&, float value) {
  const std::string text = float_text(value);
  return text.find_first_of("IN") == std::string::npos ? text : "\"" + text + "\"";
}

}  // namespace

Status register_json_kernels(duckdb_connection c) {
  TRY(add_kernel<document>(c, "ms_json_document"));
  TRY(add_kernel<field>(c, "ms_json_field"));
  TRY(add_kernel<of_kind>(c, "ms_json_of_kind"));
  TRY(add_kernel<elements>(c, "ms_json_elements"));
  TRY(add_kernel<names_of>(c, "ms_json_names"));
  TRY(add_kernel<values_of>(c, "ms_json_values"));
  TRY(add_kernel<as_text>(c, "ms_json_text"));
  TRY(add_kernel<as_long>(c, "ms_json_long"));
  TRY(add_kernel<as_double>(c, "ms_json_double"));
  TRY(add_kernel<as_boolean>(c, "ms_json_boolean"));
  TRY(add_kernel<number_text>(c, "ms_json_number"));
  TRY(add_kernel<string_only>(c, "ms_json_string"));
  TRY(add_kernel<get_object>(c, "ms_get_json_object"));
  TRY(add_kernel<bad_record>(c, "ms_bad_record", KernelKind::volatile_));
  TRY(add_kernel<array_length>(c, "ms_json_array_length"));
  TRY(add_kernel<object_keys>(c, "ms_json_object_keys"));
  TRY(add_kernel<quote>(c, "ms_json_quote"));
  TRY(add_kernel<double_json>(c, "ms_double_json"));
  return add_kernel<float_json>(c, "ms_float_json");
}

}  // namespace millstream::engine
