#include "connect/stream_commands.h"

#include "connect/errors.h"
#include "connect/listener_bus.h"
#include "connect/server_session.h"
#include "spark/connect/base.pb.h"

namespace millstream::connect {
namespace {

namespace proto = spark::connect;

stream::QueryManager& queries_of(Operation& operation) {
  return *operation.session().session().runtime().queries;
}

std::optional<std::chrono::milliseconds> timeout_of(bool given, std::int64_t milliseconds) {
  if (!given) return std::nullopt;
  return std::chrono::milliseconds(milliseconds);
}

Result<stream::QueryPtr> find_query(Operation& operation,
                                    const proto::StreamingQueryInstanceId& id) {
  auto query = queries_of(operation).find(id.id(), id.run_id());
  if (query == nullptr) query = queries_of(operation).find(id.id(), "");
  if (query == nullptr || query->session_key() != operation.session().key()) {
    return Status::error("CONNECT_INVALID_PLAN.STREAMING_QUERY_NOT_FOUND", {{"id", id.id()}});
  }
  if (query->run_id() != id.run_id()) {
    return Status::error(
        "CONNECT_INVALID_PLAN.STREAMING_QUERY_RUN_ID_MISMATCH",
        {{"id", id.id()}, {"runId", id.run_id()}, {"serverRunId", query->run_id()}});
  }
  return query;
}

void fill_exception(const stream::StreamingQuery& query,
                    proto::StreamingQueryCommandResult* result) {
  auto* out = result->mutable_exception();
  const auto failure = query.exception();
  if (!failure) return;
  // The client shows what follows the first ": ".
  std::string text = query.exception_text();
  if (text.find(": ") == std::string::npos) {
    text = "org.apache.spark.sql.streaming.StreamingQueryException: " + failure->message();
  }
  out->set_exception_message(text);
  out->set_error_class(failure->condition());
  out->set_stack_trace("");
}

void fill_progress(const stream::StreamingQuery& query, bool last_only,
                   proto::StreamingQueryCommandResult* result) {
  auto* out = result->mutable_recent_progress();
  const auto all = query.recent_progress();
  for (std::size_t i = last_only && !all.empty() ? all.size() - 1 : 0; i < all.size(); ++i) {
    out->add_recent_progress_json(all[i].stored_json);
  }
}

void fill_instance(const stream::StreamingQuery& query,
                   proto::StreamingQueryManagerCommandResult::StreamingQueryInstance* out) {
  out->mutable_id()->set_id(query.id());
  out->mutable_id()->set_run_id(query.run_id());
  if (!query.name().empty()) out->set_name(query.name());
}

}  // namespace

Status run_query_command(const std::shared_ptr<Operation>& operation,
                         const proto::StreamingQueryCommand& command) {
  TRY_ASSIGN(const auto query, find_query(*operation, command.query_id()));
  const CancelToken* cancel = &operation->cancel_token();
  proto::ExecutePlanResponse response;
  auto* result = response.mutable_streaming_query_command_result();
  *result->mutable_query_id() = command.query_id();
  switch (command.command_case()) {
    case proto::StreamingQueryCommand::kStatus: {
      const auto status = query->status();
      auto* out = result->mutable_status();
      out->set_status_message(status.message);
      out->set_is_data_available(status.data_available);
      out->set_is_trigger_active(status.trigger_active);
      out->set_is_active(status.active);
      break;
    }
    case proto::StreamingQueryCommand::kLastProgress:
      fill_progress(*query, true, result);
      break;
    case proto::StreamingQueryCommand::kRecentProgress:
      fill_progress(*query, false, result);
      break;
    case proto::StreamingQueryCommand::kStop:
      TRY(query->stop());
      break;
    case proto::StreamingQueryCommand::kProcessAllAvailable:
      TRY(query->process_all_available(cancel));
      break;
    case proto::StreamingQueryCommand::kExplain:
      result->mutable_explain()->set_result(query->explain(command.explain().extended()));
      break;
    case proto::StreamingQueryCommand::kException:
      fill_exception(*query, result);
      break;
    case proto::StreamingQueryCommand::kAwaitTermination: {
      const auto& await = command.await_termination();
      TRY_ASSIGN(
          const bool ended,
          query->await_termination(timeout_of(await.has_timeout_ms(), await.timeout_ms()), cancel));
      TRY(cancel->check());
      result->mutable_await_termination()->set_terminated(ended);
      break;
    }
    case proto::StreamingQueryCommand::COMMAND_NOT_SET:
      return Status::error(
          "CONNECT_INVALID_PLAN.INVALID_ONE_OF_FIELD_NOT_SET",
          {{"fullName", "spark.connect.StreamingQueryCommand"}, {"name", "command"}});
  }
  return operation->send(std::move(response));
}

Status run_manager_command(const std::shared_ptr<Operation>& operation,
                           const proto::StreamingQueryManagerCommand& command) {
  stream::QueryManager& queries = queries_of(*operation);
  const std::string& session_key = operation->session().key();
  proto::ExecutePlanResponse response;
  auto* result = response.mutable_streaming_query_manager_command_result();
  switch (command.command_case()) {
    case proto::StreamingQueryManagerCommand::kActive: {
      auto* out = result->mutable_active();
      for (const auto& query : queries.active(session_key))
        fill_instance(*query, out->add_active_queries());
      break;
    }
    case proto::StreamingQueryManagerCommand::kGetQuery: {
      const auto query = queries.find(command.get_query(), "");
      if (query != nullptr && query->active() && query->session_key() == session_key) {
        fill_instance(*query, result->mutable_query());
      }
      break;
    }
    case proto::StreamingQueryManagerCommand::kAwaitAnyTermination: {
      const auto& await = command.await_any_termination();
      TRY_ASSIGN(const bool ended,
                 queries.await_any_termination(
                     session_key, timeout_of(await.has_timeout_ms(), await.timeout_ms()),
                     &operation->cancel_token()));
      TRY(operation->cancel_token().check());
      result->mutable_await_any_termination()->set_terminated(ended);
      break;
    }
    case proto::StreamingQueryManagerCommand::kResetTerminated:
      queries.reset_terminated(session_key);
      result->set_reset_terminated(true);
      break;
    default: {
      const auto* field = proto::StreamingQueryManagerCommand::descriptor()->FindFieldByNumber(
          command.command_case());
      return Status::unsupported(
          "the streaming manager command {} is not supported: listeners of this server are those "
          "of spark.streams.addListener of a client of version 4",
          field == nullptr ? "of this client" : field->name());
    }
  }
  return operation->send(std::move(response));
}

Status run_listener_bus_command(const std::shared_ptr<Operation>& operation,
                                const proto::StreamingQueryListenerBusCommand& command) {
  ServerSession& session = operation->session();
  if (command.has_remove_listener_bus_listener()) {
    if (const auto bus = session.take_listener_bus()) bus->close();
    return Status::OK();
  }
  if (!command.has_add_listener_bus_listener()) {
    return Status::error(
        "INVALID_PARAMETER_VALUE.STREAMING_LISTENER_COMMAND_MISSING",
        {{"parameter", "`command`"}, {"functionName", "`StreamingQueryListenerBusCommand`"}});
  }
  auto bus = std::make_shared<ListenerBus>(queries_of(*operation), session.key(), operation);
  if (!session.set_listener_bus(bus)) return Status::OK();  // one is there already
  bus->open();
  bus->wait();
  // The client that went away without a word leaves the place to the next one.
  if (session.listener_bus() == bus) session.take_listener_bus();
  return operation->cancel_token().check();
}

}  // namespace millstream::connect
