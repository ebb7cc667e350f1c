// StreamingQueryListener: hears of the streaming queries of a session, as
// spark.streams().add_listener asks. Times are texts in UTC, "2024-02-29T10:00:00.000Z"; progress
// is Spark's JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace millstream::api {

struct QueryStartedEvent {
  std::string id;      // of the checkpoint
  std::string run_id;  // of this start
  std::string name;    // empty: none
  std::string timestamp;
};
struct QueryProgressEvent {
  std::string id;
  std::string run_id;
  std::string name;
  std::int64_t batch_id = 0;
  std::string progress;  // as StreamingQuery::last_progress() gives it
};
// A trigger found nothing to do.
struct QueryIdleEvent {
  std::string id;
  std::string run_id;
  std::string timestamp;
};
struct QueryTerminatedEvent {
  std::string id;
  std::string run_id;
  std::optional<std::string> exception;  // none: it was stopped, or had done what it was to do
  std::optional<std::string> error_class_on_exception;
};

// Calls come one at a time: that of a start on the thread that starts the query, before start()
// returns; all others on a thread of the session, after what they tell of has happened. What a call
// throws is written to stderr and forgotten. A call may use the session, add and remove listeners;
// while it lasts, others wait.
class StreamingQueryListener {
 public:
  virtual ~StreamingQueryListener() = default;
  virtual void on_query_started(const QueryStartedEvent&) {}
  virtual void on_query_progress(const QueryProgressEvent&) {}
  virtual void on_query_idle(const QueryIdleEvent&) {}
  virtual void on_query_terminated(const QueryTerminatedEvent&) {}
  // Nothing more comes: the server was lost, or ended the session. The listener has been removed.
  virtual void on_lost(const std::string& /*why*/) {}
};

}  // namespace millstream::api
