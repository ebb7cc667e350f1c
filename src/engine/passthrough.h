// Plans that only pick, rename and reorder the columns of one leaf: computed without DuckDB,
// keeping the leaf's partitions. Immutable; any thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "connector/batches.h"
#include "plan/node.h"

namespace millstream::engine {

class Passthrough {
 public:
  static std::optional<Passthrough> of(const plan::NodePtr& node);

  const plan::NodePtr& leaf() const { return leaf_; }
  Result<connector::Batches> apply(connector::Batches input, const std::string& time_zone,
                                   std::function<void(std::int64_t)> on_rows) const;

 private:
  plan::NodePtr leaf_;
  column::Schema schema_;
  std::vector<int> columns_;  // of the leaf's output, for each visible output column
};

}  // namespace millstream::engine
