#include "base/status.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/options.h"
#include "base/random.h"
#include "base/text.h"

namespace millstream {
namespace {

Result<int> half(int x) {
  if (x % 2 != 0) return Status::invalid("{} is odd", x);
  return x / 2;
}

Result<int> quarter(int x) {
  TRY_ASSIGN(const int once, half(x));
  return half(once);
}

TEST(Status, OkIsOneNullPointer) {
  EXPECT_TRUE(Status().ok());
  EXPECT_EQ(sizeof(Status), sizeof(std::shared_ptr<int>));
}

TEST(Status, ConditionsAreFilledIn) {
  const Status status = Status::error("UNRESOLVED_COLUMN.WITH_SUGGESTION",
                                      {{"objectName", "`x`"}, {"proposal", "`y`, `<z>`"}});
  EXPECT_EQ(status.message(),
            "[UNRESOLVED_COLUMN.WITH_SUGGESTION] A column, variable, or function parameter with "
            "name `x` cannot be "
            "resolved. Did you mean one of the following? [`y`, `<z>`]. SQLSTATE: 42703");
  EXPECT_EQ(status.info().sql_state, "42703");
  EXPECT_EQ(status.kind(), ErrorKind::analysis);
}

TEST(Status, ResultsPropagate) {
  EXPECT_EQ(quarter(12).value(), 3);
  EXPECT_EQ(quarter(6).status().message(), "3 is odd");
  EXPECT_TRUE(quarter(6).status().is(ErrorKind::illegal_argument));
}

TEST(Options, NamesAreCaseInsensitiveAndTyped) {
  const Options options(
      {{"MaxFilesPerTrigger", "10"}, {"size", "2g"}, {"flag", "TRUE"}, {"bad", "x"}});
  EXPECT_EQ(options.get_int("maxfilespertrigger", 0).value(), 10);
  EXPECT_EQ(options.get_bytes("SIZE", 0).value(), 2LL << 30);
  EXPECT_TRUE(options.get_bool("flag", false).value());
  EXPECT_FALSE(options.get_int("bad", 0).ok());
  EXPECT_EQ(options.get_int("absent", 7).value(), 7);
}

TEST(Text, Bytes) {
  EXPECT_EQ(parse_bytes("10"), 10);
  EXPECT_EQ(parse_bytes("10kb"), 10'240);
  EXPECT_EQ(parse_bytes(" 1 MiB "), 1 << 20);
  for (const char* bad : {"", "g", "1x", "-1", "9999999999g", "1.5g"})
    EXPECT_FALSE(parse_bytes(bad)) << bad;
}

TEST(Text, PercentEncodingIsUndoneExactlyOnce) {
  for (const std::string path : {"/a b%20#?[x]{y}\"", "/ü+&='*", "/plain"}) {
    EXPECT_EQ(percent_decode(percent_encode_path(path)), path);
  }
  EXPECT_EQ(percent_encode_path("/a b%#?"), "/a%20b%25%23%3F");
  EXPECT_EQ(percent_decode("%zz%4"), "%zz%4");
}

TEST(Text, FloatingPointIsPrintedAsJavaDoes) {
  EXPECT_EQ(java_text(0.0), "0.0");
  EXPECT_EQ(java_text(-0.0), "-0.0");
  EXPECT_EQ(java_text(1.0), "1.0");
  EXPECT_EQ(java_text(1.5), "1.5");
  EXPECT_EQ(java_text(100.0), "100.0");
  EXPECT_EQ(java_text(9999999.0), "9999999.0");
  EXPECT_EQ(java_text(1e7), "1.0E7");
  EXPECT_EQ(java_text(1e10), "1.0E10");
  EXPECT_EQ(java_text(0.001), "0.001");
  EXPECT_EQ(java_text(0.00012), "1.2E-4");
  EXPECT_EQ(java_text(-123456.789), "-123456.789");
  EXPECT_EQ(java_text(1.0f / 3.0f), "0.33333334");
  EXPECT_EQ(java_text(std::numeric_limits<double>::quiet_NaN()), "NaN");
  EXPECT_EQ(java_text(-std::numeric_limits<double>::infinity()), "-Infinity");
}

// As Spark's to_json, Delta's log and json4s write it.
TEST(Text, JsonIsQuotedAsJacksonDoes) {
  EXPECT_EQ(json_quote("a\x1f"
                       "b\x0b"
                       "c\x7f"
                       "d\u2028e/\"\\\b\f\n\r\t"),
            "\"a\\u001Fb\\u000Bc\x7f"
            "d\u2028e/\\\"\\\\\\b\\f\\n\\r\\t\"");
}

TEST(Random, UuidsHaveTheirForm) {
  Random a(1);
  Random b(1);
  const std::string uuid = a.uuid();
  EXPECT_TRUE(is_uuid(uuid)) << uuid;
  EXPECT_EQ(uuid[14], '4');
  EXPECT_EQ(uuid, b.uuid());
  EXPECT_FALSE(is_uuid("not-a-uuid"));
}

}  // namespace
}  // namespace millstream
