#include "delta/upkeep.h"

#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "base/log.h"
#include "base/text.h"
#include "delta/manifest.h"
#include "delta/optimize.h"

namespace millstream::delta {
namespace {

constexpr const char* prefix = "spark.databricks.delta.";
// Partitions that are remembered as compacted; beyond it all are forgotten, which costs a look
// each.
constexpr std::size_t remembered_max = 65'536;

Status bad_value(const std::string& name, const std::string& value, const char* needed) {
  return Status::error("INVALID_CONF_VALUE.REQUIREMENT",
                       {{"confName", name}, {"confValue", value}, {"confRequirement", needed}});
}

Status take_flag(const Setting& setting, const char* name, std::optional<bool>& out) {
  const std::string full = std::string(prefix) + name;
  const auto value = setting(full);
  if (!value) return Status::OK();
  out = parse_bool(*value);
  return out ? Status::OK() : bad_value(full, *value, "must be true or false");
}

Result<std::optional<std::int64_t>> number_of(const Setting& setting, const char* name) {
  const std::string full = std::string(prefix) + name;
  const auto value = setting(full);
  if (!value) return std::optional<std::int64_t>();
  const auto number = parse_bytes(*value);
  if (!number || *number < 0) return bad_value(full, *value, "has to be positive");
  return number;
}

// Of partitions that this process has compacted, by table and partition: the first commit to one
// compacts it, later ones when there are files enough, as the reference does.
class Compacted {
 public:
  bool contains(const std::string& table, const PartitionValues& partition) {
    const std::lock_guard lock(mutex_);
    return partitions_.contains({table, partition});
  }
  void add(const std::string& table, const PartitionValues& partition) {
    const std::lock_guard lock(mutex_);
    if (partitions_.size() >= remembered_max) partitions_.clear();
    partitions_.insert({table, partition});
  }

 private:
  std::mutex mutex_;
  std::set<std::pair<std::string, PartitionValues>> partitions_;
};

Compacted& compacted() {
  static Compacted all;
  return all;
}

bool compacts(const Upkeep& upkeep, const TableInfo& info) {
  if (upkeep.auto_compact) return *upkeep.auto_compact;
  return info.flag("delta.autoOptimize", false) ||
         info.flag("delta.autoOptimize.autoCompact", false);
}

using Partitions = std::map<PartitionValues, std::vector<AddFilePtr>>;

// The partitions that the commit added to, with their live files.
Partitions partitions_of(const Snapshot& snapshot, const Transaction& committed) {
  Partitions out;
  for (const auto& add : committed.adds) out[add->partition_values];
  snapshot.files().for_each([&](const AddFilePtr& file) {
    const auto found = out.find(file->partition_values);
    if (found != out.end()) found->second.push_back(file);
  });
  return out;
}

// "('p <=> cast(a as string))": as the reference notes which partitions it looked at.
std::string predicate_of(const std::vector<PartitionValues>& partitions, const TableInfo& info) {
  std::string all;
  for (const auto& partition : partitions) {
    std::string one;
    for (const int index : info.partition_index) {
      const auto at = static_cast<std::size_t>(index);
      const auto found = partition.find(info.physical[at].name);
      const auto value = found == partition.end() ? std::nullopt : found->second;
      const std::string term =
          fmt::format("('{} <=> cast({} as {}))", info.physical[at].name, value.value_or("null"),
                      info.schema[at].type->simple_string());
      one = one.empty() ? term : fmt::format("({} AND {})", one, term);
    }
    all = all.empty() ? one : fmt::format("({} OR {})", all, one);
  }
  return all.empty() ? "[]" : '[' + json_quote(all) + ']';
}

Status compact(const std::shared_ptr<Log>& log, const Transaction& committed, const Upkeep& upkeep,
               const CancelToken* cancel) {
  const SnapshotPtr snapshot = log->known();  // the commit is in it
  if (snapshot == nullptr || !compacts(upkeep, snapshot->info())) return Status::OK();
  const std::string& table = snapshot->metadata().id;
  const std::int64_t small = upkeep.min_bytes.value_or(upkeep.max_bytes / 2);
  std::vector<PartitionValues> chosen;
  std::vector<AddFilePtr> candidates;
  for (auto& [partition, files] : partitions_of(*snapshot, committed)) {
    std::int64_t count = 0;
    for (const auto& file : files) {
      if (!upkeep.min_bytes || file->size <= *upkeep.min_bytes) ++count;
    }
    if (compacted().contains(table, partition) && count < upkeep.min_files) continue;
    chosen.push_back(partition);
    candidates.insert(candidates.end(), files.begin(), files.end());
  }
  const auto bins = bins_of(candidates, {small, upkeep.max_bytes});
  Rewriting rewriting;
  rewriting.operation = "OPTIMIZE";
  rewriting.parameters =
      fmt::format(R"({{"predicate":{},"zOrderBy":"[]","clusterBy":"[]","auto":true}})",
                  json_quote(predicate_of(chosen, snapshot->info())));
  rewriting.time_zone = upkeep.time_zone;
  rewriting.max_bytes = upkeep.max_bytes;
  TRY(rewrite_bins(log, snapshot, bins, rewriting, cancel).status());
  for (const auto& partition : chosen) compacted().add(table, partition);
  return Status::OK();
}

}  // namespace

Result<Upkeep> upkeep_of(const Setting& setting) {
  Upkeep out;
  TRY(take_flag(setting, "autoCompact.enabled", out.auto_compact));
  TRY(take_flag(setting, "optimizeWrite.enabled", out.optimize_write));
  TRY_ASSIGN(const auto min_files, number_of(setting, "autoCompact.minNumFiles"));
  TRY_ASSIGN(out.min_bytes, number_of(setting, "autoCompact.minFileSize"));
  TRY_ASSIGN(const auto max_bytes, number_of(setting, "autoCompact.maxFileSize"));
  TRY_ASSIGN(const auto bin_mib, number_of(setting, "optimizeWrite.binSize"));
  out.min_files = min_files.value_or(out.min_files);
  out.max_bytes = max_bytes.value_or(out.max_bytes);
  // A number alone is of MiB.
  if (bin_mib) out.optimized_bytes = *bin_mib < (1 << 20) ? *bin_mib << 20 : *bin_mib;
  return out;
}

bool optimizes_writes(const Upkeep& upkeep, const TableInfo& info) {
  if (upkeep.optimize_write) return *upkeep.optimize_write;
  return info.flag("delta.autoOptimize.optimizeWrite", info.flag("delta.autoOptimize", false));
}

Status follow_commit(const std::shared_ptr<Log>& log, const Transaction& committed,
                     const Upkeep& upkeep, const CancelToken* cancel) {
  TRY(keep_manifests(*log, committed));
  // What OPTIMIZE has put together is not put together again.
  const bool adds = !committed.adds.empty() && committed.adds[0]->data_change;
  if (!adds) return Status::OK();
  const Status done = compact(log, committed, upkeep, cancel);
  if (!done.ok()) log_warn("{}: auto compaction: {}", log->table(), done.message());
  return Status::OK();
}

}  // namespace millstream::delta
