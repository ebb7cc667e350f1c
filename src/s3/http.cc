#include "s3/http.h"

#include <curl/curl.h>
#include <fcntl.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <vector>

#include "base/text.h"

namespace millstream::s3 {
namespace {

constexpr std::size_t kept_max = 32;
constexpr std::size_t header_bytes_max = 64 << 10;

// Connections are not for the Python processes that the server starts.
int close_on_exec(void*, curl_socket_t socket, curlsocktype) {
  ::fcntl(socket, F_SETFD, FD_CLOEXEC);
  return CURL_SOCKOPT_OK;
}

struct Receiving {
  HttpAnswer answer;
  std::int64_t bytes_max = 0;
  std::size_t header_bytes = 0;
  bool too_long = false;
};

std::size_t take_body(char* data, std::size_t, std::size_t size, void* to) {
  auto& receiving = *static_cast<Receiving*>(to);
  std::string& body = receiving.answer.body;
  if (body.size() + size > static_cast<std::size_t>(receiving.bytes_max)) {
    receiving.too_long = true;
    return 0;
  }
  body.append(data, size);
  return size;
}

std::size_t take_header(char* data, std::size_t, std::size_t size, void* to) {
  auto& receiving = *static_cast<Receiving*>(to);
  receiving.header_bytes += size;
  if (receiving.header_bytes > header_bytes_max) return 0;
  const std::string_view line = trim({data, size});
  if (line.starts_with("HTTP/")) receiving.answer.headers.clear();  // after "100 Continue"
  const auto colon = line.find(':');
  if (colon != std::string_view::npos) {
    receiving.answer.headers[to_lower(line.substr(0, colon))] = trim(line.substr(colon + 1));
  }
  return size;
}

class HeaderList {
 public:
  explicit HeaderList(const std::map<std::string, std::string>& headers) {
    for (const auto& [name, value] : headers) {
      list_ = curl_slist_append(list_, (name + (value.empty() ? ";" : ": " + value)).c_str());
    }
    // What libcurl would add of its own accord.
    for (const char* without : {"Expect:", "Content-Type:", "Accept:"})
      list_ = curl_slist_append(list_, without);
  }
  ~HeaderList() { curl_slist_free_all(list_); }
  HeaderList(const HeaderList&) = delete;
  HeaderList& operator=(const HeaderList&) = delete;
  curl_slist* get() const { return list_; }

 private:
  curl_slist* list_ = nullptr;
};

// Nothing tells where the body of such an answer should have ended.
bool has_no_end(const HttpRequest& request, const HttpAnswer& answer) {
  if (request.method == "HEAD" || answer.status == 204 || answer.status == 304) return false;
  return !answer.headers.contains("content-length") &&
         to_lower(answer.header("transfer-encoding")).find("chunked") == std::string::npos;
}

}  // namespace

// Handles with their connections, the last used first.
class HttpClient::Pool {
 public:
  ~Pool() {
    for (CURL* handle : free_) curl_easy_cleanup(handle);
  }
  CURL* take() {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        CURL* handle = free_.back();
        free_.pop_back();
        curl_easy_reset(handle);
        return handle;
      }
    }
    CURL* handle = curl_easy_init();
    CHECK(handle != nullptr);
    return handle;
  }
  void give_back(CURL* handle) {
    {
      const std::lock_guard lock(mutex_);
      if (free_.size() < kept_max) {
        free_.push_back(handle);
        return;
      }
    }
    curl_easy_cleanup(handle);
  }

 private:
  std::mutex mutex_;
  std::vector<CURL*> free_;
};

HttpClient::HttpClient(std::int64_t connect_timeout_ms, std::int64_t stall_timeout_ms)
    : connect_timeout_ms_(connect_timeout_ms),
      stall_timeout_ms_(stall_timeout_ms),
      pool_(std::make_unique<Pool>()) {
  static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
  CHECK(started == CURLE_OK);
}

HttpClient::~HttpClient() = default;

Result<HttpAnswer> HttpClient::send(const HttpRequest& request) {
  CURL* const handle = pool_->take();
  const HeaderList headers(request.headers);
  Receiving receiving;
  receiving.bytes_max = request.answer_bytes_max;
  std::array<char, CURL_ERROR_SIZE> why{};
  curl_easy_setopt(handle, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(handle, CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(handle, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(handle, CURLOPT_SOCKOPTFUNCTION, close_on_exec);
  curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(connect_timeout_ms_));
  curl_easy_setopt(handle, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(handle, CURLOPT_LOW_SPEED_TIME,
                   static_cast<long>(std::max<std::int64_t>(1, stall_timeout_ms_ / 1000)));
  curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, take_body);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, &receiving);
  curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, take_header);
  curl_easy_setopt(handle, CURLOPT_HEADERDATA, &receiving);
  curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, why.data());
  if (request.method == "HEAD") {
    curl_easy_setopt(handle, CURLOPT_NOBODY, 1L);
  } else if (request.method == "PUT" || request.method == "POST") {
    curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(request.body.size()));
    curl_easy_setopt(handle, CURLOPT_POSTFIELDS, request.body.empty() ? "" : request.body.data());
    curl_easy_setopt(handle, CURLOPT_CUSTOMREQUEST, request.method.c_str());
  } else {
    curl_easy_setopt(handle, CURLOPT_CUSTOMREQUEST, request.method.c_str());
  }
  const CURLcode code = curl_easy_perform(handle);
  curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &receiving.answer.status);
  curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, nullptr);
  pool_->give_back(handle);
  if (receiving.too_long)
    return Status::io("the answer is longer than {} bytes", request.answer_bytes_max);
  if (code != CURLE_OK)
    return Status::io("{}", why[0] != '\0' ? why.data() : curl_easy_strerror(code));
  if (has_no_end(request, receiving.answer)) return Status::io("an answer without its length");
  return std::move(receiving.answer);
}

}  // namespace millstream::s3
