// Older versions of Delta tables, as a session's settings let them be read.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "delta/table.h"
#include "io/store.h"
#include "session/conf.h"

namespace millstream::session {

// Versions whose files VACUUM may have removed are refused, unless a setting says otherwise.
bool stays_within_retention(const RuntimeConf& conf);
Status check_within_retention(const RuntimeConf& conf, const std::shared_ptr<io::Store>& store,
                              const std::string& directory, const delta::Snapshot& snapshot);

// "/data/t@v7": the path of the table, and the version that the read is of. A path that is there
// is what it says.
Status take_version_of_path(const RuntimeConf& conf, io::Store& store, std::string* directory,
                            delta::ReadOptions* read);

// Such a path where rows are to be changed: DELTA_FAILED_SCAN_WITH_HISTORICAL_VERSION.
Status refuse_version_of_path(io::Store& store, const std::string& directory);

}  // namespace millstream::session
