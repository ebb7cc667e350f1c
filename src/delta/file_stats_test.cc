#include "delta/file_stats.h"

#include <gtest/gtest.h>

#include <array>
#include <new>

#include "delta/test_rows.h"

namespace millstream::delta {
namespace {

TEST(FileStats, BoundsOfTextsAreCutWhereTheReferenceCutsThem) {
  const auto schema = column::parse_schema("t STRING").value();
  Metadata metadata;
  metadata.schema_string = column::schema_to_json(schema);
  const auto info = make_table_info(std::move(metadata)).value();

  // In memory of zeros: nothing of the gatherer may depend on what was there.
  alignas(FileStatsGatherer) std::array<std::byte, sizeof(FileStatsGatherer)> memory{};
  auto* gatherer = new (memory.data()) FileStatsGatherer(*info);
  ASSERT_TRUE(gatherer->add(testing::batch_of(schema, {{std::string(40, 'a')}})).ok());
  const std::string cut(32, 'a');
  EXPECT_EQ(gatherer->json(), R"({"numRecords":1,"minValues":{"t":")" + cut +
                                  R"("},"maxValues":{"t":")" + cut +
                                  "\x7f\"},\"nullCount\":{\"t\":0}}");
  gatherer->~FileStatsGatherer();
}

}  // namespace
}  // namespace millstream::delta
