#include "source/rate.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <gtest/gtest.h>

#include "source/rate_rows.h"

namespace millstream::source {
namespace {

class StoppedClock final : public Clock {
 public:
  std::int64_t now_us() const override { return now; }
  std::int64_t monotonic_ns() const override { return now * 1000; }
  std::int64_t now = 1'700'000'000'123'000;
};

struct Rows {
  std::vector<std::int64_t> times_us;
  std::vector<std::int64_t> values;
};

Rows rows_of(const connector::Batches& batches) {
  Rows rows;
  for (const auto& batch : connector::collect(batches).value()) {
    const auto& times = static_cast<const arrow::TimestampArray&>(*batch->column(0));
    const auto& values = static_cast<const arrow::Int64Array&>(*batch->column(1));
    for (std::int64_t i = 0; i < batch->num_rows(); ++i) {
      rows.times_us.push_back(times.Value(i));
      rows.values.push_back(values.Value(i));
    }
  }
  return rows;
}

class RateTest : public ::testing::Test {
 protected:
  std::unique_ptr<connector::Source> open(const std::string& format,
                                          std::map<std::string, std::string> options) {
    auto table = make_stream_table(format, "", Options(options), {}, {});
    EXPECT_TRUE(table.ok()) << table.status().to_string();
    return table.value()->open({store, "/ckpt/sources/0", &clock, std::nullopt}).value();
  }
  const connector::ScanRequest all = {{"timestamp", "value"}, {}, {}};
  std::shared_ptr<io::Store> store = io::memory_store();
  StoppedClock clock;
};

TEST_F(RateTest, MicroBatchOffsetsAndRows) {
  auto source = open("rate-micro-batch", {{"rowsPerBatch", "3"}, {"startTimestamp", "500"}});
  const auto first = source->latest_offset(std::nullopt, false).value().value();
  EXPECT_EQ(first, R"({"offset":3,"timestamp":1500})");
  const auto second = source->latest_offset(first, false).value().value();
  EXPECT_EQ(second, R"({"offset":6,"timestamp":2500})");
  const Rows rows = rows_of(source->batch(first, second, all).value());
  EXPECT_EQ(rows.values, (std::vector<std::int64_t>{3, 4, 5}));
  EXPECT_EQ(rows.times_us, (std::vector<std::int64_t>{1500'000, 1500'000, 1500'000}));
}

TEST_F(RateTest, MicroBatchUnderAvailableNowIsOneBatch) {
  auto source = open("rate-micro-batch", {{"rowsPerBatch", "3"}});
  ASSERT_TRUE(source->prepare_for_available_now().ok());
  const auto end = source->latest_offset(std::nullopt, false).value();
  EXPECT_EQ(source->latest_offset(end, false).value(), end);
}

TEST_F(RateTest, MicroBatchPartitionsCoverTheRange) {
  auto source = open("rate-micro-batch", {{"rowsPerBatch", "10"}, {"numPartitions", "4"}});
  const auto batches =
      source->batch(std::nullopt, R"({"offset":10,"timestamp":1000})", all).value();
  EXPECT_EQ(batches.partitions.size(), 4u);
  EXPECT_EQ(rows_of(batches).values, (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST_F(RateTest, MicroBatchOptionsAreChecked) {
  for (const auto& [name, value, message] : std::vector<std::array<std::string, 3>>{
           {"rowsPerBatch", "0", "Invalid value '0'. The option 'rowsPerBatch' must be positive"},
           {"startTimestamp", "-1",
            "Invalid value '-1'. The option 'startTimestamp' must be non-negative"}}) {
    std::map<std::string, std::string> options = {{"rowsPerBatch", "5"}};
    options[name] = value;
    EXPECT_EQ(
        make_stream_table("rate-micro-batch", "", Options(options), {}, {}).status().message(),
        message);
  }
  EXPECT_FALSE(make_stream_table("rate-micro-batch", "", Options(), {}, {}).ok());
}

TEST_F(RateTest, MicroBatchStartMovedIsRefused) {
  auto source = open("rate-micro-batch", {{"rowsPerBatch", "3"}, {"startTimestamp", "5000"}});
  const auto status = source->batch(std::nullopt, R"({"offset":3,"timestamp":1000})", all).status();
  EXPECT_TRUE(status.is("MALFORMED_STATE_IN_RATE_PER_MICRO_BATCH_SOURCE.INVALID_TIMESTAMP"));
}

TEST_F(RateTest, ClockRateKeepsItsCreationTime) {
  auto source = open("rate", {{"rowsPerSecond", "2"}});
  EXPECT_EQ(store->get("/ckpt/sources/0/0").value(), "v1\n1700000000123");
  EXPECT_EQ(source->description(),
            "RateStreamV2[rowsPerSecond=2, rampUpTimeSeconds=0, numPartitions=default");
  EXPECT_FALSE(source->supports_available_now());
  clock.now += 2'000'000;
  EXPECT_EQ(source->latest_offset(std::nullopt, false).value().value(), "2");
  clock.now += 3'000'000;
  auto again = open("rate", {{"rowsPerSecond", "2"}});
  EXPECT_EQ(again->latest_offset(std::nullopt, false).value().value(), "5");
  const Rows rows = rows_of(again->batch("2", "4", all).value());
  EXPECT_EQ(rows.values, (std::vector<std::int64_t>{4, 5, 6, 7}));
  EXPECT_EQ(rows.times_us[1] - rows.times_us[0], 500'000);
  EXPECT_EQ(rows.times_us[0], 1'700'000'002'123'000);
}

TEST_F(RateTest, ClockSetBackGivesTheSameOffset) {
  auto source = open("rate", {});
  clock.now += 4'000'000;
  EXPECT_EQ(source->latest_offset(std::nullopt, false).value().value(), "4");
  clock.now -= 3'000'000;
  EXPECT_EQ(source->latest_offset("4", false).value().value(), "4");
}

TEST(RateValues, RampUp) {
  // 10 rows a second after 4 seconds: 0 2 6 12 20 30 40.
  std::vector<std::int64_t> values;
  for (int second = 0; second < 7; ++second) values.push_back(rate_value_at(second, 10, 4));
  EXPECT_EQ(values, (std::vector<std::int64_t>{0, 2, 6, 12, 20, 30, 40}));
}

TEST_F(RateTest, ProjectionToNoColumnsKeepsTheCount) {
  auto source = open("rate-micro-batch", {{"rowsPerBatch", "7"}});
  const auto read = connector::collect(
                        source->batch(std::nullopt, R"({"offset":7,"timestamp":1000})", {}).value())
                        .value();
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(read[0]->num_rows(), 7);
  EXPECT_EQ(read[0]->num_columns(), 0);
}

TEST(Providers, UnknownAndRefusedFormats) {
  EXPECT_TRUE(
      make_stream_table("nonsense", "", Options(), {}, {}).status().is("DATA_SOURCE_NOT_FOUND"));
  const auto refused = make_stream_table("Kafka", "", Options(), {}, {}).status();
  EXPECT_EQ(refused.kind(), ErrorKind::unsupported_operation);
  EXPECT_NE(refused.message().find("Kafka"), std::string::npos);
}

}  // namespace
}  // namespace millstream::source
