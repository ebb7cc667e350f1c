// What a call of a kernel may use. DuckDB looks for interrupts between chunks of rows and counts
// the memory of its own buffers; of what a function builds inside of a chunk it knows nothing. So
// while a kernel computes, its thread works on its statement's account: what C++ allocates is
// charged to it, and an allocation beyond the budget, or after a cancel, throws through the kernel
// to its driver
// (`run_kernel`). Loops that take long without allocating say `proceed`; lambdas, which DuckDB
// computes, are watched by kernels in their bodies.
#pragma once

#include <duckdb.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "base/status.h"

namespace millstream::engine {

// What the kernels of an engine hold at one time, all together. Any thread.
struct WorkBudget {
  // 0: four fifths of the machine's memory.
  explicit WorkBudget(std::int64_t limit);

  const std::int64_t bytes_max;
  const std::int64_t process_bytes_max;  // beyond it no lambda goes on: lists that DuckDB builds
  std::atomic<std::int64_t> bytes{0};
};

// One statement's. Any thread.
class Work {
 public:
  explicit Work(std::shared_ptr<WorkBudget> budget) : budget_(std::move(budget)) {}

  void begin() { cancelled_ = refuses_constants_ = false; }  // of a run
  void cancel() { cancelled_ = true; }
  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }
  // DuckDB computes constants while it plans, and boxes each element of a list: slow, large, and
  // never to be interrupted. Large ones are refused to it then, and so are computed with the rows.
  void refuse_large_constants(bool refuse) { refuses_constants_ = refuse; }
  bool has_refused_one() const { return refused_; }
  WorkBudget& budget() { return *budget_; }

  // An error when it was cancelled, or when `bytes` more are too many.
  Status check(std::int64_t bytes);
  // The same for a step of a lambda over so many rows. What DuckDB builds of them is on no account:
  // now and then it looks at the process's memory.
  Status check_step(std::int64_t bytes, std::int64_t rows);

 private:
  const std::shared_ptr<WorkBudget> budget_;
  std::atomic<bool> cancelled_{false};
  std::atomic<bool> refuses_constants_{false};
  std::atomic<bool> refused_{false};
  std::atomic<std::int64_t> steps_{0};
};

// While it lives, what the connection's kernels do is that work's. Kernels are bound when a
// statement is prepared and keep the pointer until it goes.
class WorkOfConnection {
 public:
  WorkOfConnection(duckdb_connection connection, Work* work);
  ~WorkOfConnection();
  WorkOfConnection(const WorkOfConnection&) = delete;
  WorkOfConnection& operator=(const WorkOfConnection&) = delete;

 private:
  const idx_t connection_id_;
  Work* const work_;
};

// For a kernel's registration: its calls will know their work.
void bind_work(duckdb_scalar_function function);

// The work of a kernel that has bind data of its own; null: nobody's.
Work* work_of(duckdb_init_info info);

// Runs a call of a kernel on its account; an error of the call becomes DuckDB's.
void run_kernel(duckdb_function_info info, Work* work, const std::function<Status()>& call);
void run_kernel(duckdb_function_info info, const std::function<Status()>& call);

// In a kernel: it goes on, `steps` simple steps later. Throws when it may not.
void proceed(std::size_t steps);
// In a kernel: DuckDB is about to copy so many bytes of a result, and keeps them beyond the call.
void hand_over(std::size_t bytes);

Status register_watch_kernels(duckdb_connection connection);

}  // namespace millstream::engine
