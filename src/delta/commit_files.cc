#include "delta/commit_files.h"

#include <arrow/scalar.h>

#include <set>

#include "base/failpoint.h"
#include "delta/values.h"

namespace millstream::delta {

std::int64_t remove_all(const Snapshot& snapshot, std::int64_t now_ms, Transaction& txn) {
  std::int64_t bytes = 0;
  snapshot.files().for_each([&](const AddFilePtr& file) {
    bytes += file->size;
    txn.removes.push_back(std::make_shared<const RemoveFile>(remove_of(*file, now_ms, true)));
  });
  return bytes;
}

namespace {

// The values of a file's partition, whatever way they are written.
Result<std::vector<ScalarPtr>> partition_of(const AddFile& file, const TableInfo& info,
                                            const std::string& time_zone) {
  std::vector<ScalarPtr> values;
  for (const int index : info.partition_index) {
    const auto at = static_cast<std::size_t>(index);
    const auto found = file.partition_values.find(info.physical[at].name);
    TRY_ASSIGN(auto value,
               parse_partition_value(
                   info.schema[at],
                   found == file.partition_values.end() ? std::nullopt : found->second, time_zone));
    values.push_back(std::move(value));
  }
  return values;
}

std::string text_of(const std::vector<ScalarPtr>& values) {
  std::string out;
  for (const auto& value : values) {
    const std::string text = value->is_valid ? "=" + value->ToString() : "";
    out += fmt::format("{}:{}", text.size(), text);
  }
  return out;
}

// What holds of every row of the partitions.
std::vector<connector::Predicate> predicates_of(const TableInfo& info,
                                                const std::vector<std::vector<ScalarPtr>>& all) {
  std::vector<connector::Predicate> out;
  for (std::size_t i = 0; i < info.partition_index.size(); ++i) {
    connector::Predicate one{{info.schema[static_cast<std::size_t>(info.partition_index[i])].name},
                             connector::Predicate::Op::in,
                             {}};
    bool known = true;
    for (const auto& values : all) {
      known = known && values[i]->is_valid;
      one.values.push_back(values[i]);
    }
    if (known) out.push_back(std::move(one));
  }
  return out;
}

}  // namespace

Result<std::int64_t> remove_partitions(const Snapshot& snapshot, const std::string& table,
                                       const std::vector<AddFilePtr>& adds,
                                       const std::string& time_zone, std::int64_t now_ms,
                                       Transaction& txn) {
  std::set<std::string> written;
  std::vector<std::vector<ScalarPtr>> partitions;
  for (const auto& add : adds) {
    TRY_ASSIGN(auto values, partition_of(*add, snapshot.info(), time_zone));
    if (written.insert(text_of(values)).second) partitions.push_back(std::move(values));
  }
  txn.rows_read = ReadSet{predicates_of(snapshot.info(), partitions), {}};
  std::vector<AddFilePtr> live;
  snapshot.files().for_each([&](const AddFilePtr& file) { live.push_back(file); });
  std::int64_t bytes = 0;
  for (const auto& file : live) {
    TRY_ASSIGN(const auto values, partition_of(*file, snapshot.info(), time_zone));
    if (!written.contains(text_of(values))) continue;
    bytes += file->size;
    txn.removes.push_back(std::make_shared<const RemoveFile>(remove_of(*file, now_ms, true)));
    txn.rows_read->files.insert(resolve_path(table, file->path));
  }
  return bytes;
}

Status note_numbers(const IdentityNumbers& numbers, const TableInfo& info, Transaction& txn) {
  txn.numbers_rows = !txn.metadata.has_value();
  TRY_ASSIGN(txn.metadata, numbers.noted(txn.metadata.value_or(info.metadata)));
  return Status::OK();
}

Result<std::int64_t> commit_files(Log& log, const Transaction& txn, const TableInfo& info,
                                  const DataFiles& files, const Upkeep& upkeep,
                                  const CancelToken* cancel) {
  TRY(failpoints::pass("delta.after_data"));
  if (const Status fits = check_transaction(txn, info); !fits.ok()) {
    remove_data_files(*log.store(), log.table(), files);
    return fits;
  }
  auto committed = commit(log, txn);
  if (!committed.ok() && committed.status().is(ErrorKind::concurrent_modification)) {
    remove_data_files(*log.store(), log.table(), files);
  }
  if (committed.ok()) TRY(follow_commit(log.shared_from_this(), txn, upkeep, cancel));
  return committed;
}

}  // namespace millstream::delta
