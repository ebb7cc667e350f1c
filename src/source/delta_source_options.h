// The options of readStream.format("delta"). Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/options.h"
#include "base/status.h"

namespace millstream::source {

struct DeltaSourceOptions {
  std::optional<std::int64_t> max_files;  // per trigger
  std::optional<std::int64_t> max_bytes;
  std::optional<std::int64_t> starting_version;
  bool starting_latest = false;  // startingVersion=latest
  std::optional<std::string> starting_timestamp;
  bool ignore_deletes = false;
  bool ignore_changes = false;
  bool skip_change_commits = false;
  bool read_change_feed = false;
  bool fail_on_data_loss = true;
  std::string exclude_regex;
  bool event_time_order = false;  // of the initial snapshot
  std::string schema_location;    // schemaTrackingLocation; empty: schemas are not tracked
  std::string tracking_id;        // streamingSourceTrackingId
  // allowSourceColumn…: "always", a version, or nothing.
  std::string allow_rename;
  std::string allow_drop;
  std::string allow_type_change;

  bool has_start() const { return starting_version || starting_latest || starting_timestamp; }
};

// An unknown option is an error that names it, and so is one that is not supported.
Result<DeltaSourceOptions> parse_delta_source_options(const Options& options);

}  // namespace millstream::source
