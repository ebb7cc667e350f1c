// A line on standard error that says how far a statement has come, while it runs and the terminal
// is one.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace millstream::shell {

// What is known of the work: tasks of stages that Spark tells of; zeros where the server tells of
// none.
struct Progress {
  std::atomic<std::int64_t> tasks{0};
  std::atomic<std::int64_t> completed{0};
  std::atomic<std::int64_t> bytes{0};
};

// "[=====>    ] 12 of 40 tasks, 3.2 s" or "running, 3.2 s". Pure.
std::string progress_text(const Progress& progress, double seconds);

class ProgressLine {
 public:
  explicit ProgressLine(const Progress& progress);  // shows nothing for the first half second
  ~ProgressLine();                                  // wipes the line

 private:
  void draw_until_done();

  const Progress& progress_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace millstream::shell
