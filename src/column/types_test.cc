#include "column/types.h"

#include <arrow/type.h>
#include <gtest/gtest.h>

#include "column/unique_names.h"

namespace millstream::column {
namespace {

TEST(Types, DdlRoundTrip) {
  for (const char* text :
       {"INT", "BIGINT", "DECIMAL(10,2)", "ARRAY<STRING>", "MAP<STRING, INT>",
        "STRUCT<a: INT, `b c`: ARRAY<STRUCT<d: DATE NOT NULL>>>", "TIMESTAMP_NTZ",
        "INTERVAL DAY TO SECOND", "INTERVAL YEAR TO MONTH", "VARIANT", "CHAR(3)", "STRUCT<>"}) {
    const auto type = parse_type(text);
    ASSERT_TRUE(type.ok()) << text << ": " << type.status().to_string();
    EXPECT_EQ((*type)->sql(), text);
  }
}

TEST(Types, SchemaForms) {
  const auto schema = parse_schema("id long NOT NULL, `a.b` string COMMENT 'x', s: struct<n:int>");
  ASSERT_TRUE(schema.ok()) << schema.status().to_string();
  EXPECT_EQ(to_ddl(*schema), "id BIGINT NOT NULL,`a.b` STRING,s STRUCT<n: INT>");
  EXPECT_EQ(
      schema_to_json(*schema),
      R"({"type":"struct","fields":[{"name":"id","type":"long","nullable":false,"metadata":{}},)"
      R"({"name":"a.b","type":"string","nullable":true,"metadata":{"comment":"x"}},)"
      R"({"name":"s","type":{"type":"struct","fields":[{"name":"n","type":"integer","nullable":true,)"
      R"("metadata":{}}]},"nullable":true,"metadata":{}}]})");
  const auto again = schema_from_text(schema_to_json(*schema));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(*again, *schema);
}

TEST(Types, BadTextIsAnErrorNotACrash) {
  for (const char* text : {"a", "a int,", "array<int", "decimal(50,2)", "decimal(x)", "a int b",
                           "struct<a:>", "map<int>", "nosuch", "", "`", "'", "a int NOT"}) {
    const auto type = parse_type(text);
    EXPECT_FALSE(type.ok()) << text;
  }
  EXPECT_EQ(parse_type("nosuch").status().condition(), "UNSUPPORTED_DATATYPE");
  EXPECT_EQ(parse_type("array<int").status().condition(), "PARSE_SYNTAX_ERROR");
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "array<";
  EXPECT_FALSE(parse_type(deep).ok());
  for (const char* json : {"{", "[]", R"({"type":"struct"})", R"({"type":"struct","fields":[1]})",
                           R"({"type":"struct","fields":[{"name":"a","type":{"type":"map"}}]})"}) {
    EXPECT_FALSE(schema_from_json(json).ok()) << json;
  }
}

TEST(Types, NamesAreUniqueAtEachDepth) {
  for (const char* good : {"a INT, b INT", "a INT, s STRUCT<a: INT>"}) {
    EXPECT_TRUE(check_unique_names(*parse_schema(good)).ok()) << good;
  }
  for (const char* bad : {"a INT, a INT", "b INT, A INT, a INT", "s STRUCT<A: INT, a: INT>",
                          "l ARRAY<STRUCT<a: INT, a: INT>>", "m MAP<INT, STRUCT<a: INT, A: INT>>",
                          "m MAP<STRUCT<a: INT, A: INT>, INT>"}) {
    const Status refused = check_unique_names(*parse_schema(bad));
    EXPECT_EQ(refused.condition(), "COLUMN_ALREADY_EXISTS") << bad;
    EXPECT_NE(refused.message().find("`a`"), std::string::npos) << refused.message();
  }
}

TEST(Types, ArrowRoundTrip) {
  const auto schema = parse_schema(
      "a tinyint, b decimal(38,18), c array<map<string,struct<x:timestamp>>>, d timestamp_ntz, e "
      "date, f void");
  ASSERT_TRUE(schema.ok());
  const auto back = from_arrow(*to_arrow(*schema, "America/New_York"));
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(*back, *schema);
  EXPECT_EQ(to_arrow(array_type(int_type()))->field(0)->name(), "element");
}

TEST(Types, TimesOfDay) {
  for (const auto& [ddl, sql] :
       std::vector<std::pair<std::string, std::string>>{{"time", "TIME(6)"},
                                                        {"TIME(0)", "TIME(0)"},
                                                        {"time(3) without time zone", "TIME(3)"},
                                                        {"array<time(2)>", "ARRAY<TIME(2)>"}}) {
    const auto type = parse_type(ddl);
    ASSERT_TRUE(type.ok()) << ddl;
    EXPECT_EQ((*type)->sql(), sql);
    const auto again = type_from_json((*type)->to_json());
    ASSERT_TRUE(again.ok()) << ddl;
    EXPECT_TRUE(same_type(*type, *again));
  }
  EXPECT_TRUE(parse_type("time(7)").status().is("UNSUPPORTED_TIME_PRECISION"));
  EXPECT_FALSE(parse_type("time with time zone").ok());
  EXPECT_FALSE(parse_type("time(-1)").ok());
}

}  // namespace
}  // namespace millstream::column
