// Operation: one ExecutePlan: what it has answered so far, kept until the client releases it, so
// that a stream that breaks can be attached again at the right place. One thread produces (the
// operation's own); one stream at a time sends. Owned by the table of operations and by whoever
// works on it; thread-safe.
#pragma once

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/status.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "conc/cancel.h"
#include "connect/settings.h"

namespace spark::connect {
class ExecutePlanResponse;
}  // namespace spark::connect

namespace millstream::connect {

class ResponseStream;
class ServerSession;

enum class OperationState : std::uint8_t { running, succeeded, failed, cancelled };

class Operation {
 public:
  struct Spec {
    std::shared_ptr<ServerSession> session;
    std::string id;
    std::string plan;  // its fingerprint: the same request again is told from another one
    std::vector<std::string> tags;
    bool reattachable = false;
    Settings settings = {};
    // It computes: a progress message is welcome so often while it runs. Nothing: never.
    std::optional<Milliseconds> report_interval = {};
  };
  explicit Operation(Spec spec) : spec_(std::move(spec)) {}

  const Spec& spec() const { return spec_; }
  const std::string& id() const { return spec_.id; }
  ServerSession& session() const { return *spec_.session; }
  CancelToken& cancel_token() { return cancel_; }
  OperationState state() const;

  // The producer's side. The ids of the response are filled in. Waits while the client lags far
  // behind; an error when the operation was interrupted meanwhile.
  Status send(spark::connect::ExecutePlanResponse&& response);
  // As send, but never waits and never fails: heartbeats, listener events. Dropped once the
  // operation has finished.
  void post(spark::connect::ExecutePlanResponse&& response);
  // Last; adds result_complete when all is well. Without effect when an interrupt was answered.
  void finish(const Status& status);

  // From now on it only computes and sends rows: nothing outside of it will have changed, whenever
  // it is stopped. So an interrupt is answered at once, not when the last thread has seen it.
  void changes_nothing_more();

  // What it was to change is changed: nothing but its answer is left, which no interrupt keeps
  // from the client.
  void took_effect();

  // False when it had finished already. One that may still change something (a write, a statement)
  // is answered when it has ended, by what became of it.
  bool interrupt();

  // The stream's side. `after`: the last response id that the client has; nothing: from the first
  // on. The number of the first response to send.
  Result<std::int64_t> attach(const std::shared_ptr<ResponseStream>& stream,
                              const std::optional<std::string>& after);
  void detach(ResponseStream* stream);  // it is gone (broken, cut)

  Status release_until(const std::string& response_id);
  void release_all();  // interrupts it when it still runs

  // For the housekeeper: how long no stream has been attached (nothing: one is, or it needs none).
  std::optional<std::chrono::steady_clock::duration> detached_for() const;
  bool disposable() const;  // finished, and nobody can ask for its answers any more
  std::shared_ptr<ResponseStream> stream() const;
  // True when it is time for a progress message: it runs, its client waits, and nothing was sent
  // for the report interval.
  bool take_heartbeat(std::chrono::steady_clock::time_point now);

  // What the attached stream does next; called by ResponseStream with its own position.
  struct Step {
    enum class Kind : std::uint8_t {
      wait,
      write,
      write_last,  // and the stream is over, in one go: the client need not wait for its end
      finish,
    } kind = Kind::wait;
    grpc::ByteBuffer bytes;
    grpc::Status status;
  };
  Step next_step(const ResponseStream* stream, std::int64_t* position, bool expired);

 private:
  struct Response {
    std::string id;
    std::size_t size = 0;
    grpc::ByteBuffer bytes;
  };
  void end_locked(const Status& status);
  void append_locked(spark::connect::ExecutePlanResponse&& response);
  void forget_unsent_locked();
  void drop_locked(std::int64_t up_to);  // responses with a number <= up_to
  std::optional<std::int64_t> number_locked(const std::string& response_id) const;
  void wake_stream();

  const Spec spec_;
  CancelToken cancel_;
  mutable std::mutex mutex_;
  std::condition_variable room_;
  std::deque<Response> responses_;  // numbers first_ … first_ + size - 1
  std::int64_t first_ = 1;
  std::int64_t next_to_send_ = 1;  // highest number sent so far + 1
  std::string last_dropped_;       // the id of response first_ - 1
  std::size_t unsent_bytes_ = 0;
  OperationState state_ = OperationState::running;
  bool changes_nothing_ = false;
  bool took_effect_ = false;
  bool finished_ = false;  // its answer is whole; an interrupted query's work may still be ending
  Status error_;
  bool released_ = false;
  std::weak_ptr<ResponseStream> stream_;
  std::chrono::steady_clock::time_point reported_at_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point detached_at_ = std::chrono::steady_clock::now();
};

}  // namespace millstream::connect
