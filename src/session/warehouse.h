// Warehouse: the tables and databases that have names: folders below one root, laid out as Spark's
// in-memory catalog does it: <root>/<table> for the database "default",
// <root>/<database>.db/<table> for others. Every table is a Delta table. Names are case-insensitive
// (folders are lower case). Immutable but for the files; thread-safe.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "io/store.h"

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
  std::string database_directory(const std::string& database) const;
  std::string table_directory(const TableName& name) const;

  Result<bool> database_exists(const std::string& database) const;
  Result<std::vector<std::string>> databases() const;
  Status create_database(const std::string& database, bool if_not_exists);
  Status drop_database(const std::string& database, bool if_exists, bool cascade);

  Result<bool> table_exists(const TableName& name) const;
  Result<std::vector<std::string>> tables(const std::string& database) const;  // SCHEMA_NOT_FOUND
  Status drop_table(const TableName& name);

  const std::shared_ptr<io::Store>& store() const { return store_; }

 private:
  std::shared_ptr<io::Store> store_;
  std::string root_;
};

std::string quote_identifier(const std::string& part);  // `a`, with inner backquotes doubled
std::string quote_identifiers(const std::vector<std::string>& parts);

}  // namespace millstream::session
