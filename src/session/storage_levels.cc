#include "session/storage_levels.h"

#include "base/check.h"
#include "session/plan_identity.h"
#include "spark/connect/common.pb.h"
#include "spark/connect/relations.pb.h"

namespace millstream::session {

using spark::connect::StorageLevel;

void StorageLevels::put(const Relation& plan, const StorageLevel* level) {
  StorageLevel kept;
  if (level != nullptr) {
    kept = *level;
  } else {
    kept.set_use_disk(true);
    kept.set_use_memory(true);
    kept.set_deserialized(true);
    kept.set_replication(1);
  }
  const std::lock_guard lock(mutex_);
  by_plan_.emplace(identity_of(plan), kept.SerializeAsString());
}

void StorageLevels::remove(const Relation& plan) {
  const std::lock_guard lock(mutex_);
  by_plan_.erase(identity_of(plan));
}

void StorageLevels::clear() {
  const std::lock_guard lock(mutex_);
  by_plan_.clear();
}

bool StorageLevels::contains(const Relation& plan) const {
  const std::lock_guard lock(mutex_);
  return by_plan_.contains(identity_of(plan));
}

StorageLevel StorageLevels::get(const Relation& plan) const {
  StorageLevel level;
  level.set_replication(1);
  const std::lock_guard lock(mutex_);
  const auto found = by_plan_.find(identity_of(plan));
  if (found != by_plan_.end()) CHECK(level.ParseFromString(found->second));
  return level;
}

}  // namespace millstream::session
