#include "loader/seen_files.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/random.h"

namespace millstream::loader {
namespace {

// Both forms keep the same promises.
class SeenFilesTest : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    directory_ = std::filesystem::temp_directory_path() / ("seen-" + new_uuid());
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  Result<std::unique_ptr<SeenFiles>> open() {
    return open_seen_files(GetParam() ? io::local_store() : memory_, directory_.string());
  }
  static SeenFile file(const std::string& path, std::int64_t modified_us = 7,
                       std::int64_t discovered_ms = 100) {
    return {path, 11, modified_us, discovered_ms, 0};
  }
  static std::vector<std::string> paths(SeenFiles& seen, std::int64_t after, std::int64_t up_to) {
    std::vector<std::string> found;
    EXPECT_TRUE(seen.visit(after, up_to,
                           [&](const SeenFile& f) {
                             found.push_back(f.path);
                             return true;
                           })
                    .ok());
    return found;
  }

  std::filesystem::path directory_;
  std::shared_ptr<io::Store> memory_ = io::memory_store();
};

TEST_P(SeenFilesTest, NumbersStayAcrossReopening) {
  {
    auto seen = open().value();
    EXPECT_EQ(seen->meta().last_seq, 0);
    ASSERT_TRUE(seen->add({file("/in/b"), file("/in/a")}, true, {0, true, 5, 6}).ok());
    ASSERT_TRUE(seen->add({file("/in/x/c")}, true, seen->meta()).ok());
  }
  auto seen = open().value();
  EXPECT_EQ(seen->meta().last_seq, 3);
  EXPECT_TRUE(seen->meta().first_listing_done);
  EXPECT_EQ(seen->meta().first_listing_finish_ms, 6);
  EXPECT_EQ(paths(*seen, 0, 3), (std::vector<std::string>{"/in/b", "/in/a", "/in/x/c"}));
  EXPECT_EQ(paths(*seen, 1, 2), (std::vector<std::string>{"/in/a"}));
  ASSERT_TRUE(seen->visit(2, 9,
                          [](const SeenFile& f) {
                            EXPECT_EQ(f.size, 11);
                            EXPECT_EQ(f.modified_us, 7);
                            EXPECT_EQ(f.discovered_ms, 100);
                            EXPECT_EQ(f.seq, 3);
                            return true;
                          })
                  .ok());
}

TEST_P(SeenFilesTest, TheTimeOfAFileIsNoPartOfItsPath) {
  auto seen = open().value();
  const std::int64_t slashes = 0x2f2f2f2f2f2f2f2f;  // eight bytes '/'
  ASSERT_TRUE(
      seen->add({file("/in/a", slashes), file("/in/b", '/'), file("/in/x/c", slashes)}, true, {})
          .ok());
  EXPECT_EQ(seen->known("/in", {"a", "b", "c", "x"}).value(),
            (std::vector<bool>{true, true, false, false}));
}

TEST_P(SeenFilesTest, KnownIsByDirectory) {
  auto seen = open().value();
  std::vector<SeenFile> files;
  for (const char* path :
       {"/in/a", "/in/a.json", "/in/a/deep", "/in/a/b/deeper", "/in/b0", "/in/c", "/in-other/z"}) {
    files.push_back(file(path));
  }
  ASSERT_TRUE(seen->add(files, true, {}).ok());
  const std::vector<std::string> names = {"a", "a.json", "aa", "b", "b0", "c", "z"};
  EXPECT_EQ(seen->known("/in", names).value(),
            (std::vector<bool>{true, true, false, false, true, true, false}));
  EXPECT_EQ(seen->known("/in/a", {"b", "deep"}).value(), (std::vector<bool>{false, true}));
  EXPECT_EQ(seen->known("/nowhere", {"b"}).value(), (std::vector<bool>{false}));
}

// A time of modification is any eight bytes; one of them may be a '/'.
TEST_P(SeenFilesTest, KnownWhateverTheTime) {
  auto seen = open().value();
  std::vector<SeenFile> files;
  std::vector<std::string> names;
  for (int i = 0; i < 256; ++i) {
    names.push_back(fmt::format("{:03}", i));
    files.push_back(file("/in/" + names.back(), 1'700'000'000'000'000 + i * 257));
  }
  ASSERT_TRUE(seen->add(files, true, {}).ok());
  EXPECT_EQ(seen->known("/in", names).value(), std::vector<bool>(256, true));
}

TEST_P(SeenFilesTest, UnnumberedFilesAreKnownAndNeverRead) {
  auto seen = open().value();
  ASSERT_TRUE(seen->add({file("/in/old")}, false, {0, true, 1, 2}).ok());
  EXPECT_EQ(seen->meta().last_seq, 0);
  EXPECT_EQ(seen->known("/in", {"old"}).value(), (std::vector<bool>{true}));
  EXPECT_TRUE(paths(*seen, 0, 100).empty());
}

TEST_P(SeenFilesTest, VersionsAreFilesOfTheirOwn) {
  auto seen = open().value();
  ASSERT_TRUE(seen->add({file("/in/a", 1)}, true, {}).ok());
  EXPECT_TRUE(seen->known_version("/in/a", 1).value());
  EXPECT_FALSE(seen->known_version("/in/a", 2).value());
  ASSERT_TRUE(seen->add({file("/in/a", 2)}, true, {}).ok());
  EXPECT_EQ(paths(*seen, 0, 2), (std::vector<std::string>{"/in/a", "/in/a"}));
  EXPECT_EQ(seen->known("/in", {"a"}).value(), (std::vector<bool>{true}));
}

TEST_P(SeenFilesTest, ExpiryKeepsWhatMayBeRunAgain) {
  auto seen = open().value();
  ASSERT_TRUE(
      seen->add({file("/in/a", 1, 10), file("/in/b", 1, 20), file("/in/c", 1, 20)}, true, {}).ok());
  ASSERT_TRUE(seen->expire(100, 2).ok());
  EXPECT_EQ(paths(*seen, 0, 9), (std::vector<std::string>{"/in/c"}));
  EXPECT_EQ(seen->known("/in", {"a", "b", "c"}).value(), (std::vector<bool>{false, false, true}));
  seen = nullptr;
  seen = open().value();
  EXPECT_EQ(paths(*seen, 0, 9), (std::vector<std::string>{"/in/c"}));
  EXPECT_EQ(seen->meta().last_seq, 3);
}

INSTANTIATE_TEST_SUITE_P(Forms, SeenFilesTest, ::testing::Values(true, false),
                         [](const auto& form) { return form.param ? "rocksdb" : "log"; });

TEST(RocksdbSeenFiles, ASecondUserIsRefusedByPath) {
  const auto directory = std::filesystem::temp_directory_path() / ("seen-" + new_uuid());
  {
    const auto first = open_rocksdb_seen_files(directory.string());
    ASSERT_TRUE(first.ok()) << first.status().to_string();
    const auto second = open_rocksdb_seen_files(directory.string());
    ASSERT_FALSE(second.ok());
    EXPECT_NE(second.status().message().find(directory.string() + " is in use"), std::string::npos)
        << second.status().message();
  }
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace millstream::loader
