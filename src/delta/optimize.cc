#include "delta/optimize.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/clock.h"
#include "connector/chained.h"
#include "delta/commit_files.h"
#include "delta/file_scan.h"
#include "format/parquet.h"

namespace millstream::delta {
namespace {

// The reference's defaults of optimize.minFileSize and optimize.maxFileSize.
constexpr std::int64_t small_file_bytes = std::int64_t{1} << 30;
constexpr std::int64_t bin_bytes_max = std::int64_t{1} << 30;

FileSizes sizes_of(const std::vector<std::int64_t>& sizes) {
  FileSizes out;
  out.count = static_cast<std::int64_t>(sizes.size());
  if (sizes.empty()) return out;
  for (const std::int64_t size : sizes) out.total += size;
  out.min = *std::ranges::min_element(sizes);
  out.max = *std::ranges::max_element(sizes);
  return out;
}

// A list of files as one partition of rows, so that one thread writes them one after the other.
Result<connector::Batches::Partition> rows_of_bin(const Log& log, const SnapshotPtr& snapshot,
                                                  const std::vector<AddFilePtr>& bin,
                                                  const std::string& time_zone) {
  connector::ScanRequest request;
  for (const auto& field : snapshot->schema()) request.columns.push_back(field.name);
  TRY_ASSIGN(auto rows, scan_files(log.store(), log.table(), snapshot->info_ptr(), bin, request,
                                   true, time_zone));
  return connector::chained(std::move(rows.partitions));
}

std::vector<std::pair<std::string, std::string>> metrics_of(const Optimized& done,
                                                            std::vector<std::int64_t> added) {
  std::ranges::sort(added);
  std::vector<std::pair<std::string, std::string>> out;
  const auto put = [&](const char* name, std::int64_t value) {
    out.emplace_back(name, fmt::to_string(value));
  };
  const auto at = [&](double share) {
    const auto index = static_cast<std::size_t>(share * static_cast<double>(added.size()));
    return added.empty() ? 0 : added[std::min(index, added.size() - 1)];
  };
  put("numRemovedFiles", done.removed.count);
  put("numRemovedBytes", done.removed.total);
  put("p25FileSize", at(0.25));
  put("numDeletionVectorsRemoved", done.vectors_removed);
  put("minFileSize", done.added.min);
  put("numAddedFiles", done.added.count);
  put("maxFileSize", done.added.max);
  put("p75FileSize", at(0.75));
  put("p50FileSize", at(0.5));
  put("numAddedBytes", done.added.total);
  return out;
}

// Files of one partition each, as many as one file should hold.
std::vector<std::vector<AddFilePtr>> binned(const std::vector<AddFilePtr>& files) {
  std::map<PartitionValues, std::vector<AddFilePtr>> partitions;
  for (const auto& file : files) partitions[file->partition_values].push_back(file);
  std::vector<std::vector<AddFilePtr>> bins;
  for (auto& [values, candidates] : partitions) {
    std::ranges::stable_sort(candidates, {}, [](const auto& file) { return file->size; });
    bool first = true;
    std::int64_t filled = 0;
    for (auto& file : candidates) {
      if (std::exchange(first, false) || filled + file->size > bin_bytes_max) {
        bins.emplace_back();
        filled = 0;
      }
      filled += file->size;
      bins.back().push_back(std::move(file));
    }
  }
  return bins;
}

// Whether a file has fields, at any depth, that the table has not.
bool has_other_fields(const column::Schema& file, const column::Schema& table) {
  return std::ranges::any_of(file, [&](const auto& field) {
    const int index = column::find_field(table, field.name);
    if (index < 0) return true;
    const auto& type = table[static_cast<std::size_t>(index)].type;
    return field.type->is_nested() && type->is_nested() &&
           has_other_fields(field.type->fields(), type->fields());
  });
}

}  // namespace

std::vector<std::vector<AddFilePtr>> bins_of(const std::vector<AddFilePtr>& files) {
  std::vector<AddFilePtr> candidates;
  for (const auto& file : files) {
    if (file->size < small_file_bytes || file->deletion_vector != nullptr)
      candidates.push_back(file);
  }
  auto bins = binned(candidates);
  std::erase_if(bins, [](const auto& bin) { return bin.size() == 1; });
  return bins;
}

Result<std::vector<std::vector<AddFilePtr>>> bins_to_purge(const Log& log, const Snapshot& snapshot,
                                                           const std::vector<AddFilePtr>& files) {
  std::vector<AddFilePtr> candidates;
  for (const auto& file : files) {
    bool purged = file->deletion_vector != nullptr;
    // Columns are dropped where they are mapped only.
    if (!purged && snapshot.info().mapping != MappingMode::none) {
      TRY_ASSIGN(const auto footer,
                 format::read_parquet_footer(log.store(), resolve_path(log.table(), file->path)));
      purged = has_other_fields(footer.schema, snapshot.info().physical);
    }
    if (purged) candidates.push_back(file);
  }
  return binned(candidates);
}

Result<Optimized> rewrite_bins(const std::shared_ptr<Log>& log, const SnapshotPtr& snapshot,
                               const std::vector<std::vector<AddFilePtr>>& bins,
                               const std::string& operation, const std::string& parameters,
                               const std::string& time_zone, const CancelToken* cancel) {
  Optimized done;
  done.version = snapshot->version();
  done.bins = static_cast<std::int64_t>(bins.size());
  if (bins.empty()) return done;
  const std::int64_t now = SystemClock().now_ms();
  Transaction txn;
  txn.read = snapshot;
  connector::Batches rows{snapshot->schema(), {}};
  std::set<PartitionValues> partitions;
  std::vector<std::int64_t> removed;
  for (const auto& bin : bins) {
    partitions.insert(bin[0]->partition_values);
    for (const auto& file : bin) {
      txn.removes.push_back(std::make_shared<const RemoveFile>(remove_of(*file, now, false)));
      removed.push_back(file->size);
      done.vectors_removed += file->deletion_vector != nullptr ? 1 : 0;
    }
    TRY_ASSIGN(auto partition, rows_of_bin(*log, snapshot, bin, time_zone));
    rows.partitions.push_back(std::move(partition));
  }
  DataWriteOptions options;
  options.max_bytes_per_file = bin_bytes_max;
  TRY_ASSIGN(const DataFiles files,
             write_data_files(log->store(), log->table(), snapshot->info(), rows, options, cancel));
  std::vector<std::int64_t> added;
  for (const auto& written : files.adds) {
    AddFile add = *written;
    add.data_change = false;
    added.push_back(add.size);
    txn.adds.push_back(std::make_shared<const AddFile>(std::move(add)));
  }
  done.added = sizes_of(added);
  done.removed = sizes_of(removed);
  done.partitions = static_cast<std::int64_t>(partitions.size());
  txn.isolation = "SnapshotIsolation";
  txn.operation = operation;
  txn.parameters = parameters;
  txn.metrics = metrics_of(done, std::move(added));
  TRY_ASSIGN(done.version, commit_files(*log, txn, snapshot->info(), files));
  log->wait_for_checkpoints();
  return done;
}

}  // namespace millstream::delta
