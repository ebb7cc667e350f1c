#include "source/file_source.h"

#include "connector/source_testing.h"

namespace millstream::source {
namespace {

namespace fs = std::filesystem;
using connector::testing::read_rows;
using connector::testing::Texts;

class FileSourceTest : public connector::testing::FolderTest {
 protected:
  Result<std::unique_ptr<connector::Source>> try_open(std::map<std::string, std::string> options,
                                                      const std::string& schema = "v INT",
                                                      std::string path = "") {
    if (path.empty()) path = (root / "in").string();
    TRY_ASSIGN(table, make_stream_table("json", schema, Options(options), {path}, {}));
    return table->open(
        {io::local_store(), (root / "ckpt/sources/0").string(), &clock, std::nullopt});
  }
  std::unique_ptr<connector::Source> open(std::map<std::string, std::string> options = {},
                                          const std::string& schema = "v INT",
                                          const std::string& path = "") {
    auto source = try_open(std::move(options), schema, path);
    EXPECT_TRUE(source.ok()) << source.status().to_string();
    return std::move(source).value();
  }

  static Texts rows(connector::Source& source, const std::optional<std::string>& start,
                    const std::string& end, const std::string& column = "v") {
    auto read = read_rows(source, start, end, {column});
    EXPECT_TRUE(read.ok()) << read.status().to_string();
    return read.ok() ? std::move(read).value() : Texts{};
  }

  SystemClock clock;
  std::shared_ptr<const connector::StreamTable> table;
};

TEST_F(FileSourceTest, EachFileOnceWithSparksOffsets) {
  write("b.json", "{\"v\":2}\n", 1'700'000'002);
  write("a b.json", "{\"v\":1}\n", 1'700'000'001);
  auto source = open();
  EXPECT_EQ(source->description(), "FileStreamSource[file:" + (root / "in").string() + "]");
  EXPECT_EQ(source->latest_offset(std::nullopt, false).value().value(), R"({"logOffset":0})");
  EXPECT_EQ(
      io::local_store()->get((root / "ckpt/sources/0/0").string()).value(),
      fmt::format("v1\n{{\"path\":\"file://{0}/in/"
                  "a%20b.json\",\"timestamp\":1700000001000,\"batchId\":0}}\n"
                  "{{\"path\":\"file://{0}/in/b.json\",\"timestamp\":1700000002000,\"batchId\":0}}",
                  root.string()));
  EXPECT_EQ(rows(*source, std::nullopt, R"({"logOffset":0})"), (Texts{"1", "2"}));
  // Nothing new: the offset keeps its text, whatever its spacing.
  EXPECT_EQ(source->latest_offset(R"({"logOffset": 0})", false).value().value(),
            R"({"logOffset": 0})");
  write("b.json", "{\"v\":99}\n", 1'700'000'009);  // an overwritten file is not read again
  write("c.json", "{\"v\":3}\n", 1'700'000'003);
  source = open();
  const auto end = source->latest_offset(R"({"logOffset":0})", false).value().value();
  EXPECT_EQ(end, R"({"logOffset":1})");
  EXPECT_EQ(rows(*source, R"({"logOffset":0})", end), (Texts{"3"}));
  EXPECT_EQ(rows(*source, "0", end), (Texts{"3"}));  // the offset as older Sparks wrote it
}

TEST_F(FileSourceTest, EmptyFolderHasNoOffset) {
  EXPECT_FALSE(open()->latest_offset(std::nullopt, false).value().has_value());
}

TEST_F(FileSourceTest, NamesAreLiteral) {
  const Texts names = {"a b.json",    "a[1].json", "c#d.json",  "e+f.json",  "q?.json",
                       "x{y,z}.json", "ünï.json",  "st*r.json", "p%20q.json"};
  for (const auto& name : names) write(name, "{\"v\":1}\n");
  auto source = open();
  const auto end = source->latest_offset(std::nullopt, false).value().value();
  EXPECT_EQ(rows(*source, std::nullopt, end).size(), names.size());
  source = open();
  EXPECT_EQ(source->latest_offset(end, false).value().value(), end);
}

TEST_F(FileSourceTest, LimitTakesTheOldestFirst) {
  for (int i = 0; i < 5; ++i)
    write(fmt::format("{}.json", 4 - i), fmt::format("{{\"v\":{}}}\n", 4 - i),
          1'700'000'000 + 4 - i);
  auto source = open({{"maxFilesPerTrigger", "2"}});
  std::optional<std::string> at;
  for (const Texts& expected : {Texts{"0", "1"}, Texts{"2", "3"}, Texts{"4"}}) {
    const auto end = source->latest_offset(at, false).value().value();
    EXPECT_EQ(rows(*source, at, end), expected);
    at = end;
  }
  EXPECT_EQ(source->latest_offset(at, false).value(), at);
}

TEST_F(FileSourceTest, BytesLimitStopsBeforeItAndTakesAtLeastOne) {
  for (int i = 0; i < 4; ++i)
    write(fmt::format("{}.json", i), fmt::format("{{\"v\":{}}}\n", i),
          1'700'000'000 + i);  // 8 bytes
  auto source = open({{"maxBytesPerTrigger", "20"}});
  const auto first = source->latest_offset(std::nullopt, false).value().value();
  EXPECT_EQ(rows(*source, std::nullopt, first), (Texts{"0", "1"}));
  auto tiny = open({{"maxBytesPerTrigger", "1"}});
  const auto second = tiny->latest_offset(first, false).value().value();
  EXPECT_EQ(rows(*tiny, first, second), (Texts{"2"}));
}

// Newest first with a limit: the age limit would lose the old files, so it does not hold.
TEST_F(FileSourceTest, LatestFirstWithLimitReadsOldFilesToo) {
  constexpr std::int64_t day = 24 * 3600;
  for (int i = 0; i < 4; ++i) {
    write(fmt::format("{}.json", i), fmt::format("{{\"v\":{}}}\n", i),
          1'700'000'000 - (3 - i) * 10 * day);
  }
  auto source = open({{"latestFirst", "true"}, {"maxFilesPerTrigger", "1"}, {"maxFileAge", "7d"}});
  ASSERT_TRUE(source->prepare_for_available_now().ok());
  std::optional<std::string> at;
  for (const char* expected : {"3", "2", "1", "0"}) {
    const auto end = source->latest_offset(at, false).value().value();
    EXPECT_EQ(rows(*source, at, end), Texts{expected});
    at = end;
  }
}

TEST_F(FileSourceTest, AgeIsRelativeToTheNewestSeenFile) {
  constexpr std::int64_t day = 24 * 3600;
  write("old.json", "{\"v\":1}\n", 1'600'000'000);
  auto source = open();
  auto end = source->latest_offset(std::nullopt, false).value().value();
  EXPECT_EQ(rows(*source, std::nullopt, end), (Texts{"1"}));  // old by the clock only
  write("new.json", "{\"v\":2}\n", 1'600'000'000 + 30 * day);
  const auto second = source->latest_offset(end, false).value().value();
  write("late.json", "{\"v\":3}\n", 1'600'000'000 + 10 * day);
  EXPECT_EQ(source->latest_offset(second, false).value().value(), second);
}

TEST_F(FileSourceTest, AvailableNowStopsAtWhatWasThere) {
  write("a.json", "{\"v\":1}\n");
  auto source = open();
  ASSERT_TRUE(source->prepare_for_available_now().ok());
  write("b.json", "{\"v\":2}\n");
  const auto end = source->latest_offset(std::nullopt, false).value().value();
  EXPECT_EQ(rows(*source, std::nullopt, end), (Texts{"1"}));
  EXPECT_EQ(source->latest_offset(end, false).value().value(), end);
}

TEST_F(FileSourceTest, FoldersAndHiddenNames) {
  write("top.json", "{\"v\":1}\n");
  write("x/y/deep.json", "{\"v\":2}\n");
  write("_under.json", "{\"v\":3}\n");
  write(".hidden.json", "{\"v\":4}\n");
  auto plain = open();
  EXPECT_EQ(rows(*plain, std::nullopt, plain->latest_offset(std::nullopt, false).value().value()),
            (Texts{"1"}));
  fs::remove_all(root / "ckpt");
  auto recursive = open({{"recursiveFileLookup", "true"}});
  EXPECT_EQ(
      rows(*recursive, std::nullopt, recursive->latest_offset(std::nullopt, false).value().value()),
      (Texts{"1", "2"}));
}

TEST_F(FileSourceTest, PartitionColumnsComeFromThePath) {
  write("year=2024/month=1/f.json", "{\"v\":7}\n");
  const std::string inner = (root / "in/year=2024").string();
  auto based = open({{"basePath", (root / "in").string()}}, "v INT, year INT, month INT", inner);
  auto end = based->latest_offset(std::nullopt, false).value().value();
  EXPECT_EQ(rows(*based, std::nullopt, end, "year"), (Texts{"2024"}));
  EXPECT_EQ(rows(*based, std::nullopt, end, "month"), (Texts{"1"}));
  fs::remove_all(root / "ckpt");
  auto plain = open({}, "v INT, year INT, month INT", inner);
  end = plain->latest_offset(std::nullopt, false).value().value();
  EXPECT_EQ(rows(*plain, std::nullopt, end, "year"), (Texts{"null"}));
  EXPECT_EQ(rows(*plain, std::nullopt, end, "month"), (Texts{"1"}));
  EXPECT_EQ(rows(*plain, std::nullopt, end), (Texts{"7"}));
}

TEST_F(FileSourceTest, OptionsAreChecked) {
  const auto message = [&](std::map<std::string, std::string> options) {
    return try_open(std::move(options)).status().to_string();
  };
  EXPECT_EQ(message({{"maxFilesPerTrigger", "0"}}),
            "Invalid value '0' for option 'maxFilesPerTrigger', must be a positive integer");
  EXPECT_EQ(
      message({{"maxFilesPerTrigger", "1"}, {"maxBytesPerTrigger", "1"}}),
      "Options 'maxFilesPerTrigger' and 'maxBytesPerTrigger' can't be both set at the same time");
  EXPECT_EQ(message({{"modifiedAfter", "2024-01-01"}}),
            "option 'modifiedafter' is not allowed in file stream sources");
  EXPECT_NE(message({{"cleanSource", "delete"}}).find("cleanSource"), std::string::npos);
  EXPECT_NE(message({{"noSuchOption", "1"}}).find("noSuchOption"), std::string::npos);
  EXPECT_EQ(message({{"cleanSource", "off"}}), "OK");
  EXPECT_NE(try_open({}, "").status().to_string().find("Schema must be specified"),
            std::string::npos);
  EXPECT_TRUE(try_open({}, "v INT", (root / "nowhere").string()).status().is("PATH_NOT_FOUND"));
}

TEST_F(FileSourceTest, AMissingFileIsNamedOrIgnored) {
  write("a.json", "{\"v\":1}\n");
  write("gone.json", "{\"v\":2}\n");
  auto source = open();
  const auto end = source->latest_offset(std::nullopt, false).value().value();
  fs::remove(root / "in/gone.json");
  const auto failed =
      connector::collect(source->batch(std::nullopt, end, {{"v"}, {}, {}}).value()).status();
  EXPECT_TRUE(failed.is("FAILED_READ_FILE.FILE_NOT_EXIST")) << failed.to_string();
  EXPECT_NE(failed.to_string().find("gone.json"), std::string::npos);
  auto tolerant = open({{"ignoreMissingFiles", "true"}});
  EXPECT_EQ(rows(*tolerant, std::nullopt, end), (Texts{"1"}));
}

TEST_F(FileSourceTest, TextNeedsNoSchema) {
  write("a.txt", "one\ntwo\n");
  auto text = make_stream_table("text", "", Options(), {(root / "in").string()}, {});
  ASSERT_TRUE(text.ok()) << text.status().to_string();
  EXPECT_EQ(column::to_ddl(text.value()->schema()), "value STRING");
  auto source =
      text.value()
          ->open({io::local_store(), (root / "ckpt/sources/0").string(), &clock, std::nullopt})
          .value();
  EXPECT_EQ(rows(*source, std::nullopt, source->latest_offset(std::nullopt, false).value().value(),
                 "value"),
            (Texts{"one", "two"}));
}

}  // namespace
}  // namespace millstream::source
