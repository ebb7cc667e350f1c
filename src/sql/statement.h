// Statements that are no queries, as small structs for the session to carry out.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/status.h"

namespace spark::connect {
class Expression;
class Relation;
class SQL;
}  // namespace spark::connect

namespace millstream::sql {

using Name = std::vector<std::string>;  // the parts of a dotted name
using QueryPtr = std::shared_ptr<spark::connect::Relation>;

struct Query {
  QueryPtr relation;
};

using Properties = std::map<std::string, std::string>;
// PARTITION (p = 1, q): constants; null: a column without one.
using PartitionSpec =
    std::vector<std::pair<std::string, std::shared_ptr<spark::connect::Expression>>>;

// CREATE [OR REPLACE] [[GLOBAL] TEMP] VIEW [IF NOT EXISTS] v [(a, b)] AS query | USING format
// OPTIONS (…)
struct CreateView {
  Name name;
  bool replace = false;
  bool global = false;
  bool temporary = false;
  bool if_not_exists = false;
  std::vector<std::string> column_comments;  // as many as columns are named; empty: none
  std::string comment;
  Properties properties;
  std::string text;  // of the query, with the view's names of columns put to it by `query`
  std::vector<std::string> columns;
  QueryPtr query;
  std::string provider;  // of USING; then there is no query
  std::string schema;    // DDL
  Properties options;
};

// What a column's definition says beyond its type: at most one of DEFAULT and GENERATED.
struct ColumnClause {
  std::string column;        // as it is written in the columns
  std::string default_text;  // of DEFAULT
  std::string generation;    // of GENERATED ALWAYS AS (…)
  bool identity = false;     // GENERATED ALWAYS | BY DEFAULT AS IDENTITY
  bool identity_always = false;
  std::int64_t start = 1;
  std::int64_t step = 1;
};

// CREATE [OR REPLACE] TABLE [IF NOT EXISTS] t (columns) | AS query | LIKE other; REPLACE TABLE t …
// SHALLOW CLONE source [VERSION | TIMESTAMP AS OF x]
struct Clone {
  Name source;
  std::optional<std::int64_t> version;
  std::string timestamp;  // empty: not said
};

struct CreateTable {
  Name name;
  bool replace = false;
  bool must_exist = false;  // REPLACE TABLE
  bool if_not_exists = false;
  std::string provider;  // of USING; empty: not said
  std::string columns;   // DDL, without the clauses
  std::vector<ColumnClause> clauses;
  bool constraint = false;  // one stands among the columns: CHECK, PRIMARY KEY, …
  std::vector<std::string> partition_by;
  bool clustered = false;               // CLUSTER BY (…), which may be NONE
  std::vector<std::string> cluster_by;  // dotted names
  int buckets = 0;                      // CLUSTERED BY (…) [SORTED BY (…)] INTO n BUCKETS
  std::vector<std::string> bucket_by;
  std::vector<std::string> sort_by;
  Properties properties;
  Properties options;
  std::string comment;
  std::string location;
  Name like;
  std::optional<Clone> clone;
  QueryPtr query;  // null: a table without rows
};

// INSERT INTO | OVERWRITE t [PARTITION (p = 1, q)] [(a, b) | BY NAME] query
struct Insert {
  Name table;
  bool overwrite = false;
  bool by_name = false;
  // The constants are cast to their columns' types; columns without one are of the query.
  PartitionSpec partition;
  bool if_not_exists = false;  // OVERWRITE … PARTITION (…) IF NOT EXISTS
  std::shared_ptr<spark::connect::Expression> replace_where;
  std::string replace_where_text;
  std::vector<std::string> columns;
  QueryPtr query;
  std::string text;  // of the statement; empty: there is none
};

// FROM t INSERT … SELECT … INSERT … SELECT …
struct MultiInsert {
  std::vector<Insert> inserts;
};

// INSERT OVERWRITE [LOCAL] DIRECTORY 'path' USING format query
struct InsertDirectory {
  std::string path;
  std::string provider;
  Properties options;
  QueryPtr query;
};

// DELETE FROM t [AS a] [WHERE c], UPDATE t [AS a] SET b = e [WHERE c]
struct Change {
  Name table;
  std::string alias;
  bool update = false;
  // Of UPDATE: columns and their new values.
  std::vector<std::pair<Name, std::shared_ptr<spark::connect::Expression>>> values;
  std::shared_ptr<spark::connect::Expression> where;  // null: every row
  std::string where_text;
  bool subqueries = false;  // there are some in the expressions
  std::string text;         // of the statement, which its expressions' places are in
};

// One WHEN of a MERGE.
struct MergeClause {
  enum class Kind : std::uint8_t { matched, not_matched, not_matched_by_source };
  enum class Action : std::uint8_t { update, update_all, remove, insert, insert_all };
  using ExpressionPtr = std::shared_ptr<spark::connect::Expression>;
  Kind kind = Kind::matched;
  Action action = Action::update;
  ExpressionPtr condition;  // null: none
  std::string condition_text;
  std::vector<std::pair<Name, ExpressionPtr>> values;  // of SET, of INSERT (…) VALUES (…)
};

// MERGE [WITH SCHEMA EVOLUTION] INTO t [AS a] USING query ON c WHEN …
struct Merge {
  Name table;
  std::string alias;
  QueryPtr query;  // the source, under its alias
  std::shared_ptr<spark::connect::Expression> on;
  std::string on_text;
  std::vector<MergeClause> clauses;
  bool evolve_schema = false;
  // The text of the first expression that holds a subquery, and where it is; empty: none does.
  std::string subquery_in;
  std::string subquery_place;  // "search condition", "UPDATE clause"
  std::string text;            // of the statement, which its expressions' places are in
};

// RESTORE TABLE t TO VERSION | TIMESTAMP AS OF x
struct Restore {
  Name table;
  std::optional<std::int64_t> version;
  std::string timestamp;  // where no version is given
};

struct Optimize {
  Name table;
  std::shared_ptr<spark::connect::Expression> where;  // null: all files
  std::string where_text;
  std::vector<Name> zorder_by;
  bool full = false;
  bool purge = false;  // REORG TABLE … APPLY (PURGE)
  std::string text;    // of the statement, which the expression's places are in
};

// CONVERT TO DELTA t [NO STATISTICS] [PARTITIONED BY (p INT, …)]
struct ConvertToDelta {
  Name table;  // or {"parquet", path}
  bool statistics = true;
  std::optional<std::string> partitions;  // the columns, DDL; nothing: not said
};

// GENERATE mode FOR TABLE t
struct Generate {
  std::string mode;
  Name table;
};

struct Vacuum {
  Name table;
  std::optional<double> retain_hours;
  bool kind_given = false;  // LITE or FULL
  bool lite = false;
  bool dry_run = false;
  QueryPtr query;  // of the inventory; null: none
};

enum class ObjectKind : std::uint8_t { table, view, database, function, variable };

struct Drop {
  ObjectKind kind = ObjectKind::table;
  Name name;
  bool if_exists = false;
  bool temporary = false;  // function
  bool cascade = false;    // database: with its tables
};

struct CreateDatabase {
  Name name;
  bool if_not_exists = false;
  std::string comment;
  std::optional<std::string> location;
  Properties properties;
};

// ALTER DATABASE d SET DBPROPERTIES (…) | LOCATION '…', COMMENT ON DATABASE d IS '…'
struct AlterDatabase {
  Name name;
  Properties properties;
  std::optional<std::string> comment;
  std::optional<std::string> location;
};

// Where ALTER TABLE puts a column: as it is, FIRST, or AFTER another.
struct ColumnPosition {
  bool given = false;
  std::string after;  // empty: first
};

struct ColumnChange {
  Name path;         // nested members by their dotted name
  std::string type;  // DDL; empty: as it is
  std::optional<std::string> comment;
  std::optional<bool> nullable;
  ColumnPosition position;
  std::optional<std::string> default_text;  // SET DEFAULT; empty: DROP DEFAULT
  bool sync_identity = false;               // SYNC IDENTITY
};

enum class AlterKind : std::uint8_t {
  set_properties,
  unset_properties,
  add_columns,
  alter_column,
  drop_columns,
  rename_column,
  rename,
  comment,
  set_location,  // of the table, or of the only one of `partitions`
  add_partitions,
  drop_partitions,
  rename_partition,    // the first one to the second
  recover_partitions,  // MSCK REPAIR TABLE too
  add_constraint,
  drop_constraint,
  cluster_by,
  drop_feature,
};

struct AlterTable {
  AlterKind kind = AlterKind::set_properties;
  Name table;
  bool view = false;  // ALTER VIEW
  Properties properties;
  std::vector<std::string> keys;  // of UNSET
  std::vector<ColumnChange> columns;
  Name new_name;  // of RENAME
  std::string comment;
  std::string constraint;  // its name
  std::string expression;  // of CHECK; empty: another kind of constraint
  bool if_exists = false;  // DROP CONSTRAINT
  std::string feature;     // DROP FEATURE
  bool truncate_history = false;
  std::vector<std::string> cluster_by;  // dotted names; none: NONE
  std::vector<PartitionSpec> partitions;
  std::vector<std::string> locations;  // of partitions that are added; empty: their own
  std::string location;
  bool if_not_exists = false;  // ADD PARTITION
  bool repair = false;         // recover_partitions by MSCK REPAIR TABLE
  bool adds = true;            // the folders that are there
  bool drops = false;          // and those that are gone
};

// ALTER VIEW v AS query
struct AlterView {
  Name name;
  std::string text;
  QueryPtr query;
};

struct Truncate {
  Name table;
  PartitionSpec partition;  // empty: the whole table
};

struct Analyze {
  Name table;  // empty: all of a database
};

enum class ShowKind : std::uint8_t {
  tables,
  views,
  databases,
  columns,
  functions,
  user_functions,
  catalogs,
  create_table,
  properties,
  partitions,
  partition_names,  // "p=1/q=x", which spark.catalog asks for
  current_namespace,
  table_extended,
};

struct Show {
  ShowKind kind = ShowKind::tables;
  Name in;  // a database; of SHOW COLUMNS and of what a table has: the table
  bool filtered = false;
  std::string pattern;      // "a*|b*"; of properties the key
  PartitionSpec partition;  // of SHOW PARTITIONS
};

enum class DescribeKind : std::uint8_t { relation, extended, history, detail, database, function };

struct Describe {
  DescribeKind kind = DescribeKind::relation;
  Name table;  // empty: the query. A database, a function
  QueryPtr query;
  Name column;
  std::optional<std::int64_t> limit;  // of HISTORY
  bool more = false;                  // FUNCTION EXTENDED
};

// CREATE [OR REPLACE] [TEMPORARY] FUNCTION f(x INT DEFAULT 1) [RETURNS type | TABLE (…)] RETURN
// body
struct CreateFunction {
  Name name;
  bool replace = false;
  bool if_not_exists = false;
  bool temporary = false;
  struct Parameter {
    std::string name;
    std::string type;
    std::string default_text;  // empty: none
  };
  std::vector<Parameter> parameters;
  bool table = false;
  std::string returns;  // DDL of a type, or of a table's columns; empty: the body's
  std::string comment;
  std::string body;  // text of an expression, or of the query of a table function
};

struct DeclareVariable {
  std::vector<Name> names;
  bool replace = false;
  std::string type;          // empty: the default's
  std::string default_text;  // empty: NULL
};

// SET VAR a = 1, b = DEFAULT; SET VAR (a, b) = (query)
struct SetVariable {
  std::vector<Name> names;
  std::vector<std::string> values;  // texts; empty where DEFAULT; or none, then the query
  QueryPtr query;
};

// EXECUTE IMMEDIATE text [INTO a, b] [USING 1 AS x, …]
struct ExecuteImmediate {
  std::string text;                // of an expression, which gives the statement
  std::vector<Name> into;          // variables
  std::vector<std::string> names;  // of the arguments; empty: by position
  std::vector<std::shared_ptr<spark::connect::Expression>> arguments;
};

struct ScriptNode;
// BEGIN … END
struct Script {
  std::shared_ptr<const ScriptNode> root;
};

struct Set {
  std::string key;  // empty: all
  bool has_value = false;
  std::string value;
  bool verbose = false;  // SET -v
};

struct Reset {
  std::string key;  // empty: all
};

struct Use {
  Name name;
  bool catalog = false;  // SET CATALOG
};

enum class ExplainMode : std::uint8_t { simple, extended, codegen, cost, formatted };

struct Explain {
  ExplainMode mode = ExplainMode::simple;
  QueryPtr query;
};

// CACHE TABLE v AS query makes the view v; nothing else is done for caching, since results are not
// kept.
struct Cache {
  Name table;  // must exist, unless `if_exists` or a query makes it; empty: none is named
  bool if_exists = false;
  QueryPtr query;
};

// REFRESH FUNCTION f
struct RefreshFunction {
  Name name;
};

// LIST JARS, FILES, ARCHIVES: none is kept.
struct ListResources {};

using Statement =
    std::variant<Query, CreateView, CreateTable, Insert, MultiInsert, InsertDirectory, Change,
                 Merge, Restore, Optimize, ConvertToDelta, Generate, Vacuum, Drop, CreateDatabase,
                 AlterDatabase, AlterTable, AlterView, Truncate, Analyze, Show, Describe,
                 CreateFunction, DeclareVariable, SetVariable, Set, Reset, Use, Explain, Cache,
                 RefreshFunction, ListResources, ExecuteImmediate, Script>;

// The text of a Relation SQL with its arguments put in. Statements that Millstream does not have
// are refused by name.
Result<Statement> parse_statement(const spark::connect::SQL& sql);
// Only the last clause of its kind may have no condition.
Status check_merge_clauses(const Merge& merge);
// The same where only a query can stand.
Status parse_query(const spark::connect::SQL& sql, spark::connect::Relation* query);

}  // namespace millstream::sql
