#include "base/called_off.h"

#include <utility>

namespace millstream {
namespace {

thread_local const std::function<bool()>* current = nullptr;

}  // namespace

WorkToCallOff::WorkToCallOff(std::function<bool()> called_off)
    : called_off_(std::move(called_off)), outer_(std::exchange(current, &called_off_)) {}

WorkToCallOff::~WorkToCallOff() { current = outer_; }

Status check_called_off() {
  return current != nullptr && (*current)() ? Status::cancelled() : Status::OK();
}

}  // namespace millstream
