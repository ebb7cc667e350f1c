#include "delta/transaction.h"

#include <algorithm>
#include <set>

#include "base/clock.h"
#include "base/failpoint.h"
#include "base/random.h"
#include "base/text.h"
#include "delta/features.h"
#include "delta/row_tracking.h"
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
  std::vector<std::string> tags;
  if (ours.numbers_rows) tags.push_back(R"("delta.identity.schemaUpdate":"true")");
  if (ours.keeps_row_ids) tags.push_back(R"("delta.rowTracking.preserved":"true")");
  if (ours.tracks_rows_only) tags.push_back(R"("rowTrackingEnablementOnly":"true")");
  if (!tags.empty()) out += ",\"tags\":{" + join(tags, ",") + '}';
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

// When a version was committed, as its table tells the time.
Result<std::int64_t> time_of(const Log& log, std::int64_t version, const SnapshotPtr& state) {
  if (state != nullptr && state->version() == version && state->in_commit_timestamp()) {
    return *state->in_commit_timestamp();
  }
  TRY_ASSIGN(const auto stated, log.in_commit_timestamp(version));
  return stated ? *stated : log.file_time_ms(version);
}

constexpr const char* told_since_version = "delta.inCommitTimestampEnablementVersion";
constexpr const char* told_since_time = "delta.inCommitTimestampEnablementTimestamp";

// Where the commit is the one that turns in-commit timestamps on in a table that had commits
// without: since when they are told.
void note_enablement(std::int64_t version, std::int64_t timestamp_ms, Metadata& metadata) {
  metadata.configuration[told_since_version] = fmt::to_string(version);
  metadata.configuration[told_since_time] = fmt::to_string(timestamp_ms);
}

// A table that takes another's place, whose commits go on telling it.
void keep_enablement(const Metadata& before, Metadata& metadata) {
  for (const char* property : {told_since_version, told_since_time}) {
    const auto found = before.configuration.find(property);
    if (found != before.configuration.end()) metadata.configuration.insert(*found);
  }
}

// One commit on its way into the log.
class Committer {
 public:
  Committer(Log& log, const Transaction& ours)
      : log_(log), ours_(ours), txn_id_(new_uuid()), state_(ours.read), placed_(ours) {}

  Result<std::int64_t> run() {
    next_ = ours_.read == nullptr ? 0 : ours_.read->version() + 1;
    for (;;) {
      if (prepared_ != next_) TRY(prepare());
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
    TRY(log_.advance(next_, actions_of(placed_, txn_id_, in_commit_timestamp_), true).status());
    return next_;
  }

 private:
  Status prepare() {
    const std::int64_t now = SystemClock().now_ms();
    TRY(place_in_time(now));
    TRY(give_ids());
    if (ours_.protects_history) {
      depends_on_version_ = true;
      placed_.metadata->configuration["delta.requireCheckpointProtectionBeforeVersion"] =
          fmt::to_string(next_);
    }
    first_line_ = commit_info(ours_, txn_id_, now, in_commit_timestamp_);
    if (body_.empty() || depends_on_version_) body_ = body_of(placed_);
    prepared_ = next_;
    return Status::OK();
  }

  bool tells_time() const {
    static const std::string property = "delta.enableInCommitTimestamps";
    if (!ours_.metadata) return ours_.read->info().flag(property, false);
    const auto found = ours_.metadata->configuration.find(property);
    return found != ours_.metadata->configuration.end() &&
           parse_bool(found->second).value_or(false);
  }

  // The in-commit timestamp: later than that of the version before, whatever the clock says.
  Status place_in_time(std::int64_t now_ms) {
    in_commit_timestamp_.reset();
    if (!tells_time()) return Status::OK();
    in_commit_timestamp_ = now_ms;
    if (next_ == 0) return Status::OK();
    TRY_ASSIGN(const std::int64_t previous, time_of(log_, next_ - 1, state_));
    in_commit_timestamp_ = std::max(now_ms, previous + 1);
    const bool told_before =
        ours_.read != nullptr && ours_.read->info().flag("delta.enableInCommitTimestamps", false);
    if (!ours_.metadata) return Status::OK();
    if (told_before) {
      keep_enablement(ours_.read->metadata(), *placed_.metadata);
    } else {
      depends_on_version_ = true;
      note_enablement(next_, *in_commit_timestamp_, *placed_.metadata);
    }
    return Status::OK();
  }

  // Ids for the rows of new files, above all that were given before this version.
  Status give_ids() {
    const Metadata& metadata = ours_.metadata ? *ours_.metadata : ours_.read->metadata();
    if (!gives_row_ids(ours_.protocol ? *ours_.protocol : ours_.read->protocol(), metadata)) {
      return Status::OK();
    }
    depends_on_version_ = true;
    placed_.adds = ours_.adds;
    placed_.domains = ours_.domains;
    std::int64_t highest = highest_row_id_;
    for (const auto& domain : ours_.domains) {
      if (domain.domain == row_ids::domain) highest = std::max(highest, highest_row_id(domain));
    }
    std::erase_if(placed_.domains, [](const auto& one) { return one.domain == row_ids::domain; });
    TRY(give_row_ids(next_, placed_.adds, highest));
    if (highest != highest_row_id_) placed_.domains.push_back(row_id_domain(highest));
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
      for (const auto& action : *actions) {
        const auto* domain = std::get_if<DomainMetadata>(&action);
        if (domain != nullptr && domain->domain == row_ids::domain)
          highest_row_id_ = highest_row_id(*domain);
      }
      TRY_ASSIGN(state_, log_.advance(next_, *actions, false));
    }
  }

  Log& log_;
  const Transaction& ours_;
  const std::string txn_id_;
  std::string body_;
  SnapshotPtr state_;   // before the attempt
  Transaction placed_;  // ours, with what depends on the version that it is to be
  bool depends_on_version_ = false;
  std::int64_t highest_row_id_ =
      ours_.read == nullptr ? -1 : highest_row_id(ours_.read->domains());  // before the attempt
  std::int64_t next_ = 0;
  std::int64_t prepared_ = -1;  // the version that body_ and placed_ are for
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
    // A REPLACE may take the property away, but only from a table without rows.
    const TableInfo& before = ours.read == nullptr ? info : ours.read->info();
    if (remove->data_change && before.flag("delta.appendOnly", false)) {
      return Status::error(
          "DELTA_CANNOT_MODIFY_APPEND_ONLY",
          {{"table_name", before.metadata.name.value_or("null")}, {"config", "delta.appendOnly"}});
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
