#include "format/files.h"

#include <arrow/scalar.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>

namespace millstream::format {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct GlobCase {
  const char* pattern;
  const char* text;
  bool matches;
};

TEST(Globs, Grammar) {
  const GlobCase cases[] = {
      {"*.json", "a.json", true},
      {"*.json", "a.jsonl", false},
      {"a?c", "abc", true},
      {"a?c",
       "a\xc3\xa9"
       "c",
       true},
      {"[abc]x", "bx", true},
      {"[a-c]x", "dx", false},
      {"[^a]x", "bx", true},
      {"[^a]x", "ax", false},
      {"{ab,cd}x", "cdx", true},
      {"{ab,c{de,fh}}", "cfh", true},
      {"{ab,c{de,fh}}", "cf", false},
      {"a\\*b", "a*b", true},
      {"a\\*b", "axb", false},
      {"*a*b*", "xxaxxbxx", true},
      {"", "", true},
      {"*", "", true},
      {"[", "x", false},
      {"a.c", "abc", false},
  };
  for (const auto& test : cases) {
    const auto glob = Glob::compile(test.pattern);
    if (std::string_view(test.pattern) == "[") {
      EXPECT_FALSE(glob.ok());
      continue;
    }
    ASSERT_TRUE(glob.ok()) << test.pattern;
    EXPECT_EQ(glob->matches(test.text), test.matches) << test.pattern << " " << test.text;
  }
  EXPECT_FALSE(Glob::compile("{a").ok());
}

std::vector<std::string> names(const Result<std::vector<FoundFile>>& found) {
  if (!found.ok()) return {found.status().condition()};
  std::vector<std::string> out;
  for (const auto& file : *found) out.push_back(file.info.path);
  return out;
}

class Listing : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (GetParam()) {
      store_ = io::local_store();
      root_ = std::filesystem::temp_directory_path() / ("listing-" + std::to_string(::getpid()));
      std::filesystem::create_directories(root_);
      root_ = std::filesystem::canonical(root_);
    } else {
      store_ = io::memory_store();
      root_ = "/r";
    }
    for (const char* name :
         {"a.json", "b.txt", "_hidden.json", ".dot.json", "c._COPYING_", "sub/d.json", "_x/e.json",
          "_p=1/f.json", "p=2/g.json", "sub/deep/h.json", "a[1].json"}) {
      ASSERT_TRUE(store_->put(io::join_path(root_, name), "x").ok());
    }
  }
  void TearDown() override { ASSERT_TRUE(store_->remove_tree(root_).ok()); }
  std::vector<std::string> list(const std::string& suffix, const ListOptions& options = {}) {
    auto found = names(list_files(store_, {root_ + suffix}, options));
    for (auto& name : found) {
      if (name.starts_with(root_)) name = name.substr(root_.size() + 1);
    }
    return found;
  }

  std::shared_ptr<io::Store> store_;
  std::string root_;
};

TEST_P(Listing, HiddenNamesAndDepth) {
  EXPECT_THAT(list(""), ElementsAre("_p=1/f.json", "a.json", "a[1].json", "b.txt", "p=2/g.json"));
  ListOptions options;
  options.recursive = true;
  options.glob_filter = "*.json";
  EXPECT_THAT(list("", options), ElementsAre("_p=1/f.json", "a.json", "a[1].json", "p=2/g.json",
                                             "sub/d.json", "sub/deep/h.json"));
}

TEST_P(Listing, TheBasePathHoldsTheRoots) {
  const auto refused = [&](const std::string& root, const std::string& base) -> std::string {
    ListOptions options;
    options.base_path = root_ + base;
    const Status status = list_files(store_, {root_ + root}, options).status();
    return status.ok() ? "" : status.message();
  };
  EXPECT_EQ(refused("/p=2", ""), "");
  EXPECT_EQ(refused("/p=2", "/p=2"), "");
  EXPECT_EQ(refused("/p=2", "/nowhere"), "Option 'basePath' not found");
  EXPECT_EQ(refused("/p=2", "/a.json"), "Option 'basePath' must be a directory");
  EXPECT_EQ(refused("/p=2", "/sub"),
            "Wrong basePath " + root_ + "/sub for the root path: " + io::to_uri(root_ + "/p=2"));
}

TEST_P(Listing, PatternsAndPlainNames) {
  EXPECT_THAT(list("/*.json"), ElementsAre("a.json", "a[1].json"));
  EXPECT_THAT(list("/{a,b}.*"), ElementsAre("a.json", "b.txt"));
  EXPECT_THAT(list("/s*"), ElementsAre("sub/d.json"));
  EXPECT_THAT(list("/sub/*/h.json"), ElementsAre("sub/deep/h.json"));
  EXPECT_THAT(list("/nothing*"), ElementsAre("PATH_NOT_FOUND"));
  EXPECT_THAT(list("/nothing"), ElementsAre("PATH_NOT_FOUND"));
  ListOptions literal;
  literal.glob_paths = false;
  EXPECT_THAT(list("/a[1].json", literal), ElementsAre("a[1].json"));
  literal.ignore_missing = true;
  EXPECT_THAT(list("/nothing", literal), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Stores, Listing, ::testing::Values(false, true));

TEST(Listing, PipesAndCirclesArePassedOver) {
  namespace fs = std::filesystem;
  std::string pattern = (fs::temp_directory_path() / "ms_listing_XXXXXX").string();
  const std::string root = ::mkdtemp(pattern.data());
  const auto store = io::local_store();
  ASSERT_TRUE(store->put(root + "/sub/a.json", "x").ok());
  ASSERT_EQ(::mkfifo((root + "/p.json").c_str(), 0600), 0);
  fs::create_directory_symlink(root, root + "/sub/loop");
  fs::create_symlink(root + "/c.json", root + "/c.json");
  ListOptions options;
  options.recursive = true;
  EXPECT_THAT(names(list_files(store, {root}, options)), ElementsAre(root + "/sub/a.json"));
  fs::remove_all(root);
}

TEST(Listing, TimeBoundsAreStrict) {
  const auto store = io::memory_store();
  ASSERT_TRUE(store->put("/r/a", "x").ok());
  ListOptions options;
  const auto at = store->stat("/r/a")->modified_us;
  options.modified_after_us = at;
  EXPECT_THAT(names(list_files(store, {"/r"}, options)), IsEmpty());
  options.modified_after_us = at - 1;
  options.modified_before_us = at;
  EXPECT_THAT(names(list_files(store, {"/r"}, options)), IsEmpty());
  options.modified_before_us = at + 1;
  EXPECT_THAT(names(list_files(store, {"/r"}, options)), ElementsAre("/r/a"));
}

std::string partitions(const std::vector<std::string>& paths, PartitionRules rules = {}) {
  std::vector<FoundFile> files;
  for (const auto& path : paths) files.push_back({{"/r/" + path, 1, 0, false}, "/r"});
  const auto found = discover_partitions(std::move(files), rules);
  if (!found.ok())
    return found.status().condition().empty() ? found.status().message()
                                              : found.status().condition();
  std::string out = column::to_ddl(found->columns);
  for (const auto& file : found->files) {
    out += " |";
    for (const auto& constant : file.constants)
      out += " " + (constant.value ? constant.value->ToString() : "NULL");
  }
  return out;
}

TEST(Partitions, TypeLadder) {
  EXPECT_EQ(partitions({"y=1/f", "y=001/f"}), "y INT | 1 | 1");
  EXPECT_EQ(partitions({"y=1/f", "y=3000000000/f"}), "y BIGINT | 1 | 3000000000");
  EXPECT_EQ(partitions({"m=01/f", "m=x/f"}), "m STRING | 01 | x");
  EXPECT_EQ(partitions({"m=true/f"}), "m STRING | true");
  EXPECT_EQ(partitions({"m=5d/f"}), "m DOUBLE | 5");
  EXPECT_EQ(partitions({"m=1.5/f", "m=2/f"}), "m DOUBLE | 1.5 | 2");
  EXPECT_EQ(partitions({"m=1e3/f"}), "m DECIMAL(4,0) | 1000");
  EXPECT_EQ(partitions({"m=12345678901234567890/f", "m=1/f"}),
            "m DECIMAL(20,0) | 12345678901234567890 | 1");
  EXPECT_EQ(partitions({"m=12345678901/f", "m=1.5/f"}), "m STRING | 12345678901 | 1.5");
  EXPECT_EQ(partitions({"d=2024-01-02/f"}), "d DATE | 2024-01-02");
  EXPECT_EQ(partitions({"d=2024-01-02 10%3A00%3A00/f", "d=2024-01-02/f"}),
            "d TIMESTAMP | 2024-01-02 10:00:00.000000Z | 2024-01-02 00:00:00.000000Z");
  EXPECT_EQ(partitions({"y=__HIVE_DEFAULT_PARTITION__/f", "y=2/f"}), "y INT | NULL | 2");
  EXPECT_EQ(partitions({"y=__HIVE_DEFAULT_PARTITION__/f"}), "y STRING | NULL");
  EXPECT_EQ(partitions({"a=1/b=x%20y/f"}), "a INT,b STRING | 1 x y");
}

TEST(Partitions, Layouts) {
  EXPECT_EQ(partitions({"a=1/f", "b=1/f"}), "CONFLICTING_PARTITION_COLUMN_NAMES");
  PartitionRules rules;
  rules.lenient = true;
  EXPECT_EQ(partitions({"a=1/f", "b=1/f"}, rules), " | |");
  rules.names = {"b", "a"};
  rules.infer_types = false;
  EXPECT_EQ(partitions({"a=1/f", "b=1/f"}, rules), "b STRING,a STRING | NULL 1 | 1 NULL");
  rules = {};
  rules.types = column::parse_schema("A SMALLINT").value();
  EXPECT_EQ(partitions({"a=1/f"}, rules), "A SMALLINT | 1");
  EXPECT_THAT(partitions({"a=x/f"}, rules), ::testing::HasSubstr("`x`"));
  EXPECT_EQ(partitions({"=x/f", "y=/f"}), " | |");
}

}  // namespace
}  // namespace millstream::format
