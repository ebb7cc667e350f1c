#include "session/warehouse.h"

#include <algorithm>

#include "base/text.h"
#include "delta/write.h"

namespace millstream::session {
namespace {

constexpr std::string_view default_database = "default";
constexpr std::string_view suffix = ".db";

Status schema_not_found(const std::string& database) {
  return Status::error("SCHEMA_NOT_FOUND",
                       {{"schemaName", quote_identifiers({"spark_catalog", database})}});
}

// A missing folder is an empty one.
Result<std::vector<std::string>> names_in(io::Store& store, const std::string& directory) {
  auto names = store.list_names(directory, "");
  if (!names.ok() && names.status().is(ErrorKind::file_not_found))
    return std::vector<std::string>{};
  return names;
}

}  // namespace

std::string quote_identifier(const std::string& part) {
  std::string out = "`";
  for (const char c : part) {
    if (c == '`') out += '`';
    out += c;
  }
  return out + "`";
}

std::string quote_identifiers(const std::vector<std::string>& parts) {
  std::string out;
  for (const auto& part : parts) {
    if (!out.empty()) out += '.';
    out += quote_identifier(part);
  }
  return out;
}

std::string TableName::quoted() const {
  return quote_identifiers({"spark_catalog", database, table});
}

std::string Warehouse::database_directory(const std::string& database) const {
  const std::string name = to_lower(database);
  return name == default_database ? root_ : io::join_path(root_, name + std::string(suffix));
}

std::string Warehouse::table_directory(const TableName& name) const {
  return io::join_path(database_directory(name.database), to_lower(name.table));
}

Result<bool> Warehouse::database_exists(const std::string& database) const {
  if (to_lower(database) == default_database) return true;
  return store_->exists(database_directory(database));
}

Result<std::vector<std::string>> Warehouse::databases() const {
  std::vector<std::string> found{std::string(default_database)};
  TRY_ASSIGN(const auto names, names_in(*store_, root_));
  for (const auto& name : names) {
    if (name.size() > suffix.size() && name.ends_with(suffix)) {
      found.push_back(name.substr(0, name.size() - suffix.size()));
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

Status Warehouse::create_database(const std::string& database, bool if_not_exists) {
  TRY_ASSIGN(const bool exists, database_exists(database));
  if (exists) {
    if (if_not_exists) return Status::OK();
    return Status::error("SCHEMA_ALREADY_EXISTS",
                         {{"schemaName", quote_identifier(to_lower(database))}});
  }
  return store_->make_directories(database_directory(database));
}

Status Warehouse::drop_database(const std::string& database, bool if_exists, bool cascade) {
  if (to_lower(database) == default_database) {
    return Status::error("UNSUPPORTED_FEATURE.DROP_DATABASE",
                         {{"database", quote_identifiers({"spark_catalog", "default"})}});
  }
  TRY_ASSIGN(const bool exists, database_exists(database));
  if (!exists) return if_exists ? Status::OK() : schema_not_found(database);
  const std::string directory = database_directory(database);
  TRY_ASSIGN(const auto names, names_in(*store_, directory));
  if (!names.empty() && !cascade) {
    return Status::error("SCHEMA_NOT_EMPTY",
                         {{"schemaName", quote_identifier(to_lower(database))}});
  }
  return store_->remove_tree(directory);
}

Result<bool> Warehouse::table_exists(const TableName& name) const {
  return delta::is_delta_table(store_, table_directory(name));
}

Result<std::vector<std::string>> Warehouse::tables(const std::string& database) const {
  TRY_ASSIGN(const bool exists, database_exists(database));
  if (!exists) return schema_not_found(database);
  std::vector<std::string> found;
  TRY_ASSIGN(const auto names, names_in(*store_, database_directory(database)));
  for (const auto& name : names) {
    if (name.ends_with(suffix) || name.starts_with(".") || name.starts_with("_")) continue;
    TRY_ASSIGN(const bool is_table, table_exists({database, name}));
    if (is_table) found.push_back(name);
  }
  return found;
}

Status Warehouse::drop_table(const TableName& name) {
  return store_->remove_tree(table_directory(name));
}

}  // namespace millstream::session
