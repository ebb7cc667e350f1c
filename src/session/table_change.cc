#include "session/table_change.h"

#include <arrow/array.h>
#include <arrow/array/util.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>

#include <algorithm>
#include <numeric>

#include "delta/change_feed.h"
#include "delta/column_mapping.h"
#include "delta/features.h"
#include "delta/row_tracking.h"
#include "delta/stats.h"
#include "plan/literal.h"
#include "plan/tree.h"
#include "session/row_guard.h"
#include "session/upkeep.h"

namespace millstream::session {
namespace {

class MappedReader final : public connector::BatchReader {
 public:
  MappedReader(std::unique_ptr<connector::BatchReader> rows, const BatchMap& map)
      : rows_(std::move(rows)), map_(map) {}
  Result<connector::RecordBatchPtr> next() override {
    for (;;) {
      TRY_ASSIGN(auto batch, rows_->next());
      if (batch == nullptr) return batch;
      TRY_ASSIGN(batch, map_(batch));
      if (batch->num_rows() > 0) return batch;
    }
  }

 private:
  const std::unique_ptr<connector::BatchReader> rows_;
  const BatchMap map_;
};

column::Schema with_change_type(column::Schema schema) {
  schema.push_back({std::string(delta::change_feed::type_column), column::string_type(), true, {}});
  return schema;
}

// Adds the rows to a feed, as of that _change_type.
void add_typed(connector::Batches rows, std::string_view type, connector::Batches& feed) {
  const auto with_type =
      [type](const connector::RecordBatchPtr& batch) -> Result<connector::RecordBatchPtr> {
    auto types =
        arrow::MakeArrayFromScalar(arrow::StringScalar(std::string(type)), batch->num_rows());
    if (!types.ok()) return Status::internal("Arrow: {}", types.status().ToString());
    auto typed = batch->AddColumn(batch->num_columns(),
                                  std::string(delta::change_feed::type_column), std::move(*types));
    if (!typed.ok()) return Status::internal("Arrow: {}", typed.status().ToString());
    return std::move(*typed);
  };
  auto typed = mapped(std::move(rows), feed.schema, with_type);
  for (auto& partition : typed.partitions) feed.partitions.push_back(std::move(partition));
}

// The columns of `schema`, which are the first ones.
connector::Batches first_columns(connector::Batches rows, const column::Schema& schema) {
  std::vector<int> columns(schema.size());
  std::iota(columns.begin(), columns.end(), 0);
  return mapped(std::move(rows), schema,
                [columns = std::move(columns)](
                    const connector::RecordBatchPtr& batch) -> Result<connector::RecordBatchPtr> {
                  auto chosen = batch->SelectColumns(columns);
                  if (!chosen.ok()) return Status::internal("{}", chosen.status().ToString());
                  return std::move(*chosen);
                });
}

// Rows that are new have no ids of their own.
connector::Batches without_ids(connector::Batches rows, const column::Schema& with_ids) {
  return mapped(
      std::move(rows), with_ids,
      [with_ids](const connector::RecordBatchPtr& batch) -> Result<connector::RecordBatchPtr> {
        auto columns = batch->columns();
        while (columns.size() < with_ids.size()) {
          const auto type = column::to_arrow(with_ids[columns.size()].type);
          auto none = arrow::MakeArrayOfNull(type, batch->num_rows());
          if (!none.ok()) return Status::internal("{}", none.status().ToString());
          columns.push_back(std::move(*none));
        }
        return connector::RecordBatchPtr(arrow::RecordBatch::Make(
            column::to_arrow(with_ids), batch->num_rows(), std::move(columns)));
      });
}

// The predicates that the only scan of a plan got.
const std::vector<connector::Predicate>* predicates_of(const plan::Node& node) {
  if (node.kind == plan::NodeKind::scan) return &plan::as<plan::Scan>(node).predicates;
  return node.children.size() == 1 ? predicates_of(*node.children[0]) : nullptr;
}

}  // namespace

plan::NodePtr project(const plan::NodePtr& input, const std::vector<NamedExpr>& columns) {
  auto out = std::make_shared<plan::Project>();
  for (const auto& column : columns) {
    plan::Attribute attribute;
    attribute.id = plan::next_attribute_id();
    attribute.name = column.name;
    attribute.type = column.value->type;
    attribute.nullable = column.value->nullable;
    out->exprs.push_back(plan::make_alias(column.value, column.name, attribute.id));
    out->output.push_back(std::move(attribute));
  }
  out->children.push_back(input);
  return out;
}

plan::NodePtr filter(const plan::NodePtr& input, plan::ExprPtr condition) {
  auto out = std::make_shared<plan::Filter>();
  out->output = input->output;
  out->condition = std::move(condition);
  out->children.push_back(input);
  return out;
}

connector::Batches mapped(connector::Batches rows, column::Schema schema, BatchMap map) {
  for (auto& partition : rows.partitions) {
    partition = [inner = std::move(partition),
                 map]() -> Result<std::unique_ptr<connector::BatchReader>> {
      TRY_ASSIGN(auto reader, inner());
      return std::unique_ptr<connector::BatchReader>(
          std::make_unique<MappedReader>(std::move(reader), map));
    };
  }
  rows.schema = std::move(schema);
  return rows;
}

Status drain(const connector::Batches& rows) {
  for (const auto& partition : rows.partitions) {
    TRY_ASSIGN(const auto reader, partition());
    for (;;) {
      TRY_ASSIGN(const auto batch, reader->next());
      if (batch == nullptr) break;
    }
  }
  return Status::OK();
}

Result<std::unique_ptr<TableChange>> TableChange::begin(Session& session,
                                                        const ActionContext& context,
                                                        const std::string& directory,
                                                        const std::string& text) {
  auto log = delta::Log::shared(session.runtime().store, directory);
  TRY_ASSIGN(auto snapshot, log->latest());
  if (snapshot == nullptr) return Status::not_found("no Delta table in {}", directory);
  TRY(delta::check_writable(snapshot->protocol(), snapshot->info(), directory, true, true));
  auto change = std::unique_ptr<TableChange>(
      new TableChange(session, context, std::move(log), std::move(snapshot), text));
  TRY_ASSIGN(change->numbers_, delta::IdentityNumbers::of(change->snapshot_->info()));
  for (std::size_t i = 0; i < change->snapshot_->schema().size(); ++i) {
    if (delta::is_identity(change->snapshot_->schema()[i])) change->numbered.push_back(i);
  }
  return change;
}

TableChange::TableChange(Session& session, const ActionContext& context,
                         std::shared_ptr<delta::Log> log, delta::SnapshotPtr snapshot,
                         const std::string& text)
    : session_(session),
      context_(context),
      log_(std::move(log)),
      snapshot_(std::move(snapshot)),
      clock_(*session.runtime().clock),
      resolver_(session),
      settings_(analyzer_settings(session.conf())),
      expressions_(resolver_, settings_, text),
      schema_(delta::without_delta_notes(snapshot_->schema())),
      keeps_feed_(delta::keeps_change_feed(snapshot_->info())) {
  settings_.database = session.current_database();
  plan.info = snapshot_->info_ptr();
  std::vector<delta::AddFilePtr> files;
  files.reserve(snapshot_->files().size());
  snapshot_->files().for_each([&](const delta::AddFilePtr& file) { files.push_back(file); });
  read_files(std::move(files));
}

delta::PlacedRows::Context TableChange::table_context() const {
  return {log_->store(), log_->table(), snapshot_, settings_.functions.time_zone,
          settings_.case_sensitive};
}

// A scan of `table` with the columns of rows_.
plan::NodePtr TableChange::over(std::shared_ptr<const connector::Table> table) const {
  auto scan = std::static_pointer_cast<plan::Scan>(plan::clone(*rows_));
  scan->table = std::move(table);
  return scan;
}

void TableChange::read_files(std::vector<delta::AddFilePtr> files) {
  auto choice = std::make_shared<delta::RowChoice>();
  choice->files = std::move(files);
  choice_ = choice;
  changed_.assign(choice_->files.size(), nullptr);
  removed_.assign(choice_->files.size(), false);
  if (keeps_feed_) of_fate_.fill(changed_);
  auto table = std::make_shared<delta::PlacedRows>(table_context(), choice_);
  if (rows_ != nullptr) {
    rows_ = over(std::move(table));
    return;
  }
  auto scan = plan::clone(*plan::make_scan(std::shared_ptr<const connector::Table>(table)));
  // The place is last, and out of reach of names.
  auto& columns = static_cast<plan::Scan&>(*scan).columns;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i] != delta::places::column) continue;
    std::rotate(columns.begin() + static_cast<std::ptrdiff_t>(i),
                columns.begin() + static_cast<std::ptrdiff_t>(i) + 1, columns.end());
    std::rotate(scan->output.begin() + static_cast<std::ptrdiff_t>(i),
                scan->output.begin() + static_cast<std::ptrdiff_t>(i) + 1, scan->output.end());
    break;
  }
  scan->output.back().hidden = true;
  if (delta::keeps_row_ids(snapshot_->info())) scan->output[schema_.size()].hidden = true;
  rows_ = std::move(scan);
}

void TableChange::set_qualifier(std::vector<std::string> qualifier) {
  auto scan = plan::clone(*rows_);
  for (auto& attribute : scan->output) attribute.qualifier = qualifier;
  rows_ = std::move(scan);
}

std::vector<plan::ExprPtr> TableChange::columns() const {
  std::vector<plan::ExprPtr> out;
  for (std::size_t i = 0; i < schema_.size(); ++i) {
    out.push_back(plan::make_attribute(rows_->output[i]));
  }
  return out;
}

std::vector<NamedExpr> TableChange::kept_ids() const {
  if (!delta::keeps_row_ids(snapshot_->info())) return {};
  return {{std::string(delta::row_ids::id), plan::make_attribute(rows_->output[schema_.size()])},
          {std::string(delta::row_ids::version), plan::null_literal(column::long_type())}};
}

Status TableChange::narrow(const plan::ExprPtr& condition) {
  const plan::NodePtr optimized = plan::optimize(filter(rows_, condition));
  const auto* found = predicates_of(*optimized);
  if (found == nullptr || found->empty()) return Status::OK();
  predicates_ = *found;
  std::vector<delta::AddFilePtr> files = choice_->files;
  std::erase_if(files, [&](const auto& file) {
    return !delta::may_match(*file, snapshot_->info(), predicates_);
  });
  read_files(std::move(files));
  return Status::OK();
}

bool TableChange::is_of_partitions(const plan::ExprPtr& condition) const {
  if (!plan::is_deterministic(*condition)) return false;
  std::vector<plan::AttributeId> ids;
  for (const int index : snapshot_->info().partition_index) {
    ids.push_back(rows_->output[static_cast<std::size_t>(index)].id);
  }
  return plan::references_only(*condition, ids);
}

// Of the files for whose partitions it is true.
Result<std::vector<std::size_t>> TableChange::positions_where(
    const plan::ExprPtr& condition) const {
  std::vector<std::size_t> out;
  if (condition == nullptr) {
    for (std::size_t i = 0; i < choice_->files.size(); ++i) out.push_back(i);
    return out;
  }
  const auto files = over(std::make_shared<delta::FileRows>(table_context(), choice_));
  const auto found = project(filter(files, condition), {{"place", place()}});
  TRY_ASSIGN(const auto rows, session_.execute(found, context_));
  TRY_ASSIGN(const auto batches, connector::collect(rows));
  for (const auto& batch : batches) {
    const auto& places = static_cast<const arrow::Int64Array&>(*batch->column(0));
    for (std::int64_t i = 0; i < places.length(); ++i) {
      out.push_back(delta::places::file_of(places.Value(i)));
    }
  }
  return out;
}

Result<std::vector<delta::AddFilePtr>> TableChange::files_where(
    const plan::ExprPtr& condition) const {
  TRY_ASSIGN(const auto positions, positions_where(condition));
  std::vector<delta::AddFilePtr> out;
  for (const std::size_t position : positions) out.push_back(choice_->files[position]);
  return out;
}

Status TableChange::remove_files(const plan::ExprPtr& condition) {
  TRY_ASSIGN(const auto positions, positions_where(condition));
  for (const std::size_t position : positions) removed_[position] = true;
  return Status::OK();
}

plan::NodePtr TableChange::rows_but(const std::vector<std::shared_ptr<delta::RowSet>>& seen) const {
  auto choice = std::make_shared<delta::RowChoice>();
  choice->files = choice_->files;
  choice->left_out.assign(seen.begin(), seen.end());
  return over(std::make_shared<delta::PlacedRows>(table_context(), std::move(choice)));
}

bool TableChange::change_row(std::int64_t place, Fate fate) {
  const auto file = delta::places::file_of(place);
  const auto add_to = [&](std::shared_ptr<delta::RowSet>& set) {
    if (set == nullptr) set = std::make_shared<delta::RowSet>();
    return set->add(delta::places::position_of(place));
  };
  if (!add_to(changed_[file])) return false;
  if (keeps_feed_) add_to(of_fate_[static_cast<std::size_t>(fate)][file]);
  return true;
}

std::int64_t TableChange::changed_rows() const {
  std::int64_t rows = 0;
  for (const auto& set : changed_) rows += set == nullptr ? 0 : set->count();
  return rows;
}

std::optional<std::int64_t> TableChange::rows_of_removed_files() const {
  std::int64_t rows = 0;
  for (std::size_t i = 0; i < removed_.size(); ++i) {
    if (!removed_[i]) continue;
    const auto live = delta::live_rows(*choice_->files[i]);
    if (!live) return std::nullopt;
    rows += *live;
  }
  return rows;
}

connector::Batches TableChange::with_numbers(connector::Batches rows, Added how) {
  return how == Added::inserted ? numbers_->replace(std::move(rows), numbered) : rows;
}

Status TableChange::add_rows(connector::Batches rows, Added how) {
  return keep(with_numbers(std::move(rows), how), how);
}

Status TableChange::keep(const connector::Batches& rows, Added how) {
  TRY_ASSIGN(auto kept, KeptRows::make(rows, session_.runtime().temporary_directory));
  connector::ScanRequest request;
  for (const auto& field : kept->schema()) request.columns.push_back(field.name);
  TRY_ASSIGN(auto read, kept->scan(request));
  kept_.push_back(std::move(kept));
  take(std::move(read), how);
  return Status::OK();
}

// Rows of a change data feed are written twice, and must be the same both times.
Status TableChange::add_streamed(connector::Batches rows, Added how) {
  rows = with_numbers(std::move(rows), how);
  if (keeps_feed_) return keep(rows, how);
  take(std::move(rows), how);
  return Status::OK();
}

void TableChange::take(connector::Batches rows, Added how) {
  auto& added = added_[static_cast<std::size_t>(how)];
  for (auto& partition : rows.partitions) added.push_back(std::move(partition));
}

Result<delta::WritePlan> TableChange::plan_for(const column::Schema& data) const {
  delta::WriteRequest request;
  request.data = data;
  request.merge_schema = true;
  request.rule = delta::CastRule::cast;
  request.enforces_constraints = true;
  request.columns_computed = true;
  return delta::plan_write(snapshot_, request, log_->table(), session_.runtime().clock->now_ms());
}

Result<delta::WritePlan> TableChange::plan_for_write(const column::Schema& data, bool merge) const {
  delta::WriteRequest request;
  request.data = data;
  request.merge_schema = merge;
  request.enforces_constraints = true;
  request.columns_computed = true;
  return delta::plan_write(snapshot_, request, log_->table(), session_.runtime().clock->now_ms());
}

bool TableChange::is_done() const {
  return txn && snapshot_->txn_version(txn->app_id).value_or(-1) >= txn->version;
}

// The rows of that fate as they were.
Status TableChange::add_old_rows(Fate fate, std::string_view type, connector::Batches& feed) const {
  const auto& sets = of_fate_[static_cast<std::size_t>(fate)];
  auto choice = std::make_shared<delta::RowChoice>();
  choice->others_left_out = true;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    if (sets[i] == nullptr) continue;
    choice->files.push_back(choice_->files[i]);
    choice->left_out.push_back(sets[i]);
  }
  connector::ScanRequest request;
  for (const auto& field : plan.info->schema) request.columns.push_back(field.name);
  TRY_ASSIGN(auto rows, delta::scan_rows(log_->store(), log_->table(), plan.info, choice, request,
                                         true, settings_.functions.time_zone));
  add_typed(std::move(rows), type, feed);
  return Status::OK();
}

// Rows that were marked, and rows that came, are told by the files' deletion vectors and by new
// files; only what became of an updated row is not.
bool TableChange::files_say_it() const {
  const auto& updated = of_fate_[static_cast<std::size_t>(Fate::updated)];
  return delta::marks_deleted_rows(*plan.info) &&
         added_[static_cast<std::size_t>(Added::updated)].empty() &&
         std::ranges::all_of(updated, [](const auto& set) { return set == nullptr; });
}

// What the statement did, where its files do not say it; nothing when they do.
Result<connector::Batches> TableChange::change_feed() const {
  connector::Batches feed;
  const bool some_rows =
      std::ranges::any_of(changed_, [](const auto& set) { return set != nullptr; });
  if (!keeps_feed_ || !some_rows || files_say_it()) return feed;
  feed.schema = with_change_type(plan.info->schema);
  TRY(add_old_rows(Fate::removed, delta::change_feed::remove, feed));
  TRY(add_old_rows(Fate::updated, delta::change_feed::before_update, feed));
  add_typed(
      first_columns({{}, added_[static_cast<std::size_t>(Added::updated)]}, plan.info->schema),
      delta::change_feed::after_update, feed);
  add_typed({plan.info->schema, added_[static_cast<std::size_t>(Added::inserted)]},
            delta::change_feed::insert, feed);
  return feed;
}

Status TableChange::commit(const std::string& operation, const std::string& parameters,
                           const MetricsOf& metrics) {
  delta::RowChange change;
  change.time_zone = settings_.functions.time_zone;
  TRY_ASSIGN(change.upkeep, session_upkeep(session_.conf()));
  change.read = snapshot_;
  change.predicates = predicates_;
  change.files_read = choice_->files;
  for (std::size_t i = 0; i < choice_->files.size(); ++i) {
    if (!removed_[i] && changed_[i] == nullptr) continue;
    change.changed.push_back({choice_->files[i], removed_[i] ? nullptr : changed_[i]});
  }
  TRY_ASSIGN(change.change_feed, change_feed());
  TRY_ASSIGN(const delta::TableInfoPtr info, delta::as_rewritten(plan.info));
  const auto schema = delta::without_delta_notes(info->schema);
  connector::Batches added{schema, added_[0]};
  if (info != plan.info) added = without_ids(std::move(added), schema);
  added.partitions.insert(added.partitions.end(), added_[1].begin(), added_[1].end());
  TRY_ASSIGN(change.added, delta::guarded(make_row_guard(session_.runtime(), settings_), *info,
                                          std::move(added)));
  change.plan = plan;
  change.numbers = numbers_;
  change.txn = txn;
  change.user_metadata = user_metadata;
  change.operation = operation;
  change.parameters = parameters;
  return delta::commit_rows(log_, change, metrics, context_.cancel).status();
}

}  // namespace millstream::session
