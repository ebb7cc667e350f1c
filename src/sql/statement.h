// Statements that are no queries, as small structs for the session to carry out.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/status.h"

namespace spark::connect {
class Relation;
class SQL;
}  // namespace spark::connect

namespace millstream::sql {

using Name = std::vector<std::string>;  // the parts of a dotted name
using QueryPtr = std::shared_ptr<spark::connect::Relation>;

struct Query {
  QueryPtr relation;
};

// CREATE [OR REPLACE] [GLOBAL] TEMP VIEW v [(a, b)] AS query
struct CreateView {
  Name name;
  bool replace = false;
  bool global = false;
  QueryPtr query;
};

// CREATE [OR REPLACE] TABLE [IF NOT EXISTS] t (columns) | AS query
struct CreateTable {
  Name name;
  bool replace = false;
  bool if_not_exists = false;
  std::string provider;  // of USING; empty: not said
  std::string columns;   // DDL
  std::vector<std::string> partition_by;
  std::map<std::string, std::string> properties;
  std::string comment;
  QueryPtr query;  // null: a table without rows
};

// INSERT INTO | OVERWRITE t [(a, b) | BY NAME] query
struct Insert {
  Name table;
  bool overwrite = false;
  bool by_name = false;
  std::vector<std::string> columns;
  QueryPtr query;
};

enum class ObjectKind : std::uint8_t { table, view, database };

struct Drop {
  ObjectKind kind = ObjectKind::table;
  Name name;
  bool if_exists = false;
  bool cascade = false;  // database: with its tables
};

struct CreateDatabase {
  Name name;
  bool if_not_exists = false;
};

enum class ShowKind : std::uint8_t { tables, views, databases, columns, functions, catalogs };

struct Show {
  ShowKind kind = ShowKind::tables;
  Name in;  // a database; of SHOW COLUMNS the table
  bool filtered = false;
  std::string pattern;  // "a*|b*"
};

struct Describe {
  Name table;  // empty: the query
  QueryPtr query;
};

struct Set {
  std::string key;  // empty: all
  bool has_value = false;
  std::string value;
};

struct Reset {
  std::string key;  // empty: all
};

struct Use {
  Name name;
};

struct Explain {
  bool extended = false;
  QueryPtr query;
};

// CACHE TABLE v AS query makes the view v; nothing else is done for caching, since results are not
// kept.
struct Cache {
  Name table;  // must exist, unless `if_exists` or a query makes it; empty: none is named
  bool if_exists = false;
  QueryPtr query;
};

using Statement = std::variant<Query, CreateView, CreateTable, Insert, Drop, CreateDatabase, Show,
                               Describe, Set, Reset, Use, Explain, Cache>;

// The text of a Relation SQL with its arguments put in. Statements that Millstream does not have
// are refused by name.
Result<Statement> parse_statement(const spark::connect::SQL& sql);
// The same where only a query can stand.
Status parse_query(const spark::connect::SQL& sql, spark::connect::Relation* query);

}  // namespace millstream::sql
