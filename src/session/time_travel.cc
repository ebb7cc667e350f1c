#include "session/time_travel.h"

#include "base/clock.h"
#include "delta/log.h"
#include "delta/time_travel.h"

namespace millstream::session {

bool stays_within_retention(const RuntimeConf& conf) {
  const auto text = conf.find(
      "spark.databricks.delta.vacuum.enforceTimeTravelWithinDeletedFileRetentionDuration");
  return text.value_or("true") != "false";
}

Status check_within_retention(const RuntimeConf& conf, const std::shared_ptr<io::Store>& store,
                              const std::string& directory, const delta::Snapshot& snapshot) {
  if (!stays_within_retention(conf)) return Status::OK();
  const auto log = delta::Log::shared(store, directory);
  TRY_ASSIGN(const auto latest, log->latest());
  if (latest == nullptr) return Status::OK();
  return delta::check_within_retention(*log, *latest, snapshot, SystemClock().now_ms());
}

Status take_version_of_path(const RuntimeConf& conf, io::Store& store, std::string* directory,
                            delta::ReadOptions* read) {
  if (conf.find("spark.databricks.delta.timeTravel.resolveOnIdentifier.enabled") == "false")
    return Status::OK();
  auto found = delta::version_in_path(*directory);
  if (!found) return Status::OK();
  TRY_ASSIGN(const bool there, store.exists(*directory));
  if (there) return Status::OK();
  if (read->version_as_of || read->timestamp_as_of)
    return Status::error("DELTA_UNSUPPORTED_TIME_TRAVEL_MULTIPLE_FORMATS");
  *directory = std::move(found->path);
  read->version_as_of = found->version;
  if (!found->version) read->timestamp_as_of = std::move(found->time_text);
  return Status::OK();
}

Status refuse_version_of_path(io::Store& store, const std::string& directory) {
  const auto found = delta::version_in_path(directory);
  if (!found || !found->version) return Status::OK();
  TRY_ASSIGN(const bool there, store.exists(directory));
  TRY_ASSIGN(const bool is_table, store.exists(io::join_path(found->path, "_delta_log")));
  if (there || !is_table) return Status::OK();
  return Status::error("DELTA_FAILED_SCAN_WITH_HISTORICAL_VERSION",
                       {{"historicalVersion", fmt::to_string(*found->version)}});
}

}  // namespace millstream::session
