// Tells without a listing that nothing has been added to a folder of the local disk since it was
// listed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace millstream::io {

// Two equal stamps of one path: no name was added, removed or replaced in between. (A file that was
// overwritten in place does not show.)
struct FolderStamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t changed_ns = 0;  // ctime: unlike mtime, nobody can set it back

  friend bool operator==(const FolderStamp&, const FolderStamp&) = default;
};

// To be taken before a listing. Nothing where stamps do not hold: on file systems that are not
// known to keep them (network ones let changes show late), and in a folder that has changed just
// now, since its next change may fall into the same tick of the clock.
std::optional<FolderStamp> folder_stamp(const std::string& folder);

}  // namespace millstream::io
