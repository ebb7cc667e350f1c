#include "session/entry.h"

#include <nlohmann/json.hpp>

namespace millstream::session {

namespace {

using Json = nlohmann::json;

// A member that is missing, or of another type, is the value as it stands.
template <typename T>
void read(const Json& json, const char* name, T* value) {
  const auto found = json.find(name);
  if (found == json.end()) return;
  try {
    *value = found->get<T>();
  } catch (const Json::exception&) {
  }
}

Result<Json> parse(const std::string& text) {
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object())
    return Status::illegal_state("an entry of the warehouse is not JSON: {}", text);
  return json;
}

std::string dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string Entry::to_json() const {
  Json json{{"type", view ? "view" : "table"}, {"comment", comment}, {"properties", properties}};
  if (view) {
    json["text"] = text;
    json["database"] = database;
    json["columns"] = columns;
    json["columnComments"] = column_comments;
    if (query_columns) json["queryColumns"] = column::schema_to_json(*query_columns);
    if (meaning) {
      json["ansi"] = meaning->ansi;
      json["caseSensitive"] = meaning->case_sensitive;
      json["timeZone"] = meaning->time_zone;
      json["timestampNtz"] = meaning->timestamp == column::TimestampWord::without_zone;
    }
  } else {
    json["provider"] = provider;
    json["location"] = location;
    json["external"] = external;
    json["schema"] = schema;
    if (partitions) json["partitions"] = *partitions;
    if (!placed.empty()) json["placed"] = placed;
    json["partitionBy"] = partition_by;
    json["options"] = options;
    if (buckets.count > 0) {
      json["buckets"] = buckets.count;
      json["bucketBy"] = buckets.columns;
      json["sortBy"] = buckets.sorted_by;
    }
  }
  return dump(json);
}

Result<Entry> Entry::from_json(const std::string& text) {
  TRY_ASSIGN(const Json json, parse(text));
  Entry entry;
  std::string type;
  read(json, "type", &type);
  entry.view = type == "view";
  read(json, "comment", &entry.comment);
  read(json, "properties", &entry.properties);
  read(json, "text", &entry.text);
  read(json, "database", &entry.database);
  read(json, "columns", &entry.columns);
  read(json, "columnComments", &entry.column_comments);
  std::string query_columns;
  read(json, "queryColumns", &query_columns);
  if (auto schema = column::schema_from_json(query_columns); !query_columns.empty() && schema.ok())
    entry.query_columns = std::move(schema).value();
  Meaning meaning;
  read(json, "ansi", &meaning.ansi);
  read(json, "caseSensitive", &meaning.case_sensitive);
  if (json.contains("timeZone")) {
    read(json, "timeZone", &meaning.time_zone);
    bool local = false;
    read(json, "timestampNtz", &local);
    if (local) meaning.timestamp = column::TimestampWord::without_zone;
    entry.meaning = std::move(meaning);
  }
  read(json, "provider", &entry.provider);
  read(json, "location", &entry.location);
  read(json, "external", &entry.external);
  read(json, "schema", &entry.schema);
  read(json, "partitionBy", &entry.partition_by);
  if (json.contains("partitions")) {
    std::vector<std::string> known;
    read(json, "partitions", &known);
    entry.partitions.emplace(known.begin(), known.end());
  }
  read(json, "placed", &entry.placed);
  read(json, "options", &entry.options);
  read(json, "buckets", &entry.buckets.count);
  read(json, "bucketBy", &entry.buckets.columns);
  read(json, "sortBy", &entry.buckets.sorted_by);
  return entry;
}

std::string DatabaseInfo::to_json() const {
  Json json{{"comment", comment}, {"properties", properties}};
  if (!location.empty()) json["location"] = location;
  return dump(json);
}

Result<DatabaseInfo> DatabaseInfo::from_json(const std::string& text) {
  TRY_ASSIGN(const Json json, parse(text));
  DatabaseInfo info;
  read(json, "comment", &info.comment);
  read(json, "location", &info.location);
  read(json, "properties", &info.properties);
  return info;
}

}  // namespace millstream::session
