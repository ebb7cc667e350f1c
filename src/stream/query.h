// A running streaming query as its users see it. The work is done by StreamExecution on the query's
// own thread; everything here is thread-safe and stays readable after the query has ended.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "conc/cancel.h"
#include "connector/sink.h"
#include "plan/node.h"

namespace millstream::stream {

struct Trigger {
  enum class Kind : std::uint8_t {
    processing_time,  // interval_ms; 0: as soon as the last batch has ended
    once,             // one batch of everything (deprecated)
    available_now,    // everything that is there at start, in batches
  };
  Kind kind = Kind::processing_time;
  std::int64_t interval_ms = 0;
};

// "10 seconds", "500 milliseconds", "interval 1 minute": Spark's rules for a processing-time
// trigger, with its errors (INVALID_INTERVAL_FORMAT, no months, not negative).
Result<Trigger> parse_processing_time(std::string_view interval);

// What start() needs. The plan is resolved; its StreamScan nodes name the sources, in plan order.
struct QuerySpec {
  plan::NodePtr plan;
  std::shared_ptr<connector::Sink> sink;
  connector::OutputMode mode = connector::OutputMode::append;
  Trigger trigger;
  std::string name;                   // empty: none
  std::string checkpoint;             // absolute path
  bool temporary_checkpoint = false;  // removed when the query stops without error
  std::map<std::string, std::string>
      conf;  // the session's settings at start, Spark's names; defaults filled in
  std::string time_zone = "UTC";
  std::vector<std::string> tags;  // the operation tags it was started under
  std::string session_key;        // who started it; for active() and interrupt
  // The table that a memory sink fills, etc.: called once when the query has ended.
  std::function<void()> on_end;
};

struct QueryStatus {
  std::string message;
  bool data_available = false;
  bool trigger_active = false;
  bool active = false;
};

// Spark's two forms of one progress (spec: spark-connect 3.1).
struct Progress {
  std::string stored_json;  // lastProgress/recentProgress: offsets are strings
  std::string event_json;   // listener events: offsets are parsed JSON, totals at the top
};

class StreamingQuery {
 public:
  virtual ~StreamingQuery() = default;
  virtual const std::string& id() const = 0;
  virtual const std::string& run_id() const = 0;
  virtual const std::string& name() const = 0;  // empty: none
  virtual const std::vector<std::string>& tags() const = 0;
  virtual const std::string& session_key() const = 0;
  virtual bool active() const = 0;
  virtual QueryStatus status() const = 0;
  virtual std::vector<Progress> recent_progress() const = 0;  // oldest first
  virtual std::optional<Status> exception() const = 0;        // STREAM_FAILED with its cause
  virtual std::string exception_text()
      const = 0;  // "Class: message\n=== Streaming Query ===…"; empty: none
  virtual std::string explain(bool extended) const = 0;
  // True when it has ended (then an error is returned when it failed). No timeout: waits for the
  // end or for `cancel`.
  virtual Result<bool> await_termination(std::optional<std::chrono::milliseconds> timeout,
                                         const CancelToken* cancel) = 0;
  virtual Status process_all_available(const CancelToken* cancel) = 0;
  virtual Status stop() = 0;  // waits until the thread has ended
};

using QueryPtr = std::shared_ptr<StreamingQuery>;

}  // namespace millstream::stream
