#include "session/replace_rows.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>

#include "base/text.h"
#include "delta/column_mapping.h"
#include "delta/retry.h"
#include "plan/literal.h"
#include "session/table_change.h"
#include "spark/connect/expressions.pb.h"

namespace millstream::session {
namespace {

Status violated(const std::string& where, const connector::RecordBatchPtr& rows, std::int64_t row) {
  std::vector<std::string> values;
  for (int i = 0; i < rows->num_columns() - 1; ++i) {
    const auto scalar = rows->column(i)->GetScalar(row);
    const bool known = scalar.ok() && (*scalar)->is_valid;
    values.push_back(fmt::format(" - {} : {}", rows->schema()->field(i)->name(),
                                 known ? (*scalar)->ToString() : "null"));
  }
  return Status::error(
      "DELTA_REPLACE_WHERE_MISMATCH",
      {{"replaceWhere", "(" + where + ")"},
       {"message",
        fmt::format("[DELTA_VIOLATE_CONSTRAINT_WITH_VALUES] CHECK constraint EXPRESSION({0}) "
                    "({0}) violated by row with values:\n{1}",
                    where, join(values, "\n"))}});
}

// One attempt.
class Replacing {
 public:
  Replacing(const RowReplacement& replacement, const delta::WriteOptions& options,
            TableChange& table)
      : replacement_(replacement), options_(options), table_(table) {}

  Status run(const plan::NodePtr& rows) {
    TRY_ASSIGN(const auto condition,
               table_.expressions().condition({table_.rows()}, *replacement_.where));
    TRY(table_.narrow(condition));
    if (table_.is_of_partitions(condition)) {
      TRY(table_.remove_files(condition));
    } else {
      TRY(find_rows(condition));
    }
    TRY(add_rows(rows));
    return commit();
  }

 private:
  Status find_rows(const plan::ExprPtr& condition) {
    const auto node = project(filter(table_.rows(), condition), {{"place", table_.place()}});
    TRY_ASSIGN(auto found, table_.session().execute(node, table_.context()));
    const auto schema = found.schema;
    return drain(
        mapped(std::move(found), schema,
               [this](const connector::RecordBatchPtr& batch) -> Result<connector::RecordBatchPtr> {
                 const auto& places = static_cast<const arrow::Int64Array&>(*batch->column(0));
                 for (std::int64_t i = 0; i < places.length(); ++i)
                   table_.change_row(places.Value(i), TableChange::Fate::removed);
                 return batch;
               }));
  }

  // The new rows in the table's columns.
  Result<plan::NodePtr> as_table_rows(const plan::NodePtr& rows) {
    const auto schema = delta::without_delta_notes(table_.plan.info->schema);
    std::vector<NamedExpr> columns;
    for (const auto& field : schema) {
      plan::ExprPtr value = plan::null_literal(field.type);
      for (const auto& attribute : rows->output) {
        if (attribute.hidden || !equals_ignore_case(attribute.name, field.name)) continue;
        TRY_ASSIGN(value, table_.expressions().stored(plan::make_attribute(attribute), field));
      }
      columns.push_back({field.name, std::move(value)});
    }
    return project(rows, columns);
  }

  // Identity columns that the rows have keep what they have.
  Status choose_numbered(const plan::NodePtr& rows) {
    std::vector<std::size_t> left;
    for (const std::size_t at : table_.numbered) {
      const auto& field = table_.snapshot().schema()[at];
      const bool given = std::ranges::any_of(rows->output, [&](const auto& attribute) {
        return !attribute.hidden && equals_ignore_case(attribute.name, field.name);
      });
      if (!given) left.push_back(at);
      if (given && !delta::takes_explicit_numbers(field)) {
        return Status::error("DELTA_IDENTITY_COLUMNS_EXPLICIT_INSERT_NOT_SUPPORTED",
                             {{"colName", field.name}});
      }
    }
    table_.numbered = std::move(left);
    return Status::OK();
  }

  // They are computed while they are written; each is looked at.
  Status add_rows(const plan::NodePtr& rows) {
    TRY(choose_numbered(rows));
    TRY_ASSIGN(table_.plan, table_.plan_for_write(plan::schema_of(*rows), options_.merge_schema));
    TRY_ASSIGN(plan::NodePtr node, as_table_rows(rows));
    if (replacement_.check_rows) {
      TRY_ASSIGN(auto condition, table_.expressions().condition({node}, *replacement_.where));
      std::vector<NamedExpr> columns;
      for (const auto& attribute : node->output)
        columns.push_back({attribute.name, plan::make_attribute(attribute)});
      columns.push_back({"fits", std::move(condition)});
      node = project(node, columns);
    }
    TRY_ASSIGN(auto found, table_.session().execute(node, table_.context()));
    if (!replacement_.check_rows) {
      return table_.add_streamed(std::move(found), TableChange::Added::inserted);
    }
    column::Schema schema = found.schema;
    schema.pop_back();
    const auto check =
        [where = replacement_.where_text](
            const connector::RecordBatchPtr& batch) -> Result<connector::RecordBatchPtr> {
      const int last = batch->num_columns() - 1;
      const auto& fits = static_cast<const arrow::BooleanArray&>(*batch->column(last));
      for (std::int64_t i = 0; i < fits.length(); ++i) {
        if (fits.IsNull(i) || !fits.Value(i)) return violated(where, batch, i);
      }
      return connector::RecordBatchPtr(*batch->RemoveColumn(last));
    };
    return table_.add_streamed(mapped(std::move(found), std::move(schema), check),
                               TableChange::Added::inserted);
  }

  Status commit() {
    const std::string predicate = "[" + json_quote("(" + replacement_.where_text + ")") + "]";
    const std::string parameters = fmt::format(
        R"({{"mode":"Overwrite","partitionBy":"[]","predicate":{}}})", json_quote(predicate));
    const auto metrics = [&](const delta::ChangeCounts& counts) {
      delta::Metrics out;
      const auto put = [&out](const char* key, std::int64_t value) {
        out.emplace_back(key, fmt::to_string(value));
      };
      put("numFiles", counts.files_added);
      put("numOutputRows", counts.rows_written - counts.rows_copied);
      put("numCopiedRows", counts.rows_copied);
      put("numOutputBytes", counts.bytes_added);
      put("numAddedChangeFiles", counts.change_files);
      put("numRemovedFiles", counts.files_removed);
      put("numRemovedBytes", counts.bytes_removed);
      put("numDeletedRows", table_.changed_rows() + table_.rows_of_removed_files().value_or(0));
      return out;
    };
    return table_.commit("WRITE", parameters, metrics);
  }

  const RowReplacement& replacement_;
  const delta::WriteOptions& options_;
  TableChange& table_;
};

}  // namespace

Status replace_rows(Session& session, const RowReplacement& replacement,
                    const delta::WriteOptions& options, const plan::NodePtr& rows,
                    const ActionContext& context) {
  static const std::string no_text;
  return delta::retried([&]() -> Status {
    TRY_ASSIGN(const auto table,
               TableChange::begin(session, context, replacement.directory, no_text));
    if (options.txn_app_id) {
      table->txn =
          delta::Txn{*options.txn_app_id, *options.txn_version, session.runtime().clock->now_ms()};
    }
    if (table->is_done()) return Status::OK();
    table->user_metadata = options.user_metadata;
    return Replacing(replacement, options, *table).run(rows);
  });
}

}  // namespace millstream::session
