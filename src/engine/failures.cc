#include "engine/failures.h"

#include <mutex>
#include <unordered_map>

namespace millstream::engine {
namespace {

std::mutex mutex;
std::unordered_map<const Work*, Status> failures;  // of runs that have one

}  // namespace

void note_failure(const Work* work, const Status& status) {
  const std::lock_guard lock(mutex);
  failures.emplace(work, status);
}

Status failure_of(const Work* work) {
  const std::lock_guard lock(mutex);
  const auto found = failures.find(work);
  return found == failures.end() ? Status::OK() : found->second;
}

void forget_failure(const Work* work) {
  const std::lock_guard lock(mutex);
  failures.erase(work);
}

}  // namespace millstream::engine
