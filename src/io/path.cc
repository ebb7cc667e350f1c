#include <algorithm>
#include <array>
#include <filesystem>

#include "base/text.h"
#include "io/store.h"

namespace millstream::io {
namespace {

// A scheme is two or more letters, digits, '+', '.', '-' before the first ':' that comes before any
// '/'.
std::string_view scheme_of(std::string_view text) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos || colon < 2 || text.find('/') < colon) return {};
  for (const char c : text.substr(0, colon)) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool other = (c >= '0' && c <= '9') || c == '+' || c == '.' || c == '-';
    if (!letter && !other) return {};
  }
  return text.substr(0, colon);
}

constexpr std::array<std::string_view, 3> s3_schemes = {"s3://", "s3a://", "s3n://"};

// Where the bucket's name begins; 0: no path of S3.
std::size_t s3_bucket(std::string_view path) {
  for (const auto scheme : s3_schemes) {
    if (path.starts_with(scheme)) return scheme.size();
  }
  return 0;
}

// Where the path within the bucket begins, with its '/'.
std::size_t s3_key(std::string_view path) {
  return std::min(path.find('/', s3_bucket(path)), path.size());
}

// Without ".", ".." and empty segments.
std::string normal_form(const std::filesystem::path& absolute) {
  std::string normal = absolute.lexically_normal().string();
  while (normal.size() > 1 && normal.back() == '/') normal.pop_back();
  return normal;
}

Result<std::string> s3_path(std::string_view scheme, std::string_view rest) {
  if (!rest.starts_with("//"))
    return Status::invalid("{}:{} has no bucket: write {}://bucket/path", scheme, rest, scheme);
  rest.remove_prefix(2);
  const std::string_view bucket = rest.substr(0, rest.find('/'));
  const bool named =
      bucket.size() >= 3 && bucket.size() <= 63 && std::ranges::all_of(bucket, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '.' || c == '-' || c == '_';
      });
  if (!named || bucket.find("..") != std::string_view::npos || bucket.front() == '.')
    return Status::invalid("'{}' in {}:{} is no name of a bucket", bucket, scheme, rest);
  rest.remove_prefix(bucket.size());
  const std::string key = rest.empty() ? "/" : normal_form(rest);
  return fmt::format("{}://{}{}", to_lower(scheme), bucket, key == "/" ? "" : key);
}

Result<std::string_view> path_of_file_uri(std::string_view uri, std::string_view rest) {
  if (!rest.starts_with("//")) return rest;
  rest.remove_prefix(2);
  const auto slash = rest.find('/');
  const std::string_view host = rest.substr(0, slash);
  if (!host.empty() && host != "localhost")
    return Status::unsupported("{} names a file on another host", uri);
  return slash == std::string_view::npos ? std::string_view("/") : rest.substr(slash);
}

class Collected final : public Upload {
 public:
  Collected(Store& store, std::string path) : store_(store), path_(std::move(path)) {}
  Status write(std::string_view bytes) override {
    bytes_ += bytes;
    return Status::OK();
  }
  Status close() override { return store_.put(path_, bytes_); }

 private:
  Store& store_;
  const std::string path_;
  std::string bytes_;
};

}  // namespace

bool is_s3_path(std::string_view path) { return s3_bucket(path) != 0; }

std::string canonical_path(std::string_view path) {
  const auto bucket = s3_bucket(path);
  if (bucket == 0) return std::string(path);
  return "s3://" + std::string(path.substr(bucket));
}

Result<std::string> store_path(std::string_view path_or_uri) {
  if (path_or_uri.empty()) return Status::invalid("a path must not be empty");
  if (path_or_uri.find('\0') != std::string::npos)
    return Status::invalid("a path must not contain NUL");
  std::string path(path_or_uri);
  const std::string_view scheme = scheme_of(path_or_uri);
  if (!scheme.empty()) {
    const std::string_view rest = path_or_uri.substr(scheme.size() + 1);
    if (s3_bucket(to_lower(scheme) + "://") != 0) return s3_path(scheme, rest);
    if (!equals_ignore_case(scheme, "file")) {
      return Status::unsupported(
          "the file system '{}' of {} is not supported: give a local path, a file: URI or a path "
          "of S3, as s3://bucket/path",
          scheme, path_or_uri);
    }
    TRY_ASSIGN(const auto encoded, path_of_file_uri(path_or_uri, rest));
    path = percent_decode(encoded);
    if (path.find('\0') != std::string::npos) return Status::invalid("a path must not contain NUL");
  }
  std::filesystem::path absolute(path);
  if (!absolute.is_absolute()) {
    std::error_code error;
    const auto here = std::filesystem::current_path(error);
    if (error) return Status::io("the working directory is gone: {}", error.message());
    absolute = here / absolute;
  }
  return normal_form(absolute);
}

std::string to_uri(std::string_view path) {
  if (!is_s3_path(path)) return "file:" + percent_encode_path(path);
  const auto key = s3_key(path);
  return std::string(path.substr(0, key)) + percent_encode_path(path.substr(key));
}

std::string to_file_uri(std::string_view path) {
  return is_s3_path(path) ? to_uri(path) : "file://" + percent_encode_path(path);
}

std::string to_text(std::string_view path) {
  return is_s3_path(path) ? std::string(path) : "file:" + std::string(path);
}

std::string join_path(std::string_view directory, std::string_view name) {
  std::string path(directory);
  if (path.empty() || path.back() != '/') path += '/';
  path += name;
  return path;
}

std::string_view base_name(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string_view parent_path(std::string_view path) {
  if (is_s3_path(path) && s3_key(path) == path.size()) return {};
  const auto slash = path.rfind('/');
  if (slash == std::string_view::npos) return {};
  return slash == 0 ? path.substr(0, 1) : path.substr(0, slash);
}

Result<std::unique_ptr<Upload>> Store::upload(const std::string& path) {
  return std::unique_ptr<Upload>(std::make_unique<Collected>(*this, path));
}

Result<bool> Store::exists(const std::string& path) {
  const auto found = stat(path);
  if (found.ok()) return true;
  if (found.status().is(ErrorKind::file_not_found)) return false;
  return found.status();
}

}  // namespace millstream::io
