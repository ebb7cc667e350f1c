#include "connect/listener_bus.h"

#include "connect/operation.h"
#include "spark/connect/base.pb.h"

namespace millstream::connect {

ListenerBus::ListenerBus(stream::QueryManager& queries, const std::string& session_key,
                         std::shared_ptr<Operation> operation)
    : queries_(queries), session_key_(session_key), operation_(std::move(operation)) {}

ListenerBus::~ListenerBus() { queries_.remove_listener(this); }

void ListenerBus::open() {
  const std::lock_guard lock(mutex_);
  queries_.add_listener(session_key_, this);
  spark::connect::ExecutePlanResponse added;
  added.mutable_streaming_query_listener_events_result()->set_listener_bus_listener_added(true);
  operation_->post(std::move(added));
}

void ListenerBus::on_event(const stream::QueryEvent& event) {
  const std::lock_guard lock(mutex_);
  spark::connect::ExecutePlanResponse response;
  auto* out = response.mutable_streaming_query_listener_events_result()->add_events();
  out->set_event_json(event.json);
  out->set_event_type(static_cast<spark::connect::StreamingQueryEventType>(event.kind));
  operation_->post(std::move(response));
}

void ListenerBus::wait() {
  CancelToken& interrupted = operation_->cancel_token();
  const auto id = interrupted.on_cancel([this] { closed_.cancel(); });
  while (!closed_.wait_for(std::chrono::hours(1))) {
  }
  interrupted.forget(id);
}

}  // namespace millstream::connect
