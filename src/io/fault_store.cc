#include "io/fault_store.h"

namespace millstream::io {
namespace {

Status injected(const char* operation, const std::string& path, bool crash) {
  return Status::io("{} {}: {}", operation, path,
                    crash ? "the simulated machine is down" : "simulated error");
}

}  // namespace

template <typename Action>
auto FaultStore::run(const char* operation, const std::string& path, bool writes, Action action)
    -> decltype(action()) {
  Fault fault = Fault::none;
  {
    const std::lock_guard lock(mutex_);
    if (crashed_) return injected(operation, path, true);
    const StoreCall call{calls_++, operation, path, writes};
    if (chooser_) fault = chooser_(call);
    crashed_ = fault == Fault::crash_before || fault == Fault::crash_after;
  }
  if (fault == Fault::none) return action();
  const bool crash = fault == Fault::crash_before || fault == Fault::crash_after;
  if (fault == Fault::error_after || fault == Fault::crash_after) {
    [[maybe_unused]] const auto unseen = action();
  }
  return injected(operation, path, crash);
}

std::int64_t FaultStore::calls() const {
  const std::lock_guard lock(mutex_);
  return calls_;
}

bool FaultStore::crashed() const {
  const std::lock_guard lock(mutex_);
  return crashed_;
}

void FaultStore::reboot() {
  const std::lock_guard lock(mutex_);
  crashed_ = false;
}

void FaultStore::choose_by(Chooser chooser) {
  const std::lock_guard lock(mutex_);
  chooser_ = std::move(chooser);
}

Result<std::string> FaultStore::get(const std::string& path) {
  return run("get", path, false, [&] { return under_->get(path); });
}

Result<std::string> FaultStore::get_range(const std::string& path, std::int64_t offset,
                                          std::int64_t length) {
  return run("get_range", path, false, [&] { return under_->get_range(path, offset, length); });
}

Result<FileInfo> FaultStore::stat(const std::string& path) {
  return run("stat", path, false, [&] { return under_->stat(path); });
}

Status FaultStore::put(const std::string& path, std::string_view bytes) {
  return run("put", path, true, [&] { return under_->put(path, bytes); });
}

Status FaultStore::put_if_absent(const std::string& path, std::string_view bytes) {
  return run("put_if_absent", path, true, [&] { return under_->put_if_absent(path, bytes); });
}

Result<std::vector<FileInfo>> FaultStore::list(const std::string& directory) {
  return run("list", directory, false, [&] { return under_->list(directory); });
}

Result<std::vector<std::string>> FaultStore::list_names(const std::string& directory,
                                                        std::string_view start_after) {
  return run("list_names", directory, false,
             [&] { return under_->list_names(directory, start_after); });
}

Status FaultStore::remove(const std::string& path) {
  return run("remove", path, true, [&] { return under_->remove(path); });
}

Status FaultStore::remove_tree(const std::string& directory) {
  return run("remove_tree", directory, true, [&] { return under_->remove_tree(directory); });
}

Status FaultStore::make_directories(const std::string& directory) {
  return run("make_directories", directory, true,
             [&] { return under_->make_directories(directory); });
}

FaultStore::Chooser fail_call(std::int64_t index, Fault fault) {
  return
      [index, fault](const StoreCall& call) { return call.index == index ? fault : Fault::none; };
}

}  // namespace millstream::io
