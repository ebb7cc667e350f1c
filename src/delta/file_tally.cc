#include "delta/file_tally.h"

#include <algorithm>

namespace millstream::delta {
namespace {

constexpr std::int64_t kib = 1 << 10;
constexpr std::int64_t mib = 1 << 20;

// The reference implementation's: what it compares are whole histograms.
constexpr std::array<std::int64_t, FileTally::size_bins> bounds_of_sizes = [] {
  std::array<std::int64_t, FileTally::size_bins> out{};
  std::size_t next = 1;
  const auto up_to = [&](std::int64_t last, std::int64_t step) {
    while (out[next - 1] < last) {
      out[next] = out[next - 1] + step;
      ++next;
    }
  };
  const auto double_up_to = [&](std::int64_t last) {
    while (out[next - 1] < last) {
      out[next] = out[next - 1] * 2;
      ++next;
    }
  };
  up_to(8 * kib, 8 * kib);
  double_up_to(4 * mib);
  up_to(40 * mib, 4 * mib);
  up_to(120 * mib, 8 * mib);
  up_to(144 * mib, 4 * mib);
  up_to(576 * mib, 16 * mib);
  up_to(1408 * mib, 64 * mib);
  up_to(2048 * mib, 128 * mib);
  up_to(4096 * mib, 256 * mib);
  double_up_to(262'144 * mib);
  return out;
}();
static_assert(bounds_of_sizes.back() == 262'144 * mib);

std::size_t bin_of_size(std::int64_t size) {
  const auto above = std::upper_bound(bounds_of_sizes.begin(), bounds_of_sizes.end(), size);
  return above == bounds_of_sizes.begin()
             ? 0
             : static_cast<std::size_t>(above - bounds_of_sizes.begin()) - 1;
}

// 0, 1 and more, 10 and more, … 10 million and more, as many as fit 31 bits.
std::size_t bin_of_deleted(std::int64_t rows) {
  constexpr std::array<std::int64_t, FileTally::deleted_bins> bounds = {
      0, 1, 10, 100, 1'000, 10'000, 100'000, 1'000'000, 10'000'000, 2'147'483'647};
  const auto above = std::upper_bound(bounds.begin(), bounds.end(), rows);
  return above == bounds.begin() ? 0 : static_cast<std::size_t>(above - bounds.begin()) - 1;
}

// A log may say any number: sums wrap instead of being undefined.
void add_to(std::int64_t& sum, std::int64_t value, std::int64_t sign) {
  const auto change = static_cast<std::uint64_t>(value) * static_cast<std::uint64_t>(sign);
  sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) + change);
}

}  // namespace

std::span<const std::int64_t> FileTally::size_bounds() { return bounds_of_sizes; }

void FileTally::count(const AddFile& file, std::int64_t sign) {
  files += sign;
  add_to(bytes, file.size, sign);
  const std::size_t bin = bin_of_size(file.size);
  files_of_size[bin] += sign;
  add_to(bytes_of_size[bin], file.size, sign);
  const std::int64_t deleted = file.deletion_vector ? file.deletion_vector->cardinality : 0;
  if (file.deletion_vector) deletion_vectors += sign;
  add_to(deleted_rows, deleted, sign);
  files_with_deleted[bin_of_deleted(deleted)] += sign;
}

}  // namespace millstream::delta
