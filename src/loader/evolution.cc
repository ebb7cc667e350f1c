#include "loader/evolution.h"

#include <algorithm>

#include "base/text.h"

namespace millstream::loader {
namespace {

using column::Schema;
using column::TypeKind;
using column::TypePtr;

TypePtr string_leaves(const TypePtr& type) {
  switch (type->kind()) {
    case TypeKind::struct_: {
      Schema members;
      for (const auto& member : type->fields())
        members.push_back({member.name, string_leaves(member.type), true, {}});
      return column::struct_type(std::move(members));
    }
    case TypeKind::array:
      return column::array_type(string_leaves(type->element()));
    case TypeKind::map:
      return column::map_type(type->key(), string_leaves(type->value()));
    default:
      return column::string_type();
  }
}

TypePtr merged(const TypePtr& tracked, const TypePtr& inferred, bool strings) {
  if (tracked->kind() != inferred->kind()) return tracked;
  if (tracked->kind() == TypeKind::struct_) {
    return column::struct_type(with_new_fields(tracked->fields(), inferred->fields(), strings, {}));
  }
  if (tracked->kind() == TypeKind::array) {
    return column::array_type(merged(tracked->element(), inferred->element(), strings),
                              tracked->contains_null());
  }
  return tracked;
}

}  // namespace

Schema as_strings(const Schema& inferred, const std::vector<Hint>& hints) {
  Schema schema;
  for (const auto& field : inferred) {
    const bool hinted_inside = std::any_of(hints.begin(), hints.end(), [&](const Hint& hint) {
      return hint.path.size() > 1 && equals_ignore_case(hint.path[0], field.name);
    });
    schema.push_back(
        {field.name, hinted_inside ? string_leaves(field.type) : column::string_type(), true, {}});
  }
  return schema;
}

Schema with_new_fields(const Schema& tracked, const Schema& inferred, bool strings,
                       const std::set<std::string>& ignored) {
  Schema schema = tracked;
  for (const auto& field : inferred) {
    if (ignored.contains(to_lower(field.name))) continue;
    int index = column::find_field(schema, field.name);
    if (index < 0) index = column::find_field_ignore_case(schema, field.name);
    if (index < 0) {
      schema.push_back({field.name,
                        strings ? column::string_type() : column::as_nullable(field.type),
                        true,
                        {}});
      continue;
    }
    auto& known = schema[static_cast<std::size_t>(index)];
    // Below a column of other spelling nothing is read, so nothing can be new there.
    if (known.name == field.name) known.type = merged(known.type, field.type, strings);
  }
  return schema;
}

}  // namespace millstream::loader
