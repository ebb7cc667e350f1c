// What follows a commit by itself, where the table or the session wants it: small files are put
// together (auto compaction), manifests are kept. Functions; thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/status.h"
#include "conc/cancel.h"
#include "delta/log.h"
#include "delta/transaction.h"

namespace millstream::delta {

struct Upkeep {
  // Nothing: as the table says.
  std::optional<bool> auto_compact;
  std::optional<bool> optimize_write;
  // Of auto compaction: how many files of a partition are enough, which files are small, and how
  // large one may become.
  std::int64_t min_files = 50;
  std::optional<std::int64_t> min_bytes;  // nothing: half of max_bytes
  std::int64_t max_bytes = std::int64_t{128} << 20;
  std::int64_t optimized_bytes = std::int64_t{512}
                                 << 20;  // of a file that an optimized write makes
  std::string time_zone = "UTC";  // the session's, of partition values that do not say theirs
};

// The session's settings by Spark's names ("spark.databricks.delta.autoCompact.enabled", …).
using Setting = std::function<std::optional<std::string>(const std::string&)>;
Result<Upkeep> upkeep_of(const Setting& setting);

// Whether a write's rows go into few files whatever their partitions: the option of the write, the
// session, the table, in this order.
bool optimizes_writes(const Upkeep& upkeep, const TableInfo& info);

// After a commit. What fails of it is a warning, for the commit stands; manifests that a table
// cannot have are an error.
Status follow_commit(const std::shared_ptr<Log>& log, const Transaction& committed,
                     const Upkeep& upkeep, const CancelToken* cancel);

}  // namespace millstream::delta
