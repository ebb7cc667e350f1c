#include "delta/type_changes.h"
#include "column/timestamp_meaning.h"

#include <nlohmann/json.hpp>

namespace millstream::delta {
namespace {

using column::DataType;
using column::Field;
using column::TypeKind;
using nlohmann::json;

constexpr const char* changes_key = "delta.typeChanges";

// Digits before the point that every value of an integer type fits into, as the protocol counts.
int integer_digits(TypeKind kind) { return kind == TypeKind::long_ ? 20 : 10; }

Status unsupported(const Field& field, const std::string& from, const std::string& to) {
  return Status::error("DELTA_UNSUPPORTED_TYPE_CHANGE_IN_SCHEMA",
                       {{"fieldName", field.name}, {"fromType", from}, {"toType", to}});
}

Status check_field(const Field& field) {
  if (field.metadata.find(changes_key) == std::string::npos) return Status::OK();
  const json notes = json::parse(field.metadata, nullptr, /*exceptions=*/false);
  const auto changes = notes.find(changes_key);
  if (changes == notes.end() || !changes->is_array()) return Status::OK();
  for (const auto& change : *changes) {
    const auto name = [&](const char* key) {
      return change.is_object() && change.contains(key) && change[key].is_string()
                 ? change[key].get<std::string>()
                 : "";
    };
    const std::string from_name = name("fromType");
    const std::string to_name = name("toType");
    const auto from = column::parse_noted_type(from_name);
    const auto to = column::parse_noted_type(to_name);
    if (!from.ok() || !to.ok() || !is_widening(**from, **to))
      return unsupported(field, from_name, to_name);
  }
  return Status::OK();
}

}  // namespace

bool is_widening(const DataType& from, const DataType& to) {
  if (from.is_integral() && to.is_integral()) return from.kind() <= to.kind();
  if (to.kind() == TypeKind::double_)
    return (from.is_integral() && from.kind() != TypeKind::long_) ||
           from.kind() == TypeKind::float_;
  if (to.kind() == TypeKind::timestamp_ntz) return from.kind() == TypeKind::date;
  if (to.kind() != TypeKind::decimal) return false;
  const int whole = to.precision() - to.scale();
  if (from.is_integral()) return whole >= integer_digits(from.kind());
  return from.kind() == TypeKind::decimal && to.scale() >= from.scale() &&
         whole >= from.precision() - from.scale();
}

namespace {

std::string noted_name(const column::TypePtr& type) {
  const std::string name = type->to_json();  // a quoted name: the type is not nested
  return name.substr(1, name.size() - 2);
}

// `after` with what changed in structs recorded there; what changed elsewhere goes to `changes`.
column::TypePtr note_changes(const column::TypePtr& before, const column::TypePtr& after,
                             const std::string& path, json& changes) {
  const auto below = [&](const char* part) { return path.empty() ? part : path + '.' + part; };
  if (before->kind() == after->kind() && after->is_nested()) {
    if (after->kind() == TypeKind::struct_)
      return column::struct_type(with_type_changes(before->fields(), after->fields()));
    if (after->kind() == TypeKind::array) {
      return column::array_type(
          note_changes(before->element(), after->element(), below("element"), changes),
          after->contains_null());
    }
    auto key = note_changes(before->key(), after->key(), below("key"), changes);
    auto value = note_changes(before->value(), after->value(), below("value"), changes);
    return column::map_type(std::move(key), std::move(value), after->value_contains_null());
  }
  if (*before == *after || !is_widening(*before, *after)) return after;
  json change = {{"toType", noted_name(after)}, {"fromType", noted_name(before)}};
  if (!path.empty()) change["fieldPath"] = path;
  changes.push_back(std::move(change));
  return after;
}

}  // namespace

column::Schema with_type_changes(const column::Schema& before, column::Schema after) {
  for (auto& field : after) {
    const int found = column::find_field_ignore_case(before, field.name);
    if (found < 0) continue;
    json changes = json::array();
    field.type =
        note_changes(before[static_cast<std::size_t>(found)].type, field.type, "", changes);
    if (changes.empty()) continue;
    json notes = json::parse(field.metadata, nullptr, /*exceptions=*/false);
    if (!notes.is_object()) notes = json::object();
    json& known = notes[changes_key];
    if (!known.is_array()) known = json::array();
    for (auto& change : changes) known.push_back(std::move(change));
    field.metadata = notes.dump(-1, ' ', false, json::error_handler_t::replace);
  }
  return after;
}

Status check_type_changes(const column::Schema& schema) {
  for (const auto& field : schema) {
    TRY(check_field(field));
    if (field.type->is_nested()) TRY(check_type_changes(field.type->fields()));
  }
  return Status::OK();
}

}  // namespace millstream::delta
