// JSON inside expressions. A JSON value travels as its text; NULL is "not there", "of the wrong
// kind" or JSON's null.
#include <limits>

#include "base/text.h"
#include "engine/json_text.h"
#include "engine/kernels.h"
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

// $.a.b[0]['c']; * is refused. Nothing when the path is malformed or leads nowhere, as in Spark.
std::optional<std::string> get_object(Failure& fail, std::string_view text, std::string_view path) {
  auto value = json_document(text);
  if (!value || path.empty() || path[0] != '$') return std::nullopt;
  std::size_t at = 1;
  while (at < path.size()) {
    if (path[at] == '.' || (path[at] == '[' && at + 1 < path.size() && path[at + 1] == '\'')) {
      std::string_view name;
      if (path[at] == '.') {
        std::size_t end = ++at;
        while (end < path.size() && path[end] != '.' && path[end] != '[') ++end;
        name = path.substr(at, end - at);
        at = end;
      } else {
        const auto end = path.find("']", at + 2);
        if (end == std::string_view::npos) return std::nullopt;
        name = path.substr(at + 2, end - at - 2);
        at = end + 2;
      }
      if (name.empty()) return std::nullopt;
      if (name == "*")
        return fail(Status::unsupported("get_json_object with * in the path is not supported"));
      std::optional<std::string_view> next;
      for (const auto& [key, member] : json_members(*value)) {
        if (!next && key == name) next = member;
      }
      if (!next) return std::nullopt;
      value = next;
      continue;
    }
    if (path[at] != '[') return std::nullopt;
    const auto end = path.find(']', at);
    if (end == std::string_view::npos) return std::nullopt;
    const auto inside = path.substr(at + 1, end - at - 1);
    if (inside == "*")
      return fail(Status::unsupported("get_json_object with * in the path is not supported"));
    const auto index = parse_int64(inside);
    const auto items = json_elements(*value);
    if (!index || *index < 0 || static_cast<std::size_t>(*index) >= items.size())
      return std::nullopt;
    value = items[static_cast<std::size_t>(*index)];
    at = end + 1;
  }
  if (json_kind(*value) == 'n') return std::nullopt;
  return json_as_text(*value);
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
  TRY(add_kernel<quote>(c, "ms_json_quote"));
  TRY(add_kernel<double_json>(c, "ms_double_json"));
  return add_kernel<float_json>(c, "ms_float_json");
}

}  // namespace millstream::engine
