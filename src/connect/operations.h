// Operations: the table of the operations of all sessions, those that have ended too until their
// client releases them, and the marks that removed ones leave, so that a repeated request does not
// run twice. Thread-safe.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "connect/operation.h"

namespace millstream::connect {

using OperationPtr = std::shared_ptr<Operation>;

class Operations {
 public:
  struct Added {
    OperationPtr operation;
    bool is_new = true;  // false: the same request came before; attach to it
  };
  // INVALID_HANDLE.{OPERATION_ALREADY_EXISTS, OPERATION_ABANDONED}
  Result<Added> add(Operation::Spec spec);
  // INVALID_HANDLE.{OPERATION_NOT_FOUND, OPERATION_ABANDONED}
  Result<OperationPtr> find(const std::string& session_key, const std::string& id) const;

  std::vector<OperationPtr> all() const;
  std::vector<OperationPtr> of_session(const std::string& session_key) const;
  void remove(const OperationPtr& operation);  // leaves a mark
  // How removed ones of a session ended, by id.
  std::map<std::string, OperationState> ended(const std::string& session_key) const;

 private:
  using Key = std::pair<std::string, std::string>;
  struct Mark {
    OperationState state;
    std::chrono::steady_clock::time_point at;
  };
  bool is_marked_locked(const Key& key) const;

  mutable std::mutex mutex_;
  std::map<Key, OperationPtr> operations_;
  std::map<Key, Mark> marks_;
  std::deque<Key> mark_order_;
};

}  // namespace millstream::connect
