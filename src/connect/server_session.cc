#include "connect/server_session.h"

#include "base/random.h"
#include "connect/failure_log.h"
#include "connect/listener_bus.h"

namespace millstream::connect {
namespace {

constexpr std::size_t closed_max = 1000;

Status handle_error(const char* what, const std::string& id) {
  return Status::error(std::string("INVALID_HANDLE.") + what, {{"handle", id}});
}

}  // namespace

ServerSession::ServerSession(std::unique_ptr<session::Session> session)
    : session_(std::move(session)), used_at_(std::chrono::steady_clock::now()) {}

ServerSession::~ServerSession() = default;

void ServerSession::touch() { used_at_ = std::chrono::steady_clock::now(); }

std::chrono::steady_clock::duration ServerSession::idle_for() const {
  return std::chrono::steady_clock::now() - used_at_.load();
}

void ServerSession::log_failed_queries() {
  failed_queries_ = std::make_unique<FailedQueries>(*session_->runtime().queries, *this);
}

void ServerSession::add_query(const stream::QueryPtr& query, std::string operation_id) {
  const std::lock_guard lock(mutex_);
  std::erase_if(queries_, [](const StartedQuery& started) {
    const auto kept = started.query.lock();
    return kept == nullptr || !kept->active();
  });
  queries_.push_back({query, std::move(operation_id)});
}

std::vector<ServerSession::RunningQuery> ServerSession::running_queries() {
  const std::lock_guard lock(mutex_);
  std::vector<RunningQuery> running;
  for (const StartedQuery& started : queries_) {
    auto query = started.query.lock();
    if (query != nullptr && query->active())
      running.push_back({std::move(query), started.operation_id});
  }
  return running;
}

std::shared_ptr<ListenerBus> ServerSession::listener_bus() const {
  const std::lock_guard lock(mutex_);
  return bus_;
}

bool ServerSession::set_listener_bus(std::shared_ptr<ListenerBus> bus) {
  const std::lock_guard lock(mutex_);
  if (bus_ != nullptr) return false;
  bus_ = std::move(bus);
  return true;
}

std::shared_ptr<ListenerBus> ServerSession::take_listener_bus() {
  const std::lock_guard lock(mutex_);
  return std::move(bus_);
}

Result<SessionPtr> Sessions::find_locked(const Key& key, const std::string& observed) {
  if (!is_uuid(key.second)) return handle_error("FORMAT", key.second);
  if (closed_.contains(key)) return handle_error("SESSION_CLOSED", key.second);
  const auto found = sessions_.find(key);
  if (found == sessions_.end()) return handle_error("SESSION_NOT_FOUND", key.second);
  if (!observed.empty() && observed != found->second->server_id())
    return handle_error("SESSION_CHANGED", key.second);
  found->second->touch();
  return found->second;
}

Result<SessionPtr> Sessions::open(const std::string& user, const std::string& id,
                                  const std::string& observed, bool* is_new) {
  const std::lock_guard lock(mutex_);
  auto found = find_locked({user, id}, observed);
  if (found.ok() || !found.status().is("INVALID_HANDLE.SESSION_NOT_FOUND")) return found;
  // The client has seen a session of this id that this server does not have: the server was started
  // anew.
  if (!observed.empty()) return handle_error("SESSION_CHANGED", id);
  auto session =
      std::make_shared<ServerSession>(std::make_unique<session::Session>(runtime_, user, id));
  sessions_.emplace(Key{user, id}, session);
  *is_new = true;
  return session;
}

Result<SessionPtr> Sessions::find(const std::string& user, const std::string& id,
                                  const std::string& observed) {
  const std::lock_guard lock(mutex_);
  return find_locked({user, id}, observed);
}

Result<SessionPtr> Sessions::clone(const SessionPtr& source, const std::string& new_id) {
  const ErrorParameters parameters{{"targetSessionId", new_id}};
  if (!is_uuid(new_id))
    return Status::error("INVALID_CLONE_SESSION_REQUEST.TARGET_SESSION_ID_FORMAT", parameters);
  TRY_ASSIGN(auto copy, source->session().clone(new_id));
  const Key key{source->session().user_id(), new_id};
  const std::lock_guard lock(mutex_);
  if (closed_.contains(key)) {
    return Status::error("INVALID_CLONE_SESSION_REQUEST.TARGET_SESSION_ID_ALREADY_CLOSED",
                         parameters);
  }
  if (sessions_.contains(key)) {
    return Status::error("INVALID_CLONE_SESSION_REQUEST.TARGET_SESSION_ID_ALREADY_EXISTS",
                         parameters);
  }
  auto session = std::make_shared<ServerSession>(std::move(copy));
  sessions_.emplace(key, session);
  return session;
}

SessionPtr Sessions::close(const std::string& user, const std::string& id, bool may_reopen) {
  const Key key{user, id};
  const std::lock_guard lock(mutex_);
  SessionPtr session;
  if (const auto found = sessions_.find(key); found != sessions_.end()) {
    session = std::move(found->second);
    sessions_.erase(found);
  }
  if (may_reopen) {
    closed_.erase(key);
  } else if (session != nullptr && closed_.insert(key).second) {
    closed_order_.push_back(key);
    if (closed_order_.size() > closed_max) {
      closed_.erase(closed_order_.front());
      closed_order_.pop_front();
    }
  }
  return session;
}

std::vector<SessionPtr> Sessions::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<SessionPtr> all;
  for (const auto& [key, session] : sessions_) all.push_back(session);
  return all;
}

}  // namespace millstream::connect
