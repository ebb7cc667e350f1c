#include "stream/lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/log.h"
#include "base/text.h"

namespace millstream::stream {
namespace {

std::string host_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof(name) - 1) == 0 ? name : "unknown";
}

// Network and user-space file systems may have none.
bool has_no_locks(int error) {
  return error == ENOLCK || error == EOPNOTSUPP || error == ENOSYS || error == EINVAL;
}

std::string read_all(int fd) {
  char text[1024];
  const ssize_t got = ::pread(fd, text, sizeof(text), 0);
  return got > 0 ? std::string(text, static_cast<std::size_t>(got)) : std::string();
}

}  // namespace

CheckpointLock::~CheckpointLock() {
  // Emptied first: an unlocked file that names a holder would mislead.
  [[maybe_unused]] const int emptied = ::ftruncate(fd_, 0);
  ::close(fd_);
}

Result<std::unique_ptr<CheckpointLock>> CheckpointLock::acquire(const std::string& directory) {
  const std::string path = directory + "/.millstream.lock";
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) {
    return Status::io(
        "The checkpoint location {} cannot be written ({}): give the query a location that "
        "this user may write to",
        directory, std::strerror(errno));
  }
  if (::flock(fd, LOCK_EX | LOCK_NB) == 0)
    return std::unique_ptr<CheckpointLock>(new CheckpointLock(fd, directory));
  const int error = errno;
  const std::string holder = read_all(fd);
  ::close(fd);
  if (has_no_locks(error)) {
    log_warn(
        "{} is on a file system without locks ({}): a second process that runs a query from there "
        "will be noticed when it logs a batch, not at its start",
        directory, std::strerror(error));
    return std::unique_ptr<CheckpointLock>();
  }
  if (error != EWOULDBLOCK) return Status::io("locking {}: {}", path, std::strerror(error));
  ErrorInfo info;
  info.kind = ErrorKind::spark;
  info.condition = "CONCURRENT_QUERY";
  info.sql_state = "0A000";
  info.message = fmt::format(
      "[CONCURRENT_QUERY] The checkpoint location {} is in use by another query: {}. Stop that one "
      "first, or "
      "give this query a checkpoint location of its own. SQLSTATE: 0A000",
      directory, holder.empty() ? "it is just starting" : holder);
  return Status(std::move(info));
}

Status CheckpointLock::describe(const std::string& id, const std::string& run_id,
                                std::int64_t started_ms) {
  const std::string text = fmt::format(
      "{{\"host\":{},\"pid\":{},\"id\":{},\"runId\":{},\"started\":{}}}", json_quote(host_name()),
      ::getpid(), json_quote(id), json_quote(run_id), json_quote(iso_utc_ms(started_ms)));
  if (::ftruncate(fd_, 0) != 0 ||
      ::pwrite(fd_, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) {
    return Status::io(
        "The checkpoint location {} cannot be written ({}): make room there, or give the query "
        "another one",
        directory_, std::strerror(errno));
  }
  return Status::OK();
}

}  // namespace millstream::stream
