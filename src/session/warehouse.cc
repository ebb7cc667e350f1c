#include "session/warehouse.h"

#include <algorithm>

#include "base/random.h"
#include "base/text.h"
#include "delta/write.h"
#include "io/rename.h"

namespace millstream::session {
namespace {

constexpr std::string_view default_database = "default";
constexpr std::string_view suffix = ".db";
constexpr std::string_view entries_folder = ".millstream";
constexpr std::string_view entry_suffix = ".json";

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

Status Warehouse::check_name(const std::string& part) {
  const bool valid = !part.empty() && std::all_of(part.begin(), part.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
  if (valid) return Status::OK();
  return Status::error("INVALID_SCHEMA_OR_RELATION_NAME", {{"name", quote_identifier(part)}});
}

Status Warehouse::check_name(const TableName& name) {
  constexpr std::size_t file_name_bytes_max = 255;
  TRY(check_name(name.database));
  TRY(check_name(name.table));
  if (name.table.size() <= file_name_bytes_max) return Status::OK();
  return Status::error("DELTA_CANNOT_CREATE_LOG_PATH", {{"path", name.table + "/_delta_log"}});
}

std::string Warehouse::database_home(const std::string& database) const {
  const std::string name = to_lower(database);
  return name == default_database ? root_ : io::join_path(root_, name + std::string(suffix));
}

std::string Warehouse::database_directory(const std::string& database) const {
  if (to_lower(database) == default_database) return root_;
  const auto info = database_info(database);
  return info.ok() && !info->location.empty() ? info->location : database_home(database);
}

std::string Warehouse::own_directory(const TableName& name) const {
  return io::join_path(database_directory(name.database), to_lower(name.table));
}

std::string Warehouse::table_directory(const TableName& name) const {
  const auto known = entry(name);
  if (known.ok() && *known && !(*known)->view && !(*known)->location.empty())
    return (*known)->location;
  return own_directory(name);
}

std::string Warehouse::entry_path(const TableName& name) const {
  const std::string folder = io::join_path(database_home(name.database), entries_folder);
  return io::join_path(folder, to_lower(name.table) + std::string(entry_suffix));
}

std::string Warehouse::info_path(const std::string& database) const {
  return io::join_path(io::join_path(database_home(database), entries_folder), "_database");
}

Result<std::optional<Entry>> Warehouse::entry(const TableName& name) const {
  if (!check_name(name).ok()) return std::optional<Entry>();
  const auto text = store_->get(entry_path(name));
  if (!text.ok()) {
    if (text.status().is(ErrorKind::file_not_found)) return std::optional<Entry>();
    return text.status();
  }
  TRY_ASSIGN(Entry parsed, Entry::from_json(*text));
  return std::optional<Entry>(std::move(parsed));
}

Status Warehouse::put_entry(const TableName& name, const Entry& entry) {
  TRY(check_name(name));
  TRY(store_->make_directories(std::string(io::parent_path(entry_path(name)))));
  return store_->put(entry_path(name), entry.to_json());
}

Status Warehouse::drop_entry(const TableName& name) { return store_->remove(entry_path(name)); }

Result<std::vector<std::string>> Warehouse::entry_names(const std::string& database) const {
  TRY_ASSIGN(const auto files,
             names_in(*store_, io::join_path(database_home(database), entries_folder)));
  std::vector<std::string> names;
  for (const auto& file : files) {
    if (file.ends_with(entry_suffix))
      names.push_back(file.substr(0, file.size() - entry_suffix.size()));
  }
  return names;
}

Result<std::vector<std::string>> Warehouse::views(const std::string& database) const {
  TRY_ASSIGN(const auto names, entry_names(database));
  std::vector<std::string> found;
  for (const auto& name : names) {
    TRY_ASSIGN(const auto known, entry({database, name}));
    if (known && known->view) found.push_back(name);
  }
  return found;
}

Result<bool> Warehouse::is_taken(const TableName& name) const {
  if (!check_name(name).ok()) return false;
  TRY_ASSIGN(const auto known, entry(name));
  if (known) return true;
  return table_exists(name);
}

Status Warehouse::rename_table(const TableName& from, const TableName& to) {
  TRY(check_name(from));
  TRY(check_name(to));
  TRY_ASSIGN(const auto known, entry(from));
  if (known && (known->view || !known->location.empty())) {
    TRY(put_entry(to, *known));
    return drop_entry(from);
  }
  TRY(io::rename_directory(own_directory(from), own_directory(to)));
  if (!known) return Status::OK();
  TRY(put_entry(to, *known));
  return drop_entry(from);
}

Result<DatabaseInfo> Warehouse::database_info(const std::string& database) const {
  const auto text = store_->get(info_path(database));
  if (text.ok()) return DatabaseInfo::from_json(*text);
  if (!text.status().is(ErrorKind::file_not_found)) return text.status();
  DatabaseInfo info;
  if (to_lower(database) == default_database) info.comment = "default database";
  return info;
}

Status Warehouse::put_database_info(const std::string& database, const DatabaseInfo& info) {
  TRY(store_->make_directories(std::string(io::parent_path(info_path(database)))));
  return store_->put(info_path(database), info.to_json());
}

Result<bool> Warehouse::database_exists(const std::string& database) const {
  if (to_lower(database) == default_database) return true;
  if (!check_name(database).ok()) return false;
  return store_->exists(database_home(database));
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

Status Warehouse::create_database(const std::string& database, bool if_not_exists,
                                  const DatabaseInfo& info) {
  TRY(check_name(database));
  TRY_ASSIGN(const bool exists, database_exists(database));
  if (exists) {
    if (if_not_exists) return Status::OK();
    return Status::error("SCHEMA_ALREADY_EXISTS",
                         {{"schemaName", quote_identifier(to_lower(database))}});
  }
  if (!info.location.empty()) TRY(store_->make_directories(info.location));
  TRY(store_->make_directories(database_home(database)));
  if (info.comment.empty() && info.properties.empty() && info.location.empty()) return Status::OK();
  return put_database_info(database, info);
}

Status Warehouse::drop_database(const std::string& database, bool if_exists, bool cascade) {
  if (to_lower(database) == default_database) {
    return Status::error("UNSUPPORTED_FEATURE.DROP_DATABASE",
                         {{"database", quote_identifiers({"spark_catalog", "default"})}});
  }
  // Never a folder that is no database's: the name may be anything.
  TRY_ASSIGN(const bool exists, database_exists(database));
  if (!exists) return if_exists ? Status::OK() : schema_not_found(database);
  const std::string directory = database_directory(database);
  TRY_ASSIGN(auto names, names_in(*store_, directory));
  std::erase(names, entries_folder);
  TRY_ASSIGN(const auto entries, entry_names(database));
  names.insert(names.end(), entries.begin(), entries.end());
  const std::string home = database_home(database);
  const std::string functions = io::join_path(io::join_path(home, entries_folder), "functions");
  TRY_ASSIGN(const auto kept, names_in(*store_, functions));
  names.insert(names.end(), kept.begin(), kept.end());
  if (!names.empty() && !cascade) {
    return Status::error("SCHEMA_NOT_EMPTY",
                         {{"schemaName", quote_identifier(to_lower(database))}});
  }
  if (directory != home) TRY(empty_directory(database, directory));
  return remove_at_once(home, root_);
}

// Of a database that lies elsewhere: its tables go, and the folder when nothing else is in it.
Status Warehouse::empty_directory(const std::string& database, const std::string& directory) {
  TRY_ASSIGN(const auto tables, this->tables(database));
  for (const auto& table : tables) TRY(drop_table({database, table}));
  TRY_ASSIGN(auto left, names_in(*store_, directory));
  std::erase(left, entries_folder);
  return left.empty() ? store_->remove_tree(directory) : Status::OK();
}

Result<bool> Warehouse::table_exists(const TableName& name) const {
  if (!check_name(name).ok()) return false;
  TRY_ASSIGN(const auto known, entry(name));
  if (known && known->view) return false;
  if (known && known->provider != "delta") return true;
  const std::string directory =
      known && !known->location.empty() ? known->location : own_directory(name);
  return delta::is_delta_table(store_, directory);
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
  TRY_ASSIGN(const auto entries, entry_names(database));
  for (const auto& name : entries) {
    TRY_ASSIGN(const bool is_table, table_exists({database, name}));
    if (is_table && std::find(found.begin(), found.end(), name) == found.end())
      found.push_back(name);
  }
  std::sort(found.begin(), found.end());
  return found;
}

Status Warehouse::drop_table(const TableName& name) {
  TRY(check_name(name));
  TRY_ASSIGN(const auto known, entry(name));
  if (known) TRY(drop_entry(name));
  if (known && known->external) return Status::OK();
  return remove_at_once(own_directory(name), database_directory(name.database));
}

// Whoever looks sees all of the table or nothing of it: its folder goes out of the way in one step
// before its files go one by one. What a crash leaves there is seen by nobody.
Status Warehouse::remove_at_once(const std::string& directory, const std::string& around) {
  const std::string hidden = io::join_path(around, entries_folder);
  TRY(store_->make_directories(hidden));
  const std::string aside = io::join_path(hidden, "dropped-" + new_uuid());
  const Status moved = io::rename_directory(directory, aside);
  if (moved.ok()) return store_->remove_tree(aside);
  // Gone by another's hand; or the store is not of this machine's disk.
  return moved.is(ErrorKind::file_not_found) ? store_->remove_tree(directory) : moved;
}

}  // namespace millstream::session
