#include "delta/waiting_rows.h"

#include <arrow/array/array_primitive.h>
#include <gtest/gtest.h>

#include "delta/test_rows.h"

namespace millstream::delta {
namespace {

std::map<std::string, std::vector<std::int64_t>> through(std::int64_t memory_bytes_max) {
  const auto schema = column::parse_schema("id BIGINT").value();
  WaitingRows waiting(memory_bytes_max);
  std::int64_t id = 0;
  for (int round = 0; round < 10; ++round) {
    for (const char* directory : {"p=b/", "p=a/", "p=c/"}) {
      PartitionGroup group{directory, {{"p", directory}}, nullptr};
      group.rows = testing::batch_of(schema, {{testing::Cell(id)}, {testing::Cell(id + 1)}});
      id += 2;
      EXPECT_TRUE(waiting.add(std::move(group)).ok());
    }
  }
  std::map<std::string, std::vector<std::int64_t>> out;
  std::string current;
  const Status status = waiting.give(
      [&](const PartitionGroup& group) {
        EXPECT_TRUE(current.empty() || current == group.directory);
        current = group.directory;
        EXPECT_EQ(group.values.at("p"), group.directory);
        const auto& ids = static_cast<const arrow::Int64Array&>(*group.rows->column(0));
        for (std::int64_t i = 0; i < ids.length(); ++i)
          out[group.directory].push_back(ids.Value(i));
        return Status::OK();
      },
      [&](const std::string& directory) {
        EXPECT_EQ(directory, current);
        current.clear();
        return Status::OK();
      });
  EXPECT_TRUE(status.ok()) << status.to_string();
  return out;
}

TEST(WaitingRows, ComeBackByPartitionInTheirOrder) {
  const auto in_memory = through(1 << 20);
  ASSERT_EQ(in_memory.size(), 3U);
  EXPECT_EQ(in_memory.at("p=b/").size(), 20U);
  for (const auto& [directory, ids] : in_memory) EXPECT_TRUE(std::ranges::is_sorted(ids));
  EXPECT_EQ(through(100), in_memory);  // most of them by way of the file
  EXPECT_EQ(through(0), in_memory);
}

}  // namespace
}  // namespace millstream::delta
