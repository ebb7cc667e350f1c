#include "connect/core.h"

#include <algorithm>

#include "base/log.h"
#include "connect/listener_bus.h"
#include "connect/response_stream.h"
#include "spark/connect/base.pb.h"

namespace millstream::connect {
namespace {

namespace proto = spark::connect;

constexpr std::chrono::milliseconds tick{500};

// A sign of life for the client's progress bar and for proxies; Millstream has no stages to tell
// of.
void post_heartbeat(Operation& operation) {
  proto::ExecutePlanResponse response;
  response.mutable_execution_progress();
  operation.post(std::move(response));
}

}  // namespace

Core::Core(session::Runtime& runtime, CoreOptions options)
    : runtime_(runtime),
      options_(std::move(options)),
      sessions_(runtime),
      housekeeper_([this] { keep_house(); }) {
  runtime_.open_clone =
      [this](session::Session& source,
             const std::string& id) -> Result<std::shared_ptr<session::KeptRelations>> {
    TRY_ASSIGN(const SessionPtr found, sessions_.find(source.user_id(), source.id(), ""));
    TRY_ASSIGN(const SessionPtr copy, clone_session(found, id));
    copy->keep_open();
    return copy->session().kept_relations();
  };
  runtime_.close_session = [this](const std::string& user, const std::string& id) {
    if (const SessionPtr closed = sessions_.close(user, id, false)) end_session(closed);
  };
}

Core::~Core() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  housekeeper_.join();
}

Result<SessionPtr> Core::open_session(const std::string& user, const std::string& id,
                                      const std::string& observed) {
  bool is_new = false;
  auto session = sessions_.open(user, id, observed, &is_new);
  if (session.ok() && is_new) welcome(*session);
  return session;
}

Result<SessionPtr> Core::clone_session(const SessionPtr& source, const std::string& new_id) {
  TRY_ASSIGN(auto copy, sessions_.clone(source, new_id));
  welcome(copy);
  return copy;
}

void Core::welcome(const SessionPtr& session) {
  if (options_.log_failures) session->log_failed_queries();
  if (options_.on_session) options_.on_session(session->key());
}

void Core::end_session(const SessionPtr& session) {
  // Queries first: what their functions run in this session is interrupted by the stop, not failed.
  runtime_.queries->stop_all(session->key());
  for (const auto& operation : operations_.of_session(session->key())) operation->interrupt();
  if (const auto bus = session->take_listener_bus()) bus->close();
}

void Core::stop_in_background(stream::QueryPtr query) {
  workers_.submit([query = std::move(query)] {
    if (const Status stopped = query->stop(); !stopped.ok())
      log_warn("stopping a query: {}", stopped.to_string());
  });
}

std::vector<std::string> Core::interrupt_all(const SessionPtr& session) {
  std::vector<std::string> ids;
  for (const auto& operation : operations_.of_session(session->key())) {
    if (operation->interrupt()) ids.push_back(operation->id());
  }
  for (auto& [query, operation_id] : session->running_queries()) {
    ids.push_back(operation_id);
    stop_in_background(std::move(query));
  }
  return ids;
}

std::vector<std::string> Core::interrupt_tag(const SessionPtr& session, const std::string& tag) {
  const auto has_tag = [&](const std::vector<std::string>& tags) {
    return std::find(tags.begin(), tags.end(), tag) != tags.end();
  };
  std::vector<std::string> ids;
  for (const auto& operation : operations_.of_session(session->key())) {
    if (has_tag(operation->spec().tags) && operation->interrupt()) ids.push_back(operation->id());
  }
  for (auto& [query, operation_id] : session->running_queries()) {
    if (!has_tag(query->tags())) continue;
    ids.push_back(operation_id);
    stop_in_background(std::move(query));
  }
  return ids;
}

void Core::interrupt_everything() {
  for (const auto& session : sessions_.all()) {
    if (const auto bus = session->take_listener_bus()) bus->close();
  }
  for (const auto& operation : operations_.all()) operation->interrupt();
}

void Core::sweep(const OperationPtr& operation) {
  if (operation->disposable()) operations_.remove(operation);
}

void Core::visit(const OperationPtr& operation) {
  if (const auto stream = operation->stream()) {
    stream->pump();  // it may have had its time
  } else if (const auto detached = operation->detached_for();
             detached && operation->spec().reattachable &&
             *detached > options_.settings.detached_timeout) {
    operation->release_all();
  }
  sweep(operation);
}

void Core::close_idle_sessions() {
  if (options_.settings.session_timeout < Milliseconds(0)) return;
  for (const auto& session : sessions_.all()) {
    for (const auto& operation : operations_.of_session(session->key())) {
      if (operation->stream() != nullptr) session->touch();  // somebody waits for an answer
    }
    if (session->kept_open() || session->idle_for() < options_.settings.session_timeout) continue;
    sessions_.close(session->session().user_id(), session->id(), false);
    workers_.submit([this, session] { end_session(session); });
  }
}

void Core::keep_house() {
  const auto sessions_every =
      std::min(options_.settings.session_maintenance,
               std::max(options_.settings.session_timeout, Milliseconds(0)));
  auto next_sessions = std::chrono::steady_clock::now();
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      if (wake_.wait_for(lock, tick, [&] { return stopping_; })) return;
    }
    const auto now = std::chrono::steady_clock::now();
    for (const auto& operation : operations_.all()) {
      visit(operation);
      if (operation->take_heartbeat(now)) post_heartbeat(*operation);
    }
    if (now < next_sessions) continue;
    next_sessions = now + sessions_every;
    close_idle_sessions();
  }
}

}  // namespace millstream::connect
