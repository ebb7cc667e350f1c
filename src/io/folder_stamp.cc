#include "io/folder_stamp.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>

namespace millstream::io {
namespace {

// The kernel's own disks, whose times are the kernel's clock.
constexpr std::array<std::uint64_t, 7> kept_by = {
    EXT4_SUPER_MAGIC,      XFS_SUPER_MAGIC,  BTRFS_SUPER_MAGIC, TMPFS_MAGIC,
    OVERLAYFS_SUPER_MAGIC, F2FS_SUPER_MAGIC, 0x2fc12fc1 /* ZFS */};

// Far above the tick of any of these (some milliseconds).
constexpr std::int64_t settling_ns = 1'000'000'000;

std::int64_t nanos(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

std::optional<FolderStamp> folder_stamp(const std::string& folder) {
  timespec now{};
  struct stat info {};
  struct statfs system {};
  if (::clock_gettime(CLOCK_REALTIME, &now) != 0 || ::stat(folder.c_str(), &info) != 0 ||
      !S_ISDIR(info.st_mode) || ::statfs(folder.c_str(), &system) != 0) {
    return std::nullopt;
  }
  const auto type = static_cast<std::uint64_t>(system.f_type);
  if (std::find(kept_by.begin(), kept_by.end(), type) == kept_by.end()) return std::nullopt;
  const FolderStamp stamp{info.st_dev, info.st_ino, nanos(info.st_ctim)};
  if (nanos(now) - stamp.changed_ns < settling_ns) return std::nullopt;
  return stamp;
}

}  // namespace millstream::io
