#include "delta/commit_files.h"

#include "base/failpoint.h"

namespace millstream::delta {

std::int64_t remove_all(const Snapshot& snapshot, std::int64_t now_ms, Transaction& txn) {
  std::int64_t bytes = 0;
  snapshot.files().for_each([&](const AddFilePtr& file) {
    bytes += file->size;
    txn.removes.push_back(std::make_shared<const RemoveFile>(remove_of(*file, now_ms, true)));
  });
  return bytes;
}

Result<std::int64_t> commit_files(Log& log, const Transaction& txn, const TableInfo& info,
                                  const DataFiles& files) {
  TRY(failpoints::pass("delta.after_data"));
  if (const Status fits = check_transaction(txn, info); !fits.ok()) {
    remove_data_files(*log.store(), log.table(), files);
    return fits;
  }
  auto committed = commit(log, txn);
  if (!committed.ok() && committed.status().is(ErrorKind::concurrent_modification)) {
    remove_data_files(*log.store(), log.table(), files);
  }
  return committed;
}

}  // namespace millstream::delta
