// The address of a Spark Connect server: "sc://host:port/;key=value;…". Pure.
#pragma once

#include <map>
#include <string>

#include "base/status.h"

namespace millstream::client {

struct Target {
  std::string host;
  int port = 15002;
  bool use_ssl = false;
  std::string token;       // of "Authorization: Bearer"; implies TLS on the way to other machines
  std::string user_id;     // empty: the user of the process
  std::string session_id;  // empty: a new session
  std::map<std::string, std::string> headers;  // every other key, sent with each call

  std::string address() const;  // "host:port", as gRPC takes it
};

// INVALID_CONNECT_URL, as the Python client says it.
Result<Target> parse_remote_url(const std::string& url);

}  // namespace millstream::client
