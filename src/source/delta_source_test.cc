#include "source/delta_source.h"

#include <gtest/gtest.h>

#include "delta/log_names.h"
#include "delta/test_rows.h"
#include "delta/transaction.h"
#include "delta/write.h"
#include "source/delta_offset.h"

namespace millstream::source {
namespace {

using connector::Offset;
using delta::testing::Cell;
using delta::testing::rows_of;

const std::string table = "/t";

// A table in memory whose commits are made by hand; files need not exist to be dealt out.
class DeltaSourceTest : public ::testing::Test {
 protected:
  void SetUp() override { create("table-1", "id BIGINT"); }

  void create(const std::string& id, const std::string& ddl,
              std::vector<delta::AddFilePtr> adds = {}) {
    delta::Transaction txn;
    delta::Metadata metadata;
    metadata.id = id;
    metadata.schema_string = column::schema_to_json(column::parse_schema(ddl).value());
    txn.metadata = metadata;
    txn.protocol = delta::Protocol();
    txn.adds = std::move(adds);
    log_ = delta::Log::at(store_, table, {false});
    ASSERT_TRUE(delta::commit(*log_, txn).ok());
  }

  static delta::AddFilePtr file(const std::string& path, std::int64_t size = 100,
                                std::int64_t modified = 0, bool data_change = true) {
    delta::AddFile add;
    add.path = path;
    add.size = size;
    add.modification_time = modified;
    add.data_change = data_change;
    return std::make_shared<const delta::AddFile>(std::move(add));
  }
  static delta::RemoveFilePtr removed(const std::string& path, bool data_change = true) {
    delta::RemoveFile remove;
    remove.path = path;
    remove.data_change = data_change;
    return std::make_shared<const delta::RemoveFile>(std::move(remove));
  }

  void commit(std::vector<delta::AddFilePtr> adds, std::vector<delta::RemoveFilePtr> removes = {},
              std::optional<std::string> new_ddl = {}) {
    delta::Transaction txn;
    txn.read = log_->known();
    txn.adds = std::move(adds);
    txn.removes = std::move(removes);
    txn.operation = "WRITE";
    if (new_ddl) {
      txn.metadata = txn.read->metadata();
      txn.metadata->schema_string = column::schema_to_json(column::parse_schema(*new_ddl).value());
    }
    ASSERT_TRUE(delta::commit(*log_, txn).ok());
  }
  void commit_files(int count) {
    std::vector<delta::AddFilePtr> adds;
    for (int i = 0; i < count; ++i)
      adds.push_back(file(fmt::format("v{}-f{}", log_->known()->version() + 1, i)));
    commit(std::move(adds));
  }

  static Options options(std::vector<std::pair<std::string, std::string>> values) {
    Options out;
    for (const auto& [name, value] : values) out.set(name, value);
    return out;
  }
  Result<std::unique_ptr<connector::Source>> try_open(const Options& given) {
    SourceEnv env;
    env.store = store_;
    TRY_ASSIGN(const auto stream, make_delta_stream_table(given, {table}, env));
    return stream->open({});
  }
  std::unique_ptr<connector::Source> open(
      std::vector<std::pair<std::string, std::string>> values = {}) {
    auto source = try_open(options(std::move(values)));
    CHECK(source.ok());
    return std::move(source).value();
  }
  static std::string at(std::int64_t version, std::int64_t index, bool initial,
                        const std::string& id = "table-1") {
    return print_delta_offset({id, version, index, initial});
  }
  // All offsets of a run, from `start` until nothing is new.
  static std::vector<std::string> offsets(connector::Source& source,
                                          std::optional<Offset> start = {}) {
    std::vector<std::string> out;
    for (int i = 0; i < 100; ++i) {
      const auto next = source.latest_offset(start, false);
      if (!next.ok()) {
        out.push_back(next.status().condition());
        break;
      }
      if (!*next || *next == start) break;
      CHECK(source.commit(**next).ok());
      out.push_back(**next);
      start = *next;
    }
    return out;
  }

  std::shared_ptr<io::Store> store_ = io::memory_store();
  std::shared_ptr<delta::Log> log_;
};

TEST(DeltaOffset, TextIsDeltas) {
  const DeltaOffset offset{"66e3fc42-4a90-4c4c-ab74-5fb2ec0ad4b4", 4, 3, true};
  const std::string text =
      R"({"sourceVersion":1,"reservoirId":"66e3fc42-4a90-4c4c-ab74-5fb2ec0ad4b4","reservoirVersion":4,"index":3,"isStartingVersion":true})";
  EXPECT_EQ(print_delta_offset(offset), text);
  EXPECT_EQ(*parse_delta_offset(text), offset);
}

TEST(DeltaOffset, OddOnes) {
  const auto parse = [](int version, int index) {
    return parse_delta_offset(fmt::format(
        R"({{"sourceVersion":{},"reservoirId":"a","reservoirVersion":4,"index":{},"isStartingVersion":false}})",
        version, index));
  };
  EXPECT_EQ(parse(1, -1)->index, DeltaOffset::base_index);
  EXPECT_EQ(parse(3, -20)->index, DeltaOffset::change_index);
  EXPECT_TRUE(parse(2, 0).status().is("DELTA_INVALID_SOURCE_VERSION"));
  EXPECT_TRUE(parse(4, 0).status().is("DELTA_INVALID_FORMAT_FROM_SOURCE_VERSION"));
  EXPECT_TRUE(parse_delta_offset("{}").status().is("DELTA_INVALID_SOURCE_VERSION"));
  EXPECT_TRUE(parse_delta_offset("7").status().is("DELTA_INVALID_SOURCE_OFFSET_FORMAT"));
  EXPECT_TRUE(parse_delta_offset(R"({"sourceVersion":1,"reservoirVersion":4})")
                  .status()
                  .is("DELTA_INVALID_SOURCE_OFFSET_FORMAT"));
}

TEST(DeltaOffset, Order) {
  const DeltaOffset snapshot{"a", 4, 14, true};
  const DeltaOffset base{"a", 5, -1, false};
  const DeltaOffset first{"a", 5, 0, false};
  EXPECT_TRUE(snapshot.is_before(base));
  EXPECT_TRUE(base.is_before(first));
  EXPECT_FALSE(first.is_before(first));
  EXPECT_TRUE((DeltaOffset{"a", 5, 3, true}.is_before(base)));
}

TEST_F(DeltaSourceTest, SnapshotThenCommits) {
  for (int i = 0; i < 4; ++i) commit_files(i == 3 ? 6 : 3);  // 15 files, version 4
  const auto source = open({{"maxFilesPerTrigger", "4"}});
  EXPECT_EQ(offsets(*source), (std::vector<std::string>{at(4, 3, true), at(4, 7, true),
                                                        at(4, 11, true), at(5, -1, false)}));
  commit_files(5);
  commit_files(2);
  EXPECT_EQ(offsets(*source, at(5, -1, false)),
            (std::vector<std::string>{at(5, 3, false), at(7, -1, false)}));
}

TEST_F(DeltaSourceTest, AnEmptyTableGivesAFirstOffset) {
  EXPECT_EQ(offsets(*open()), std::vector<std::string>{at(1, -1, false)});
}

TEST_F(DeltaSourceTest, BytesAreASoftLimit) {
  commit_files(3);
  EXPECT_EQ(offsets(*open({{"maxBytesPerTrigger", "1"}})),
            (std::vector<std::string>{at(1, 0, true), at(1, 1, true), at(2, -1, false)}));
  EXPECT_EQ(offsets(*open({{"maxBytesPerTrigger", "150b"}})),
            (std::vector<std::string>{at(1, 1, true), at(2, -1, false)}));
}

TEST_F(DeltaSourceTest, SnapshotOrderIsTimeThenPath) {
  commit({file("c", 1, 5), file("b", 1, 7), file("a", 1, 7), file("z", 1, 1)});
  const auto source = open({{"maxFilesPerTrigger", "2"}});
  EXPECT_EQ(offsets(*source).size(), 2u);
}

TEST_F(DeltaSourceTest, StartingVersion) {
  commit_files(1);
  commit_files(2);
  EXPECT_EQ(offsets(*open({{"startingVersion", "2"}})), std::vector<std::string>{at(3, -1, false)});
  EXPECT_EQ(offsets(*open({{"startingVersion", "2"}, {"maxFilesPerTrigger", "1"}})),
            (std::vector<std::string>{at(2, 0, false), at(3, -1, false)}));
  EXPECT_EQ(offsets(*open({{"startingVersion", "9"}})),
            std::vector<std::string>{"DELTA_VERSION_NOT_FOUND"});
  EXPECT_TRUE(try_open(options({{"startingVersion", "-1"}})).status().is("DELTA_ILLEGAL_OPTION"));
  EXPECT_TRUE(try_open(options({{"startingVersion", "1"}, {"startingTimestamp", "2024-01-01"}}))
                  .status()
                  .is("DELTA_STARTING_VERSION_AND_TIMESTAMP_BOTH_SET"));
  EXPECT_EQ(offsets(*open({{"startingTimestamp", "1990-01-01"}})),
            std::vector<std::string>{at(3, -1, false)});
  EXPECT_EQ(offsets(*open({{"startingTimestamp", "2999-01-01"}})),
            std::vector<std::string>{"DELTA_TIMESTAMP_GREATER_THAN_COMMIT"});
}

// "latest" means from the first start on, also when there was nothing new then.
TEST_F(DeltaSourceTest, StartingLatestIsPinned) {
  commit_files(1);
  const auto first = open({{"startingVersion", "latest"}})->latest_offset({}, false);
  EXPECT_EQ(**first, at(2, -1, false));
  commit_files(1);
  EXPECT_EQ(offsets(*open({{"startingVersion", "latest"}}), **first),
            std::vector<std::string>{at(3, -1, false)});
}

TEST_F(DeltaSourceTest, CommitsThatChangeData) {
  commit({file("a")});
  const Offset start = at(2, -1, false);
  const auto run = [&](std::vector<std::pair<std::string, std::string>> given) {
    return offsets(*open(std::move(given)), start);
  };
  commit({file("b", 1, 0, false)}, {removed("a", false)});  // OPTIMIZE: no news
  EXPECT_EQ(run({}), std::vector<std::string>{at(3, -1, false)});
  commit({}, {removed("b")});
  EXPECT_EQ(run({}), std::vector<std::string>{"DELTA_SOURCE_IGNORE_DELETE"});
  for (const char* option :
       {"ignoreDeletes", "ignoreChanges", "skipChangeCommits", "ignoreFileDeletion"}) {
    EXPECT_EQ(run({{option, "true"}}), std::vector<std::string>{at(4, -1, false)}) << option;
  }
  commit({file("c"), file("d")}, {removed("a")});
  EXPECT_EQ(run({{"ignoreDeletes", "true"}}),
            std::vector<std::string>{"DELTA_SOURCE_TABLE_IGNORE_CHANGES"});
  EXPECT_EQ(run({{"ignoreChanges", "true"}, {"maxFilesPerTrigger", "1"}}),
            (std::vector<std::string>{at(4, 0, false), at(5, -1, false)}));
  EXPECT_EQ(run({{"skipChangeCommits", "true"}, {"maxFilesPerTrigger", "1"}}),
            std::vector<std::string>{at(5, -1, false)});
}

TEST_F(DeltaSourceTest, WhatComesBeforeABadCommitIsDelivered) {
  commit_files(2);
  const Offset start = at(1, -1, false);
  commit({}, {removed("v1-f0")});
  EXPECT_EQ(offsets(*open({{"maxFilesPerTrigger", "2"}}), start),
            (std::vector<std::string>{at(2, -1, false), "DELTA_SOURCE_IGNORE_DELETE"}));
}

TEST_F(DeltaSourceTest, ExcludedFilesKeepTheirNumbers) {
  commit({file("x-1"), file("a%20b"), file("x-2")});
  EXPECT_EQ(offsets(*open({{"excludeRegex", "a b|x-1"}, {"maxFilesPerTrigger", "1"}})),
            std::vector<std::string>{at(2, -1, false)});
  EXPECT_TRUE(
      try_open(options({{"excludeRegex", "("}})).status().is("DELTA_REGEX_OPT_SYNTAX_ERROR"));
}

TEST_F(DeltaSourceTest, AvailableNowEndsWhereItBegan) {
  commit_files(2);
  const auto source = open({{"maxFilesPerTrigger", "1"}});
  ASSERT_TRUE(source->prepare_for_available_now().ok());
  commit_files(2);
  EXPECT_EQ(offsets(*source), (std::vector<std::string>{at(1, 0, true), at(2, -1, false)}));
}

TEST_F(DeltaSourceTest, AnotherTableIsNoticed) {
  commit_files(1);
  const auto source = open();
  EXPECT_TRUE(source->latest_offset(at(1, -1, false, "other"), false)
                  .status()
                  .is("DIFFERENT_DELTA_TABLE_READ_BY_STREAMING_SOURCE"));
  ASSERT_TRUE(store_->remove_tree(table).ok());
  create("table-2", "id BIGINT");
  EXPECT_TRUE(source->latest_offset(at(1, -1, false), false)
                  .status()
                  .is("DIFFERENT_DELTA_TABLE_READ_BY_STREAMING_SOURCE"));
}

TEST_F(DeltaSourceTest, NewColumnsStopTheRunOnce) {
  commit_files(1);
  const auto source = open();
  const Offset start = at(2, -1, false);
  commit({file("wide")}, {}, "id BIGINT, extra STRING");
  EXPECT_EQ(offsets(*source, start), std::vector<std::string>{"DELTA_SCHEMA_CHANGED_WITH_VERSION"});
  EXPECT_EQ(offsets(*open(), start),
            std::vector<std::string>{at(3, -1, false)});  // the restart takes the column up
}

TEST_F(DeltaSourceTest, LostCommits) {
  for (int i = 0; i < 12; ++i) commit_files(1);
  for (int i = 0; i <= 8; ++i)
    ASSERT_TRUE(store_->remove("/t/_delta_log/" + delta::commit_name(i)).ok());
  const Offset start = at(5, -1, false);
  EXPECT_EQ(offsets(*open(), start),
            std::vector<std::string>{"DELTA_MISSING_FILES_UNEXPECTED_VERSION"});
  EXPECT_EQ(offsets(*open({{"failOnDataLoss", "false"}}), start),
            std::vector<std::string>{at(13, -1, false)});
  // A batch that was planned over commits that are gone cannot be repeated.
  const connector::ScanRequest request{{"id"}, {}, {}};
  EXPECT_TRUE(open({{"failOnDataLoss", "false"}})
                  ->batch(start, at(7, -1, false), request)
                  .status()
                  .is("DELTA_STREAMING_TRAILING_COMMIT_MISSING"));
  // So is a snapshot.
  EXPECT_TRUE(open()
                  ->batch(at(4, 0, true), at(4, 1, true), request)
                  .status()
                  .is("DELTA_LOG_FILE_NOT_FOUND_FOR_STREAMING_SOURCE"));
}

TEST_F(DeltaSourceTest, EndBeforeStartIsRefused) {
  commit_files(2);
  const connector::ScanRequest request{{"id"}, {}, {}};
  EXPECT_FALSE(open()->batch(at(2, -1, false), at(1, 0, true), request).ok());
}

TEST_F(DeltaSourceTest, UnsupportedOptionsAreNamed) {
  const auto source = try_open(options({{"noSuchOption", "true"}}));
  ASSERT_FALSE(source.ok());
  EXPECT_NE(source.status().message().find("noSuchOption"), std::string::npos);
}

}  // namespace
}  // namespace millstream::source
