#include "delta/changes.h"

namespace millstream::delta {
namespace {

bool types_fit(const column::TypePtr& written, const column::TypePtr& wanted) {
  if (written->kind() == wanted->kind() && written->kind() == column::TypeKind::struct_) {
    return is_read_compatible(written->fields(), wanted->fields());
  }
  if (written->kind() == wanted->kind() && written->is_nested()) {
    for (std::size_t i = 0; i < written->fields().size(); ++i) {
      const auto& inner = written->fields()[i];
      if (inner.nullable && !wanted->fields()[i].nullable) return false;
      if (!types_fit(inner.type, wanted->fields()[i].type)) return false;
    }
    return true;
  }
  return *written == *wanted;
}

bool keeps_fields(const column::Schema& older, const column::Schema& older_physical,
                  const column::Schema& newer, const column::Schema& newer_physical) {
  for (std::size_t i = 0; i < older.size(); ++i) {
    const int index = column::find_field(newer_physical, older_physical[i].name);
    if (index < 0) return false;
    const auto at = static_cast<std::size_t>(index);
    if (newer[at].name != older[i].name) return false;
    if (!older[i].type->is_nested() || newer[at].type->kind() != older[i].type->kind()) continue;
    if (!keeps_fields(older[i].type->fields(), older_physical[i].type->fields(),
                      newer[at].type->fields(), newer_physical[at].type->fields()))
      return false;
  }
  return true;
}

}  // namespace

bool keeps_columns(const TableInfo& older, const TableInfo& newer) {
  if (newer.mapping == MappingMode::none) return true;
  return keeps_fields(older.schema, older.physical, newer.schema, newer.physical);
}

Result<CommitChanges> changes_of(const std::vector<Action>& actions) {
  CommitChanges changes;
  for (const auto& action : actions) {
    if (const auto* add = std::get_if<AddFilePtr>(&action)) {
      if ((*add)->data_change) changes.adds.push_back(*add);
    } else if (const auto* remove = std::get_if<RemoveFilePtr>(&action)) {
      if ((*remove)->data_change && !changes.removes_data) {
        changes.removes_data = true;
        changes.removed_file = (*remove)->path;
      }
    } else if (const auto* metadata = std::get_if<Metadata>(&action)) {
      TRY_ASSIGN(changes.info, make_table_info(*metadata));
    } else if (const auto* protocol = std::get_if<Protocol>(&action)) {
      changes.protocol = *protocol;
    } else if (const auto* info = std::get_if<CommitInfo>(&action)) {
      changes.operation = info->operation;
    }
  }
  return changes;
}

bool is_read_compatible(const column::Schema& written, const column::Schema& wanted) {
  for (const auto& field : written) {
    const int index = column::find_field_ignore_case(wanted, field.name);
    if (index < 0) return false;
    const auto& reader = wanted[static_cast<std::size_t>(index)];
    if (field.nullable && !reader.nullable) return false;
    if (!types_fit(field.type, reader.type)) return false;
  }
  return true;
}

}  // namespace millstream::delta
