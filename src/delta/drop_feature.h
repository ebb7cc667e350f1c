// ALTER TABLE … DROP FEATURE, and column mapping taken off: what a table uses of a feature goes, by
// commits of its own, then the feature goes from the protocol. Functions; thread-safe.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "conc/cancel.h"
#include "io/store.h"

namespace millstream::delta {

struct FeatureDrop {
  std::string feature;
  bool truncate_history = false;  // the history must have gone, and is not protected
  std::string time_zone = "UTC";  // the session's: of partition values that do not say theirs
};

// DELTA_FEATURE_DROP_…. Where readers must know the feature, checkpoints come before the commit
// that drops it, and the history before that is protected (feature checkpointProtection): whoever
// does not know the feature reads the table from them. With truncate_history nothing is protected:
// what uses the feature goes at the first call, the feature itself at one after all versions that
// used it have expired.
Status drop_feature(const std::shared_ptr<io::Store>& store, const std::string& table,
                    const FeatureDrop& drop, const CancelToken* cancel);

// Rewrites the files with the columns by their own names: delta.columnMapping.mode = none. The
// version; that of the table as it is when its columns are not mapped.
Result<std::int64_t> remove_column_mapping(const std::shared_ptr<io::Store>& store,
                                           const std::string& table, const std::string& time_zone,
                                           const CancelToken* cancel);

}  // namespace millstream::delta
