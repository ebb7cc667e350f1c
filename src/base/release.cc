#include "base/release.h"

namespace millstream {

thread_local Release::Waiting* Release::waiting_ = nullptr;

Release::~Release() {
  if (!outermost_) return;
  while (!own_.empty()) {
    // Out of the list first: its own destructor adds to the list.
    const std::shared_ptr<const void> next = std::move(own_.back());
    own_.pop_back();
  }
  waiting_ = nullptr;
}

}  // namespace millstream
