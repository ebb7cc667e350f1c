// The last step that batch writes and the streaming sink share: the commit of data files that are
// written already.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "delta/data_writer.h"
#include "delta/identity.h"
#include "delta/log.h"
#include "delta/transaction.h"
#include "delta/upkeep.h"

namespace millstream::delta {

// Adds the removal of all live files to the transaction; their bytes.
std::int64_t remove_all(const Snapshot& snapshot, std::int64_t now_ms, Transaction& txn);

// Adds the removal of the live files of those partitions that `adds` write to, and that they were
// read; the bytes that go. `time_zone`: of partition values that do not say theirs.
Result<std::int64_t> remove_partitions(const Snapshot& snapshot, const std::string& table,
                                       const std::vector<AddFilePtr>& adds,
                                       const std::string& time_zone, std::int64_t now_ms,
                                       Transaction& txn);

// Adds the marks of the numbers that rows got; `info` is the table without them.
Status note_numbers(const IdentityNumbers& numbers, const TableInfo& info, Transaction& txn);

// Checks and commits; the version. When the transaction has lost for certain its data files are
// removed; when nobody can tell they stay. `upkeep`: what follows the commit.
Result<std::int64_t> commit_files(Log& log, const Transaction& txn, const TableInfo& info,
                                  const DataFiles& files, const Upkeep& upkeep,
                                  const CancelToken* cancel);

}  // namespace millstream::delta
