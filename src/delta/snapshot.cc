#include "delta/snapshot.h"

#include "base/text.h"
#include "io/store.h"

namespace millstream::delta {
namespace {

// The map, to be changed: a copy when a snapshot may hold it.
template <typename Map>
Map& own(std::shared_ptr<Map>& map, bool& shared) {
  if (std::exchange(shared, false)) map = std::make_shared<Map>(*map);
  return *map;
}

bool has_scheme(std::string_view path) {
  const auto colon = path.find(':');
  if (colon == std::string_view::npos || colon < 2) return false;
  for (const char c : path.substr(0, colon)) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!letter && !(c >= '0' && c <= '9') && c != '+' && c != '-' && c != '.') return false;
  }
  return true;
}

}  // namespace

bool TableInfo::is_partition_column(std::size_t column) const {
  for (const int index : partition_index) {
    if (static_cast<std::size_t>(index) == column) return true;
  }
  return false;
}

const std::string* TableInfo::property(std::string_view name) const {
  for (const auto& [key, value] : metadata.configuration) {
    if (equals_ignore_case(key, name)) return &value;
  }
  return nullptr;
}

bool TableInfo::flag(std::string_view name, bool fallback) const {
  const std::string* value = property(name);
  return value == nullptr ? fallback : parse_bool(*value).value_or(fallback);
}

std::int64_t TableInfo::number(std::string_view name, std::int64_t fallback) const {
  const std::string* value = property(name);
  return value == nullptr ? fallback : parse_int64(*value).value_or(fallback);
}

Result<TableInfoPtr> make_table_info(Metadata metadata) {
  auto info = std::make_shared<TableInfo>();
  if (!metadata.schema_string.empty()) {
    auto schema = column::schema_from_json(metadata.schema_string);
    if (!schema.ok()) {
      return Status::illegal_state("the table's schema in its Delta log cannot be read: {}",
                                   schema.status().message());
    }
    info->schema = std::move(schema).value();
  }
  for (const auto& name : metadata.partition_columns) {
    const int index = column::find_field_ignore_case(info->schema, name);
    if (index < 0) {
      return Status::illegal_state("the partition column {} is not in the table's schema", name);
    }
    info->partition_index.push_back(index);
  }
  TRY_ASSIGN(info->mapping, mapping_mode(metadata));
  TRY_ASSIGN(info->physical, physical_schema(info->schema, info->mapping));
  info->metadata = std::move(metadata);
  return TableInfoPtr(std::move(info));
}

bool marks_deleted_rows(const TableInfo& info) {
  return info.flag("delta.enableDeletionVectors", false);
}

std::optional<std::int64_t> Snapshot::txn_version(const std::string& app_id) const {
  const auto found = txns_->find(app_id);
  if (found == txns_->end()) return std::nullopt;
  return found->second.version;
}

std::string resolve_path(const std::string& table, const std::string& log_path) {
  if (has_scheme(log_path)) {
    auto local = io::local_path(log_path);
    return local.ok() ? std::move(local).value() : percent_decode(log_path);
  }
  const std::string decoded = percent_decode(log_path);
  return log_path.starts_with('/') ? decoded : io::join_path(table, decoded);
}

std::string LogState::file_key(const std::string& path, const DeletionVector* dv) const {
  std::string key = resolve_path(table_, path);
  // Most files lie under the table: the key leaves that out.
  if (key.starts_with(table_) && key.size() > table_.size() && key[table_.size()] == '/') {
    key.erase(0, table_.size() + 1);
  }
  if (dv != nullptr) {
    key += '\0';
    key += dv->unique_id();
  }
  return key;
}

void LogState::add(const AddFilePtr& file) {
  std::string key = file_key(file->path, file->deletion_vector.get());
  const auto tombstone = tombstone_positions_.find(key);
  if (tombstone != tombstone_positions_.end()) {
    tombstones_.erase(tombstone->second);
    tombstone_positions_.erase(tombstone);
  }
  const auto [known, is_new] = file_positions_.try_emplace(std::move(key), files_.end());
  if (is_new) {
    files_.push_back(file);
  } else {
    files_.replace(known->second, file);
  }
}

void LogState::remove(const RemoveFilePtr& file) {
  std::string key = file_key(file->path, file->deletion_vector.get());
  const auto live = file_positions_.find(key);
  if (live != file_positions_.end()) {
    files_.erase(live->second);
    file_positions_.erase(live);
  }
  const auto [known, is_new] = tombstone_positions_.try_emplace(std::move(key), tombstones_.end());
  if (is_new) {
    tombstones_.push_back(file);
  } else {
    tombstones_.replace(known->second, file);
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
  txns_shared_ = domains_shared_ = true;
  snapshot->txns_ = txns_;
  snapshot->domains_ = domains_;
  snapshot->in_commit_timestamp_ = in_commit_timestamp_;
  return SnapshotPtr(std::move(snapshot));
}

}  // namespace millstream::delta
