// HttpClient: one request, one answer, over connections that are kept. Any thread; a request holds
// its thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"

namespace millstream::s3 {

struct HttpRequest {
  std::string method;
  std::string url;
  std::map<std::string, std::string> headers;
  std::string_view body;  // of PUT and POST
  std::int64_t answer_bytes_max = 0;
};

struct HttpAnswer {
  long status = 0;
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;

  std::string header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string() : found->second;
  }
};

class HttpClient {
 public:
  HttpClient(std::int64_t connect_timeout_ms, std::int64_t stall_timeout_ms);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // A whole answer, whatever its status; an error when there is none: no connection, silence, a
  // body that ends too early or is longer than answer_bytes_max.
  Result<HttpAnswer> send(const HttpRequest& request);

 private:
  class Pool;
  const std::int64_t connect_timeout_ms_;
  const std::int64_t stall_timeout_ms_;
  const std::unique_ptr<Pool> pool_;
};

}  // namespace millstream::s3
