// RESTORE: a table becomes what it was at an earlier version, by one commit. Functions;
// thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/status.h"
#include "io/store.h"

namespace millstream::delta {

struct RestoreTarget {
  std::optional<std::int64_t> version;
  std::optional<std::int64_t> time_ms;  // else: the newest commit that is not later
  std::string time_text;
  bool within_retention = true;  // of files that were removed: versions before it are refused
};

struct Restored {
  std::int64_t table_bytes = 0;
  std::int64_t table_files = 0;
  std::int64_t removed_files = 0;
  std::int64_t restored_files = 0;
  std::int64_t removed_bytes = 0;
  std::int64_t restored_bytes = 0;
};

// Nothing when it is the newest version already. DELTA_CANNOT_RESTORE_TABLE_VERSION; a file that is
// needed and gone is an error that names it. Another commit that is first is restored away too.
Result<std::optional<Restored>> restore_table(const std::shared_ptr<io::Store>& store,
                                              const std::string& table,
                                              const RestoreTarget& target);

}  // namespace millstream::delta
