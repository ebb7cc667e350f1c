// A Delta table as a streaming source: the snapshot at the start, then the rows that later commits
// append. Offsets are Delta's own, byte for byte, so that delta-spark continues from them. The
// StreamTable is immutable; each run's Source has a log state of its own that is advanced by the
// new commits only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/options.h"
#include "base/status.h"
#include "connector/source.h"
#include "source/providers.h"

namespace millstream::source {

// readStream.format("delta").load(path). An unknown or unsupported option is an error that names
// it.
Result<std::shared_ptr<const connector::StreamTable>> make_delta_stream_table(
    const Options& options, const std::vector<std::string>& paths, const SourceEnv& env);

}  // namespace millstream::source
