#include "format/json_infer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millstream::format {
namespace {

std::string infer(const std::vector<std::string>& files, const JsonOptions& options = {},
                  bool merge = false) {
  const auto store = io::memory_store();
  std::vector<io::FileInfo> infos;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string path = "/in/" + std::to_string(i) + ".json";
    EXPECT_TRUE(store->put(path, files[i]).ok());
    infos.push_back(store->stat(path).value());
  }
  const auto inferred = infer_json_schema(store, infos, options, merge);
  return inferred.ok() ? column::to_ddl(inferred->schema) : inferred.status().condition();
}

TEST(JsonInfer, TypesOfValues) {
  EXPECT_EQ(infer({"{\"i\":1,\"d\":1.5,\"e\":1e3,\"b\":true,\"s\":\"x\",\"n\":null,\"z\":\"\","
                   "\"a\":[],\"o\":{},\"\":1}\n"}),
            "a ARRAY<STRING>,b BOOLEAN,d DOUBLE,e DOUBLE,i BIGINT,n STRING,s STRING,z STRING");
  EXPECT_EQ(infer({"{\"a\":9223372036854775808,\"b\":1e400,\"c\":"
                   "123456789012345678901234567890123456789}\n"}),
            "a DECIMAL(19,0),b DOUBLE,c DOUBLE");
}

TEST(JsonInfer, Merge) {
  EXPECT_EQ(infer({"{\"a\":null,\"b\":1,\"c\":1,\"d\":true,\"e\":{\"x\":1},\"f\":[1],\"g\":\"\"}\n"
                   "{\"a\":1,\"b\":1.5,\"c\":9223372036854775808,\"d\":1,\"e\":{\"y\":\"q\"},\"f\":"
                   "[\"x\",2.5],\"g\":7}\n"}),
            "a BIGINT,b DOUBLE,c DECIMAL(20,0),d STRING,e STRUCT<x: BIGINT, y: STRING>,f "
            "ARRAY<STRING>,g BIGINT");
  EXPECT_EQ(infer({"{\"a\":{\"x\":1}}\n", "{\"a\":[1]}\n"}), "a STRING");
  EXPECT_EQ(infer({"{\"a\":[{\"x\":1}]}\n", "{\"a\":[{\"y\":1},null]}\n"}),
            "a ARRAY<STRUCT<x: BIGINT, y: BIGINT>>");
}

TEST(JsonInfer, NamesAreSortedAndTopLevelArraysMerged) {
  EXPECT_EQ(infer({"[{\"z\":1},{\"M\":1,\"_q\":1,\"a\":1}]\n"}),
            "M BIGINT,_q BIGINT,a BIGINT,z BIGINT");
}

TEST(JsonInfer, MalformedRecordsAddTheCorruptColumnAndNothingElse) {
  EXPECT_EQ(infer({"{\"a\":1}\n{\"b\":1,\"c\":{bad\n"}), "_corrupt_record STRING,a BIGINT");
  EXPECT_EQ(infer({"{\"a\":1}\n5\n"}), "_corrupt_record STRING,a BIGINT");
  EXPECT_EQ(infer({"{\"a\":1}\nnull\n"}), "a BIGINT");
  JsonOptions options;
  options.mode = ParseMode::drop_malformed;
  EXPECT_EQ(infer({"{\"a\":1}\n{\"b\":1,\"c\":{bad\n"}, options), "a BIGINT");
  options.mode = ParseMode::fail_fast;
  EXPECT_EQ(infer({"{\"a\":1}\n{\"b\":1,\"c\":{bad\n"}, options),
            "MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION");
}

TEST(JsonInfer, Options) {
  JsonOptions options;
  options.primitives_as_string = true;
  EXPECT_EQ(infer({"{\"a\":1,\"b\":{\"c\":true},\"d\":[1.5]}\n"}, options),
            "a STRING,b STRUCT<c: STRING>,d ARRAY<STRING>");
  options = {};
  options.prefers_decimal = true;
  EXPECT_EQ(infer({"{\"a\":1.25,\"b\":\"1.5\",\"c\":0.001}\n{\"a\":100.5,\"b\":\"7\"}\n"}, options),
            "a DECIMAL(5,2),b DECIMAL(2,1),c DECIMAL(3,3)");
  options = {};
  options.infer_timestamp = true;
  EXPECT_EQ(infer({"{\"a\":\"2024-01-02T03:04:05Z\",\"b\":\"2024-01-02\",\"c\":\"x\"}\n"}, options),
            "a TIMESTAMP,b TIMESTAMP,c STRING");
  options = {};
  options.drop_field_if_all_null = true;
  EXPECT_EQ(infer({"{\"a\":null,\"b\":[],\"c\":{},\"d\":1}\n"}, options), "d BIGINT");
}

TEST(JsonInfer, NamesThatDifferByCase) {
  EXPECT_EQ(infer({"{\"a\":1}\n{\"A\":\"x\"}\n"}), "COLUMN_ALREADY_EXISTS");
  EXPECT_EQ(infer({"{\"A\":1}\n", "{\"a\":1.5}\n"}, {}, true), "A DOUBLE");
}

TEST(JsonInfer, EmptyFilesGiveAnEmptySchema) { EXPECT_EQ(infer({"", "\n\n"}), ""); }

}  // namespace
}  // namespace millstream::format
