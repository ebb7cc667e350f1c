// The engine: runs a resolved plan. It lowers the tree to one DuckDB statement over Arrow streams,
// with Spark's meaning kept by casts and own functions; a plan that only picks and renames the
// columns of one scan skips DuckDB and keeps the scan's partitions. One Engine a process (memory
// limit, threads, spill folder); any thread may execute.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "conc/cancel.h"
#include "connector/batches.h"
#include "plan/node.h"

namespace millstream::engine {

// One observe() result: the names and values of its row.
struct ObservedMetrics {
  std::string name;
  std::optional<std::int64_t> plan_id;
  column::Schema schema;
  connector::RecordBatchPtr row;  // one row
};

struct ExecutionContext {
  std::string time_zone = "UTC";
  std::int64_t timestamp_us = 0;        // current_timestamp() of this execution
  const CancelToken* cancel = nullptr;  // may be null
  // The rows of each StreamScan, by node; a StreamScan without entry is empty.
  std::map<const plan::Node*, connector::Batches> stream_inputs;
  // Called once for each CollectMetrics, when its input is used up. May be empty.
  std::function<void(ObservedMetrics)> on_metrics;
  // Called with the number of rows that came out of each scan node, while they come. May be empty.
  // Any thread.
  std::function<void(const plan::Node*, std::int64_t)> on_input_rows;
};

struct EngineSettings {
  std::int64_t memory_bytes_max = 0;  // 0: DuckDB's default
  int threads = 0;                    // 0: as many as cores
  std::string spill_directory;        // empty: none
};

class Engine {
 public:
  static Result<std::unique_ptr<Engine>> create(const EngineSettings& settings);
  virtual ~Engine() = default;

  // The rows of `node` (its visible columns). Work happens while the partitions are read; `context`
  // is copied.
  virtual Result<connector::Batches> execute(const plan::NodePtr& node,
                                             const ExecutionContext& context) = 0;
};

// For explain(). What runs a plan: the rows of a scan as they are, or one DuckDB statement over the
// scans; what each operator does is the plan's own tree.
std::string explain_physical(const plan::Node& node);
// The same with a number for each operator, and its columns and arguments beneath the tree.
std::string explain_formatted(const plan::Node& node);
// The statement that DuckDB gets; empty: none is needed.
Result<std::string> explain_statement(const plan::NodePtr& node, const std::string& time_zone);

}  // namespace millstream::engine
