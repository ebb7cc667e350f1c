// What a DataFrame is, and running it.
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <cstdio>

#include "client/arrow_values.h"
#include "client/errors.h"
#include "client/relations.h"
#include "column/types.h"
#include "millstream/exceptions.h"
#include "millstream/functions.h"
#include "plan/analyzer.h"
#include "spark/connect/base.pb.h"

namespace millstream::api {
namespace {

namespace proto = spark::connect;

proto::Plan plan_of(const DataFrame& frame) {
  proto::Plan plan;
  *plan.mutable_root() = frame.relation();
  return plan;
}

void each_batch(const DataFrame& frame,
                const std::function<void(const std::shared_ptr<arrow::RecordBatch>&)>& take) {
  frame.connection()->execute(frame.relation(), [&](const proto::ExecutePlanResponse& response) {
    if (!response.has_arrow_batch()) return;
    for (const auto& batch :
         client::value_or_throw(client::read_ipc(response.arrow_batch().data())))
      take(batch);
  });
}

void create_view(const DataFrame& frame, const std::string& name, bool is_global, bool replace) {
  proto::Command command;
  auto* view = command.mutable_create_dataframe_view();
  *view->mutable_input() = frame.relation();
  view->set_name(name);
  view->set_is_global(is_global);
  view->set_replace(replace);
  frame.connection()->execute(command);
}

proto::AnalyzePlanRequest_Explain_ExplainMode explain_mode(const std::string& mode) {
  using Explain = proto::AnalyzePlanRequest_Explain;
  if (mode == "simple") return Explain::EXPLAIN_MODE_SIMPLE;
  if (mode == "extended") return Explain::EXPLAIN_MODE_EXTENDED;
  if (mode == "codegen") return Explain::EXPLAIN_MODE_CODEGEN;
  if (mode == "cost") return Explain::EXPLAIN_MODE_COST;
  if (mode == "formatted") return Explain::EXPLAIN_MODE_FORMATTED;
  throw SparkException("explain knows simple, extended, codegen, cost and formatted, not " + mode);
}

}  // namespace

Schema DataFrame::schema() const {
  proto::AnalyzePlanRequest request;
  *request.mutable_schema()->mutable_plan() = plan_of(*this);
  const auto response = connection_->analyze(std::move(request));
  const auto type = client::value_or_throw(plan::type_from_proto(response.schema().schema()));
  Schema schema;
  for (const column::Field& field : type->fields())
    schema.push_back({field.name, field.type->simple_string(), field.nullable});
  return schema;
}

std::vector<std::string> DataFrame::columns() const {
  std::vector<std::string> names;
  for (const Field& field : schema()) names.push_back(field.name);
  return names;
}

std::string DataFrame::tree_string() const {
  proto::AnalyzePlanRequest request;
  *request.mutable_tree_string()->mutable_plan() = plan_of(*this);
  return connection_->analyze(std::move(request)).tree_string().tree_string();
}

void DataFrame::print_schema() const { std::puts(tree_string().c_str()); }

bool DataFrame::is_streaming() const {
  proto::AnalyzePlanRequest request;
  *request.mutable_is_streaming()->mutable_plan() = plan_of(*this);
  return connection_->analyze(std::move(request)).is_streaming().is_streaming();
}

std::vector<std::string> DataFrame::input_files() const {
  proto::AnalyzePlanRequest request;
  *request.mutable_input_files()->mutable_plan() = plan_of(*this);
  const auto response = connection_->analyze(std::move(request));
  return {response.input_files().files().begin(), response.input_files().files().end()};
}

bool DataFrame::same_semantics(const DataFrame& other) const {
  proto::AnalyzePlanRequest request;
  *request.mutable_same_semantics()->mutable_target_plan() = plan_of(*this);
  *request.mutable_same_semantics()->mutable_other_plan() = plan_of(other);
  return connection_->analyze(std::move(request)).same_semantics().result();
}

std::string DataFrame::explain_string(const std::string& mode) const {
  proto::AnalyzePlanRequest request;
  *request.mutable_explain()->mutable_plan() = plan_of(*this);
  request.mutable_explain()->set_explain_mode(explain_mode(mode));
  return connection_->analyze(std::move(request)).explain().explain_string();
}

void DataFrame::for_each_batch(
    const std::function<void(const std::shared_ptr<arrow::RecordBatch>&)>& batch_function) const {
  each_batch(*this, batch_function);
}

void DataFrame::for_each(const std::function<void(const Row&)>& row_function) const {
  Row::Names names;
  each_batch(*this, [&](const std::shared_ptr<arrow::RecordBatch>& batch) {
    if (names == nullptr)
      names = std::make_shared<const std::vector<std::string>>(batch->schema()->field_names());
    for (std::int64_t row = 0; row < batch->num_rows(); ++row)
      row_function(client::row_at(*batch, names, row));
  });
}

std::vector<Row> DataFrame::collect() const {
  std::vector<Row> rows;
  for_each([&](const Row& row) { rows.push_back(row); });
  return rows;
}

Row DataFrame::first() const {
  const std::vector<Row> rows = take(1);
  if (rows.empty()) throw SparkException("first() of a DataFrame without rows");
  return rows.front();
}

std::int64_t DataFrame::count() const {
  return agg({functions::count(lit(1))}).first()[0].as_long();
}

bool DataFrame::is_empty() const { return take(1).empty(); }

std::string DataFrame::show_string(std::int32_t rows, std::int32_t truncate, bool vertical) const {
  const DataFrame shown = client::new_frame(connection_, [&](proto::Relation* out) {
    auto* show = out->mutable_show_string();
    *show->mutable_input() = relation();
    show->set_num_rows(rows);
    show->set_truncate(truncate);
    show->set_vertical(vertical);
  });
  return shown.collect().at(0)[0].as_string();
}

void DataFrame::show(std::int32_t rows, std::int32_t truncate, bool vertical) const {
  std::puts(show_string(rows, truncate, vertical).c_str());
}

const DataFrame& DataFrame::persist() const {
  proto::AnalyzePlanRequest request;
  *request.mutable_persist()->mutable_relation() = relation();
  // MEMORY_AND_DISK_DESER, as pyspark asks for it.
  auto* level = request.mutable_persist()->mutable_storage_level();
  level->set_use_memory(true);
  level->set_use_disk(true);
  level->set_deserialized(true);
  level->set_replication(1);
  connection_->analyze(std::move(request));
  return *this;
}

void DataFrame::unpersist() const {
  proto::AnalyzePlanRequest request;
  *request.mutable_unpersist()->mutable_relation() = relation();
  connection_->analyze(std::move(request));
}

void DataFrame::create_or_replace_temp_view(const std::string& name) const {
  create_view(*this, name, false, true);
}
void DataFrame::create_temp_view(const std::string& name) const {
  create_view(*this, name, false, false);
}
void DataFrame::create_global_temp_view(const std::string& name) const {
  create_view(*this, name, true, false);
}

}  // namespace millstream::api
