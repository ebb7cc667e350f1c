// Greenwald and Khanna's summary of values as Spark keeps it for percentile_approx: a sample of the
// values, each with the number of values that it stands for.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/value.h"

namespace millstream::engine {

class QuantileSummary {
 public:
  // Of values without NULLs, in the order of the rows.
  QuantileSummary(std::vector<Value> values, double relative_error);
  bool empty() const { return samples_.empty(); }
  const Value& at(double percentage) const;

 private:
  struct Sample {
    Value value;
    std::int64_t covered = 1;  // values from the sample before, this one among them
    std::int64_t unsure = 0;   // by how much its rank may be higher
  };

  void insert(std::vector<Value>& head);
  void compress();

  double relative_error_;
  std::int64_t count_ = 0;
  std::vector<Sample> samples_;
};

}  // namespace millstream::engine
