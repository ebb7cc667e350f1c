// The conflict rules: may this transaction follow that commit?
#include <algorithm>
#include <set>

#include "delta/identity.h"
#include "delta/stats.h"
#include "delta/transaction.h"

namespace millstream::delta {
namespace {

constexpr const char* doc_link = "https://docs.delta.io/latest/concurrency-control.html";

const CommitInfo* info_of(const std::vector<Action>& actions) {
  for (const auto& action : actions) {
    if (const auto* info = std::get_if<CommitInfo>(&action)) return info;
  }
  return nullptr;
}

struct Winner {
  bool has_protocol = false;
  bool has_metadata = false;
  bool adds_data = false;     // any added file
  bool removes_data = false;  // any removed file
  std::vector<AddFilePtr> added;
  std::set<std::string> txn_apps;
  std::set<std::string> removed;
  std::string operation = "TRANSACTION";
};

Winner summary(const std::vector<Action>& actions, const std::string& table) {
  Winner winner;
  if (const auto* info = info_of(actions); info != nullptr && !info->operation.empty()) {
    winner.operation = info->operation;
  }
  for (const auto& action : actions) {
    if (std::holds_alternative<Protocol>(action)) winner.has_protocol = true;
    if (std::holds_alternative<Metadata>(action)) winner.has_metadata = true;
    if (const auto* txn = std::get_if<Txn>(&action)) winner.txn_apps.insert(txn->app_id);
    if (const auto* add = std::get_if<AddFilePtr>(&action)) {
      winner.adds_data = winner.adds_data || (*add)->data_change;
      if ((*add)->data_change) winner.added.push_back(*add);
    }
    if (const auto* remove = std::get_if<RemoveFilePtr>(&action)) {
      winner.removes_data = true;
      winner.removed.insert(resolve_path(table, (*remove)->path));
    }
  }
  return winner;
}

// Whether the winner has only given numbers, which these rows do not ask for.
bool moves_marks_only(const Transaction& ours, const std::vector<Action>& actions) {
  if (ours.metadata || ours.read == nullptr) return false;
  return std::ranges::all_of(actions, [&](const Action& action) {
    const auto* metadata = std::get_if<Metadata>(&action);
    return metadata == nullptr || same_but_marks(*metadata, ours.read->metadata());
  });
}

Status lost_to(const char* condition, const Winner& winner, std::int64_t version,
               const std::string& table) {
  return Status::error(
      condition, {{"operation", winner.operation},
                  {"tableName", "delta.`" + table + "`"},
                  {"version", std::to_string(version)},
                  {"additionalInfo", ""},
                  {"conflictingCommit", "\nConflicting commit: version " + std::to_string(version) +
                                            ", operation " + winner.operation},
                  {"docLink", doc_link}});
}

}  // namespace

Status check_conflict(const Transaction& ours, std::int64_t version,
                      const std::vector<Action>& actions, const std::string& table) {
  const Winner winner = summary(actions, table);
  const auto lost = [&](const char* condition) {
    return lost_to(condition, winner, version, table);
  };
  if (winner.has_protocol && (ours.protocol || ours.read == nullptr))
    return lost("DELTA_PROTOCOL_CHANGED");
  if (winner.has_metadata && !moves_marks_only(ours, actions))
    return lost("DELTA_METADATA_CHANGED");
  if (winner.has_protocol) return lost("DELTA_PROTOCOL_CHANGED");
  if (ours.txn && winner.txn_apps.contains(ours.txn->app_id))
    return lost("DELTA_CONCURRENT_TRANSACTION");
  if (ours.read_whole_table && winner.adds_data)
    return lost("DELTA_CONCURRENT_APPEND.WITHOUT_HINT");
  if (ours.read_whole_table && winner.removes_data)
    return lost("DELTA_CONCURRENT_DELETE_READ.WITHOUT_HINT");
  if (ours.rows_read) {
    const ReadSet& read = *ours.rows_read;
    const bool rows_count = std::string_view(ours.isolation) != "SnapshotIsolation";
    for (const auto& add : winner.added) {
      if (!rows_count) break;
      if (may_match(*add, ours.read->info(), read.predicates))
        return lost("DELTA_CONCURRENT_APPEND.WITHOUT_HINT");
    }
    for (const auto& path : winner.removed) {
      if (read.files.contains(path)) return lost("DELTA_CONCURRENT_DELETE_READ.WITHOUT_HINT");
    }
  }
  for (const auto& remove : ours.removes) {
    if (winner.removed.contains(resolve_path(table, remove->path))) {
      return lost("DELTA_CONCURRENT_DELETE_DELETE.WITHOUT_HINT");
    }
  }
  return Status::OK();
}

}  // namespace millstream::delta
