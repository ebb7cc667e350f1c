#include "base/failpoint.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>

#include "base/text.h"

namespace millstream::failpoints {
namespace {

struct Armed {
  Action action;
  int after_hits;
};

std::atomic<bool> active{false};
std::mutex mutex;
std::map<std::string, Armed, std::less<>> armed;
std::vector<std::string> seen;

}  // namespace

void arm(std::string_view name, Action action, int after_hits) {
  const std::lock_guard lock(mutex);
  armed[std::string(name)] = {action, after_hits};
  active = true;
}

void disarm_all() {
  const std::lock_guard lock(mutex);
  armed.clear();
  seen.clear();
  active = false;
}

Status arm_from_environment() {
  const char* text = std::getenv("MILLSTREAM_FAILPOINTS");
  if (text == nullptr) return Status::OK();
  for (const std::string& item : split(text, ';')) {
    const auto parts = split(item, '=');
    const auto action = parts.size() == 2 ? parts[1] : std::string();
    if (action != "crash" && action != "error") {
      return Status::invalid("MILLSTREAM_FAILPOINTS takes name=crash or name=error, not '{}'",
                             item);
    }
    arm(parts[0], action == "crash" ? Action::crash : Action::error);
  }
  return Status::OK();
}

std::vector<std::string> passed() {
  const std::lock_guard lock(mutex);
  return seen;
}

Status pass(const char* name) {
  if (!active.load(std::memory_order_relaxed)) return Status::OK();
  const std::lock_guard lock(mutex);
  if (std::find(seen.begin(), seen.end(), name) == seen.end()) seen.emplace_back(name);
  const auto found = armed.find(std::string_view(name));
  if (found == armed.end() || found->second.after_hits-- > 0) return Status::OK();
  const Action action = found->second.action;
  armed.erase(found);
  if (action == Action::crash) _exit(137);
  return Status::io("failpoint {} fired", name);
}

}  // namespace millstream::failpoints
