#include "delta/alter.h"

#include <gtest/gtest.h>

#include "delta/log.h"
#include "delta/log_names.h"
#include "delta/table.h"
#include "delta/test_rows.h"
#include "delta/write.h"

namespace millstream::delta {
namespace {

using testing::Cell;
using testing::rows_of;
using testing::texts;

class AlterTest : public ::testing::Test {
 protected:
  void append(std::int64_t id) {
    WriteOptions options;
    options.mode = SaveMode::append;
    ASSERT_TRUE(write_table(store_, "/t", rows_of("id BIGINT", {{Cell(id)}}), options).ok());
  }
  std::vector<std::string> rows() {
    const auto table = DeltaTable::open(store_, "/t");
    if (!table.ok()) return {table.status().message()};
    const auto found = (*table)->scan({});
    return found.ok() ? texts(*found) : std::vector<std::string>{found.status().message()};
  }

  std::shared_ptr<io::Store> store_ = io::memory_store();
};

TEST_F(AlterTest, MetadataAloneChangesInOneCommit) {
  append(1);
  const auto version = change_metadata(
      store_, "/t", {"ADD COLUMNS"}, [](Metadata& metadata, column::Schema& schema) {
        metadata.configuration["my.key"] = "v";
        schema.push_back({"s", column::string_type(), true, R"({"comment":"c"})"});
        return Status::OK();
      });
  ASSERT_TRUE(version.ok()) << version.status().to_string();
  EXPECT_EQ(*version, 1);
  const auto table = DeltaTable::open(store_, "/t");
  ASSERT_TRUE(table.ok());
  EXPECT_EQ((*table)->schema().size(), 2U);
  EXPECT_EQ((*table)->snapshot().metadata().configuration.at("my.key"), "v");
  EXPECT_EQ((*table)->snapshot().files().size(), 1U);
}

TEST_F(AlterTest, NothingChangedIsNoCommitWhereAskedFor) {
  append(1);
  const auto same = [](Metadata&, column::Schema&) { return Status::OK(); };
  MetadataCommit as{"X"};
  as.if_changed = true;
  EXPECT_EQ(*change_metadata(store_, "/t", as, same), 0);
  const auto fails = [](Metadata&, column::Schema&) { return Status::invalid("no"); };
  EXPECT_FALSE(change_metadata(store_, "/t", as, fails).ok());
  const auto unknown = [](Metadata& metadata, column::Schema&) {
    metadata.configuration["delta.nosuch"] = "1";
    return Status::OK();
  };
  EXPECT_TRUE(
      change_metadata(store_, "/t", as, unknown).status().is("DELTA_UNKNOWN_CONFIGURATION"));
  EXPECT_EQ((*Log::at(store_, "/t")->latest())->version(), 0);
  as.if_changed = false;
  EXPECT_EQ(*change_metadata(store_, "/t", as, same), 1);
}

TEST_F(AlterTest, TruncateRemovesAllFiles) {
  append(1);
  append(2);
  EXPECT_EQ(*truncate_table(store_, "/t"), 2);
  EXPECT_TRUE(rows().empty());
  EXPECT_EQ(*truncate_table(store_, "/t"), 2);
}

TEST_F(AlterTest, AWriteOfRowsThatWereReadWantsTheTableAsItWas) {
  append(1);
  append(2);
  WriteOptions options;
  options.mode = SaveMode::overwrite;
  options.read_version = 0;
  const auto written = write_table(store_, "/t", rows_of("id BIGINT", {{Cell(9)}}), options);
  EXPECT_TRUE(written.status().is("DELTA_CONCURRENT_APPEND.WITHOUT_HINT"));
  options.read_version = 1;
  EXPECT_TRUE(write_table(store_, "/t", rows_of("id BIGINT", {{Cell(9)}}), options).ok());
  EXPECT_EQ(rows().size(), 1U);
}

}  // namespace
}  // namespace millstream::delta
