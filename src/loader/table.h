// readStream.format("cloudFiles"): Auto Loader as a StreamTable. Immutable; each run of a query
// opens its own source.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/options.h"
#include "connector/source.h"
#include "loader/options.h"

namespace millstream::loader {

Result<std::shared_ptr<const connector::StreamTable>> make_cloud_files_table(
    const std::string& schema_text, const Options& options, const std::vector<std::string>& paths,
    const LoaderEnv& env);

}  // namespace millstream::loader
