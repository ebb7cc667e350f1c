#include "stream/run.h"

#include <algorithm>

#include "base/log.h"
#include "base/text.h"
#include "stream/trigger.h"

namespace millstream::stream {

StreamRun::StreamRun(const QuerySpec& spec, std::string id, std::string run_id,
                     RunEnvironment environment, RunObserver& observer)
    : spec_(spec),
      id_(std::move(id)),
      run_id_(std::move(run_id)),
      environment_(std::move(environment)),
      observer_(observer),
      retain_(conf_int("spark.sql.streaming.minBatchesToRetain", 100)),
      idle_interval_ms_(conf_int("spark.sql.streaming.noDataProgressEventInterval", 10'000)),
      polling_delay_ms_(conf_int("spark.sql.streaming.pollingDelay", 10)),
      checkpoint_(environment_.store, spec.checkpoint) {}

StreamRun::~StreamRun() = default;

std::int64_t StreamRun::conf_int(const char* key, std::int64_t fallback) const {
  const auto found = spec_.conf.find(key);
  if (found == spec_.conf.end()) return fallback;
  std::string_view text = found->second;
  if (text.ends_with("ms")) text.remove_suffix(2);
  return parse_int64(text).value_or(fallback);
}

Status StreamRun::run() {
  TRY(initialize());
  switch (spec_.trigger.kind) {
    case Trigger::Kind::processing_time:
      return run_processing_time();
    case Trigger::Kind::once: {
      TRY_ASSIGN([[maybe_unused]] const bool ran, one_trigger(true));
      return Status::OK();
    }
    case Trigger::Kind::available_now:
      return run_available_now();
  }
  return Status::OK();
}

Status StreamRun::initialize() {
  observer_.set_message("Initializing sources");
  const auto multiple = spec_.conf.find("spark.sql.streaming.statefulOperator.allowMultiple");
  TRY_ASSIGN(plan::NodePtr root,
             watermarks_.instrument(spec_.plan, multiple == spec_.conf.end() ||
                                                    parse_bool(multiple->second).value_or(true)));
  plan_ = inspect(std::move(root));
  TRY(checkpoint_.load());
  TRY_ASSIGN(const LogState log, read_log_state(checkpoint_));
  initialized_ = true;  // from here on errors show the plan
  TRY_ASSIGN(RecoveryPlan recovery, plan_recovery(log, plan_.tables.size(), spec_.conf));
  if (!recovery.warning.empty()) log_warn("{}", recovery.warning);
  batch_ = recovery.batch;
  is_constructed_ = recovery.is_constructed;
  watermark_ms_ = recovery.watermark_ms;
  timestamp_ms_ = recovery.timestamp_ms;
  conf_ = std::move(recovery.conf);
  for (std::size_t i = 0; i < plan_.tables.size(); ++i) {
    auto state = std::make_unique<SourceState>();
    state->start = recovery.start[i];
    state->end = recovery.end[i];
    sources_.push_back(std::move(state));
  }
  TRY(open_sources());
  return spec_.sink->prepare(plan_.schema, spec_.mode);
}

Status StreamRun::open_sources() {
  all_sources_available_now_ = true;
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    connector::SourceContext context;
    context.store = environment_.store;
    context.metadata_path = fmt::format("{}/sources/{}", spec_.checkpoint, i);
    context.clock = environment_.clock;
    context.last_logged_offset = sources_[i]->end;
    TRY_ASSIGN(sources_[i]->source, plan_.tables[i]->open(context));
    auto* follower = dynamic_cast<connector::EventTimeFollower*>(sources_[i]->source.get());
    if (follower != nullptr) TRY(follower->follow(event_time_of(plan_, i)));
    sources_[i]->description = sources_[i]->source->description();
    if (sources_[i]->source->supports_available_now()) continue;
    all_sources_available_now_ = false;
    if (spec_.trigger.kind == Trigger::Kind::available_now) {
      log_warn("{} does not support Trigger.AvailableNow: the query runs as one single batch",
               sources_[i]->description);
    }
  }
  if (spec_.trigger.kind != Trigger::Kind::available_now || !all_sources_available_now_) {
    return Status::OK();
  }
  for (const auto& state : sources_) TRY(state->source->prepare_for_available_now());
  return Status::OK();
}

Status StreamRun::run_processing_time() {
  const std::int64_t interval = spec_.trigger.interval_ms;
  const auto& wait =
      environment_.wait_for_request ? environment_.wait_for_request : environment_.sleep;
  std::int64_t newest_data = environment_.clock->now_ms();
  while (!cancelled()) {
    const std::int64_t began = environment_.clock->now_ms();
    TRY_ASSIGN(const bool ran, one_trigger(false));
    observer_.set_message("Waiting for next trigger");
    const std::int64_t now = environment_.clock->now_ms();
    if (ran) newest_data = now;
    if (interval == 0) {
      if (ran) continue;
      const std::int64_t pause = polling_pause_ms(polling_delay_ms_, now - newest_data);
      if (wait(std::chrono::milliseconds(pause))) return Status::OK();
      continue;
    }
    if (now - began > interval) {
      log_warn("query {} is falling behind: a batch took {} ms, the trigger interval is {} ms", id_,
               now - began, interval);
    }
    const std::int64_t pause =
        std::max(next_trigger_ms(began, interval) - now, ran ? 0 : polling_delay_ms_);
    if (pause > 0 && environment_.sleep(std::chrono::milliseconds(pause))) return Status::OK();
  }
  return Status::OK();
}

Status StreamRun::run_available_now() {
  if (!all_sources_available_now_) {
    TRY_ASSIGN([[maybe_unused]] const bool ran, one_trigger(true));
    return Status::OK();
  }
  while (!cancelled()) {
    TRY_ASSIGN(const bool ran, one_trigger(false));
    if (!ran) break;
  }
  return Status::OK();
}

Result<bool> StreamRun::one_trigger(bool all) {
  const std::uint64_t request = observer_.begin_trigger();
  last_trigger_started_ms_ = trigger_started_ms_;
  trigger_started_ms_ = environment_.clock->now_ms();
  trigger_started_ns_ = environment_.clock->monotonic_ns();
  phases_ns_.clear();
  observer_.set_flags(false, true);
  bool new_data = false;
  {
    const Timer timer(*this, "triggerExecution");
    if (!is_constructed_) {
      TRY_ASSIGN(is_constructed_, construct_batch(all));
    }
    for (const auto& state : sources_) new_data = new_data || state->end != state->start;
    observer_.set_flags(new_data, true);
    if (is_constructed_) {
      observer_.set_message(new_data ? "Processing new data" : "No new data but cleaning up state");
      TRY(run_batch());
    } else {
      observer_.set_message("Waiting for data to arrive");
    }
  }
  const bool ran = is_constructed_;
  trigger_duration_ms_ = (environment_.clock->monotonic_ns() - trigger_started_ns_) / 1'000'000;
  finish_trigger(ran, new_data);
  if (ran) {
    for (const auto& state : sources_) state->start = state->end;
    ++batch_;
    is_constructed_ = false;
  } else {
    observer_.no_new_data(request);
  }
  return ran;
}

}  // namespace millstream::stream
