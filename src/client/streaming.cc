#include "millstream/streaming.h"

#include "client/drop_elsewhere.h"
#include "client/listener_bus.h"
#include "client/relations.h"
#include "connect/server.h"
#include "spark/connect/base.pb.h"

namespace millstream::api {
namespace {

namespace proto = spark::connect;

using client::drop_elsewhere;
using BatchFunction = std::function<void(DataFrame, std::int64_t)>;

// Calls the program's function for the server. The server keeps it, and the connection keeps the
// server: so it does not keep the connection.
Status call_batch_function(const std::weak_ptr<client::Connection>& weak,
                           const BatchFunction& function, const std::string& relation_id,
                           std::int64_t batch_id) {
  const auto failed = [](const std::string& reason) {
    return Status::error("FOREACH_BATCH_USER_FUNCTION_ERROR", {{"reason", reason}});
  };
  auto connection = weak.lock();
  if (connection == nullptr) return Status::cancelled();
  Status status;
  try {
    function(
        client::new_frame(connection,
                          [&](proto::Relation* out) {
                            out->mutable_cached_remote_relation()->set_relation_id(relation_id);
                          }),
        batch_id);
  } catch (const std::exception& error) {
    status = failed(error.what());
  } catch (...) {
    status = failed("an exception that is no std::exception");
  }
  drop_elsewhere(std::move(connection));
  return status;
}

// A function that the server may ask for while a query starts.
class KeptFunction {
 public:
  KeptFunction(std::shared_ptr<client::Connection> connection, const BatchFunction& function)
      : connection_(std::move(connection)) {
    // It may hold a session of its own.
    const std::shared_ptr<const BatchFunction> kept(
        new BatchFunction(function),
        [](const BatchFunction* f) { drop_elsewhere(std::shared_ptr<const BatchFunction>(f)); });
    name_ = connection_->embedded_server("foreach_batch")
                .keep_batch_function([weak = std::weak_ptr(connection_), kept](
                                         const std::string& id, std::int64_t batch) {
                  return call_batch_function(weak, *kept, id, batch);
                });
  }
  ~KeptFunction() { connection_->embedded_server("foreach_batch").forget_batch_function(name_); }
  KeptFunction(const KeptFunction&) = delete;
  KeptFunction& operator=(const KeptFunction&) = delete;
  const std::string& name() const { return name_; }

 private:
  const std::shared_ptr<client::Connection> connection_;
  std::string name_;
};
using namespace std::chrono_literals;

// A wait is many short calls, so that an interrupt and a server that ends are seen.
constexpr std::chrono::milliseconds wait_step = 10s;

// Runs the command on the query and gives its one answer.
template <typename Fill>
proto::StreamingQueryCommandResult command(client::Connection& connection,
                                           const StreamingQuery& query, const Fill& fill) {
  proto::Command whole;
  auto* one = whole.mutable_streaming_query_command();
  one->mutable_query_id()->set_id(query.id());
  one->mutable_query_id()->set_run_id(query.run_id());
  fill(one);
  proto::StreamingQueryCommandResult result;
  connection.execute(whole, [&](const proto::ExecutePlanResponse& response) {
    if (response.has_streaming_query_command_result())
      result = response.streaming_query_command_result();
  });
  return result;
}

template <typename Fill>
proto::StreamingQueryManagerCommandResult manager_command(client::Connection& connection,
                                                          const Fill& fill) {
  proto::Command whole;
  fill(whole.mutable_streaming_query_manager_command());
  proto::StreamingQueryManagerCommandResult result;
  connection.execute(whole, [&](const proto::ExecutePlanResponse& response) {
    if (response.has_streaming_query_manager_command_result())
      result = response.streaming_query_manager_command_result();
  });
  return result;
}

// Asks `ended`, which waits for the time it is given, until it says so or the time is over.
template <typename Ended>
bool wait_until(std::optional<std::chrono::milliseconds> timeout, const Ended& ended) {
  const auto start = std::chrono::steady_clock::now();
  for (;;) {
    auto step = wait_step;
    if (timeout) {
      const auto waited = std::chrono::duration_cast<std::chrono::milliseconds>(
          std::chrono::steady_clock::now() - start);
      step = std::clamp(*timeout - waited, 0ms, wait_step);
    }
    if (ended(step)) return true;
    if (timeout && std::chrono::steady_clock::now() - start >= *timeout) return false;
  }
}

}  // namespace

StreamingQuery::StreamingQuery(std::shared_ptr<client::Connection> connection, std::string id,
                               std::string run_id, std::string name)
    : connection_(std::move(connection)),
      id_(std::move(id)),
      run_id_(std::move(run_id)),
      name_(std::move(name)) {}

bool StreamingQuery::is_active() const {
  return command(*connection_, *this, [](auto* one) { one->set_status(true); })
      .status()
      .is_active();
}

StreamingQuery::Status StreamingQuery::status() const {
  const auto result = command(*connection_, *this, [](auto* one) { one->set_status(true); });
  return {result.status().status_message(), result.status().is_data_available(),
          result.status().is_trigger_active()};
}

bool StreamingQuery::await_termination(std::optional<std::chrono::milliseconds> timeout) const {
  return wait_until(timeout, [&](std::chrono::milliseconds step) {
    return command(
               *connection_, *this,
               [&](auto* one) { one->mutable_await_termination()->set_timeout_ms(step.count()); })
        .await_termination()
        .terminated();
  });
}

void StreamingQuery::process_all_available() const {
  command(*connection_, *this, [](auto* one) { one->set_process_all_available(true); });
}
void StreamingQuery::stop() const {
  command(*connection_, *this, [](auto* one) { one->set_stop(true); });
}

std::optional<std::string> StreamingQuery::exception() const {
  const auto result = command(*connection_, *this, [](auto* one) { one->set_exception(true); });
  if (!result.exception().has_exception_message()) return std::nullopt;
  return result.exception().exception_message();
}

std::vector<std::string> StreamingQuery::recent_progress() const {
  const auto result =
      command(*connection_, *this, [](auto* one) { one->set_recent_progress(true); });
  const auto& json = result.recent_progress().recent_progress_json();
  return {json.begin(), json.end()};
}

std::string StreamingQuery::last_progress() const {
  const auto result = command(*connection_, *this, [](auto* one) { one->set_last_progress(true); });
  const auto& json = result.recent_progress().recent_progress_json();
  return json.empty() ? std::string() : *json.rbegin();
}

std::string StreamingQuery::explain_string(bool extended) const {
  return command(*connection_, *this,
                 [&](auto* one) { one->mutable_explain()->set_extended(extended); })
      .explain()
      .result();
}

std::vector<StreamingQuery> StreamingQueryManager::active() const {
  const auto result = manager_command(*connection_, [](auto* one) { one->set_active(true); });
  std::vector<StreamingQuery> queries;
  for (const auto& query : result.active().active_queries())
    queries.emplace_back(connection_, query.id().id(), query.id().run_id(), query.name());
  return queries;
}

std::optional<StreamingQuery> StreamingQueryManager::get(const std::string& id) const {
  const auto result = manager_command(*connection_, [&](auto* one) { one->set_get_query(id); });
  if (!result.has_query()) return std::nullopt;
  const auto& query = result.query();
  return StreamingQuery(connection_, query.id().id(), query.id().run_id(), query.name());
}

bool StreamingQueryManager::await_any_termination(
    std::optional<std::chrono::milliseconds> timeout) const {
  return wait_until(timeout, [&](std::chrono::milliseconds step) {
    return manager_command(*connection_,
                           [&](auto* one) {
                             one->mutable_await_any_termination()->set_timeout_ms(step.count());
                           })
        .await_any_termination()
        .terminated();
  });
}

void StreamingQueryManager::reset_terminated() const {
  manager_command(*connection_, [](auto* one) { one->set_reset_terminated(true); });
}

void StreamingQueryManager::add_listener(std::shared_ptr<StreamingQueryListener> listener) const {
  connection_->listeners().add(std::move(listener));
}
void StreamingQueryManager::remove_listener(
    const std::shared_ptr<StreamingQueryListener>& listener) const {
  connection_->listeners().remove(listener);
}

DataStreamReader& DataStreamReader::format(const std::string& name) {
  format_ = name;
  return *this;
}
DataStreamReader& DataStreamReader::schema(const std::string& ddl) {
  schema_ = ddl;
  return *this;
}
DataStreamReader& DataStreamReader::option(const std::string& key, const std::string& value) {
  options_[key] = value;
  return *this;
}
DataStreamReader& DataStreamReader::options(const Options& options) {
  for (const auto& [key, value] : options) options_[key] = value;
  return *this;
}

DataFrame DataStreamReader::load(const std::string& path) const {
  return client::new_frame(connection_, [&](proto::Relation* out) {
    out->mutable_read()->set_is_streaming(true);
    auto* source = out->mutable_read()->mutable_data_source();
    if (!format_.empty()) source->set_format(format_);
    if (!schema_.empty()) source->set_schema(schema_);
    client::set_options(options_, source->mutable_options());
    if (!path.empty()) source->add_paths(path);
  });
}

DataFrame DataStreamReader::table(const std::string& name) const {
  return client::new_frame(connection_, [&](proto::Relation* out) {
    out->mutable_read()->set_is_streaming(true);
    auto* table = out->mutable_read()->mutable_named_table();
    table->set_unparsed_identifier(name);
    client::set_options(options_, table->mutable_options());
  });
}

DataStreamWriter& DataStreamWriter::format(const std::string& name) {
  format_ = name;
  return *this;
}
DataStreamWriter& DataStreamWriter::output_mode(const std::string& mode) {
  output_mode_ = mode;
  return *this;
}
DataStreamWriter& DataStreamWriter::query_name(const std::string& name) {
  query_name_ = name;
  return *this;
}
DataStreamWriter& DataStreamWriter::option(const std::string& key, const std::string& value) {
  options_[key] = value;
  return *this;
}
DataStreamWriter& DataStreamWriter::options(const Options& options) {
  for (const auto& [key, value] : options) options_[key] = value;
  return *this;
}
DataStreamWriter& DataStreamWriter::partition_by(const std::vector<std::string>& columns) {
  partition_by_ = columns;
  return *this;
}
DataStreamWriter& DataStreamWriter::trigger_processing_time(const std::string& interval) {
  trigger_ = Trigger::processing_time;
  interval_ = interval;
  return *this;
}
DataStreamWriter& DataStreamWriter::trigger_available_now() {
  trigger_ = Trigger::available_now;
  return *this;
}
DataStreamWriter& DataStreamWriter::trigger_once() {
  trigger_ = Trigger::once;
  return *this;
}

DataStreamWriter& DataStreamWriter::foreach_batch(
    std::function<void(DataFrame, std::int64_t)> function) {
  foreach_batch_ = std::move(function);
  return *this;
}

StreamingQuery DataStreamWriter::start(const std::string& path) const { return start(path, {}); }
StreamingQuery DataStreamWriter::to_table(const std::string& name) const { return start({}, name); }

StreamingQuery DataStreamWriter::start(const std::string& path, const std::string& table) const {
  proto::Command command;
  auto* start = command.mutable_write_stream_operation_start();
  *start->mutable_input() = input_.relation();
  start->set_format(format_);
  start->set_output_mode(output_mode_);
  start->set_query_name(query_name_);
  client::set_options(options_, start->mutable_options());
  for (const std::string& name : partition_by_) start->add_partitioning_column_names(name);
  switch (trigger_) {
    case Trigger::none:
      break;
    case Trigger::processing_time:
      start->set_processing_time_interval(interval_);
      break;
    case Trigger::available_now:
      start->set_available_now(true);
      break;
    case Trigger::once:
      start->set_once(true);
      break;
  }
  if (!path.empty()) start->set_path(path);
  if (!table.empty()) start->set_table_name(table);

  std::optional<KeptFunction> function;
  if (foreach_batch_) {
    function.emplace(input_.connection(), foreach_batch_);
    start->mutable_foreach_batch()->mutable_scala_function()->set_payload(function->name());
  }

  const auto held = input_.connection()->listeners().hold_calls();
  proto::WriteStreamOperationStartResult result;
  input_.connection()->execute(command, [&](const proto::ExecutePlanResponse& response) {
    if (response.has_write_stream_operation_start_result())
      result = response.write_stream_operation_start_result();
  });
  if (result.has_query_started_event_json())
    input_.connection()->listeners().on_started(result.query_started_event_json());
  return {input_.connection(), result.query_id().id(), result.query_id().run_id(), result.name()};
}

}  // namespace millstream::api
