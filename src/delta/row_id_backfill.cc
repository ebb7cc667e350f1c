#include "delta/row_id_backfill.h"

#include "base/text.h"
#include "delta/features.h"
#include "delta/retry.h"
#include "delta/row_tracking.h"
#include "delta/transaction.h"

namespace millstream::delta {
namespace {

// So that whatever is written from then on has ids.
Transaction with_feature(const SnapshotPtr& snapshot) {
  Transaction txn;
  txn.read = snapshot;
  txn.protocol =
      upgraded(snapshot->protocol(), snapshot->schema(), {{"delta.enableRowTracking", "true"}});
  std::string text = to_json(*txn.protocol);  // {"protocol":{…}}
  text = text.substr(text.find(':') + 1);
  text.pop_back();
  txn.operation = "UPGRADE PROTOCOL";
  txn.parameters = fmt::format(R"({{"newProtocol":{}}})", json_quote(text));
  return txn;
}

// The same files again: committing them gives them ids. A file that goes meanwhile must not come
// back.
Transaction with_ids(const SnapshotPtr& snapshot, const std::string& table) {
  Transaction txn;
  txn.read = snapshot;
  txn.isolation = "SnapshotIsolation";
  txn.rows_read = ReadSet{};
  snapshot->files().for_each([&](const AddFilePtr& file) {
    if (file->base_row_id) return;
    txn.rows_read->files.insert(resolve_path(table, file->path));
    AddFile again = *file;
    again.data_change = false;
    txn.adds.push_back(std::make_shared<const AddFile>(std::move(again)));
  });
  txn.operation = "ROW TRACKING BACKFILL";
  txn.parameters = R"({"batchId":"0"})";
  return txn;
}

Result<SnapshotPtr> latest(Log& log) {
  TRY_ASSIGN(SnapshotPtr snapshot, log.latest());
  if (snapshot == nullptr) return Status::not_found("no Delta table in {}", log.table());
  return snapshot;
}

// Commits what `missing` makes of the table as it is; false: nothing was missing.
template <typename Missing>
Result<bool> commit_missing(Log& log, const Missing& missing) {
  return retried([&]() -> Result<bool> {
    TRY_ASSIGN(const SnapshotPtr snapshot, latest(log));
    const std::optional<Transaction> txn = missing(snapshot);
    if (!txn) return false;
    TRY(commit(log, *txn).status());
    return true;
  });
}

}  // namespace

Result<bool> give_ids_to_files(Log& log) {
  TRY_ASSIGN(const bool upgraded, commit_missing(log, [](const SnapshotPtr& snapshot) {
               const bool there = gives_row_ids(snapshot->protocol(), snapshot->metadata());
               return there ? std::nullopt : std::optional(with_feature(snapshot));
             }));
  TRY_ASSIGN(const bool filled, commit_missing(log, [&](const SnapshotPtr& snapshot) {
               Transaction txn = with_ids(snapshot, log.table());
               return txn.adds.empty() ? std::nullopt : std::optional(std::move(txn));
             }));
  return upgraded || filled;
}

}  // namespace millstream::delta
