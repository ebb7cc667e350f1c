#include "delta/actions.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.h"

namespace millstream::delta {
namespace {

using nlohmann::json;

// A value as what it must be. Another type, or a number that does not fit, is an exception that
// parse_actions turns into the error of the line.
template <typename T>
T value_of(const json& value) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    const bool fits = value.is_number_unsigned() ? std::in_range<T>(value.get<std::uint64_t>())
                                                 : value.is_number_integer() &&
                                                       std::in_range<T>(value.get<std::int64_t>());
    if (!fits) {
      throw json::type_error::create(302, "a whole number is expected, not " + value.dump(),
                                     &value);
    }
  }
  return value.get<T>();
}

// Readers of one member each: absent and null leave the target alone.
template <typename T>
void take(const json& object, const char* key, T& target) {
  const auto found = object.find(key);
  if (found != object.end() && !found->is_null()) target = value_of<T>(*found);
}

template <typename T>
void take(const json& object, const char* key, std::optional<T>& target) {
  const auto found = object.find(key);
  if (found != object.end() && !found->is_null()) target = value_of<T>(*found);
}

// Maps of text: values of other types keep their JSON text (other writers put numbers and booleans
// there).
void take(const json& object, const char* key, std::map<std::string, std::string>& target) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return;
  for (const auto& [name, value] : found->get_ref<const json::object_t&>()) {
    if (value.is_null()) continue;
    target[name] = value.is_string() ? value.get<std::string>() : value.dump();
  }
}

void take(const json& object, const char* key, PartitionValues& target) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return;
  for (const auto& [name, value] : found->get_ref<const json::object_t&>()) {
    if (value.is_null()) {
      target[name] = std::nullopt;
    } else {
      target[name] = value.is_string() ? value.get<std::string>() : value.dump();
    }
  }
}

void take(const json& object, const char* key, std::shared_ptr<const DeletionVector>& target) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return;
  DeletionVector dv;
  take(*found, "storageType", dv.storage_type);
  take(*found, "pathOrInlineDv", dv.path_or_inline);
  take(*found, "offset", dv.offset);
  take(*found, "sizeInBytes", dv.size_in_bytes);
  take(*found, "cardinality", dv.cardinality);
  target = std::make_shared<const DeletionVector>(std::move(dv));
}

Protocol parse_protocol(const json& object) {
  Protocol protocol;
  take(object, "minReaderVersion", protocol.min_reader);
  take(object, "minWriterVersion", protocol.min_writer);
  take(object, "readerFeatures", protocol.reader_features);
  take(object, "writerFeatures", protocol.writer_features);
  return protocol;
}

Metadata parse_metadata(const json& object) {
  Metadata metadata;
  take(object, "id", metadata.id);
  take(object, "name", metadata.name);
  take(object, "description", metadata.description);
  if (const auto format = object.find("format"); format != object.end() && format->is_object()) {
    take(*format, "provider", metadata.provider);
    take(*format, "options", metadata.format_options);
  }
  take(object, "schemaString", metadata.schema_string);
  take(object, "partitionColumns", metadata.partition_columns);
  take(object, "configuration", metadata.configuration);
  take(object, "createdTime", metadata.created_time);
  return metadata;
}

AddFilePtr parse_add(const json& object) {
  AddFile add;
  add.path = object.at("path").get<std::string>();
  take(object, "partitionValues", add.partition_values);
  take(object, "size", add.size);
  take(object, "modificationTime", add.modification_time);
  take(object, "dataChange", add.data_change);
  // A stats member of another type than text is as good as none.
  if (const auto stats = object.find("stats"); stats != object.end() && stats->is_string()) {
    add.stats = stats->get<std::string>();
  }
  take(object, "tags", add.tags);
  take(object, "deletionVector", add.deletion_vector);
  take(object, "baseRowId", add.base_row_id);
  take(object, "defaultRowCommitVersion", add.default_row_commit_version);
  take(object, "clusteringProvider", add.clustering_provider);
  return std::make_shared<const AddFile>(std::move(add));
}

RemoveFilePtr parse_remove(const json& object) {
  RemoveFile remove;
  remove.path = object.at("path").get<std::string>();
  take(object, "deletionTimestamp", remove.deletion_timestamp);
  take(object, "dataChange", remove.data_change);
  take(object, "extendedFileMetadata", remove.extended_file_metadata);
  take(object, "partitionValues", remove.partition_values);
  take(object, "size", remove.size);
  take(object, "tags", remove.tags);
  take(object, "deletionVector", remove.deletion_vector);
  take(object, "baseRowId", remove.base_row_id);
  take(object, "defaultRowCommitVersion", remove.default_row_commit_version);
  return std::make_shared<const RemoveFile>(std::move(remove));
}

CommitInfo parse_commit_info(const json& object) {
  CommitInfo info;
  // A free-form object: what is not of the expected type is left out.
  const auto text = [&](const char* key) -> std::optional<std::string> {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_string()) return std::nullopt;
    return found->get<std::string>();
  };
  info.txn_id = text("txnId");
  info.operation = text("operation").value_or("");
  if (const auto blind = object.find("isBlindAppend");
      blind != object.end() && blind->is_boolean()) {
    info.is_blind_append = blind->get<bool>();
  }
  if (const auto ict = object.find("inCommitTimestamp");
      ict != object.end() && ict->is_number_integer()) {
    info.in_commit_timestamp = ict->get<std::int64_t>();
  }
  info.json = object.dump(-1, ' ', false, json::error_handler_t::replace);
  return info;
}

std::optional<Action> parse_action(const std::string& key, const json& object) {
  if (key == "add") return parse_add(object);
  if (key == "remove") return parse_remove(object);
  if (key == "commitInfo") return parse_commit_info(object);
  if (key == "txn") {
    Txn txn;
    txn.app_id = object.at("appId").get<std::string>();
    txn.version = value_of<std::int64_t>(object.at("version"));
    take(object, "lastUpdated", txn.last_updated);
    return txn;
  }
  if (key == "metaData") return parse_metadata(object);
  if (key == "protocol") return parse_protocol(object);
  if (key == "cdc") {
    ChangeFile change;
    change.path = object.at("path").get<std::string>();
    take(object, "partitionValues", change.partition_values);
    take(object, "size", change.size);
    return change;
  }
  if (key == "domainMetadata") {
    DomainMetadata domain;
    take(object, "domain", domain.domain);
    take(object, "configuration", domain.configuration);
    take(object, "removed", domain.removed);
    return domain;
  }
  if (key == "checkpointMetadata") {
    CheckpointMetadata checkpoint;
    take(object, "version", checkpoint.version);
    return checkpoint;
  }
  if (key == "sidecar") {
    Sidecar sidecar;
    sidecar.path = object.at("path").get<std::string>();
    take(object, "sizeInBytes", sidecar.size_in_bytes);
    take(object, "modificationTime", sidecar.modification_time);
    return sidecar;
  }
  return std::nullopt;  // of a newer protocol: to be ignored
}

void append_text_map(std::string& out, const std::map<std::string, std::string>& values) {
  out += '{';
  bool first = true;
  for (const auto& [key, value] : values) {
    if (!std::exchange(first, false)) out += ',';
    out += json_quote(key);
    out += ':';
    out += json_quote(value);
  }
  out += '}';
}

void append_partition_values(std::string& out, const PartitionValues& values) {
  out += '{';
  bool first = true;
  for (const auto& [key, value] : values) {
    if (!std::exchange(first, false)) out += ',';
    out += json_quote(key);
    out += ':';
    out += value ? json_quote(*value) : "null";
  }
  out += '}';
}

void append_text_list(std::string& out, const std::vector<std::string>& values) {
  out += '[';
  bool first = true;
  for (const auto& value : values) {
    if (!std::exchange(first, false)) out += ',';
    out += json_quote(value);
  }
  out += ']';
}

void append_deletion_vector(std::string& out, const DeletionVector& dv) {
  out += fmt::format(",\"deletionVector\":{{\"storageType\":{},\"pathOrInlineDv\":{}",
                     json_quote(dv.storage_type), json_quote(dv.path_or_inline));
  if (dv.offset) out += fmt::format(",\"offset\":{}", *dv.offset);
  out += fmt::format(",\"sizeInBytes\":{},\"cardinality\":{}}}", dv.size_in_bytes, dv.cardinality);
}

}  // namespace

std::string DeletionVector::unique_id() const {
  return offset ? fmt::format("{}{}@{}", storage_type, path_or_inline, *offset)
                : storage_type + path_or_inline;
}

bool nested_too_deep(std::string_view text) {
  constexpr int depth_max = 1000;
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      in_string = !in_string;
    } else if (in_string) {
      if (c == '\\') ++i;
    } else if (c == '{' || c == '[') {
      if (++depth > depth_max) return true;
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return false;
}

Result<std::vector<Action>> parse_actions(std::string_view ndjson, std::string_view where) {
  std::vector<Action> actions;
  if (trim(ndjson).empty()) {
    return Status::illegal_state(
        "{} is not a whole Delta log file: it is empty, as after a power cut. Restore it from "
        "where "
        "its writer or a copy of the table has it.",
        where);
  }
  std::size_t at = 0;
  for (int number = 1; at < ndjson.size(); ++number) {
    const std::size_t end = std::min(ndjson.find('\n', at), ndjson.size());
    const std::string_view line = trim(ndjson.substr(at, end - at));
    at = end + 1;
    if (line.empty()) continue;
    if (nested_too_deep(line)) {
      return Status::illegal_state("{} is not a Delta log file: line {} is nested too deep", where,
                                   number);
    }
    try {
      const json object = json::parse(line);
      for (const auto& [key, value] : object.get_ref<const json::object_t&>()) {
        if (value.is_null()) continue;
        if (auto action = parse_action(key, value)) actions.push_back(std::move(*action));
      }
    } catch (const json::exception& problem) {
      return Status::illegal_state(
          "{} is not a whole Delta log file: line {} cannot be read as an action ({}). It is torn "
          "or foreign; "
          "restore it from where its writer or a copy of the table has it.",
          where, number, problem.what());
    }
  }
  return actions;
}

std::string to_json(const Protocol& protocol) {
  std::string out = fmt::format("{{\"protocol\":{{\"minReaderVersion\":{},\"minWriterVersion\":{}",
                                protocol.min_reader, protocol.min_writer);
  if (protocol.reader_features) {
    out += ",\"readerFeatures\":";
    append_text_list(out, *protocol.reader_features);
  }
  if (protocol.writer_features) {
    out += ",\"writerFeatures\":";
    append_text_list(out, *protocol.writer_features);
  }
  out += "}}";
  return out;
}

std::string to_json(const Metadata& metadata) {
  std::string out = "{\"metaData\":{\"id\":" + json_quote(metadata.id);
  if (metadata.name) out += ",\"name\":" + json_quote(*metadata.name);
  if (metadata.description) out += ",\"description\":" + json_quote(*metadata.description);
  out += ",\"format\":{\"provider\":" + json_quote(metadata.provider) + ",\"options\":";
  append_text_map(out, metadata.format_options);
  out += "},\"schemaString\":" + json_quote(metadata.schema_string) + ",\"partitionColumns\":";
  append_text_list(out, metadata.partition_columns);
  out += ",\"configuration\":";
  append_text_map(out, metadata.configuration);
  if (metadata.created_time) out += fmt::format(",\"createdTime\":{}", *metadata.created_time);
  out += "}}";
  return out;
}

std::string to_json(const AddFile& add) { return to_json(add, add.data_change); }

std::string to_json(const AddFile& add, bool data_change) {
  std::string out = "{\"add\":{\"path\":" + json_quote(add.path) + ",\"partitionValues\":";
  append_partition_values(out, add.partition_values);
  out += fmt::format(",\"size\":{},\"modificationTime\":{},\"dataChange\":{}", add.size,
                     add.modification_time, data_change);
  if (!add.stats.empty()) out += ",\"stats\":" + json_quote(add.stats);
  if (!add.tags.empty()) {
    out += ",\"tags\":";
    append_text_map(out, add.tags);
  }
  if (add.deletion_vector) append_deletion_vector(out, *add.deletion_vector);
  if (add.base_row_id) out += fmt::format(",\"baseRowId\":{}", *add.base_row_id);
  if (add.default_row_commit_version) {
    out += fmt::format(",\"defaultRowCommitVersion\":{}", *add.default_row_commit_version);
  }
  if (add.clustering_provider) {
    out += ",\"clusteringProvider\":" + json_quote(*add.clustering_provider);
  }
  out += "}}";
  return out;
}

std::string to_json(const RemoveFile& remove) {
  std::string out = "{\"remove\":{\"path\":" + json_quote(remove.path);
  if (remove.deletion_timestamp) {
    out += fmt::format(",\"deletionTimestamp\":{}", *remove.deletion_timestamp);
  }
  out += fmt::format(",\"dataChange\":{}", remove.data_change);
  if (remove.extended_file_metadata) {
    out += ",\"extendedFileMetadata\":true,\"partitionValues\":";
    append_partition_values(out, remove.partition_values);
    out += fmt::format(",\"size\":{}", remove.size.value_or(0));
    if (!remove.tags.empty()) {
      out += ",\"tags\":";
      append_text_map(out, remove.tags);
    }
  }
  if (remove.deletion_vector) append_deletion_vector(out, *remove.deletion_vector);
  if (remove.base_row_id) out += fmt::format(",\"baseRowId\":{}", *remove.base_row_id);
  if (remove.default_row_commit_version) {
    out += fmt::format(",\"defaultRowCommitVersion\":{}", *remove.default_row_commit_version);
  }
  out += "}}";
  return out;
}

std::string to_json(const ChangeFile& change) {
  std::string out =
      fmt::format("{{\"cdc\":{{\"path\":{},\"partitionValues\":", json_quote(change.path));
  append_partition_values(out, change.partition_values);
  return out + fmt::format(",\"size\":{},\"dataChange\":false}}}}", change.size);
}

std::string to_json(const Txn& txn) {
  std::string out =
      fmt::format("{{\"txn\":{{\"appId\":{},\"version\":{}", json_quote(txn.app_id), txn.version);
  if (txn.last_updated) out += fmt::format(",\"lastUpdated\":{}", *txn.last_updated);
  out += "}}";
  return out;
}

std::string to_json(const DomainMetadata& domain) {
  return fmt::format("{{\"domainMetadata\":{{\"domain\":{},\"configuration\":{},\"removed\":{}}}}}",
                     json_quote(domain.domain), json_quote(domain.configuration), domain.removed);
}

std::string to_json(const Sidecar& sidecar) {
  return fmt::format(R"({{"sidecar":{{"path":{},"sizeInBytes":{},"modificationTime":{}}}}})",
                     json_quote(sidecar.path), sidecar.size_in_bytes, sidecar.modification_time);
}

RemoveFile remove_of(const AddFile& add, std::int64_t deletion_timestamp_ms, bool data_change) {
  RemoveFile remove;
  remove.path = add.path;
  remove.deletion_timestamp = deletion_timestamp_ms;
  remove.data_change = data_change;
  remove.extended_file_metadata = true;
  remove.partition_values = add.partition_values;
  remove.size = add.size;
  remove.tags = add.tags;
  remove.deletion_vector = add.deletion_vector;
  remove.base_row_id = add.base_row_id;
  remove.default_row_commit_version = add.default_row_commit_version;
  return remove;
}

}  // namespace millstream::delta
