#include "s3/store.h"

#include <curl/curl.h>

#include <algorithm>
#include <mutex>
#include <set>

#include "base/failpoint.h"
#include "base/log.h"
#include "base/random.h"
#include "base/text.h"
#include "s3/client.h"
#include "s3/upload.h"

namespace millstream::s3 {
namespace {

constexpr std::int64_t object_bytes_max = std::int64_t{5} << 40;
constexpr std::int64_t list_bytes_max = 16 << 20;
constexpr std::size_t deletions_max = 1000;  // of one request
constexpr const char* mark_header = "x-amz-meta-millstream-write";

struct Place {
  std::string bucket;
  std::string key;  // empty: the bucket itself

  // What the keys below begin with.
  std::string prefix() const { return key.empty() ? "" : key + '/'; }
};

Place place_of(const std::string& path) {
  const std::string plain = io::canonical_path(path).substr(5);  // "s3://"
  const auto slash = std::min(plain.find('/'), plain.size());
  return {plain.substr(0, slash), slash == plain.size() ? "" : plain.substr(slash + 1)};
}

std::int64_t http_time_us(const std::string& text) {
  return std::max<std::int64_t>(0, curl_getdate(text.c_str(), nullptr)) * 1'000'000;
}

// Whether that many bytes are all that there are of a range: "bytes 0-9/443" and its end.
bool is_whole_range(std::string_view content_range, std::int64_t offset, std::int64_t length,
                    std::int64_t received) {
  const auto slash = content_range.rfind('/');
  if (!content_range.starts_with("bytes ") || slash == std::string_view::npos) return false;
  const auto size = parse_int64(content_range.substr(slash + 1));
  const auto first = parse_int64(content_range.substr(6, content_range.find('-', 6) - 6));
  return size && first && *first == offset && *size >= offset &&
         received == std::min(length, *size - offset);
}

class S3Store final : public io::Store {
 public:
  explicit S3Store(Settings settings) : client_(std::make_shared<Client>(std::move(settings))) {}

  io::Medium medium(const std::string& /*path*/) const override { return io::Medium::objects; }

  Result<std::string> get(const std::string& path) override {
    Call call = call_of("GET", path);
    call.answer_bytes_max = object_bytes_max;
    TRY_ASSIGN(Answer answer, client_->send_ok(call));
    return std::move(answer.http.body);
  }

  Result<std::string> get_range(const std::string& path, std::int64_t offset,
                                std::int64_t length) override {
    if (length <= 0) return std::string();
    Call call = call_of("GET", path);
    call.headers["range"] = fmt::format("bytes={}-{}", offset, offset + length - 1);
    call.answer_bytes_max = std::max<std::int64_t>(length, 1 << 20);
    TRY_ASSIGN(Answer answer, client_->send(call));
    if (answer.status() == 416) return std::string();  // behind the end
    if (!answer.ok()) return client_->failure(call, answer);
    if (answer.status() == 206) {
      if (is_whole_range(answer.http.header("content-range"), offset, length,
                         std::ssize(answer.http.body)))
        return std::move(answer.http.body);
      return Status::io("{}: the store answers with another part than bytes {} to {}", path, offset,
                        offset + length - 1);
    }
    // A store that does not know ranges has sent all.
    if (answer.status() != 200) return client_->failure(call, answer);
    const auto& whole = answer.http.body;
    return offset >= std::ssize(whole)
               ? std::string()
               : whole.substr(static_cast<std::size_t>(offset), static_cast<std::size_t>(length));
  }

  Result<io::FileInfo> stat(const std::string& path) override {
    const Place place = place_of(path);
    if (!place.key.empty()) {
      TRY_ASSIGN(auto object, head(path));
      if (object) return *std::move(object);
    }
    TRY_ASSIGN(const ListPage page, list_page(place, place.prefix(), {{"max-keys", "1"}}));
    const bool any = !page.objects.empty() || !page.prefixes.empty();
    if (!any && !place.key.empty()) return Status::not_found("there is no {}", path);
    return io::FileInfo{path, 0, 0, true};
  }

  Status put(const std::string& path, std::string_view bytes) override {
    Call call = call_of("PUT", path);
    call.body = bytes;
    TRY(failpoints::pass("store.before_publish"));
    TRY(client_->send_ok(call).status());
    return failpoints::pass("store.after_publish");
  }

  Status put_if_absent(const std::string& path, std::string_view bytes) override {
    TRY(check_conditions(path));
    TRY(failpoints::pass("store.before_publish"));
    const std::string mark = new_uuid();
    Call call = call_of("PUT", path);
    call.body = bytes;
    call.headers["if-none-match"] = "*";
    call.headers[mark_header] = mark;
    TRY_ASSIGN(const Answer answer, client_->send(call));
    TRY(failpoints::pass("store.after_publish"));
    if (answer.ok()) return Status::OK();
    if (answer.status() != 412) return client_->failure(call, answer);
    // What exists may be what an earlier sending of this very request has put.
    TRY_ASSIGN(const bool ours, is_marked(path, mark));
    if (ours) return Status::OK();
    return Status::already_exists("{} exists", path);
  }

  Result<std::unique_ptr<io::Upload>> upload(const std::string& path) override {
    const Place place = place_of(path);
    return make_upload(client_, place.bucket, place.key);
  }

  Result<std::vector<io::FileInfo>> list(const std::string& directory) override {
    std::vector<io::FileInfo> out;
    TRY(each_child(directory, {}, [&](std::string_view name, const Object* object) {
      const std::string path = io::join_path(directory, name);
      out.push_back(object == nullptr
                        ? io::FileInfo{path, 0, 0, true}
                        : io::FileInfo{path, object->size, object->modified_us, false});
    }));
    std::ranges::sort(out, {}, &io::FileInfo::path);
    return out;
  }

  Result<std::vector<std::string>> list_names(const std::string& directory,
                                              std::string_view start_after) override {
    std::vector<std::string> names;
    TRY(each_child(directory, start_after,
                   [&](std::string_view name, const Object*) { names.emplace_back(name); }));
    std::ranges::sort(names);
    names.erase(std::ranges::unique(names).begin(), names.end());
    return names;
  }

  Status remove(const std::string& path) override {
    const Call call = call_of("DELETE", path);
    TRY_ASSIGN(const Answer answer, client_->send(call));
    if (answer.ok() || (answer.status() == 404 && answer.fault.code != "NoSuchBucket"))
      return Status::OK();
    return client_->failure(call, answer);
  }

  Status remove_tree(const std::string& directory) override {
    const Place place = place_of(directory);
    if (place.key.empty())
      return Status::invalid("{} is a whole bucket, which Millstream does not empty", directory);
    TRY(remove(directory));
    for (;;) {
      TRY_ASSIGN(const ListPage page, list_page(place, place.prefix(), {}));
      std::vector<std::string> keys;
      for (const auto& object : page.objects) keys.push_back(object.key);
      TRY(remove_keys(place.bucket, keys));
      if (page.next.empty()) return Status::OK();
    }
  }

  Status make_directories(const std::string& /*directory*/) override { return Status::OK(); }

 private:
  static Call call_of(const char* method, const std::string& path) {
    Place place = place_of(path);
    return {method, std::move(place.bucket), std::move(place.key)};
  }

  // Nothing: there is no such object.
  Result<std::optional<io::FileInfo>> head(const std::string& path) {
    const Call call = call_of("HEAD", path);
    TRY_ASSIGN(const Answer answer, client_->send(call));
    if (answer.status() == 404) return std::optional<io::FileInfo>();
    if (!answer.ok()) return client_->failure(call, answer);
    const auto size = parse_int64(answer.http.header("content-length"));
    if (!size || *size < 0) return Status::io("{}: an answer without its length", path);
    return std::optional(io::FileInfo{path, *size,
                                      http_time_us(answer.http.header("last-modified")), false,
                                      answer.http.header("etag")});
  }

  Result<ListPage> list_page(const Place& place, const std::string& prefix, Query query) {
    query["list-type"] = "2";
    query["encoding-type"] = "url";
    if (!prefix.empty()) query["prefix"] = prefix;
    Call call{"GET", place.bucket, "", std::move(query)};
    call.answer_bytes_max = list_bytes_max;
    TRY_ASSIGN(const Answer answer, client_->send(call));
    // Never "there is nothing": a bucket that is missing is a mistake in a name.
    if (!answer.ok()) return client_->failure(call, answer);
    return parse_list(answer.http.body);
  }

  template <typename Take>
  Status each_child(const std::string& directory, std::string_view start_after, const Take& take) {
    const Place place = place_of(directory);
    const std::string prefix = place.prefix();
    Query query{{"delimiter", "/"}};
    if (!start_after.empty()) query["start-after"] = prefix + std::string(start_after);
    bool any = place.key.empty();
    for (;;) {
      TRY_ASSIGN(const ListPage page, list_page(place, prefix, query));
      any = any || !page.objects.empty() || !page.prefixes.empty();
      const auto visit = [&](std::string_view key, const Object* object) {
        if (!key.starts_with(prefix)) return;
        key.remove_prefix(prefix.size());
        if (object == nullptr && key.ends_with('/')) key.remove_suffix(1);
        // What is left of a directory's own marker, and of keys with empty segments, is no name.
        if (!key.empty() && key > start_after && key.find('/') == std::string_view::npos)
          take(key, object);
      };
      for (const auto& object : page.objects) visit(object.key, &object);
      for (const auto& one : page.prefixes) visit(one, nullptr);
      if (page.next.empty()) break;
      query["continuation-token"] = page.next;
    }
    if (!any && !start_after.empty()) {
      TRY_ASSIGN(const ListPage page, list_page(place, prefix, {{"max-keys", "1"}}));
      any = !page.objects.empty();
    }
    return any ? Status::OK() : Status::not_found("there is no {}", directory);
  }

  Status remove_keys(const std::string& bucket, const std::vector<std::string>& keys) {
    std::vector<std::string> together;
    for (const auto& key : keys) {
      if (is_sayable(key)) {
        together.push_back(key);
      } else {
        TRY(client_->send_ok({"DELETE", bucket, key}).status());
      }
    }
    for (std::size_t from = 0; from < together.size(); from += deletions_max) {
      const auto to = std::min(together.size(), from + deletions_max);
      const std::string request =
          delete_request({together.begin() + static_cast<std::ptrdiff_t>(from),
                          together.begin() + static_cast<std::ptrdiff_t>(to)});
      Call call{"POST", bucket, "", {{"delete", ""}}, {{"content-md5", base64(md5(request))}}};
      call.body = request;
      TRY_ASSIGN(const Answer answer, client_->send_ok(call));
      TRY_ASSIGN(const auto left, parse_deleted(answer.http.body));
      if (left) return Status::io("removing objects of s3://{}: {}", bucket, *left);
    }
    return Status::OK();
  }

  Result<bool> is_marked(const std::string& path, const std::string& mark) {
    const Call call = call_of("HEAD", path);
    TRY_ASSIGN(const Answer answer, client_->send(call));
    if (answer.status() == 404) return false;
    if (!answer.ok()) return client_->failure(call, answer);
    return answer.http.header(mark_header) == mark;
  }

  // Whether the store keeps to If-None-Match: of two puts of one key beside `path` the second must
  // fail. Once for a bucket.
  Status check_conditions(const std::string& path) {
    const std::string bucket = place_of(path).bucket;
    const std::lock_guard lock(probe_mutex_);
    if (probed_.contains(bucket)) return Status::OK();
    const std::string probe =
        io::join_path(io::parent_path(path), ".millstream-probe-" + new_uuid());
    Call call = call_of("PUT", probe);
    call.headers["if-none-match"] = "*";
    TRY_ASSIGN(const Answer first, client_->send(call));
    if (!first.ok() && first.status() != 412) return client_->failure(call, first);
    TRY_ASSIGN(const Answer second, client_->send(call));
    if (const Status removed = remove(probe); !removed.ok())
      log_warn("{} stays behind: {}", probe, removed.message());
    if (second.ok()) {
      return Status::unsupported(
          "the store of s3://{} does not keep to If-None-Match: of several writers of a log each "
          "would overwrite the others' entries. Nothing was written; use a store that has "
          "conditional writes",
          bucket);
    }
    if (second.status() != 412) return client_->failure(call, second);
    probed_.insert(bucket);
    return Status::OK();
  }

  const std::shared_ptr<Client> client_;
  std::mutex probe_mutex_;
  std::set<std::string> probed_;  // guarded by probe_mutex_: buckets
};

class StoreOfAllPaths final : public io::Store {
 public:
  explicit StoreOfAllPaths(Settings settings)
      : local_(io::local_store()), s3_(s3_store(std::move(settings))) {}

  io::Medium medium(const std::string& path) const override { return of(path).medium(path); }
  Result<std::string> get(const std::string& path) override { return of(path).get(path); }
  Result<std::string> get_range(const std::string& path, std::int64_t offset,
                                std::int64_t length) override {
    return of(path).get_range(path, offset, length);
  }
  Result<io::FileInfo> stat(const std::string& path) override { return of(path).stat(path); }
  Status put(const std::string& path, std::string_view bytes) override {
    return of(path).put(path, bytes);
  }
  Status put_if_absent(const std::string& path, std::string_view bytes) override {
    return of(path).put_if_absent(path, bytes);
  }
  Result<std::unique_ptr<io::Upload>> upload(const std::string& path) override {
    return of(path).upload(path);
  }
  Result<std::vector<io::FileInfo>> list(const std::string& directory) override {
    return of(directory).list(directory);
  }
  Result<std::vector<std::string>> list_names(const std::string& directory,
                                              std::string_view start_after) override {
    return of(directory).list_names(directory, start_after);
  }
  Status remove(const std::string& path) override { return of(path).remove(path); }
  Status remove_tree(const std::string& directory) override {
    return of(directory).remove_tree(directory);
  }
  Status make_directories(const std::string& directory) override {
    return of(directory).make_directories(directory);
  }

 private:
  io::Store& of(const std::string& path) const { return io::is_s3_path(path) ? *s3_ : *local_; }

  const std::shared_ptr<io::Store> local_;
  const std::shared_ptr<io::Store> s3_;
};

}  // namespace

std::shared_ptr<io::Store> s3_store(Settings settings) {
  return std::make_shared<S3Store>(std::move(settings));
}

std::shared_ptr<io::Store> store_of_all_paths(Settings settings) {
  return std::make_shared<StoreOfAllPaths>(std::move(settings));
}

}  // namespace millstream::s3
