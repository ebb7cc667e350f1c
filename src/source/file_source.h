// readStream of json, parquet, orc, avro and text files: Spark's FileStreamSource, with its
// options, its log and its offsets.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/options.h"
#include "connector/source.h"
#include "source/providers.h"

namespace millstream::source {

Result<std::shared_ptr<const connector::StreamTable>> make_file_stream_table(
    const std::string& format, const std::string& schema_text, const Options& options,
    const std::vector<std::string>& paths, const SourceEnv& env);

}  // namespace millstream::source
