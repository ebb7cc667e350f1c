#include "sink/simple_sinks.h"

#include <arrow/record_batch.h>

#include <atomic>
#include <cstdio>

#include "base/text.h"
#include "conc/thread_pool.h"

namespace millstream::sink {
namespace {

using connector::Batches;
using connector::OutputMode;
using connector::RecordBatchPtr;
using connector::SinkBatch;

// Gives every batch of every partition to `take(partition, batch)`; the partitions run in parallel.
template <typename Take>
Status read_partitions(const Batches& rows, const CancelToken* cancel, const Take& take) {
  return shared_pool().run_all(rows.partitions.size(), [&](std::size_t partition) -> Status {
    TRY_ASSIGN(const auto reader, rows.partitions[partition]());
    for (;;) {
      if (cancel != nullptr) TRY(cancel->check());
      TRY_ASSIGN(RecordBatchPtr batch, reader->next());
      if (!batch) return Status::OK();
      take(partition, std::move(batch));
    }
  });
}

// The options that every sink is given by the session and the loop; the sink itself does not use
// them.
bool is_common_option(std::string_view lower_name) {
  return lower_name == "checkpointlocation" || lower_name == "path" || lower_name == "queryname";
}

Status check_options(const Options& options, std::string_view sink,
                     std::initializer_list<std::string_view> known) {
  for (const auto& [lower, entry] : options.entries()) {
    bool found = is_common_option(lower);
    for (const auto name : known) found = found || equals_ignore_case(name, lower);
    if (!found) return Status::invalid("the {} sink has no option '{}'", sink, entry.name);
  }
  return Status::OK();
}

class NoopSink final : public connector::Sink {
 public:
  std::string description() const override {
    return "org.apache.spark.sql.execution.datasources.noop.NoopTable$@1";
  }
  Status prepare(const column::Schema&, OutputMode) override { return Status::OK(); }

  Result<std::int64_t> add_batch(const SinkBatch& batch, const Batches& rows) override {
    std::atomic<std::int64_t> count = 0;
    TRY(read_partitions(rows, batch.cancel, [&](std::size_t, const RecordBatchPtr& read) {
      count += read->num_rows();
    }));
    return count.load();
  }
};

class MemorySink final : public connector::Sink {
 public:
  explicit MemorySink(std::shared_ptr<MemoryTable> table) : table_(std::move(table)) {}
  std::string description() const override { return "MemorySink"; }
  Status prepare(const column::Schema&, OutputMode) override { return Status::OK(); }

  Result<std::int64_t> add_batch(const SinkBatch& batch, const Batches& rows) override {
    TRY_ASSIGN(auto read, read_all(rows, batch.cancel));
    std::int64_t count = 0;
    for (const auto& one : read) count += one->num_rows();
    table_->put(batch.batch_id, batch.mode, std::move(read));
    return count;
  }

 private:
  std::shared_ptr<MemoryTable> table_;
};

class ConsoleSink final : public connector::Sink {
 public:
  ConsoleSink(int rows, int truncate, SinkEnv env)
      : rows_(rows), truncate_(truncate), env_(std::move(env)) {}

  std::string description() const override {
    return "org.apache.spark.sql.execution.streaming.ConsoleTable$@1";
  }
  Status prepare(const column::Schema&, OutputMode) override { return Status::OK(); }

  Result<std::int64_t> add_batch(const SinkBatch& batch, const Batches& rows) override {
    TRY_ASSIGN(auto read, read_all(rows, batch.cancel));
    std::int64_t count = 0;
    for (const auto& one : read) count += one->num_rows();
    constexpr std::string_view dashes = "-------------------------------------------";
    TRY_ASSIGN(const std::string table, env_.show(rows.schema, read, rows_, truncate_));
    print(fmt::format("{}\nBatch: {}\n{}\n{}{}", dashes, batch.batch_id, dashes, table,
                      table.ends_with("\n\n") ? "" : "\n"));
    return count;
  }

 private:
  void print(const std::string& text) const {
    if (env_.print) {
      env_.print(text);
      return;
    }
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  }

  int rows_;
  int truncate_;
  SinkEnv env_;
};

}  // namespace

Result<std::vector<RecordBatchPtr>> read_all(const Batches& rows, const CancelToken* cancel) {
  std::vector<std::vector<RecordBatchPtr>> parts(rows.partitions.size());
  TRY(read_partitions(rows, cancel, [&](std::size_t partition, RecordBatchPtr read) {
    if (read->num_rows() > 0) parts[partition].push_back(std::move(read));
  }));
  std::vector<RecordBatchPtr> all;
  for (auto& part : parts) {
    all.insert(all.end(), std::make_move_iterator(part.begin()),
               std::make_move_iterator(part.end()));
  }
  return all;
}

Result<std::shared_ptr<connector::Sink>> make_noop_sink(const Options&) {
  // As Spark's, it takes any option: it is what people put in the place of another sink.
  return std::shared_ptr<connector::Sink>(std::make_shared<NoopSink>());
}

Result<std::shared_ptr<connector::Sink>> make_memory_sink(const Options& options,
                                                          const SinkEnv& env) {
  TRY(check_options(options, "memory", {}));
  if (!env.memory_table)
    return Status::plain(ErrorKind::analysis, "queryName must be specified for memory sink.");
  return std::shared_ptr<connector::Sink>(std::make_shared<MemorySink>(env.memory_table));
}

Result<std::shared_ptr<connector::Sink>> make_console_sink(const Options& options,
                                                           const SinkEnv& env) {
  TRY(check_options(options, "console", {"numRows", "truncate"}));
  TRY_ASSIGN(const std::int64_t rows, options.get_int("numRows", 20));
  TRY_ASSIGN(const bool truncate, options.get_bool("truncate", true));
  if (!env.show) return Status::internal("the console sink was given nothing to render rows with");
  return std::shared_ptr<connector::Sink>(std::make_shared<ConsoleSink>(
      static_cast<int>(std::clamp<std::int64_t>(rows, 0, 1 << 30)), truncate ? 20 : 0, env));
}

}  // namespace millstream::sink
