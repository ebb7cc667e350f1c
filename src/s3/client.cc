#include "s3/client.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/clock.h"
#include "base/random.h"
#include "base/text.h"

namespace millstream::s3 {
namespace {

constexpr std::int64_t first_wait_ms = 100;
constexpr std::int64_t wait_ms_max = 5'000;

std::string shown(const Call& call) {
  return fmt::format("{} s3://{}{}{}", call.method, call.bucket, call.key.empty() ? "" : "/",
                     call.key);
}

// Where a bucket is: host, and the path before the key.
struct Place {
  std::string base;  // "https://host:port"
  std::string host;
  std::string path;
};

Place place_of(const Settings& settings, const std::string& region, const std::string& bucket) {
  const std::string endpoint =
      settings.endpoint.empty() ? "https://s3." + region + ".amazonaws.com" : settings.endpoint;
  const auto at = endpoint.find("://") + 3;
  // A certificate for *.host is not good for names with dots.
  if (settings.path_style || bucket.find('.') != std::string::npos)
    return {endpoint, endpoint.substr(at), "/" + bucket};
  const std::string host = bucket + "." + endpoint.substr(at);
  return {endpoint.substr(0, at) + host, host, ""};
}

// Without a port that the scheme implies: clients leave it out of the header.
std::string host_header(const Place& place) {
  const bool secure = place.base.starts_with("https://");
  const std::string_view usual = secure ? ":443" : ":80";
  if (!place.host.ends_with(usual)) return place.host;
  return place.host.substr(0, place.host.size() - usual.size());
}

const char* remedy(long status, std::string_view code) {
  if (code == "ExpiredToken" || code == "InvalidAccessKeyId" || code == "SignatureDoesNotMatch" ||
      code == "InvalidToken")
    return "; check the credentials that the server was started with";
  if (code == "RequestTimeTooSkewed") return "; set this machine's clock";
  if (status == 403) return "; the server's credentials may not do that";
  if (status == 301 || status == 307 || code == "AuthorizationHeaderMalformed")
    return "; check the region and the endpoint (AWS_REGION, AWS_ENDPOINT_URL)";
  if (code == "NoSuchBucket") return "; make the bucket first, or check its name";
  if (status == 501) return "; that store does not do what Millstream needs";
  return "";
}

// Credentials that were good for a time only. The answer to a HEAD has no code.
bool is_over(const Call& call, long status, std::string_view code) {
  if (call.method == "HEAD") return status == 400;
  return code == "ExpiredToken" || code == "ExpiredTokenException" || code == "InvalidToken" ||
         code == "InvalidAccessKeyId";
}

}  // namespace

bool asks_for_patience(long status, std::string_view code) {
  if (status == 501 || status == 505) return false;
  if (status >= 500 || status == 429 || status == 408) return true;
  // Another request about the same key is under way.
  if (status == 409) return code == "ConditionalRequestConflict" || code == "OperationAborted";
  return status == 400 && code == "RequestTimeout";
}

std::int64_t wait_ms(int next, double dice) {
  const std::int64_t most = std::min(wait_ms_max, first_wait_ms << std::min(next - 1, 16));
  return most / 2 + static_cast<std::int64_t>(dice * static_cast<double>(most - most / 2));
}

Client::Client(Settings settings)
    : settings_(std::move(settings)),
      identity_(settings_),
      http_(settings_.connect_timeout_ms, settings_.stall_timeout_ms) {}

std::string Client::region_of(const std::string& bucket) const {
  const std::lock_guard lock(mutex_);
  const auto found = regions_.find(bucket);
  return found == regions_.end() ? settings_.region : found->second;
}

// A bucket of another region says so. True: the request is worth sending there.
bool Client::learn_region(const Call& call, const HttpAnswer& answer) {
  const std::string told = answer.header("x-amz-bucket-region");
  if (told.empty() || told == region_of(call.bucket)) return false;
  const auto named = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  };
  if (!std::ranges::all_of(told, named)) return false;
  const std::lock_guard lock(mutex_);
  return regions_.emplace(call.bucket, told).second;
}

Result<HttpAnswer> Client::send_once(const Call& call, const std::string& payload_sha256,
                                     const std::optional<Credentials>& credentials) {
  const std::string region = region_of(call.bucket);
  const Place place = place_of(settings_, region, call.bucket);
  ToSign request{call.method,    place.path + "/" + uri_encode(call.key, true),
                 call.query,     call.headers,
                 payload_sha256, amz_time(SystemClock().now_ms()),
                 region};
  request.headers["host"] = host_header(place);
  if (credentials) {
    request.headers["x-amz-content-sha256"] = payload_sha256;
    request.headers["x-amz-date"] = request.time;
    if (!credentials->session_token.empty())
      request.headers["x-amz-security-token"] = credentials->session_token;
  }
  HttpRequest http;
  http.method = call.method;
  http.url = place.base + request.path;
  if (!call.query.empty()) http.url += '?' + encode_query(call.query);
  http.headers = request.headers;
  if (credentials) http.headers["authorization"] = authorization(request, *credentials);
  http.body = call.body;
  http.answer_bytes_max = call.answer_bytes_max;
  return http_.send(http);
}

Result<Answer> Client::send(const Call& call) {
  thread_local Random random = Random::from_device();
  const std::string payload = hex(sha256(call.body));
  std::string last;
  for (int attempt = 1;; ++attempt) {
    std::optional<Credentials> credentials;
    if (!settings_.anonymous) {
      TRY_ASSIGN(credentials, identity_.credentials());
    }
    auto sent = send_once(call, payload, credentials);
    if (sent.ok()) {
      Answer answer{*std::move(sent), {}};
      if (!answer.ok()) answer.fault = parse_fault(answer.http.body);
      if (learn_region(call, answer.http) && !answer.ok()) continue;
      const bool over = credentials && is_over(call, answer.status(), answer.fault.code);
      if (over && attempt < settings_.attempts_max && identity_.renew(*credentials)) continue;
      if (!asks_for_patience(answer.status(), answer.fault.code)) return answer;
      last = fmt::format("{} {}", answer.status(), answer.fault.code);
    } else {
      last = sent.status().message();
    }
    if (attempt >= settings_.attempts_max) {
      return Status::io("{}: {} (tried {} times; S3 is unreachable or overloaded: try again later)",
                        shown(call), last, attempt);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(
        wait_ms(attempt, static_cast<double>(random.below(1000)) / 1000)));
  }
}

Status Client::failure(const Call& call, const Answer& answer) const {
  const std::string& code = answer.fault.code;
  if (answer.status() == 404 && code != "NoSuchBucket" && code != "NoSuchUpload")
    return Status::not_found("{}: there is no such object", shown(call));
  return Status::io("{}: {} {}{}{}{}", shown(call), answer.status(), code,
                    answer.fault.message.empty() ? "" : ": ", answer.fault.message,
                    remedy(answer.status(), code));
}

Result<Answer> Client::send_ok(const Call& call) {
  TRY_ASSIGN(Answer answer, send(call));
  if (!answer.ok()) return failure(call, answer);
  return answer;
}

}  // namespace millstream::s3
