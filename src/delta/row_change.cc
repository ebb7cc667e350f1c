#include "delta/row_change.h"

#include <arrow/record_batch.h>

#include <atomic>

#include "base/clock.h"
#include "base/failpoint.h"
#include "connector/chained.h"
#include "delta/change_feed.h"
#include "delta/commit_files.h"
#include "delta/deletion_vector.h"
#include "delta/features.h"
#include "delta/file_scan.h"
#include "delta/row_tracking.h"
#include "delta/stats.h"
#include "format/parquet.h"

namespace millstream::delta {
namespace {

// Fewer bytes than these are rewritten by one thread, into one file a partition: many small
// statements must not leave many small files.
constexpr std::int64_t one_file_bytes_max = 64 << 20;
constexpr std::int64_t file_bytes_max = 256 << 20;

class CountingReader final : public connector::BatchReader {
 public:
  CountingReader(std::unique_ptr<connector::BatchReader> rows, std::atomic<std::int64_t>& count)
      : rows_(std::move(rows)), count_(count) {}
  Result<connector::RecordBatchPtr> next() override {
    TRY_ASSIGN(auto batch, rows_->next());
    if (batch != nullptr) count_ += batch->num_rows();
    return batch;
  }

 private:
  std::unique_ptr<connector::BatchReader> rows_;
  std::atomic<std::int64_t>& count_;
};

// Whether no row of the file stays. The statistics are only a claim; the file itself knows.
Result<bool> all_rows_go(const Log& log, const RowChange::ChangedFile& changed) {
  if (changed.rows == nullptr) return true;
  if (changed.rows->count() != live_rows(*changed.file)) return false;
  TRY_ASSIGN(const auto footer, format::read_parquet_footer(
                                    log.store(), resolve_path(log.table(), changed.file->path)));
  const auto& deleted = changed.file->deletion_vector;
  return footer.rows - (deleted ? deleted->cardinality : 0) == changed.rows->count();
}

using ChangedFiles = std::vector<RowChange::ChangedFile>;

// What becomes of the changed files.
struct Fates {
  ChangedFiles rewritten;
  ChangedFiles marked;
};

Result<Fates> fates_of(const Log& log, const RowChange& change) {
  Fates out;
  auto& some_stay = marks_deleted_rows(*change.plan.info) ? out.marked : out.rewritten;
  for (const auto& changed : change.changed) {
    TRY_ASSIGN(const bool all_go, all_rows_go(log, changed));
    if (!all_go) some_stay.push_back(changed);
  }
  return out;
}

// The same file with more of its rows deleted. The log counts all rows of such a file.
Result<AddFilePtr> marked_file(const Log& log, const RowChange::ChangedFile& changed,
                               DeletionVectorFile& vectors) {
  AddFile out = *changed.file;
  RowSet rows;
  if (out.deletion_vector != nullptr) {
    TRY_ASSIGN(const auto deleted,
               read_deletion_vector(*log.store(), log.table(), *out.deletion_vector));
    rows = deleted.rows();
  }
  rows.add_all(*changed.rows);
  auto count = parse_stats(out.stats).rows;
  if (!count) {
    TRY_ASSIGN(const auto footer,
               format::read_parquet_footer(log.store(), resolve_path(log.table(), out.path)));
    count = footer.rows;
  }
  out.stats = with_wide_bounds(out.stats, *count);
  out.deletion_vector = std::make_shared<const DeletionVector>(vectors.add(rows));
  out.data_change = true;
  return std::make_shared<const AddFile>(std::move(out));
}

// The marked files, whose vectors are durable.
Result<std::vector<AddFilePtr>> mark_rows(const Log& log, const ChangedFiles& marked,
                                          DataFiles& files, ChangeCounts& counts) {
  std::vector<AddFilePtr> out;
  DeletionVectorFile vectors(log.store(), log.table());
  for (const auto& changed : marked) {
    TRY_ASSIGN(auto file, marked_file(log, changed, vectors));
    out.push_back(std::move(file));
    ++counts.vectors_added;
    counts.vectors_updated += changed.file->deletion_vector != nullptr ? 1 : 0;
  }
  if (vectors.empty()) return out;
  files.others.push_back(vectors.path());
  TRY(vectors.write());
  return out;
}

// The rows of those files that stay; with their ids, where `info` has them.
Result<connector::Batches> rows_that_stay(const Log& log, const RowChange& change,
                                          const TableInfo& info, const ChangedFiles& rewritten,
                                          std::int64_t* bytes) {
  auto choice = std::make_shared<RowChoice>();
  for (const auto& changed : rewritten) {
    choice->files.push_back(changed.file);
    choice->left_out.push_back(changed.rows);
    *bytes += changed.file->size;
  }
  connector::ScanRequest request;
  for (const auto& field : info.schema) request.columns.push_back(field.name);
  return scan_rows(log.store(), log.table(), change.plan.info, choice, request, true,
                   change.time_zone);
}

void add_removes(const RowChange& change, const ChangedFiles& marked, std::int64_t now_ms,
                 Transaction& txn, ChangeCounts& counts) {
  for (const auto& changed : change.changed) {
    txn.removes.push_back(
        std::make_shared<const RemoveFile>(remove_of(*changed.file, now_ms, true)));
    ++counts.files_removed;
    counts.bytes_removed += changed.file->size;
    counts.vectors_removed += changed.file->deletion_vector != nullptr ? 1 : 0;
  }
  // Those that are added again have not gone.
  for (const auto& changed : marked) {
    --counts.files_removed;
    counts.bytes_removed -= changed.file->size;
  }
}

// Writes the change files, as far as there is something to be said in them.
Result<DataFiles> write_change_files(const Log& log, const RowChange& change,
                                     const CancelToken* cancel) {
  if (change.change_feed.partitions.empty()) return DataFiles();
  TableInfo info = *change.plan.info;
  for (auto* schema : {&info.schema, &info.physical}) {
    schema->push_back({std::string(change_feed::type_column), column::string_type(), true, {}});
  }
  connector::Batches rows = change.change_feed;
  rows.partitions = {connector::chained(std::move(rows.partitions))};
  DataWriteOptions options;
  options.directory = "_change_data/";
  options.prefix = "cdc";
  options.max_bytes_per_file = file_bytes_max;
  return write_data_files(log.store(), log.table(), info, rows, options, cancel);
}

void add_change_files(const DataFiles& files, Transaction& txn) {
  for (const auto& file : files.adds) {
    txn.changes.push_back({file->path, file->partition_values, file->size});
  }
}

}  // namespace

std::optional<std::int64_t> live_rows(const AddFile& file) {
  if (file.stats.empty()) return std::nullopt;
  auto rows = parse_stats(file.stats).rows;
  if (rows && file.deletion_vector != nullptr) *rows -= file.deletion_vector->cardinality;
  return rows;
}

Result<std::int64_t> commit_rows(const std::shared_ptr<Log>& log, const RowChange& change,
                                 const std::function<Metrics(const ChangeCounts&)>& metrics,
                                 const CancelToken* cancel) {
  ChangeCounts counts;
  std::atomic<std::int64_t> copied{0};
  std::int64_t copied_bytes = 0;
  TRY_ASSIGN(const Fates fates, fates_of(*log, change));
  TRY_ASSIGN(const TableInfoPtr info, as_rewritten(change.plan.info));
  TRY_ASSIGN(const auto stay, rows_that_stay(*log, change, *info, fates.rewritten, &copied_bytes));
  connector::Batches rows{info->schema, change.added.partitions};
  for (const auto& partition : stay.partitions) {
    rows.partitions.push_back(
        [partition, &copied]() -> Result<std::unique_ptr<connector::BatchReader>> {
          TRY_ASSIGN(auto reader, partition());
          return std::unique_ptr<connector::BatchReader>(
              std::make_unique<CountingReader>(std::move(reader), copied));
        });
  }
  if (copied_bytes <= one_file_bytes_max)
    rows.partitions = {connector::chained(std::move(rows.partitions))};
  DataWriteOptions options;
  options.max_bytes_per_file = file_bytes_max;
  TRY_ASSIGN(DataFiles files,
             write_data_files(log->store(), log->table(), *info, rows, options, cancel));
  const auto change_files = write_change_files(*log, change, cancel);
  if (!change_files.ok()) {
    remove_data_files(*log->store(), log->table(), files);
    return change_files.status();
  }
  const auto marked = mark_rows(*log, fates.marked, files, counts);
  if (!marked.ok()) {
    remove_data_files(*log->store(), log->table(), files);
    remove_data_files(*log->store(), log->table(), *change_files);
    return marked.status();
  }
  counts.files_added = static_cast<std::int64_t>(files.adds.size());
  counts.bytes_added = files.bytes;
  counts.rows_copied = copied;
  counts.rows_written = files.rows;
  counts.change_files = static_cast<std::int64_t>(change_files->adds.size());

  Transaction txn;
  txn.read = change.read;
  txn.metadata = change.plan.metadata;
  txn.protocol = change.plan.protocol;
  txn.txn = change.txn;
  if (change.numbers != nullptr && change.numbers->are_used())
    TRY(note_numbers(*change.numbers, *change.plan.info, txn));
  txn.adds = files.adds;
  txn.adds.insert(txn.adds.end(), marked->begin(), marked->end());
  add_change_files(*change_files, txn);
  add_removes(change, fates.marked, SystemClock().now_ms(), txn, counts);
  if (txn.adds.empty() && txn.removes.empty() && !txn.metadata && !txn.txn) {
    return change.read->version();
  }
  txn.rows_read = ReadSet{change.predicates, {}};
  for (const auto& file : change.files_read) {
    txn.rows_read->files.insert(resolve_path(log->table(), file->path));
  }
  txn.keeps_row_ids = keeps_row_ids(*change.plan.info);
  txn.operation = change.operation;
  txn.parameters = change.parameters;
  txn.user_metadata = change.user_metadata;
  txn.metrics = metrics(counts);
  // What goes when the commit loses.
  files.adds.insert(files.adds.end(), change_files->adds.begin(), change_files->adds.end());
  auto version = commit_files(*log, txn, *change.plan.info, files, change.upkeep, cancel);
  log->wait_for_checkpoints();
  return version;
}

}  // namespace millstream::delta
