#include "engine/work.h"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <utility>

#include "engine/duck.h"
#include "engine/failures.h"

namespace millstream::engine {
namespace {

// What may be allocated, or done, between two looks at the budget and the cancellation.
constexpr std::int64_t bytes_between_checks = 1 << 20;
constexpr std::size_t steps_between_checks = 1 << 22;
constexpr std::int64_t rows_between_looks = 1 << 14;
constexpr std::int64_t bytes_of_a_row = 64;

std::int64_t machine_bytes() {
  return static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
}

std::int64_t budget_bytes(std::int64_t limit) {
  return limit > 0 ? limit : machine_bytes() / 5 * 4;
}

// Beside the engine's budget there are the kernels', the results on their way, and the program.
std::int64_t process_bytes(std::int64_t limit) {
  constexpr std::int64_t program = std::int64_t{512} << 20;
  return std::min(2 * limit + program, std::max(limit, machine_bytes() / 100 * 92));
}

std::int64_t resident_bytes() {
  std::FILE* file = std::fopen("/proc/self/statm", "re");
  if (file == nullptr) return 0;
  long pages = 0;
  if (std::fscanf(file, "%*s %ld", &pages) != 1) pages = 0;
  std::fclose(file);
  return static_cast<std::int64_t>(pages) * ::sysconf(_SC_PAGESIZE);
}

Status too_much(std::int64_t wanted, std::int64_t free) {
  return Status::error("UNABLE_TO_ACQUIRE_MEMORY",
                       {{"requestedBytes", std::to_string(wanted)},
                        {"receivedBytes", std::to_string(std::max<std::int64_t>(0, free))}});
}

// Out of a kernel; no std::exception, so that no kernel takes it for one of its own errors.
struct Stopped {};

// What a thread's call of a kernel has taken.
class Account {
 public:
  explicit Account(Work& work) : work_(work) {}
  ~Account() { work_.budget().bytes -= charged_; }
  Account(const Account&) = delete;
  Account& operator=(const Account&) = delete;

  // Before an allocation. What ends a kernel allocates too: it is stopped once.
  void ask(std::size_t size) {
    const auto bytes = static_cast<std::int64_t>(size);
    if (open_ + bytes < bytes_between_checks || stopped()) return;
    settle();
    stop_unless(work_.check(bytes));
  }
  void took(std::size_t size) { open_ += static_cast<std::int64_t>(size); }
  void gave(std::size_t size) {
    open_ -= static_cast<std::int64_t>(size);
    if (open_ < -bytes_between_checks) settle();
  }
  void step(std::size_t steps) {
    steps_ += steps;
    if (steps_ < steps_between_checks || stopped()) return;
    steps_ = 0;
    stop_unless(work_.check(0));
  }

  bool stopped() const { return !status_.ok(); }
  const Status& status() const { return status_; }

 private:
  void settle() {
    work_.budget().bytes += open_;
    charged_ += open_;
    open_ = 0;
  }
  void stop_unless(Status status) {
    if (status.ok()) return;
    status_ = std::move(status);
    throw Stopped();
  }

  Work& work_;
  std::int64_t open_ = 0;     // taken and not charged yet
  std::int64_t charged_ = 0;  // to the budget
  std::size_t steps_ = 0;
  Status status_;
};

thread_local Account* account = nullptr;

// Allocations inside of it are nobody's: those of the accounting itself.
class OffAccount {
 public:
  OffAccount() : kept_(account) { account = nullptr; }
  ~OffAccount() { account = kept_; }
  OffAccount(const OffAccount&) = delete;
  OffAccount& operator=(const OffAccount&) = delete;

 private:
  Account* const kept_;
};

void* allocate(std::size_t size) {
  Account* const payer = account;
  if (payer != nullptr) {
    const OffAccount meanwhile;
    payer->ask(size);
  }
  void* const memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  if (payer != nullptr) payer->took(::malloc_usable_size(memory));
  return memory;
}

void release(void* memory) {
  if (account != nullptr && memory != nullptr) account->gave(::malloc_usable_size(memory));
  std::free(memory);
}

// The works of connections, by id. Databases number their connections each for itself: where two of
// a process have one number in use, neither's kernels are on an account, rather than on the
// other's.
class Works {
 public:
  static Works& all() {
    static auto* works = new Works();
    return *works;
  }
  void put(idx_t connection, Work* work) {
    const std::lock_guard lock(mutex_);
    works_.emplace(connection, work);
  }
  void remove(idx_t connection, const Work* work) {
    const std::lock_guard lock(mutex_);
    auto [at, end] = works_.equal_range(connection);
    while (at != end && at->second != work) ++at;
    if (at != end) works_.erase(at);
  }
  Work* find(idx_t connection) {
    const std::lock_guard lock(mutex_);
    const auto [at, end] = works_.equal_range(connection);
    return at != end && std::next(at) == end ? at->second : nullptr;
  }

 private:
  std::mutex mutex_;
  std::multimap<idx_t, Work*> works_;
};

using Context = Owned<duckdb_client_context, duckdb_destroy_client_context>;

idx_t id_of(const Context& context) {
  return duckdb_client_context_get_connection_id(context.get());
}

idx_t id_of(duckdb_connection connection) {
  Context context;
  duckdb_connection_get_client_context(connection, context.out());
  return id_of(context);
}

void bind(duckdb_bind_info info) {
  Context context;
  duckdb_scalar_function_get_client_context(info, context.out());
  duckdb_scalar_function_set_bind_data(info, Works::all().find(id_of(context)), nullptr);
  duckdb_scalar_function_set_bind_data_copy(info, [](void* work) { return work; });
}

}  // namespace

WorkBudget::WorkBudget(std::int64_t limit)
    : bytes_max(budget_bytes(limit)), process_bytes_max(process_bytes(bytes_max)) {}

Status Work::check(std::int64_t more) {
  if (cancelled()) return Status::cancelled();
  if (refuses_constants_) {
    refused_ = true;
    return Status::plain(ErrorKind::internal, "too large for a constant of the plan");
  }
  const std::int64_t used = budget_->bytes.load(std::memory_order_relaxed);
  if (used + more > budget_->bytes_max) return too_much(more, budget_->bytes_max - used);
  return Status::OK();
}

Status Work::check_step(std::int64_t bytes, std::int64_t rows) {
  TRY(check(bytes));
  const std::int64_t steps = rows + bytes / bytes_of_a_row;
  const std::int64_t before = steps_.fetch_add(steps, std::memory_order_relaxed);
  if (before / rows_between_looks == (before + steps) / rows_between_looks) return Status::OK();
  const std::int64_t free = budget_->process_bytes_max - resident_bytes();
  return free < 0 ? too_much(bytes, free) : Status::OK();
}

WorkOfConnection::WorkOfConnection(duckdb_connection connection, Work* work)
    : connection_id_(id_of(connection)), work_(work) {
  Works::all().put(connection_id_, work_);
}

WorkOfConnection::~WorkOfConnection() { Works::all().remove(connection_id_, work_); }

void bind_work(duckdb_scalar_function function) { duckdb_scalar_function_set_bind(function, bind); }

Work* work_of(duckdb_init_info info) {
  Context context;
  duckdb_scalar_function_init_get_client_context(info, context.out());
  return Works::all().find(id_of(context));
}

void run_kernel(duckdb_function_info info, const std::function<Status()>& call) {
  run_kernel(info, static_cast<Work*>(duckdb_scalar_function_get_bind_data(info)), call);
}

void run_kernel(duckdb_function_info info, Work* work, const std::function<Status()>& call) {
  Status status;
  if (work == nullptr) {
    status = call();
  } else {
    Account own(*work);
    Account* const outer = std::exchange(account, &own);
    try {
      status = call();
    } catch (const Stopped&) {
    } catch (const std::bad_alloc&) {
      status = too_much(0, 0);
    }
    account = outer;
    if (own.stopped()) status = own.status();
  }
  if (status.ok()) return;
  if (work != nullptr && !status.is("OPERATION_CANCELED")) note_failure(work, status);
  duckdb_scalar_function_set_error(info, wrap_error(status).c_str());
}

void proceed(std::size_t steps) {
  if (account == nullptr) return;
  Account* const payer = account;
  const OffAccount meanwhile;
  payer->step(steps);
}

void hand_over(std::size_t bytes) {
  constexpr std::size_t small = 1024;  // of which a chunk of rows holds little
  if (bytes < small || account == nullptr) return;
  Account* const payer = account;
  const OffAccount meanwhile;
  payer->ask(bytes);
  payer->took(bytes);
}

}  // namespace millstream::engine

// Of the whole program: a thread without an account pays a look at a variable.
void* operator new(std::size_t size) { return millstream::engine::allocate(size); }
void* operator new[](std::size_t size) { return millstream::engine::allocate(size); }
void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  try {
    return millstream::engine::allocate(size);
  } catch (...) {
    return nullptr;
  }
}
void operator delete(void* memory) noexcept { millstream::engine::release(memory); }
void operator delete[](void* memory) noexcept { millstream::engine::release(memory); }
void operator delete(void* memory, std::size_t) noexcept { millstream::engine::release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { millstream::engine::release(memory); }
