#include "loader/schema_log.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace millstream::loader {
namespace {

using nlohmann::json;

Status damaged(const std::string& path, std::string_view why) {
  return Status::illegal_state(
      "the recorded schema {} cannot be read ({}). Delete this file to go back to the version "
      "before it",
      path, why);
}

Result<column::Schema> schema_member(const json& object, const char* name,
                                     const std::string& path) {
  if (!object.contains(name) || !object[name].is_string()) {
    if (std::string_view(name) == "partitionSchemaJson") return column::Schema{};
    return damaged(path, fmt::format("it has no {}", name));
  }
  auto schema = column::schema_from_json(object[name].get<std::string>());
  if (!schema.ok()) return damaged(path, schema.status().message());
  return schema;
}

}  // namespace

SchemaLog::SchemaLog(std::shared_ptr<io::Store> store, const std::string& schema_location)
    : store_(std::move(store)),
      location_(schema_location),
      directory_(io::join_path(schema_location, "_schemas")) {}

Result<std::optional<TrackedSchema>> SchemaLog::newest() const {
  const auto names = store_->list_names(directory_, {});
  if (!names.ok() && names.status().is(ErrorKind::file_not_found))
    return std::optional<TrackedSchema>();
  if (!names.ok()) return names.status();
  std::int64_t version = -1;
  for (const auto& name : names.value()) {
    if (const auto number = parse_int64(name)) version = std::max(version, *number);
  }
  if (version < 0) return std::optional<TrackedSchema>();

  const std::string path = io::join_path(directory_, std::to_string(version));
  TRY_ASSIGN(const std::string text, store_->get(path));
  const auto line_end = text.find('\n');
  if (line_end == std::string::npos) return damaged(path, "it is incomplete");
  if (trim(std::string_view(text).substr(0, line_end)) != "v1")
    return damaged(path, "its first line is not v1");
  const json object = json::parse(text.substr(line_end + 1), nullptr, false);
  if (!object.is_object()) return damaged(path, "its second line is not a JSON object");
  TrackedSchema schema;
  schema.version = version;
  TRY_ASSIGN(schema.data, schema_member(object, "dataSchemaJson", path));
  TRY_ASSIGN(schema.partitions, schema_member(object, "partitionSchemaJson", path));
  return std::optional<TrackedSchema>(std::move(schema));
}

Status SchemaLog::append(const TrackedSchema& schema) const {
  const std::string text = fmt::format("v1\n{{\"dataSchemaJson\":{},\"partitionSchemaJson\":{}}}",
                                       json_quote(column::schema_to_json(schema.data)),
                                       json_quote(column::schema_to_json(schema.partitions)));
  return store_->put_if_absent(io::join_path(directory_, std::to_string(schema.version)), text);
}

Status SchemaLog::claim(const std::string& checkpoint, const std::string& input) const {
  const std::string path = io::join_path(location_, ".schema_owner");
  const std::string mine =
      fmt::format("{{\"checkpoint\":{},\"input\":{}}}", json_quote(checkpoint), json_quote(input));
  const auto found = store_->get(path);
  if (!found.ok() && !found.status().is(ErrorKind::file_not_found)) return found.status();
  if (found.ok()) {
    if (found.value() == mine) return Status::OK();
    const json owner = json::parse(found.value(), nullptr, false);
    if (owner.is_object() && owner.value("checkpoint", "") != checkpoint &&
        owner.value("input", "") != input) {
      return Status::illegal_state(
          "the schema location {} is used by the source of {} that reads {}. Two sources in one "
          "schema location would mix "
          "their columns: give this one, which reads {}, a location of its own (or delete {} if "
          "the other is gone)",
          location_, owner.value("checkpoint", ""), owner.value("input", ""), input, path);
    }
  }
  return store_->put(path, mine);
}

}  // namespace millstream::loader
