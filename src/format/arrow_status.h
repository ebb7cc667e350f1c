// Arrow's Status and Result as ours. For the .cc files of this room.
#pragma once

#include <arrow/result.h>
#include <arrow/status.h>

#include "base/status.h"

namespace millstream::format {

inline Status to_status(const arrow::Status& status) {
  if (status.ok()) return Status::OK();
  // The detail has the reason, such as a full disk.
  if (status.IsIOError() && status.detail() != nullptr)
    return Status::io("{}: {}", status.message(), status.detail()->ToString());
  return status.IsIOError() ? Status::io("{}", status.message())
                            : Status::internal("Arrow: {}", status.ToString());
}

}  // namespace millstream::format

#define TRY_ARROW(expression) TRY(::millstream::format::to_status(expression))
#define TRY_ARROW_ASSIGN(target, expression) \
  TRY_ARROW_ASSIGN_NAMED(MS_CONCAT(ms_arrow_, __LINE__), target, expression)
#define TRY_ARROW_ASSIGN_NAMED(name, target, expression) \
  auto name = (expression);                              \
  TRY_ARROW(name.status());                              \
  target = std::move(name).ValueOrDie()
