#include "source/delta_schema_log.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace millstream::source {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::string_view first_line = "v1\n";

std::optional<std::string> text_at(const json& entry, const char* key) {
  const auto found = entry.find(key);
  if (found == entry.end() || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}

std::optional<std::int64_t> number_at(const json& entry, const char* key) {
  const auto found = entry.find(key);
  if (found == entry.end() || !found->is_number_integer()) return std::nullopt;
  return found->get<std::int64_t>();
}

std::optional<std::map<std::string, std::string>> texts_at(const json& entry, const char* key) {
  const auto found = entry.find(key);
  if (found == entry.end() || !found->is_object()) return std::nullopt;
  std::map<std::string, std::string> out;
  for (const auto& [name, value] : found->items()) {
    if (value.is_string()) out[name] = value.get<std::string>();
  }
  return out;
}

std::string print(const TrackedSchema& entry) {
  ordered_json out;
  out["tableId"] = entry.table_id;
  out["deltaCommitVersion"] = entry.version;
  out["dataSchemaJson"] = entry.schema;
  out["partitionSchemaJson"] = entry.partitions;
  out["sourceMetadataPath"] = entry.metadata_path;
  if (entry.configuration) out["tableConfigurations"] = *entry.configuration;
  if (entry.protocol) out["protocolJson"] = delta::to_json(*entry.protocol);
  if (entry.previous) out["previousMetadataSeqNum"] = *entry.previous;
  return std::string(first_line) + out.dump();
}

// Nothing: it is no such entry.
std::optional<TrackedSchema> parse(std::string_view text) {
  if (!text.starts_with(first_line)) return std::nullopt;
  text.remove_prefix(first_line.size());
  const auto entry = json::parse(text.substr(0, text.find('\n')), nullptr, false);
  if (!entry.is_object()) return std::nullopt;
  const auto id = text_at(entry, "tableId");
  const auto version = number_at(entry, "deltaCommitVersion");
  const auto schema = text_at(entry, "dataSchemaJson");
  const auto partitions = text_at(entry, "partitionSchemaJson");
  if (!id || !version || !schema || !partitions) return std::nullopt;
  TrackedSchema out{*id,
                    *version,
                    *schema,
                    *partitions,
                    text_at(entry, "sourceMetadataPath").value_or(""),
                    texts_at(entry, "tableConfigurations"),
                    std::nullopt,
                    number_at(entry, "previousMetadataSeqNum")};
  if (const auto protocol = text_at(entry, "protocolJson")) {
    const auto actions = delta::parse_actions(*protocol, "protocolJson");
    if (!actions.ok() || actions->size() != 1) return std::nullopt;
    const auto* found = std::get_if<delta::Protocol>(&actions->front());
    if (found == nullptr) return std::nullopt;
    out.protocol = *found;
  }
  return out;
}

}  // namespace

TrackedSchema tracked_schema(const delta::Metadata& metadata, const delta::Protocol& protocol,
                             std::int64_t version, std::string metadata_path) {
  ordered_json partitions{{"type", "struct"}, {"fields", ordered_json::array()}};
  const auto schema = ordered_json::parse(metadata.schema_string, nullptr, false);
  for (const auto& name : metadata.partition_columns) {
    if (!schema.is_object() || !schema.contains("fields")) break;
    for (const auto& field : schema["fields"]) {
      if (field.value("name", "") == name) partitions["fields"].push_back(field);
    }
  }
  return {metadata.id,
          version,
          metadata.schema_string,
          partitions.dump(),
          std::move(metadata_path),
          metadata.configuration,
          protocol,
          std::nullopt};
}

Result<delta::TableInfoPtr> tracked_info(const TrackedSchema& entry,
                                         const delta::Metadata& newest) {
  delta::Metadata metadata = newest;
  metadata.schema_string = entry.schema;
  metadata.partition_columns.clear();
  const auto partitions = column::schema_from_json(entry.partitions);
  if (!partitions.ok()) return Status::error("DELTA_STREAMING_SCHEMA_LOG_PARSE_SCHEMA_FAILED");
  for (const auto& field : *partitions) metadata.partition_columns.push_back(field.name);
  if (entry.configuration) metadata.configuration = *entry.configuration;
  auto info = delta::make_table_info(std::move(metadata));
  if (!info.ok()) return Status::error("DELTA_STREAMING_SCHEMA_LOG_PARSE_SCHEMA_FAILED");
  return info;
}

std::string DeltaSchemaLog::directory_in(const std::string& location, const std::string& table_id,
                                         const std::string& tracking_id) {
  const std::string suffix = tracking_id.empty() ? "" : "_" + tracking_id;
  return io::join_path(location, "_schema_log_" + table_id + suffix);
}

Result<DeltaSchemaLog> DeltaSchemaLog::open(std::shared_ptr<io::Store> store, std::string directory,
                                            const std::string& table_id) {
  DeltaSchemaLog log;
  log.store_ = std::move(store);
  log.directory_ = std::move(directory);
  log.table_id_ = table_id;
  const auto names = log.store_->list_names(log.directory_, {});
  if (!names.ok() && !names.status().is(ErrorKind::file_not_found)) return names.status();
  if (names.ok()) {
    for (const auto& name : *names)
      log.newest_ = std::max(log.newest_, parse_int64(name).value_or(-1));
  }
  if (log.newest_ < 0) return log;
  TRY_ASSIGN(log.current_, log.read(log.newest_));
  if (log.previous_number() < 0) return log;
  TRY_ASSIGN(log.previous_, log.read(log.previous_number()));
  return log;
}

std::int64_t DeltaSchemaLog::previous_number() const {
  return current_ && current_->previous ? *current_->previous : newest_ - 1;
}

Result<std::optional<TrackedSchema>> DeltaSchemaLog::read(std::int64_t number) const {
  const auto text = store_->get(io::join_path(directory_, fmt::to_string(number)));
  if (!text.ok()) {
    if (text.status().is(ErrorKind::file_not_found)) return std::optional<TrackedSchema>();
    return text.status();
  }
  auto entry = parse(*text);
  if (!entry) {
    return Status::error("DELTA_STREAMING_SCHEMA_LOG_DESERIALIZE_FAILED",
                         {{"location", directory_}});
  }
  if (entry->table_id != table_id_) {
    return Status::error("DELTA_STREAMING_SCHEMA_LOG_INCOMPATIBLE_DELTA_TABLE_ID",
                         {{"persistedId", entry->table_id}, {"tableId", table_id_}});
  }
  return entry;
}

Status DeltaSchemaLog::add(TrackedSchema entry, bool replaces, const std::string& table) {
  if (replaces && current_) entry.previous = previous_number();
  if (current_ == entry) return Status::OK();
  const Status written =
      store_->put_if_absent(io::join_path(directory_, fmt::to_string(newest_ + 1)), print(entry));
  if (written.is(ErrorKind::already_exists)) {
    return Status::error("DELTA_STREAMING_SCHEMA_LOCATION_CONFLICT",
                         {{"loc", directory_}, {"table", table}});
  }
  TRY(written);
  ++newest_;
  if (!replaces || !entry.previous) previous_ = std::move(current_);
  current_ = std::move(entry);
  return Status::OK();
}

}  // namespace millstream::source
