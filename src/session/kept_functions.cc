#include "session/kept_functions.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace millstream::session {
namespace {

using Json = nlohmann::json;

constexpr std::string_view suffix = ".json";

std::string folder_of(const Warehouse& warehouse, const std::string& database) {
  return io::join_path(warehouse.database_home(database), ".millstream/functions");
}

std::string path_of(const Warehouse& warehouse, const TableName& name) {
  return io::join_path(folder_of(warehouse, name.database),
                       to_lower(name.table) + std::string(suffix));
}

std::string text_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// Types are kept as JSON, which says the same under each setting.
std::string type_text(const column::TypePtr& type) {
  return type == nullptr ? std::string()
                         : column::schema_to_json({{"type", column::as_nullable(type), true, {}}});
}

Result<column::TypePtr> type_of(const std::string& text) {
  if (text.empty()) return column::TypePtr();
  TRY_ASSIGN(const auto schema, column::schema_from_json(text));
  if (schema.size() != 1) return Status::invalid("the file of a function is damaged");
  return schema[0].type;
}

// The settings that it was made under; nothing: an older file, which does not say.
std::optional<plan::SqlFunction::Made> made_of(const Json& json) {
  const auto flag = [&](const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_boolean() && found->get<bool>();
  };
  plan::SqlFunction::Made made;
  made.time_zone = text_of(json, "timeZone");
  if (made.time_zone.empty()) return std::nullopt;
  made.ansi = flag("ansi");
  made.case_sensitive = flag("caseSensitive");
  made.database = text_of(json, "database");
  if (flag("timestampNtz")) made.timestamp = column::TimestampWord::without_zone;
  return made;
}

Result<std::shared_ptr<const plan::SqlFunction>> parsed(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return Status::invalid("the file of a function is damaged");
  auto function = std::make_shared<plan::SqlFunction>();
  function->name = text_of(json, "name");
  function->body = text_of(json, "body");
  function->comment = text_of(json, "comment");
  function->table = text_of(json, "kind") == "table";
  function->kept = true;
  function->made = made_of(json);
  TRY_ASSIGN(function->returns, type_of(text_of(json, "returns")));
  const auto parameters = json.find("parameters");
  if (parameters == json.end() || !parameters->is_array())
    return std::shared_ptr<const plan::SqlFunction>(std::move(function));
  for (const auto& one : *parameters) {
    plan::SqlFunction::Parameter parameter{text_of(one, "name"), nullptr, text_of(one, "default")};
    TRY_ASSIGN(parameter.type, type_of(text_of(one, "type")));
    if (parameter.type == nullptr) return Status::invalid("the file of a function is damaged");
    function->parameters.push_back(std::move(parameter));
  }
  return std::shared_ptr<const plan::SqlFunction>(std::move(function));
}

}  // namespace

Result<std::shared_ptr<const plan::SqlFunction>> kept_function(const Warehouse& warehouse,
                                                               const TableName& name) {
  if (!Warehouse::check_name(name).ok()) return std::shared_ptr<const plan::SqlFunction>();
  const std::string path = path_of(warehouse, name);
  const auto text = warehouse.store()->get(path);
  if (text.ok()) return parsed(*text);
  if (text.status().is(ErrorKind::file_not_found))
    return std::shared_ptr<const plan::SqlFunction>();
  return Status::illegal_state("the file of the function {}, {}, cannot be read: {}", name.quoted(),
                               path, text.status().message());
}

Status keep_function(const Warehouse& warehouse, const TableName& name,
                     const plan::SqlFunction& function) {
  TRY(Warehouse::check_name(name));
  Json parameters = Json::array();
  for (const auto& parameter : function.parameters) {
    parameters.push_back({{"name", parameter.name},
                          {"type", type_text(parameter.type)},
                          {"default", parameter.default_text}});
  }
  Json json{{"name", function.name},
            {"kind", function.table ? "table" : "scalar"},
            {"parameters", std::move(parameters)},
            {"returns", type_text(function.returns)},
            {"body", function.body},
            {"comment", function.comment}};
  if (function.made) {
    json["ansi"] = function.made->ansi;
    json["caseSensitive"] = function.made->case_sensitive;
    json["timeZone"] = function.made->time_zone;
    json["timestampNtz"] = function.made->timestamp == column::TimestampWord::without_zone;
    json["database"] = function.made->database;
  }
  TRY(warehouse.store()->make_directories(folder_of(warehouse, name.database)));
  return warehouse.store()->put(path_of(warehouse, name),
                                json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

Result<bool> forget_function(const Warehouse& warehouse, const TableName& name) {
  TRY_ASSIGN(const auto known, kept_function(warehouse, name));
  if (known == nullptr) return false;
  TRY(warehouse.store()->remove(path_of(warehouse, name)));
  return true;
}

Result<std::vector<std::string>> kept_functions(const Warehouse& warehouse,
                                                const std::string& database) {
  const auto files = warehouse.store()->list_names(folder_of(warehouse, database), "");
  std::vector<std::string> names;
  if (!files.ok()) {
    if (files.status().is(ErrorKind::file_not_found)) return names;
    return files.status();
  }
  for (const auto& file : *files) {
    if (file.ends_with(suffix)) names.push_back(file.substr(0, file.size() - suffix.size()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace millstream::session
