#include "session/artifacts.h"

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/text.h"

namespace millstream::session {
namespace {

namespace fs = std::filesystem;

bool is_safe(const std::string& name) {
  if (name.empty() || name[0] == '/' || name.find('\0') != std::string::npos) return false;
  for (const std::string& part : split(name, '/')) {
    if (part.empty() || part == "." || part == "..") return false;
  }
  const auto slash = name.find('/');
  if (slash == std::string::npos) return false;
  const std::string root = name.substr(0, slash);
  return root == "cache" || root == "pyfiles" || root == "archives" || root == "files" ||
         root == "jars" || root == "classes";
}

Result<std::string> read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return Status::io("cannot read the uploaded artifact {}", path);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

}  // namespace

Artifacts::~Artifacts() {
  if (folder_.empty()) return;
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

Result<std::string> Artifacts::folder() {
  if (!folder_.empty()) return folder_;
  std::error_code error;
  std::string pattern = (fs::temp_directory_path(error) / "millstream-artifacts-XXXXXX").string();
  if (error || mkdtemp(pattern.data()) == nullptr) {
    return Status::io("cannot make a folder for uploaded artifacts: {}", pattern);
  }
  folder_ = pattern;
  return folder_;
}

Status Artifacts::add(const std::string& name, std::string_view bytes) {
  if (name.starts_with("forward_to_fs/")) {
    return Status::unsupported(
        "copying to a file system through addArtifacts ({}) is not supported by Millstream", name);
  }
  if (!is_safe(name)) return Status::error("INVALID_ARTIFACT_PATH", {{"name", name}});
  const std::lock_guard lock(mutex_);
  if (const auto found = paths_.find(name); found != paths_.end()) {
    if (name.starts_with("cache/")) return Status::OK();  // named by its content
    TRY_ASSIGN(const std::string present, read_file(found->second));
    if (present == bytes) return Status::OK();
    return Status::error("ARTIFACT_ALREADY_EXISTS", {{"normalizedRemoteRelativePath", name}});
  }
  TRY_ASSIGN(const std::string root, folder());
  const fs::path path = fs::path(root) / name;
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  std::ofstream out(path, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (error || !out)
    return Status::io("cannot store the artifact {} in {}: is the disk full?", name, root);
  paths_.emplace(name, path.string());
  return Status::OK();
}

bool Artifacts::has_cached(const std::string& name) const {
  if (!name.starts_with("cache/")) return false;
  const std::lock_guard lock(mutex_);
  return paths_.contains(name);
}

Result<std::string> Artifacts::cached(const std::string& hash) const {
  std::string path;
  {
    const std::lock_guard lock(mutex_);
    const auto found = paths_.find("cache/" + hash);
    if (found == paths_.end()) {
      return Status::error("CONNECT_INVALID_PLAN.CANNOT_FIND_CACHED_LOCAL_RELATION",
                           {{"hash", hash}});
    }
    path = found->second;
  }
  return read_file(path);
}

Result<std::string> Artifacts::python_path() {
  const std::lock_guard lock(mutex_);
  TRY_ASSIGN(const std::string root, folder());
  std::string out = root + "/pyfiles";
  for (const auto& [name, path] : paths_) {
    if (name.starts_with("pyfiles/") && !name.ends_with(".py")) out += ":" + path;
  }
  return out;
}

Status Artifacts::copy_from(const Artifacts& other) {
  std::map<std::string, std::string> theirs;
  {
    const std::lock_guard lock(other.mutex_);
    theirs = other.paths_;
  }
  for (const auto& [name, path] : theirs) {
    TRY_ASSIGN(const std::string bytes, read_file(path));
    TRY(add(name, bytes));
  }
  return Status::OK();
}

}  // namespace millstream::session
