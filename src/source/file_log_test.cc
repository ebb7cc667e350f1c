#include "source/file_log.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

namespace millstream::source {
namespace {

class StoppedClock final : public Clock {
 public:
  std::int64_t now_us() const override { return now; }
  std::int64_t monotonic_ns() const override { return now * 1000; }
  std::int64_t now = 0;
};

// tests/golden of the tree that this program was built in. Nothing: it runs elsewhere.
std::filesystem::path golden_folder() {
  std::error_code error;
  auto at = std::filesystem::read_symlink("/proc/self/exe", error);
  for (; !error && at.has_relative_path(); at = at.parent_path()) {
    if (std::filesystem::exists(at / "tests/golden")) return at / "tests/golden";
  }
  return {};
}

class FileLogTest : public ::testing::Test {
 protected:
  std::unique_ptr<FileLog> open(const FileLogSettings& settings = {}) {
    auto log = FileLog::open(store, "/c/sources/0", settings, &clock);
    EXPECT_TRUE(log.ok()) << log.status().to_string();
    return std::move(log).value();
  }
  static std::vector<FileLogEntry> file(int i) {
    return {{fmt::format("file:///in/{}.json", i), 1000 + i, 0}};
  }
  std::vector<std::string> names() { return store->list_names("/c/sources/0", {}).value(); }

  std::shared_ptr<io::Store> store = io::memory_store();
  StoppedClock clock;
};

TEST_F(FileLogTest, BytesAreSparks) {
  auto log = open();
  ASSERT_TRUE(log->add({{"file:///data/in/part%20a.json", 1767225599000, 0},
                        {"file:///data/in/b.json", 1767225599500, 0}})
                  .ok());
  EXPECT_EQ(store->get("/c/sources/0/0").value(),
            "v1\n"
            R"({"path":"file:///data/in/part%20a.json","timestamp":1767225599000,"batchId":0})"
            "\n"
            R"({"path":"file:///data/in/b.json","timestamp":1767225599500,"batchId":0})");
}

TEST_F(FileLogTest, EveryTenthEntryIsCompact) {
  auto log = open();
  for (int i = 0; i < 21; ++i) ASSERT_TRUE(log->add(file(i)).ok());
  EXPECT_TRUE(store->exists("/c/sources/0/9.compact").value());
  EXPECT_FALSE(store->exists("/c/sources/0/9").value());
  EXPECT_TRUE(store->exists("/c/sources/0/19.compact").value());
  EXPECT_EQ(log->all()->size(), 21u);
  EXPECT_EQ(open()->all()->size(), 21u);
  EXPECT_EQ(open()->newest(), 20);
  const auto range = log->range(9, 10).value();
  ASSERT_EQ(range.size(), 2u);
  EXPECT_EQ(range[0].uri, "file:///in/9.json");
  EXPECT_EQ(range[0].log_offset, 9);
}

// A log that Spark 4.2 wrote: its files read into ours, and written again they are the same bytes.
TEST_F(FileLogTest, SparksLogComesOutAsItWentIn) {
  const auto golden = golden_folder() / "checkpoints/json_to_delta/ck/sources/0";
  if (!std::filesystem::exists(golden)) GTEST_SKIP() << golden << " is not there";
  std::map<std::string, std::string> sparks;
  for (const auto& file : std::filesystem::directory_iterator(golden)) {
    if (file.path().filename().string().starts_with('.')) continue;
    std::ifstream in(file.path());
    sparks[file.path().filename()] = std::string(std::istreambuf_iterator<char>(in), {});
  }
  for (const auto& [name, text] : sparks)
    ASSERT_TRUE(store->put("/c/sources/0/" + name, text).ok());
  auto read = open();
  EXPECT_EQ(read->newest(), 11);
  const auto ours = io::memory_store();
  auto written = FileLog::open(ours, "/o", {}, &clock).value();
  for (std::int64_t id = 0; id <= read->newest(); ++id)
    ASSERT_TRUE(written->add(read->range(id, id).value()).ok());
  for (const auto& [name, text] : sparks) EXPECT_EQ(ours->get("/o/" + name).value(), text) << name;
}

TEST_F(FileLogTest, ARemovedEntryIsFoundInTheCompactFile) {
  auto log = open();
  for (int i = 0; i < 12; ++i) ASSERT_TRUE(log->add(file(i)).ok());
  ASSERT_TRUE(store->remove("/c/sources/0/3").ok());
  EXPECT_EQ(log->range(3, 4)->size(), 2u);
}

TEST_F(FileLogTest, TheIntervalOfAnExistingLogStays) {
  {
    auto log = open({.compact_interval = 3});
    for (int i = 0; i < 7; ++i) ASSERT_TRUE(log->add(file(i)).ok());  // 2.compact, 5.compact
  }
  auto log = open({.compact_interval = 10});
  for (int i = 7; i < 9; ++i) ASSERT_TRUE(log->add(file(i)).ok());
  EXPECT_TRUE(store->exists("/c/sources/0/8.compact").value());
  EXPECT_EQ(log->all()->size(), 9u);
}

TEST(CompactInterval, OneCompactFile) {
  EXPECT_EQ(derive_compact_interval(5, 11), 6);    // 12: the least divisor that is not below 5
  EXPECT_EQ(derive_compact_interval(10, 4), 5);    // a shorter interval stays
  EXPECT_EQ(derive_compact_interval(10, 11), 12);  // no divisor of 12 between
  EXPECT_EQ(derive_compact_interval(3, 8), 3);
  EXPECT_EQ(derive_compact_interval(4, 12), 13);  // 13 is prime
}

TEST_F(FileLogTest, ASecondWriterIsNoticed) {
  auto one = open();
  auto two = open();
  ASSERT_TRUE(one->add(file(0)).ok());
  EXPECT_EQ(two->add(file(1)).message(),
            "Concurrent update to the log. Multiple streaming jobs detected for 0");
}

TEST_F(FileLogTest, SupersededEntriesAreRemovedInTime) {
  auto log = open({.compact_interval = 5, .cleanup_delay_ms = 0, .entries_to_retain = 6});
  clock.now = SystemClock().now_us() + 1'000'000;
  ASSERT_TRUE(store->put("/c/sources/0/.2.crc", "x").ok());
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(log->add(file(i)).ok());
  // 19 is compact; 14 entries back is 14, so 9.compact and what follows stay.
  EXPECT_EQ(names().front(), "10");
  EXPECT_FALSE(store->exists("/c/sources/0/2").value());
  EXPECT_FALSE(store->exists("/c/sources/0/.2.crc").value());
  EXPECT_EQ(open({.compact_interval = 5})->all()->size(), 20u);
  EXPECT_EQ(log->range(2, 3)->size(), 2u);
}

TEST_F(FileLogTest, DamagedFilesAreNamed) {
  for (const auto& [text, says] : std::vector<std::pair<std::string, std::string>>{
           {"", "Incomplete log file"},
           {"v1", "Incomplete log file"},
           {"v1\n", "Incomplete log file"},
           {"x1\n", "failed to read correct log version from x1"},
           {"v9\n", "The maximum supported log version is v1, but encountered v9"},
           {"v1\n{\"path\":\"file:///a\"", "line 2"}}) {
    ASSERT_TRUE(store->put("/c/sources/0/0", text).ok());
    const auto status = open()->all().status();
    EXPECT_NE(status.to_string().find(says), std::string::npos) << status.to_string();
    EXPECT_NE(status.to_string().find("/c/sources/0/0"), std::string::npos);
  }
  // A trailing newline and leftovers of a crashed writer do no harm.
  ASSERT_TRUE(
      store->put("/c/sources/0/0", "v1\n{\"path\":\"file:///a\",\"timestamp\":1,\"batchId\":0}\n")
          .ok());
  ASSERT_TRUE(store->put("/c/sources/0/.1.0b6f.tmp", "half").ok());
  EXPECT_EQ(open()->all()->size(), 1u);
}

}  // namespace
}  // namespace millstream::source
