#include "delta/time_travel.h"

#include "base/text.h"
#include "delta/vacuum.h"
#include "delta/values.h"
#include "format/datetime_text.h"

namespace millstream::delta {
namespace {

constexpr std::int64_t hour_ms = 3600LL * 1000;

}  // namespace

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

Status check_within_retention(const Log& log, const Snapshot& latest, const Snapshot& then,
                              std::int64_t now_ms) {
  if (then.version() == latest.version()) return Status::OK();
  const std::int64_t retention_ms = file_retention_ms(latest.info());
  std::int64_t time_ms = 0;
  if (then.info().flag("delta.enableInCommitTimestamps", false) && then.in_commit_timestamp()) {
    time_ms = *then.in_commit_timestamp();
  } else {
    TRY_ASSIGN(time_ms, log.file_time_ms(then.version()));
  }
  if (time_ms >= now_ms - retention_ms) return Status::OK();
  return Status::error("DELTA_UNSUPPORTED_TIME_TRAVEL_BEYOND_DELETED_FILE_RETENTION_DURATION",
                       {{"deletedFileRetention", fmt::to_string(retention_ms / hour_ms)}});
}

std::optional<PathVersion> version_in_path(std::string_view path) {
  const auto at = path.rfind('@');
  if (at == std::string_view::npos || at == 0) return std::nullopt;
  PathVersion out{std::string(path.substr(0, at)), std::nullopt, {}};
  std::string_view digits = path.substr(at + 1);
  const bool by_version = digits.starts_with('v') || digits.starts_with('V');
  if (by_version) digits.remove_prefix(1);
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos)
    return std::nullopt;
  if (by_version) {
    out.version = parse_int64(digits);
    return out.version ? std::optional(std::move(out)) : std::nullopt;
  }
  constexpr std::size_t time_digits = 17;  // yyyyMMddHHmmssSSS
  if (digits.size() != time_digits) return std::nullopt;
  out.time_text = fmt::format("{}-{}-{} {}:{}:{}.{}", digits.substr(0, 4), digits.substr(4, 2),
                              digits.substr(6, 2), digits.substr(8, 2), digits.substr(10, 2),
                              digits.substr(12, 2), digits.substr(14));
  return out;
}

std::string timestamp_string(std::int64_t time_ms) {
  return timestamp_text(time_ms * 1000, ' ', 1);
}

}  // namespace millstream::delta
