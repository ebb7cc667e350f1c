// The columns that a scan asks for, picked out of a source's schema. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "column/types.h"

namespace millstream::source {

struct Projection {
  column::Schema schema;     // of the columns asked for, in that order
  std::vector<int> indexes;  // into the source's schema; -1: the hidden column _metadata
};

// `metadata_fields`: members of _metadata; empty: the source has none. A name that is not there is
// our own bug.
Result<Projection> project(const column::Schema& schema, const column::Schema& metadata_fields,
                           const std::vector<std::string>& columns);

}  // namespace millstream::source
