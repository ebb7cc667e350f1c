// ServerSession: a session with what the wire needs beside it: its error log, when it was last
// used, its listener bus. Sessions: the table of them, keyed by user and session id. Both
// thread-safe.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "connect/errors.h"
#include "session/session.h"

namespace millstream::connect {

class FailedQueries;
class ListenerBus;

class ServerSession {
 public:
  explicit ServerSession(std::unique_ptr<session::Session> session);
  ~ServerSession();

  session::Session& session() { return *session_; }
  const std::string& id() const { return session_->id(); }
  const std::string& server_id() const { return session_->server_id(); }
  const std::string& key() const { return session_->key(); }
  ErrorLog& errors() { return errors_; }

  void touch();
  void keep_open() { kept_open_ = true; }  // however long nobody uses it
  bool kept_open() const { return kept_open_; }

  // The streaming queries that operations of this session have started and that still run.
  struct RunningQuery {
    stream::QueryPtr query;
    std::string operation_id;
  };
  void add_query(const stream::QueryPtr& query, std::string operation_id);
  std::vector<RunningQuery> running_queries();
  std::chrono::steady_clock::duration idle_for() const;

  void log_failed_queries();  // from now on; once

  // The client's one listener stream; null when none is registered.
  std::shared_ptr<ListenerBus> listener_bus() const;
  // False when there is one already.
  bool set_listener_bus(std::shared_ptr<ListenerBus> bus);
  std::shared_ptr<ListenerBus> take_listener_bus();

 private:
  std::unique_ptr<session::Session> session_;
  ErrorLog errors_;
  std::atomic<std::chrono::steady_clock::time_point> used_at_;
  std::atomic<bool> kept_open_ = false;
  mutable std::mutex mutex_;
  std::shared_ptr<ListenerBus> bus_;
  struct StartedQuery {
    std::weak_ptr<stream::StreamingQuery> query;  // the query manager owns it
    std::string operation_id;
  };
  std::vector<StartedQuery> queries_;
  std::unique_ptr<FailedQueries> failed_queries_;
};

using SessionPtr = std::shared_ptr<ServerSession>;

class Sessions {
 public:
  explicit Sessions(session::Runtime& runtime) : runtime_(runtime) {}

  // `observed`: the server id that the client has seen. INVALID_HANDLE.{FORMAT, SESSION_CHANGED,
  // SESSION_CLOSED}.
  Result<SessionPtr> open(const std::string& user, const std::string& id,
                          const std::string& observed, bool* is_new);
  // As open, but an unknown session is INVALID_HANDLE.SESSION_NOT_FOUND.
  Result<SessionPtr> find(const std::string& user, const std::string& id,
                          const std::string& observed);
  Result<SessionPtr> clone(const SessionPtr& source, const std::string& new_id);
  // Out of the table; using the id again is SESSION_CLOSED unless it may be opened anew. nullptr:
  // unknown.
  SessionPtr close(const std::string& user, const std::string& id, bool may_reopen);

  std::vector<SessionPtr> all() const;

 private:
  using Key = std::pair<std::string, std::string>;
  Result<SessionPtr> find_locked(const Key& key, const std::string& observed);

  session::Runtime& runtime_;
  mutable std::mutex mutex_;
  std::map<Key, SessionPtr> sessions_;
  std::set<Key> closed_;
  std::deque<Key> closed_order_;
};

}  // namespace millstream::connect
