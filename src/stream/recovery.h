// What a run does first, given what the checkpoint's logs hold. Pure: tested by tables. The shell
// (read_log_state) reads exactly the entries that the decision looks at.
#pragma once

#include <optional>
#include <string>

#include "stream/checkpoint.h"
#include "stream/pinned_conf.h"

namespace millstream::stream {

struct LogState {
  struct Entry {
    BatchId batch = 0;
    OffsetEntry entry;
  };
  struct Commit {
    BatchId batch = 0;
    CommitEntry entry;
  };
  std::optional<Entry> newest_offsets;
  std::optional<OffsetEntry> previous_offsets;  // of the batch before the newest
  std::optional<Commit> newest_commit;
  std::vector<std::string> stateful_operators;  // that have state in this checkpoint
  std::string directory;                        // for messages
};

Result<LogState> read_log_state(const Checkpoint& checkpoint);

struct RecoveryPlan {
  BatchId batch = 0;            // to run next
  bool is_constructed = false;  // its offsets are logged: run it with these, nothing else
  Offsets start;                // all of it is in the sink
  Offsets end;                  // of the logged batch; else equal to start
  std::int64_t watermark_ms = 0;
  std::int64_t timestamp_ms = 0;  // of the logged batch
  PinnedConf conf;
  std::string warning;  // empty: none
};

Result<RecoveryPlan> plan_recovery(const LogState& log, std::size_t source_count,
                                   const SessionConf& session);

}  // namespace millstream::stream
