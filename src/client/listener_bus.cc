#include "client/listener_bus.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "client/connection.h"
#include "client/drop_elsewhere.h"
#include "client/errors.h"
#include "spark/connect/base.pb.h"

namespace millstream::client {
namespace {

namespace proto = spark::connect;
using nlohmann::json;

std::string text(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<std::string> text_or_none(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}

json parse_object(const std::string& text) {
  json parsed = json::parse(text, nullptr, false);
  return parsed.is_object() ? parsed : json::object();
}

api::QueryProgressEvent progress_of(const json& event) {
  const auto found = event.find("progress");
  const json progress = found != event.end() && found->is_object() ? *found : json::object();
  const auto batch = progress.find("batchId");
  return {text(progress, "id"), text(progress, "runId"), text(progress, "name"),
          batch != progress.end() && batch->is_number_integer() ? batch->get<std::int64_t>() : 0,
          progress.dump()};
}

api::QueryTerminatedEvent terminated_of(const json& event) {
  return {text(event, "id"), text(event, "runId"), text_or_none(event, "exception"),
          text_or_none(event, "errorClassOnException")};
}

proto::Command bus_command(bool is_add) {
  proto::Command command;
  auto* bus = command.mutable_streaming_query_listener_bus_command();
  if (is_add) {
    bus->set_add_listener_bus_listener(true);
  } else {
    bus->set_remove_listener_bus_listener(true);
  }
  return command;
}

void warn(const char* what) { std::fprintf(stderr, "a StreamingQueryListener threw: %s\n", what); }

}  // namespace

ListenerBus::~ListenerBus() { close(); }

bool ListenerBus::is_within() const {
  const std::lock_guard lock(mutex_);
  const auto here = std::this_thread::get_id();
  return is_listening_ && (thread_id_ == here || calling_ == here);
}

bool ListenerBus::is_empty() const {
  const std::lock_guard lock(mutex_);
  return listeners_.empty();
}

void ListenerBus::add(ListenerPtr listener) {
  const auto append = [&] {
    const std::lock_guard lock(mutex_);
    listeners_.push_back(listener);
  };
  if (is_within()) return append();
  const std::lock_guard control(control_);
  append();
  try {
    listen();
  } catch (...) {
    const std::lock_guard lock(mutex_);
    std::erase(listeners_, listener);
    throw;
  }
}

void ListenerBus::remove(const ListenerPtr& listener) {
  {
    const std::lock_guard lock(mutex_);
    std::erase(listeners_, listener);
  }
  if (is_within()) return;
  const std::lock_guard control(control_);
  if (is_empty()) stop_listening();
  const std::lock_guard posting(posting_);  // a call that is under way ends
}

void ListenerBus::close() {
  {
    const std::lock_guard lock(mutex_);
    listeners_.clear();
  }
  if (is_within()) return;
  const std::lock_guard control(control_);
  stop_listening();
}

void ListenerBus::listen() {
  {
    const std::lock_guard lock(mutex_);
    if (is_listening_) return;
  }
  if (thread_.joinable()) thread_.join();
  const auto added = std::make_shared<std::promise<void>>();
  auto is_added = added->get_future();
  {
    const std::lock_guard lock(mutex_);
    is_listening_ = true;
    thread_ = std::thread([this, added] { run(added.get()); });
    thread_id_ = thread_.get_id();
  }
  is_added.get();
}

void ListenerBus::stop_listening() {
  if (!thread_.joinable()) return;
  connection_.try_execute(bus_command(false));  // a session that has ended has ended the thread too
  thread_.join();
}

void ListenerBus::run(std::promise<void>* added) {
  bool is_added = false;
  std::exception_ptr failure;  // before it was added
  std::string why = "the server ended it";
  try {
    connection_.execute(bus_command(true), [&](const proto::ExecutePlanResponse& response) {
      if (!response.has_streaming_query_listener_events_result()) return;
      const auto& result = response.streaming_query_listener_events_result();
      if (result.listener_bus_listener_added() && !std::exchange(is_added, true))
        added->set_value();
      for (const auto& event : result.events()) on_event(event);
    });
    if (!is_added) throw api::SparkException("another client of this session listens already");
  } catch (const std::exception& error) {
    why = error.what();
    if (!is_added) failure = std::current_exception();
  }
  // Whoever is still there has not been removed, and hears that nothing more comes.
  if (is_added) post([&](auto& one) { one.on_lost(why); });
  {
    const std::lock_guard lock(mutex_);
    if (is_added) listeners_.clear();
    is_listening_ = false;
  }
  if (failure) added->set_exception(failure);
}

void ListenerBus::on_event(const proto::StreamingQueryListenerEvent& event) {
  const json fields = parse_object(event.event_json());
  switch (event.event_type()) {
    case proto::QUERY_PROGRESS_EVENT:
      return post([told = progress_of(fields)](auto& one) { one.on_query_progress(told); });
    case proto::QUERY_TERMINATED_EVENT:
      return post([told = terminated_of(fields)](auto& one) { one.on_query_terminated(told); });
    case proto::QUERY_IDLE_EVENT:
      return post([told = api::QueryIdleEvent{text(fields, "id"), text(fields, "runId"),
                                              text(fields, "timestamp")}](auto& one) {
        one.on_query_idle(told);
      });
    default:  // of a newer server
      return;
  }
}

std::unique_lock<std::recursive_mutex> ListenerBus::hold_calls() {
  if (is_empty()) return {};
  return std::unique_lock(posting_);
}

void ListenerBus::on_started(const std::string& event_json) {
  const json fields = parse_object(event_json);
  post([told = api::QueryStartedEvent{text(fields, "id"), text(fields, "runId"),
                                      text(fields, "name"), text(fields, "timestamp")}](auto& one) {
    one.on_query_started(told);
  });
}

std::thread::id ListenerBus::set_calling(std::thread::id thread) {
  const std::lock_guard lock(mutex_);
  return std::exchange(calling_, thread);
}

void ListenerBus::post(const Call& call) {
  // What a call lets go of may be the last session, whose end waits for this thread.
  struct Held {
    std::vector<ListenerPtr> listeners;
    std::shared_ptr<Connection> connection;
  };
  const auto held = std::make_shared<Held>();
  held->connection = connection_.weak_from_this().lock();
  {
    const std::lock_guard lock(mutex_);
    held->listeners = listeners_;
  }
  if (held->listeners.empty() || held->connection == nullptr) return;
  {
    const std::lock_guard posting(posting_);
    const auto outer = set_calling(std::this_thread::get_id());
    for (const ListenerPtr& listener : held->listeners) {
      try {
        call(*listener);
      } catch (const std::exception& error) {
        warn(error.what());
      } catch (...) {
        warn("an exception that is no std::exception");
      }
    }
    set_calling(outer);
  }
  drop_elsewhere(held);
}

}  // namespace millstream::client
