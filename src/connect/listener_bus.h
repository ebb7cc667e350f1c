// ListenerBus: carries the events of a session's streaming queries to the client's StreamingQueryListeners, over one
// ExecutePlan that stays open until the client removes its last listener. Registered with the QueryManager while it lives;
// events come on the queries' threads and are only put into the operation's buffer there. Thread-safe.
#pragma once

#include <memory>

#include "conc/cancel.h"
#include "stream/manager.h"

namespace millstream::connect {

class Operation;

class ListenerBus final : public stream::Listener {
 public:
  ListenerBus(stream::QueryManager& queries, std::string session_key, Operation& operation);
  ~ListenerBus() override;

  void on_event(const stream::QueryEvent& event) override;

  // Ends the stream: wait() returns.
  void close() { closed_.cancel(); }
  void wait(const CancelToken& operation_cancel);

 private:
  stream::QueryManager& queries_;
  Operation& operation_;  // its thread owns this bus
  CancelToken closed_;
};

}  // namespace millstream::connect
