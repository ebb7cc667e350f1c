// StorageLevels: which plans a session has persisted, how, and their rows once these were used.
// Whatever the level, rows are in memory while they are few, else on disk. Thread-safe.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "plan/node.h"
#include "session/kept_rows.h"

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
  // The rows of a persisted plan, made by `make` at their first use; nullptr for other plans.
  using MakeRows = std::function<std::shared_ptr<const CachedRows>(const plan::NodePtr&)>;
  std::shared_ptr<const connector::Table> rows(const Relation& plan, const plan::NodePtr& node,
                                               const MakeRows& make);
  // A table, a view or what a name means has changed: rows that may depend on it are forgotten.
  void tables_changed();
  bool contains(const Relation& plan) const;
  spark::connect::StorageLevel get(
      const Relation& plan) const;  // of an absent one: none, 1 replica

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::string> by_plan_;  // the plan's identity -> a serialized level
  std::set<int> kinds_;                         // of the plans' outermost relations
  struct Rows {
    std::shared_ptr<const CachedRows> table;
    bool by_name = false;  // the plan names a table or view
  };
  std::map<std::string, Rows> rows_;
};

}  // namespace millstream::session
