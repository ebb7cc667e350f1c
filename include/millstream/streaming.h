// Structured Streaming: readers and writers of streams, and the queries that run.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "millstream/listeners.h"
#include "millstream/read_write.h"

namespace millstream::api {

class StreamingQuery {
 public:
  struct Status {
    std::string message;
    bool is_data_available = false;
    bool is_trigger_active = false;
  };

  StreamingQuery(std::shared_ptr<client::Connection> connection, std::string id, std::string run_id,
                 std::string name);

  const std::string& id() const { return id_; }          // of the checkpoint
  const std::string& run_id() const { return run_id_; }  // of this start
  const std::string& name() const { return name_; }      // empty: none

  bool is_active() const;
  Status status() const;
  // Until the query ends; throws its error. False when `timeout` came first.
  bool await_termination(std::optional<std::chrono::milliseconds> timeout = std::nullopt) const;
  // Until what is there now has been processed; throws the query's error.
  void process_all_available() const;
  void stop() const;
  // The error that ended it.
  std::optional<std::string> exception() const;
  // Progress as Spark's JSON; the newest is last. Empty: no batch has ended yet.
  std::vector<std::string> recent_progress() const;
  std::string last_progress() const;
  std::string explain_string(bool extended = false) const;

 private:
  std::shared_ptr<client::Connection> connection_;
  std::string id_;
  std::string run_id_;
  std::string name_;
};

class StreamingQueryManager {
 public:
  explicit StreamingQueryManager(std::shared_ptr<client::Connection> connection)
      : connection_(std::move(connection)) {}

  std::vector<StreamingQuery> active() const;
  std::optional<StreamingQuery> get(const std::string& id) const;
  // Until a query has ended since the session began, or since reset_terminated(); throws the error
  // of one that failed. False when `timeout` came first.
  bool await_any_termination(std::optional<std::chrono::milliseconds> timeout = std::nullopt) const;
  // Forgets the queries that have ended.
  void reset_terminated() const;

  // See listeners.h. The session holds the listener until it is removed or the session is stopped:
  // one that holds the session is to be removed, or neither ends.
  void add_listener(std::shared_ptr<StreamingQueryListener> listener) const;
  void remove_listener(const std::shared_ptr<StreamingQueryListener>& listener) const;

 private:
  std::shared_ptr<client::Connection> connection_;
};

class DataStreamReader {
 public:
  explicit DataStreamReader(std::shared_ptr<client::Connection> connection)
      : connection_(std::move(connection)) {}

  DataStreamReader& format(const std::string& name);
  DataStreamReader& schema(const std::string& ddl);
  DataStreamReader& option(const std::string& key, const std::string& value);
  DataStreamReader& options(const Options& options);
  DataFrame load(const std::string& path = {}) const;
  DataFrame table(const std::string& name) const;

 private:
  std::shared_ptr<client::Connection> connection_;
  std::string format_;
  std::string schema_;
  Options options_;
};

class DataStreamWriter {
 public:
  explicit DataStreamWriter(DataFrame input) : input_(std::move(input)) {}

  DataStreamWriter& format(const std::string& name);
  // append (the default), complete or update.
  DataStreamWriter& output_mode(const std::string& mode);
  DataStreamWriter& query_name(const std::string& name);
  DataStreamWriter& option(const std::string& key, const std::string& value);
  DataStreamWriter& options(const Options& options);
  DataStreamWriter& partition_by(const std::vector<std::string>& columns);
  // One trigger at most; without one, a batch follows the other.
  DataStreamWriter& trigger_processing_time(const std::string& interval);  // "5 seconds"
  DataStreamWriter& trigger_available_now();
  DataStreamWriter& trigger_once();

  // The function gets each batch as a DataFrame, which is good until it returns, and the batch's
  // id, which a replay repeats; on a thread of the query, one call at a time. What it reads twice
  // is computed twice unless it is persisted. What it throws ends the query with
  // FOREACH_BATCH_USER_FUNCTION_ERROR, and the batch comes again at the next start. stop() waits
  // for it. Embedded sessions only: no function can be sent to another process.
  DataStreamWriter& foreach_batch(
      std::function<void(DataFrame batch, std::int64_t batch_id)> function);

  // Starts the query; it runs until it is stopped, fails or has done what its trigger asks.
  StreamingQuery start(const std::string& path = {}) const;
  StreamingQuery to_table(const std::string& name) const;

 private:
  enum class Trigger : std::uint8_t { none, processing_time, available_now, once };
  StreamingQuery start(const std::string& path, const std::string& table) const;

  DataFrame input_;
  std::string format_;
  std::string output_mode_;
  std::string query_name_;
  Options options_;
  std::vector<std::string> partition_by_;
  Trigger trigger_ = Trigger::none;
  std::string interval_;
  std::function<void(DataFrame, std::int64_t)> foreach_batch_;
};

}  // namespace millstream::api
