// ResponseStream: the gRPC side of an ExecutePlan or ReattachExecute call: sends an operation's
// responses as they come, and ends the stream when the operation has ended, when another stream has
// taken over, or after its time (the client attaches again). Keeps itself alive until gRPC is done
// with it. Thread-safe; pump() may be called by anybody at any time.
#pragma once

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <chrono>
#include <memory>
#include <mutex>

#include "base/status.h"

namespace millstream::connect {

class Operation;

class ResponseStream final : public grpc::ServerWriteReactor<grpc::ByteBuffer>,
                             public std::enable_shared_from_this<ResponseStream> {
 public:
  static std::shared_ptr<ResponseStream> create();

  // Exactly one of these, from any thread: send what the operation answers, from number `position`
  // on; or end.
  void start(std::shared_ptr<Operation> operation, std::int64_t position);
  void fail(const grpc::Status& status);

  void pump();  // something may have changed

  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

 private:
  ResponseStream() = default;
  bool expired() const;  // of an attached one: it has had its time, or its share of bytes

  std::mutex mutex_;
  std::shared_ptr<Operation> operation_;
  std::int64_t position_ = 1;
  bool writing_ = false;
  bool finishing_ = false;
  bool cancelled_ = false;
  std::int64_t sent_bytes_ = 0;
  grpc::ByteBuffer current_;
  const std::chrono::steady_clock::time_point opened_at_ = std::chrono::steady_clock::now();
  std::shared_ptr<ResponseStream> self_;  // until OnDone
};

}  // namespace millstream::connect
