#include "session/merge.h"

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/compute/api_vector.h>
#include <arrow/datum.h>
#include <arrow/record_batch.h>
#include <arrow/util/bit_util.h>

#include <nlohmann/json.hpp>

#include "delta/retry.h"
#include "plan/literal.h"
#include "plan/tree.h"
#include "session/assignments.h"
#include "session/batch_writes.h"
#include "session/merge_clauses.h"
#include "session/merge_source.h"
#include "session/statement_run.h"
#include "session/writes.h"
#include "spark/connect/relations.pb.h"

namespace millstream::session {
namespace {

constexpr std::int32_t no_action = -1;

std::string json_text(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

plan::NodePtr inner_join(const plan::NodePtr& left, const plan::NodePtr& right,
                         plan::ExprPtr condition) {
  auto join = std::make_shared<plan::Join>();
  join->type = plan::JoinType::inner;
  join->condition = std::move(condition);
  join->output = left->output;
  join->output.insert(join->output.end(), right->output.begin(), right->output.end());
  join->children = {left, right};
  return join;
}

// `input` with one more column.
plan::NodePtr with_column(const plan::NodePtr& input, const std::string& name,
                          const plan::ExprPtr& value) {
  auto out = std::make_shared<plan::Project>();
  for (const auto& attribute : input->output) {
    out->exprs.push_back(plan::make_attribute(attribute));
    out->output.push_back(attribute);
  }
  plan::Attribute column;
  column.id = plan::next_attribute_id();
  column.name = name;
  column.type = value->type;
  column.nullable = value->nullable;
  out->exprs.push_back(plan::make_alias(value, name, column.id));
  out->output.push_back(std::move(column));
  out->children.push_back(input);
  return out;
}

const arrow::Int64Array& longs(const connector::RecordBatchPtr& batch, int column) {
  return static_cast<const arrow::Int64Array&>(*batch->column(column));
}

// One attempt.
class MergeRun {
 public:
  MergeRun(const sql::Merge& merge, TableChange& target) : merge_(merge), target_(target) {}

  Result<MergeCounts> run() {
    TRY_ASSIGN(const plan::NodePtr source, target_.session().analyze(*merge_.query));
    if (plan::is_streaming(*source)) return not_a_batch_query();
    TRY_ASSIGN(resolved_, resolve_merge(merge_, target_, source));
    matched_ = resolved_.of(MergeKind::matched);
    not_matched_ = resolved_.of(MergeKind::not_matched);
    by_source_ = resolved_.of(MergeKind::not_matched_by_source);
    TRY_ASSIGN(source_, MergeSource::make(target_.session(), source, source_ids(*source),
                                          target_.context()));
    counts_.source_rows = source_.row_count();
    const std::int64_t materialize_ms = target_.clock().ms();
    if (by_source_.empty()) TRY(narrow());
    seen_.assign(target_.file_count(), nullptr);
    const Status done = run_clauses(materialize_ms);
    if (done.ok()) return counts_;
    for (const auto& clause : resolved_.clauses) {
      if (clause.removes()) continue;
      const Status of_write = overflow_in_write(done, resolved_.schema, clause.values);
      if (!of_write.is("CAST_OVERFLOW")) return of_write;
    }
    return done;
  }

 private:
  using Clauses = std::vector<const ResolvedClause*>;

  Status run_clauses(std::int64_t materialize_ms) {
    TRY(find_matches());
    if (!by_source_.empty()) TRY(find_unmatched_targets());
    if (!not_matched_.empty()) TRY(add_inserts());
    scan_ms_ = target_.clock().ms();
    return commit(materialize_ms);
  }

  // The columns of the source that something refers to.
  std::vector<plan::AttributeId> source_ids(const plan::Node& source) const {
    plan::IdSet used;
    plan::add_references(*resolved_.on, used);
    for (const auto& clause : resolved_.clauses) {
      if (clause.condition != nullptr) plan::add_references(*clause.condition, used);
      for (const auto& value : clause.values) plan::add_references(*value, used);
    }
    std::vector<plan::AttributeId> out;
    for (const auto& attribute : source.output) {
      if (used.contains(plan::key_of(attribute.id))) out.push_back(attribute.id);
    }
    return out;
  }

  static std::vector<plan::AttributeId> ids_of(const plan::Node& node) {
    std::vector<plan::AttributeId> ids;
    for (const auto& attribute : node.output) ids.push_back(attribute.id);
    return ids;
  }

  // Leaves out the files that cannot hold a match: by what ON asks of the target alone, and by the
  // least and the greatest key of the source.
  Status narrow() {
    const auto of_target = ids_of(*target_.rows());
    std::vector<plan::ExprPtr> terms;
    for (const auto& term : plan::conjuncts_of(resolved_.on)) {
      if (plan::references_only(*term, of_target)) terms.push_back(term);
    }
    TRY(add_key_bounds(of_target, terms));
    plan::ExprPtr all;
    for (const auto& term : terms) {
      if (all == nullptr) {
        all = term;
      } else {
        TRY_ASSIGN(all, target_.expressions().call("and", {all, term}));
      }
    }
    return all == nullptr ? Status::OK() : target_.narrow(all);
  }

  static bool has_bounds(const column::DataType& type) {
    using column::TypeKind;
    return type.is_integral() || type.kind() == TypeKind::decimal || type.is_string() ||
           type.kind() == TypeKind::date || type.kind() == TypeKind::timestamp ||
           type.kind() == TypeKind::timestamp_ntz;
  }

  // Of each `t.k = s.k` in ON.
  Status add_key_bounds(const std::vector<plan::AttributeId>& of_target,
                        std::vector<plan::ExprPtr>& terms) {
    const auto of_source = ids_of(*source_.rows());
    std::vector<plan::ExprPtr> keys;  // of the target
    auto bounds = std::make_shared<plan::Aggregate>();
    for (const auto& term : plan::conjuncts_of(resolved_.on)) {
      if (term->kind != plan::ExprKind::call || term->name != "equal") continue;
      const bool flipped = plan::references_only(*term->children[1], of_target);
      const auto& key = term->children[flipped ? 1 : 0];
      const auto& value = term->children[flipped ? 0 : 1];
      if (!has_bounds(*key->type) || !plan::references_only(*key, of_target) ||
          !plan::references_only(*value, of_source)) {
        continue;
      }
      keys.push_back(key);
      for (const char* name : {"min", "max"}) {
        TRY_ASSIGN(auto bound, target_.expressions().call(name, {value}));
        plan::Attribute column;
        column.id = plan::next_attribute_id();
        column.name = name;
        column.type = bound->type;
        bounds->exprs.push_back(plan::make_alias(std::move(bound), name, column.id));
        bounds->output.push_back(std::move(column));
      }
    }
    if (keys.empty()) return Status::OK();
    bounds->children.push_back(source_.rows());
    TRY_ASSIGN(const auto rows, target_.session().execute(bounds, target_.context()));
    TRY_ASSIGN(const auto batches, connector::collect(rows));
    for (const auto& batch : batches) {
      for (int i = 0; batch->num_rows() == 1 && i < batch->num_columns(); ++i) {
        const auto value = batch->column(i)->GetScalar(0);
        if (!value.ok() || !(*value)->is_valid) continue;
        const auto& key = keys[static_cast<std::size_t>(i) / 2];
        TRY_ASSIGN(
            auto term,
            target_.expressions().call(
                i % 2 == 0 ? ">=" : "<=",
                {key, plan::literal_of(*value, rows.schema[static_cast<std::size_t>(i)].type)}));
        terms.push_back(std::move(term));
      }
    }
    return Status::OK();
  }

  // Which clause is for the row, by its place in the list; -1: none.
  plan::ExprPtr action_of(const Clauses& clauses) const {
    std::vector<std::pair<plan::ExprPtr, plan::ExprPtr>> branches;
    plan::ExprPtr otherwise = plan::int_literal(no_action);
    for (std::size_t i = 0; i < clauses.size(); ++i) {
      auto number = plan::int_literal(static_cast<std::int32_t>(i));
      if (clauses[i]->condition == nullptr) {
        otherwise = std::move(number);
        break;
      }
      branches.emplace_back(clauses[i]->condition, std::move(number));
    }
    return plan::make_case(branches, otherwise);
  }

  // Column `i` of the table, of a row that gets an action.
  Result<plan::ExprPtr> value_of(const Clauses& clauses, const plan::ExprPtr& action,
                                 std::size_t i) {
    std::vector<std::pair<plan::ExprPtr, plan::ExprPtr>> branches;
    for (std::size_t k = 0; k < clauses.size(); ++k) {
      if (clauses[k]->removes()) continue;
      TRY_ASSIGN(auto chosen, target_.expressions().call(
                                  "==", {action, plan::int_literal(static_cast<std::int32_t>(k))}));
      branches.emplace_back(std::move(chosen), clauses[k]->values[i]);
    }
    return plan::make_case(branches, plan::null_literal(resolved_.schema[i].type));
  }

  static bool writes(const Clauses& clauses) {
    for (const auto* clause : clauses) {
      if (!clause->removes()) return true;
    }
    return false;
  }

  // The new values, when a clause gives some, and `ids` with them; then the action, then `more`.
  Result<plan::NodePtr> actions(const plan::NodePtr& input, const Clauses& clauses,
                                const std::vector<NamedExpr>& ids,
                                const std::vector<NamedExpr>& more, bool acted_on_only) {
    plan::NodePtr rows = with_column(input, "action", action_of(clauses));
    const auto action = plan::make_attribute(rows->output.back());
    if (acted_on_only) {
      TRY_ASSIGN(auto acted, target_.expressions().call(">=", {action, plan::int_literal(0)}));
      rows = filter(rows, std::move(acted));
    }
    std::vector<NamedExpr> columns;
    for (std::size_t i = 0; writes(clauses) && i < resolved_.schema.size(); ++i) {
      TRY_ASSIGN(auto value, value_of(clauses, action, i));
      columns.push_back({resolved_.schema[i].name, std::move(value)});
    }
    if (writes(clauses)) columns.insert(columns.end(), ids.begin(), ids.end());
    columns.push_back({"action", action});
    columns.insert(columns.end(), more.begin(), more.end());
    return project(rows, columns);
  }

  // Reads the rows; those that `acts` says are rows of the table as it is to be are kept.
  Status read_actions(const plan::NodePtr& node, const Clauses& clauses,
                      const std::function<Result<bool>(const connector::RecordBatchPtr&,
                                                       std::int64_t, std::int32_t)>& acts) {
    TRY_ASSIGN(auto found, target_.session().execute(node, target_.context()));
    const std::size_t width =
        writes(clauses) ? resolved_.schema.size() + target_.kept_ids().size() : 0;
    column::Schema schema(found.schema.begin(),
                          found.schema.begin() + static_cast<std::ptrdiff_t>(width));
    const auto step = [&](const connector::RecordBatchPtr& batch) {
      return changed_rows_of(batch, width, acts);
    };
    const auto rows = mapped(std::move(found), std::move(schema), step);
    return width > 0 ? target_.add_rows(rows, TableChange::Added::updated) : drain(rows);
  }

  static Result<connector::RecordBatchPtr> changed_rows_of(
      const connector::RecordBatchPtr& batch, std::size_t width,
      const std::function<Result<bool>(const connector::RecordBatchPtr&, std::int64_t,
                                       std::int32_t)>& acts) {
    const std::int64_t rows = batch->num_rows();
    const auto& action =
        static_cast<const arrow::Int32Array&>(*batch->column(static_cast<int>(width)));
    auto bits = arrow::AllocateBitmap(rows);
    if (!bits.ok()) return Status::internal("Arrow: {}", bits.status().ToString());
    const std::shared_ptr<arrow::Buffer> keep = std::move(*bits);
    for (std::int64_t i = 0; i < rows; ++i) {
      TRY_ASSIGN(const bool kept, acts(batch, i, action.Value(i)));
      arrow::bit_util::SetBitTo(keep->mutable_data(), i, kept);
    }
    const auto mask = std::make_shared<arrow::BooleanArray>(rows, keep);
    std::vector<int> columns;
    for (std::size_t i = 0; i < width; ++i) columns.push_back(static_cast<int>(i));
    const auto values = batch->SelectColumns(columns);
    if (!values.ok()) return Status::internal("Arrow: {}", values.status().ToString());
    if (width == 0) return *values;
    const auto kept = arrow::compute::Filter(arrow::Datum(*values), arrow::Datum(mask));
    if (!kept.ok()) return Status::internal("Arrow: {}", kept.status().ToString());
    return kept->record_batch();
  }

  bool note_seen(std::int64_t place) {
    auto& set = seen_[delta::places::file_of(place)];
    if (set == nullptr) set = std::make_shared<delta::RowSet>();
    return set->add(delta::places::position_of(place));
  }

  static TableChange::Fate fate_of(bool removes) {
    return removes ? TableChange::Fate::removed : TableChange::Fate::updated;
  }

  static Status several_matches() {
    return Status::error(
        "DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE",
        {{"usageReference",
          "https://docs.delta.io/latest/delta-update.html#upsert-into-a-table-using-merge"}});
  }

  // The pairs of rows for which ON is true.
  Status find_matches() {
    const auto pairs = inner_join(target_.rows(), source_.rows(), resolved_.on);
    TRY_ASSIGN(const auto node,
               actions(pairs, matched_, target_.kept_ids(),
                       {{"place", target_.place()}, {"number", source_.number()}}, false));
    const bool several = resolved_.allows_several_matches();
    const bool places = !matched_.empty() || !by_source_.empty();
    const auto acts = [&](const connector::RecordBatchPtr& batch, std::int64_t row,
                          std::int32_t action) -> Result<bool> {
      const std::int64_t place = longs(batch, batch->num_columns() - 2).Value(row);
      source_.note_match(longs(batch, batch->num_columns() - 1).Value(row));
      if (places && !note_seen(place) && !several) return several_matches();
      if (action < 0) return false;
      const bool removes = matched_[static_cast<std::size_t>(action)]->removes();
      if (!target_.change_row(place, fate_of(removes))) return false;
      ++(removes ? counts_.matched_deleted : counts_.matched_updated);
      return !removes;
    };
    return read_actions(node, matched_, acts);
  }

  // The rows of the target that no row of the source met.
  Status find_unmatched_targets() {
    TRY_ASSIGN(const auto node, actions(target_.rows_but(seen_), by_source_, target_.kept_ids(),
                                        {{"place", target_.place()}}, true));
    const auto acts = [&](const connector::RecordBatchPtr& batch, std::int64_t row,
                          std::int32_t action) -> Result<bool> {
      const bool removes = by_source_[static_cast<std::size_t>(action)]->removes();
      target_.change_row(longs(batch, batch->num_columns() - 1).Value(row), fate_of(removes));
      ++(removes ? counts_.by_source_deleted : counts_.by_source_updated);
      return !removes;
    };
    return read_actions(node, by_source_, acts);
  }

  // The rows of the source that met none: computed while they are written.
  Status add_inserts() {
    TRY_ASSIGN(const auto node, actions(source_.unmatched(), not_matched_, {}, {}, true));
    TRY_ASSIGN(auto rows, target_.session().execute(node, target_.context()));
    column::Schema schema = rows.schema;
    schema.pop_back();
    const auto count =
        [this](const connector::RecordBatchPtr& batch) -> Result<connector::RecordBatchPtr> {
      counts_.inserted += batch->num_rows();
      return connector::RecordBatchPtr(*batch->RemoveColumn(batch->num_columns() - 1));
    };
    return target_.add_streamed(mapped(std::move(rows), std::move(schema), count),
                                TableChange::Added::inserted);
  }

  nlohmann::json predicates_of(MergeKind kind) const {
    nlohmann::json list = nlohmann::json::array();
    for (const auto& clause : merge_.clauses) {
      if (clause.kind != kind) continue;
      nlohmann::json one;
      if (clause.condition != nullptr) one["predicate"] = "(" + clause.condition_text + ")";
      const bool insert =
          clause.action == MergeAction::insert || clause.action == MergeAction::insert_all;
      one["actionType"] = clause.action == MergeAction::remove ? "delete"
                          : insert                             ? "insert"
                                                               : "update";
      list.push_back(std::move(one));
    }
    return list;
  }

  std::string parameters() const {
    const std::string on = merge_.on_text.empty() ? resolved_.on->pretty : merge_.on_text;
    return json_text({{"predicate", json_text(nlohmann::json::array({"(" + on + ")"}))},
                      {"matchedPredicates", json_text(predicates_of(MergeKind::matched))},
                      {"notMatchedPredicates", json_text(predicates_of(MergeKind::not_matched))},
                      {"notMatchedBySourcePredicates",
                       json_text(predicates_of(MergeKind::not_matched_by_source))}});
  }

  Status commit(std::int64_t materialize_ms) {
    const auto metrics = [&](const delta::ChangeCounts& counts) {
      delta::Metrics out;
      const auto put = [&out](const char* key, std::int64_t value) {
        out.emplace_back(key, fmt::to_string(value));
      };
      put("numTargetRowsCopied", counts.rows_copied);
      put("numTargetRowsDeleted", counts_.deleted());
      put("numTargetFilesAdded", counts.files_added);
      put("numTargetBytesAdded", counts.bytes_added);
      put("numTargetBytesRemoved", counts.bytes_removed);
      put("numTargetDeletionVectorsAdded", counts.vectors_added);
      put("numTargetDeletionVectorsUpdated", counts.vectors_updated);
      put("numTargetDeletionVectorsRemoved", counts.vectors_removed);
      put("numTargetRowsMatchedUpdated", counts_.matched_updated);
      put("numTargetRowsMatchedDeleted", counts_.matched_deleted);
      put("numTargetRowsNotMatchedBySourceUpdated", counts_.by_source_updated);
      put("numTargetRowsNotMatchedBySourceDeleted", counts_.by_source_deleted);
      put("numTargetRowsInserted", counts_.inserted);
      put("numTargetRowsUpdated", counts_.updated());
      put("numOutputRows", counts.rows_written);
      put("numSourceRows", counts_.source_rows);
      put("numTargetChangeFilesAdded", counts.change_files);
      put("numTargetFilesRemoved", counts.files_removed);
      put("executionTimeMs", target_.clock().ms());
      put("materializeSourceTimeMs", materialize_ms);
      put("scanTimeMs", scan_ms_ - materialize_ms);
      put("rewriteTimeMs", target_.clock().ms() - scan_ms_);
      return out;
    };
    return target_.commit("MERGE", parameters(), metrics);
  }

  const sql::Merge& merge_;
  TableChange& target_;
  ResolvedMerge resolved_;
  Clauses matched_;
  Clauses not_matched_;
  Clauses by_source_;
  MergeSource source_;
  std::vector<std::shared_ptr<delta::RowSet>> seen_;  // rows of the target that a source row met
  MergeCounts counts_;
  std::int64_t scan_ms_ = 0;
};

}  // namespace

Result<std::optional<MergeCounts>> merge_rows(Session& session, const sql::Merge& merge,
                                              const std::string& directory,
                                              const std::vector<std::string>& qualifier,
                                              const ActionContext& context) {
  TRY_ASSIGN(const auto txn, session_txn(session.conf()));
  if (merge.query != nullptr) {
    TRY_ASSIGN(const plan::NodePtr source, session.analyze(*merge.query));
    TRY(note_batch_write(session, *source, directory, txn));
  }
  return delta::retried([&]() -> Result<std::optional<MergeCounts>> {
    TRY_ASSIGN(const auto target, TableChange::begin(session, context, directory, merge.text));
    target->txn = txn;
    if (target->is_done()) return std::optional<MergeCounts>();
    target->set_qualifier(qualifier);
    TRY_ASSIGN(const MergeCounts counts, MergeRun(merge, *target).run());
    return std::optional(counts);
  });
}

StatementRun::Outcome StatementRun::operator()(const sql::Merge& merge) {
  TRY_ASSIGN(const Target target, changed_table(merge.table, "MERGE INTO"));
  if (!target.is_delta) {
    return Status::unsupported("MERGE INTO a table of format {} is not supported",
                               target.entry->provider);
  }
  if (!merge.subquery_place.empty()) {
    return Status::error(
        "DELTA_UNSUPPORTED_SUBQUERY",
        {{"operation", merge.subquery_place + " of MERGE operation"}, {"cond", merge.subquery_in}});
  }
  TRY_ASSIGN(const auto counts, merge_rows(session_, merge, target.directory,
                                           qualifier_of(target, merge.alias), context_));
  ResultTable table;
  table.column("num_affected_rows", CellType::number)
      .column("num_updated_rows", CellType::number)
      .column("num_deleted_rows", CellType::number)
      .column("num_inserted_rows", CellType::number);
  if (counts) {
    table.row({number(counts->updated() + counts->deleted() + counts->inserted),
               number(counts->updated()), number(counts->deleted()), number(counts->inserted)});
  }
  return finish(table);
}

}  // namespace millstream::session
