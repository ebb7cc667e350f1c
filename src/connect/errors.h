// Errors on the wire: a Status becomes gRPC's INTERNAL with google.rpc.ErrorInfo in the details, as
// the reference server sends it; the class list in it selects the exception that the client raises.
// The full error (long messages, causes) is kept for a minute, for FetchErrorDetails. ErrorLog is
// one session's; thread-safe.
#pragma once

#include <grpcpp/support/status.h>

#include <chrono>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "base/status.h"

namespace spark::connect {
class FetchErrorDetailsResponse;
class FetchErrorDetailsResponse_Error;
}  // namespace spark::connect

namespace millstream::connect {

class ErrorLog {
 public:
  std::string add(const Status& error);  // its id
  // Fills the response once; an unknown id leaves it empty.
  void take(const std::string& id, spark::connect::FetchErrorDetailsResponse* response);

 private:
  struct Entry {
    std::string id;
    Status error;
    std::chrono::steady_clock::time_point at;
  };
  std::mutex mutex_;
  std::deque<Entry> entries_;
};

// `log` may be null: then the client gets the (possibly cut) message only.
grpc::Status to_grpc(const Status& error, ErrorLog* log);

// The message with the "== DataFrame ==" / "== SQL ==" block of its contexts.
std::string full_message(const ErrorInfo& error);
// Java class names, most derived first.
std::vector<std::string> class_hierarchy(const ErrorInfo& error);
// The error and its causes, root first.
std::vector<spark::connect::FetchErrorDetailsResponse_Error> error_chain(const Status& error);

}  // namespace millstream::connect
