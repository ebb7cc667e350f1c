#include <unistd.h>

#include <climits>
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

}  // namespace

Result<std::string> local_path(std::string_view path_or_uri) {
  if (path_or_uri.empty()) return Status::invalid("a path must not be empty");
  std::string path(path_or_uri);
  const std::string_view scheme = scheme_of(path_or_uri);
  if (!scheme.empty()) {
    if (!equals_ignore_case(scheme, "file")) {
      return Status::unsupported(
          "the file system '{}' of {} is not supported: give a local path or a file: URI", scheme,
          path_or_uri);
    }
    std::string_view rest = path_or_uri.substr(scheme.size() + 1);
    if (rest.starts_with("//")) {
      rest.remove_prefix(2);
      const auto slash = rest.find('/');
      const std::string_view host = rest.substr(0, slash);
      if (!host.empty() && host != "localhost") {
        return Status::unsupported("{} names a file on another host", path_or_uri);
      }
      rest = slash == std::string_view::npos ? std::string_view("/") : rest.substr(slash);
    }
    path = percent_decode(rest);
  }
  if (path.find('\0') != std::string::npos) return Status::invalid("a path must not contain NUL");
  std::filesystem::path absolute(path);
  if (!absolute.is_absolute()) {
    std::error_code error;
    const auto here = std::filesystem::current_path(error);
    if (error) return Status::io("the working directory is gone: {}", error.message());
    absolute = here / absolute;
  }
  std::string normal = absolute.lexically_normal().string();
  while (normal.size() > 1 && normal.back() == '/') normal.pop_back();
  return normal;
}

std::string to_uri(std::string_view absolute_path) {
  return "file:" + percent_encode_path(absolute_path);
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
  const auto slash = path.rfind('/');
  if (slash == std::string_view::npos) return {};
  return slash == 0 ? path.substr(0, 1) : path.substr(0, slash);
}

Result<bool> Store::exists(const std::string& path) {
  const auto found = stat(path);
  if (found.ok()) return true;
  if (found.status().is(ErrorKind::file_not_found)) return false;
  return found.status();
}

}  // namespace millstream::io
