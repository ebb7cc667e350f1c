// Identity: in whose name requests are signed. Keys that were given stay; those of a profile, a
// container, a role of a Kubernetes account or the machine's own role are asked for when they are
// needed, and again before they end. Any thread.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "base/status.h"
#include "s3/http.h"
#include "s3/settings.h"

namespace millstream::s3 {

class Identity {
 public:
  explicit Identity(const Settings& settings);

  Result<Credentials> credentials();
  // The store says that these are over: they are asked for anew. False: there are no others.
  bool renew(const Credentials& refused);

 private:
  struct Lease {
    Credentials credentials;
    std::int64_t ends_ms = 0;  // since the epoch; 0: when it is said
  };
  Result<Lease> ask();
  Result<Lease> ask_container();
  Result<Lease> ask_web_identity();
  Result<Lease> ask_machine();
  Result<std::string> fetch(const char* method, const std::string& url,
                            std::map<std::string, std::string> headers, std::string_view body = {});

  const Settings settings_;
  HttpClient http_;
  std::mutex mutex_;
  bool known_ = false;  // guarded by mutex_, as lease_
  Lease lease_;
};

// Pure, for tests.
struct LeaseTexts {
  std::string access_key, secret_key, session_token, expiration;
};
Result<LeaseTexts> parse_lease_json(const std::string& text);
Result<LeaseTexts> parse_lease_xml(const std::string& text);

}  // namespace millstream::s3
