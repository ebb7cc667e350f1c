#include "source/projection.h"

namespace millstream::source {

Result<Projection> project(const column::Schema& schema, const column::Schema& metadata_fields,
                           const std::vector<std::string>& columns) {
  Projection projection;
  for (const auto& name : columns) {
    const int index = column::find_field(schema, name);
    if (index >= 0) {
      projection.schema.push_back(schema[static_cast<std::size_t>(index)]);
    } else if (name == "_metadata" && !metadata_fields.empty()) {
      projection.schema.push_back({name, column::struct_type(metadata_fields), false, {}});
    } else {
      return Status::internal("a scan asks for column '{}', which the source does not have", name);
    }
    projection.indexes.push_back(index);
  }
  return projection;
}

}  // namespace millstream::source
