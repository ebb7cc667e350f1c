// What changed of a Delta table's metadata between two states that a stream reads it by, and
// whether the user has said that the stream may go on over it. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/status.h"
#include "delta/actions.h"
#include "delta/snapshot.h"

namespace millstream::source {

// Whether a reader of `known` must know of `next`: other columns (their notes for writers apart),
// partitioning or properties of Delta.
bool changes_reading(const delta::TableInfo& known, const delta::TableInfo& next);
bool same_protocol(const delta::Protocol& a, const delta::Protocol& b);

// What lets a stream go on over columns that were renamed, dropped or widened: "always", a version,
// or nothing.
struct UnblockedChanges {
  std::string rename;  // allowSourceColumnRename
  std::string drop;
  std::string type_change;
  std::map<std::string, std::string> conf;  // the session's, by Spark's names
  std::string metadata_path;  // the source's, a URI: settings may be for one stream alone
};

struct SchemaAt {
  delta::TableInfoPtr info;
  std::int64_t version = 0;
};

// DELTA_STREAMING_CANNOT_CONTINUE_PROCESSING_POST_SCHEMA_EVOLUTION for changes that nothing
// unblocks; DELTA_SCHEMA_CHANGED_WITH_VERSION for those that nothing could.
Status check_unblocked(const SchemaAt& before, const SchemaAt& after,
                       const UnblockedChanges& unblocked);

// DELTA_STREAMING_METADATA_EVOLUTION: the schema log has the new state, the stream must start
// again.
Status metadata_evolution(const delta::TableInfo& info, const delta::Protocol& protocol);

}  // namespace millstream::source
