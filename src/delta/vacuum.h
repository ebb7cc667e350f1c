// VACUUM: removes files under a table that no version needs which is younger than the retention.
// Functions; thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "conc/cancel.h"
#include "delta/snapshot.h"
#include "io/store.h"

namespace millstream::delta {

inline constexpr std::int64_t default_file_retention_ms = 7LL * 24 * 3600 * 1000;

struct VacuumRequest {
  std::optional<std::int64_t> retention_ms;  // nothing: as the table says
  bool check_retention = true;               // one that is shorter than the table's is refused
  bool dry_run = false;
  bool lite = false;  // only files that the log knows
  // In place of what lies under the table: the files that somebody else has listed.
  std::optional<std::vector<io::FileInfo>> inventory;
};

struct Vacuumed {
  std::vector<std::string> files;  // absolute paths; of a dry run: those that would go
  std::int64_t bytes = 0;
  std::int64_t directories = 0;  // that were looked through
  std::int64_t cutoff_ms = 0;    // what is younger is kept
};

// How long removed files stay: delta.deletedFileRetentionDuration.
std::int64_t file_retention_ms(const TableInfo& info);

// DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT, DELTA_VACUUM_RETENTION_PERIOD_NEGATIVE,
// DELTA_CANNOT_VACUUM_LITE. Names that begin with '_' or '.' are never touched, but for those of
// partitions and change files; nor is what lies outside of the table.
Result<Vacuumed> vacuum_table(const std::shared_ptr<io::Store>& store, const std::string& table,
                              const VacuumRequest& request, const CancelToken* cancel);

}  // namespace millstream::delta
