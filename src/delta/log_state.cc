#include "delta/log_state.h"

#include <utility>

namespace millstream::delta {
namespace {

// The map, to be changed: a copy when a snapshot may hold it.
template <typename Map>
Map& own(std::shared_ptr<Map>& map, bool& shared) {
  if (std::exchange(shared, false)) map = std::make_shared<Map>(*map);
  return *map;
}

}  // namespace

void LogState::add(const AddFilePtr& file) {
  const FileKey key(table_, file->path, file->deletion_vector.get());
  if (const auto tombstone = tombstone_positions_.take(tombstones_, key)) {
    tombstones_.erase(*tombstone);
  }
  tally_.add(*file);
  if (const auto known = file_positions_.find(files_, key)) {
    tally_.remove(*files_.at(*known));
    files_.replace(*known, file);
  } else {
    file_positions_.insert(key, files_.push_back(file));
  }
}

void LogState::remove(const RemoveFilePtr& file) {
  const FileKey key(table_, file->path, file->deletion_vector.get());
  if (const auto live = file_positions_.take(files_, key)) {
    tally_.remove(*files_.at(*live));
    files_.erase(*live);
  }
  if (const auto known = tombstone_positions_.find(tombstones_, key)) {
    tombstones_.replace(*known, file);
  } else {
    tombstone_positions_.insert(key, tombstones_.push_back(file));
  }
}

Status LogState::apply_action(const Action& action) {
  if (const auto* added = std::get_if<AddFilePtr>(&action)) {
    add(*added);
  } else if (const auto* removed = std::get_if<RemoveFilePtr>(&action)) {
    remove(*removed);
  } else if (const auto* txn = std::get_if<Txn>(&action)) {
    own(txns_, txns_shared_)[txn->app_id] = *txn;
  } else if (const auto* metadata = std::get_if<Metadata>(&action)) {
    TRY_ASSIGN(info_, make_table_info(*metadata));
  } else if (const auto* protocol = std::get_if<Protocol>(&action)) {
    protocol_ = std::make_shared<const Protocol>(*protocol);
  } else if (const auto* domain = std::get_if<DomainMetadata>(&action)) {
    if (domain->removed) {
      own(domains_, domains_shared_).erase(domain->domain);
    } else {
      own(domains_, domains_shared_)[domain->domain] = *domain;
    }
  } else if (const auto* commit = std::get_if<CommitInfo>(&action)) {
    in_commit_timestamp_ = commit->in_commit_timestamp;
  }
  return Status::OK();
}

Status LogState::apply(std::int64_t version, const std::vector<Action>& actions) {
  CHECK(version > version_);
  in_commit_timestamp_.reset();
  // Order within a commit has no meaning: a file that is removed and added with another deletion
  // vector has two keys.
  for (const auto& action : actions) TRY(apply_action(action));
  version_ = version;
  return Status::OK();
}

Result<SnapshotPtr> LogState::freeze() {
  if (protocol_ == nullptr || info_ == nullptr) {
    return Status::error("DELTA_STATE_RECOVER_ERROR",
                         {{"operation", protocol_ == nullptr ? "protocol" : "metadata"},
                          {"version", fmt::to_string(version_)},
                          {"path", table_}});
  }
  auto snapshot = std::make_shared<Snapshot>();
  snapshot->version_ = version_;
  snapshot->protocol_ = protocol_;
  snapshot->info_ = info_;
  snapshot->files_ = files_.share();
  snapshot->tombstones_ = tombstones_.share();
  snapshot->tally_ = tally_;
  txns_shared_ = domains_shared_ = true;
  snapshot->txns_ = txns_;
  snapshot->domains_ = domains_;
  snapshot->in_commit_timestamp_ = in_commit_timestamp_;
  return SnapshotPtr(std::move(snapshot));
}

}  // namespace millstream::delta
