// All streaming queries of the process: starts them, guards that one checkpoint has one live query
// (here and in other processes), remembers ended ones, tells listeners. Thread-safe; one per
// process.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "engine/engine.h"
#include "io/store.h"
#include "stream/query.h"

namespace millstream::stream {

struct QueryEvent {
  enum class Kind : std::uint8_t { progress = 1, terminated = 2, idle = 3 };
  Kind kind;
  std::string
      json;  // as Spark's listener bus sends it: {"progress":{…}}, {"id":…,"runId":…,"exception":…}
};

class Listener {
 public:
  virtual ~Listener() = default;
  virtual void on_event(const QueryEvent& event) = 0;  // on the query's thread: must not block
};

class QueryManager {
 public:
  static std::unique_ptr<QueryManager> create(engine::Engine& engine,
                                              std::shared_ptr<io::Store> store, Clock& clock);
  virtual ~QueryManager() = default;  // stops all queries

  // Returns when the query's thread has begun; errors of the checkpoint's metadata and of the plan
  // come from here, errors of the run through the query. `started_event_json` gets the
  // QueryStartedEvent.
  virtual Result<QueryPtr> start(QuerySpec spec, std::string* started_event_json) = 0;

  // Of all sessions where the key is empty.
  virtual std::vector<QueryPtr> active(const std::string& session_key) const = 0;
  // By id, of any state; ended ones are remembered for an hour. nullptr: unknown. `run_id` empty:
  // the newest run.
  virtual QueryPtr find(const std::string& id, const std::string& run_id) const = 0;
  virtual Result<bool> await_any_termination(const std::string& session_key,
                                             std::optional<std::chrono::milliseconds> timeout,
                                             const CancelToken* cancel) = 0;
  virtual void reset_terminated(const std::string& session_key) = 0;
  virtual void stop_all(const std::string& session_key) = 0;

  // Events of the queries of one session. Unregister before the listener dies.
  virtual void add_listener(const std::string& session_key, Listener* listener) = 0;
  virtual void remove_listener(Listener* listener) = 0;
};

}  // namespace millstream::stream
