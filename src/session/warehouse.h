// Warehouse: the tables and databases that have names: folders below one root, laid out as Spark's
// in-memory catalog does it: <root>/<table> for the database "default",
// <root>/<database>.db/<table> for others. A Delta table in its own folder is nothing but that
// folder; what is said of views, of tables elsewhere and of other formats stands in a hidden folder
// of the database
// (.millstream). Names are case-insensitive (folders are lower case). Immutable but for the files;
// thread-safe.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "io/store.h"
#include "session/entry.h"

namespace millstream::session {

struct TableName {
  std::string database;
  std::string table;

  std::string quoted() const;  // `spark_catalog`.`db`.`t`
};

class Warehouse {
 public:
  Warehouse(std::shared_ptr<io::Store> store, std::string root)
      : store_(std::move(store)), root_(std::move(root)) {}

  const std::string& root() const { return root_; }
  std::string database_directory(const std::string& database) const;  // of its tables
  // Where what is kept of it lies; the same unless it was created with a LOCATION.
  std::string database_home(const std::string& database) const;
  std::string table_directory(const TableName& name) const;  // where the table is, or would be
  std::string own_directory(const TableName& name) const;    // of a table that lies nowhere else

  // INVALID_SCHEMA_OR_RELATION_NAME: Spark's names are of letters A to Z, digits and _, and so they
  // are safe as names of folders. What has another name does not exist.
  static Status check_name(const std::string& part);
  static Status check_name(const TableName& name);

  Result<bool> database_exists(const std::string& database) const;
  Result<std::vector<std::string>> databases() const;
  Status create_database(const std::string& database, bool if_not_exists,
                         const DatabaseInfo& info = {});
  Result<DatabaseInfo> database_info(const std::string& database) const;
  Status put_database_info(const std::string& database, const DatabaseInfo& info);
  Status drop_database(const std::string& database, bool if_exists, bool cascade);

  Result<bool> table_exists(const TableName& name) const;  // a table, no view
  // What is kept of a view, or of a table that is not simply a Delta table in its folder.
  Result<std::optional<Entry>> entry(const TableName& name) const;
  Status put_entry(const TableName& name, const Entry& entry);
  Status drop_entry(const TableName& name);
  Result<std::vector<std::string>> views(const std::string& database) const;
  // As table_exists and entry agree: another table or view of that name may not be made.
  Result<bool> is_taken(const TableName& name) const;
  Status rename_table(const TableName& from, const TableName& to);
  Result<std::vector<std::string>> tables(const std::string& database) const;  // SCHEMA_NOT_FOUND
  Status drop_table(const TableName& name);  // its files too, unless they lie elsewhere

  const std::shared_ptr<io::Store>& store() const { return store_; }

 private:
  std::string entry_path(const TableName& name) const;
  std::string info_path(const std::string& database) const;
  Result<std::vector<std::string>> entry_names(const std::string& database) const;
  Status empty_directory(const std::string& database, const std::string& directory);
  Status remove_at_once(const std::string& directory, const std::string& around);

  std::shared_ptr<io::Store> store_;
  std::string root_;
};

std::string quote_identifier(const std::string& part);  // `a`, with inner backquotes doubled
std::string quote_identifiers(const std::vector<std::string>& parts);

}  // namespace millstream::session
