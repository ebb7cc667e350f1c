// Work that may be called off, for code on the same thread that no token reaches: the analysis of a
// plan.
#pragma once

#include <functional>

#include "base/status.h"

namespace millstream {

// While it lives, what this thread does is called off when `called_off` says so.
class WorkToCallOff {
 public:
  explicit WorkToCallOff(std::function<bool()> called_off);
  ~WorkToCallOff();
  WorkToCallOff(const WorkToCallOff&) = delete;
  WorkToCallOff& operator=(const WorkToCallOff&) = delete;

 private:
  std::function<bool()> called_off_;
  const std::function<bool()>* const outer_;
};

Status check_called_off();

}  // namespace millstream
