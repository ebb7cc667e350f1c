// A Store over another one that fails when told to: before a call has had its effect, after it, or
// by a crash, from which on every call fails until reboot(). It counts calls, so that a test can
// fail the n-th for every n. What the store under it has published stays whole: published means
// durable. Thread-safe. For tests and the simulation.
#pragma once

#include <functional>
#include <memory>
#include <mutex>

#include "io/store.h"

namespace millstream::io {

enum class Fault : std::uint8_t {
  none,
  error_before,  // the call fails and has done nothing
  error_after,   // the call fails although it is done: the answer was lost
  crash_before,  // the machine dies: nothing is done, nothing works until reboot()
  crash_after,
};

struct StoreCall {
  std::int64_t index = 0;      // 0 for the first call since the store was made
  const char* operation = "";  // "put_if_absent"
  const std::string& path;
  bool writes = false;
};

class FaultStore final : public Store {
 public:
  using Chooser = std::function<Fault(const StoreCall&)>;

  FaultStore(std::shared_ptr<Store> under, Chooser chooser)
      : under_(std::move(under)), chooser_(std::move(chooser)) {}

  std::int64_t calls() const;
  bool crashed() const;
  void reboot();
  void choose_by(Chooser chooser);

  Result<std::string> get(const std::string& path) override;
  Result<std::string> get_range(const std::string& path, std::int64_t offset,
                                std::int64_t length) override;
  Result<FileInfo> stat(const std::string& path) override;
  Status put(const std::string& path, std::string_view bytes) override;
  Status put_if_absent(const std::string& path, std::string_view bytes) override;
  Result<std::vector<FileInfo>> list(const std::string& directory) override;
  Result<std::vector<std::string>> list_names(const std::string& directory,
                                              std::string_view start_after) override;
  Status remove(const std::string& path) override;
  Status remove_tree(const std::string& directory) override;
  Status make_directories(const std::string& directory) override;

 private:
  template <typename Action>
  auto run(const char* operation, const std::string& path, bool writes, Action action)
      -> decltype(action());

  const std::shared_ptr<Store> under_;
  mutable std::mutex mutex_;
  Chooser chooser_;
  std::int64_t calls_ = 0;
  bool crashed_ = false;
};

// Fails the call with this index and no other.
FaultStore::Chooser fail_call(std::int64_t index, Fault fault);

}  // namespace millstream::io
