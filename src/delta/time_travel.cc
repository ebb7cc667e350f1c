#include "delta/time_travel.h"

#include "base/text.h"
#include "delta/values.h"
#include "format/datetime_text.h"

namespace millstream::delta {

Result<std::int64_t> parse_time_ms(const std::string& text, const std::string& time_zone) {
  TRY_ASSIGN(const auto zone, format::TimeZone::find(time_zone));
  std::int64_t micros = 0;
  if (!format::parse_timestamp_lenient(text, zone, micros)) {
    return Status::error("DELTA_TIMESTAMP_INVALID", {{"expr", text}});
  }
  return micros / 1000;
}

Result<std::int64_t> version_at(const std::vector<Log::CommitTime>& times, std::int64_t time_ms) {
  CHECK(!times.empty());
  if (time_ms < times.front().time_ms) {
    return Status::error(
        "DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION",
        {{"userTimestamp", timestamp_string(time_ms)},
         {"commitTs", timestamp_string(times.front().time_ms)},
         {"timestampString", timestamp_string(times.front().time_ms / 1000 * 1000).substr(0, 19)}});
  }
  if (time_ms > times.back().time_ms) {
    return Status::error(
        "DELTA_TIMESTAMP_GREATER_THAN_COMMIT",
        {{"providedTimestamp", timestamp_string(time_ms)},
         {"lastCommitTimestamp", timestamp_string(times.back().time_ms)},
         {"maximumTimestamp", timestamp_string(times.back().time_ms / 1000 * 1000).substr(0, 19)}});
  }
  std::int64_t version = times.front().version;
  for (const auto& commit : times) {
    if (commit.time_ms <= time_ms) version = commit.version;
  }
  return version;
}

// From the newest on: files of commits before in-commit timestamps may be younger than these say.
std::optional<std::int64_t> version_from(const std::vector<Log::CommitTime>& times,
                                         std::int64_t time_ms) {
  std::optional<std::int64_t> first;
  for (auto commit = times.rbegin(); commit != times.rend(); ++commit) {
    if (commit->time_ms < time_ms) break;
    first = commit->version;
  }
  return first;
}

std::string timestamp_string(std::int64_t time_ms) {
  return timestamp_text(time_ms * 1000, ' ', 1);
}

}  // namespace millstream::delta
