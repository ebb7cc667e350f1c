#include "engine/quantile_summary.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace millstream::engine {
namespace {

constexpr std::size_t head_size = 50'000;        // values that are sorted at once
constexpr std::size_t compressed_from = 10'000;  // samples

bool less(const Value& a, const Value& b) { return compare(a, b) < 0; }

}  // namespace

QuantileSummary::QuantileSummary(std::vector<Value> values, double relative_error)
    : relative_error_(relative_error) {
  std::vector<Value> head;
  for (Value& value : values) {
    head.push_back(std::move(value));
    if (head.size() < head_size) continue;
    insert(head);
    if (samples_.size() >= compressed_from) compress();
  }
  insert(head);
  compress();
}

void QuantileSummary::insert(std::vector<Value>& head) {
  std::stable_sort(head.begin(), head.end(), less);
  std::vector<Sample> merged;
  std::size_t old = 0;
  for (std::size_t i = 0; i < head.size(); ++i) {
    while (old < samples_.size() && !less(head[i], samples_[old].value))
      merged.push_back(std::move(samples_[old++]));
    ++count_;
    const bool outermost = merged.empty() || (old == samples_.size() && i + 1 == head.size());
    const double spread = 2 * relative_error_ * static_cast<double>(count_);
    merged.push_back(
        {std::move(head[i]), 1, outermost ? 0 : static_cast<std::int64_t>(std::floor(spread))});
  }
  while (old < samples_.size()) merged.push_back(std::move(samples_[old++]));
  samples_ = std::move(merged);
  head.clear();
}

// From the last sample to the second: each is joined to the one behind it while that may be.
void QuantileSummary::compress() {
  if (samples_.empty()) return;
  const double limit = 2 * relative_error_ * static_cast<double>(count_);
  std::vector<Sample> kept;
  Sample head = samples_.back();
  for (std::size_t i = samples_.size() - 1; i-- > 1;) {
    const Sample& sample = samples_[i];
    if (static_cast<double>(sample.covered + head.covered + head.unsure) < limit) {
      head.covered += sample.covered;
    } else {
      kept.push_back(std::exchange(head, sample));
    }
  }
  const bool least = samples_.size() > 1 && !less(head.value, samples_.front().value);
  kept.push_back(std::move(head));
  if (least) kept.push_back(samples_.front());
  std::reverse(kept.begin(), kept.end());
  samples_ = std::move(kept);
}

const Value& QuantileSummary::at(double percentage) const {
  if (percentage <= relative_error_ || samples_.size() == 1) return samples_.front().value;
  if (percentage >= 1 - relative_error_) return samples_.back().value;
  std::int64_t widest = 0;
  for (const Sample& sample : samples_) widest = std::max(widest, sample.covered + sample.unsure);
  const double error = static_cast<double>(widest) / 2;
  const double rank = std::ceil(percentage * static_cast<double>(count_));
  std::int64_t lowest = 0;
  for (std::size_t i = 0; i + 1 < samples_.size(); ++i) {
    lowest += samples_[i].covered;
    const double highest = static_cast<double>(lowest + samples_[i].unsure);
    if (highest - error <= rank && rank <= static_cast<double>(lowest) + error)
      return samples_[i].value;
  }
  return samples_.back().value;
}

}  // namespace millstream::engine
