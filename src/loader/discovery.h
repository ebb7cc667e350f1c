// Discovery: one walk over the input that finds the files which the list of seen files does not
// know. What is known costs a name in a directory, no stat; a folder of the local disk to which
// nothing was added costs one stat. Called by the source's query thread, and at definition for the
// sample.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "format/files.h"
#include "io/store.h"
#include "loader/globber.h"
#include "loader/seen_files.h"
#include "loader/settled_folders.h"

namespace millstream::loader {

struct DiscoveryRules {
  Globber globber;
  std::optional<format::Glob> name_filter;         // pathGlobFilter: on the base name
  std::optional<std::int64_t> modified_after_us;   // exclusive
  std::optional<std::int64_t> modified_before_us;  // exclusive
  bool by_version = false;                         // allowOverwrites
};

// The files that are not in `seen` (null: all files), ordered by (time of modification, path).
// PATH_NOT_FOUND when the path is no pattern and does not exist. `settled` (null: none) is for a
// caller on the local disk who adds all these files to `seen` before the next walk.
Result<std::vector<io::FileInfo>> discover(io::Store& store, const DiscoveryRules& rules,
                                           SeenFiles* seen, SettledFolders* settled);

}  // namespace millstream::loader
