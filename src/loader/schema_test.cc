// Hints, evolution, the schema log, offsets.
#include <gtest/gtest.h>

#include "loader/evolution.h"
#include "loader/hints.h"
#include "loader/offset.h"
#include "loader/schema_log.h"

namespace millstream::loader {
namespace {

column::Schema ddl(std::string_view text) { return column::parse_schema(text).value(); }

std::string hinted(std::string_view schema, std::string_view hints) {
  column::Schema result = schema.empty() ? column::Schema{} : ddl(schema);
  for (const auto& hint : parse_hints(hints).value()) {
    auto applied = apply_hint(result, hint);
    if (!applied.ok()) return applied.status().message();
    result = applied.value();
  }
  return column::struct_type(result)->simple_string();
}

TEST(Hints, Grammar) {
  EXPECT_EQ(hinted("amount STRING", "amount DOUBLE, late date"), "struct<amount:double,late:date>");
  EXPECT_EQ(hinted("cust STRUCT<a:STRING,born:STRING>", "cust.born DATE"),
            "struct<cust:struct<a:string,born:date>>");
  EXPECT_EQ(hinted("attrs STRUCT<a:STRING>", "attrs MAP<STRING,STRING>"),
            "struct<attrs:map<string,string>>");
  EXPECT_EQ(hinted("lines ARRAY<STRUCT<qty:BIGINT>>", "lines.element.qty INT"),
            "struct<lines:array<struct<qty:int>>>");
  EXPECT_EQ(hinted("codes ARRAY<BIGINT>", "codes.element STRING"), "struct<codes:array<string>>");
  EXPECT_EQ(hinted("px MAP<STRING,STRING>", "px.value INT,px.key INT"), "struct<px:map<int,int>>");
  EXPECT_EQ(hinted("a STRING", "`a.b` INT, d DECIMAL(10,2)"),
            "struct<a:string,a.b:int,d:decimal(10,2)>");
  EXPECT_EQ(hinted("Id STRING", "ID BIGINT"), "struct<ID:bigint>");
  EXPECT_EQ(hinted("meta STRING", "meta.k int"), "struct<meta:struct<k:int>>");
  EXPECT_EQ(hinted("", "a.b.c INT"), "struct<a:struct<b:struct<c:int>>>");
  EXPECT_NE(hinted("a ARRAY<INT>", "a.x INT").find("'.element'"), std::string::npos);
  for (const char* bad : {"a", "a NOTATYPE", "`a INT", " , a INT", "a INT,"}) {
    EXPECT_FALSE(parse_hints(bad).ok()) << bad;
  }
  EXPECT_TRUE(parse_hints("  ").value().empty());
}

TEST(Hints, ContradictionsAreRefused) {
  const auto refused = [](const char* hints) { return parse_hints(hints).status(); };
  for (const char* twice : {"id INT, id STRING", "id INT, ID INT", "x INT, id INT, Id INT"}) {
    EXPECT_EQ(refused(twice).condition(), "COLUMN_ALREADY_EXISTS") << twice;
    EXPECT_NE(refused(twice).message().find("`id`"), std::string::npos) << twice;
  }
  EXPECT_NE(refused("a.b INT, A.B INT").message().find("`a`.`b`"), std::string::npos);
  EXPECT_NE(refused("a INT, a.b INT").message().find("a cannot be INT and have the member a.b"),
            std::string::npos);
  EXPECT_FALSE(refused("a.b INT, a INT").ok());
  for (const char* fine : {"a INT, ab INT", "a.b INT, a.c INT", "`a.b` INT, a.b INT",
                           "m MAP<STRING,STRING>, m.value INT", "s.x INT, s STRUCT<y: INT>"}) {
    EXPECT_TRUE(parse_hints(fine).ok()) << fine;
  }
}

TEST(Evolution, AsStrings) {
  const auto inferred = ddl("addr STRUCT<zip:BIGINT>, id BIGINT, tags ARRAY<BIGINT>");
  EXPECT_EQ(column::struct_type(as_strings(inferred, {}))->simple_string(),
            "struct<addr:string,id:string,tags:string>");
  EXPECT_EQ(column::struct_type(as_strings(inferred, parse_hints("addr.zip INT").value()))
                ->simple_string(),
            "struct<addr:struct<zip:string>,id:string,tags:string>");
}

std::string evolved(std::string_view tracked, std::string_view inferred, bool strings,
                    const std::set<std::string>& ignored = {}) {
  return column::struct_type(with_new_fields(ddl(tracked), ddl(inferred), strings, ignored))
      ->simple_string();
}

TEST(Evolution, NewFieldsGoToTheEnd) {
  EXPECT_EQ(evolved("id STRING", "color STRING, id BIGINT, zed BIGINT", true),
            "struct<id:string,color:string,zed:string>");
  EXPECT_EQ(evolved("id BIGINT", "a DOUBLE, id STRING", false), "struct<id:bigint,a:double>");
  EXPECT_EQ(evolved("s STRUCT<x:BIGINT>", "s STRUCT<a:STRING,x:BIGINT>", false),
            "struct<s:struct<x:bigint,a:string>>");
  EXPECT_EQ(evolved("l ARRAY<STRUCT<x:BIGINT>>", "l ARRAY<STRUCT<a:STRING>>", false),
            "struct<l:array<struct<x:bigint,a:string>>>");
}

TEST(Evolution, CaseVariantsAndPlaceColumnsAreNotNew) {
  EXPECT_EQ(evolved("id STRING", "ID BIGINT", true), "struct<id:string>");
  EXPECT_EQ(evolved("id STRING", "Date STRING", true, {"date"}), "struct<id:string>");
}

TEST(SchemaLog, NewestNumberHolds) {
  const auto store = io::memory_store();
  const SchemaLog log(store, "/s");
  EXPECT_FALSE(log.newest().value().has_value());
  ASSERT_TRUE(log.append({0, ddl("id STRING"), {}}).ok());
  EXPECT_EQ(
      store->get("/s/_schemas/0").value(),
      "v1\n"
      R"({"dataSchemaJson":"{\"type\":\"struct\",\"fields\":[{\"name\":\"id\",\"type\":\"string\",\"nullable\":true,)"
      R"(\"metadata\":{}}]}","partitionSchemaJson":"{\"type\":\"struct\",\"fields\":[]}"})");
  ASSERT_TRUE(log.append({10, ddl("id STRING, b INT"), ddl("d DATE")}).ok());
  ASSERT_TRUE(log.append({9, ddl("id STRING, c INT"), {}}).ok());
  const auto newest = log.newest().value().value();
  EXPECT_EQ(newest.version, 10);
  EXPECT_EQ(column::to_ddl(newest.data), "id STRING,b INT");
  EXPECT_EQ(column::to_ddl(newest.partitions), "d DATE");
  EXPECT_TRUE(log.append({10, ddl("x STRING"), {}}).is(ErrorKind::already_exists));
}

TEST(SchemaLog, DamagedFilesAreNamed) {
  const auto store = io::memory_store();
  const SchemaLog log(store, "/s");
  for (const char* text :
       {"", "v1", "v2\n{}", "v1\n{\"x\"", "v1\n{}", "v1\n{\"dataSchemaJson\":\"{\"}"}) {
    ASSERT_TRUE(store->put("/s/_schemas/3", text).ok());
    const auto status = log.newest().status();
    EXPECT_NE(status.to_string().find("/s/_schemas/3"), std::string::npos) << text;
  }
}

TEST(SchemaLog, ASecondSourceIsRefused) {
  const SchemaLog log(io::memory_store(), "/s");
  EXPECT_TRUE(log.claim("/c1/sources/0", "file:/a").ok());
  EXPECT_TRUE(log.claim("/c1/sources/0", "file:/a").ok());
  EXPECT_TRUE(
      log.claim("/c2/sources/0", "file:/a").ok());  // a fresh checkpoint over the same input
  EXPECT_TRUE(log.claim("/c2/sources/0", "file:/b").ok());  // the input moved
  const auto refused = log.claim("/c3/sources/0", "file:/c");
  EXPECT_NE(refused.to_string().find("/c2/sources/0"), std::string::npos);
}

TEST(Offset, IsStableText) {
  const std::string text =
      R"({"seqNum":5,"sourceVersion":3,"lastBackfillStartTimeMs":1790000000000,"lastBackfillFinishTimeMs":1790000003000,)"
      R"("lastInputPath":"s3://b/in"})";
  EXPECT_EQ(print_offset(parse_offset(text).value()), text);
  EXPECT_EQ(parse_offset(R"({"sourceVersion":1, "seqNum":2})").value().seq, 2);
  EXPECT_FALSE(parse_offset(R"({"seqNum":2,"sourceVersion":4})").ok());
  EXPECT_FALSE(parse_offset("7").ok());
  EXPECT_FALSE(parse_offset(R"({"logOffset":4})").ok());
}

}  // namespace
}  // namespace millstream::loader
