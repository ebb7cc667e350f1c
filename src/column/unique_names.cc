#include "column/unique_names.h"

#include <set>

#include "base/text.h"

namespace millstream::column {
namespace {

Status check_type(const DataType& type) {
  switch (type.kind()) {
    case TypeKind::struct_:
      return check_unique_names(type.fields());
    case TypeKind::array:
      return check_type(*type.element());
    case TypeKind::map:
      TRY(check_type(*type.key()));
      return check_type(*type.value());
    default:
      return Status::OK();
  }
}

}  // namespace

Status check_unique_names(const Schema& schema) {
  std::set<std::string> seen;
  for (const auto& field : schema) {
    const std::string lower = to_lower(field.name);
    if (!seen.insert(lower).second) {
      return Status::error("COLUMN_ALREADY_EXISTS", {{"columnName", "`" + lower + "`"}});
    }
    TRY(check_type(*field.type));
  }
  return Status::OK();
}

}  // namespace millstream::column
