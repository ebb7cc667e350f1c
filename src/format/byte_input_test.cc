#include "format/byte_input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include "format/json_test_util.h"

namespace millstream::format {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::JsonCase;
using testing::rows_of;

std::string gzip(const std::string& text) {
  std::string out(text.size() + 1024, '\0');
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string zstd(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

JsonCase in_file(const std::string& name, const std::string& bytes, bool ignore_corrupt = false) {
  JsonCase test{"v INT", bytes};
  test.file = "/in/" + name;
  test.options.ignore_corrupt_files = ignore_corrupt;
  return test;
}

std::string many_lines(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += "{\"v\":" + std::to_string(i) + "}\n";
  return text;
}

TEST(ByteInput, ByExtensionInAnyCase) {
  const std::string text = "{\"v\":1}\n{\"v\":2}\n";
  for (const char* name : {"a.json.gz", "a.json.GZ", "a.gzip"}) {
    EXPECT_THAT(rows_of(in_file(name, gzip(text))), ElementsAre("1", "2")) << name;
  }
  for (const char* name : {"a.json.zst", "a.json.zstd"}) {
    EXPECT_THAT(rows_of(in_file(name, zstd(text))), ElementsAre("1", "2")) << name;
  }
  EXPECT_THAT(rows_of(in_file("a.json.bz2", "x")), ElementsAre(HasSubstr(".bz2")));
}

TEST(ByteInput, AllMembersAndFrames) {
  EXPECT_THAT(rows_of(in_file("a.json.gz", gzip("{\"v\":1}\n{\"v\"") + gzip(":2}\n") + gzip(""))),
              ElementsAre("1", "2"));
  EXPECT_THAT(rows_of(in_file("a.json.zst", zstd("{\"v\":1}\n{\"v\"") + zstd(":2}\n"))),
              ElementsAre("1", "2"));
  EXPECT_THAT(rows_of(in_file("a.json.gz", "")), IsEmpty());
  EXPECT_THAT(rows_of(in_file("a.json.zst", "")), IsEmpty());
}

TEST(ByteInput, ATruncatedFileFailsAndNamesItself) {
  const std::string text = many_lines(200'000);
  for (const auto& [name, whole] :
       {std::pair{"a.json.gz", gzip(text)}, std::pair{"a.json.zst", zstd(text)}}) {
    const std::string half = whole.substr(0, whole.size() / 2);
    EXPECT_THAT(rows_of(in_file(name, half)), ElementsAre(HasSubstr(name))) << name;
    const auto kept = rows_of(in_file(name, half, true));
    ASSERT_GT(kept.size(), 1000u) << name;
    EXPECT_LT(kept.size(), 200'000u);
    for (std::size_t i = 0; i < kept.size(); ++i) ASSERT_EQ(kept[i], std::to_string(i));
    // Without its head nothing can be read, and the option means the same.
    EXPECT_THAT(rows_of(in_file(name, whole.substr(10))), ElementsAre(HasSubstr(name))) << name;
    EXPECT_THAT(rows_of(in_file(name, whole.substr(10), true)), IsEmpty()) << name;
  }
}

TEST(ByteInput, PlainTextNamedGz) {
  const auto failed = testing::read_json(in_file("x.json.gz", "{\"v\":1}\n"));
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.status().condition(), "FAILED_READ_FILE.NO_HINT");
  EXPECT_THAT(failed.status().message(), HasSubstr("file:///in/x.json.gz"));
  EXPECT_THAT(rows_of(in_file("x.json.gz", "{\"v\":1}\n", true)), IsEmpty());
}

TEST(ByteInput, MissingFiles) {
  const auto store = io::memory_store();
  auto scan = std::make_shared<JsonScan>();
  scan->schema = column::parse_schema("v INT").value();
  scan->columns = {"v"};
  scan->options.ignore_corrupt_files = true;  // is no answer to a missing file
  const FileSplit gone{{"/in/gone.json", 10, 0, false}, {}};
  EXPECT_EQ((*open_json(store, scan, {gone}))->next().status().condition(),
            "FAILED_READ_FILE.FILE_NOT_EXIST");
  scan->options.ignore_missing_files = true;
  std::vector<std::pair<std::string, bool>> skipped;
  scan->on_skipped_file = [&](const std::string& path, bool missing) {
    skipped.emplace_back(path, missing);
  };
  EXPECT_EQ((*open_json(store, scan, {gone}))->next().value(), nullptr);
  EXPECT_THAT(skipped, ElementsAre(std::pair<std::string, bool>{"/in/gone.json", true}));
}

// Lines that end anywhere relative to the blocks in which a file is read.
TEST(JsonBlocks, LinesAcrossBlocks) {
  std::string text;
  std::vector<std::string> expected;
  for (int i = 0; i < 60; ++i) {
    const std::string value(static_cast<std::size_t>(i * 997 + (i % 7 == 0 ? 300'000 : 0)),
                            static_cast<char>('a' + i % 26));
    text +=
        "{\"s\":\"" + value + "\",\"v\":" + std::to_string(i) + "}" + (i % 3 == 0 ? "\r\n" : "\n");
    expected.push_back(value + "|" + std::to_string(i));
  }
  EXPECT_EQ(rows_of({"s STRING, v INT", text}), expected);
}

}  // namespace
}  // namespace millstream::format
