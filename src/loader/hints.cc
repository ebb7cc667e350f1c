#include "loader/hints.h"

#include <algorithm>

#include "base/text.h"

namespace millstream::loader {
namespace {

using column::Schema;
using column::TypeKind;
using column::TypePtr;

// The hints of "a INT, b MAP<STRING,STRING>": a comma inside <…>, (…) or `…` does not split.
std::vector<std::string> split_hints(std::string_view text) {
  std::vector<std::string> hints(1);
  int depth = 0;
  bool quoted = false;
  for (const char c : text) {
    if (c == '`') quoted = !quoted;
    if (!quoted && (c == '<' || c == '(')) ++depth;
    if (!quoted && (c == '>' || c == ')')) --depth;
    if (c == ',' && depth == 0 && !quoted) {
      hints.emplace_back();
    } else {
      hints.back() += c;
    }
  }
  return hints;
}

Status bad_hint(std::string_view hint, std::string_view why) {
  return Status::invalid("cloudFiles.schemaHints: '{}' {}", trim(hint), why);
}

Result<Hint> parse_hint(std::string_view text) {
  Hint hint;
  std::string_view rest = trim(text);
  for (;;) {
    std::string name;
    if (rest.starts_with('`')) {
      rest.remove_prefix(1);
      for (;;) {
        const auto close = rest.find('`');
        if (close == std::string_view::npos) return bad_hint(text, "has a ` without its second");
        name += rest.substr(0, close);
        rest.remove_prefix(close + 1);
        if (!rest.starts_with('`')) break;
        name += '`';
        rest.remove_prefix(1);
      }
    } else {
      const auto end = rest.find_first_of(". \t\r\n:");
      name = rest.substr(0, end);
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end);
    }
    if (name.empty()) return bad_hint(text, "is not of the form 'column TYPE'");
    hint.path.push_back(std::move(name));
    if (!rest.starts_with('.')) break;
    rest.remove_prefix(1);
  }
  rest = trim(rest);
  if (rest.starts_with(':')) rest = trim(rest.substr(1));
  if (rest.empty()) return bad_hint(text, "names no type");
  auto type = column::parse_type(rest);
  if (!type.ok()) return bad_hint(text, "has an unreadable type: " + type.status().message());
  hint.type = column::as_nullable(type.value());
  return hint;
}

using Path = std::vector<std::string>;

Result<Schema> apply_to_fields(Schema fields, const Path& path, std::size_t at,
                               const TypePtr& type);

// `current` with the type at the rest of the path replaced. Null: nothing is there yet.
Result<TypePtr> apply_to_type(const TypePtr& current, const Path& path, std::size_t at,
                              const TypePtr& type) {
  if (at == path.size()) return type;
  const std::string& step = path[at];
  const TypeKind kind = current ? current->kind() : TypeKind::null;
  if (kind == TypeKind::array) {
    if (!equals_ignore_case(step, "element")) {
      return Status::invalid(
          "cloudFiles.schemaHints: {} is an array; its members are reached by '.element'",
          join(Path(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(at)), "."));
    }
    TRY_ASSIGN(TypePtr element, apply_to_type(current->element(), path, at + 1, type));
    return column::array_type(std::move(element));
  }
  if (kind == TypeKind::map) {
    const bool key = equals_ignore_case(step, "key");
    if (!key && !equals_ignore_case(step, "value")) {
      return Status::invalid(
          "cloudFiles.schemaHints: {} is a map; its members are reached by '.key' and '.value'",
          join(Path(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(at)), "."));
    }
    TRY_ASSIGN(TypePtr changed,
               apply_to_type(key ? current->key() : current->value(), path, at + 1, type));
    return key ? column::map_type(std::move(changed), current->value())
               : column::map_type(current->key(), std::move(changed));
  }
  // A hint below something that is not nested makes it a struct of what the hint names.
  Schema members = kind == TypeKind::struct_ ? current->fields() : Schema{};
  TRY_ASSIGN(Schema changed, apply_to_fields(std::move(members), path, at, type));
  return column::struct_type(std::move(changed));
}

Result<Schema> apply_to_fields(Schema fields, const Path& path, std::size_t at,
                               const TypePtr& type) {
  int index = column::find_field(fields, path[at]);
  if (index < 0) index = column::find_field_ignore_case(fields, path[at]);
  if (index < 0) {
    index = static_cast<int>(fields.size());
    fields.push_back({path[at], nullptr, true, {}});
  }
  auto& field = fields[static_cast<std::size_t>(index)];
  field.name = path[at];
  TRY_ASSIGN(field.type, apply_to_type(field.type, path, at + 1, type));
  return fields;
}

bool begins_with(const Path& path, const Path& prefix) {
  return path.size() >= prefix.size() &&
         std::equal(prefix.begin(), prefix.end(), path.begin(),
                    [](const auto& a, const auto& b) { return equals_ignore_case(a, b); });
}

// Two hints for one column, or one for a member of what another says is a plain value: whichever
// won, the user would not see it.
Status check_contradiction(const Hint& earlier, const Hint& later) {
  const bool longer = later.path.size() > earlier.path.size();
  const Hint& outer = longer ? earlier : later;
  const Hint& inner = longer ? later : earlier;
  if (!begins_with(inner.path, outer.path)) return Status::OK();
  if (inner.path.size() == outer.path.size()) {
    return Status::error("COLUMN_ALREADY_EXISTS",
                         {{"columnName", fmt::format("`{}`", to_lower(join(inner.path, "`.`")))}});
  }
  if (outer.type->is_nested()) return Status::OK();
  return Status::invalid("cloudFiles.schemaHints: {} cannot be {} and have the member {} too",
                         join(outer.path, "."), outer.type->sql(), join(inner.path, "."));
}

}  // namespace

Result<std::vector<Hint>> parse_hints(std::string_view text) {
  std::vector<Hint> hints;
  if (trim(text).empty()) return hints;
  for (const auto& one : split_hints(text)) {
    TRY_ASSIGN(Hint hint, parse_hint(one));
    for (const auto& earlier : hints) TRY(check_contradiction(earlier, hint));
    hints.push_back(std::move(hint));
  }
  return hints;
}

Result<Schema> apply_hint(const Schema& schema, const Hint& hint) {
  return apply_to_fields(schema, hint.path, 0, hint.type);
}

}  // namespace millstream::loader
