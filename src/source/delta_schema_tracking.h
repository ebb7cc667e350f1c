// What a stream of a Delta table reads it by, and how it goes on when that changes: with a schema
// log (schemaTrackingLocation) the stream delivers what was written before the change, notes the
// new state, and fails once to be started again with it. One for each run; used by its thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/status.h"
#include "delta/changes.h"
#include "delta/log.h"
#include "source/delta_schema_changes.h"
#include "source/delta_schema_log.h"

namespace millstream::source {

// What a stream is planned with.
struct ReadState {
  delta::TableInfoPtr info;
  delta::Protocol protocol;
  std::int64_t version = 0;                // of the table, at which the state was the table's
  std::optional<std::int64_t> log_number;  // of the schema log's entry that says so
};

// The newest entry of the log or, where there is none, the snapshot's state. Changes that followed
// the entry's without data between them are one change: when `merge`, they are added as one entry.
Result<ReadState> read_state(DeltaSchemaLog* schemas, const delta::Log& log,
                             const delta::Snapshot& newest, bool merge);

class SchemaTracking {
 public:
  SchemaTracking(std::shared_ptr<delta::Log> log, ReadState state)
      : log_(std::move(log)), state_(std::move(state)) {}

  // Of a run whose source has `metadata_path` (a URI): the log must be as it was when the query was
  // planned, of this source (when `own_path`), and its newest change unblocked.
  Status open(DeltaSchemaLog schemas, const UnblockedChanges& unblocked, bool own_path);

  const ReadState& state() const { return state_; }
  bool is_on() const { return schemas_ && schemas_->current(); }
  bool is_to_begin() const { return schemas_ && !schemas_->current(); }

  // The first entry: the table's state at `version`, where the stream begins.
  Status begin(std::int64_t version);
  // The first entry of a stream that has run: a state by which the planned batch from `first` to
  // `last` can be read. DELTA_STREAMING_SCHEMA_LOG_INIT_FAILED_INCOMPATIBLE_METADATA.
  Status begin_in_batch(std::int64_t first, std::int64_t last);

  // Whether what a commit (or snapshot) says of the table is not what the stream reads it by. Null:
  // it says nothing.
  bool is_change(const delta::TableInfo* info, const delta::Protocol* protocol,
                 std::int64_t version) const;
  // Notes a change: DELTA_STREAMING_METADATA_EVOLUTION. OK: it is none. `replaces`: as
  // DeltaSchemaLog::add.
  Status take(const delta::TableInfo* info, const delta::Protocol* protocol, std::int64_t version,
              bool replaces);

 private:
  Status add(const delta::TableInfo& info, const delta::Protocol& protocol, std::int64_t version,
             bool replaces);

  const std::shared_ptr<delta::Log> log_;
  const ReadState state_;
  std::optional<DeltaSchemaLog> schemas_;
  std::string metadata_path_;
};

}  // namespace millstream::source
