#include "io/hint_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/random.h"

namespace millstream::io {
namespace {

Status failed(std::string_view path) {
  const int error = errno;
  return Status::plain(error == EEXIST ? ErrorKind::already_exists : ErrorKind::io,
                       fmt::format("creating {}: {}", path, std::strerror(error)));
}

// Writes without a retry: what comes out short is not worth one.
Status write_file(const std::string& path, std::string_view bytes) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (fd < 0) return failed(path);
  const ssize_t written = ::write(fd, bytes.data(), bytes.size());
  Status status = written == static_cast<ssize_t>(bytes.size()) ? Status::OK() : failed(path);
  ::close(fd);
  return status;
}

}  // namespace

Status put_hint(Store& store, const std::string& path, std::string_view bytes) {
  if (!store.is_local(path)) return store.put_if_absent(path, bytes);
  const std::string temporary =
      fmt::format("{}/.{}.{}.tmp", parent_path(path), base_name(path), new_uuid());
  Status status = write_file(temporary, bytes);
  if (status.ok() && ::link(temporary.c_str(), path.c_str()) != 0) status = failed(path);
  ::unlink(temporary.c_str());
  return status;
}

}  // namespace millstream::io
