// Checkpoints that Spark 4.2 wrote (tests/golden): we read them, would write the same bytes, and go
// on from them.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "stream/recovery.h"

namespace millstream::stream {
namespace {

std::vector<std::string> golden_checkpoints() {
  std::vector<std::string> found;
  const std::filesystem::path root =
      std::filesystem::path(MILLSTREAM_SOURCE_DIR) / "tests/golden/checkpoints";
  for (const auto& entry : std::filesystem::directory_iterator(root)) {
    if (std::filesystem::exists(entry.path() / "ck/metadata")) found.push_back(entry.path() / "ck");
  }
  std::sort(found.begin(), found.end());
  return found;
}

class Golden : public testing::TestWithParam<std::string> {
 protected:
  std::shared_ptr<io::Store> store = io::local_store();
  Checkpoint checkpoint{store, GetParam()};
};

TEST_P(Golden, WeReadAndWriteTheSameBytes) {
  const std::string metadata = *store->get(GetParam() + "/metadata");
  EXPECT_EQ(format_metadata(*parse_metadata(metadata, "metadata")), metadata);
  ASSERT_TRUE(checkpoint.load().ok());
  ASSERT_TRUE(checkpoint.offsets().newest().has_value());
  for (BatchId batch = 0; batch <= *checkpoint.offsets().newest(); ++batch) {
    const std::string bytes = *store->get(checkpoint.offsets().path_of(batch));
    const auto entry = parse_offsets(bytes, "offsets");
    ASSERT_TRUE(entry.ok()) << entry.status().to_string();
    const std::string ours = format_offsets(*entry);
    EXPECT_EQ(ours.size(), bytes.size()) << "the same, but for the order of the settings";
    EXPECT_EQ(ours.substr(ours.rfind("}}\n")), bytes.substr(bytes.rfind("}}\n")));
    EXPECT_EQ(*parse_offsets(ours, "offsets"), *entry);
  }
  for (BatchId batch = 0; batch <= *checkpoint.commits().newest(); ++batch) {
    const std::string bytes = *store->get(checkpoint.commits().path_of(batch));
    EXPECT_EQ(format_commit(*parse_commit(bytes, "commits")), bytes);
  }
}

TEST_P(Golden, WeGoOnFromIt) {
  ASSERT_TRUE(checkpoint.load().ok());
  const auto log = read_log_state(checkpoint);
  ASSERT_TRUE(log.ok()) << log.status().to_string();
  const auto& newest = log->newest_offsets->entry;
  const auto plan = plan_recovery(*log, newest.offsets.size(), {});
  ASSERT_TRUE(plan.ok()) << plan.status().to_string();
  EXPECT_FALSE(plan->is_constructed);
  EXPECT_EQ(plan->batch, log->newest_offsets->batch + 1);
  EXPECT_EQ(plan->start, newest.offsets);
  EXPECT_EQ(plan->conf, newest.conf) << "Spark 4.2 pins the keys that we know";
}

INSTANTIATE_TEST_SUITE_P(
    Spark, Golden, testing::ValuesIn(golden_checkpoints()), [](const auto& golden) {
      return std::filesystem::path(golden.param).parent_path().filename().string();
    });

}  // namespace
}  // namespace millstream::stream
