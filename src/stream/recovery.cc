#include "stream/recovery.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace millstream::stream {
namespace {

Status check_source_count(const Offsets& offsets, std::size_t source_count) {
  if (offsets.size() == source_count) return Status::OK();
  ErrorInfo info;
  info.kind = ErrorKind::internal;
  info.java_class = "java.lang.AssertionError";
  info.message = fmt::format(
      "assertion failed: There are [{}] sources in the checkpoint offsets and now there are [{}] "
      "sources "
      "requested by the query. Cannot continue. Give the changed query a new checkpoint location.",
      offsets.size(), source_count);
  return Status(std::move(info));
}

Status missing_batch(const LogState& log, BatchId batch) {
  return Status::illegal_state(
      "batch {} doesn't exist: {}/offsets/{} is missing although later batches are logged. Restore "
      "that "
      "file, or start with a new checkpoint location and an empty target",
      batch, log.directory, batch);
}

Result<RecoveryPlan> first_run(const LogState& log, std::size_t source_count,
                               const SessionConf& session) {
  if (log.newest_commit || !log.stateful_operators.empty()) {
    return Status::error(
        "STATE_STORE_CHECKPOINT_LOCATION_NOT_EMPTY",
        {{"checkpointLocation", log.directory + (log.newest_commit ? "/commits" : "/state")}});
  }
  RecoveryPlan plan;
  plan.start.resize(source_count);
  plan.end = plan.start;
  plan.conf = pin_for_new_query(session);
  return plan;
}

}  // namespace

Result<LogState> read_log_state(const Checkpoint& checkpoint) {
  LogState state;
  state.directory = checkpoint.directory();
  TRY_ASSIGN(state.stateful_operators, checkpoint.stateful_operators());
  if (const auto commit = checkpoint.commits().newest()) {
    TRY_ASSIGN(CommitEntry entry, checkpoint.read_commit(*commit));
    state.newest_commit = {*commit, entry};
  }
  if (const auto newest = checkpoint.offsets().newest()) {
    TRY_ASSIGN(OffsetEntry entry, checkpoint.read_offsets(*newest));
    state.newest_offsets = {*newest, std::move(entry)};
    if (checkpoint.offsets().contains(*newest - 1)) {
      TRY_ASSIGN(state.previous_offsets, checkpoint.read_offsets(*newest - 1));
    }
  }
  return state;
}

Result<RecoveryPlan> plan_recovery(const LogState& log, std::size_t source_count,
                                   const SessionConf& session) {
  if (!log.newest_offsets) return first_run(log, source_count, session);
  const auto& [newest, entry] = *log.newest_offsets;
  TRY(check_source_count(entry.offsets, source_count));
  if (!log.stateful_operators.empty()) {
    return Status::error(
        "STREAMING_STATEFUL_OPERATOR_NOT_MATCH_IN_STATE_METADATA",
        {{"OpsInMetadataSeq", fmt::format("{}", fmt::join(log.stateful_operators, ", "))},
         {"OpsInCurBatchSeq", ""}});
  }
  if (newest > 0 && !log.previous_offsets) return missing_batch(log, newest - 1);

  const BatchId committed = log.newest_commit ? log.newest_commit->batch : -1;
  if (committed > newest) return missing_batch(log, committed);

  RecoveryPlan plan;
  plan.conf = pin_for_restart(entry.conf, session);
  plan.watermark_ms = entry.watermark_ms;
  plan.end = entry.offsets;
  if (committed == newest) {
    plan.batch = newest + 1;
    plan.start = entry.offsets;
    plan.watermark_ms = std::max(plan.watermark_ms, log.newest_commit->entry.next_watermark_ms);
    return plan;
  }
  if (!entry.has_metadata) {
    return Status::illegal_state(
        "{}/offsets/{} has no metadata line and is not committed: the batch cannot be repeated as "
        "it was. "
        "Finish it with the Spark version that wrote it",
        log.directory, newest);
  }
  plan.batch = newest;
  plan.is_constructed = true;
  plan.timestamp_ms = entry.timestamp_ms;
  plan.start.resize(source_count);
  if (newest > 0) {
    TRY(check_source_count(log.previous_offsets->offsets, source_count));
    plan.start = log.previous_offsets->offsets;
  }
  if (committed < newest - 1) {
    plan.warning = fmt::format(
        "the newest commit of {} is {} although batch {} is logged; batch {} runs again",
        log.directory, committed, newest, newest);
  }
  return plan;
}

}  // namespace millstream::stream
