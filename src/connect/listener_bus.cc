#include "connect/listener_bus.h"

#include "connect/operation.h"
#include "spark/connect/base.pb.h"

namespace millstream::connect {

ListenerBus::ListenerBus(stream::QueryManager& queries, std::string session_key, Operation& operation)
    : queries_(queries), operation_(operation) {
  queries_.add_listener(session_key, this);
}

ListenerBus::~ListenerBus() { queries_.remove_listener(this); }

void ListenerBus::on_event(const stream::QueryEvent& event) {
  spark::connect::ExecutePlanResponse response;
  auto* out = response.mutable_streaming_query_listener_events_result()->add_events();
  out->set_event_json(event.json);
  out->set_event_type(static_cast<spark::connect::StreamingQueryEventType>(event.kind));
  operation_.post(std::move(response));
}

void ListenerBus::wait(const CancelToken& operation_cancel) {
  const auto id = const_cast<CancelToken&>(operation_cancel).on_cancel([this] { closed_.cancel(); });
  while (!closed_.wait_for(std::chrono::hours(1))) {
  }
  const_cast<CancelToken&>(operation_cancel).forget(id);
}

}  // namespace millstream::connect
