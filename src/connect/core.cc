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
      housekeeper_([this] { keep_house(); }) {}

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
  if (session.ok() && is_new && options_.on_session) options_.on_session((*session)->key());
  return session;
}

void Core::end_session(const SessionPtr& session) {
  for (const auto& operation : operations_.of_session(session->key())) operation->interrupt();
  if (const auto bus = session->take_listener_bus()) bus->close();
  runtime_.queries->stop_all(session->key());
}

std::vector<std::string> Core::interrupt_all(const SessionPtr& session) {
  std::vector<std::string> ids;
  for (const auto& operation : operations_.of_session(session->key())) {
    if (operation->interrupt()) ids.push_back(operation->id());
  }
  workers_.submit([this, session] { runtime_.queries->stop_all(session->key()); });
  return ids;
}

std::vector<std::string> Core::interrupt_tag(const SessionPtr& session, const std::string& tag) {
  std::vector<std::string> ids;
  for (const auto& operation : operations_.of_session(session->key())) {
    const auto& tags = operation->spec().tags;
    if (std::find(tags.begin(), tags.end(), tag) != tags.end() && operation->interrupt()) {
      ids.push_back(operation->id());
    }
  }
  for (const auto& query : runtime_.queries->active(session->key())) {
    if (std::find(query->tags().begin(), query->tags().end(), tag) == query->tags().end()) continue;
    workers_.submit([query] {
      if (const Status stopped = query->stop(); !stopped.ok())
        log_warn("stopping a query: {}", stopped.to_string());
    });
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
             detached && operation->spec().reattachable && *detached > options_.detached_time_max) {
    operation->release_all();
  }
  sweep(operation);
}

void Core::keep_house() {
  auto next_report = std::chrono::steady_clock::now() + options_.report_interval;
  auto next_sessions = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      if (wake_.wait_for(lock, tick, [&] { return stopping_; })) return;
    }
    const auto operations = operations_.all();
    for (const auto& operation : operations) visit(operation);

    const auto now = std::chrono::steady_clock::now();
    if (now >= next_report) {
      next_report = now + options_.report_interval;
      for (const auto& operation : operations) {
        if (operation->wants_heartbeat()) post_heartbeat(*operation);
      }
    }
    if (now < next_sessions) continue;
    next_sessions = now + std::min<std::chrono::milliseconds>(std::chrono::seconds(30),
                                                              options_.session_idle_max);
    for (const auto& session : sessions_.all()) {
      for (const auto& operation : operations_.of_session(session->key())) {
        if (operation->stream() != nullptr) session->touch();  // somebody waits for an answer
      }
      if (session->idle_for() < options_.session_idle_max) continue;
      sessions_.close(session->session().user_id(), session->id(), false);
      workers_.submit([this, session] { end_session(session); });
    }
  }
}

}  // namespace millstream::connect
