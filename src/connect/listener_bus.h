// ListenerBus: carries the events of a session's streaming queries to the client's
// StreamingQueryListeners, over one ExecutePlan that stays open until the client removes its last
// listener. Registered with the QueryManager while it lives; events come on the queries' threads
// and are only put into the operation's buffer there. Thread-safe.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "conc/cancel.h"
#include "stream/manager.h"

namespace millstream::connect {

class Operation;

class ListenerBus final : public stream::Listener {
 public:
  ListenerBus(stream::QueryManager& queries, const std::string& session_key,
              std::shared_ptr<Operation> operation);
  ~ListenerBus() override;

  // Tells the client that it is there; events follow, never precede.
  void open();
  void on_event(const stream::QueryEvent& event) override;

  // Ends the stream: wait() returns.
  void close() { closed_.cancel(); }
  void wait();  // for close(), or the operation's interruption

 private:
  stream::QueryManager& queries_;
  const std::string session_key_;
  std::shared_ptr<Operation> operation_;
  CancelToken closed_;
  std::mutex mutex_;  // order of what is posted
};

}  // namespace millstream::connect
