// ListenerBus: the listeners of a connection's streaming queries. From the first to the last of
// them a thread reads the server's events, from one operation that stays open.
//
// Thread-safe. On that thread and within a listener's call nothing waits for the thread.
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "millstream/listeners.h"

namespace spark::connect {
class StreamingQueryListenerEvent;
}  // namespace spark::connect

namespace millstream::client {

class Connection;

class ListenerBus {
 public:
  using ListenerPtr = std::shared_ptr<api::StreamingQueryListener>;

  explicit ListenerBus(Connection& connection) : connection_(connection) {}
  ~ListenerBus();

  // Throws when the server does not take a listener; it is not added then.
  void add(ListenerPtr listener);
  // When it returns, the listener is not called any more, but by this thread. One that is not there
  // is no error.
  void remove(const ListenerPtr& listener);
  // Removes all. Never throws.
  void close();
  // While it is held, no listener is called but by this thread: that a query was started is told
  // before what becomes of it. Empty when nobody listens.
  std::unique_lock<std::recursive_mutex> hold_calls();
  // Tells of a query that was started.
  void on_started(const std::string& event_json);

 private:
  using Call = std::function<void(api::StreamingQueryListener&)>;

  // On the bus' thread, or within a call of a listener: nothing may be waited for.
  bool is_within() const;
  bool is_empty() const;
  void listen();          // throws
  void stop_listening();  // of the server; never throws
  void run(std::promise<void>* added);
  void on_event(const spark::connect::StreamingQueryListenerEvent& event);
  void post(const Call& call);
  std::thread::id set_calling(std::thread::id thread);  // gives what it was

  Connection& connection_;
  std::mutex control_;            // of who begins and ends the thread
  std::recursive_mutex posting_;  // calls come one at a time
  mutable std::mutex mutex_;
  std::vector<ListenerPtr> listeners_;  // guarded by mutex_
  std::thread::id thread_id_;           // guarded by mutex_
  std::thread::id calling_;             // the thread that calls listeners now; guarded by mutex_
  bool is_listening_ = false;           // guarded by mutex_
  std::thread thread_;                  // guarded by control_
};

}  // namespace millstream::client
