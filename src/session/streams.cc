#include "session/streams.h"

#include "base/log.h"
#include "base/random.h"
#include "base/text.h"
#include "delta/write.h"
#include "engine/show.h"
#include "plan/analyzer.h"
#include "session/function_sinks.h"
#include "session/resolver.h"
#include "session/row_guard.h"
#include "session/stream_guards.h"
#include "session/upkeep.h"
#include "sink/memory_table.h"
#include "sink/providers.h"
#include "spark/connect/commands.pb.h"
#include "sql/parser.h"

namespace millstream::session {
namespace {

namespace proto = spark::connect;

Result<connector::OutputMode> output_mode(const std::string& text) {
  const std::string mode = to_lower(text);
  if (mode.empty() || mode == "append") return connector::OutputMode::append;
  if (mode == "update") return connector::OutputMode::update;
  if (mode == "complete") return connector::OutputMode::complete;
  return Status::error("STREAMING_OUTPUT_MODE.INVALID", {{"outputMode", text}});
}

Result<stream::Trigger> trigger_of(const proto::WriteStreamOperationStart& start) {
  stream::Trigger trigger;
  switch (start.trigger_case()) {
    case proto::WriteStreamOperationStart::kProcessingTimeInterval:
      return stream::parse_processing_time(start.processing_time_interval());
    case proto::WriteStreamOperationStart::kAvailableNow:
      trigger.kind = stream::Trigger::Kind::available_now;
      return trigger;
    case proto::WriteStreamOperationStart::kOnce:
      trigger.kind = stream::Trigger::Kind::once;
      return trigger;
    case proto::WriteStreamOperationStart::kContinuousCheckpointInterval:
      return Status::unsupported(
          "the continuous trigger is not supported by Millstream: use trigger(processingTime=\"0 "
          "seconds\"), whose "
          "batches take milliseconds");
    case proto::WriteStreamOperationStart::kRealTimeBatchDuration:
      return Status::unsupported(
          "the real-time trigger is not supported yet: use trigger(processingTime=\"0 seconds\")");
    case proto::WriteStreamOperationStart::TRIGGER_NOT_SET:
      return trigger;
  }
  return trigger;
}

struct Checkpoint {
  std::string path;
  bool temporary = false;
};

Result<Checkpoint> checkpoint_of(Session& session, const Options& options, const std::string& name,
                                 bool may_be_temporary) {
  if (const std::string* given = options.find("checkpointLocation"); given != nullptr) {
    TRY_ASSIGN(const std::string path, io::store_path(*given));
    return Checkpoint{path, false};
  }
  const std::string root = session.conf().value("spark.sql.streaming.checkpointLocation");
  if (!root.empty()) {
    TRY_ASSIGN(const std::string path, io::store_path(root));
    return Checkpoint{io::join_path(path, name.empty() ? new_uuid() : name), false};
  }
  if (may_be_temporary) {
    return Checkpoint{
        io::join_path(session.runtime().temporary_directory, "temporary-" + new_uuid()), true};
  }
  return legacy_error(
      ErrorKind::analysis, "_LEGACY_ERROR_TEMP_1298",
      {{"config", "spark.sql.streaming.checkpointLocation"}},
      "checkpointLocation must be specified either through option(\"checkpointLocation\", ...) or "
      "SparkSession.conf.set(\"spark.sql.streaming.checkpointLocation\", ...).");
}

// toTable: the folder of the table, which is made if there is none.
Result<std::string> target_table(Session& session, const proto::WriteStreamOperationStart& start,
                                 const column::Schema& schema,
                                 std::vector<std::string> partition_by) {
  TRY_ASSIGN(const auto parts, sql::parse_identifier(start.table_name()));
  if (parts.size() == 2 && equals_ignore_case(parts[0], "delta") &&
      parts[1].find('/') != std::string::npos) {
    return io::store_path(parts[1]);
  }
  TRY_ASSIGN(const TableName name, session.table_name(parts));
  Warehouse& warehouse = *session.runtime().warehouse;
  TRY_ASSIGN(const bool database, warehouse.database_exists(name.database));
  if (!database) {
    return Status::error("SCHEMA_NOT_FOUND",
                         {{"schemaName", quote_identifiers({"spark_catalog", name.database})}});
  }
  TRY(Warehouse::check_name(name));
  const std::string directory = warehouse.table_directory(name);
  TRY_ASSIGN(const bool exists, warehouse.table_exists(name));
  TRY_ASSIGN(const auto entry, warehouse.entry(name));
  if (entry && (entry->view || entry->provider != "delta")) {
    return Status::unsupported(
        "writeStream.toTable({}) is not supported: it is {}, and streams write into Delta tables",
        name.quoted(), entry->view ? "a view" : "a table of " + entry->provider + " files");
  }
  if (!exists) {
    delta::WriteOptions options;
    options.mode = delta::SaveMode::ignore;
    options.partition_by = std::move(partition_by);
    options.operation = "CREATE TABLE";
    TRY(delta::create_table(session.runtime().store, directory, schema, options).status());
  }
  return directory;
}

// A memory sink that appends cannot take back what a former run has shown.
Status check_memory_recovery(Session& session, const Checkpoint& checkpoint,
                             connector::OutputMode mode) {
  if (checkpoint.temporary || mode == connector::OutputMode::complete) return Status::OK();
  const std::string offsets = io::join_path(checkpoint.path, "offsets");
  TRY_ASSIGN(const bool exists, session.runtime().store->exists(offsets));
  if (!exists) return Status::OK();
  return Status::plain(ErrorKind::analysis,
                       "This query does not support recovering from checkpoint location. Delete " +
                           offsets + " to start over.");
}

// The sink of a Python function: "foreachBatch", "foreach"; empty: it is another one.
std::string function_sink_of(const proto::WriteStreamOperationStart& start) {
  return start.has_foreach_batch() ? "foreachBatch" : start.has_foreach_writer() ? "foreach" : "";
}

// They have their own way to the rows: no format, no table, no partitions.
Status check_function_sink(const std::string& name, const proto::WriteStreamOperationStart& start) {
  if (start.partitioning_column_names_size() > 0) {
    return legacy_error(ErrorKind::analysis, "_LEGACY_ERROR_TEMP_1197", {{"source", name}},
                        "'" + name + "' does not support partitioning.");
  }
  if (start.sink_destination_case() == proto::WriteStreamOperationStart::kTableName) {
    return Status::error("DATA_SOURCE_NOT_FOUND", {{"provider", name}});
  }
  return Status::OK();
}

Result<StartedQuery> start_with_function_sink(Session& session,
                                              const proto::WriteStreamOperationStart& start,
                                              stream::QuerySpec spec) {
  std::shared_ptr<FunctionSink> sink;
  if (start.has_foreach_batch()) {
    TRY_ASSIGN(sink, make_foreach_batch_sink(session, start.foreach_batch(),
                                             spec.name.empty() ? "without a name" : spec.name));
  } else {
    TRY_ASSIGN(sink,
               make_foreach_sink(session, start.foreach_writer(), plan::schema_of(*spec.plan)));
  }
  spec.sink = sink;
  spec.on_end = [sink] { sink->end(); };
  StartedQuery started;
  auto query = session.runtime().queries->start(std::move(spec), &started.started_event_json);
  if (!query.ok()) {
    sink->end();
    return query.status();
  }
  started.query = std::move(query).value();
  return started;
}

}  // namespace

Result<StartedQuery> start_stream(Session& session, const proto::WriteStreamOperationStart& start,
                                  std::vector<std::string> tags) {
  if (start.clustering_column_names_size() > 0) {
    return Status::unsupported("writeStream.clusterBy is not supported by Millstream");
  }
  TRY_ASSIGN(const auto node, session.analyze(start.input()));
  if (!plan::is_streaming(*node)) return Status::error("WRITE_STREAM_NOT_ALLOWED");

  Options options;
  for (const auto& [name, value] : start.options()) options.set(name, value);
  std::string format = to_lower(start.format());
  const bool to_table =
      start.sink_destination_case() == proto::WriteStreamOperationStart::kTableName;
  if (format.empty())
    format = to_table ? "delta" : to_lower(session.conf().value("spark.sql.sources.default"));
  const std::string function_sink = function_sink_of(start);
  if (!function_sink.empty()) {
    TRY(check_function_sink(function_sink, start));
    format = to_lower(function_sink);
  } else if (to_table && format != "delta") {
    return Status::unsupported(
        "writeStream.toTable with format {} is not supported: the tables of the warehouse are "
        "Delta tables; use .format(\"delta\")",
        format);
  }

  stream::QuerySpec spec;
  TRY_ASSIGN(spec.mode, output_mode(start.output_mode()));
  TRY_ASSIGN(spec.trigger, trigger_of(start));
  spec.name = start.query_name();
  if (format == "memory" && spec.name.empty()) {
    return Status::plain(ErrorKind::analysis, "queryName must be specified for memory sink.");
  }
  // An unknown sink is the first thing to tell, but nothing is made before the checkpoint is known.
  const auto checkpoint =
      checkpoint_of(session, options, spec.name, sink::allows_temporary_checkpoint(format));
  if (checkpoint.ok()) {
    spec.checkpoint = checkpoint->path;
    spec.temporary_checkpoint = checkpoint->temporary;
  } else if (to_table || format == "memory") {
    return checkpoint.status();
  }
  spec.plan = plan::optimize(node);
  spec.conf = session.conf().effective();
  spec.time_zone = session.conf().time_zone();
  spec.tags = std::move(tags);
  spec.session_key = session.key();

  if (!function_sink.empty()) {
    TRY(checkpoint.status());
    return start_with_function_sink(session, start, std::move(spec));
  }
  const column::Schema schema = plan::schema_of(*node);
  sink::SinkEnv env;
  env.partition_columns = {start.partitioning_column_names().begin(),
                           start.partitioning_column_names().end()};
  env.store = session.runtime().store;
  env.time_zone = spec.time_zone;
  env.guard =
      make_row_guard(session.runtime(), analyzer_settings(session.conf()), Completion::of_missing);
  TRY_ASSIGN(env.upkeep, session_upkeep(session.conf()));
  env.new_table_properties = new_table_properties(session.conf(), {});
  env.path = start.path();
  if (env.path.empty()) env.path = options.get("path", "");
  if (to_table) {
    TRY_ASSIGN(env.path, target_table(session, start, schema, env.partition_columns));
  }
  env.show = [zone = spec.time_zone](const column::Schema& columns,
                                     const std::vector<connector::RecordBatchPtr>& batches,
                                     int rows, int truncate) {
    return engine::show_string(
        columns, batches,
        {.rows = rows, .truncate = truncate, .vertical = false, .time_zone = zone});
  };
  warn_of_checkpoint(spec, env.path);
  if (format == "memory") {
    TRY(check_memory_recovery(session, *checkpoint, spec.mode));
    env.memory_table = std::make_shared<sink::MemoryTable>(spec.name, schema);
  }
  Options sink_options;
  for (const auto& [key, entry] : options.entries()) {
    if (key != "checkpointlocation" && key != "path") sink_options.set(entry.name, entry.value);
  }
  TRY_ASSIGN(spec.sink, sink::make_sink(format, sink_options, env));
  TRY(checkpoint.status());

  const std::string name = spec.name;
  StartedQuery started;
  TRY_ASSIGN(started.query,
             session.runtime().queries->start(std::move(spec), &started.started_event_json));
  if (env.memory_table != nullptr) {
    View view;
    view.name = name;
    view.table = env.memory_table;
    session.views().put(std::move(view), true);
  }
  return started;
}

}  // namespace millstream::session
