// Runs one statement and prints its rows. ^C (cancel()) ends it.
#pragma once

#include <atomic>

#include "millstream/session.h"
#include "shell/output.h"
#include "shell/progress.h"
#include "shell/script.h"

namespace millstream::shell {

class Executor {
 public:
  struct Settings {
    OutputFormat output = OutputFormat::table;
    bool header = true;
    bool timing = false;
    int rows_max = 1000;
  };

  Executor(api::SparkSession spark, Settings settings);

  // False when it failed: the error has been printed, with `place` (may be empty) before it.
  bool run(const Statement& statement, const std::string& place);
  // From any thread: ends what runs. False: nothing does.
  bool cancel();
  bool was_cancelled() const { return cancelled_; }
  // It was cancelled and runs still. A statement is several operations: an interrupt that comes
  // between two of them meets none, so it is said again until the statement is over.
  bool is_ending() const { return running_ && cancelled_; }
  void interrupt();

  Settings& settings() { return settings_; }

 private:
  // The rows printed.
  std::int64_t run_and_print(const std::string& text);
  std::int64_t print(const api::DataFrame& frame, const api::Schema& schema, Printer& printer);

  api::SparkSession spark_;
  Settings settings_;
  Progress progress_;
  std::atomic<bool> running_{false};
  std::atomic<bool> cancelled_{false};
};

}  // namespace millstream::shell
