#include "functions/store.h"

namespace millstream::functions {

using column::TypeKind;
using column::TypePtr;

namespace {

bool is_datetime(TypeKind kind) {
  return kind == TypeKind::date || kind == TypeKind::timestamp || kind == TypeKind::timestamp_ntz;
}

}  // namespace

bool is_atomic(const TypePtr& type) {
  return !type->is_nested() && type->kind() != TypeKind::null && type->kind() != TypeKind::variant;
}

bool members_go(const TypePtr& from, const TypePtr& to,
                bool (*goes)(const TypePtr&, const TypePtr&)) {
  if (from->kind() != to->kind() || from->fields().size() != to->fields().size()) return false;
  for (std::size_t i = 0; i < from->fields().size(); ++i) {
    const auto& given = from->fields()[i];
    const auto& wanted = to->fields()[i];
    if (given.nullable && !wanted.nullable) return false;
    if (!goes(given.type, wanted.type)) return false;
  }
  return true;
}

bool ansi_stores(const TypePtr& from, const TypePtr& to) {
  if (column::same_type_ignoring_nullability(from, to) || from->kind() == TypeKind::null) {
    return true;
  }
  if (from->is_numeric() && to->is_numeric()) return true;
  if (is_atomic(from) && to->is_string()) return true;
  if (is_datetime(from->kind()) && is_datetime(to->kind())) return true;
  if (from->kind() == to->kind() && !from->is_nested()) return true;  // intervals, decimals
  return from->is_nested() && members_go(from, to, ansi_stores);
}

}  // namespace millstream::functions
