#include "sink/delta_sink.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "connector/chained.h"
#include "delta/commit_files.h"
#include "delta/write_plan.h"

namespace millstream::sink {
namespace {

using connector::OutputMode;

const char* mode_name(OutputMode mode) {
  return mode == OutputMode::complete ? "Complete" : "Append";
}

class DeltaSink final : public connector::Sink {
 public:
  struct Settings {
    std::string path;
    std::vector<std::string> partition_by;
    bool merge_schema = false;
    bool overwrite_schema = false;
    std::string user_metadata;
    std::map<std::string, std::string> properties;
    delta::DataWriteOptions data;
    delta::RowGuard guard;
    delta::Upkeep upkeep;
  };

  DeltaSink(std::shared_ptr<io::Store> store, Settings settings)
      : settings_(std::move(settings)),
        log_(delta::Log::at(
            store, settings_.path,
            {.background_checkpoints = store->medium(settings_.path) != io::Medium::simulated})) {}

  std::string description() const override { return "DeltaSink[" + settings_.path + "]"; }

  Status prepare(const column::Schema& schema, OutputMode mode) override {
    if (mode == OutputMode::update) {
      return Status::error("DELTA_UNSUPPORTED_OUTPUT_MODE",
                           {{"dataSource", "delta"}, {"mode", "Update"}});
    }
    if (settings_.overwrite_schema && mode != OutputMode::complete) {
      return Status::error("DELTA_ILLEGAL_OPTION",
                           {{"input", "true"},
                            {"name", "overwriteSchema"},
                            {"explain", "it needs the complete output mode."}});
    }
    for (const auto& field : schema) {
      if (field.type->kind() == column::TypeKind::null) {
        return Status::error("DELTA_NULL_SCHEMA_IN_STREAMING_WRITE");
      }
    }
    return Status::OK();
  }

  Result<std::int64_t> add_batch(const connector::SinkBatch& batch,
                                 const connector::Batches& rows) override {
    const bool complete = batch.mode == OutputMode::complete;
    TRY_ASSIGN(const delta::SnapshotPtr snapshot, log_->latest());
    if (snapshot != nullptr &&
        snapshot->txn_version(batch.query_id).value_or(-1) >= batch.batch_id) {
      log_info("{}: skipping already complete epoch {} of query {}", description(), batch.batch_id,
               batch.query_id);
      return 0;
    }
    const std::int64_t now = SystemClock().now_ms();
    const delta::WriteRequest request{rows.schema,
                                      settings_.partition_by,
                                      complete,
                                      settings_.merge_schema,
                                      settings_.overwrite_schema,
                                      delta::CastRule::cast,
                                      false,
                                      settings_.properties,
                                      "",
                                      settings_.guard != nullptr,
                                      settings_.guard != nullptr};
    TRY_ASSIGN(const delta::WritePlan plan,
               delta::plan_write(snapshot, request, settings_.path, now));
    TRY_ASSIGN(const auto numbers, delta::IdentityNumbers::of(*plan.info));
    TRY_ASSIGN(auto checked, checked_rows(*plan.info, *numbers, rows));
    delta::DataWriteOptions data = settings_.data;
    if (delta::optimizes_writes(settings_.upkeep, *plan.info)) {
      data.max_bytes_per_file = settings_.upkeep.optimized_bytes;
      checked.partitions = {connector::chained(std::move(checked.partitions))};
    }
    TRY_ASSIGN(const delta::DataFiles files,
               delta::write_data_files(log_->store(), settings_.path, *plan.info, checked, data,
                                       batch.cancel));
    delta::Transaction txn;
    txn.read = snapshot;
    txn.metadata = plan.metadata;
    txn.protocol = plan.protocol;
    if (numbers->are_used()) TRY(delta::note_numbers(*numbers, *plan.info, txn));
    txn.txn = delta::Txn{batch.query_id, batch.batch_id, now};
    txn.adds = files.adds;
    txn.read_whole_table = complete;
    if (complete && snapshot != nullptr) (void)delta::remove_all(*snapshot, now, txn);
    txn.operation = "STREAMING UPDATE";
    txn.parameters = fmt::format(R"({{"outputMode":"{}","queryId":{},"epochId":"{}"}})",
                                 mode_name(batch.mode), json_quote(batch.query_id), batch.batch_id);
    txn.metrics = {{"numRemovedFiles", fmt::to_string(txn.removes.size())},
                   {"numAddedFiles", fmt::to_string(files.adds.size())},
                   {"numOutputRows", fmt::to_string(files.rows)},
                   {"numOutputBytes", fmt::to_string(files.bytes)}};
    txn.user_metadata = settings_.user_metadata;
    TRY(delta::commit_files(*log_, txn, *plan.info, files, settings_.upkeep, batch.cancel)
            .status());
    return files.rows;
  }

 private:
  // The rows with what the table computes, held against its rules.
  Result<connector::Batches> checked_rows(const delta::TableInfo& table,
                                          delta::IdentityNumbers& numbers,
                                          const connector::Batches& rows) const {
    TRY_ASSIGN(auto numbered, numbers.complete(rows));
    if (settings_.guard != nullptr && delta::computes_columns(table))
      return settings_.guard(table, std::move(numbered));
    return delta::guarded(settings_.guard, table, std::move(numbered));
  }

  const Settings settings_;
  const std::shared_ptr<delta::Log> log_;
};

}  // namespace

Result<std::shared_ptr<connector::Sink>> make_delta_sink(const Options& options,
                                                         const SinkEnv& env) {
  DeltaSink::Settings settings;
  std::string path = env.path;
  settings.partition_by = env.partition_columns;
  settings.guard = env.guard;
  settings.upkeep = env.upkeep;
  settings.properties = env.new_table_properties;
  for (const auto& [name, entry] : options.entries()) {
    if (name == "checkpointlocation" || name == "queryname" || name == "outputmode") continue;
    if (name == "path") {
      if (path.empty()) path = entry.value;
    } else if (name == "mergeschema") {
      TRY_ASSIGN(settings.merge_schema, options.get_bool(name, false));
    } else if (name == "overwriteschema") {
      TRY_ASSIGN(settings.overwrite_schema, options.get_bool(name, false));
    } else if (name == "usermetadata") {
      settings.user_metadata = entry.value;
    } else if (name == "optimizewrite") {
      TRY_ASSIGN(settings.upkeep.optimize_write, options.get_bool(name, false));
    } else if (name == "compression") {
      settings.data.compression = entry.value;
    } else if (name == "maxrecordsperfile") {
      TRY_ASSIGN(settings.data.max_records_per_file, options.get_int(name, 0));
    } else if (name.starts_with("delta.")) {
      std::erase_if(settings.properties,
                    [&](const auto& one) { return equals_ignore_case(one.first, entry.name); });
      settings.properties[entry.name] = entry.value;
    } else {
      return Status::invalid("the Delta sink has no option '{}'", entry.name);
    }
  }
  if (path.empty()) return Status::invalid("'path' is not specified");
  TRY_ASSIGN(settings.path, io::store_path(path));
  auto store = env.store != nullptr ? env.store : io::local_store();
  return std::shared_ptr<connector::Sink>(
      std::make_shared<DeltaSink>(std::move(store), std::move(settings)));
}

}  // namespace millstream::sink
