#include "io/rename.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "io/store.h"

namespace millstream::io {

Status rename_directory(const std::string& from, const std::string& to) {
  if (is_s3_path(from) || is_s3_path(to)) {
    return Status::unsupported(
        "{} cannot become {}: S3 has no directories to rename, and Millstream does not copy them",
        from, to);
  }
  if (std::rename(from.c_str(), to.c_str()) != 0) {
    if (errno == EEXIST || errno == ENOTEMPTY) return Status::already_exists("{} exists", to);
    if (errno == ENOENT) return Status::not_found("no such directory: {}", from);
    return Status::io("cannot rename {} to {}: {}", from, to, std::strerror(errno));
  }
  for (const std::string& directory :
       {std::string(parent_path(from)), std::string(parent_path(to))}) {
    const int file = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0) continue;
    ::fsync(file);
    ::close(file);
  }
  return Status::OK();
}

}  // namespace millstream::io
