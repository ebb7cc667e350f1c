#include "delta/optimize.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/clock.h"
#include "base/random.h"
#include "base/text.h"
#include "connector/chained.h"
#include "delta/commit_files.h"
#include "delta/file_scan.h"
#include "delta/row_tracking.h"
#include "format/parquet.h"

namespace millstream::delta {
namespace {

// The reference's optimize.clustering.mergeStrategy: when a cube is full, and how many bytes a run
// puts into one.
constexpr std::int64_t full_cube_bytes = std::int64_t{100} << 30;
constexpr std::int64_t cube_bytes = full_cube_bytes * 3 / 2;
constexpr const char* cube_tag = "ZCUBE_ID";
constexpr const char* cube_columns_tag = "ZCUBE_ZORDER_BY";
constexpr const char* clustering_provider = "liquid";

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
                                                  const TableInfo& info,
                                                  const std::vector<AddFilePtr>& bin,
                                                  const std::string& time_zone) {
  connector::ScanRequest request;
  for (const auto& field : info.schema) request.columns.push_back(field.name);
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
std::vector<Bin> binned(const std::vector<AddFilePtr>& files, std::int64_t bin_bytes_max) {
  std::vector<Bin> bins;
  for (auto& candidates : partitions_of(files)) {
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

std::string tag_of(const AddFile& file, const char* name) {
  const auto found = file.tags.find(name);
  return found == file.tags.end() ? "" : found->second;
}

std::string columns_text(const std::vector<std::string>& columns) {
  std::vector<std::string> quoted;
  for (const auto& column : columns) quoted.push_back(json_quote(column));
  return '[' + join(quoted, ",") + ']';
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

// The new files of bins whose rows are clustered, or not; added to `out` also when it fails.
Status write_group(const Log& log, const SnapshotPtr& snapshot, const std::vector<Bin>& bins,
                   const Rewriting& rewriting, const CancelToken* cancel, DataFiles& out) {
  TRY_ASSIGN(const TableInfoPtr info, as_rewritten(snapshot->info_ptr()));
  connector::Batches rows{info->schema, {}};
  for (const auto& bin : bins) {
    TRY_ASSIGN(auto partition, rewriting.rows
                                   ? rewriting.rows(bin, snapshot->info_ptr())
                                   : rows_of_bin(log, snapshot, *info, bin, rewriting.time_zone));
    rows.partitions.push_back(std::move(partition));
  }
  DataWriteOptions options;
  options.max_bytes_per_file = rewriting.max_bytes;
  TRY_ASSIGN(DataFiles files,
             write_data_files(log.store(), log.table(), *info, rows, options, cancel));
  std::map<std::string, std::string> tags;
  if (!rewriting.cluster_by.empty()) {
    static Random random = Random::from_device();
    tags = {{cube_tag, random.uuid()}, {cube_columns_tag, columns_text(rewriting.cluster_by)}};
  }
  for (const auto& written : files.adds) {
    AddFile add = *written;
    add.data_change = false;
    add.tags.insert(tags.begin(), tags.end());
    if (!tags.empty()) add.clustering_provider = clustering_provider;
    out.adds.push_back(std::make_shared<const AddFile>(std::move(add)));
  }
  out.others.insert(out.others.end(), files.others.begin(), files.others.end());
  out.rows += files.rows;
  out.bytes += files.bytes;
  return Status::OK();
}

Status write_bins(const Log& log, const SnapshotPtr& snapshot, const std::vector<Bin>& bins,
                  const Rewriting& rewriting, const CancelToken* cancel, DataFiles& out) {
  if (rewriting.cluster_by.empty()) return write_group(log, snapshot, bins, rewriting, cancel, out);
  // Each bin is a cube of its own.
  for (const auto& bin : bins) TRY(write_group(log, snapshot, {bin}, rewriting, cancel, out));
  return Status::OK();
}

}  // namespace

std::vector<Bin> bins_of(const std::vector<AddFilePtr>& files, const FileBounds& bounds) {
  std::vector<AddFilePtr> candidates;
  for (const auto& file : files) {
    if (file->size < bounds.min_bytes || file->deletion_vector != nullptr)
      candidates.push_back(file);
  }
  auto bins = binned(candidates, bounds.max_bytes);
  std::erase_if(bins, [](const auto& bin) { return bin.size() == 1; });
  return bins;
}

std::vector<Bin> partitions_of(const std::vector<AddFilePtr>& files) {
  std::map<PartitionValues, Bin> partitions;
  for (const auto& file : files) partitions[file->partition_values].push_back(file);
  std::vector<Bin> out;
  for (auto& [values, bin] : partitions) out.push_back(std::move(bin));
  return out;
}

Clustering files_to_cluster(const std::vector<AddFilePtr>& files,
                            const std::vector<std::string>& columns, bool all) {
  Clustering out;
  const std::string wanted = columns_text(columns);
  std::map<std::string, Bin> cubes;  // "": the files that are in none
  std::map<std::string, std::int64_t> bytes;
  Bin others;  // clustered by other means
  std::set<std::string> seen;
  for (const auto& file : files) {
    const std::string cube = tag_of(*file, cube_tag);
    const bool same_columns = cube.empty() || tag_of(*file, cube_columns_tag) == wanted;
    if (!cube.empty() && (same_columns || all)) seen.insert(cube);
    const bool ours =
        file->clustering_provider.value_or(clustering_provider) == clustering_provider;
    (!cube.empty() && (same_columns || all) ? out.in_cubes : out.others).add(*file);
    if (!ours || !same_columns) {
      others.push_back(file);
      continue;
    }
    cubes[cube].push_back(file);
    bytes[cube] += file->size;
  }
  out.cubes = static_cast<std::int64_t>(seen.size());
  std::erase_if(cubes, [&](const auto& cube) {
    return !cube.first.empty() && bytes[cube.first] >= full_cube_bytes;
  });
  const bool with_others = all && !others.empty();
  // One cube alone would come out as it is.
  if (!with_others && cubes.size() == 1 && !cubes.contains("")) cubes.clear();
  Bin chosen;
  for (auto& [cube, bin] : cubes) chosen.insert(chosen.end(), bin.begin(), bin.end());
  if (with_others) chosen.insert(chosen.end(), others.begin(), others.end());
  std::int64_t filled = cube_bytes;
  for (auto& file : chosen) {
    out.merged.add(*file);
    if (filled + file->size > cube_bytes) {
      out.bins.emplace_back();
      filled = 0;
    }
    filled += file->size;
    out.bins.back().push_back(std::move(file));
  }
  return out;
}

Result<std::vector<Bin>> bins_to_purge(const Log& log, const Snapshot& snapshot,
                                       const std::vector<AddFilePtr>& files) {
  TRY_ASSIGN(const TableInfoPtr info, as_rewritten(snapshot.info_ptr()));
  std::vector<AddFilePtr> candidates;
  for (const auto& file : files) {
    bool purged = file->deletion_vector != nullptr;
    // Columns are dropped where they are mapped only.
    if (!purged && snapshot.info().mapping != MappingMode::none) {
      TRY_ASSIGN(const auto footer,
                 format::read_parquet_footer(log.store(), resolve_path(log.table(), file->path)));
      purged = has_other_fields(footer.schema, info->physical);
    }
    if (purged) candidates.push_back(file);
  }
  return binned(candidates, FileBounds().max_bytes);
}

Result<Optimized> rewrite_bins(const std::shared_ptr<Log>& log, const SnapshotPtr& snapshot,
                               const std::vector<Bin>& bins, const Rewriting& rewriting,
                               const CancelToken* cancel) {
  Optimized done;
  done.version = snapshot->version();
  done.bins = static_cast<std::int64_t>(bins.size());
  if (bins.empty()) return done;
  const std::int64_t now = SystemClock().now_ms();
  Transaction txn;
  txn.read = snapshot;
  std::set<PartitionValues> partitions;
  std::vector<std::int64_t> removed;
  for (const auto& bin : bins) {
    partitions.insert(bin[0]->partition_values);
    for (const auto& file : bin) {
      txn.removes.push_back(std::make_shared<const RemoveFile>(remove_of(*file, now, false)));
      removed.push_back(file->size);
      done.vectors_removed += file->deletion_vector != nullptr ? 1 : 0;
    }
  }
  DataFiles files;
  Status written = write_bins(*log, snapshot, bins, rewriting, cancel, files);
  if (!written.ok()) {
    remove_data_files(*log->store(), log->table(), files);
    return written;
  }
  std::vector<std::int64_t> added;
  for (const auto& add : files.adds) added.push_back(add->size);
  txn.adds = files.adds;
  done.added = sizes_of(added);
  done.removed = sizes_of(removed);
  done.partitions = static_cast<std::int64_t>(partitions.size());
  txn.keeps_row_ids = keeps_row_ids(snapshot->info());
  txn.isolation = "SnapshotIsolation";
  txn.operation = rewriting.operation;
  txn.parameters = rewriting.parameters;
  txn.metrics = metrics_of(done, std::move(added));
  TRY_ASSIGN(done.version, commit_files(*log, txn, snapshot->info(), files, {}, cancel));
  log->wait_for_checkpoints();
  return done;
}

}  // namespace millstream::delta
