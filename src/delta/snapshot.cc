#include "delta/snapshot.h"

#include "base/text.h"
#include "io/store.h"

namespace millstream::delta {
namespace {

bool has_scheme(std::string_view path) {
  const auto colon = path.find(':');
  if (colon == std::string_view::npos || colon < 2) return false;
  for (const char c : path.substr(0, colon)) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!letter && !(c >= '0' && c <= '9') && c != '+' && c != '-' && c != '.') return false;
  }
  return true;
}

// A path of S3 as the table would write it, so that a place has one name whoever wrote the log.
std::string spelt_as(const std::string& table, const std::string& path) {
  const std::string plain = io::canonical_path(path);
  if (!io::is_s3_path(table)) return plain;
  return table.substr(0, table.find(':')) + plain.substr(plain.find(':'));
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
    auto path = io::store_path(log_path);
    if (!path.ok()) return percent_decode(log_path);
    if (io::is_s3_path(*path)) return spelt_as(table, percent_decode(*path));
    return std::move(path).value();
  }
  const std::string decoded = percent_decode(log_path);
  return log_path.starts_with('/') ? decoded : io::join_path(table, decoded);
}

}  // namespace millstream::delta
