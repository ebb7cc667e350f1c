#include "s3/upload.h"

#include <algorithm>

namespace millstream::s3 {
namespace {

constexpr std::size_t first_part_bytes = 8 << 20;  // S3 takes none below 5 MiB
constexpr std::size_t parts_of_a_size = 500;       // at most 10,000 parts: they grow

class S3Upload final : public io::Upload {
 public:
  S3Upload(std::shared_ptr<Client> client, std::string bucket, std::string key)
      : client_(std::move(client)), bucket_(std::move(bucket)), key_(std::move(key)) {}

  ~S3Upload() override {
    if (!id_.empty()) (void)client_->send(call("DELETE", {{"uploadId", id_}}));
  }

  Status write(std::string_view bytes) override {
    size_ += static_cast<std::int64_t>(bytes.size());
    while (!bytes.empty()) {
      const std::size_t taken = std::min(bytes.size(), part_bytes() - part_.size());
      part_ += bytes.substr(0, taken);
      bytes.remove_prefix(taken);
      if (part_.size() == part_bytes()) TRY(send_part());
    }
    return Status::OK();
  }

  Status close() override {
    if (id_.empty()) {
      auto whole = call("PUT", {});
      whole.body = part_;
      return client_->send_ok(whole).status();
    }
    if (!part_.empty()) TRY(send_part());
    TRY(complete());
    id_.clear();
    return Status::OK();
  }

 private:
  Call call(const char* method, Query query) const {
    return {method, bucket_, key_, std::move(query)};
  }

  std::size_t part_bytes() const {
    return first_part_bytes << std::min<std::size_t>(etags_.size() / parts_of_a_size, 6);
  }

  Status send_part() {
    if (id_.empty()) {
      TRY_ASSIGN(const auto begun, client_->send_ok(call("POST", {{"uploads", ""}})));
      TRY_ASSIGN(id_, parse_upload_id(begun.http.body));
    }
    auto part = call("PUT", {{"partNumber", std::to_string(etags_.size() + 1)}, {"uploadId", id_}});
    part.body = part_;
    TRY_ASSIGN(const auto done, client_->send_ok(part));
    etags_.push_back(done.http.header("etag"));
    part_.clear();
    return Status::OK();
  }

  // The answer may be 200 and yet an error: S3 begins it before it knows.
  Status complete() {
    const std::string request = complete_request(etags_);
    auto whole = call("POST", {{"uploadId", id_}});
    whole.body = request;
    Status last;
    for (int attempt = 0; attempt < client_->settings().attempts_max; ++attempt) {
      TRY_ASSIGN(auto done, client_->send(whole));
      const Fault fault = parse_fault(done.http.body);
      if (done.ok() && fault.code.empty()) return Status::OK();
      // An earlier sending whose answer was lost may have ended the upload.
      if (fault.code == "NoSuchUpload") return check_whole();
      done.fault = fault;
      last = client_->failure(whole, done);
      if (!done.ok()) break;
    }
    return last;
  }

  Status check_whole() {
    TRY_ASSIGN(const auto there, client_->send_ok(call("HEAD", {})));
    if (there.http.header("content-length") == std::to_string(size_)) return Status::OK();
    return Status::io("the upload of s3://{}/{} was ended by another", bucket_, key_);
  }

  const std::shared_ptr<Client> client_;
  const std::string bucket_;
  const std::string key_;
  std::string id_;  // empty: nothing is begun
  std::string part_;
  std::vector<std::string> etags_;
  std::int64_t size_ = 0;
};

}  // namespace

std::unique_ptr<io::Upload> make_upload(std::shared_ptr<Client> client, std::string bucket,
                                        std::string key) {
  return std::make_unique<S3Upload>(std::move(client), std::move(bucket), std::move(key));
}

}  // namespace millstream::s3
