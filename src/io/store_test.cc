#include "io/store.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

namespace millstream::io {
namespace {

class StoreTest : public testing::TestWithParam<bool> {
 protected:
  StoreTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "ms_store_XXXXXX").string();
    root_ = ::mkdtemp(pattern.data());
    store_ = GetParam() ? local_store() : memory_store();
    EXPECT_TRUE(store_->make_directories(root_).ok());
  }
  ~StoreTest() override { std::filesystem::remove_all(root_); }

  std::string at(std::string_view name) const { return join_path(root_, name); }

  std::string root_;
  std::shared_ptr<Store> store_;
};

TEST_P(StoreTest, PutGetListRemove) {
  ASSERT_TRUE(store_->put(at("d/b"), "two").ok());
  ASSERT_TRUE(store_->put(at("d/a"), "one").ok());
  ASSERT_TRUE(store_->put(at("d/a"), "One").ok());
  EXPECT_EQ(store_->get(at("d/a")).value(), "One");
  EXPECT_EQ(store_->get_range(at("d/b"), 1, 10).value(), "wo");
  EXPECT_EQ(store_->list_names(at("d"), "").value(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(store_->list_names(at("d"), "a").value(), (std::vector<std::string>{"b"}));
  const auto children = store_->list(root_);
  ASSERT_EQ(children->size(), 1u);
  EXPECT_TRUE(children->at(0).is_directory);
  EXPECT_TRUE(store_->remove(at("d/a")).ok());
  EXPECT_TRUE(store_->remove(at("d/a")).ok());
  EXPECT_TRUE(store_->get(at("d/a")).status().is(ErrorKind::file_not_found));
  EXPECT_TRUE(store_->list(at("none")).status().is(ErrorKind::file_not_found));
  EXPECT_FALSE(store_->exists(at("d/a")).value());
  EXPECT_TRUE(store_->exists(at("d/b")).value());
}

TEST_P(StoreTest, OneOfManyCreatorsWins) {
  std::atomic<int> won{0};
  std::atomic<int> lost{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&, i] {
      const Status status = store_->put_if_absent(at("log/0"), std::to_string(i));
      if (status.ok()) ++won;
      if (status.is(ErrorKind::already_exists)) ++lost;
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(won, 1);
  EXPECT_EQ(lost, 15);
  EXPECT_EQ(store_->list_names(at("log"), "").value().size(), 1u) << "temporary files are left";
}

INSTANTIATE_TEST_SUITE_P(Stores, StoreTest, testing::Bool(),
                         [](const auto& p) { return p.param ? "Local" : "Memory"; });

TEST_P(StoreTest, WhatIsNoFileIsNotThere) {
  if (!GetParam()) return;  // only the machine's file system has such things
  namespace fs = std::filesystem;
  ASSERT_TRUE(store_->put(at("d/a"), "one").ok());
  ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0600), 0);
  fs::create_directory_symlink(root_, at("d/loop"));
  fs::create_directory_symlink(at("d"), at("elsewhere"));
  fs::create_symlink(at("circle"), at("circle"));
  for (const char* name : {"pipe", "d/loop", "circle"}) {
    EXPECT_TRUE(store_->stat(at(name)).status().is(ErrorKind::file_not_found)) << name;
  }
  EXPECT_TRUE(store_->stat(at("elsewhere")).value().is_directory);
  EXPECT_EQ(store_->stat(at("elsewhere/a")).value().size, 3);
}

TEST(Path, UrisAndPaths) {
  EXPECT_EQ(store_path("file:/a%20b").value(), "/a b");
  EXPECT_EQ(store_path("file:///a//b/../c/").value(), "/a/c");
  EXPECT_EQ(store_path("/a%20b").value(), "/a%20b");
  EXPECT_EQ(store_path("rel").value(), (std::filesystem::current_path() / "rel").string());
  EXPECT_EQ(store_path("/a:b").value(), "/a:b");
  EXPECT_TRUE(store_path("gs://bucket/x").status().is(ErrorKind::unsupported_operation));
  EXPECT_FALSE(store_path("").ok());
  EXPECT_EQ(to_uri("/a b"), "file:/a%20b");
  EXPECT_EQ(to_file_uri("/a b"), "file:///a%20b");
  EXPECT_EQ(to_text("/a b"), "file:/a b");
}

TEST(Path, PathsOfS3) {
  EXPECT_EQ(store_path("s3a://bucket//a/../b%20c/").value(), "s3a://bucket/b%20c");
  EXPECT_EQ(store_path("S3://bucket").value(), "s3://bucket");
  EXPECT_EQ(store_path("s3n://bucket/").value(), "s3n://bucket");
  EXPECT_EQ(store_path("s3://bucket/../../x").value(), "s3://bucket/x");
  for (const char* bad : {"s3:/x", "s3:x", "s3://", "s3:///x", "s3://a", "s3://u:p@host/x",
                          "s3://b ucket/x", "s3://buc?ket/x", "s3://../x"}) {
    EXPECT_FALSE(store_path(bad).ok()) << bad;
  }
  EXPECT_EQ(canonical_path("s3a://bucket/a"), "s3://bucket/a");
  EXPECT_EQ(canonical_path("/s3a://bucket"), "/s3a://bucket");
  EXPECT_EQ(to_uri("s3a://bucket/a b%"), "s3a://bucket/a%20b%25");
  EXPECT_EQ(to_file_uri("s3a://bucket"), "s3a://bucket");
  EXPECT_EQ(to_text("s3://bucket/a b"), "s3://bucket/a b");
  EXPECT_EQ(parent_path("s3://bucket/a/b"), "s3://bucket/a");
  EXPECT_EQ(parent_path("s3://bucket/a"), "s3://bucket");
  EXPECT_EQ(parent_path("s3://bucket"), "");
  EXPECT_EQ(join_path("s3://bucket", "a"), "s3://bucket/a");
}

}  // namespace
}  // namespace millstream::io
