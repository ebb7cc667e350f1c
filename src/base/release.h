// Release of trees that may be deeper than a stack: plans, expressions, types. A destructor that
// lets go of its children here returns before they are destroyed; the outermost one on the thread
// then destroys them one by one. Any thread.
#pragma once

#include <memory>
#include <utility>
#include <vector>

namespace millstream {

class Release {
 public:
  Release() : outermost_(waiting_ == nullptr) {
    if (outermost_) waiting_ = &own_;
  }
  Release(const Release&) = delete;
  Release& operator=(const Release&) = delete;
  ~Release();

  template <typename T>
  void add(std::shared_ptr<T>&& held) {
    if (held != nullptr) waiting_->push_back(std::move(held));
  }

 private:
  using Waiting = std::vector<std::shared_ptr<const void>>;
  static thread_local Waiting* waiting_;

  bool outermost_;
  Waiting own_;
};

}  // namespace millstream
