#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/failpoint.h"
#include "base/random.h"
#include "io/store.h"

namespace millstream::io {
namespace {

Status system_error(int error, std::string_view doing, std::string_view path) {
  std::string text = fmt::format("{} {}: {}", doing, path, std::strerror(error));
  if (error == ENOSPC || error == EDQUOT)
    text += " (make room on that disk and try again; nothing was changed)";
  // What has a name that no file can have is not there either.
  if (error == ENOENT || error == ENOTDIR || error == ENAMETOOLONG)
    return Status::plain(ErrorKind::file_not_found, text);
  if (error == EEXIST) return Status::plain(ErrorKind::already_exists, text);
  return Status::plain(ErrorKind::io, text);
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

std::int64_t micros(const timespec& time) { return time.tv_sec * 1'000'000 + time.tv_nsec / 1000; }

Status write_all(int fd, std::string_view bytes, std::string_view path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return system_error(errno, "writing", path);
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return Status::OK();
}

Status sync_directory(const std::string& directory) {
  const Descriptor fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.get() < 0) return system_error(errno, "opening", directory);
  if (::fsync(fd.get()) != 0) return system_error(errno, "syncing", directory);
  return Status::OK();
}

// A unique file beside `path`, written and synced. The caller publishes it under its name and
// removes this one.
Result<std::string> write_temporary(const std::string& path, std::string_view bytes) {
  const std::string directory(parent_path(path));
  const std::string temporary =
      fmt::format("{}/.{}.{}.tmp", directory, base_name(path), new_uuid());
  int raw = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (raw < 0 && errno == ENOENT) {
    std::error_code error;
    std::filesystem::create_directories(directory, error);
    if (error) return system_error(error.value(), "creating", directory);
    raw = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  }
  const Descriptor fd(raw);
  if (fd.get() < 0) return system_error(errno, "creating", temporary);
  Status written = write_all(fd.get(), bytes, path);
  if (written.ok() && ::fdatasync(fd.get()) != 0) written = system_error(errno, "syncing", path);
  if (!written.ok()) {
    ::unlink(temporary.c_str());
    return written;
  }
  return temporary;
}

// True for a link whose target is the folder it lies in, or one above: a walk would never end.
bool leads_upward(const std::string& link) {
  std::error_code error;
  const auto target = std::filesystem::canonical(link, error);
  if (error) return false;
  const auto folder = std::filesystem::canonical(std::string(parent_path(link)), error);
  if (error) return false;
  return std::mismatch(target.begin(), target.end(), folder.begin(), folder.end()).first ==
         target.end();
}

class LocalStore final : public Store {
 public:
  Medium medium(const std::string& /*path*/) const override { return Medium::disk; }

  Result<std::string> get(const std::string& path) override {
    const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (fd.get() < 0) return system_error(errno, "opening", path);
    struct stat info {};
    if (::fstat(fd.get(), &info) != 0) return system_error(errno, "reading", path);
    if (S_ISDIR(info.st_mode)) return Status::io("reading {}: it is a directory", path);
    return read_from(fd.get(), path, 0, info.st_size);
  }

  Result<std::string> get_range(const std::string& path, std::int64_t offset,
                                std::int64_t length) override {
    CHECK(offset >= 0 && length >= 0);
    const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (fd.get() < 0) return system_error(errno, "opening", path);
    return read_from(fd.get(), path, offset, length);
  }

  Result<FileInfo> stat(const std::string& path) override {
    struct stat info {};
    if (::lstat(path.c_str(), &info) != 0) return system_error(errno, "looking at", path);
    if (S_ISLNK(info.st_mode)) {
      if (::stat(path.c_str(), &info) != 0) {
        // A link that leads in a circle is as dead as one that leads nowhere.
        return system_error(errno == ELOOP ? ENOENT : errno, "looking at", path);
      }
      if (S_ISDIR(info.st_mode) && leads_upward(path)) {
        return Status::not_found("{} is a link to a folder that holds it", path);
      }
    }
    // Opening a pipe or a device would wait for its other end.
    if (!S_ISDIR(info.st_mode) && !S_ISREG(info.st_mode)) {
      return Status::not_found("{} is neither a file nor a folder", path);
    }
    return FileInfo{path, info.st_size, micros(info.st_mtim), S_ISDIR(info.st_mode)};
  }

  Status put(const std::string& path, std::string_view bytes) override {
    TRY_ASSIGN(const std::string temporary, write_temporary(path, bytes));
    TRY(failpoints::pass("store.before_publish"));
    if (::rename(temporary.c_str(), path.c_str()) != 0) {
      const int error = errno;
      ::unlink(temporary.c_str());
      return system_error(error, "replacing", path);
    }
    TRY(failpoints::pass("store.after_publish"));
    return sync_directory(std::string(parent_path(path)));
  }

  Status put_if_absent(const std::string& path, std::string_view bytes) override {
    TRY_ASSIGN(const std::string temporary, write_temporary(path, bytes));
    TRY(failpoints::pass("store.before_publish"));
    const int failed = ::link(temporary.c_str(), path.c_str()) != 0 ? errno : 0;
    TRY(failpoints::pass("store.after_publish"));
    ::unlink(temporary.c_str());
    if (failed != 0) return system_error(failed, "creating", path);
    return sync_directory(std::string(parent_path(path)));
  }

  Result<std::vector<FileInfo>> list(const std::string& directory) override {
    TRY_ASSIGN(const auto names, list_names(directory, {}));
    std::vector<FileInfo> files;
    files.reserve(names.size());
    for (const auto& name : names) {
      auto info = stat(join_path(directory, name));
      if (info.ok()) {
        files.push_back(std::move(info).value());
      } else if (!info.status().is(ErrorKind::file_not_found)) {  // gone meanwhile: not an error
        return info.status();
      }
    }
    return files;
  }

  Result<std::vector<std::string>> list_names(const std::string& directory,
                                              std::string_view start_after) override {
    DIR* handle = ::opendir(directory.c_str());
    if (handle == nullptr) return system_error(errno, "listing", directory);
    std::vector<std::string> names;
    errno = 0;
    while (const dirent* entry = ::readdir(handle)) {
      const std::string_view name = entry->d_name;
      if (name != "." && name != ".." && name > start_after) names.emplace_back(name);
    }
    const int failed = errno;
    ::closedir(handle);
    if (failed != 0) return system_error(failed, "listing", directory);
    std::sort(names.begin(), names.end());
    return names;
  }

  Status remove(const std::string& path) override {
    if (::unlink(path.c_str()) != 0 && errno != ENOENT)
      return system_error(errno, "removing", path);
    return Status::OK();
  }

  Status remove_tree(const std::string& directory) override {
    // Others may be removing the same, or still writing into it.
    constexpr int attempts_max = 100;
    std::error_code error;
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
      std::filesystem::remove_all(directory, error);
      if (!error) return Status::OK();
      if (error.value() != ENOENT && error.value() != ENOTEMPTY) break;
    }
    return system_error(error.value(), "removing", directory);
  }

  Status make_directories(const std::string& directory) override {
    std::error_code error;
    std::filesystem::create_directories(directory, error);
    if (error) return system_error(error.value(), "creating", directory);
    return Status::OK();
  }

 private:
  static Result<std::string> read_from(int fd, const std::string& path, std::int64_t offset,
                                       std::int64_t length) {
    std::string bytes;
    bytes.resize(static_cast<std::size_t>(length));
    std::size_t filled = 0;
    while (filled < bytes.size()) {
      const ssize_t got = ::pread(fd, bytes.data() + filled, bytes.size() - filled,
                                  offset + static_cast<std::int64_t>(filled));
      if (got < 0) {
        if (errno == EINTR) continue;
        return system_error(errno, "reading", path);
      }
      if (got == 0) break;
      filled += static_cast<std::size_t>(got);
    }
    bytes.resize(filled);
    return bytes;
  }
};

}  // namespace

std::shared_ptr<Store> local_store() {
  static const auto store = std::make_shared<LocalStore>();
  return store;
}

}  // namespace millstream::io
