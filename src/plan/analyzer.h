// The analyzer: an unresolved Spark Connect relation in, a resolved plan out, with Spark's names,
// types, implicit casts, plan_id rules and error conditions. Pure but for the Resolver that it asks
// for tables.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/options.h"
#include "column/timestamp_meaning.h"
#include "functions/registry.h"
#include "plan/node.h"

namespace spark::connect {
class DataType;
class Expression;
class Relation;
}  // namespace spark::connect

namespace millstream::plan {

// A function that is written in SQL.
struct SqlFunction {
  struct Parameter {
    std::string name;
    column::TypePtr type;
    std::string default_text;  // empty: the argument must be given
  };
  std::string name;
  std::string qualifier;  // of the parameters in the body; empty: the name
  std::vector<Parameter> parameters;
  bool table = false;
  column::TypePtr returns;  // null: as the body; of a table function the struct of its columns
  std::string body;         // an expression, or the query of a table function
  std::string comment;
  // The settings under which its body means what it does, and where names are looked for in it:
  // those of the session that made it. Nothing: the caller's.
  struct Made {
    bool ansi = true;
    bool case_sensitive = false;
    std::string time_zone = "UTC";
    column::TimestampWord timestamp = column::TimestampWord::with_zone;
    std::string database;
  };
  std::optional<Made> made;
  bool kept = false;  // outlives the session, so that it names nothing that goes with it
};

// What a plan refers to beyond itself. Implemented by the session.
class Resolver {
 public:
  virtual ~Resolver() = default;
  // A view or table by the parts of its name; TABLE_OR_VIEW_NOT_FOUND. The node's output ids are
  // fresh.
  virtual Result<NodePtr> named_table(const std::vector<std::string>& parts, const Options& options,
                                      bool streaming) = 0;
  // spark.read / spark.readStream. `schema` is the user's text, empty when none was given.
  virtual Result<std::shared_ptr<const connector::Table>> data_source(
      const std::string& format, const std::string& schema, const Options& options,
      const std::vector<std::string>& paths) = 0;
  virtual Result<std::shared_ptr<const connector::StreamTable>> stream_source(
      const std::string& format, const std::string& schema, const Options& options,
      const std::vector<std::string>& paths) = 0;
  // A DataFrame kept by the session (checkpoint, foreachBatch).
  virtual Result<NodePtr> cached_relation(const std::string& id) = 0;
  // The value of a session variable, as a constant; nothing: there is none of that name.
  virtual std::optional<ExprPtr> variable(const std::vector<std::string>& parts) {
    (void)parts;
    return std::nullopt;
  }
  // A function of that name which is written in SQL; null: there is none.
  virtual std::shared_ptr<const SqlFunction> sql_function(const std::string& name) {
    (void)name;
    return nullptr;
  }
  // Who knows the names in that function's body; null: this one does.
  virtual std::unique_ptr<Resolver> inside(const SqlFunction& function) {
    (void)function;
    return nullptr;
  }
  // Bytes uploaded as cache/<hash>.
  virtual Result<std::string> cached_artifact(const std::string& hash) = 0;
  // The rows that the texts of a plan's only column hold: spark.read.json of a DataFrame.
  virtual Result<std::shared_ptr<const connector::Table>> parsed_texts(const std::string& format,
                                                                       const std::string& schema,
                                                                       const Options& options,
                                                                       const NodePtr& texts) {
    (void)schema;
    (void)options;
    (void)texts;
    return Status::unsupported("reading {} from a DataFrame of texts is not supported", format);
  }
  // The rows of a plan, for what depends on them: the columns of a pivot without values.
  virtual Result<std::vector<connector::RecordBatchPtr>> rows_of(const NodePtr& node) {
    return Status::unsupported("the columns of this query depend on its rows: {}",
                               node->output.size());
  }
  // Where the rows of a DataFrame that was cached are, or will be; nullptr: it was not cached.
  virtual std::shared_ptr<const connector::Table> cached_rows(
      const spark::connect::Relation& relation, const NodePtr& node) {
    (void)relation;
    (void)node;
    return nullptr;
  }
};

struct AnalyzerSettings {
  functions::Settings functions;
  bool case_sensitive = false;
  std::string database = "default";         // current_database()
  std::string user;                         // current_user()
  std::int64_t recursion_levels_max = 100;  // of WITH RECURSIVE; -1: any
  std::int64_t recursion_rows_max = 1'000'000;
  bool group_by_ordinal = true;  // GROUP BY 1 is the first of the list
  bool order_by_ordinal = true;
};

Result<NodePtr> analyze(const spark::connect::Relation& relation, Resolver& resolver,
                        const AnalyzerSettings& settings);

// A scan of all columns of a table, its columns qualified by `qualifier`.
NodePtr make_scan(std::shared_ptr<const connector::Table> table,
                  std::vector<std::string> qualifier = {});
NodePtr make_scan(std::shared_ptr<const connector::StreamTable> table,
                  std::vector<std::string> qualifier = {});
// The same plan with fresh attribute ids throughout: for the second use of one view or DataFrame in
// a plan.
NodePtr with_fresh_ids(const NodePtr& node);

// The rules that need Spark's meaning: column pruning and predicate pushdown into scans, limit into
// scans.
NodePtr optimize(NodePtr node);

// Spark's data types to and from the wire.
Result<column::TypePtr> type_from_proto(const spark::connect::DataType& proto);
void type_to_proto(const column::TypePtr& type, spark::connect::DataType* proto);
void schema_to_proto(const column::Schema& schema, spark::connect::DataType* proto);

// explain: a tree of operators with Spark's prefixes ("+- ", ":- ").
std::string explain_tree(const Node& node);

}  // namespace millstream::plan
