#include "session/kept_relations.h"

#include "base/random.h"

namespace millstream::session {

std::string KeptRelations::keep(plan::NodePtr node) {
  std::string id = new_uuid();
  const std::lock_guard lock(mutex_);
  by_id_.emplace(id, std::move(node));
  return id;
}

plan::NodePtr KeptRelations::find(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : found->second;
}

void KeptRelations::forget(const std::string& id) {
  plan::NodePtr dropped;  // destroyed after the lock
  const std::lock_guard lock(mutex_);
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return;
  dropped = std::move(found->second);
  by_id_.erase(found);
}

void KeptRelations::copy_from(const KeptRelations& other) {
  const std::scoped_lock lock(mutex_, other.mutex_);
  by_id_ = other.by_id_;
}

}  // namespace millstream::session
