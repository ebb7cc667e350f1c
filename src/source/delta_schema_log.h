// The schemas by which a stream has read a Delta table: the log of schemaTrackingLocation, in
// Delta's format ("v1", then one JSON object a file: 0, 1, 2, …), so that either engine goes on
// with it. Used by one thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/status.h"
#include "delta/actions.h"
#include "delta/snapshot.h"
#include "io/store.h"

namespace millstream::source {

struct TrackedSchema {
  std::string table_id;
  std::int64_t version = 0;   // of the table: it is readable by this schema
  std::string schema;         // JSON
  std::string partitions;     // JSON, the partition columns alone
  std::string metadata_path;  // the source's own place in the checkpoint, a URI
  std::optional<std::map<std::string, std::string>> configuration;
  std::optional<delta::Protocol> protocol;
  std::optional<std::int64_t> previous;  // the entry before it, where that is not the one before

  bool operator==(const TrackedSchema&) const = default;
};

TrackedSchema tracked_schema(const delta::Metadata& metadata, const delta::Protocol& protocol,
                             std::int64_t version, std::string metadata_path);
// The table as such a stream reads it. `newest`: what the entry does not say.
Result<delta::TableInfoPtr> tracked_info(const TrackedSchema& entry, const delta::Metadata& newest);

class DeltaSchemaLog {
 public:
  // `<location>/_schema_log_<table>[_<tracking id>]`.
  static std::string directory_in(const std::string& location, const std::string& table_id,
                                  const std::string& tracking_id);
  // What is there now. DELTA_STREAMING_SCHEMA_LOG_DESERIALIZE_FAILED,
  // DELTA_STREAMING_SCHEMA_LOG_PARSE_SCHEMA_FAILED,
  // DELTA_STREAMING_SCHEMA_LOG_INCOMPATIBLE_DELTA_TABLE_ID.
  static Result<DeltaSchemaLog> open(std::shared_ptr<io::Store> store, std::string directory,
                                     const std::string& table_id);

  const std::string& directory() const { return directory_; }
  std::int64_t newest() const { return newest_; }  // -1: nothing is tracked yet
  const std::optional<TrackedSchema>& current() const { return current_; }
  const std::optional<TrackedSchema>& previous() const { return previous_; }

  // The next entry; durable when this returns. `replaces`: what came before the current entry is
  // what came before the new one. DELTA_STREAMING_SCHEMA_LOCATION_CONFLICT when another writes
  // here.
  Status add(TrackedSchema entry, bool replaces, const std::string& table);

 private:
  std::int64_t previous_number() const;
  Result<std::optional<TrackedSchema>> read(std::int64_t number) const;

  std::shared_ptr<io::Store> store_;
  std::string directory_;
  std::string table_id_;
  std::int64_t newest_ = -1;
  std::optional<TrackedSchema> current_;
  std::optional<TrackedSchema> previous_;
};

}  // namespace millstream::source
