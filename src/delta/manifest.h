// Manifests for readers that know no Delta log: the names of a table's files in text files below
// _symlink_format_manifest, one for each partition. Functions; thread-safe.
#pragma once

#include "base/status.h"
#include "delta/log.h"
#include "delta/transaction.h"

namespace millstream::delta {

// Of all files of the snapshot; manifests of other partitions go.
// DELTA_UNSUPPORTED_MANIFEST_GENERATION_WITH_COLUMN_MAPPING,
// DELTA_UNSUPPORTED_GENERATE_WITH_DELETION_VECTORS.
Status write_manifests(const Log& log, const Snapshot& snapshot);

// After a commit to a table with delta.compatibility.symlinkFormatManifest.enabled: of the
// partitions that it has changed; nothing for other tables.
Status keep_manifests(const Log& log, const Transaction& committed);

}  // namespace millstream::delta
