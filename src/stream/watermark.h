// Event-time watermarks of a query: each withWatermark node reports the event times of a batch, and
// the watermark moves behind the latest one. Owned by the run, used on its thread; the arithmetic
// is pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "engine/engine.h"
#include "plan/node.h"

namespace millstream::stream {

// What one withWatermark node saw of a batch. A NULL event time counts as the epoch, as in Spark.
struct EventTimes {
  std::int64_t count = 0;
  std::int64_t min_ms = 0;
  std::int64_t max_ms = 0;
  std::int64_t avg_ms = 0;
};

class WatermarkTracker {
 public:
  // The plan with an observation over each withWatermark node. A plan without any is returned as it
  // is. `operators_pass_it_on`: each operator has a watermark of its own (Spark's allowMultiple);
  // then one cannot be defined over another.
  Result<plan::NodePtr> instrument(plan::NodePtr root, bool operators_pass_it_on = true);

  bool any() const { return !nodes_.empty(); }
  // Takes a metric that instrument() has put in; false: it is the user's.
  bool take(const engine::ObservedMetrics& metrics);
  void begin_batch();
  // The watermark after this batch: never less than `current`. `policy`: "min" or "max" over the
  // nodes; a node that has seen no row in this run counts as 0.
  std::int64_t advance(std::int64_t current, const std::string& policy);
  // "min", "avg", "max" of the first node with rows, and "watermark": ISO times. Empty without
  // withWatermark.
  std::map<std::string, std::string> report(std::int64_t watermark_ms, bool with_batch) const;

 private:
  struct NodeState {
    std::int64_t delay_ms = 0;
    std::int64_t watermark_ms = 0;  // of this node alone, within this run
    EventTimes batch;
  };
  plan::NodePtr rewrite(const plan::NodePtr& node);

  std::vector<NodeState> nodes_;
};

}  // namespace millstream::stream
