#include "delta/transaction.h"

#include <algorithm>
#include <set>

#include "base/clock.h"
#include "base/failpoint.h"
#include "base/random.h"
#include "base/text.h"
#include "delta/features.h"
#include "delta/version.h"

namespace millstream::delta {
namespace {

constexpr int publish_attempts_max = 3;  // of one version, after outcomes that were not clear

std::string commit_info(const Transaction& ours, const std::string& txn_id, std::int64_t now_ms,
                        std::optional<std::int64_t> in_commit_timestamp) {
  std::string out = "{\"commitInfo\":{";
  if (in_commit_timestamp) out += fmt::format("\"inCommitTimestamp\":{},", *in_commit_timestamp);
  out += fmt::format("\"timestamp\":{},\"operation\":{},\"operationParameters\":{}", now_ms,
                     json_quote(ours.operation), ours.parameters);
  // What was decided by a table that was not there yet was decided by version -1.
  if (ours.read != nullptr || ours.read_whole_table) {
    out += fmt::format(",\"readVersion\":{}", ours.read == nullptr ? -1 : ours.read->version());
  }
  out += fmt::format(",\"isolationLevel\":\"{}\",\"isBlindAppend\":{},\"operationMetrics\":{{",
                     ours.isolation, ours.is_blind_append());
  bool first = true;
  for (const auto& [name, value] : ours.metrics) {
    if (!std::exchange(first, false)) out += ',';
    out += json_quote(name) + ':' + json_quote(value);
  }
  out += '}';
  if (ours.numbers_rows) out += R"(,"tags":{"delta.identity.schemaUpdate":"true"})";
  if (!ours.user_metadata.empty()) out += ",\"userMetadata\":" + json_quote(ours.user_metadata);
  return out + fmt::format(",\"engineInfo\":{},\"txnId\":{}}}}}", json_quote(engine_info),
                           json_quote(txn_id));
}

// All lines but the first: they are the same whatever version the commit gets.
std::string body_of(const Transaction& ours) {
  std::string out;
  const auto line = [&](const auto& action) {
    out += to_json(action);
    out += '\n';
  };
  if (ours.metadata) line(*ours.metadata);
  if (ours.protocol) line(*ours.protocol);
  if (ours.txn) line(*ours.txn);
  for (const auto& domain : ours.domains) line(domain);
  for (const auto& add : ours.adds) line(*add);
  for (const auto& remove : ours.removes) line(*remove);
  for (const auto& change : ours.changes) line(change);
  return out;
}

std::vector<Action> actions_of(const Transaction& ours, const std::string& txn_id,
                               std::optional<std::int64_t> in_commit_timestamp) {
  std::vector<Action> actions;
  CommitInfo info;
  info.txn_id = txn_id;
  info.in_commit_timestamp = in_commit_timestamp;
  actions.push_back(std::move(info));
  if (ours.metadata) actions.push_back(*ours.metadata);
  if (ours.protocol) actions.push_back(*ours.protocol);
  if (ours.txn) actions.push_back(*ours.txn);
  actions.insert(actions.end(), ours.domains.begin(), ours.domains.end());
  actions.insert(actions.end(), ours.adds.begin(), ours.adds.end());
  actions.insert(actions.end(), ours.removes.begin(), ours.removes.end());
  return actions;
}

bool is_ours(const std::vector<Action>& actions, const std::string& txn_id) {
  return std::any_of(actions.begin(), actions.end(), [&](const Action& action) {
    const auto* info = std::get_if<CommitInfo>(&action);
    return info != nullptr && info->txn_id == txn_id;
  });
}

// The in-commit timestamp of a version; where the state did not see its commit (it came from a
// checkpoint), the commit says.
Result<std::int64_t> timestamp_of(const Log& log, const SnapshotPtr& snapshot) {
  if (snapshot->in_commit_timestamp()) return *snapshot->in_commit_timestamp();
  TRY_ASSIGN(const auto actions, log.read_commit(snapshot->version()));
  for (const auto& action : actions) {
    const auto* info = std::get_if<CommitInfo>(&action);
    if (info != nullptr && info->in_commit_timestamp) return *info->in_commit_timestamp;
  }
  return 0;
}

// One commit on its way into the log.
class Committer {
 public:
  Committer(Log& log, const Transaction& ours)
      : log_(log), ours_(ours), txn_id_(new_uuid()), body_(body_of(ours)), state_(ours.read) {}

  Result<std::int64_t> run() {
    next_ = ours_.read == nullptr ? 0 : ours_.read->version() + 1;
    for (;;) {
      TRY(prepare());
      TRY(failpoints::pass("delta.before_commit"));
      const Status published = log_.publish(next_, first_line_ + '\n' + body_);
      if (published.ok()) break;
      if (!published.is(ErrorKind::already_exists)) {
        // Nobody knows whether it took effect: look.
        const auto there = log_.read_commit(next_);
        if (!there.ok()) {
          const bool absent = there.status().is(ErrorKind::file_not_found);
          if (absent && ++unclear_ < publish_attempts_max) continue;
          return absent ? published : there.status();
        }
      }
      TRY_ASSIGN(const bool won, pass_winners());
      if (won) break;
      unclear_ = 0;
    }
    TRY(failpoints::pass("delta.after_commit"));
    TRY(log_.advance(next_, actions_of(ours_, txn_id_, in_commit_timestamp_), true).status());
    return next_;
  }

 private:
  Status prepare() {
    const std::int64_t now = SystemClock().now_ms();
    const SnapshotPtr& base = state_;
    in_commit_timestamp_.reset();
    if (base != nullptr && base->info().flag("delta.enableInCommitTimestamps", false)) {
      TRY_ASSIGN(const std::int64_t previous, timestamp_of(log_, base));
      in_commit_timestamp_ = std::max(now, previous + 1);
    }
    first_line_ = commit_info(ours_, txn_id_, now, in_commit_timestamp_);
    return Status::OK();
  }

  // Reads what was committed since, in order, and checks each. True: one of them is this very
  // commit (next_ is its version).
  Result<bool> pass_winners() {
    for (;; ++next_) {
      auto actions = log_.read_commit(next_);
      if (!actions.ok()) {
        if (actions.status().is(ErrorKind::file_not_found)) return false;
        return actions.status();
      }
      if (is_ours(*actions, txn_id_)) return true;
      TRY(check_conflict(ours_, next_, *actions, log_.table()));
      TRY_ASSIGN(state_, log_.advance(next_, *actions, false));
    }
  }

  Log& log_;
  const Transaction& ours_;
  const std::string txn_id_;
  const std::string body_;
  SnapshotPtr state_;  // before the attempt
  std::int64_t next_ = 0;
  int unclear_ = 0;
  std::string first_line_;
  std::optional<std::int64_t> in_commit_timestamp_;
};

}  // namespace

Status check_transaction(const Transaction& ours, const TableInfo& info) {
  const auto duplicate = [](const char* type, const std::string& path) {
    return Status::error("DELTA_DUPLICATE_ACTIONS_FOUND",
                         {{"actionType", type}, {"path", path}, {"conflictingPath", path}});
  };
  std::set<std::string_view> added;
  for (const auto& add : ours.adds) {
    if (!added.insert(add->path).second) return duplicate("add", add->path);
    bool fits = add->partition_values.size() == info.partition_index.size();
    for (const int index : info.partition_index) {
      const auto& name = info.physical[static_cast<std::size_t>(index)].name;
      fits = fits && add->partition_values.contains(name);
    }
    if (!fits) {
      return Status::internal("the file {} does not have values of the partition columns {}",
                              add->path, join(info.metadata.partition_columns, ", "));
    }
  }
  std::set<std::pair<std::string_view, std::string>> removed;
  for (const auto& remove : ours.removes) {
    const std::string dv = remove->deletion_vector ? remove->deletion_vector->unique_id() : "";
    if (!removed.emplace(remove->path, dv).second) return duplicate("remove", remove->path);
    if (remove->data_change && info.flag("delta.appendOnly", false)) {
      return Status::error(
          "DELTA_CANNOT_MODIFY_APPEND_ONLY",
          {{"table_name", info.metadata.name.value_or("null")}, {"config", "delta.appendOnly"}});
    }
  }
  if (ours.txn && ours.txn->version < 0) {
    return Status::error("DELTA_ILLEGAL_OPTION", {{"input", fmt::to_string(ours.txn->version)},
                                                  {"name", "txnVersion"},
                                                  {"explain", "must be non-negative."}});
  }
  return Status::OK();
}

Result<std::int64_t> commit(Log& log, const Transaction& ours) {
  CHECK(ours.read != nullptr || (ours.metadata && ours.protocol));
  return Committer(log, ours).run();
}

}  // namespace millstream::delta
