#include "delta/space_order.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>
#include <string_view>

#include "delta/ordered_values.h"

namespace millstream::delta {
namespace {

constexpr std::size_t sample_max = 100'000;
constexpr int key_bits_max = 63;
constexpr int column_bits_max = 10;  // a thousand ranges tell rows apart well enough

// Of the sorted sample: the values that so many ranges of as many values each begin with, once
// each.
template <typename Value>
std::vector<Value> starts_of(std::vector<Value>& sample, std::size_t ranges) {
  std::ranges::sort(sample);
  std::vector<Value> out;
  for (std::size_t i = 1; i < ranges; ++i) {
    const std::size_t at = i * sample.size() / ranges;
    if (at > 0 && at < sample.size()) out.push_back(sample[at]);
  }
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

template <typename Value, typename Starts>
std::uint64_t place_in(const Starts& starts, const Value& value) {
  const auto found = std::upper_bound(starts.begin(), starts.end(), value,
                                      [](const auto& a, const auto& b) { return a < b; });
  return static_cast<std::uint64_t>(found - starts.begin());
}

}  // namespace

void ValueSample::add(const arrow::Array& column) {
  const std::lock_guard lock(mutex_);
  const auto keep = [&](auto& kept, const auto& value) {
    if (skip_ > 0) {
      --skip_;
      return;
    }
    kept.emplace_back(value);
    skip_ = step_ - 1;
    if (kept.size() < sample_max) return;
    std::size_t to = 0;
    for (std::size_t from = 0; from < kept.size(); from += 2) std::swap(kept[to++], kept[from]);
    kept.resize(to);
    step_ *= 2;
  };
  if (each_number(column, [&](std::int64_t, std::uint64_t number) { keep(numbers_, number); }))
    return;
  each_text(column, [&](std::int64_t, std::string_view text) { keep(texts_, text); });
}

ValueRanges::ValueRanges(ValueSample& sample, int bits) {
  const std::size_t ranges = (std::size_t{1} << bits) - 1;  // one place is NULL's
  numbers_ = starts_of(sample.numbers_, ranges);
  texts_ = starts_of(sample.texts_, ranges);
}

std::vector<std::uint64_t> ValueRanges::places(const arrow::Array& column) const {
  std::vector<std::uint64_t> out(static_cast<std::size_t>(column.length()), 0);
  const auto put = [&](std::int64_t row, std::uint64_t place) {
    out[static_cast<std::size_t>(row)] = place + 1;
  };
  if (each_number(column, [&](std::int64_t i, std::uint64_t v) { put(i, place_in(numbers_, v)); }))
    return out;
  each_text(column, [&](std::int64_t i, std::string_view v) { put(i, place_in(texts_, v)); });
  return out;
}

int bits_per_column(std::size_t columns) {
  const int share = key_bits_max / static_cast<int>(std::min<std::size_t>(columns, key_bits_max));
  return std::min(share, column_bits_max);
}

std::vector<std::int64_t> interleaved(const std::vector<std::vector<std::uint64_t>>& places,
                                      int bits) {
  const std::size_t columns = std::min<std::size_t>(places.size(), key_bits_max);
  std::vector<std::int64_t> out(places.empty() ? 0 : places[0].size(), 0);
  for (std::size_t row = 0; row < out.size(); ++row) {
    std::uint64_t key = 0;
    for (int bit = bits - 1; bit >= 0; --bit) {
      for (std::size_t column = 0; column < columns; ++column)
        key = (key << 1) | ((places[column][row] >> bit) & 1);
    }
    out[row] = static_cast<std::int64_t>(key);
  }
  return out;
}

Result<std::shared_ptr<arrow::Array>> column_at(const connector::RecordBatchPtr& batch,
                                                const std::vector<std::string>& path) {
  std::shared_ptr<arrow::Array> column = batch->GetColumnByName(path[0]);
  for (std::size_t i = 1; column != nullptr && i < path.size(); ++i) {
    if (column->type_id() != arrow::Type::STRUCT) return Status::internal("no struct in a path");
    const auto& members = static_cast<const arrow::StructArray&>(*column);
    const int index =
        column->type()->num_fields() == 0
            ? -1
            : static_cast<const arrow::StructType&>(*column->type()).GetFieldIndex(path[i]);
    if (index < 0) return Status::internal("no member {}", path[i]);
    auto member = members.GetFlattenedField(index);
    if (!member.ok()) return Status::internal("Arrow: {}", member.status().ToString());
    column = *std::move(member);
  }
  if (column == nullptr) return Status::internal("no column {}", path[0]);
  return column;
}

}  // namespace millstream::delta
