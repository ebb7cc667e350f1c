// StorageLevels: which plans a session has persisted, and how. Nothing is kept for them: a plan is
// computed when it is used, and its level is remembered for the asking. Thread-safe.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace spark::connect {
class Relation;
class StorageLevel;
}  // namespace spark::connect

namespace millstream::session {

class StorageLevels {
 public:
  using Relation = spark::connect::Relation;

  // No level: the one that persist() means, memory and disk. The first level of a plan stays.
  void put(const Relation& plan, const spark::connect::StorageLevel* level);
  void remove(const Relation& plan);
  void clear();
  bool contains(const Relation& plan) const;
  spark::connect::StorageLevel get(
      const Relation& plan) const;  // of an absent one: none, 1 replica

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::string> by_plan_;  // the plan's identity -> a serialized level
};

}  // namespace millstream::session
