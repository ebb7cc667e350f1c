// Client: signed requests to S3, tried again when the world fails. Any thread; a call holds its
// thread, at most for some minutes (Settings: attempts and timeouts).
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "s3/answers.h"
#include "s3/http.h"
#include "s3/identity.h"
#include "s3/settings.h"
#include "s3/sign.h"

namespace millstream::s3 {

struct Call {
  std::string method;
  std::string bucket;
  std::string key;  // empty: the bucket itself
  Query query{};
  Headers headers{};
  std::string_view body{};
  std::int64_t answer_bytes_max = 1 << 20;
};

struct Answer {
  HttpAnswer http;
  Fault fault{};  // when the status tells of one

  long status() const { return http.status; }
  bool ok() const { return http.status >= 200 && http.status < 300; }
};

class Client {
 public:
  explicit Client(Settings settings);

  // Any answer but those that ask for patience (5xx, 429, 409, a timeout), which are asked for
  // again; an error when none came. The answer may be that of a repetition, whose forerunner has
  // taken effect: libcurl repeats, too, what gets no answer on a connection that it has kept.
  Result<Answer> send(const Call& call);

  // The error that an answer means: FileNotFound, or io with what to do about it.
  Status failure(const Call& call, const Answer& answer) const;
  // As send; an answer that is not OK becomes its error.
  Result<Answer> send_ok(const Call& call);

  const Settings& settings() const { return settings_; }

 private:
  Result<HttpAnswer> send_once(const Call& call, const std::string& payload_sha256,
                               const std::optional<Credentials>& credentials);
  std::string region_of(const std::string& bucket) const;
  bool learn_region(const Call& call, const HttpAnswer& answer);

  const Settings settings_;
  Identity identity_;
  HttpClient http_;
  mutable std::mutex mutex_;
  std::map<std::string, std::string> regions_;  // guarded by mutex_: of buckets that told theirs
};

// Pure, for tests: whether an answer asks to try again, and how long to wait before attempt
// `next` (1 for the first repetition); `dice` is uniform in [0, 1).
bool asks_for_patience(long status, std::string_view code);
std::int64_t wait_ms(int next, double dice);

}  // namespace millstream::s3
