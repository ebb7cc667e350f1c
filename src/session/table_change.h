// TableChange: one attempt at a statement that changes rows of a Delta table (DELETE, UPDATE,
// MERGE, writes that replace rows): the version that it reads, that version's rows as a plan with
// the place of each, the files in question, and the rows of them that change. Commits what was
// found. Rows are streamed; what is kept of a row that goes is a bit. Used by one thread.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "delta/identity.h"
#include "delta/log.h"
#include "delta/placed_rows.h"
#include "delta/row_change.h"
#include "plan/row_expressions.h"
#include "session/kept_rows.h"
#include "session/resolver.h"

namespace millstream::session {

// An output column and what it is.
struct NamedExpr {
  std::string name;
  plan::ExprPtr value;
};
plan::NodePtr project(const plan::NodePtr& input, const std::vector<NamedExpr>& columns);
plan::NodePtr filter(const plan::NodePtr& input, plan::ExprPtr condition);

using BatchMap = std::function<Result<connector::RecordBatchPtr>(const connector::RecordBatchPtr&)>;
// Each batch as `map` makes it of one of `rows`; batches that come out empty are left out.
connector::Batches mapped(connector::Batches rows, column::Schema schema, BatchMap map);
Status drain(const connector::Batches& rows);

// Milliseconds since it was made.
class Stopwatch {
 public:
  explicit Stopwatch(const Clock& clock) : clock_(clock), start_ms_(clock.now_ms()) {}
  std::int64_t ms() const { return clock_.now_ms() - start_ms_; }

 private:
  const Clock& clock_;
  std::int64_t start_ms_;
};

class TableChange {
 public:
  // `text`: of the statement, for places in errors; outlives the object, as the others do.
  static Result<std::unique_ptr<TableChange>> begin(Session& session, const ActionContext& context,
                                                    const std::string& directory,
                                                    const std::string& text);

  const delta::Snapshot& snapshot() const { return *snapshot_; }
  const delta::SnapshotPtr& snapshot_ptr() const { return snapshot_; }
  const column::Schema& schema() const { return schema_; }
  plan::RowExpressions& expressions() { return expressions_; }
  const Stopwatch& clock() const { return clock_; }

  // The rows of the files in question: the table's columns, and the hidden place. The same columns
  // whichever files these are.
  const plan::NodePtr& rows() const { return rows_; }
  void set_qualifier(std::vector<std::string> qualifier);
  plan::ExprPtr place() const { return plan::make_attribute(rows_->output.back()); }
  std::vector<plan::ExprPtr> columns() const;
  // What follows the table's columns in rows that are Added::updated: the id that the row keeps,
  // and no version of its own. Nothing where the table does not keep ids.
  std::vector<NamedExpr> kept_ids() const;
  // Only rows for which it is true are asked for: leaves files out that hold none.
  Status narrow(const plan::ExprPtr& condition);
  // Whether it is known for each file as a whole: of partition columns only.
  bool is_of_partitions(const plan::ExprPtr& condition) const;
  // The files for whose partitions it is true; null: all.
  Result<std::vector<delta::AddFilePtr>> files_where(const plan::ExprPtr& condition) const;
  // All rows of the files for which it (of partition columns; null: true) holds go.
  Status remove_files(const plan::ExprPtr& condition);
  // The rows that are not in `seen` (places).
  plan::NodePtr rows_but(const std::vector<std::shared_ptr<delta::RowSet>>& seen) const;

  enum class Fate : std::uint8_t { removed, updated };
  // The row goes, or another takes its place. False: that was known already.
  bool change_row(std::int64_t place, Fate fate);
  std::int64_t changed_rows() const;
  // Rows of files that go as wholes; nothing: their statistics do not say.
  std::optional<std::int64_t> rows_of_removed_files() const;
  std::size_t file_count() const { return choice_->files.size(); }

  enum class Added : std::uint8_t { inserted, updated };
  // Rows of the table as it is to be, whose columns are the table's in order; and kept_ids, of
  // updated ones. They are computed once, now.
  Status add_rows(connector::Batches rows, Added how);
  // The same, computed while they are written, where they are needed once only.
  Status add_streamed(connector::Batches rows, Added how);

  // The table with what `data` has beyond it.
  Result<delta::WritePlan> plan_for(const column::Schema& data) const;
  // The same by the rules of a write of rows of that schema.
  Result<delta::WritePlan> plan_for_write(const column::Schema& data, bool merge) const;

  delta::WritePlan plan;              // the table after the change; as it is, unless it is set
  std::optional<delta::Txn> txn;      // to be committed with it
  std::vector<std::size_t> numbered;  // identity columns that inserted rows get numbers in; all
  bool is_done() const;               // that transaction was committed before
  std::string user_metadata;

  using MetricsOf = std::function<delta::Metrics(const delta::ChangeCounts&)>;
  Status commit(const std::string& operation, const std::string& parameters,
                const MetricsOf& metrics);

  const std::shared_ptr<delta::Log>& log() const { return log_; }
  Session& session() { return session_; }
  const ActionContext& context() const { return context_; }

 private:
  TableChange(Session& session, const ActionContext& context, std::shared_ptr<delta::Log> log,
              delta::SnapshotPtr snapshot, const std::string& text);
  delta::PlacedRows::Context table_context() const;
  Result<std::vector<std::size_t>> positions_where(const plan::ExprPtr& condition) const;
  plan::NodePtr over(std::shared_ptr<const connector::Table> table) const;
  void read_files(std::vector<delta::AddFilePtr> files);
  bool files_say_it() const;
  Result<connector::Batches> change_feed() const;
  Status add_old_rows(Fate fate, std::string_view type, connector::Batches& feed) const;
  connector::Batches with_numbers(connector::Batches rows, Added how);
  Status keep(const connector::Batches& rows, Added how);
  void take(connector::Batches rows, Added how);

  Session& session_;
  const ActionContext& context_;
  const std::shared_ptr<delta::Log> log_;
  const delta::SnapshotPtr snapshot_;
  const Stopwatch clock_;
  SessionResolver resolver_;
  plan::AnalyzerSettings settings_;
  plan::RowExpressions expressions_;
  column::Schema schema_;
  plan::NodePtr rows_;
  std::shared_ptr<const delta::RowChoice> choice_;
  std::vector<connector::Predicate> predicates_;
  const bool keeps_feed_;
  std::vector<std::shared_ptr<delta::RowSet>> changed_;  // by file; null: none
  // By fate, then as changed_; of tables with a change data feed only.
  std::array<std::vector<std::shared_ptr<delta::RowSet>>, 2> of_fate_;
  std::vector<bool> removed_;  // by file, as a whole
  std::vector<std::shared_ptr<const KeptRows>> kept_;
  std::array<std::vector<connector::Batches::Partition>, 2> added_;  // by how
  std::shared_ptr<delta::IdentityNumbers> numbers_;
};

}  // namespace millstream::session
