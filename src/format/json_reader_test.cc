#include "format/json_reader.h"

#include <gmock/gmock.h>

#include "format/json_test_util.h"

namespace millstream::format {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::JsonCase;
using testing::rows_of;

struct Value {
  const char* type;
  const char* token;
  const char* expected;  // of (a, then b, which is always 7)
};

class JsonValues : public ::testing::TestWithParam<Value> {};

// auto-loader.md 9.1: each target type against each kind of token. The neighbour column is never
// harmed.
TEST_P(JsonValues, ByTargetType) {
  const auto& [type, token, expected] = GetParam();
  const std::string schema = std::string("a ") + type + ", b INT";
  const std::string line = std::string("{\"a\":") + token + ",\"b\":7}\n";
  EXPECT_THAT(rows_of({schema, line}), ElementsAre(std::string(expected) + "|7"))
      << type << " " << token;
  // The same through the lenient scanner: a comment is not strict JSON.
  JsonOptions lenient;
  lenient.allow_comments = true;
  const std::string commented = std::string("{/**/\"a\":") + token + ",\"b\":7}\n";
  EXPECT_THAT(rows_of({schema, commented, lenient}), ElementsAre(std::string(expected) + "|7"))
      << type << " " << token;
}

INSTANTIATE_TEST_SUITE_P(
    Table, JsonValues,
    ::testing::Values(
        Value{"STRING", "\"x\"", "x"}, Value{"STRING", "1.10", "1.10"},
        Value{"STRING", "1e5", "1e5"}, Value{"STRING", "-0", "-0"}, Value{"STRING", "true", "true"},
        Value{"STRING", "null", "NULL"}, Value{"STRING", "{\"b\" : 1}", "{\"b\" : 1}"},
        Value{"STRING", "[1, 2 ]", "[1, 2 ]"},
        Value{"STRING", "{\"b\":\"\\u0061\"}", "{\"b\":\"\\u0061\"}"},
        Value{"STRING", "\"\\u0061\\n\"", "a\n"}, Value{"STRING", "\"\\ud800\"", "?"},
        Value{"STRING", "\"\\ud83d\\ude00\"", "\xf0\x9f\x98\x80"}, Value{"STRING", "\"\"", ""},
        Value{"INT", "5", "5"}, Value{"INT", "1.0", "NULL"}, Value{"INT", "\"5\"", "NULL"},
        Value{"INT", "true", "NULL"}, Value{"INT", "2147483648", "NULL"},
        Value{"INT", "-2147483648", "-2147483648"}, Value{"INT", "\"\"", "NULL"},
        Value{"INT", "{\"x\":1}", "NULL"}, Value{"INT", "[1]", "NULL"},
        Value{"TINYINT", "127", "127"}, Value{"TINYINT", "128", "-128"},
        Value{"TINYINT", "256", "NULL"}, Value{"TINYINT", "-129", "NULL"},
        Value{"SMALLINT", "-32769", "NULL"},
        Value{"BIGINT", "9223372036854775807", "9223372036854775807"},
        Value{"BIGINT", "9223372036854775808", "NULL"},
        Value{"BIGINT", "-9223372036854775808", "-9223372036854775808"},
        Value{"BIGINT", "1e3", "NULL"}, Value{"BIGINT", "123456789012345678901234567890", "NULL"},
        Value{"DOUBLE", "1.5", "1.5"}, Value{"DOUBLE", "1", "1"}, Value{"DOUBLE", "1e400", "inf"},
        Value{"DOUBLE", "-1e400", "-inf"}, Value{"DOUBLE", "\"NaN\"", "nan"},
        Value{"DOUBLE", "\"-INF\"", "-inf"}, Value{"DOUBLE", "\"+Infinity\"", "inf"},
        Value{"DOUBLE", "NaN", "nan"}, Value{"DOUBLE", "-Infinity", "-inf"},
        Value{"DOUBLE", "+INF", "inf"}, Value{"DOUBLE", "\"1.5\"", "NULL"},
        Value{"DOUBLE", "\"inf\"", "NULL"}, Value{"DOUBLE", "true", "NULL"},
        Value{"DOUBLE", "0.1", "0.1"}, Value{"DOUBLE", "123456789.123456789", "123456789.12345679"},
        Value{"FLOAT", "1e40", "inf"}, Value{"FLOAT", "0.5", "0.5"},
        Value{"DECIMAL(5,2)", "1.005", "1.01"}, Value{"DECIMAL(5,2)", "\"1,234.5\"", "NULL"},
        Value{"DECIMAL(7,2)", "\"1,234.5\"", "1234.50"}, Value{"DECIMAL(5,2)", "999.995", "NULL"},
        Value{"DECIMAL(5,2)", "1e2", "100.00"}, Value{"DECIMAL(5,2)", "-0.005", "-0.01"},
        Value{"DECIMAL(5,2)", "true", "NULL"},
        Value{"DECIMAL(38,0)", "99999999999999999999999999999999999999",
              "99999999999999999999999999999999999999"},
        Value{"BOOLEAN", "true", "true"}, Value{"BOOLEAN", "\"true\"", "NULL"},
        Value{"BOOLEAN", "1", "NULL"}, Value{"DATE", "\"2024-01-05\"", "2024-01-05"},
        Value{"DATE", "\"2024-1-5\"", "2024-01-05"}, Value{"DATE", "\"2024\"", "2024-01-01"},
        Value{"DATE", "\"2024-02-30\"", "NULL"}, Value{"DATE", "\"01/05/2024\"", "NULL"},
        Value{"DATE", "\"2024-01-05T10:00\"", "2024-01-05"}, Value{"DATE", "20240105", "NULL"},
        Value{"TIMESTAMP", "\"2024-01-05T10:11:12.123456789Z\"", "2024-01-05 10:11:12.123456Z"},
        Value{"TIMESTAMP", "\"2024-01-05 10:11:12\"", "2024-01-05 10:11:12.000000Z"},
        Value{"TIMESTAMP", "\"2024-01-05T10:11:12+01:30\"", "2024-01-05 08:41:12.000000Z"},
        Value{"TIMESTAMP", "\"2024-01-05T10:11:12 Europe/Berlin\"", "2024-01-05 09:11:12.000000Z"},
        Value{"TIMESTAMP", "\"2024\"", "2024-01-01 00:00:00.000000Z"},
        Value{"TIMESTAMP", "1704448800", "2024-01-05 10:00:00.000000Z"},
        Value{"TIMESTAMP", "1.5", "NULL"}, Value{"TIMESTAMP", "\"1704448800\"", "NULL"},
        Value{"TIMESTAMP", "\"\"", "NULL"},
        Value{"TIMESTAMP_NTZ", "\"2024-01-05T10:11:12\"", "2024-01-05 10:11:12.000000"},
        Value{"TIMESTAMP_NTZ", "\"2024-01-05T10:11:12Z\"", "NULL"},
        Value{"BINARY", "\"QUI=\"", "AB"}, Value{"BINARY", "\"*\"", "NULL"},
        Value{"BINARY", "1", "NULL"}, Value{"STRUCT<x: INT>", "{\"x\":1,\"y\":2}", "{1}"},
        Value{"STRUCT<x: INT>", "[1]", "NULL"}, Value{"STRUCT<x: INT>", "{}", "{NULL}"},
        Value{"STRUCT<x: INT, y: INT>", "{\"x\":\"q\",\"y\":2}", "{NULL,2}"},
        Value{"ARRAY<INT>", "[1,null,3]", "[1,NULL,3]"}, Value{"ARRAY<INT>", "[1,\"x\",3]", "NULL"},
        Value{"ARRAY<INT>", "[]", "[]"}, Value{"ARRAY<INT>", "5", "NULL"},
        Value{"ARRAY<STRUCT<x: INT>>", "[{\"x\":1},{\"x\":\"q\"}]", "[{1},{NULL}]"},
        Value{"ARRAY<ARRAY<INT>>", "[[1],[],[2,3]]", "[[1],[],[2,3]]"},
        Value{"MAP<STRING, INT>", "{\"k\":1,\"l\":2}", "{k:1,l:2}"},
        Value{"MAP<STRING, INT>", "{\"k\":1,\"l\":2,\"k\":3}", "{l:2,k:3}"},
        Value{"MAP<STRING, INT>", "{\"k\":\"x\"}", "NULL"},
        Value{"MAP<STRING, INT>", "[]", "NULL"}));

TEST(JsonReader, FieldsMayBeMissingReorderedUnknownAndRepeated) {
  EXPECT_THAT(rows_of({"a INT, b STRING, c DOUBLE",
                       "{\"a\":1,\"b\":\"x\",\"c\":2.5}\n{\"c\":3,\"a\":2}\n{}\n{\"z\":{\"q\":[1,{"
                       "\"r\":null}]},\"b\":\"y\"}\n"
                       "{\"b\":\"1\",\"b\":\"2\",\"a\":1,\"a\":2}\n"}),
              ElementsAre("1|x|2.5", "2|NULL|3", "NULL|NULL|NULL", "NULL|y|NULL", "2|2|NULL"));
}

TEST(JsonReader, ARepeatedStructIsReplacedNotMerged) {
  EXPECT_THAT(rows_of({"s STRUCT<a: INT, b: INT>", "{\"s\":{\"a\":1},\"s\":{\"b\":2}}\n"}),
              ElementsAre("{NULL,2}"));
  EXPECT_THAT(rows_of({"s ARRAY<INT>, t INT", "{\"s\":[1,2,3],\"s\":[4],\"t\":1}\n{\"s\":[5]}\n"}),
              ElementsAre("[4]|1", "[5]|NULL"));
}

TEST(JsonReader, KeysAreCaseSensitiveAndUnescaped) {
  EXPECT_THAT(rows_of({"a INT", "{\"A\":1}\n{\"\\u0061\":2}\n"}), ElementsAre("NULL", "2"));
}

TEST(JsonReader, RootsOtherThanObjects) {
  const char* text = "[{\"v\":1},{\"v\":2}]\n[]\nnull\n5\n\"x\"\n[{\"v\":1},3]\n";
  EXPECT_THAT(
      rows_of({"v INT, _corrupt_record STRING", text}),
      ElementsAre("1|NULL", "2|NULL", "NULL|null", "NULL|5", "NULL|\"x\"", "NULL|[{\"v\":1},3]"));
  JsonOptions drop;
  drop.mode = ParseMode::drop_malformed;
  EXPECT_THAT(rows_of({"v INT", text, drop}), ElementsAre("1", "2"));
}

TEST(JsonReader, MalformedRecordsHarmNobodyElse) {
  const char* text =
      "{\"a\":1,\"b\":{\"x\":1}}\n{\"a\":9,\"b\":{\"x\":\n{bad\n{\"a\":2}\n{\"a\":\"unclosed}\n{"
      "\"a\":3}\n{\"a\":7}}\n{\"a\":4\n";
  EXPECT_THAT(rows_of({"a INT, b STRUCT<x: INT>, _corrupt_record STRING", text}),
              ElementsAre("1|{1}|NULL", "NULL|NULL|{\"a\":9,\"b\":{\"x\":", "NULL|NULL|{bad",
                          "2|NULL|NULL", "NULL|NULL|{\"a\":\"unclosed}", "3|NULL|NULL",
                          "7|NULL|{\"a\":7}}", "NULL|NULL|{\"a\":4"));
  JsonOptions fail;
  fail.mode = ParseMode::fail_fast;
  const auto failed = testing::read_json({"a INT", text, fail});
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.status().condition(), "FAILED_READ_FILE.NO_HINT");
  EXPECT_THAT(failed.status().message(), HasSubstr("file:///in/a.json"));
  EXPECT_THAT(failed.status().message(), HasSubstr("{\"a\":9,\"b\":{\"x\":"));  // the record
  ASSERT_NE(failed.status().info().cause, nullptr);
  EXPECT_EQ(failed.status().info().cause->condition,
            "MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION");
  fail.ignore_corrupt_files = true;
  EXPECT_FALSE(testing::read_json({"a INT", text, fail}).ok());
}

TEST(JsonReader, BadFieldsByMode) {
  const char* text = "{\"a\":\"x\",\"b\":2}\n{\"a\":1,\"b\":3}\n";
  EXPECT_THAT(rows_of({"a INT, b INT, _corrupt_record STRING", text}),
              ElementsAre("NULL|2|{\"a\":\"x\",\"b\":2}", "1|3|NULL"));
  JsonOptions drop;
  drop.mode = ParseMode::drop_malformed;
  EXPECT_THAT(rows_of({"a INT, b INT", text, drop}), ElementsAre("1|3"));
  drop.rescued_column = "_rescued_data";
  EXPECT_THAT(rows_of({"a INT, b INT, _rescued_data STRING", text, drop}),
              ElementsAre("NULL|2|{\"a\":\"x\",\"_file_path\":\"/in/a.json\"}", "1|3|NULL"));
}

TEST(JsonReader, OneBadNestedFieldLeavesItsNeighbours) {
  EXPECT_THAT(rows_of({"a STRUCT<x: INT, y: STRUCT<x: INT>>, b STRUCT<x: INT>, c STRING",
                       "{\"a\":{\"x\":1,\"y\":true},\"b\":{\"x\":1},\"c\":\"k\"}\n"}),
              ElementsAre("{1,NULL}|{1}|k"));
}

TEST(JsonReader, RescuedData) {
  JsonOptions options;
  options.rescued_column = "_rescued_data";
  const std::string schema =
      "id INT, cust STRUCT<age: INT, name: STRING>, tags ARRAY<INT>, _rescued_data STRING";
  const char* tail = "\"_file_path\":\"/in/a.json\"}";
  EXPECT_THAT(
      rows_of({schema,
               "{\"id\":1}\n{\"id\":2,\"currency\":\"USD\"}\n{\"ID\":3}\n"
               "{\"id\":4,\"cust\":{\"age\":\"x\",\"name\":\"n\",\"zip\":[1, "
               "2]}}\n{\"id\":5,\"tags\":[1,\"x\"]}\n{bad\n",
               options}),
      ElementsAre("1|NULL|NULL|NULL", std::string("2|NULL|NULL|{\"currency\":\"USD\",") + tail,
                  std::string("NULL|NULL|NULL|{\"ID\":3,") + tail,
                  std::string("4|{NULL,n}|NULL|{\"cust\":{\"age\":\"x\",\"zip\":[1, 2]},") + tail,
                  std::string("5|NULL|NULL|{\"tags\":[1,\"x\"],") + tail,
                  std::string(R"(NULL|NULL|NULL|{"_corrupt_record":"{bad",)") + tail));
  options.case_sensitive = false;
  EXPECT_THAT(rows_of({"id INT, _rescued_data STRING", "{\"ID\":3}\n", options}),
              ElementsAre("3|NULL"));
}

// No column shows it, so its text is rescued; where the schema has the corrupt column, that has it,
// also when a query does not ask for it.
TEST(JsonReader, AMalformedRecordIsNotLost) {
  JsonOptions options;
  options.rescued_column = "r";
  const char* text = "{bad\n[{\"v\":1},{\"v\":2}] tail\n\"\xff\"\n";
  const auto rescued = [](const char* record) {
    return fmt::format(R"({{"_corrupt_record":"{}","_file_path":"/in/a.json"}})", record);
  };
  EXPECT_THAT(rows_of({"v INT, r STRING", text, options}),
              ElementsAre("NULL|" + rescued("{bad"), "1|NULL",
                          "2|" + rescued(R"([{\"v\":1},{\"v\":2}] tail)"),
                          "NULL|" + rescued("\\\"\xef\xbf\xbd\\\"")));
  EXPECT_THAT(rows_of({"v INT, r STRING, _corrupt_record STRING", "{bad\n", options}),
              ElementsAre("NULL|NULL|{bad"));
  options.corrupt_column = "bad";
  EXPECT_THAT(rows_of({"v INT, r STRING", "{x\n", options}),
              ElementsAre(R"(NULL|{"bad":"{x","_file_path":"/in/a.json"})"));
  options.mode = ParseMode::drop_malformed;  // what can be read stays, and so does what follows it
  EXPECT_THAT(rows_of({"v INT, r STRING", text, options}),
              ElementsAre("1|NULL", HasSubstr("2|{\"bad\":\"[{")));
}

TEST(JsonReader, TextAfterTheFirstValueStaysVisible) {
  EXPECT_THAT(
      rows_of({"v INT, _corrupt_record STRING", "{\"v\":5}{\"v\":6}\n{\"v\":4} trailing\n"}),
      ElementsAre("5|{\"v\":5}{\"v\":6}", "4|{\"v\":4} trailing"));
  EXPECT_THAT(rows_of({"v INT", "{\"v\":5}{\"v\":6}\n{\"v\":4}xyz\n"}), ElementsAre("5", "4"));
}

TEST(JsonReader, LineEndsAndByteOrderMark) {
  EXPECT_THAT(
      rows_of({"id INT", "\xef\xbb\xbf{\"id\":1}\r\n{\"id\":2}\r{\"id\":3}\n\n \r\n{\"id\":4}"}),
      ElementsAre("1", "2", "3", "4"));
  JsonOptions options;
  options.line_sep = "||";
  EXPECT_THAT(rows_of({"id INT", "{\"id\":1}||{\"id\":\n2}||", options}), ElementsAre("1", "2"));
  EXPECT_THAT(rows_of({"id INT", ""}), IsEmpty());
  EXPECT_THAT(rows_of({"id INT", "\n\n"}), IsEmpty());
}

TEST(JsonReader, MultiLine) {
  JsonOptions options;
  options.multi_line = true;
  EXPECT_THAT(rows_of({"id INT", "{\n \"id\":\n1}\n{\"id\":2}", options}), ElementsAre("1"));
  EXPECT_THAT(rows_of({"id INT, _corrupt_record STRING", "[{\"id\":1},\n{\"id\":\"x\"}]", options}),
              ElementsAre("1|[{\"id\":1},\n{\"id\":\"x\"}]", "NULL|[{\"id\":1},\n{\"id\":\"x\"}]"));
  EXPECT_THAT(rows_of({"id INT", "{\"id\":1", options}), ElementsAre("NULL"));
}

TEST(JsonReader, Liberties) {
  JsonOptions options;
  EXPECT_THAT(rows_of({"a STRING", "{'a':'b\"c'}\n", options}), ElementsAre("b\"c"));
  EXPECT_THAT(rows_of({"a STRING, _corrupt_record STRING",
                       "{a:1}\n{\"a\":007}\n{\"a\":\"x\ty\"}\n{\"a\":\"\\q\"}\n", options}),
              ElementsAre("NULL|{a:1}", "NULL|{\"a\":007}", "NULL|{\"a\":\"x\ty\"}",
                          "NULL|{\"a\":\"\\q\"}"));
  options.allow_unquoted_names = options.allow_leading_zeros = options.allow_control_chars = true;
  options.allow_any_escape = true;
  EXPECT_THAT(
      rows_of({"a STRING", "{a:1}\n{\"a\":007}\n{\"a\":\"x\ty\"}\n{\"a\":\"\\q\"}\n", options}),
      ElementsAre("1", "007", "x\ty", "q"));
}

TEST(JsonReader, InvalidUtf8IsACorruptRecord) {
  EXPECT_THAT(rows_of({"a STRING, _corrupt_record STRING",
                       "{\"a\":\"ok\"}\n{\"a\":\"\xff\"}\n{\"a\":\"ok2\"}\n"}),
              ElementsAre("ok|NULL", "NULL|{\"a\":\"\xef\xbf\xbd\"}", "ok2|NULL"));
}

TEST(JsonReader, DepthIsLimited) {
  const std::string deep =
      "{\"u\":" + std::string(1001, '[') + std::string(1001, ']') + ",\"a\":1}\n";
  const std::string fine =
      "{\"u\":" + std::string(998, '[') + std::string(998, ']') + ",\"a\":1}\n";
  EXPECT_THAT(rows_of({"a INT", deep + fine}), ElementsAre("NULL", "1"));
}

TEST(JsonReader, ProjectionConvertsOnlyWhatIsAskedFor) {
  EXPECT_THAT(
      rows_of(
          {"a INT, b STRING, c INT", "{\"a\":1,\"b\":\"x\",\"c\":3}\n{\"c\":4}\n", {}, {"c", "a"}}),
      ElementsAre("3|1", "4|NULL"));
  EXPECT_THAT(rows_of({"a INT, b STRING, _corrupt_record STRING",
                       "{\"a\":1}\n{\"a\":\"x\"}\n",
                       {},
                       {"_corrupt_record"}}),
              ElementsAre("NULL", "{\"a\":\"x\"}"));
}

TEST(JsonReader, AnEmptyProjectionCounts) {
  const auto store = io::memory_store();
  ASSERT_TRUE(store->put("/f.json", "{\"a\":1}\n\n[{},{}]\n{bad\n").ok());
  auto scan = std::make_shared<JsonScan>();
  scan->schema = column::parse_schema("a INT").value();
  auto reader = open_json(store, scan, {FileSplit{store->stat("/f.json").value(), {}}});
  ASSERT_TRUE(reader.ok());
  const auto batch = (*reader)->next();
  ASSERT_TRUE(batch.ok());
  EXPECT_EQ((*batch)->num_rows(), 4);
  EXPECT_EQ((*batch)->num_columns(), 0);
}

TEST(JsonReader, UnknownFieldsAreReportedOnceAFile) {
  const auto store = io::memory_store();
  ASSERT_TRUE(store
                  ->put("/f.json",
                        "{\"a\":1}\n{\"A\":1,\"n\":{\"x\":1}}\n{\"a\":2,\"n\":{\"x\":1,\"y\":[2]},"
                        "\"z\":1.50}\n{\"q\":1}\n")
                  .ok());
  auto scan = std::make_shared<JsonScan>();
  scan->schema = column::parse_schema("a INT, n STRUCT<x: INT>").value();
  scan->columns = {"a"};
  std::vector<std::string> seen;
  scan->on_unknown_fields = [&](const UnknownFields& found) {
    seen.push_back(found.rescued_json);
    return Status::OK();
  };
  auto reader = open_json(store, scan, {FileSplit{store->stat("/f.json").value(), {}}});
  ASSERT_TRUE(reader.ok());
  ASSERT_TRUE((*reader)->next().ok());
  EXPECT_THAT(seen, ElementsAre("{\"n\":{\"y\":[2]},\"z\":1.50}"));
}

}  // namespace
}  // namespace millstream::format
