#include "delta/log_cleanup.h"

#include <gtest/gtest.h>

#include "base/clock.h"
#include "delta/checkpoint.h"
#include "delta/log.h"
#include "delta/log_names.h"
#include "delta/transaction.h"

namespace millstream::delta {
namespace {

constexpr std::int64_t day_ms = 24LL * 3600 * 1000;
constexpr std::int64_t now_ms = 20'000 * day_ms + day_ms / 2;
const std::string log_dir = "/t/_delta_log";

class SetClock final : public Clock {
 public:
  std::int64_t now_us() const override { return now_ms_ * 1000; }
  std::int64_t monotonic_ns() const override { return now_ms_ * 1'000'000; }
  void set(std::int64_t ms) { now_ms_ = ms; }

 private:
  std::int64_t now_ms_ = 0;
};

TableInfoPtr info_with(const std::string& property, const std::string& value) {
  Metadata metadata;
  metadata.configuration[property] = value;
  return make_table_info(std::move(metadata)).value();
}

// A table whose commits are as old as given, each on a store whose files have those times.
class LogCleanup : public ::testing::Test {
 protected:
  void make(const std::vector<std::int64_t>& ages_in_days, int interval,
            std::map<std::string, std::string> properties = {}) {
    const auto log = Log::at(store_, "/t", {false});
    properties["delta.checkpointInterval"] = "1000";  // checkpoints are written below
    for (std::size_t i = 0; i < ages_in_days.size(); ++i) {
      clock_.set(now_ms - ages_in_days[i] * day_ms);
      Transaction txn;
      txn.read = log->known();
      if (i == 0) {
        txn.protocol = Protocol();
        txn.metadata = Metadata();
        txn.metadata->id = "id";
        txn.metadata->schema_string =
            column::schema_to_json(column::parse_schema("id BIGINT").value());
        txn.metadata->configuration = properties;
      }
      AddFile add;
      add.path = fmt::format("f{}", i);
      txn.adds = {std::make_shared<const AddFile>(add)};
      ASSERT_TRUE(commit(*log, txn).ok());
      ASSERT_TRUE(store_->put(fmt::format("{}/{:020}.crc", log_dir, i), "{}").ok());
      if (i > 0 && i % static_cast<std::size_t>(interval) == 0) {
        ASSERT_TRUE(write_checkpoint(*store_, log_dir, *log->known(), now_ms).ok());
      }
    }
    info_ = log->known()->info_ptr();
  }

  // The oldest commit that is left.
  std::int64_t clean() {
    const Status status = cleaner_.clean(*store_, log_dir, *info_, now_ms);
    EXPECT_TRUE(status.ok()) << status.to_string();
    const auto names = store_->list_names(log_dir, {}).value();
    std::int64_t oldest = INT64_MAX;
    for (const auto& name : names)
      oldest = std::min(oldest, version_of_log_file(name).value_or(INT64_MAX));
    return oldest;
  }

  std::int64_t files_at(std::int64_t version) {
    const auto snapshot = Log::at(store_, "/t", {false})->at_version(version);
    return snapshot.ok() ? static_cast<std::int64_t>((*snapshot)->files().size()) : -1;
  }

  SetClock clock_;
  std::shared_ptr<io::Store> store_ = io::memory_store(&clock_);
  TableInfoPtr info_;
  LogCleaner cleaner_;
};

// As delta-spark leaves it: commits of 40 to 26 days, a checkpoint every five.
TEST_F(LogCleanup, AfterThirtyDays) {
  make({40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26}, 5);
  EXPECT_EQ(clean(), 10);
  EXPECT_EQ(files_at(10), 11);
  EXPECT_EQ(files_at(14), 15);
  EXPECT_EQ(files_at(9), -1);
}

TEST_F(LogCleanup, KeepsWhatAKeptVersionNeeds) {
  make({40, 39, 38, 37, 36, 35, 34, 33, 29, 28, 27, 26}, 5);  // 7 is the newest expired one
  EXPECT_EQ(clean(), 5);
  EXPECT_EQ(files_at(8), 9);
}

TEST_F(LogCleanup, RetentionOfTheTable) {
  make({12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 0}, 5,
       {{"delta.logRetentionDuration", "interval 2 days"}});
  EXPECT_EQ(clean(), 10);
  EXPECT_EQ(files_at(10), 11);
}

TEST_F(LogCleanup, NothingGoes) {
  const std::vector<std::int64_t> old = {60, 59, 58, 57, 56, 55};
  make(old, 5, {{"delta.enableExpiredLogCleanup", "false"}});
  EXPECT_EQ(clean(), 0);
  info_ = info_with("delta.logRetentionDuration", "a while");
  EXPECT_EQ(clean(), 0);
  info_ = info_with("delta.requireCheckpointProtectionBeforeVersion", "6");
  EXPECT_EQ(clean(), 0);
}

TEST_F(LogCleanup, NeedsACheckpoint) {
  make({60, 59, 58, 57, 56, 55}, 100);
  EXPECT_EQ(clean(), 0);
}

TEST_F(LogCleanup, ABrokenCheckpointIsNone) {
  make({60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50}, 5);
  ASSERT_TRUE(store_->put(log_dir + "/" + checkpoint_name(10), "").ok());
  EXPECT_EQ(clean(), 5);
}

std::vector<std::string> sidecars_in(io::Store& store) {
  return store.list_names(log_dir + "/_sidecars", {}).value();
}

TEST_F(LogCleanup, SidecarsGoWithTheirCheckpoints) {
  make({60, 59, 58, 57, 56, 55}, 100);
  const auto log = Log::at(store_, "/t", {false});
  const auto checkpoint = [&](std::int64_t version, std::int64_t age) {
    clock_.set(now_ms - age * day_ms);
    return write_v2_checkpoint(*store_, log_dir, *log->at_version(version).value(), now_ms, 2);
  };
  ASSERT_TRUE(checkpoint(3, 57).ok());
  ASSERT_TRUE(checkpoint(5, 55).ok());
  ASSERT_TRUE(store_->put(log_dir + "/_sidecars/lost.parquet", "x").ok());
  clock_.set(now_ms);
  ASSERT_TRUE(store_->put(log_dir + "/_sidecars/on_its_way.parquet", "x").ok());
  ASSERT_EQ(sidecars_in(*store_).size(), 2U + 3U + 2U);
  EXPECT_EQ(clean(), 5);
  EXPECT_EQ(sidecars_in(*store_).size(), 3U + 1U);
  EXPECT_EQ(files_at(5), 6);
}

TEST_F(LogCleanup, SidecarsStayWhileACheckpointCannotBeRead) {
  make({60, 59, 58, 57, 56, 55}, 100);
  const auto log = Log::at(store_, "/t", {false});
  for (const std::int64_t version : {3, 5}) {
    clock_.set(now_ms - 55 * day_ms);
    const auto state = log->at_version(version).value();
    ASSERT_TRUE(write_v2_checkpoint(*store_, log_dir, *state, now_ms, 2).ok());
  }
  ASSERT_TRUE(store_->put(log_dir + "/" + v2_checkpoint_name(5), "{\"torn").ok());
  EXPECT_FALSE(cleaner_.clean(*store_, log_dir, *info_, now_ms).ok());
  EXPECT_EQ(sidecars_in(*store_).size(), 2U + 3U);
}

TEST_F(LogCleanup, AClockThatWentBackExpiresNothing) {
  EXPECT_EQ(newest_expired({{0, 10}, {1, 50}, {2, 20}, {3, 21}}, 30), 0);
  EXPECT_EQ(newest_expired({{0, 10}, {1, 10}, {2, 10}}, 11), 1);
  EXPECT_EQ(newest_expired({{4, 40}}, 30), std::nullopt);
  EXPECT_EQ(newest_expired({}, 30), std::nullopt);
}

}  // namespace
}  // namespace millstream::delta
