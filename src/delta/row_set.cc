#include "delta/row_set.h"

#include <arrow/util/bit_util.h>

#include <algorithm>
#include <bit>

namespace millstream::delta {
namespace {

constexpr std::int64_t container_rows = 1 << 16;
constexpr std::size_t array_values_max = 4096;  // more take less room as bits
constexpr std::size_t words = container_rows / 64;
constexpr std::uint32_t portable_magic = 1681511377;
constexpr std::uint32_t cookie_without_runs = 12346;
constexpr std::uint32_t cookie_with_runs = 12347;  // and the number of containers above it

template <typename T>
void append(std::string& out, T value) {
  static_assert(std::endian::native == std::endian::little);
  out.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

}  // namespace

bool RowSet::Container::add(std::uint16_t value) {
  if (!bits.empty()) {
    std::uint64_t& word = bits[value / 64];
    const std::uint64_t bit = std::uint64_t{1} << (value % 64);
    const bool is_new = (word & bit) == 0;
    word |= bit;
    return is_new;
  }
  // Rows come in ascending order, mostly.
  if (values.empty() || values.back() < value) {
    values.push_back(value);
  } else {
    const auto at = std::lower_bound(values.begin(), values.end(), value);
    if (at != values.end() && *at == value) return false;
    values.insert(at, value);
  }
  if (values.size() > array_values_max) {
    bits.assign(words, 0);
    for (const std::uint16_t one : values) bits[one / 64] |= std::uint64_t{1} << (one % 64);
    values = {};
  }
  return true;
}

bool RowSet::Container::contains(std::uint16_t value) const {
  if (!bits.empty()) return ((bits[value / 64] >> (value % 64)) & 1) != 0;
  return std::binary_search(values.begin(), values.end(), value);
}

std::int64_t RowSet::Container::count() const {
  if (bits.empty()) return static_cast<std::int64_t>(values.size());
  std::int64_t set = 0;
  for (const std::uint64_t word : bits) set += std::popcount(word);
  return set;
}

bool RowSet::add(std::int64_t position) {
  const bool is_new = containers_[position / container_rows].add(
      static_cast<std::uint16_t>(position % container_rows));
  count_ += is_new ? 1 : 0;
  return is_new;
}

void RowSet::add_all(const RowSet& other) {
  for (const auto& [key, container] : other.containers_) {
    const std::int64_t first = key * container_rows;
    for (const std::uint16_t value : container.values) add(first + value);
    for (std::size_t i = 0; i < container.bits.size(); ++i) {
      for (std::uint64_t word = container.bits[i]; word != 0; word &= word - 1) {
        add(first + static_cast<std::int64_t>(i) * 64 + std::countr_zero(word));
      }
    }
  }
}

bool RowSet::contains(std::int64_t position) const {
  const auto found = containers_.find(position / container_rows);
  return found != containers_.end() &&
         found->second.contains(static_cast<std::uint16_t>(position % container_rows));
}

void RowSet::clear(std::int64_t first, std::int64_t rows, std::uint8_t* bits) const {
  const std::int64_t end = first + rows;
  for (auto at = containers_.lower_bound(first / container_rows);
       at != containers_.end() && at->first * container_rows < end; ++at) {
    const std::int64_t base = at->first * container_rows;
    const auto clear_one = [&](std::int64_t position) {
      if (position >= first && position < end) arrow::bit_util::ClearBit(bits, position - first);
    };
    for (const std::uint16_t value : at->second.values) clear_one(base + value);
    const auto& set = at->second.bits;
    for (std::size_t i = 0; i < set.size(); ++i) {
      const std::int64_t from = base + static_cast<std::int64_t>(i) * 64;
      if (from + 64 <= first || from >= end) continue;
      for (std::uint64_t word = set[i]; word != 0; word &= word - 1) {
        clear_one(from + std::countr_zero(word));
      }
    }
  }
}

namespace {

// A container as the portable format has it.
struct Encoded {
  std::uint16_t key = 0;
  std::int64_t count = 0;
  bool is_runs = false;
  std::string bytes;
};

// Rows that follow one another take four bytes, where that is less than the rows one by one.
std::string runs_of(const std::vector<std::uint16_t>& rows) {
  std::string runs;
  for (std::size_t i = 0; i < rows.size();) {
    std::size_t end = i + 1;
    while (end < rows.size() && rows[end] == rows[end - 1] + 1) ++end;
    append(runs, rows[i]);
    append(runs, static_cast<std::uint16_t>(end - i - 1));
    i = end;
  }
  std::string out;
  append(out, static_cast<std::uint16_t>(runs.size() / 4));
  return out + runs;
}

// One 32-bit bitmap.
void append_bitmap(std::string& out, const std::vector<Encoded>& containers) {
  constexpr std::size_t offsets_from_containers = 4;  // fewer, with runs: no table of offsets
  const std::size_t begin = out.size();
  const bool has_runs = std::any_of(containers.begin(), containers.end(),
                                    [](const auto& container) { return container.is_runs; });
  if (has_runs) {
    append(out, static_cast<std::uint32_t>(cookie_with_runs | (containers.size() - 1) << 16));
    std::string flags((containers.size() + 7) / 8, 0);
    for (std::size_t i = 0; i < containers.size(); ++i) {
      if (containers[i].is_runs) flags[i / 8] = static_cast<char>(flags[i / 8] | 1 << (i % 8));
    }
    out += flags;
  } else {
    append(out, cookie_without_runs);
    append(out, static_cast<std::uint32_t>(containers.size()));
  }
  for (const auto& container : containers) {
    append(out, container.key);
    append(out, static_cast<std::uint16_t>(container.count - 1));
  }
  // Where each container's values are, from the bitmap's own beginning.
  if (!has_runs || containers.size() >= offsets_from_containers) {
    std::size_t offset = out.size() - begin + containers.size() * sizeof(std::uint32_t);
    for (const auto& container : containers) {
      append(out, static_cast<std::uint32_t>(offset));
      offset += container.bytes.size();
    }
  }
  for (const auto& container : containers) out += container.bytes;
}

}  // namespace

std::string RowSet::to_bytes() const {
  std::map<std::int64_t, std::vector<Encoded>> buckets;
  for (const auto& [key, container] : containers_) {
    Encoded encoded{static_cast<std::uint16_t>(key % container_rows), container.count(), false, ""};
    std::vector<std::uint16_t> rows = container.values;
    for (const std::uint16_t value : container.values) append(encoded.bytes, value);
    for (std::size_t i = 0; i < container.bits.size(); ++i) {
      append(encoded.bytes, container.bits[i]);
      for (std::uint64_t word = container.bits[i]; word != 0; word &= word - 1)
        rows.push_back(
            static_cast<std::uint16_t>(i * 64 + static_cast<std::size_t>(std::countr_zero(word))));
    }
    if (std::string runs = runs_of(rows); runs.size() < encoded.bytes.size()) {
      encoded.bytes = std::move(runs);
      encoded.is_runs = true;
    }
    buckets[key / container_rows].push_back(std::move(encoded));
  }
  std::string out;
  append(out, portable_magic);
  append(out, static_cast<std::uint64_t>(buckets.size()));
  for (const auto& [key, containers] : buckets) {
    append(out, static_cast<std::uint32_t>(key));
    append_bitmap(out, containers);
  }
  return out;
}

}  // namespace millstream::delta
