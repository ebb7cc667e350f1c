#include "column/time_types.h"

#include <algorithm>
#include <utility>

namespace millstream::column {
namespace {

thread_local bool enabled_now = true;

}  // namespace

TimeTypes::TimeTypes(bool enabled) : outer_(std::exchange(enabled_now, enabled)) {}

TimeTypes::~TimeTypes() { enabled_now = outer_; }

bool has_time(const DataType& type) {
  if (type.kind() == TypeKind::time) return true;
  return std::any_of(type.fields().begin(), type.fields().end(),
                     [](const Field& field) { return has_time(*field.type); });
}

Status check_time_types() {
  return enabled_now ? Status::OK() : Status::error("UNSUPPORTED_TIME_TYPE");
}

Status check_time_types(const DataType& type) {
  return has_time(type) ? check_time_types() : Status::OK();
}

Status check_time_types(const Schema& schema) {
  for (const Field& field : schema) TRY(check_time_types(*field.type));
  return Status::OK();
}

}  // namespace millstream::column
