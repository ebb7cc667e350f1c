#include "stream/checkpoint.h"

#include <gtest/gtest.h>

namespace millstream::stream {
namespace {

TEST(Metadata, IsSparksFile) {
  const std::string id = "0b6f4a4e-6a0d-4a57-9a55-0d9e0c6f2a11";
  const std::string text = format_metadata(id);
  EXPECT_EQ(text, "{\"id\":\"0b6f4a4e-6a0d-4a57-9a55-0d9e0c6f2a11\"}");
  EXPECT_EQ(text.size(), 45U);
  EXPECT_EQ(*parse_metadata(text, "metadata"), id);
  EXPECT_FALSE(parse_metadata("", "metadata").ok());
  EXPECT_FALSE(parse_metadata("{}", "metadata").ok());
}

TEST(OffsetsFile, IsSparksFile) {
  OffsetEntry entry;
  entry.timestamp_ms = 1767225600123;
  entry.conf = {{"spark.sql.shuffle.partitions", "8"}};
  entry.offsets = {R"({"logOffset":0})", R"({"clicks":{"0":120,"1":87}})", std::nullopt};
  const std::string text = format_offsets(entry);
  EXPECT_EQ(
      text,
      "v1\n"
      R"({"batchWatermarkMs":0,"batchTimestampMs":1767225600123,"conf":{"spark.sql.shuffle.partitions":"8"}})"
      "\n{\"logOffset\":0}\n{\"clicks\":{\"0\":120,\"1\":87}}\n-");
  EXPECT_EQ(*parse_offsets(text, "o"), entry);
  EXPECT_EQ(*parse_offsets(text + "\n", "o"), entry) << "a line break at the end is tolerated";
}

TEST(OffsetsFile, KeepsWhatItDoesNotKnow) {
  const auto entry = parse_offsets(
      "v1\n{\"batchWatermarkMs\":7,\"batchTimestampMs\":8,\"conf\":{\"spark.new.key\":\"x\"},"
      "\"more\":1}\n5",
      "o");
  ASSERT_TRUE(entry.ok()) << entry.status().to_string();
  EXPECT_EQ(entry->conf.at("spark.new.key"), "x");
  EXPECT_EQ(entry->watermark_ms, 7);
  const auto legacy = parse_offsets("v1\n\n5", "o");
  ASSERT_TRUE(legacy.ok());
  EXPECT_FALSE(legacy->has_metadata);
  EXPECT_EQ(legacy->offsets, Offsets{"5"});
}

TEST(OffsetsFile, BadFilesAreNamed) {
  const struct {
    const char* text;
    const char* condition;
    const char* part;
  } cases[] = {
      {"", "", "Incomplete log file"},
      {"v1", "", "Incomplete log file"},
      {"v9\n{}\n5", "INVALID_LOG_VERSION.MAX_SUPPORTED_VERSION", "but encountered v9"},
      {"v2\n{}\na:5", "UNSUPPORTED_FEATURE.MILLSTREAM", "named sources"},
      {"v0\n{}\n5", "MALFORMED_LOG_FILE", "from v0"},
      {"vx\n{}\n5", "MALFORMED_LOG_FILE", "from vx"},
      {"{}\n5", "MALFORMED_LOG_FILE", "from {}"},
      {"v1\n{\"batchWatermarkMs\":\n5", "", "not a JSON object"},
      {"v1\n{}", "", "it has no offset"},
      {"v1\n{}\n", "", "it has no offset"},
      {"v1\n{}\n{\"logOff", "", "an offset is cut off"},
  };
  for (const auto& c : cases) {
    const auto parsed = parse_offsets(c.text, "/ck/offsets/3");
    ASSERT_FALSE(parsed.ok()) << c.text;
    EXPECT_EQ(parsed.status().condition(), c.condition);
    EXPECT_NE(parsed.status().message().find("Failed to read log file file:/ck/offsets/3. "),
              std::string::npos)
        << parsed.status().message();
    EXPECT_NE(parsed.status().message().find(c.part), std::string::npos)
        << parsed.status().message();
  }
}

TEST(CommitFile, IsSparksFile) {
  EXPECT_EQ(format_commit({0}), "v1\n{\"nextBatchWatermarkMs\":0}");
  EXPECT_EQ(format_commit({0}).size(), 29U);
  EXPECT_EQ(parse_commit("v1\n{\"nextBatchWatermarkMs\":9000}", "c")->next_watermark_ms, 9000);
  for (const char* text : {"v1", "v1\n", "v1\n{}", "v1\n{\"other\":1}\n"}) {
    ASSERT_TRUE(parse_commit(text, "c").ok()) << text;
    EXPECT_EQ(parse_commit(text, "c")->next_watermark_ms, 0);
  }
  EXPECT_NE(
      parse_commit("", "c").status().message().find("Incomplete log file in the offset commit log"),
      std::string::npos);
  EXPECT_NE(parse_commit("v2\n{}", "c").status().message().find("state checkpoint ids"),
            std::string::npos);
}

class CheckpointFiles : public testing::Test {
 protected:
  std::shared_ptr<io::Store> store = io::memory_store();
  Random random{1};
};

TEST_F(CheckpointFiles, TheIdIsMadeOnce) {
  const auto id = Checkpoint::open_query_id(*store, "/ck", random);
  ASSERT_TRUE(id.ok());
  EXPECT_TRUE(is_uuid(*id));
  EXPECT_EQ(*Checkpoint::open_query_id(*store, "/ck", random), *id);
}

TEST_F(CheckpointFiles, LogsWithoutMetadataAreRefused) {
  for (const char* log : {"/a/offsets/0", "/b/commits/0"})
    ASSERT_TRUE(store->put(log, "v1\n{}").ok());
  for (const char* directory : {"/a", "/b"}) {
    const auto id = Checkpoint::open_query_id(*store, directory, random);
    ASSERT_FALSE(id.ok());
    EXPECT_EQ(id.status().condition(), "STREAMING_CHECKPOINT_MISSING_METADATA_FILE");
  }
}

TEST_F(CheckpointFiles, OtherNamesInTheLogsAreIgnored) {
  for (const char* name : {".3.abc.tmp", "3.tmp", "notanumber", "007", "-1", ".4.crc"}) {
    ASSERT_TRUE(store->put(io::join_path("/ck/offsets", name), "x").ok());
  }
  Checkpoint checkpoint(store, "/ck");
  ASSERT_TRUE(checkpoint.load().ok());
  EXPECT_TRUE(checkpoint.offsets().empty());
}

TEST_F(CheckpointFiles, ASecondWriterOfABatchLoses) {
  Checkpoint mine(store, "/ck");
  Checkpoint theirs(store, "/ck");
  ASSERT_TRUE(theirs.add_offsets(0, {}).ok());
  const Status lost = mine.add_offsets(0, {});
  EXPECT_EQ(lost.condition(), "CONCURRENT_STREAM_LOG_UPDATE");
  EXPECT_NE(lost.message().find("detected for 0"), std::string::npos);
  ASSERT_TRUE(theirs.add_commit(0, {}).ok());
  EXPECT_EQ(mine.add_commit(0, {}).condition(), "CONCURRENT_STREAM_LOG_UPDATE");
}

TEST_F(CheckpointFiles, PurgeTakesSidecarsAlong) {
  Checkpoint writer(store, "/ck");
  for (BatchId batch = 0; batch < 5; ++batch) {
    ASSERT_TRUE(writer.add_offsets(batch, {}).ok());
    ASSERT_TRUE(store->put(fmt::format("/ck/offsets/.{}.crc", batch), "crc").ok());
  }
  Checkpoint checkpoint(store, "/ck");
  ASSERT_TRUE(checkpoint.load().ok());
  ASSERT_TRUE(checkpoint.purge_below(3).ok());
  const auto names = store->list_names("/ck/offsets", "");
  EXPECT_EQ(*names, (std::vector<std::string>{".3.crc", ".4.crc", "3", "4"}));
}

TEST_F(CheckpointFiles, AnOrphanSidecarDoesNotOutliveItsBatch) {
  ASSERT_TRUE(store->put("/ck/commits/.0.crc", "crc").ok());
  Checkpoint checkpoint(store, "/ck");
  ASSERT_TRUE(checkpoint.load().ok());
  ASSERT_TRUE(checkpoint.add_commit(0, {}).ok());
  EXPECT_EQ(*store->list_names("/ck/commits", ""), std::vector<std::string>{"0"});
}

}  // namespace
}  // namespace millstream::stream
