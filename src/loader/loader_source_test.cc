// Whole sources over real files: options, inference, discovery, batches, evolution.
#include <thread>

#include "connector/source_testing.h"
#include "loader/reading.h"
#include "loader/table.h"

namespace millstream::loader {
namespace {

namespace fs = std::filesystem;
using connector::testing::read_rows;
using connector::testing::Texts;
using Map = std::map<std::string, std::string>;

class SetClock final : public Clock {
 public:
  std::int64_t now_us() const override { return ms * 1000; }
  std::int64_t monotonic_ns() const override { return ms * 1'000'000; }
  std::int64_t ms = 1'700'000'000'000;
};

class LoaderTest : public connector::testing::FolderTest {
 protected:
  Result<std::shared_ptr<const connector::StreamTable>> try_define(Map options,
                                                                   const std::string& schema = "",
                                                                   std::string path = "") {
    options.try_emplace("cloudFiles.format", "json");
    if (schema.empty())
      options.try_emplace("cloudFiles.schemaLocation", (root / "schema").string());
    LoaderEnv env;
    env.store = io::local_store();
    env.parallelism = 2;
    env.clock = &clock;
    env.conf = conf;
    return make_cloud_files_table(schema, Options(options),
                                  {path.empty() ? (root / "in").string() : path}, env);
  }
  std::string defined(Map options, const std::string& schema = "", const std::string& path = "") {
    const auto table = try_define(std::move(options), schema, path);
    return table.ok() ? column::to_ddl(table.value()->schema()) : table.status().to_string();
  }
  std::unique_ptr<connector::Source> open(Map options = {}, const std::string& schema = "",
                                          const std::string& path = "") {
    auto table = try_define(std::move(options), schema, path);
    EXPECT_TRUE(table.ok()) << table.status().to_string();
    auto source =
        table.value()->open({checkpoint, (root / "ckpt/sources/0").string(), &clock, std::nullopt});
    EXPECT_TRUE(source.ok()) << source.status().to_string();
    return std::move(source).value();
  }

  // The rows of the next batch, after which `at` is its end. Nothing new: no rows.
  Texts next(connector::Source& source, std::optional<std::string>* at, const Texts& columns) {
    auto end = source.latest_offset(*at, false);
    EXPECT_TRUE(end.ok()) << end.status().to_string();
    if (!end.ok() || !end.value() || end.value() == *at) return {};
    auto rows = read_rows(source, *at, *end.value(), columns);
    EXPECT_TRUE(rows.ok()) << rows.status().to_string();
    *at = *end.value();
    return rows.ok() ? rows.value() : Texts{rows.status().to_string()};
  }

  Map conf;
  SetClock clock;
  // Two tests run on the local store, with RocksDB; the others need no disk for their checkpoint.
  std::shared_ptr<io::Store> checkpoint = io::memory_store();
};

TEST_F(LoaderTest, TypesAreStringsUnlessAsked) {
  write("a.json", R"({"id":1,"price":2.50,"addr":{"zip":123}})");
  EXPECT_EQ(defined({{"cloudFiles.inferColumnTypes", "true"}}),
            "addr STRUCT<zip: BIGINT>,id BIGINT,price DOUBLE,_rescued_data STRING");
  fs::remove_all(root / "schema");
  EXPECT_EQ(defined({}), "addr STRING,id STRING,price STRING,_rescued_data STRING");
  auto source = open();
  std::optional<std::string> at;
  EXPECT_EQ(next(*source, &at, {"addr", "id", "price", "_rescued_data"}),
            (Texts{R"({"zip":123}|1|2.50|null)"}));
  // The recorded schema holds, whatever the options say now.
  EXPECT_EQ(defined({{"cloudFiles.inferColumnTypes", "true"}}),
            "addr STRING,id STRING,price STRING,_rescued_data STRING");
}

TEST_F(LoaderTest, HintsAndModes) {
  write("a.json", R"({"amount":12.5,"meta":{"k":7,"j":"x"}})");
  EXPECT_EQ(defined({{"cloudFiles.schemaHints", "amount double, meta.k int, late date"}}),
            "amount DOUBLE,meta STRUCT<j: STRING, k: INT>,late DATE,_rescued_data STRING");
  auto source = open();
  std::optional<std::string> at;
  EXPECT_EQ(next(*source, &at, {"amount", "late"}), (Texts{"12.5|null"}));
  fs::remove_all(root / "schema");
  EXPECT_EQ(defined({{"cloudFiles.schemaEvolutionMode", "none"}}), "amount STRING,meta STRING");
  EXPECT_EQ(defined({{"cloudFiles.schemaEvolutionMode", "none"}, {"rescuedDataColumn", "r"}}),
            "amount STRING,meta STRING,r STRING");
  EXPECT_EQ(defined({}, "id INT"), "id INT");
  EXPECT_EQ(defined({{"rescuedDataColumn", "r"}}, "id INT"), "id INT,r STRING");
}

TEST_F(LoaderTest, OptionsAreChecked) {
  write("a.json", R"({"id":1})");
  const auto says = [&](Map options, const std::string& schema = "id INT") {
    return defined(std::move(options), schema);
  };
  EXPECT_NE(says({{"cloudFiles.pathGlobFilter", "*"}}).find("[CF_UNKNOWN_OPTION_KEYS_ERROR]"),
            std::string::npos);
  EXPECT_NE(says({{"cloudFiles.pathGlobFilter", "*"}}).find("cloudfiles.pathglobfilter"),
            std::string::npos);
  EXPECT_EQ(says({{"cloudFiles.nonsense", "*"}, {"cloudFiles.validateOptions", "false"}}),
            "id INT");
  for (const char* name :
       {"cloudFiles.useNotifications", "cloudFiles.backfillInterval", "cloudFiles.resourceTag.x"}) {
    EXPECT_NE(says({{name, "true"}}).find(name), std::string::npos) << name;
  }
  EXPECT_NE(says({{"cloudFiles.cleanSource", "MOVE"}}).find("cloudFiles.cleanSource"),
            std::string::npos);
  EXPECT_EQ(says({{"cloudFiles.cleanSource", "OFF"}, {"cloudFiles.useNotifications", "false"}}),
            "id INT");
  EXPECT_NE(says({{"cloudFiles.format", "csv"}}).find("'csv'"), std::string::npos);
  EXPECT_NE(says({{"cloudFiles.format", ""}}).find("cloudFiles.format"), std::string::npos);
  EXPECT_NE(says({{"cloudFiles.schemaEvolutionMode", "addNewColumns"}})
                .find("[CF_ADD_NEW_NOT_SUPPORTED]"),
            std::string::npos);
  EXPECT_NE(says({{"cloudFiles.schemaEvolutionMode", "whatever"}})
                .find("[CF_UNSUPPORTED_SCHEMA_EVOLUTION_MODE]"),
            std::string::npos);
  EXPECT_NE(says({{"cloudFiles.maxFileAge", "3 days"}}).find("14 days"), std::string::npos);
  EXPECT_NE(says({{"cloudFiles.maxFilesPerTrigger", "0"}}).find("maxFilesPerTrigger"),
            std::string::npos);
  EXPECT_NE(says({{"maxFilesPerTrigger", "1"}}).find("maxFilesPerTrigger"), std::string::npos);
  EXPECT_NE(says({{"cloudFiles.schemaLocation", ""}}, "").find("cloudFiles.schemaLocation"),
            std::string::npos);
}

TEST_F(LoaderTest, AnEmptyFolderCannotBeInferred) {
  EXPECT_NE(defined({}).find("[CF_EMPTY_DIR_FOR_SCHEMA_INFERENCE]"), std::string::npos);
  // Files without columns are something else, and the error says which.
  write("bad.json", "not json\n", 1'700'000'009);
  write("binary.json", std::string("\x00\xff\x01", 3));
  const std::string refused = defined({});
  EXPECT_NE(refused.find("[UNABLE_TO_INFER_SCHEMA]"), std::string::npos) << refused;
  EXPECT_NE(refused.find("/in/bad.json and 1 more files hold no JSON object"), std::string::npos)
      << refused;
  EXPECT_EQ(defined({{"cloudFiles.schemaHints", "id INT"}}), "id INT,_rescued_data STRING");
  fs::remove_all(root / "schema");
  fs::remove_all(root / "in");
  write("empty.json", "");
  EXPECT_NE(defined({}).find("/in/empty.json hold no record"), std::string::npos) << defined({});
  EXPECT_EQ(defined({}, "id INT"), "id INT");
  EXPECT_NE(defined({}, "", (root / "nowhere").string()).find("[PATH_NOT_FOUND]"),
            std::string::npos);
}

TEST_F(LoaderTest, NamesMustNotCollide) {
  write("a.json", R"({"id":1,"v":2})");
  for (const Map& options : {Map{{"rescuedDataColumn", "id"}}, Map{{"rescuedDataColumn", "ID"}}}) {
    const std::string refused = defined(options);
    EXPECT_NE(refused.find("[COLUMN_ALREADY_EXISTS] The column `id`"), std::string::npos)
        << refused;
    EXPECT_NE(refused.find("rescuedDataColumn"), std::string::npos) << refused;
  }
  EXPECT_NE(defined({{"cloudFiles.schemaHints", "id INT, ID INT"}}).find("[COLUMN_ALREADY_EXISTS]"),
            std::string::npos);
  EXPECT_NE(defined({{"cloudFiles.schemaHints", "s STRUCT<a: INT, A: INT>"}})
                .find("[COLUMN_ALREADY_EXISTS]"),
            std::string::npos);
  EXPECT_NE(defined({}, "id INT, ID INT").find("[COLUMN_ALREADY_EXISTS]"), std::string::npos);
  ASSERT_EQ(defined({}), "id STRING,v STRING,_rescued_data STRING");
  // Also of a schema that has been recorded.
  EXPECT_NE(defined({{"rescuedDataColumn", "id"}}).find("[COLUMN_ALREADY_EXISTS]"),
            std::string::npos);
  EXPECT_EQ(defined({{"rescuedDataColumn", "r"}}, "id INT, r STRING"), "id INT,r STRING");
  EXPECT_NE(
      defined({{"rescuedDataColumn", "r"}}, "id INT, r INT").find("[INVALID_CORRUPT_RECORD_TYPE]"),
      std::string::npos);
}

TEST_F(LoaderTest, AMalformedRecordIsRescued) {
  write("a.json", "{\"v\":1}\n{bad\n");
  for (const char* mode : {"addNewColumns", "rescue", "failOnNewColumns"}) {
    checkpoint = io::memory_store();
    auto source = open({{"cloudFiles.schemaEvolutionMode", mode}});
    std::optional<std::string> at;
    EXPECT_EQ(next(*source, &at, {"v", "_rescued_data"}),
              (Texts{"1|null", R"(null|{"_corrupt_record":"{bad","_file_path":")" +
                                   (root / "in/a.json").string() + "\"}"}))
        << mode;
  }
}

TEST_F(LoaderTest, FilesOnceInOrderOfTheirTimes) {
  checkpoint = io::local_store();
  write("b.json", R"({"v":1})", 1'700'000'001);
  write("x/y/deep.json", R"({"v":2})", 1'700'000'002);
  write("_under.json", R"({"v":3})");
  write(".hidden.json", R"({"v":4})");
  write("_tmp/a.json", R"({"v":5})");
  write("c.json.tmp", R"({"v":6})", 1'700'000'003);
  auto source = open({{"cloudFiles.maxFilesPerTrigger", "2"}});
  EXPECT_EQ(source->description(), "CloudFilesSource[file:" + (root / "in").string() + "]");
  std::optional<std::string> at;
  EXPECT_EQ(next(*source, &at, {"v"}), (Texts{"1", "2"}));
  EXPECT_EQ(source->metrics(), (Map{{"numFilesOutstanding", "1"}, {"numBytesOutstanding", "7"}}));
  const std::string first = *at;
  EXPECT_TRUE(first.starts_with(R"({"seqNum":2,"sourceVersion":3,"lastBackfillStartTimeMs":)"))
      << first;
  EXPECT_TRUE(first.ends_with("\"lastInputPath\":\"file:" + (root / "in").string() + "\"}"))
      << first;
  EXPECT_EQ(next(*source, &at, {"v"}), (Texts{"6"}));
  EXPECT_EQ(source->latest_offset(at, false).value(), at);
  EXPECT_EQ(source->metrics().at("numFilesOutstanding"), "0");
  // After a restart: nothing twice, and a logged batch is the same batch.
  source = nullptr;
  source = open();
  EXPECT_EQ(source->latest_offset(at, false).value(), at);
  EXPECT_EQ(read_rows(*source, first, *at, {"v"}).value(), (Texts{"6"}));
  write("b.json", R"({"v":100})", 1'700'000'009);  // overwritten: ignored
  write("copy.json", R"({"v":1})", 1'600'000'000);
  EXPECT_EQ(next(*source, &at, {"v"}), (Texts{"1"}));
}

TEST_F(LoaderTest, NamesAreLiteral) {
  const Texts names = {"a b.json",    "a[1].json", "c#d.json",  "e+f.json",   "q?.json",
                       "x{y,z}.json", "ünï.json",  "st*r.json", "p%20q.json", "co:lon.json"};
  for (const auto& name : names) write(name, R"({"v":1})");
  auto source = open();
  std::optional<std::string> at;
  EXPECT_EQ(next(*source, &at, {"v"}).size(), names.size());
  EXPECT_TRUE(next(*source, &at, {"v"}).empty());
}

TEST_F(LoaderTest, SoftBytesLimit) {
  for (int i = 0; i < 5; ++i)
    write(fmt::format("{}.json", i), R"({"v":1})", 1'700'000'000 + i);  // 7 bytes each
  auto source = open({{"cloudFiles.maxBytesPerTrigger", "10"}});
  std::optional<std::string> at;
  EXPECT_EQ(next(*source, &at, {"v"}).size(), 2u);  // the file that crosses the limit is in
  EXPECT_EQ(next(*source, &at, {"v"}).size(), 2u);
  EXPECT_EQ(next(*source, &at, {"v"}).size(), 1u);
  // Trigger.Once knows no limits.
  checkpoint = io::memory_store();
  source = nullptr;
  source = open({{"cloudFiles.maxFilesPerTrigger", "1"}});
  const auto all = source->latest_offset(std::nullopt, true).value().value();
  EXPECT_EQ(read_rows(*source, std::nullopt, all, {"v"})->size(), 5u);
}

TEST_F(LoaderTest, IncludeExistingFilesCountsOnTheFirstStartOnly) {
  write("a.json", R"({"v":1})");
  write("b.json", R"({"v":2})");
  std::optional<std::string> at;
  {
    auto source = open({{"cloudFiles.includeExistingFiles", "false"}});
    EXPECT_TRUE(next(*source, &at, {"v"}).empty());
    EXPECT_FALSE(at.has_value());
    write("c.json", R"({"v":3})");
  }
  auto source = open({{"cloudFiles.includeExistingFiles", "true"}});
  EXPECT_EQ(next(*source, &at, {"v"}), (Texts{"3"}));
  EXPECT_TRUE(next(*source, &at, {"v"}).empty());
}

TEST_F(LoaderTest, AllowOverwritesReadsANewVersion) {
  write("f.json", R"({"v":1})", 1'700'000'000);
  std::optional<std::string> at;
  {
    auto source = open();
    EXPECT_EQ(next(*source, &at, {"v"}), (Texts{"1"}));
  }
  auto source =
      open({{"cloudFiles.allowOverwrites", "true"}});  // turned on later: nothing comes twice
  EXPECT_TRUE(next(*source, &at, {"v"}).empty());
  write("f.json", R"({"v":2})", 1'700'000'005);
  EXPECT_EQ(next(*source, &at, {"v"}), (Texts{"2"}));
  EXPECT_TRUE(next(*source, &at, {"v"}).empty());
}

TEST_F(LoaderTest, EntriesExpireAndTheirFilesDoNotComeBack) {
  constexpr std::int64_t day_s = 24 * 3600;
  const Map aged = {{"cloudFiles.maxFileAge", "14 days"}};
  write("ancient.json", R"({"v":1})", 1'600'000'000);  // the first listing takes what is there
  auto source = open(aged, "v INT");
  std::optional<std::string> at;
  EXPECT_EQ(next(*source, &at, {"v"}), (Texts{"1"}));
  clock.ms += 20 * day_s * 1000;
  write("fresh.json", R"({"v":2})", 1'700'000'000 + 20 * day_s);
  EXPECT_EQ(next(*source, &at, {"v"}), (Texts{"2"}));
  write("late.json", R"({"v":3})", 1'650'000'000);
  EXPECT_TRUE(next(*source, &at, {"v"}).empty());
  EXPECT_TRUE(next(*source, &at, {"v"}).empty());
}

TEST_F(LoaderTest, SamplesTheNewestFilesWithinTheLimits) {
  write("old.json", R"({"old":1})", 1'700'000'000);
  write("new.json", R"({"new":1})", 1'700'000'009);
  conf = {{"spark.databricks.cloudFiles.schemaInference.sampleSize.numFiles", "1"}};
  EXPECT_EQ(defined({}), "new STRING,_rescued_data STRING");
  fs::remove_all(root / "schema");
  conf = {{"spark.databricks.cloudFiles.schemaInference.sampleSize.numBytes", "1b"}};
  EXPECT_EQ(defined({}), "new STRING,_rescued_data STRING");
}

TEST_F(LoaderTest, UnreadableRecordsAreSeenWhereAHintAsksForThem) {
  write("a.json", "{\"v\":1}\n{bad\n");
  EXPECT_EQ(defined({}), "v STRING,_rescued_data STRING");
  fs::remove_all(root / "schema");
  auto source = open({{"cloudFiles.schemaHints", "_corrupt_record STRING"}});
  std::optional<std::string> at;
  EXPECT_EQ(next(*source, &at, {"v", "_corrupt_record", "_rescued_data"}),
            (Texts{"1|null|null", "null|{bad|null"}));
}

TEST_F(LoaderTest, AvailableNowStopsAtWhatWasThere) {
  for (int i = 0; i < 3; ++i) write(fmt::format("{}.json", i), R"({"v":1})");
  auto source = open({{"cloudFiles.maxFilesPerTrigger", "2"}});
  ASSERT_TRUE(source->prepare_for_available_now().ok());
  write("late.json", R"({"v":1})");
  std::optional<std::string> at;
  EXPECT_EQ(next(*source, &at, {"v"}).size(), 2u);
  EXPECT_EQ(next(*source, &at, {"v"}).size(), 1u);
  EXPECT_TRUE(next(*source, &at, {"v"}).empty());
}

TEST_F(LoaderTest, ANewColumnStopsTheStreamOnce) {
  write("f1.json", R"({"id":1})", 1'700'000'001);
  std::optional<std::string> at;
  {
    auto source = open();
    EXPECT_EQ(next(*source, &at, {"id"}), (Texts{"1"}));
  }
  write("f2.json", "{\"id\":2,\"color\":\"red\"}\n", 1'700'000'002);
  write("f3.json", "{\"id\":3,\"size\":4,\"null\":null}\n", 1'700'000'003);
  std::string end;
  {
    auto source = open();
    end = source->latest_offset(at, false).value().value();
    const auto failed = read_rows(*source, at, end, {"id"}).status();
    EXPECT_TRUE(failed.is("UNKNOWN_FIELD_EXCEPTION.NEW_FIELDS_IN_RECORD_WITH_FILE_PATH"))
        << failed.to_string();
    EXPECT_EQ(failed.info().sql_state, "KD003");
    EXPECT_NE(failed.message().find("color"), std::string::npos) << failed.message();
    EXPECT_EQ(failed.info().parameters.at("canBeFixedByRetry"), "true");
  }
  EXPECT_TRUE(fs::exists(root / "schema/_schemas/1"));
  EXPECT_EQ(defined({}), "id STRING,color STRING,null STRING,size STRING,_rescued_data STRING");
  auto source = open();
  EXPECT_EQ(read_rows(*source, at, end, {"id", "color", "size"}).value(),
            (Texts{"2|red|null", "3|null|4"}));
}

TEST_F(LoaderTest, NestedNewFieldsWithTypes) {
  const Map typed = {{"cloudFiles.inferColumnTypes", "true"}};
  write("f1.json", R"({"s":{"x":1}})");
  ASSERT_EQ(defined(typed), "s STRUCT<x: BIGINT>,_rescued_data STRING");
  write("f2.json", R"({"s":{"x":1,"a":true}})");
  auto source = open(typed);
  const auto end = source->latest_offset(std::nullopt, false).value().value();
  EXPECT_FALSE(read_rows(*source, std::nullopt, end, {"s"}).ok());
  EXPECT_EQ(defined(typed), "s STRUCT<x: BIGINT, a: BOOLEAN>,_rescued_data STRING");
}

TEST_F(LoaderTest, RescueModeNeverChangesTheSchema) {
  write("f1.json", R"({"id":1})", 1'700'000'001);
  const Map rescue = {{"cloudFiles.schemaEvolutionMode", "rescue"}};
  auto source = open(rescue);
  write("f2.json", R"({"id":2,"x":5})", 1'700'000'002);
  std::optional<std::string> at;
  const Texts rows = next(*source, &at, {"id", "_rescued_data"});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0], "1|null");
  EXPECT_EQ(rows[1], "2|{\"x\":5,\"_file_path\":\"" + (root / "in/f2.json").string() + "\"}");
  EXPECT_EQ(defined(rescue), "id STRING,_rescued_data STRING");
  EXPECT_FALSE(fs::exists(root / "schema/_schemas/1"));
}

TEST_F(LoaderTest, FailOnNewColumnsFailsEveryTime) {
  write("f1.json", R"({"id":1})");
  const Map fail = {{"cloudFiles.schemaEvolutionMode", "failOnNewColumns"}};
  ASSERT_EQ(defined(fail), "id STRING,_rescued_data STRING");
  write("f2.json", R"({"id":2,"x":5})");
  for (int run = 0; run < 2; ++run) {
    auto source = open(fail);
    const auto end = source->latest_offset(std::nullopt, false).value().value();
    const auto failed = read_rows(*source, std::nullopt, end, {"id"}).status();
    EXPECT_TRUE(failed.is("UNKNOWN_FIELD_EXCEPTION.NEW_FIELDS_IN_RECORD_WITH_FILE_PATH"))
        << failed.to_string();
    EXPECT_EQ(failed.info().parameters.at("canBeFixedByRetry"), "false");
  }
  EXPECT_FALSE(fs::exists(root / "schema/_schemas/1"));
}

TEST_F(LoaderTest, GivenSchemaIgnoresOrRescuesExtraFields) {
  write("f.json", R"({"id":1,"x":2})");
  std::optional<std::string> at;
  {
    auto source = open({}, "id INT");
    EXPECT_EQ(next(*source, &at, {"id"}), (Texts{"1"}));
  }
  checkpoint = io::memory_store();
  at.reset();
  auto source = open({{"rescuedDataColumn", "r"}}, "id INT");
  const Texts rows = next(*source, &at, {"id", "r"});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_TRUE(rows[0].starts_with("1|{\"x\":2,")) << rows[0];
}

TEST_F(LoaderTest, LetterCaseIsNoNewColumn) {
  write("f1.json", R"({"id":1})");
  ASSERT_EQ(defined({}), "id STRING,_rescued_data STRING");
  write("f2.json", R"({"ID":2})");
  auto source = open();
  std::optional<std::string> at;
  const Texts rows = next(*source, &at, {"id", "_rescued_data"});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_TRUE(rows[1].starts_with("null|{\"ID\":2,")) << rows[1];
  checkpoint = io::memory_store();
  source = nullptr;
  source = open({{"readerCaseSensitive", "false"}});
  at.reset();
  EXPECT_EQ(next(*source, &at, {"id"}), (Texts{"1", "2"}));
}

TEST_F(LoaderTest, PartitionColumnsOfThePath) {
  write("date=2024-01-02/hour=3/f.json", R"({"v":1,"date":"in the file"})");
  const Map typed = {{"cloudFiles.inferColumnTypes", "true"}};
  EXPECT_EQ(defined(typed), "date DATE,v BIGINT,_rescued_data STRING,hour INT");
  auto source = open(typed);
  std::optional<std::string> at;
  EXPECT_EQ(next(*source, &at, {"date", "hour", "v"}), (Texts{"2024-01-02|3|1"}));
  source = nullptr;
  fs::remove_all(root / "schema");
  EXPECT_EQ(defined({{"cloudFiles.partitionColumns", ""}}),
            "date STRING,v STRING,_rescued_data STRING");
  EXPECT_EQ(defined({}, "v INT, hour INT"), "v INT,hour INT");
}

TEST_F(LoaderTest, AGivenColumnComesFromThePathOrTheFile) {
  write("day=1/f.json", R"({"v":1,"day":9})", 1'700'000'001);
  write("g.json", R"({"v":2,"day":7})", 1'700'000'002);
  auto source = open({}, "v INT, day INT");
  std::optional<std::string> at;
  EXPECT_EQ(next(*source, &at, {"v", "day"}), (Texts{"1|1", "2|7"}));
}

// Folders that have not changed are not listed again: whatever is added, overwritten, linked or
// comes into question later must be found all the same.
TEST_F(LoaderTest, WhatIsAddedToASettledFolderIsFound) {
  checkpoint = io::local_store();
  const auto settle = [&] { std::this_thread::sleep_for(std::chrono::milliseconds(1050)); };
  for (const char* name : {"a.json", "x/a.json", "x/y/a.json"}) write(name, R"({"v":1})");
  fs::create_directories(root / "in/empty");
  fs::create_symlink(root / "target.json", root / "in/link.json");
  auto source = open({}, "v INT");
  std::optional<std::string> at;
  EXPECT_EQ(next(*source, &at, {"v"}).size(), 3u);
  settle();
  EXPECT_TRUE(next(*source, &at, {"v"}).empty());
  EXPECT_TRUE(next(*source, &at, {"v"}).empty());
  for (const char* name : {"b.json", "x/b.json", "x/y/b.json", "empty/b.json", "new/z/b.json"}) {
    write(name, R"({"v":2})");
    EXPECT_EQ(next(*source, &at, {"v"}), (Texts{"2"})) << name;
    EXPECT_TRUE(next(*source, &at, {"v"}).empty()) << name;
  }
  settle();
  EXPECT_TRUE(next(*source, &at, {"v"}).empty());
  std::ofstream(root / "target.json") << R"({"v":3})";  // the link was dead until now
  EXPECT_EQ(next(*source, &at, {"v"}), (Texts{"3"}));
  // A folder that another one takes the place of, with the same times.
  const fs::path other = root / "other";
  fs::create_directories(other);
  std::ofstream(other / "c.json") << R"({"v":4})";
  settle();
  fs::rename(root / "in/x/y", root / "old");
  fs::rename(other, root / "in/x/y");
  EXPECT_EQ(next(*source, &at, {"v"}), (Texts{"4"}));
}

TEST_F(LoaderTest, AFileThatIsOverwrittenInASettledFolderComesIntoQuestionAgain) {
  checkpoint = io::local_store();
  write("a.json", R"({"v":1})", 1'600'000'000);
  auto source = open({{"modifiedAfter", "2023-11-14T22:13:20"}}, "v INT");
  std::optional<std::string> at;
  EXPECT_TRUE(next(*source, &at, {"v"}).empty());
  std::this_thread::sleep_for(std::chrono::milliseconds(1050));
  EXPECT_TRUE(next(*source, &at, {"v"}).empty());
  write("a.json", R"({"v":2})", 1'700'000'009);
  EXPECT_EQ(next(*source, &at, {"v"}), (Texts{"2"}));
  source = nullptr;
  source = open({{"cloudFiles.allowOverwrites", "true"}}, "v INT");
  EXPECT_TRUE(next(*source, &at, {"v"}).empty());
  std::this_thread::sleep_for(std::chrono::milliseconds(1050));
  EXPECT_TRUE(next(*source, &at, {"v"}).empty());
  write("a.json", R"({"v":3})", 1'700'000'019);
  EXPECT_EQ(next(*source, &at, {"v"}), (Texts{"3"}));
}

TEST_F(LoaderTest, GlobsAndFilters) {
  write("a/k/f.json", R"({"v":1})", 1'700'000'001);
  write("a/z/f.json", R"({"v":2})", 1'700'000'002);
  write("b/k/f.txt", R"({"v":3})", 1'700'000'003);
  auto source = open({}, "v INT", (root / "in/*/k").string());
  std::optional<std::string> at;
  EXPECT_EQ(next(*source, &at, {"v"}), (Texts{"1", "3"}));
  checkpoint = io::memory_store();
  at.reset();
  source = nullptr;
  source = open({{"pathGlobFilter", "*.json"}, {"modifiedAfter", "2023-11-14T22:13:21"}}, "v INT");
  EXPECT_EQ(next(*source, &at, {"v"}), (Texts{"2"}));
}

TEST_F(LoaderTest, FilesThatAreGone) {
  write("a.json", R"({"v":1})", 1'700'000'001);
  write("gone.json", R"({"v":2})", 1'700'000'002);
  auto source = open();
  const auto end = source->latest_offset(std::nullopt, false).value().value();
  fs::remove(root / "in/gone.json");
  const auto failed = read_rows(*source, std::nullopt, end, {"v"}).status();
  EXPECT_TRUE(failed.is("FAILED_READ_FILE.FILE_NOT_EXIST")) << failed.to_string();
  source = nullptr;
  source = open({{"ignoreMissingFiles", "true"}});
  EXPECT_EQ(read_rows(*source, std::nullopt, end, {"v"}).value(), (Texts{"1"}));
}

TEST_F(LoaderTest, ALostListOfSeenFilesIsNoticed) {
  checkpoint = io::local_store();
  write("a.json", R"({"v":1})");
  std::optional<std::string> at;
  {
    auto source = open();
    next(*source, &at, {"v"});
  }
  fs::remove_all(root / "ckpt/sources/0/rocksdb");
  auto table = try_define({}).value();
  const auto lost =
      table->open({io::local_store(), (root / "ckpt/sources/0").string(), &clock, at}).status();
  EXPECT_NE(lost.to_string().find("file number 1"), std::string::npos) << lost.to_string();
}

TEST_F(LoaderTest, MetadataColumnAndCountOnly) {
  write("a b.json", "{\"v\":1}\n{\"v\":2}\n");
  auto source = open();
  const auto end = source->latest_offset(std::nullopt, false).value().value();
  const auto rows = read_rows(*source, std::nullopt, end, {"_metadata"}).value();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_NE(rows[0].find("/in/a%20b.json"), std::string::npos) << rows[0];
  EXPECT_EQ(read_rows(*source, std::nullopt, end, {})->size(), 2u);
}

TEST(BalancedGroups, CoverAllFilesInOrder) {
  using Groups = std::vector<std::pair<std::size_t, std::size_t>>;
  constexpr std::int64_t mb = 1 << 20;
  EXPECT_EQ(balanced_groups({}, 4), (Groups{}));
  EXPECT_EQ(balanced_groups({1, 1, 1}, 4), (Groups{{0, 3}}));
  EXPECT_EQ(balanced_groups({20 * mb, 20 * mb}, 4), (Groups{{0, 1}, {1, 2}}));
  EXPECT_EQ(
      balanced_groups({10 * mb, 10 * mb, 10 * mb, 10 * mb, 10 * mb, 10 * mb, 10 * mb, 10 * mb}, 4),
      (Groups{{0, 2}, {2, 4}, {4, 6}, {6, 8}}));
  EXPECT_EQ(balanced_groups({100 * mb, 1, 1, 1}, 2), (Groups{{0, 1}, {1, 4}}));
  EXPECT_EQ(balanced_groups({0, 0, 0}, 2), (Groups{{0, 3}}));
}

}  // namespace
}  // namespace millstream::loader
