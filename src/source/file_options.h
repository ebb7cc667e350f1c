// The options of Spark's file stream source, checked with its messages. A plain value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/options.h"
#include "base/status.h"

namespace millstream::source {

struct FileStreamOptions {
  std::optional<std::int64_t> files_max;  // maxFilesPerTrigger
  std::optional<std::int64_t> bytes_max;  // maxBytesPerTrigger: at least one file
  bool latest_first = false;
  std::int64_t file_age_max_ms =
      7LL * 24 * 3600 * 1000;  // before the newest seen file; no limit with latestFirst and a limit
  bool file_name_only = false;
  std::int64_t cached_files_max = 10'000;
  double discard_cached_ratio = 0.2;
  Options rest;  // what the format and the listing are given
};

Result<FileStreamOptions> parse_file_stream_options(const Options& options);

}  // namespace millstream::source
