// StatementRun: one statement; a method for each kind. Inside of the room: others call
// run_statement.
#pragma once

#include "session/resolver.h"
#include "session/statements.h"

namespace spark::connect {
class SQL;
}  // namespace spark::connect

namespace millstream::delta {
struct CloneSource;
struct ParquetFolder;
struct Metadata;
struct WriteOptions;
class DeltaTable;
}  // namespace millstream::delta

namespace millstream::session {

// The columns that a table of files is partitioned by.
column::Schema partitions_of(const Entry& entry);

class StatementRun {
 public:
  StatementRun(Session& session, const ActionContext& context, const ExplainText& explain_text)
      : session_(session),
        warehouse_(*session.runtime().warehouse),
        context_(context),
        explain_text_(explain_text) {}

  using Outcome = Result<std::optional<CatalogResult>>;

  // The values of the parameters that the statements of a script may name.
  void set_arguments(const spark::connect::SQL* arguments) { script_arguments_ = arguments; }

  Outcome operator()(const sql::Query&) { return std::optional<CatalogResult>(); }
  // statements.cc
  Outcome operator()(const sql::Insert& insert);
  Outcome operator()(const sql::MultiInsert& all);
  Outcome operator()(const sql::InsertDirectory& insert);
  Outcome operator()(const sql::Change& change);    // change.cc
  Outcome operator()(const sql::Merge& merge);      // merge.cc
  Outcome operator()(const sql::Restore& restore);  // restore.cc
  // maintenance.cc
  Outcome operator()(const sql::Optimize& optimize);
  Outcome operator()(const sql::Vacuum& vacuum);
  // convert.cc
  Outcome operator()(const sql::ConvertToDelta& convert);
  Outcome operator()(const sql::Generate& generate);
  Outcome operator()(const sql::Drop& drop);
  Outcome operator()(const sql::Truncate& truncate);
  Outcome operator()(const sql::Analyze& analyze);
  Outcome operator()(const sql::Set& set);
  Outcome operator()(const sql::Reset& reset);
  Outcome operator()(const sql::Use& use);
  Outcome operator()(const sql::Explain& explain);
  Outcome operator()(const sql::Cache& cache);
  Outcome operator()(const sql::ListResources& list);
  // create.cc
  Outcome operator()(const sql::CreateView& create);
  Outcome operator()(const sql::CreateTable& create);
  Outcome operator()(const sql::CreateDatabase& create);
  // alter.cc
  Outcome operator()(const sql::AlterDatabase& alter);
  Outcome operator()(const sql::AlterTable& alter);
  Outcome operator()(const sql::AlterView& alter);
  // describe.cc
  Outcome operator()(const sql::Show& show);
  Outcome operator()(const sql::Describe& describe);
  // routines.cc
  Outcome operator()(const sql::CreateFunction& create);
  Outcome operator()(const sql::DeclareVariable& declare);
  Outcome operator()(const sql::SetVariable& set);
  Outcome operator()(const sql::RefreshFunction& refresh);
  // script.cc
  Outcome operator()(const sql::ExecuteImmediate& execute);
  Outcome operator()(const sql::Script& script);

 private:
  static Outcome finish(const ResultTable& table) {
    TRY_ASSIGN(auto result, table.finish());
    return std::optional<CatalogResult>(std::move(result));
  }
  static Outcome nothing() { return finish(ResultTable()); }

  Result<std::string> database_of(const sql::Name& name) const;
  Status require_database(const std::string& name) const;
  Status not_found(const sql::Name& parts) const;
  bool is_view(const sql::Name& name) const;  // a temporary one

  // A table that a statement works on.
  struct Target {
    std::string directory;
    std::string shown;  // spark_catalog.db.t, or delta.`/path`
    std::optional<TableName> name;
    std::optional<Entry> entry;
    bool is_delta = true;
  };
  // `operation` is for the error when it is a view.
  Result<Target> target_of(const sql::Name& name, const std::string& operation) const;
  Result<Target> changed_table(const sql::Name& name, const std::string& operation) const;
  Status view_expected_table(const sql::Name& name, const std::string& operation) const;

  Result<Target> maintained_table(const sql::Name& name, const std::string& operation) const;
  Result<std::optional<std::int64_t>> change_once(const sql::Change& change, const Target& target);
  Outcome optimize_once(const sql::Optimize& optimize);
  static std::vector<std::string> qualifier_of(const Target& target, const std::string& alias);

  Outcome show_settings() const;
  // file_partitions.cc
  Status truncate_files(const Target& target, const sql::PartitionSpec& partition);
  Status alter_partitions(const sql::AlterTable& alter, const Target& target);
  Status move_file_table(const Target& target, const std::string& location);
  Result<std::vector<std::string>> file_partitions(const sql::PartitionSpec& spec,
                                                   const Target& target);

  // routines.cc
  Status drop_function(const sql::Drop& drop);
  Status tried_function(const spark::connect::Relation& relation,
                        const std::optional<TableName>& kept);
  Result<TableName> function_name(const sql::Name& name) const;

  Status drop_view(const sql::Drop& drop);
  Status drop_table(const sql::Drop& drop);

  Result<std::string> database_location(const std::string& given);
  Outcome create_temporary_view(const sql::CreateView& create);
  Status create_stored_view(const sql::CreateView& create);
  Result<delta::WriteOptions> table_options(const sql::CreateTable& create, bool replaces) const;
  Status create_like(const sql::CreateTable& create, const std::string& directory);
  Result<sql::CreateTable> as_its_model(const sql::CreateTable& create) const;
  Status create_file_table(const sql::CreateTable& create, const TableName& name);
  Status fill_file_table(Entry& entry, const std::string& directory, const sql::QueryPtr& query);
  Status create_delta_table(const sql::CreateTable& create, const std::string& directory,
                            bool exists);
  // convert.cc
  Status convert_path(const sql::ConvertToDelta& convert);
  Status convert_entry(const sql::ConvertToDelta& convert, const Target& target);
  // clone.cc
  Outcome clone_table(const sql::CreateTable& create);
  Result<delta::CloneSource> parquet_clone(delta::ParquetFolder folder) const;
  Result<delta::CloneSource> clone_source(const sql::Clone& clone) const;
  Status check_existing(const sql::CreateTable& create, const std::string& directory) const;
  Status nothing_to_replace(sql::Name name) const;
  Status already_exists(const sql::Name& name) const;
  Status refused_clause(const sql::CreateTable& create) const;

  static Result<column::Schema> of_table(Result<column::Schema> changed, const Target& target);
  Status move_delta_table(const sql::AlterTable& alter, const Target& target);
  Status refused_of_delta(const sql::AlterTable& alter, const Target& target) const;
  Status alter_metadata(const sql::AlterTable& alter, const Target& target);
  Status check_default_feature(const sql::AlterTable& alter, const Target& target) const;
  Status check_new_default(const sql::ColumnChange& change, const column::Schema& schema,
                           const delta::Metadata& metadata) const;
  Status add_constraint(const sql::AlterTable& alter, const Target& target,
                        delta::Metadata& metadata, const column::Schema& schema) const;
  Status sync_identity(const sql::ColumnChange& change, const Target& target,
                       column::Schema& schema) const;
  Status drop_constraint(const sql::AlterTable& alter, delta::Metadata& metadata) const;
  Outcome rename(const sql::AlterTable& alter);

  Outcome show_relations(const sql::Show& show);
  Outcome show_columns(const sql::Show& show);
  Outcome show_table_extended(const sql::Show& show);  // table_extended.cc
  Result<std::string> extended_information(const TableName& name) const;
  Outcome show_of_table(const sql::Show& show);
  Outcome show_properties(const sql::Show& show);
  Outcome show_partitions(const sql::Show& show);
  Outcome describe_column(const sql::Describe& describe, const plan::NodePtr& node);
  Outcome describe_relation(const sql::Describe& describe);
  Outcome describe_history(const sql::Describe& describe);
  Outcome describe_detail(const sql::Describe& describe);
  Outcome describe_database(const sql::Describe& describe);
  Status describe_extended(const sql::Describe& describe, ResultTable& table);
  Result<std::vector<std::string>> partition_columns(const sql::Name& table) const;

  Session& session_;
  Warehouse& warehouse_;
  const ActionContext& context_;
  const ExplainText& explain_text_;
  const spark::connect::SQL* script_arguments_ = nullptr;
};

}  // namespace millstream::session
