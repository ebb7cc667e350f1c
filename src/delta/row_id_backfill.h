// Row tracking of a table that has files: all of them get ids before delta.enableRowTracking is
// set. Functions; thread-safe.
#pragma once

#include "base/status.h"
#include "delta/log.h"

namespace millstream::delta {

// Commits what is missing: the feature, then ids for the files that have none. False: nothing was.
Result<bool> give_ids_to_files(Log& log);

}  // namespace millstream::delta
