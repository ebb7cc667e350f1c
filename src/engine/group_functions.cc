// Aggregate functions that look at all values of a group at once: their arguments are the lists of
// the group's values, row by row; other arguments are constants.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <span>
#include <unordered_map>

#include "base/text.h"
#include "engine/approx_distinct.h"
#include "engine/hash.h"
#include "engine/quantile_summary.h"
#include "engine/spark_hash_map.h"
#include "engine/value_kernel.h"

namespace millstream::engine {
namespace {

using column::DataType;
using column::TypeKind;

struct ValueLess {
  bool operator()(const Value& a, const Value& b) const { return compare(a, b) < 0; }
};

std::vector<Value> without_nulls(const Value& list) {
  std::vector<Value> out;
  for (const Value& item : list.items) {
    if (!item.is_null()) out.push_back(item);
  }
  return out;
}

double as_double(const Value& value) {
  return value.kind == Value::Kind::floating ? value.floating : static_cast<double>(value.integer);
}

// The answers for one percentage, or for each of an array of them.
template <typename One>
Result<Value> for_percentages(const Value& percentages, const One& one) {
  if (percentages.kind != Value::Kind::list) return one(as_double(percentages));
  std::vector<Value> out;
  for (const Value& p : percentages.items) out.push_back(one(as_double(p)));
  return list_value(std::move(out));
}

// Values and how often each counts, in order.
using Counts = std::map<Value, std::int64_t, ValueLess>;

Value percentile_of(const Counts& counts, std::int64_t total, double p) {
  const double position = static_cast<double>(total - 1) * p;
  const auto at = [&](std::int64_t index) {
    std::int64_t passed = 0;
    for (const auto& [value, count] : counts) {
      passed += count;
      if (passed > index) return as_double(value);
    }
    return as_double(counts.rbegin()->first);
  };
  const double low = std::floor(position);
  const double high = std::ceil(position);
  const double below = at(static_cast<std::int64_t>(low));
  if (low == high) return floating_value(below);
  const double above = at(static_cast<std::int64_t>(high));
  if (below == above) return floating_value(below);
  return floating_value((high - position) * below + (position - low) * above);
}

// percentile(values, percentage[, frequencies])
Result<Value> percentile(const ValueKernel&, const Values& a) {
  Counts counts;
  std::int64_t total = 0;
  for (std::size_t i = 0; i < a[0].items.size(); ++i) {
    if (a[0].items[i].is_null()) continue;
    std::int64_t count = 1;
    if (a.size() > 2) {
      const Value& frequency =
          a[2].kind == Value::Kind::list && !a[2].items.empty() ? a[2].items[i] : a[2];
      if (frequency.is_null()) continue;
      count = frequency.integer;
      if (count < 0)
        return Status::plain(ErrorKind::runtime,
                             "Negative values found in the frequency of percentile");
    }
    if (count == 0) continue;
    counts[a[0].items[i]] += count;
    total += count;
  }
  if (total == 0) return null_value();
  return for_percentages(a[1], [&](double p) { return percentile_of(counts, total, p); });
}

// percentile_approx(values, percentage[, accuracy]): one of the group's own values.
Result<Value> percentile_approx(const ValueKernel&, const Values& a) {
  constexpr double default_accuracy = 10000;
  const double accuracy = a.size() > 2 ? as_double(a[2]) : default_accuracy;
  const QuantileSummary summary(without_nulls(a[0]), 1.0 / accuracy);
  if (summary.empty() || a[1].is_null()) return null_value();
  return for_percentages(a[1], [&](double p) { return summary.at(p); });
}

// The most frequent value, of several the least.
Result<Value> mode_lowest(const ValueKernel&, const Values& a) {
  Counts counts;
  for (const Value& item : without_nulls(a[0])) ++counts[item];
  const Value* best = nullptr;
  std::int64_t most = 0;
  for (const auto& [value, count] : counts) {
    if (count <= most) continue;
    best = &value;
    most = count;
  }
  return best == nullptr ? null_value() : *best;
}

// The most frequent value, of several the first of Spark's map: it is filled by the rows, and twice
// anew by what it gives back. Of a type whose place there is not known, the first that came.
Result<Value> mode(const ValueKernel& kernel, const Values& a) {
  const DataType& type = *kernel.arguments[0]->element();
  std::unordered_map<Value, std::size_t, ValueHash, ValueEqual> places;
  std::vector<const Value*> keys;
  std::vector<std::int64_t> counts;
  std::vector<std::int32_t> hashes;
  for (const Value& item : a[0].items) {
    if (item.is_null()) continue;
    const auto [place, fresh] = places.try_emplace(item, keys.size());
    if (!fresh) {
      ++counts[place->second];
      continue;
    }
    keys.push_back(&item);
    counts.push_back(1);
    if (const auto hash = java_hash(item, type)) hashes.push_back(*hash);
  }
  if (keys.empty()) return null_value();
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (hashes.size() == keys.size()) {
    for (int map = 0; map < 3; ++map) {
      std::vector<std::int32_t> given;
      for (const std::size_t key : order) given.push_back(hashes[key]);
      std::vector<std::size_t> next;
      for (const std::size_t place : map_order(given)) next.push_back(order[place]);
      order = std::move(next);
    }
  }
  std::size_t best = order[0];
  for (const std::size_t key : order) best = counts[key] > counts[best] ? key : best;
  return *keys[best];
}

// Of the values of a window.
template <int Power>
Result<Value> standardized_moment(const ValueKernel&, const Values& a) {
  const auto values = without_nulls(a[0]);
  const auto count = static_cast<double>(values.size());
  double mean = 0;
  for (const Value& value : values) mean += value.floating / count;
  double second = 0;
  double wanted = 0;
  for (const Value& value : values) {
    const double distance = value.floating - mean;
    second += distance * distance;
    wanted += std::pow(distance, Power);
  }
  if (count == 0 || second == 0) return null_value();
  if (Power == 3)
    return floating_value(std::sqrt(count) * wanted / std::sqrt(second * second * second));
  return floating_value(count * wanted / (second * second) - 3.0);
}

// java.util.Random, as far as sketches need it.
class JavaRandom {
 public:
  explicit JavaRandom(std::int64_t seed)
      : state_((static_cast<std::uint64_t>(seed) ^ 0x5DEECE66DULL) & mask) {}
  std::int32_t below(std::int32_t bound) {
    std::int32_t r = next31();
    const std::int32_t m = bound - 1;
    if ((bound & m) == 0)
      return static_cast<std::int32_t>((static_cast<std::int64_t>(bound) * r) >> 31);
    for (std::int32_t u = r; static_cast<std::int64_t>(u) - (r = u % bound) + m > 0x7fffffffLL;)
      u = next31();
    return r;
  }

  double next_double() {
    const std::int64_t high = next31() >> 5;
    const std::int64_t low = next31() >> 4;
    return static_cast<double>((high << 27) + low) * 0x1.0p-53;
  }

 private:
  static constexpr std::uint64_t mask = (std::uint64_t{1} << 48) - 1;
  std::int32_t next31() {
    state_ = (state_ * 0x5DEECE66DULL + 0xB) & mask;
    return static_cast<std::int32_t>(state_ >> 17);
  }
  std::uint64_t state_;
};

// histogram_numeric(values, bins): while there are too many bins the two that are nearest become
// one at their weighted mean.
Result<Value> histogram_numeric(const ValueKernel& kernel, const Values& a) {
  const auto limit = static_cast<std::size_t>(a[1].integer);
  std::vector<std::pair<double, double>> bins;  // center, weight
  JavaRandom random(31183);
  for (const Value& value : without_nulls(a[0])) {
    const double x = as_double(value);
    const auto place = std::lower_bound(bins.begin(), bins.end(), std::pair(x, 0.0));
    if (place != bins.end() && place->first == x) {
      place->second += 1;
      continue;
    }
    bins.insert(place, {x, 1.0});
    if (bins.size() <= limit) continue;
    std::size_t nearest = 0;
    double smallest = bins[1].first - bins[0].first;
    int equal = 1;
    for (std::size_t i = 1; i + 1 < bins.size(); ++i) {
      const double gap = bins[i + 1].first - bins[i].first;
      if (gap < smallest) {
        smallest = gap;
        nearest = i;
        equal = 1;
      } else if (gap == smallest && random.next_double() <= 1.0 / ++equal) {
        nearest = i;  // of gaps that are equal one by chance, as Spark has it
      }
    }
    auto& [center, weight] = bins[nearest];
    const auto& [next, next_weight] = bins[nearest + 1];
    const double sum = weight + next_weight;
    center *= weight / sum;
    center += next / sum * next_weight;
    weight = sum;
    bins.erase(bins.begin() + static_cast<std::ptrdiff_t>(nearest) + 1);
  }
  if (bins.empty()) return null_value();
  const TypeKind x_kind = kernel.result->element()->fields()[0].type->kind();
  const bool whole = x_kind != TypeKind::double_ && x_kind != TypeKind::float_;
  std::vector<Value> out;
  for (const auto& [center, weight] : bins) {
    out.push_back(list_value(
        {whole ? integer_value(static_cast<std::int64_t>(center)) : floating_value(center),
         floating_value(weight)}));
  }
  return list_value(std::move(out));
}

// freq_items(values, size): with `size` counters, so that what is more frequent than 1/size stays.
Result<Value> freq_items(const ValueKernel&, const Values& a) {
  const std::int64_t limit = std::max<std::int64_t>(a[1].integer, 1);
  Counts counts;
  for (const Value& item : a[0].items) {
    const auto known = counts.find(item);
    if (known != counts.end()) {
      ++known->second;
    } else if (static_cast<std::int64_t>(counts.size()) < limit) {
      counts.emplace(item, 1);
    } else {
      const auto least =
          std::min_element(counts.begin(), counts.end(),
                           [](const auto& x, const auto& y) { return x.second < y.second; });
      const std::int64_t lost = least->second;
      if (1 >= lost) {
        std::erase_if(counts, [&](const auto& entry) { return entry.second <= lost; });
        for (auto& [value, count] : counts) count -= lost;
      } else {
        for (auto& [value, count] : counts) count -= 1;
      }
    }
  }
  std::vector<Value> out;
  for (const auto& [value, count] : counts) out.push_back(value);
  return list_value(std::move(out));
}

template <typename T>
void put_big_endian(T value, std::string& out) {
  for (int shift = static_cast<int>(sizeof(T)) * 8 - 8; shift >= 0; shift -= 8)
    out += static_cast<char>((static_cast<std::uint64_t>(value) >> shift) & 0xff);
}

// org.apache.spark.util.sketch.CountMinSketch, with its serialized form.
Result<Value> count_min(const ValueKernel&, const Values& a) {
  const double eps = as_double(a[1]);
  const double confidence = as_double(a[2]);
  if (!(eps > 0)) return Status::invalid("requirement failed: Relative error must be positive");
  if (!(confidence > 0 && confidence < 1))
    return Status::invalid("requirement failed: Confidence must be within range (0.0, 1.0)");
  const double wanted_width = std::ceil(2 / eps);
  const double wanted_depth = std::ceil(-std::log(1 - confidence) / std::log(2));
  constexpr double cells_max = 1 << 26;
  if (wanted_width * wanted_depth > cells_max)
    return Status::unsupported("a count-min sketch of more than {} counters", cells_max);
  const auto width = static_cast<std::int32_t>(wanted_width);
  const auto depth = static_cast<std::int32_t>(wanted_depth);
  JavaRandom random(static_cast<std::int32_t>(a[3].integer));  // an INT in Spark
  std::vector<std::int64_t> hashes;
  for (std::int32_t i = 0; i < depth; ++i) hashes.push_back(random.below(0x7fffffff));
  std::vector<std::int64_t> table(static_cast<std::size_t>(width) *
                                  static_cast<std::size_t>(depth));
  std::int64_t total = 0;
  for (const Value& item : without_nulls(a[0])) {
    ++total;
    const bool text = item.kind == Value::Kind::text;
    const std::int32_t first = text ? murmur_bytes(item.text, 0) : 0;
    const std::int32_t second = text ? murmur_bytes(item.text, first) : 0;
    for (std::int32_t i = 0; i < depth; ++i) {
      std::int32_t bucket = 0;
      if (text) {
        const auto mixed = static_cast<std::int32_t>(static_cast<std::uint32_t>(first) +
                                                     static_cast<std::uint32_t>(i) *
                                                         static_cast<std::uint32_t>(second));
        bucket = std::abs(mixed % width);
      } else {
        auto hash = static_cast<std::uint64_t>(hashes[static_cast<std::size_t>(i)]) *
                    static_cast<std::uint64_t>(item.integer);
        hash += static_cast<std::uint64_t>(static_cast<std::int64_t>(hash) >> 32);
        hash &= 0x7fffffffULL;
        bucket = static_cast<std::int32_t>(hash) % width;
      }
      ++table[static_cast<std::size_t>(i) * static_cast<std::size_t>(width) +
              static_cast<std::size_t>(bucket)];
    }
  }
  std::string out;
  put_big_endian(std::int32_t{1}, out);
  put_big_endian(total, out);
  put_big_endian(depth, out);
  put_big_endian(width, out);
  for (const std::int64_t hash : hashes) put_big_endian(hash, out);
  for (const std::int64_t cell : table) put_big_endian(cell, out);
  return text_value(std::move(out));
}

constexpr std::size_t bitmap_bytes = 4096;

Result<Value> bitmap_construct(const ValueKernel&, const Values& a) {
  std::string bits(bitmap_bytes, '\0');
  for (const Value& item : without_nulls(a[0])) {
    if (item.integer < 0 || item.integer >= static_cast<std::int64_t>(8 * bitmap_bytes)) {
      return Status::error("INVALID_BITMAP_POSITION",
                           {{"bitPosition", std::to_string(item.integer)},
                            {"bitmapNumBytes", std::to_string(bitmap_bytes)},
                            {"bitmapNumBits", std::to_string(8 * bitmap_bytes)}});
    }
    char& byte = bits[static_cast<std::size_t>(item.integer / 8)];
    byte = static_cast<char>(byte | (1 << (item.integer % 8)));
  }
  return text_value(std::move(bits));
}

template <bool And>
Result<Value> bitmap_join(const ValueKernel&, const Values& a) {
  std::string bits(bitmap_bytes, And ? '\xff' : '\0');
  for (const Value& item : without_nulls(a[0])) {
    for (std::size_t i = 0; i < bits.size(); ++i) {
      const char other = i < item.text.size() ? item.text[i] : '\0';
      bits[i] = static_cast<char>(And ? bits[i] & other : bits[i] | other);
    }
  }
  return text_value(std::move(bits));
}

// first_by(values, orderings, k): the values of the k greatest (or least) orderings.
template <int Sign>
Result<Value> several_by(const ValueKernel&, const Values& a) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < a[1].items.size(); ++i) {
    if (!a[1].items[i].is_null()) rows.push_back(i);
  }
  if (rows.empty()) return null_value();
  std::stable_sort(rows.begin(), rows.end(), [&](std::size_t x, std::size_t y) {
    return compare(a[1].items[x], a[1].items[y]) * Sign > 0;
  });
  rows.resize(std::min(rows.size(), static_cast<std::size_t>(a[2].integer)));
  std::vector<Value> out;
  for (const std::size_t row : rows) out.push_back(a[0].items[row]);
  return list_value(std::move(out));
}

// approx_distinct(codes, p) of approx_distinct.h.
Result<Value> approx_distinct(const ValueKernel&, const Values& a) {
  std::vector<std::int64_t> codes;
  for (const Value& item : a[0].items) codes.push_back(item.integer);
  return integer_value(approx_distinct_of(codes, static_cast<int>(a[1].integer)));
}

constexpr ValueFunction functions[] = {
    {"approx_distinct", approx_distinct},
    {"percentile", percentile, true},
    {"percentile_approx", percentile_approx, true},
    {"mode", mode, true},
    {"mode_lowest", mode_lowest, true},
    {"histogram_numeric", histogram_numeric, true},
    {"freq_items", freq_items, true},
    {"skewness", standardized_moment<3>, true},
    {"kurtosis", standardized_moment<4>, true},
    {"count_min", count_min, true},
    {"bitmap_construct", bitmap_construct, true},
    {"bitmap_or", bitmap_join<false>, true},
    {"bitmap_and", bitmap_join<true>, true},
    {"first_by", several_by<1>, true},
    {"last_by", several_by<-1>, true},
};

}  // namespace

std::span<const ValueFunction> group_functions() { return functions; }

}  // namespace millstream::engine
