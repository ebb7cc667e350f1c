// Catalog: what has a name in a session: databases, tables, views, functions. Names may be
// qualified, "db.t" or "spark_catalog.db.t"; without a database the current one is meant. An empty
// text is what the catalog does not tell. A pattern has * for any letters and | between choices.
//
// Every call asks the server. What is not there throws SparkException (TABLE_OR_VIEW_NOT_FOUND,
// SCHEMA_NOT_FOUND), unless a bool tells it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "millstream/data_frame.h"
#include "millstream/read_write.h"

namespace millstream::api {

class Catalog {
 public:
  struct CatalogMetadata {
    std::string name;
    std::string description;
  };
  struct Database {
    std::string name;
    std::string catalog;
    std::string description;
    std::string location_uri;
  };
  struct Table {
    std::string name;
    std::string catalog;                  // empty: a temporary view
    std::vector<std::string> name_space;  // "default"; empty: a temporary view
    std::string description;
    std::string table_type;  // MANAGED, EXTERNAL, VIEW, TEMPORARY
    bool is_temporary = false;
  };
  struct Function {
    std::string name;
    std::string catalog;
    std::vector<std::string> name_space;
    std::string description;
    std::string class_name;
    bool is_temporary = false;
  };
  struct Column {
    std::string name;
    std::string description;
    std::string data_type;  // as in DDL: "bigint"
    bool nullable = true;
    bool is_partition = false;
    bool is_bucket = false;
    bool is_cluster = false;
  };
  // What create_table may be told.
  struct Definition {
    std::string source = {};       // the format; empty: spark.sql.sources.default
    std::string schema = {};       // DDL; empty: that of the files at `path`
    std::string path = {};         // empty: a managed table, in the warehouse
    std::string description = {};  // the table's comment
    Options options = {};
  };

  explicit Catalog(std::shared_ptr<client::Connection> connection)
      : connection_(std::move(connection)) {}

  std::string current_catalog() const;
  void set_current_catalog(const std::string& name) const;
  std::vector<CatalogMetadata> list_catalogs(const std::string& pattern = {}) const;

  std::string current_database() const;
  void set_current_database(const std::string& name) const;
  std::vector<Database> list_databases(const std::string& pattern = {}) const;
  Database get_database(const std::string& name) const;
  bool database_exists(const std::string& name) const;

  // Tables, and views, the temporary ones too, of the database.
  std::vector<Table> list_tables(const std::string& database = {},
                                 const std::string& pattern = {}) const;
  Table get_table(const std::string& name) const;
  bool table_exists(const std::string& name) const;
  std::vector<Column> list_columns(const std::string& table) const;
  // Throws TABLE_OR_VIEW_ALREADY_EXISTS.
  DataFrame create_table(const std::string& name, const Definition& definition) const;
  // Looks anew for the partitions of a table of files; the other two forget what is known of one.
  void recover_partitions(const std::string& table) const;
  void refresh_table(const std::string& name) const;
  void refresh_by_path(const std::string& path) const;

  std::vector<Function> list_functions(const std::string& database = {},
                                       const std::string& pattern = {}) const;
  Function get_function(const std::string& name) const;
  bool function_exists(const std::string& name) const;

  // False: there was none.
  bool drop_temp_view(const std::string& name) const;
  bool drop_global_temp_view(const std::string& name) const;

  // Tables and views whose rows the server keeps, as persist() of a DataFrame does.
  void cache_table(const std::string& name) const;
  void uncache_table(const std::string& name) const;
  bool is_cached(const std::string& name) const;
  void clear_cache() const;

 private:
  std::shared_ptr<client::Connection> connection_;
};

}  // namespace millstream::api
