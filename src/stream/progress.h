// The report of one trigger, and its two JSON forms. Pure functions of values; used by the query's
// thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "stream/query.h"

namespace millstream::stream {

struct SourceReport {
  std::string description;
  std::optional<std::string> start;  // offsets, as the source prints them
  std::optional<std::string> end;
  std::optional<std::string> latest;
  std::int64_t rows = 0;
  std::map<std::string, std::string> metrics;
};

struct TriggerReport {
  std::string id;
  std::string run_id;
  std::string name;             // empty: none
  std::int64_t started_ms = 0;  // since the epoch
  std::int64_t batch = 0;       // that ran, or would be next
  std::int64_t duration_ms = 0;
  std::optional<std::int64_t>
      since_last_ms;  // from the trigger before; nothing: the first of the run
  std::map<std::string, std::int64_t> phases_ms;
  std::map<std::string, std::string>
      event_time;  // min, avg, max, watermark: ISO times; empty: no watermark
  std::vector<SourceReport> sources;
  std::string sink;
  std::int64_t rows_out = -1;
  std::vector<engine::ObservedMetrics> observed;
};

Progress render_progress(const TriggerReport& report);

// Rates with one decimal, halves away from zero, as Java prints doubles. NaN and infinities have no
// text.
std::optional<std::string> rate_text(double rate);

std::string started_event_json(const std::string& id, const std::string& run_id,
                               const std::string& name, std::int64_t now_ms,
                               const std::vector<std::string>& tags);
std::string idle_event_json(const std::string& id, const std::string& run_id, std::int64_t now_ms);
// `exception`: class and message of the cause; `condition`: its Spark condition. Empty: null.
std::string terminated_event_json(const std::string& id, const std::string& run_id,
                                  const std::string& exception, const std::string& condition);

// One observed row: {"n":5,"mx":4} and [5,4].
std::string observed_object(const engine::ObservedMetrics& metrics);
std::string observed_values(const engine::ObservedMetrics& metrics);

}  // namespace millstream::stream
