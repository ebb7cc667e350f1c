// DELETE and UPDATE of Delta tables.
#include <arrow/array.h>
#include <arrow/record_batch.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "delta/retry.h"
#include "plan/text.h"
#include "session/assignments.h"
#include "session/row_rules.h"
#include "session/statement_run.h"
#include "session/table_change.h"
#include "session/writes.h"
#include "spark/connect/expressions.pb.h"

namespace millstream::session {

namespace {

std::string json_text(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// One attempt.
class ChangeRun {
 public:
  ChangeRun(const sql::Change& change, TableChange& table) : change_(change), table_(table) {}

  Result<std::int64_t> run() {
    if (change_.where != nullptr) {
      TRY_ASSIGN(condition_, table_.expressions().condition({table_.rows()}, *change_.where));
    }
    TRY_ASSIGN(auto values, new_values());
    TRY(check_expressions(values));
    if (change_.update) TRY(RowRules(table_).generate(assigned_, values));
    if (condition_ != nullptr) TRY(table_.narrow(condition_));
    const bool whole_files =
        !change_.update && (condition_ == nullptr || table_.is_of_partitions(condition_));
    if (whole_files) {
      TRY(table_.remove_files(condition_));
    } else {
      const Status found = find_rows(values);
      if (!found.ok()) return overflow_in_write(found, table_.schema(), values);
    }
    scan_ms_ = table_.clock().ms();
    const auto rows = whole_files ? table_.rows_of_removed_files() : table_.changed_rows();
    TRY(commit(rows));
    return rows.value_or(-1);
  }

 private:
  // What a row's change may not depend on: other rows, chance.
  Status check_expressions(const std::vector<plan::ExprPtr>& values) const {
    std::vector<plan::ExprPtr> all = change_.update ? values : std::vector<plan::ExprPtr>();
    if (condition_ != nullptr) all.push_back(condition_);
    bool deterministic = true;
    std::vector<std::string> texts;
    for (const auto& expr : all) {
      TRY(check_row_expression(*expr));
      deterministic = deterministic && plan::is_deterministic(*expr);
      texts.push_back(plan::sql_expr(expr->pretty));
    }
    if (deterministic) return Status::OK();
    return Status::error("INVALID_NON_DETERMINISTIC_EXPRESSIONS",
                         {{"sqlExprs", join(texts, ", ")}});
  }
  bool marks_rows_of_updates() const {
    return change_.update && delta::marks_deleted_rows(table_.snapshot().info());
  }
  const char* name() const { return change_.update ? "UPDATE" : "DELETE"; }

  // Of the columns, after an UPDATE, generated ones apart.
  Result<std::vector<plan::ExprPtr>> new_values() {
    RowRules rules(table_);
    std::vector<Assignment> assignments;
    for (const auto& [path, value] : change_.values) {
      auto column = without_qualifier(path, table_.rows()->output[0].qualifier, table_.schema());
      TRY_ASSIGN(auto resolved, rules.value({table_.rows()}, column, *value));
      assigned_.push_back(column[0]);
      assignments.push_back({std::move(column), std::move(resolved)});
    }
    return assigned(table_.expressions(), table_.schema(), table_.columns(), assignments);
  }

  // The rows for which the condition is true; those of an UPDATE as they are to be.
  Status find_rows(const std::vector<plan::ExprPtr>& values) {
    auto rows = table_.rows();
    if (condition_ != nullptr) rows = filter(rows, condition_);
    std::vector<NamedExpr> columns;
    if (change_.update) {
      for (std::size_t i = 0; i < values.size(); ++i)
        columns.push_back({table_.schema()[i].name, values[i]});
      for (auto& kept : table_.kept_ids()) columns.push_back(std::move(kept));
    }
    columns.push_back({"place", table_.place()});
    const auto node = project(rows, columns);
    TRY_ASSIGN(auto found, table_.session().execute(node, table_.context()));
    column::Schema schema = found.schema;
    schema.pop_back();
    const auto fate = change_.update ? TableChange::Fate::updated : TableChange::Fate::removed;
    const auto note =
        [this, fate](const connector::RecordBatchPtr& batch) -> Result<connector::RecordBatchPtr> {
      const int last = batch->num_columns() - 1;
      const auto& places = static_cast<const arrow::Int64Array&>(*batch->column(last));
      for (std::int64_t i = 0; i < places.length(); ++i) table_.change_row(places.Value(i), fate);
      return connector::RecordBatchPtr(*batch->RemoveColumn(last));
    };
    const auto changed = mapped(std::move(found), std::move(schema), note);
    return change_.update ? table_.add_rows(changed, TableChange::Added::updated) : drain(changed);
  }

  Status commit(std::optional<std::int64_t> rows) {
    const std::string predicate =
        change_.where == nullptr ? "true" : "(" + change_.where_text + ")";
    std::string texts = json_text(nlohmann::json::array({predicate}));
    if (change_.update && change_.where == nullptr) texts = "[]";
    const auto metrics = [&](const delta::ChangeCounts& counts) {
      delta::Metrics out;
      const auto put = [&out](const char* key, std::int64_t value) {
        out.emplace_back(key, fmt::to_string(value));
      };
      // The reference counts the files of which an UPDATE marks rows as removed, and of vectors
      // only those that others took the place of.
      put("numRemovedFiles", counts.files_removed + (change_.update ? counts.vectors_added : 0));
      put("numRemovedBytes", counts.bytes_removed);
      put("numCopiedRows", counts.rows_copied);
      put("numDeletionVectorsAdded", counts.vectors_added);
      put("numDeletionVectorsRemoved",
          marks_rows_of_updates() ? counts.vectors_updated : counts.vectors_removed);
      put("numDeletionVectorsUpdated", counts.vectors_updated);
      put("numAddedChangeFiles", counts.change_files);
      put("executionTimeMs", table_.clock().ms());
      put("scanTimeMs", scan_ms_);
      put("rewriteTimeMs", table_.clock().ms() - scan_ms_);
      put("numAddedFiles", counts.files_added);
      put("numAddedBytes", counts.bytes_added);
      if (rows) put(change_.update ? "numUpdatedRows" : "numDeletedRows", *rows);
      return out;
    };
    return table_.commit(name(), json_text({{"predicate", texts}}), metrics);
  }

  const sql::Change& change_;
  TableChange& table_;
  std::vector<std::string> assigned_;  // columns
  plan::ExprPtr condition_;
  std::int64_t scan_ms_ = 0;
};

}  // namespace

// The number of rows that the statement met; nothing when its transaction was committed before.
Result<std::optional<std::int64_t>> StatementRun::change_once(const sql::Change& change,
                                                              const Target& target) {
  TRY_ASSIGN(const auto table,
             TableChange::begin(session_, context_, target.directory, change.text));
  TRY_ASSIGN(table->txn, session_txn(session_.conf()));
  if (table->is_done()) return std::optional<std::int64_t>();
  table->set_qualifier(qualifier_of(target, change.alias));
  TRY_ASSIGN(const std::int64_t rows, ChangeRun(change, *table).run());
  return std::optional(rows);
}

// By what the columns of a statement's target can be addressed.
std::vector<std::string> StatementRun::qualifier_of(const Target& target,
                                                    const std::string& alias) {
  if (!alias.empty()) return {alias};
  if (target.name) return {"spark_catalog", target.name->database, target.name->table};
  return {"delta", target.directory};
}

// As a query says it when there is none.
Result<StatementRun::Target> StatementRun::changed_table(const sql::Name& name,
                                                         const std::string& operation) const {
  auto target = target_of(name, operation);
  if (!target.ok() && target.status().is("TABLE_OR_VIEW_NOT_FOUND"))
    return session_.table_not_found(name);
  return target;
}

StatementRun::Outcome StatementRun::operator()(const sql::Change& change) {
  const char* operation = change.update ? "UPDATE" : "DELETE";
  TRY_ASSIGN(const Target target, changed_table(change.table, operation));
  if (change.subqueries) {
    return Status::error("DELTA_UNSUPPORTED_SUBQUERY",
                         {{"operation", operation}, {"cond", "(" + change.where_text + ")"}});
  }
  if (!target.is_delta) {
    return Status::unsupported("{} of a table of format {} is not supported", operation,
                               target.entry->provider);
  }
  TRY_ASSIGN(const auto count, delta::retried([&] { return change_once(change, target); }));
  ResultTable table;
  table.column("num_affected_rows", CellType::number);
  if (count) table.row({number(*count)});
  return finish(table);
}

}  // namespace millstream::session
