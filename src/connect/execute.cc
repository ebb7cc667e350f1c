#include "connect/execute.h"

#include <arrow/buffer.h>

#include <limits>
#include <mutex>

#include "base/called_off.h"
#include "base/text.h"
#include "connect/explain_text.h"
#include "connect/results.h"
#include "connect/server_session.h"
#include "connect/stream_commands.h"
#include "engine/show.h"
#include "plan/analyzer.h"
#include "plan/refusals.h"
#include "session/catalog.h"
#include "session/delta_messages.h"
#include "session/merge_into.h"
#include "session/statements.h"
#include "session/streams.h"
#include "session/writes.h"
#include "spark/connect/base.pb.h"

// Older clients fill fields that are deprecated since.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace millstream::connect {
namespace {

namespace proto = spark::connect;

// The metrics of observe(), which come on any thread while rows are read.
class Observed {
 public:
  std::function<void(engine::ObservedMetrics)> collector() {
    return [this](engine::ObservedMetrics metrics) {
      const std::lock_guard lock(mutex_);
      all_.push_back(std::move(metrics));
    };
  }
  std::vector<engine::ObservedMetrics> take() {
    const std::lock_guard lock(mutex_);
    return std::move(all_);
  }

 private:
  std::mutex mutex_;
  std::vector<engine::ObservedMetrics> all_;
};

class Execution {
 public:
  Execution(const std::shared_ptr<Operation>& operation, const ExecuteOptions& options)
      : operation_(operation), options_(options), session_(operation->session().session()) {
    context_.cancel = &operation->cancel_token();
    context_.on_metrics = observed_.collector();
  }

  Status plan(const proto::Plan& plan);

 private:
  Status relation(const proto::Relation& relation);
  Status command(const proto::Command& command);
  Status with_delta_messages(proto::Plan plan);
  Status send_result(const plan::NodePtr& node);
  Status show(const proto::ShowString& show);
  Status html(const proto::HtmlString& html);
  Result<std::vector<connector::RecordBatchPtr>> first_rows(const proto::Relation& input, int count,
                                                            column::Schema* schema);
  Status start_stream(const proto::WriteStreamOperationStart& start);
  Status checkpoint(const proto::CheckpointCommand& command);
  Status sql(const proto::SqlCommand& command);
  Status ml(const proto::MlCommand& command);
  Status end() { return send_observed(*operation_, observed_.take()); }

  const std::shared_ptr<Operation> operation_;
  const ExecuteOptions options_;
  session::Session& session_;
  Observed observed_;
  session::ActionContext context_;
};

Status Execution::send_result(const plan::NodePtr& node) {
  TRY(session::check_time_types(session_.conf(), plan::schema_of(*node)));
  operation_->changes_nothing_more();
  TRY_ASSIGN(const auto rows, session_.execute(node, context_));
  ResultOptions options;
  const std::int64_t rows_max =
      session_.conf().number("spark.sql.execution.arrow.maxRecordsPerBatch", 10'000);
  options.rows_max = rows_max > 0 ? rows_max : std::numeric_limits<std::int64_t>::max();
  options.time_zone = session_.conf().time_zone();
  options.chunked = options_.chunked_batches;
  TRY(send_rows(*operation_, plan::schema_of(*node), rows, options));
  TRY(send_empty_metrics(*operation_));
  return end();
}

Result<std::vector<connector::RecordBatchPtr>> Execution::first_rows(const proto::Relation& input,
                                                                     int count,
                                                                     column::Schema* schema) {
  TRY_ASSIGN(const auto node, session_.analyze(input));
  auto limit = std::make_shared<plan::Limit>();
  limit->children.push_back(node);
  for (const auto& attribute : node->output) {
    if (!attribute.hidden) limit->output.push_back(attribute);
  }
  limit->count = std::int64_t{std::max(count, 0)} + 1;
  *schema = plan::schema_of(*limit);
  operation_->changes_nothing_more();
  TRY_ASSIGN(const auto rows, session_.execute(limit, context_));
  return connector::collect(rows);
}

Status Execution::show(const proto::ShowString& show) {
  column::Schema schema;
  TRY_ASSIGN(const auto batches, first_rows(show.input(), show.num_rows(), &schema));
  engine::ShowOptions options;
  options.rows = std::max(show.num_rows(), 0);
  options.truncate = show.truncate();
  options.vertical = show.vertical();
  options.time_zone = session_.conf().time_zone();
  TRY_ASSIGN(const std::string text, engine::show_string(schema, batches, options));
  TRY(send_text(*operation_, "show_string", text));
  TRY(send_empty_metrics(*operation_));
  return end();
}

Status Execution::html(const proto::HtmlString& html) {
  column::Schema schema;
  TRY_ASSIGN(const auto batches, first_rows(html.input(), html.num_rows(), &schema));
  engine::ShowOptions options;
  options.rows = std::max(html.num_rows(), 0);
  options.truncate = html.truncate();
  options.time_zone = session_.conf().time_zone();
  TRY_ASSIGN(const std::string text, engine::html_string(schema, batches, options));
  TRY(send_text(*operation_, "html_string", text));
  return end();
}

Status Execution::relation(const proto::Relation& relation) {
  switch (relation.rel_type_case()) {
    case proto::Relation::kShowString:
      return show(relation.show_string());
    case proto::Relation::kHtmlString:
      return html(relation.html_string());
    case proto::Relation::kCatalog: {
      session_.storage_levels().tables_changed();
      TRY_ASSIGN(const auto result, session::run_catalog(session_, relation.catalog()));
      TRY(send_rows(*operation_, result.schema, connector::batches_of(result.schema, {result.rows}),
                    {}));
      TRY(send_empty_metrics(*operation_));
      return end();
    }
    default: {
      TRY_ASSIGN(const auto node, session_.analyze(relation));
      return send_result(node);
    }
  }
}

Status Execution::start_stream(const proto::WriteStreamOperationStart& start) {
  TRY_ASSIGN(const auto started, session::start_stream(session_, start, operation_->spec().tags));
  operation_->session().add_query(started.query, operation_->id());
  proto::ExecutePlanResponse response;
  auto* result = response.mutable_write_stream_operation_start_result();
  result->mutable_query_id()->set_id(started.query->id());
  result->mutable_query_id()->set_run_id(started.query->run_id());
  result->set_name(started.query->name());
  if (operation_->session().listener_bus() != nullptr) {
    result->set_query_started_event_json(started.started_event_json);
  }
  return operation_->send(std::move(response));
}

// The rows are computed once and kept: whatever the plan reads later, this DataFrame stays what it
// was.
Status Execution::checkpoint(const proto::CheckpointCommand& command) {
  TRY_ASSIGN(const auto node, session_.analyze(command.relation()));
  if (plan::is_streaming(*node)) return session::not_a_batch_query();
  TRY_ASSIGN(auto kept, session_.checkpoint(node, command.eager(), context_));
  proto::ExecutePlanResponse response;
  response.mutable_checkpoint_command_result()->mutable_relation()->set_relation_id(
      session_.keep_relation(std::move(kept)));
  TRY(operation_->send(std::move(response)));
  return end();
}

// A query as a relation, which the client sends back when it wants the rows. Older clients put the
// text into the command itself.
proto::Relation sql_relation(const proto::SqlCommand& command) {
  if (command.has_input()) return command.input();
  proto::Relation relation;
  auto* sql = relation.mutable_sql();
  sql->set_query(command.sql());
  *sql->mutable_args() = command.args();
  *sql->mutable_pos_args() = command.pos_args();
  *sql->mutable_named_arguments() = command.named_arguments();
  *sql->mutable_pos_arguments() = command.pos_arguments();
  return relation;
}

namespace {

proto::AnalyzePlanRequest::Explain::ExplainMode explain_mode(sql::ExplainMode mode) {
  using Explain = proto::AnalyzePlanRequest::Explain;
  switch (mode) {
    case sql::ExplainMode::extended:
      return Explain::EXPLAIN_MODE_EXTENDED;
    case sql::ExplainMode::codegen:
      return Explain::EXPLAIN_MODE_CODEGEN;
    case sql::ExplainMode::cost:
      return Explain::EXPLAIN_MODE_COST;
    case sql::ExplainMode::formatted:
      return Explain::EXPLAIN_MODE_FORMATTED;
    case sql::ExplainMode::simple:
      break;
  }
  return Explain::EXPLAIN_MODE_SIMPLE;
}

}  // namespace

Status Execution::sql(const proto::SqlCommand& command) {
  proto::ExecutePlanResponse response;
  auto* relation = response.mutable_sql_command_result()->mutable_relation();
  *relation = sql_relation(command);
  const auto explain = [this](const plan::NodePtr& node, sql::ExplainMode mode) {
    return explain_text(node, explain_mode(mode), session_.conf().time_zone());
  };
  TRY_ASSIGN(const auto done, session::run_sql(session_, *relation, context_, explain));
  if (done) {
    operation_->took_effect();
    session_.storage_levels().tables_changed();
    TRY_ASSIGN(const auto bytes, encode(*done->rows));
    auto* local = relation->mutable_local_relation();
    local->set_data(bytes->ToString());
    if (!done->schema.empty()) local->set_schema(column::schema_to_json(done->schema));
  } else {
    TRY(session_.analyze(*relation).status());
  }
  TRY(operation_->send(std::move(response)));
  return end();
}

Status Execution::ml(const proto::MlCommand& command) {
  if (!command.has_clean_cache() && !command.has_get_cache_info()) {
    return Status::unsupported("Spark ML is not supported by Millstream");
  }
  proto::ExecutePlanResponse response;
  response.mutable_ml_command_result();
  return operation_->send(std::move(response));
}

Status Execution::command(const proto::Command& command) {
  switch (command.command_type_case()) {
    case proto::Command::kWriteOperation:
      TRY(session::run_write(session_, command.write_operation(), context_));
      operation_->took_effect();
      session_.storage_levels().tables_changed();
      return end();
    case proto::Command::kWriteOperationV2:
      TRY(session::run_write_v2(session_, command.write_operation_v2(), context_));
      operation_->took_effect();
      session_.storage_levels().tables_changed();
      return end();
    case proto::Command::kMergeIntoTableCommand:
      TRY(session::run_merge_into(session_, command.merge_into_table_command(), context_));
      operation_->took_effect();
      session_.storage_levels().tables_changed();
      return end();
    case proto::Command::kCreateDataframeView: {
      const auto& view = command.create_dataframe_view();
      session_.storage_levels().tables_changed();
      return session_.create_view(view.input(), view.name(), view.is_global(), view.replace());
    }
    case proto::Command::kSqlCommand:
      return sql(command.sql_command());
    case proto::Command::kWriteStreamOperationStart:
      return start_stream(command.write_stream_operation_start());
    case proto::Command::kStreamingQueryCommand:
      return run_query_command(operation_, command.streaming_query_command());
    case proto::Command::kStreamingQueryManagerCommand:
      return run_manager_command(operation_, command.streaming_query_manager_command());
    case proto::Command::kStreamingQueryListenerBusCommand:
      return run_listener_bus_command(operation_, command.streaming_query_listener_bus_command());
    case proto::Command::kCheckpointCommand:
      return checkpoint(command.checkpoint_command());
    case proto::Command::kRemoveCachedRemoteRelationCommand:
      session_.forget_relation(
          command.remove_cached_remote_relation_command().relation().relation_id());
      return Status::OK();
    case proto::Command::kGetResourcesCommand: {
      proto::ExecutePlanResponse response;
      response.mutable_get_resources_command_result();
      return operation_->send(std::move(response));
    }
    case proto::Command::kMlCommand:
      return ml(command.ml_command());
    case proto::Command::kRegisterFunction:
      return Status::unsupported(
          "Python functions (spark.udf.register) are not supported by Millstream yet");
    case proto::Command::kPipelineCommand:
      return Status::unsupported("declarative pipelines are not supported by Millstream yet");
    case proto::Command::COMMAND_TYPE_NOT_SET:
      return plan::oneof_not_set(command, "COMMANDTYPE_NOT_SET");
    default: {
      const auto* field =
          proto::Command::descriptor()->FindFieldByNumber(command.command_type_case());
      return Status::unsupported("the command {} is not supported by Millstream yet",
                                 field == nullptr ? "of this client" : field->name());
    }
  }
}

Status Execution::with_delta_messages(proto::Plan plan) {
  if (plan.has_command() && plan.command().has_extension()) {
    session_.storage_levels().tables_changed();
    TRY(session::run_delta_command(session_, plan.command().extension(), context_));
    operation_->took_effect();
    return end();
  }
  TRY(session::expand_delta_messages(session_, &plan, true, context_));
  // The answer of a method that has changed its table.
  if (plan.root().has_local_relation()) {
    operation_->took_effect();
    context_.cancel = nullptr;
  }
  return this->plan(plan);
}

Status Execution::plan(const proto::Plan& plan) {
  const WorkToCallOff work(
      [this] { return context_.cancel != nullptr && context_.cancel->cancelled(); });
  if (session::has_delta_messages(plan)) return with_delta_messages(plan);
  switch (plan.op_type_case()) {
    case proto::Plan::kRoot:
      return relation(plan.root());
    case proto::Plan::kCommand:
      return command(plan.command());
    default:
      return millstream::plan::oneof_not_set(plan, "OPTYPE_NOT_SET");
  }
}

}  // namespace

Status execute_plan(const std::shared_ptr<Operation>& operation, const proto::Plan& plan,
                    const ExecuteOptions& options) {
  return Execution(operation, options).plan(plan);
}

}  // namespace millstream::connect
