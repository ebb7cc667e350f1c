// Errors of a server and of this library as the one exception of the API.
#pragma once

#include "base/status.h"
#include "millstream/exceptions.h"

namespace grpc {
class Status;
}  // namespace grpc

namespace spark::connect {
class FetchErrorDetailsResponse;
}  // namespace spark::connect

namespace millstream::client {

// What a failed call says of itself; `error_id` (may be null): where the server tells more.
api::SparkException to_exception(const grpc::Status& status, std::string* error_id);
// The whole of it, when the server knew it.
api::SparkException to_exception(const spark::connect::FetchErrorDetailsResponse& details);
api::SparkException to_exception(const Status& error);

void throw_if_error(const Status& status);
template <typename T>
T value_or_throw(Result<T> result) {
  if (!result.ok()) throw to_exception(result.status());
  return std::move(result).value();
}

}  // namespace millstream::client
