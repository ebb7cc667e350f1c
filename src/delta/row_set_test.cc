#include "delta/row_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "delta/deletion_vector.h"

namespace millstream::delta {
namespace {

using Bits = std::vector<std::uint8_t>;

template <typename Rows>
Bits left(const Rows& rows, std::int64_t first, std::int64_t count) {
  Bits bits(static_cast<std::size_t>(count + 7) / 8, 0xFF);
  rows.clear(first, count, bits.data());
  return bits;
}

// A set made at random: few rows, a dense block, rows far apart.
std::set<std::int64_t> random_rows(std::mt19937& random) {
  std::set<std::int64_t> rows;
  const auto pick = [&](std::int64_t n) { return static_cast<std::int64_t>(random()) % n; };
  for (std::int64_t i = pick(50); i > 0; --i) rows.insert(pick(1000));
  const std::int64_t block = pick(200'000);
  for (std::int64_t i = pick(12'000); i > 0; --i) rows.insert(block + i);
  for (std::int64_t i = pick(20); i > 0; --i) rows.insert((pick(3) << 32) + pick(1 << 30));
  return rows;
}

// What a deletion vector's reader makes of the bytes is the same set, in whatever order it was
// filled.
TEST(RowSet, IsWhatADeletionVectorOfItsBytesIs) {
  std::mt19937 random(7);
  for (int round = 0; round < 30; ++round) {
    const auto rows = random_rows(random);
    std::vector<std::int64_t> order(rows.begin(), rows.end());
    std::shuffle(order.begin(), order.end(), random);
    RowSet set;
    for (const auto row : order) EXPECT_TRUE(set.add(row));
    for (const auto row : order) EXPECT_FALSE(set.add(row));
    EXPECT_EQ(set.count(), static_cast<std::int64_t>(rows.size()));
    const auto vector = DeletedRows::parse(set.to_bytes());
    ASSERT_TRUE(vector.ok()) << vector.status().message();
    EXPECT_EQ(vector->count(), set.count());
    for (const std::int64_t first : {std::int64_t{0}, std::int64_t{77}, std::int64_t{65'500},
                                     std::int64_t{130'001}, std::int64_t{1} << 32}) {
      EXPECT_EQ(left(set, first, 70'001), left(*vector, first, 70'001)) << first;
    }
    for (int i = 0; i < 200; ++i) {
      const auto row = static_cast<std::int64_t>(random() % 300'000);
      EXPECT_EQ(set.contains(row), rows.contains(row));
    }
  }
}

TEST(RowSet, TakesInAnother) {
  std::mt19937 random(8);
  const auto a = random_rows(random);
  const auto b = random_rows(random);
  RowSet both;
  RowSet other;
  for (const auto row : a) both.add(row);
  for (const auto row : b) other.add(row);
  both.add_all(other);
  std::set<std::int64_t> wanted = a;
  wanted.insert(b.begin(), b.end());
  EXPECT_EQ(both.count(), static_cast<std::int64_t>(wanted.size()));
  for (const auto row : wanted) EXPECT_TRUE(both.contains(row));
}

// As many bytes as the reference's vectors of the same rows.
TEST(RowSet, RowsThatFollowOneAnotherAreRuns) {
  const auto set_of = [](std::int64_t first, std::int64_t last) {
    RowSet set;
    for (std::int64_t row = first; row <= last; ++row) set.add(row);
    return set;
  };
  EXPECT_EQ(set_of(0, 4).to_bytes().size(), 31U);
  EXPECT_EQ(set_of(3, 3).to_bytes().size(), 34U);
  for (const std::int64_t last : {std::int64_t{70'000}, std::int64_t{400'000}}) {
    const auto vector = DeletedRows::parse(set_of(5, last).to_bytes());
    ASSERT_TRUE(vector.ok()) << vector.status().message();
    EXPECT_EQ(vector->count(), last - 4);
    EXPECT_EQ(vector->last(), last);
  }
}

}  // namespace
}  // namespace millstream::delta
