// The steps of one micro-batch. Each ends with a failpoint: whatever is done by then, a restart
// goes on from it.
#include "base/failpoint.h"
#include "base/log.h"
#include "base/text.h"
#include "plan/analyzer.h"
#include "stream/run.h"

namespace millstream::stream {

Result<bool> StreamRun::construct_batch(bool all) {
  bool new_data = false;
  for (const auto& state : sources_) {
    observer_.set_message("Getting offsets from " + state->description);
    const Timer timer(*this, "latestOffset");
    TRY_ASSIGN(auto latest, state->source->latest_offset(state->start, all));
    state->end = latest ? std::move(latest) : state->start;
    new_data = new_data || state->end != state->start;
  }
  if (!new_data || cancelled()) {
    for (const auto& state : sources_) state->end = state->start;
    return false;
  }
  TRY(failpoints::pass("stream.after_latest_offset"));
  timestamp_ms_ = environment_.clock->now_ms();
  observer_.set_message("Writing offsets to log");
  const Timer timer(*this, "walCommit");
  TRY(log_offsets());
  return true;
}

Status StreamRun::log_offsets() {
  OffsetEntry entry;
  entry.watermark_ms = watermark_ms_;
  entry.timestamp_ms = timestamp_ms_;
  entry.conf = conf_;
  for (const auto& state : sources_) entry.offsets.push_back(state->end);
  TRY(checkpoint_.add_offsets(batch_, entry));
  TRY(failpoints::pass("stream.after_offsets"));
  for (const auto& state : sources_) {
    if (state->start) TRY(state->source->commit(*state->start));
  }
  TRY(failpoints::pass("stream.after_source_commit"));
  if (batch_ > retain_) TRY(checkpoint_.purge_below(batch_ - retain_));
  return failpoints::pass("stream.after_purge");
}

Result<std::map<const plan::Node*, connector::Batches>> StreamRun::open_inputs() {
  const Timer timer(*this, "getBatch");
  std::map<const plan::Node*, connector::Batches> inputs;
  for (const auto& scan : plan_.scans) {
    SourceState& state = *sources_[scan.source];
    if (!state.end || state.end == state.start) continue;  // nothing new: an empty relation
    connector::ScanRequest request;
    request.columns = scan.node->columns;
    request.predicates = scan.node->predicates;
    TRY_ASSIGN(inputs[scan.node], state.source->batch(state.start, *state.end, request));
  }
  TRY(failpoints::pass("stream.after_get_batch"));
  return inputs;
}

engine::ExecutionContext StreamRun::execution_context() {
  engine::ExecutionContext context;
  context.time_zone = spec_.time_zone;
  context.timestamp_us = timestamp_ms_ * 1000;
  context.cancel = environment_.cancel;
  context.on_metrics = [this](engine::ObservedMetrics metrics) {
    const std::lock_guard lock(observed_mutex_);
    if (watermarks_.take(metrics)) return;
    // A sink that reads its rows twice has them observed twice.
    std::erase_if(observed_, [&](const auto& other) { return other.name == metrics.name; });
    observed_.push_back(std::move(metrics));
  };
  context.on_input_rows = [this](const plan::Node* node, std::int64_t rows) {
    for (const auto& scan : plan_.scans) {
      if (scan.node == node) sources_[scan.source]->rows += rows;
    }
  };
  return context;
}

Status StreamRun::run_batch() {
  if (cancelled()) return Status::cancelled();
  for (const auto& state : sources_) state->rows = 0;
  rows_out_ = -1;
  {
    const std::lock_guard lock(observed_mutex_);
    observed_.clear();
    watermarks_.begin_batch();
  }
  batch_watermark_ms_ = watermark_ms_;
  engine::ExecutionContext context = execution_context();
  TRY_ASSIGN(context.stream_inputs, open_inputs());
  connector::Batches rows;
  {
    const Timer timer(*this, "queryPlanning");
    TRY_ASSIGN(rows, environment_.engine->execute(plan_.root, context));
    observer_.on_planned();
    TRY(failpoints::pass("stream.after_plan"));
  }
  {
    const Timer timer(*this, "addBatch");
    connector::SinkBatch batch;
    batch.batch_id = batch_;
    batch.query_id = id_;
    batch.mode = spec_.mode;
    batch.cancel = environment_.cancel;
    TRY_ASSIGN(rows_out_, spec_.sink->add_batch(batch, rows));
    TRY(failpoints::pass("stream.after_add_batch"));
  }
  const auto policy = conf_.find("spark.sql.streaming.multipleWatermarkPolicy");
  watermark_ms_ =
      watermarks_.advance(watermark_ms_, policy == conf_.end() ? "min" : policy->second);
  const Timer timer(*this, "commitOffsets");
  TRY(checkpoint_.add_commit(batch_, {watermark_ms_}));
  return failpoints::pass("stream.after_commit");
}

TriggerReport StreamRun::report(bool ran) const {
  TriggerReport out;
  out.id = id_;
  out.run_id = run_id_;
  out.name = spec_.name;
  out.started_ms = *trigger_started_ms_;
  out.batch = batch_;
  out.duration_ms = trigger_duration_ms_;
  if (last_trigger_started_ms_)
    out.since_last_ms = *trigger_started_ms_ - *last_trigger_started_ms_;
  for (const auto& [phase, ns] : phases_ns_) out.phases_ms[phase] = ns / 1'000'000;
  for (const auto& state : sources_) {
    SourceReport source;
    source.description = state->description;
    source.start = state->start;
    source.end = state->end;
    source.latest = state->source->reported_latest_offset();
    source.metrics = state->source->metrics();
    source.rows = ran ? state->rows.load() : 0;
    out.sources.push_back(std::move(source));
  }
  out.sink = spec_.sink->description();
  // A sink that counts reports an idle trigger as 0 rows; before the first batch nobody knows
  // whether it counts.
  out.rows_out = ran ? rows_out_ : std::min<std::int64_t>(rows_out_, 0);
  if (ran) out.observed = observed_;
  out.event_time = watermarks_.report(ran ? batch_watermark_ms_ : watermark_ms_, ran);
  return out;
}

void StreamRun::finish_trigger(bool ran, bool new_data) {
  observer_.set_flags(new_data, false);
  const std::int64_t now = environment_.clock->now_ms();
  if (ran) {
    last_report_ms_ = now;
    observer_.on_progress(render_progress(report(true)));
    return;
  }
  if (last_report_ms_ && now - *last_report_ms_ < idle_interval_ms_) return;
  std::optional<std::string> event;
  if (last_report_ms_) event = idle_event_json(id_, run_id_, *trigger_started_ms_);
  last_report_ms_ = now;
  observer_.on_idle(render_progress(report(false)), std::move(event));
}

std::string StreamRun::debug_block() const {
  const auto progress = [&](std::optional<std::string> SourceState::*offset) {
    std::string text = "{";
    for (const auto& state : sources_) {
      if (!((*state).*offset)) continue;
      text += text.size() > 1 ? "," : "";
      text += state->description + ": " + *((*state).*offset);
    }
    return text + "}";
  };
  std::string text = fmt::format(
      "=== Streaming Query ===\nIdentifier: {}[id = {}, runId = {}]\nCurrent Committed Offsets: "
      "{}\n"
      "Current Available Offsets: {}\n\nCurrent State: {}\nThread State: RUNNABLE",
      spec_.name.empty() ? "" : spec_.name + " ", id_, run_id_, progress(&SourceState::start),
      progress(&SourceState::end), initialized_ ? "ACTIVE" : "INITIALIZING");
  if (initialized_) text += "\n\nLogical Plan:\n" + plan::explain_tree(*spec_.plan);
  return text;
}

}  // namespace millstream::stream
