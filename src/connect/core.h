// Core: what the RPCs of the service work on: sessions, operations, worker threads; and the
// housekeeping that goes on between calls (heartbeats, streams that have had their time, operations
// and sessions that nobody asks for any more). One per server; thread-safe.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "connect/operations.h"
#include "connect/server_session.h"
#include "connect/settings.h"
#include "connect/worker_threads.h"

namespace spark::connect {
class UserContext;
}  // namespace spark::connect

namespace millstream::connect {

struct CoreOptions {
  Settings settings;
  bool log_failures = false;
  std::function<void(const std::string& session_key)>
      on_session;  // a session was opened; may be empty
};

class Core {
 public:
  Core(session::Runtime& runtime, CoreOptions options);
  ~Core();

  Sessions& sessions() { return sessions_; }
  Operations& operations() { return operations_; }
  WorkerThreads& workers() { return workers_; }
  session::Runtime& runtime() { return runtime_; }

  // Opens or finds the session of a request.
  Result<SessionPtr> open_session(const std::string& user, const std::string& id,
                                  const std::string& observed);
  Result<SessionPtr> clone_session(const SessionPtr& source, const std::string& new_id);
  // Stops what runs for a session: its operations, its streaming queries, its listeners.
  void end_session(const SessionPtr& session);
  // The ids of what was really interrupted; for a streaming query, of the operation that started
  // it. Queries are stopped in the background.
  std::vector<std::string> interrupt_all(const SessionPtr& session);
  std::vector<std::string> interrupt_tag(const SessionPtr& session, const std::string& tag);

  void interrupt_everything();  // the server stops
  const Settings& settings() const { return options_.settings; }
  bool logs_failures() const { return options_.log_failures; }
  // Whether a released or finished operation may go; called when something about it has changed.
  void sweep(const OperationPtr& operation);

 private:
  void welcome(const SessionPtr& session);
  void keep_house();
  void visit(const OperationPtr& operation);
  void close_idle_sessions();
  void stop_in_background(stream::QueryPtr query);

  session::Runtime& runtime_;
  const CoreOptions options_;
  Sessions sessions_;
  Operations operations_;
  WorkerThreads workers_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::thread housekeeper_;
};

}  // namespace millstream::connect
