// Which version a time means. Pure but for the list of commit times that the log gives.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "delta/log.h"

namespace millstream::delta {

// "2024-01-01", "2024-01-01 12:00:00[.000]", with or without a zone of its own; else in
// `time_zone`. Milliseconds.
Result<std::int64_t> parse_time_ms(const std::string& text, const std::string& time_zone);

// The newest commit at or before `time_ms`. DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION,
// DELTA_TIMESTAMP_GREATER_THAN_COMMIT.
Result<std::int64_t> version_at(const std::vector<Log::CommitTime>& times, std::int64_t time_ms);
// The first commit at or after `time_ms`; nothing: all are before it.
std::optional<std::int64_t> version_from(const std::vector<Log::CommitTime>& times,
                                         std::int64_t time_ms);

// Whether the files of a version that `latest` has left behind may be gone by now:
// DELTA_UNSUPPORTED_TIME_TRAVEL_BEYOND_DELETED_FILE_RETENTION_DURATION.
Status check_within_retention(const Log& log, const Snapshot& latest, const Snapshot& then,
                              std::int64_t now_ms);

// "/data/t@v7" or "/data/t@20240101120000000": a path that names a version of its table.
struct PathVersion {
  std::string path;
  std::optional<std::int64_t> version;
  std::string time_text;  // "2024-01-01 12:00:00.000", when there is no version
};
std::optional<PathVersion> version_in_path(std::string_view path);

// "2024-01-01 12:00:00.5": as java.sql.Timestamp prints a time of UTC.
std::string timestamp_string(std::int64_t time_ms);

}  // namespace millstream::delta
