#include "connect/operations.h"

#include "connect/server_session.h"

namespace millstream::connect {
namespace {

constexpr std::size_t marks_max = 10'000;
constexpr std::chrono::minutes mark_time{30};

Status handle_error(const char* what, const std::string& id) {
  return Status::error(std::string("INVALID_HANDLE.") + what, {{"handle", id}});
}

}  // namespace

bool Operations::is_marked_locked(const Key& key) const {
  const auto mark = marks_.find(key);
  return mark != marks_.end() && std::chrono::steady_clock::now() - mark->second.at < mark_time;
}

Result<Operations::Added> Operations::add(Operation::Spec spec) {
  const Key key{spec.session->key(), spec.id};
  const std::lock_guard lock(mutex_);
  if (const auto found = operations_.find(key); found != operations_.end()) {
    if (found->second->spec().plan == spec.plan) return Added{found->second, false};
    return handle_error("OPERATION_ALREADY_EXISTS", spec.id);
  }
  if (is_marked_locked(key)) return handle_error("OPERATION_ABANDONED", spec.id);
  auto operation = std::make_shared<Operation>(std::move(spec));
  operations_.emplace(key, operation);
  return Added{std::move(operation), true};
}

Result<OperationPtr> Operations::find(const std::string& session_key, const std::string& id) const {
  const Key key{session_key, id};
  const std::lock_guard lock(mutex_);
  if (const auto found = operations_.find(key); found != operations_.end()) return found->second;
  return handle_error(is_marked_locked(key) ? "OPERATION_ABANDONED" : "OPERATION_NOT_FOUND", id);
}

std::vector<OperationPtr> Operations::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<OperationPtr> all;
  for (const auto& [key, operation] : operations_) all.push_back(operation);
  return all;
}

std::vector<OperationPtr> Operations::of_session(const std::string& session_key) const {
  const std::lock_guard lock(mutex_);
  std::vector<OperationPtr> found;
  for (auto it = operations_.lower_bound({session_key, ""});
       it != operations_.end() && it->first.first == session_key; ++it) {
    found.push_back(it->second);
  }
  return found;
}

void Operations::remove(const OperationPtr& operation) {
  const Key key{operation->session().key(), operation->id()};
  const std::lock_guard lock(mutex_);
  if (operations_.erase(key) == 0) return;
  marks_[key] = {operation->state(), std::chrono::steady_clock::now()};
  mark_order_.push_back(key);
  if (mark_order_.size() > marks_max) {
    marks_.erase(mark_order_.front());
    mark_order_.pop_front();
  }
}

std::map<std::string, OperationState> Operations::ended(const std::string& session_key) const {
  const std::lock_guard lock(mutex_);
  std::map<std::string, OperationState> found;
  for (auto it = marks_.lower_bound({session_key, ""});
       it != marks_.end() && it->first.first == session_key; ++it) {
    found.emplace(it->first.second, it->second.state);
  }
  return found;
}

}  // namespace millstream::connect
