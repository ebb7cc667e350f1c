// No bytes may crash the reader, and good lines between bad ones must come out whole. Run under
// ASan as well.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "format/json_infer.h"
#include "format/json_test_util.h"

namespace millstream::format {
namespace {

using testing::JsonCase;
using testing::rows_of;

constexpr const char* schema =
    "a INT, b STRING, c DOUBLE, d STRUCT<x: ARRAY<STRUCT<y: INT>>, z: MAP<STRING, INT>>, t "
    "TIMESTAMP, e DECIMAL(10,2), "
    "_corrupt_record STRING, _rescued STRING";

std::string random_line(std::mt19937& random, bool newlines) {
  static const char* pieces[] = {"{",
                                 "}",
                                 "[",
                                 "]",
                                 ",",
                                 ":",
                                 "\"",
                                 "\\",
                                 "\"a\"",
                                 "\"b\"",
                                 "\"d\":{\"x\":[{\"y\":1}]}",
                                 "1",
                                 "-",
                                 "1.5e",
                                 "true",
                                 "nul",
                                 "null",
                                 "\\u00",
                                 "\\ud83d",
                                 "'",
                                 " ",
                                 "\t",
                                 "\xff",
                                 "\xc3",
                                 "\xc3\xa9",
                                 "\"a\":1",
                                 "\"b\":\"x\"",
                                 "\"z\":{\"k\":1}",
                                 "/*",
                                 "NaN",
                                 "\x01",
                                 "{\"a\":",
                                 "[[[[",
                                 "}}}}",
                                 "\"t\":\"2024-01-01T00:00:00Z\"",
                                 "\"e\":\"1,2\"",
                                 "\r"};
  std::string line;
  const auto count = random() % 24;
  for (unsigned i = 0; i < count; ++i) line += pieces[random() % (sizeof pieces / sizeof *pieces)];
  if (!newlines) std::erase_if(line, [](char c) { return c == '\r'; });
  return line;
}

TEST(HostileJson, NothingCrashesAndGoodLinesSurvive) {
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    JsonCase test{schema, ""};
    test.options.rescued_column = round % 2 == 0 ? "_rescued" : "";
    test.options.allow_comments = round % 3 == 0;
    test.options.multi_line = round % 11 == 0;
    if (round % 5 == 0) test.options.line_sep = "\n";
    std::size_t good = 0;
    for (int i = 0; i < 12; ++i) {
      if (random() % 2 == 0) {
        test.text += "{\"a\":" + std::to_string(1'000'000 + round) + "}\n";
        ++good;
      } else {
        test.text += random_line(random, false) + "\n";
      }
    }
    const auto rows = rows_of(test);
    if (test.options.multi_line || test.options.allow_comments) continue;
    const std::string whole =
        std::to_string(1'000'000 + round) + "|NULL|NULL|NULL|NULL|NULL|NULL|NULL";
    EXPECT_EQ(static_cast<std::size_t>(std::count(rows.begin(), rows.end(), whole)), good)
        << test.text;
  }
}

// The strict scanner and the lenient one must agree wherever the strict one takes a record.
TEST(HostileJson, BothScannersAgree) {
  std::mt19937 random(11);
  for (int round = 0; round < 3000; ++round) {
    const std::string line =
        "{\"a\":" + std::to_string(round) + "," + random_line(random, false) + "}\n";
    JsonCase strict{schema, line};
    JsonCase lenient{schema, line};
    lenient.options.number_length_max =
        999;  // fewer than the strict scanner takes, so it is not asked
    EXPECT_EQ(rows_of(strict), rows_of(lenient)) << line;
  }
}

TEST(HostileJson, RandomBytesAndMutations) {
  std::mt19937 random(13);
  const std::string good =
      "{\"a\":1,\"b\":\"te\\u0078t\",\"c\":1.25,\"d\":{\"x\":[{\"y\":1},{\"y\":null}],\"z\":{\"k\":"
      "1,\"k\":2}},\"t\":\"2024-01-01 00:00:00\"}\n";
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (int i = 0; i < 4; ++i) text += good;
    for (unsigned i = 0; i < 1 + random() % 6; ++i)
      text[random() % text.size()] = static_cast<char>(random());
    (void)rows_of({schema, text.substr(0, random() % (text.size() + 1))});
    const auto store = io::memory_store();
    ASSERT_TRUE(store->put("/a.json", text).ok());
    JsonOptions options;
    options.infer_timestamp = round % 2 == 0;
    options.prefers_decimal = round % 3 == 0;
    EXPECT_TRUE(infer_json_schema(store, {store->stat("/a.json").value()}, options, true).ok());
  }
}

TEST(HostileJson, DeepAndLong) {
  EXPECT_EQ(rows_of({"a INT", std::string(100'000, '[') + "\n{\"a\":1}\n"}).back(), "1");
  EXPECT_EQ(rows_of({"a INT", std::string(100'000, '{') + "\n{\"a\":1}\n"}).back(), "1");
  std::string nested;
  for (int i = 0; i < 100'000; ++i) nested += "{\"u\":";
  EXPECT_EQ(rows_of({"a INT", nested + "\n{\"a\":1}\n"}).back(), "1");
  EXPECT_EQ(rows_of({"a STRING", "{\"a\":" + std::string(1001, '9') +
                                     "}\n{\"a\":" + std::string(1000, '9') + "}\n"}),
            (std::vector<std::string>{"NULL", std::string(1000, '9')}));
}

}  // namespace
}  // namespace millstream::format
