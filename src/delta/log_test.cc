#include "delta/log.h"
#include "delta/checksum.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/random.h"
#include "delta/checkpoint.h"
#include "delta/last_checkpoint.h"
#include "delta/log_names.h"
#include "delta/md5.h"
#include "delta/transaction.h"
#include "io/fault_store.h"

namespace millstream::delta {
namespace {

const std::string table = "/t";
const std::string log_dir = "/t/_delta_log";

Metadata metadata_of(const std::string& ddl) {
  Metadata metadata;
  metadata.id = "id-1";
  metadata.schema_string = column::schema_to_json(column::parse_schema(ddl).value());
  metadata.created_time = 1;
  return metadata;
}

AddFilePtr add_of(const std::string& path, std::int64_t size = 1) {
  AddFile add;
  add.path = path;
  add.size = size;
  add.stats = R"({"numRecords":1})";
  return std::make_shared<const AddFile>(std::move(add));
}

// A table of `commits` commits, each of which adds one file, by this log.
void fill(Log& log, int commits) {
  for (int i = 0; i < commits; ++i) {
    Transaction txn;
    txn.read = log.known();
    if (txn.read == nullptr) {
      txn.metadata = metadata_of("id BIGINT");
      txn.protocol = Protocol();
    }
    txn.txn = Txn{"app", i, 1000 + i};
    txn.adds = {add_of("f" + std::to_string(txn.read == nullptr ? 0 : txn.read->version() + 1))};
    txn.operation = "WRITE";
    const auto committed = commit(log, txn);
    ASSERT_TRUE(committed.ok()) << committed.status().to_string();
  }
}

std::shared_ptr<Log> open(const std::shared_ptr<io::Store>& store) {
  return Log::at(store, table, {false});
}

std::vector<std::string> live(const SnapshotPtr& snapshot) {
  std::vector<std::string> paths;
  snapshot->files().for_each([&](const AddFilePtr& file) { paths.push_back(file->path); });
  std::sort(paths.begin(), paths.end());
  return paths;
}

TEST(Actions, WhatIsUnknownIsIgnored) {
  const auto actions = parse_actions(
      "{\"add\":{\"path\":\"a%20b\",\"partitionValues\":{\"p\":null,\"q\":\"1\"},\"size\":3,"
      "\"modificationTime\":4,"
      "\"dataChange\":true,\"tags\":null,\"deletionVector\":null,\"newThing\":{\"x\":[1]}}}\r\n"
      "{\"future\":{\"a\":1}}\n\n"
      "{\"remove\":{\"path\":\"c\",\"deletionTimestamp\":5,\"dataChange\":true}}\n"
      "{\"commitInfo\":{\"operationParameters\":{\"x\":null,\"y\":false},\"isBlindAppend\":\"odd\"}"
      "}",
      "f");
  ASSERT_TRUE(actions.ok()) << actions.status().to_string();
  ASSERT_EQ(actions->size(), 3u);
  const auto& add = *std::get<AddFilePtr>((*actions)[0]);
  EXPECT_EQ(add.partition_values, (PartitionValues{{"p", std::nullopt}, {"q", "1"}}));
  EXPECT_EQ(
      to_json(add),
      R"({"add":{"path":"a%20b","partitionValues":{"p":null,"q":"1"},"size":3,"modificationTime":4,"dataChange":true}})");
}

TEST(Actions, GoThereAndBack) {
  for (
      const char* line :
      {R"({"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["timestampNtz"],"writerFeatures":["timestampNtz","invariants"]}})",
       R"({"metaData":{"id":"x","name":"n","description":"d","format":{"provider":"parquet","options":{}},"schemaString":"{}","partitionColumns":["a"],"configuration":{"delta.appendOnly":"true","k":"é\"\\"},"createdTime":5}})",
       R"({"add":{"path":"a","partitionValues":{},"size":1,"modificationTime":2,"dataChange":false,"stats":"{\"numRecords\":1}","tags":{"a":"b"},"deletionVector":{"storageType":"u","pathOrInlineDv":"ab^-aqEH.-t@S}K{vb[*k^","offset":4,"sizeInBytes":40,"cardinality":6},"baseRowId":1,"defaultRowCommitVersion":2,"clusteringProvider":"liquid"}})",
       R"({"remove":{"path":"a","deletionTimestamp":1,"dataChange":true,"extendedFileMetadata":true,"partitionValues":{"p":"1"},"size":9}})",
       R"({"txn":{"appId":"q","version":7,"lastUpdated":1}})",
       R"({"domainMetadata":{"domain":"delta.clustering","configuration":"{}","removed":false}})"}) {
    const auto actions = parse_actions(line, "f");
    ASSERT_TRUE(actions.ok()) << line << actions.status().to_string();
    const std::string back = std::visit(
        [](const auto& action) -> std::string {
          using A = std::decay_t<decltype(action)>;
          if constexpr (std::is_same_v<A, AddFilePtr> || std::is_same_v<A, RemoveFilePtr>) {
            return to_json(*action);
          } else if constexpr (requires { to_json(action); }) {
            return to_json(action);
          } else {
            return "";
          }
        },
        (*actions)[0]);
    EXPECT_EQ(back, line);
  }
}

TEST(LastCheckpoint, Checksum) {
  const char* text = R"({"version":20,"size":22,"sizeInBytes":24259,"numOfAddFiles":10})";
  const auto form = canonical_form(text);
  EXPECT_EQ(form, R"("numOfAddFiles"=10,"size"=22,"sizeInBytes"=24259,"version"=20)");
  EXPECT_EQ(md5_hex(*form), "88cdf2414409687764da58de64d64469");
  EXPECT_EQ(md5_hex(""), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_TRUE(parse_last_checkpoint(text));
  EXPECT_TRUE(parse_last_checkpoint(print_last_checkpoint({20, 22, 24259, 10})));
  EXPECT_FALSE(
      parse_last_checkpoint(R"({"version":20,"checksum":"88cdf2414409687764da58de64d64469"})"));
  EXPECT_FALSE(parse_last_checkpoint(R"({"version":20,"version":20})"));
  EXPECT_FALSE(parse_last_checkpoint(""));
  EXPECT_FALSE(parse_last_checkpoint("{oops"));
  EXPECT_FALSE(parse_last_checkpoint("[1]"));
  EXPECT_EQ(canonical_form(R"({"a":{"b c":[true,"x/"]}})"),
            R"("a"+"b%20c"+0=true,"a"+"b%20c"+1="x%2F")");
}

TEST(LogNames, OnlyWhatIsOfTheLog) {
  EXPECT_EQ(parse_log_name("00000000000000000010.json")->version, 10);
  EXPECT_EQ(parse_log_name("00000000000000000010.checkpoint.parquet")->kind,
            LogName::Kind::classic_checkpoint);
  EXPECT_EQ(parse_log_name("00000000000000000010.checkpoint.0000000002.0000000003.parquet")->part,
            2);
  EXPECT_EQ(
      parse_log_name("00000000000000000010.checkpoint.0d3c1b4e-7a53-4d1c-9d55-000000000001.json")
          ->kind,
      LogName::Kind::uuid_checkpoint);
  for (const char* other :
       {"00000000000000000010.crc", ".00000000000000000010.json.crc", "_last_checkpoint", "x.json",
        "00000000000000000010.00000000000000000010.compacted.json",
        "00000000000000000012.00000000000000000010.compacted.json",
        "00000000000000000010.12.compacted.json", "_commits", "10.json",
        "00000000000000000010.99999999999999999999.compacted.json",
        ".00000000000000000010.json.abc.tmp",
        "00000000000000000010.checkpoint.0000000004.0000000003.parquet"}) {
    EXPECT_FALSE(parse_log_name(other)) << other;
  }
  const auto compaction = parse_log_name(compaction_name({10, 12}));
  ASSERT_TRUE(compaction);
  EXPECT_EQ(compaction->kind, LogName::Kind::compaction);
  EXPECT_EQ(compaction->version, 10);
  EXPECT_EQ(compaction->last, 12);
  EXPECT_GT(commit_name(10), listing_start(10));
  EXPECT_LT(commit_name(9), listing_start(10));
}

TEST(LogNames, Segments) {
  LogListing listing =
      read_listing({commit_name(5), commit_name(6), commit_name(7), checkpoint_name(5),
                    "00000000000000000006.checkpoint.0000000001.0000000002.parquet"});
  EXPECT_EQ(listing.checkpoints.size(), 1u);  // half a multi-part checkpoint is none
  const auto segment = choose_segment(listing, 7, table);
  ASSERT_TRUE(segment.ok());
  EXPECT_EQ(segment->checkpoint->version, 5);
  EXPECT_EQ(segment->commits, (std::vector<std::int64_t>{6, 7}));
  EXPECT_TRUE(choose_segment(listing, 4, table).status().is("DELTA_TRUNCATED_TRANSACTION_LOG"));
  listing = read_listing({commit_name(0), commit_name(5), commit_name(7)});
  EXPECT_TRUE(choose_segment(listing, 7, table).status().is("DELTA_VERSIONS_NOT_CONTIGUOUS"));
  // Only a checkpoint is left.
  listing = read_listing({checkpoint_name(9)});
  EXPECT_EQ(listing.latest, 9);
  EXPECT_TRUE(choose_segment(listing, 9, table).ok());
}

TEST(LogNames, CompactionsAreTakenWhereTheyFit) {
  std::vector<std::string> names = {checkpoint_name(2)};
  for (int version = 0; version < 10; ++version) names.push_back(commit_name(version));
  for (const auto& [first, last] :
       std::vector<std::pair<int, int>>{{0, 1}, {2, 4}, {3, 4}, {3, 5}, {4, 9}, {6, 7}, {8, 12}}) {
    names.push_back(compaction_name({first, last}));
  }
  const LogListing listing = read_listing(names);
  const auto segment = choose_segment(listing, 9, table);
  ASSERT_TRUE(segment.ok());
  EXPECT_EQ(segment->compactions, (std::vector<Compaction>{{3, 5}, {6, 7}}));
  EXPECT_EQ(segment->commits.size(), 7U);
  EXPECT_EQ(choose_segment(listing, 4, table)->compactions, (std::vector<Compaction>{{3, 4}}));
}

TEST(Log, BrokenCompactionsAreReplacedByTheirCommits) {
  const auto store = io::memory_store();
  fill(*open(store), 8);
  const std::string path = "/t/_delta_log/" + compaction_name({2, 6});
  std::string commits;
  for (int version = 2; version <= 6; ++version)
    commits += store->get("/t/_delta_log/" + commit_name(version)).value();
  const auto state_of = [&](const std::string& text) {
    EXPECT_TRUE(store->put(path, text).ok());
    const auto state = open(store)->latest();
    EXPECT_TRUE(state.ok()) << state.status().to_string();
    return state.ok() ? (*state)->files().size() : 0;
  };
  const auto whole = (*open(store)->latest())->files().size();
  EXPECT_EQ(state_of(commits), whole);
  EXPECT_EQ(state_of(""), whole);
  EXPECT_EQ(state_of(commits.substr(0, commits.size() / 2)), whole);
  EXPECT_EQ(state_of(R"({"sidecar":{"path":"x","sizeInBytes":1,"modificationTime":1}})"), whole);
  EXPECT_EQ(state_of("not JSON"), whole);
}

TEST(Log, EachCommitHasItsChecksum) {
  const auto store = io::memory_store();
  const auto log = open(store);
  fill(*log, 4);
  for (int version = 0; version < 4; ++version) {
    const auto file = store->get("/t/_delta_log/" + checksum_name(version));
    ASSERT_TRUE(file.ok()) << version;
    const auto state = log->at_version(version);
    ASSERT_TRUE(state.ok());
    EXPECT_TRUE(checksum_mismatches(*file, **state).empty()) << version;
    const auto other = log->at_version(version == 0 ? 1 : 0);
    EXPECT_FALSE(checksum_mismatches(*file, **other).empty()) << version;
  }
}

TEST(Log, AChecksumThatIsNoneSaysNothing) {
  const auto store = io::memory_store();
  const auto log = open(store);
  fill(*log, 2);
  const auto state = *log->latest();
  std::string deep;
  for (int i = 0; i < 200'000; ++i) deep += R"({"metadata":)";
  for (const std::string& file :
       {std::string(), std::string("{"), std::string("[1]"), std::string("null"),
        std::string(R"({"numFiles":"2","metadata":7,"protocol":[],"setTransactions":{}})"),
        std::string(R"({"metadata":{"id":1}})"), std::string("{\"metadata\":{\"id\":\"\xff\"}}"),
        deep}) {
    EXPECT_TRUE(checksum_mismatches(file, *state).empty()) << file.substr(0, 60);
  }
  EXPECT_EQ(checksum_mismatches(R"({"numFiles":7})", *state).size(), 1U);
}

TEST(Log, NoTable) {
  const auto log = open(io::memory_store());
  const auto latest = log->latest();
  ASSERT_TRUE(latest.ok());
  EXPECT_EQ(*latest, nullptr);
}

TEST(Log, SeesForeignCommitsWithoutReadingTheLogAgain) {
  const auto memory = io::memory_store();
  const auto counting = std::make_shared<io::FaultStore>(
      memory, [](const io::StoreCall&) { return io::Fault::none; });
  const auto writer = open(memory);
  fill(*writer, 5);
  const auto reader = open(counting);
  ASSERT_EQ((*reader->latest())->version(), 4);
  const std::int64_t before = counting->calls();
  ASSERT_EQ((*reader->latest())->version(), 4);
  EXPECT_LE(counting->calls() - before, 2);  // the newest commit is still there; the next is not
  fill(*writer, 2);
  const std::int64_t between = counting->calls();
  const auto latest = reader->latest();
  ASSERT_EQ((*latest)->version(), 6);
  EXPECT_LE(counting->calls() - between, 5);
  EXPECT_EQ((*latest)->files().size(), 7u);
  EXPECT_EQ((*latest)->txn_version("app"), 1);
}

TEST(Log, TableMadeAnewIsSeen) {
  const auto store = io::memory_store();
  const auto log = open(store);
  fill(*log, 3);
  ASSERT_TRUE(store->remove_tree("/t").ok());
  ASSERT_EQ(*log->latest(), nullptr);
  const auto other = open(store);
  fill(*other, 1);
  EXPECT_EQ((*log->latest())->version(), 0);
}

TEST(Log, OnlyCheckpointsAreLeftAndTheTableIsMadeAnew) {
  const auto store = io::memory_store();
  fill(*open(store), 11);
  for (int i = 0; i <= 10; ++i) ASSERT_TRUE(store->remove(log_dir + "/" + commit_name(i)).ok());
  const auto log = open(store);
  EXPECT_EQ((*log->latest())->version(), 10);
  ASSERT_TRUE(store->remove_tree("/t").ok());
  fill(*open(store), 1);
  EXPECT_EQ((*log->latest())->version(), 0);
}

// One log for all batch reads and writes of a table on the local disk.
class SharedLog : public ::testing::Test {
 protected:
  SharedLog() { std::filesystem::create_directories(table_); }
  ~SharedLog() override { std::filesystem::remove_all(table_); }
  std::shared_ptr<Log> shared() { return Log::shared(io::local_store(), table_); }
  std::shared_ptr<Log> foreign() { return Log::at(io::local_store(), table_, {false}); }

  const std::string table_ = ::testing::TempDir() + "shared-log-" + new_uuid();
};

TEST_F(SharedLog, WhatOneHasLoadedServesTheNext) {
  fill(*shared(), 3);
  EXPECT_EQ(shared()->known()->version(), 2);
  const auto other = foreign();
  ASSERT_TRUE(other->latest().ok());
  fill(*other, 2);
  EXPECT_EQ((*shared()->latest())->version(), 4);
  // Expired commits are removed behind it.
  for (int i = 0; i < 3; ++i) std::filesystem::remove(table_ + "/_delta_log/" + commit_name(i));
  EXPECT_EQ((*shared()->latest())->files().size(), 5u);
}

TEST_F(SharedLog, ACommitThatWasReplacedIsReadAgain) {
  fill(*shared(), 2);
  const std::string path = table_ + "/_delta_log/" + commit_name(1);
  ASSERT_TRUE(io::local_store()->put(path, to_json(*add_of("other-file")) + "\n").ok());
  EXPECT_EQ(live(*shared()->latest()), (std::vector<std::string>{"f0", "other-file"}));
}

// Another user of the shared log sees the table made anew while a commit is under way.
TEST_F(SharedLog, TheTableIsReplacedUnderAWriter) {
  fill(*shared(), 3);
  Transaction late;
  late.read = shared()->known();
  late.adds = {add_of("late")};
  std::filesystem::remove_all(table_);
  fill(*foreign(), 1);
  ASSERT_EQ((*shared()->latest())->version(), 0);
  EXPECT_EQ(*commit(*shared(), late), 3);  // its log has a hole now
  EXPECT_TRUE(shared()->latest().status().is("DELTA_VERSIONS_NOT_CONTIGUOUS"));
}

TEST_F(SharedLog, TablesUsedLongAgoAreForgotten) {
  fill(*shared(), 1);
  const std::weak_ptr<Log> kept = shared();
  for (std::size_t i = 0; i < limits::shared_logs_max; ++i) {
    EXPECT_FALSE(kept.expired());
    Log::shared(io::local_store(), fmt::format("{}/other{}", table_, i));
  }
  EXPECT_TRUE(kept.expired());
}

TEST(Log, CheckpointsHoldTheState) {
  const auto store = io::memory_store();
  const auto log = open(store);
  fill(*log, 25);
  EXPECT_TRUE(store->exists(log_dir + "/" + checkpoint_name(20)).value());
  EXPECT_FALSE(store->exists(log_dir + "/" + checkpoint_name(0)).value());
  const auto expected = live(log->known());
  ASSERT_EQ(expected.size(), 25u);
  EXPECT_EQ(live(*open(store)->latest()), expected);
  // The commits before the checkpoint may go.
  for (int i = 0; i <= 20; ++i) ASSERT_TRUE(store->remove(log_dir + "/" + commit_name(i)).ok());
  const auto snapshot = *open(store)->latest();
  EXPECT_EQ(live(snapshot), expected);
  EXPECT_EQ(snapshot->txn_version("app"), 24);
  EXPECT_EQ(snapshot->metadata(), log->known()->metadata());
  EXPECT_EQ(snapshot->protocol(), log->known()->protocol());
  EXPECT_TRUE(open(store)->at_version(3).status().is("DELTA_VERSION_NOT_FOUND"));
  EXPECT_TRUE(open(store)->at_version(99).status().is("DELTA_VERSION_NOT_FOUND"));
  EXPECT_EQ((*open(store)->at_version(22))->files().size(), 23u);
}

// A table of `commits` commits whose checkpoints are V2 ones.
void fill_v2(Log& log, int commits) {
  Transaction txn;
  txn.metadata = metadata_of("id BIGINT");
  txn.metadata->configuration["delta.checkpointPolicy"] = "v2";
  txn.protocol = Protocol{3, 7, std::vector<std::string>{"v2Checkpoint"},
                          std::vector<std::string>{"v2Checkpoint"}};
  txn.domains = {{"mine", "{}", false}};
  ASSERT_TRUE(commit(log, txn).ok());
  fill(log, commits);
}

std::vector<std::string> v2_checkpoints(io::Store& store) {
  auto names = store.list_names(log_dir, {}).value();
  std::erase_if(names, [](const auto& name) {
    const auto parsed = parse_log_name(name);
    return !parsed || parsed->kind != LogName::Kind::uuid_checkpoint;
  });
  return names;
}

TEST(Log, V2CheckpointsHoldTheState) {
  const auto store = io::memory_store();
  const auto log = open(store);
  fill_v2(*log, 25);
  ASSERT_EQ(v2_checkpoints(*store).size(), 2U);
  EXPECT_FALSE(store->exists(log_dir + "/" + checkpoint_name(20)).value());
  const auto pointer = store->get(log_dir + "/_last_checkpoint").value();
  ASSERT_TRUE(parse_last_checkpoint(pointer).has_value());
  EXPECT_EQ(parse_last_checkpoint(pointer)->version, 20);
  EXPECT_NE(pointer.find(v2_checkpoints(*store).back()), std::string::npos);
  for (int i = 0; i <= 20; ++i) ASSERT_TRUE(store->remove(log_dir + "/" + commit_name(i)).ok());
  const auto snapshot = *open(store)->latest();
  EXPECT_EQ(live(snapshot), live(log->known()));
  EXPECT_EQ(snapshot->txn_version("app"), 24);
  EXPECT_EQ(snapshot->metadata(), log->known()->metadata());
  EXPECT_EQ(snapshot->protocol(), log->known()->protocol());
  EXPECT_EQ(snapshot->domains().size(), 1U);
}

TEST(Log, V2CheckpointsInManySidecars) {
  const auto store = io::memory_store();
  const auto log = open(store);
  fill(*log, 7);
  ASSERT_TRUE(write_v2_checkpoint(*store, log_dir, *log->known(), 1, 3).ok());
  ASSERT_EQ(store->list_names(log_dir + "/_sidecars", {})->size(), 3U);
  for (int i = 0; i <= 6; ++i) ASSERT_TRUE(store->remove(log_dir + "/" + commit_name(i)).ok());
  EXPECT_EQ(live(*open(store)->latest()), live(log->known()));
}

// Whatever call fails: the state is there, and a checkpoint that is named has its sidecars.
TEST(Log, V2CheckpointsThatFail) {
  for (int n = 0;; ++n) {
    const auto memory = io::memory_store();
    const auto log = open(memory);
    fill(*log, 5);
    io::FaultStore faulty(memory, io::fail_call(n, io::Fault::error_before));
    const bool done = write_v2_checkpoint(faulty, log_dir, *log->known(), 1, 2).ok();
    EXPECT_EQ(live(*open(memory)->latest()), live(log->known()));
    for (const auto& name : v2_checkpoints(*memory)) {
      const auto ignore = [](const std::vector<Action>&) { return Status::OK(); };
      EXPECT_TRUE(read_checkpoint(memory, log_dir, {4, {name}}, ignore).ok()) << n;
    }
    if (done) break;
  }
}

TEST(Log, TheHintIsOnlyAHint) {
  const auto store = io::memory_store();
  const auto log = open(store);
  fill(*log, 23);
  for (const char* hint :
       {"", "{oops", R"({"version":99,"size":1})", R"({"version":10,"size":1})",
        R"({"version":7,"size":1})", R"({"version":20,"size":22,"checksum":"0"})"}) {
    ASSERT_TRUE(store->put(log_dir + "/_last_checkpoint", hint).ok());
    const auto snapshot = open(store)->latest();
    ASSERT_TRUE(snapshot.ok()) << hint << snapshot.status().to_string();
    EXPECT_EQ((*snapshot)->files().size(), 23u) << hint;
  }
}

TEST(Log, ABrokenCheckpointIsReplacedByTheCommits) {
  const auto store = io::memory_store();
  fill(*open(store), 12);
  const std::string path = log_dir + "/" + checkpoint_name(10);
  const std::string whole = store->get(path).value();
  for (const std::string& bytes : {std::string(), whole.substr(0, 100), std::string(200, '\xff')}) {
    ASSERT_TRUE(store->put(path, bytes).ok());
    const auto snapshot = open(store)->latest();
    ASSERT_TRUE(snapshot.ok()) << snapshot.status().to_string();
    EXPECT_EQ((*snapshot)->files().size(), 12u);
  }
  ASSERT_TRUE(store->remove(log_dir + "/" + commit_name(3)).ok());
  const auto lost = open(store)->latest();
  ASSERT_FALSE(lost.ok());
  EXPECT_NE(lost.status().message().find(checkpoint_name(10)), std::string::npos);
}

TEST(Log, HolesAndTornCommits) {
  const auto store = io::memory_store();
  fill(*open(store), 13);
  const std::string path = log_dir + "/" + commit_name(11);
  const std::string whole = store->get(path).value();
  ASSERT_TRUE(store->remove(path).ok());
  EXPECT_TRUE(open(store)->latest().status().is("DELTA_VERSIONS_NOT_CONTIGUOUS"));
  ASSERT_TRUE(store->put(path, whole.substr(0, whole.size() / 2)).ok());
  const auto torn = open(store)->latest();
  ASSERT_FALSE(torn.ok());
  EXPECT_NE(torn.status().message().find(path), std::string::npos);
  // A power cut leaves such a file. The reference takes it for a version without actions, and the
  // rows of that version are gone without a word.
  ASSERT_TRUE(store->put(path, "").ok());
  const auto empty = open(store)->latest();
  ASSERT_FALSE(empty.ok());
  EXPECT_NE(empty.status().message().find(path), std::string::npos);
}

TEST(Log, StateNeedsProtocolAndMetadata) {
  const auto store = io::memory_store();
  ASSERT_TRUE(store->put(log_dir + "/" + commit_name(0), to_json(*add_of("a"))).ok());
  EXPECT_TRUE(open(store)->latest().status().is("DELTA_STATE_RECOVER_ERROR"));
}

TEST(Log, PathsOfOneFileCollide) {
  for (const char* spelling : {"file:/t/p%20q", "file:///t/p%20q", "/t/p%20q", "p%20q"}) {
    const auto store = io::memory_store();
    const auto log = open(store);
    Transaction txn;
    txn.metadata = metadata_of("id BIGINT");
    txn.protocol = Protocol();
    txn.adds = {add_of("p%20q"), add_of("p%2520q")};
    ASSERT_TRUE(commit(*log, txn).ok());
    Transaction second;
    second.read = log->known();
    RemoveFile remove;
    remove.path = spelling;
    second.removes = {std::make_shared<const RemoveFile>(remove)};
    ASSERT_TRUE(commit(*log, second).ok());
    EXPECT_EQ(live(*open(store)->latest()), std::vector<std::string>{"p%2520q"}) << spelling;
  }
}

TEST(Log, APlaceInS3HasOneName) {
  EXPECT_EQ(resolve_path("s3a://bucket/t", "s3://bucket/t/x%20y.parquet"),
            "s3a://bucket/t/x y.parquet");
  EXPECT_EQ(resolve_path("s3://bucket/t", "s3a://other/t//a%2525"), "s3://other/t/a%25");
  EXPECT_EQ(resolve_path("/t", "s3n://bucket/a"), "s3://bucket/a");
  EXPECT_EQ(resolve_path("s3://bucket/t", "p=1/a%20b"), "s3://bucket/t/p=1/a b");
  EXPECT_EQ(resolve_path("s3://bucket/t", "file:/a%20b"), "/a b");
}

TEST(Log, IntervalTexts) {
  EXPECT_EQ(parse_interval_ms("interval 1 week"), 604'800'000);
  EXPECT_EQ(parse_interval_ms("interval 1 day 2 hours"), 93'600'000);
  EXPECT_EQ(parse_interval_ms("30 days"), 2'592'000'000);
  EXPECT_FALSE(parse_interval_ms("soon"));
  EXPECT_FALSE(parse_interval_ms("interval 1 month"));
}

}  // namespace
}  // namespace millstream::delta
