// DataFrames that the server keeps by id: of checkpoints, and the batch of a foreachBatch while its
// function runs. Shared by a session and its streaming queries; thread-safe.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "plan/node.h"

namespace millstream::session {

class KeptRelations {
 public:
  std::string keep(plan::NodePtr node);             // the id
  plan::NodePtr find(const std::string& id) const;  // nullptr: there is none
  void forget(const std::string& id);
  void copy_from(const KeptRelations& other);

 private:
  mutable std::mutex mutex_;
  std::map<std::string, plan::NodePtr> by_id_;
};

}  // namespace millstream::session
