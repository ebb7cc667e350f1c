// FileTally: how many live files a table has, how large they are and how many of their rows are
// deleted, kept up to date as files come and go. What a checksum file says of them.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "delta/actions.h"

namespace millstream::delta {

struct FileTally {
  static constexpr std::size_t size_bins = 95;
  static constexpr std::size_t deleted_bins = 10;

  std::int64_t files = 0;
  std::int64_t bytes = 0;
  std::int64_t deletion_vectors = 0;
  std::int64_t deleted_rows = 0;
  std::array<std::int64_t, size_bins> files_of_size{};
  std::array<std::int64_t, size_bins> bytes_of_size{};
  std::array<std::int64_t, deleted_bins> files_with_deleted{};

  void add(const AddFile& file) { count(file, 1); }
  void remove(const AddFile& file) { count(file, -1); }

  // The least size of each bin, in bytes.
  static std::span<const std::int64_t> size_bounds();

 private:
  void count(const AddFile& file, std::int64_t sign);
};

}  // namespace millstream::delta
