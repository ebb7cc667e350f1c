#include "delta/transaction.h"

#include <arrow/scalar.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "base/random.h"
#include "delta/log_names.h"
#include "io/fault_store.h"

namespace millstream::delta {
namespace {

const std::string table = "/t";

Metadata metadata_of(const std::string& ddl) {
  Metadata metadata;
  metadata.id = "id-1";
  metadata.schema_string = column::schema_to_json(column::parse_schema(ddl).value());
  return metadata;
}

AddFilePtr add_of(const std::string& path) {
  AddFile add;
  add.path = path;
  return std::make_shared<const AddFile>(std::move(add));
}

RemoveFilePtr remove_of_path(const std::string& path) {
  RemoveFile remove;
  remove.path = path;
  return std::make_shared<const RemoveFile>(std::move(remove));
}

Transaction creation() {
  Transaction txn;
  txn.metadata = metadata_of("id BIGINT");
  txn.protocol = Protocol();
  txn.operation = "CREATE TABLE";
  return txn;
}

Transaction append(const SnapshotPtr& read, const std::string& path) {
  Transaction txn;
  txn.read = read;
  txn.adds = {add_of(path)};
  txn.operation = "WRITE";
  return txn;
}

TEST(Commit, SixteenThreadsRaceForOneVersion) {
  const auto directory = std::filesystem::temp_directory_path() / ("delta-race-" + new_uuid());
  const auto store = io::local_store();
  const std::string path = directory.string();
  ASSERT_TRUE(commit(*Log::at(store, path), creation()).ok());
  std::atomic<int> won = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&] {
      const auto log = Log::at(store, path);
      won += log->publish(1, "{}\n").ok() ? 1 : 0;
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(won, 1);
  const auto names = store->list_names(path + "/_delta_log", "");
  EXPECT_EQ(*names, (std::vector<std::string>{checksum_name(0), commit_name(0),
                                              commit_name(1)}));  // and no temporary files
  std::filesystem::remove_all(directory);
}

TEST(Commit, BlindAppendsAllGetIn) {
  const auto directory = std::filesystem::temp_directory_path() / ("delta-race-" + new_uuid());
  const auto store = io::local_store();
  const std::string path = directory.string();
  ASSERT_TRUE(commit(*Log::at(store, path), creation()).ok());
  std::vector<std::thread> threads;
  std::atomic<int> failed = 0;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&, i] {
      const auto log = Log::at(store, path);
      const auto read = log->latest();
      for (int k = 0; k < 3; ++k) {
        const auto done =
            commit(*log, append(k == 0 ? *read : log->known(), fmt::format("f{}-{}", i, k)));
        failed += done.ok() ? 0 : 1;
      }
      log->wait_for_checkpoints();
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(failed, 0);
  const auto latest = Log::at(store, path)->latest();
  ASSERT_TRUE(latest.ok());
  EXPECT_EQ((*latest)->version(), 48);
  EXPECT_EQ((*latest)->files().size(), 48u);
  std::filesystem::remove_all(directory);
}

struct ConflictCase {
  const char* name;
  Transaction ours;
  std::vector<Action> winner;
  const char* condition;  // empty: none
};

TEST(Conflict, Matrix) {
  const auto log = Log::at(io::memory_store(), table, {false});
  ASSERT_TRUE(commit(*log, creation()).ok());
  const SnapshotPtr read = log->known();
  const auto with = [&](auto change) {
    Transaction txn;
    txn.read = read;
    change(txn);
    return txn;
  };
  const Transaction blind = append(read, "mine");
  const Transaction stream = with([](Transaction& t) {
    t.adds = {add_of("mine")};
    t.txn = Txn{"q", 7, 1};
  });
  const Transaction overwrite = with([](Transaction& t) {
    t.adds = {add_of("mine")};
    t.removes = {remove_of_path("old")};
    t.read_whole_table = true;
  });
  const Transaction rewrite = with([](Transaction& t) {
    t.adds = {add_of("mine")};
    t.removes = {remove_of_path("old")};
  });
  AddFile moved;
  moved.path = "compacted";
  moved.data_change = false;
  const std::vector<Action> append_won = {add_of("theirs")};
  const std::vector<Action> delete_won = {remove_of_path("old")};
  const std::vector<Action> optimize_won = {std::make_shared<const AddFile>(moved),
                                            remove_of_path("old")};
  const std::vector<Action> metadata_won = {metadata_of("id BIGINT, x INT")};
  const std::vector<Action> protocol_won = {
      Protocol{3, 7, std::vector<std::string>{}, std::vector<std::string>{}}};
  const std::vector<Action> txn_won = {Txn{"q", 7, 1}, add_of("theirs")};
  const std::vector<Action> other_txn_won = {Txn{"other", 7, 1}, add_of("theirs")};
  const std::vector<ConflictCase> cases = {
      {"append / append", blind, append_won, ""},
      {"append / delete", blind, delete_won, ""},
      {"append / optimize", blind, optimize_won, ""},
      {"append / metadata", blind, metadata_won, "DELTA_METADATA_CHANGED"},
      {"append / protocol", blind, protocol_won, "DELTA_PROTOCOL_CHANGED"},
      {"stream / same query", stream, txn_won, "DELTA_CONCURRENT_TRANSACTION"},
      {"stream / other query", stream, other_txn_won, ""},
      {"overwrite / append", overwrite, append_won, "DELTA_CONCURRENT_APPEND.WITHOUT_HINT"},
      {"overwrite / delete", overwrite, delete_won, "DELTA_CONCURRENT_DELETE_READ.WITHOUT_HINT"},
      {"overwrite / optimize", overwrite, optimize_won,
       "DELTA_CONCURRENT_DELETE_READ.WITHOUT_HINT"},
      {"rewrite / delete of the same", rewrite, delete_won,
       "DELTA_CONCURRENT_DELETE_DELETE.WITHOUT_HINT"},
      {"rewrite / append", rewrite, append_won, ""},
      {"create / create",
       creation(),
       {Protocol(), metadata_of("id BIGINT")},
       "DELTA_PROTOCOL_CHANGED"},
  };
  for (const auto& each : cases) {
    const Status status = check_conflict(each.ours, 1, each.winner, table);
    EXPECT_EQ(status.ok() ? "" : status.condition(), each.condition) << each.name;
    EXPECT_TRUE(status.ok() || status.is(ErrorKind::concurrent_modification)) << each.name;
  }
}

TEST(Commit, LoserIsToldAndChangesNothing) {
  const auto store = io::memory_store();
  const auto a = Log::at(store, table, {false});
  const auto b = Log::at(store, table, {false});
  ASSERT_TRUE(commit(*a, creation()).ok());
  const SnapshotPtr read = a->known();
  const SnapshotPtr old = *b->latest();
  Transaction change = append(read, "x");
  change.metadata = metadata_of("id BIGINT, x INT");
  ASSERT_TRUE(commit(*a, change).ok());
  EXPECT_TRUE(commit(*b, append(old, "y")).status().is("DELTA_METADATA_CHANGED"));
  EXPECT_EQ((*b->latest())->version(), 1);
}

// Whichever call fails, before or after its effect: the commit is in once or not at all, and
// whoever was told that it is in was told the truth.
TEST(Commit, EveryCallFailsOnce) {
  for (const auto fault : {io::Fault::error_before, io::Fault::error_after}) {
    for (std::int64_t n = 0;; ++n) {
      const auto memory = io::memory_store();
      ASSERT_TRUE(commit(*Log::at(memory, table, {false}), creation()).ok());
      const auto faulty = std::make_shared<io::FaultStore>(memory, io::fail_call(n, fault));
      const auto log = Log::at(faulty, table, {false});
      const auto read = log->latest();
      const Status done = read.ok() ? commit(*log, append(*read, "f")).status() : read.status();
      const auto after = Log::at(memory, table)->latest();
      ASSERT_TRUE(after.ok());
      const auto files = (*after)->files().size();
      EXPECT_LE(files, 1u);
      if (done.ok()) {
        EXPECT_EQ(files, 1u) << "call " << n;
      }
      if (faulty->calls() <= n) break;
    }
  }
}

// The publish reported an error although it took effect; meanwhile others went on.
TEST(Commit, RecognisesItsOwnCommit) {
  const auto memory = io::memory_store();
  ASSERT_TRUE(commit(*Log::at(memory, table, {false}), creation()).ok());
  const auto faulty = std::make_shared<io::FaultStore>(memory, [&](const io::StoreCall& call) {
    return std::string_view(call.operation) == "put_if_absent" ? io::Fault::error_after
                                                               : io::Fault::none;
  });
  const auto log = Log::at(faulty, table, {false});
  const SnapshotPtr read = *log->latest();
  const auto done = commit(*log, append(read, "f"));
  ASSERT_TRUE(done.ok()) << done.status().to_string();
  EXPECT_EQ(*done, 1);
  EXPECT_EQ((*Log::at(memory, table)->latest())->files().size(), 1u);
}

TEST(Commit, InCommitTimestampsAscend) {
  const auto store = io::memory_store();
  const auto log = Log::at(store, table, {false});
  Transaction create = creation();
  create.metadata->configuration["delta.enableInCommitTimestamps"] = "true";
  ASSERT_TRUE(commit(*log, create).ok());
  // The winner's clock is an hour ahead.
  const auto ahead = 4'000'000'000'000;
  ASSERT_TRUE(store
                  ->put("/t/_delta_log/" + commit_name(1),
                        fmt::format("{{\"commitInfo\":{{\"inCommitTimestamp\":{}}}}}\n", ahead))
                  .ok());
  ASSERT_TRUE(commit(*log, append(log->known(), "f")).ok());
  const auto times = log->commit_times();
  ASSERT_TRUE(times.ok());
  ASSERT_EQ(times->size(), 3u);
  EXPECT_EQ((*times)[2].time_ms, ahead + 1);
  EXPECT_TRUE(store->get("/t/_delta_log/" + commit_name(2))
                  ->starts_with("{\"commitInfo\":{\"inCommitTimestamp\":"));
}

// A commit that turns them on says since when; one that is tried again says so of its new version.
TEST(Commit, InCommitTimestampsAreTurnedOn) {
  const auto store = io::memory_store();
  const auto log = Log::at(store, table, {false});
  ASSERT_TRUE(commit(*log, creation()).ok());
  Transaction turn_on;
  turn_on.read = *log->latest();
  turn_on.metadata = turn_on.read->metadata();
  turn_on.metadata->configuration["delta.enableInCommitTimestamps"] = "true";
  const auto other = Log::at(store, table, {false});
  ASSERT_TRUE(commit(*other, append(*other->latest(), "f")).ok());
  const auto version = commit(*log, turn_on);
  ASSERT_TRUE(version.ok()) << version.status().to_string();
  ASSERT_EQ(*version, 2);
  for (const auto& snapshot : {log->known(), *Log::at(store, table, {false})->latest()}) {
    EXPECT_EQ(snapshot->info().number("delta.inCommitTimestampEnablementVersion", -1), 2);
    const auto stated = snapshot->in_commit_timestamp();
    ASSERT_TRUE(stated.has_value());
    EXPECT_EQ(snapshot->info().number("delta.inCommitTimestampEnablementTimestamp", -1), *stated);
    EXPECT_GT(*stated, log->file_time_ms(1).value());
  }
  ASSERT_TRUE(commit(*log, append(log->known(), "g")).ok());
  EXPECT_EQ(log->known()->info().number("delta.inCommitTimestampEnablementVersion", -1), 2);
  EXPECT_GT(log->known()->in_commit_timestamp().value_or(0),
            log->in_commit_timestamp(2)->value_or(0));
}

// Files get ids above all that were given; one that is tried again gets those of its new version.
TEST(Commit, RowIdsAreGivenOnce) {
  const auto store = io::memory_store();
  const auto log = Log::at(store, table, {false});
  Transaction create = creation();
  create.protocol =
      Protocol{1, 7, std::nullopt, std::vector<std::string>{"rowTracking", "domainMetadata"}};
  ASSERT_TRUE(commit(*log, create).ok());
  const auto of_rows = [](const std::string& path, int rows) {
    AddFile add;
    add.path = path;
    add.stats = fmt::format("{{\"numRecords\":{}}}", rows);
    return std::make_shared<const AddFile>(add);
  };
  Transaction second;
  second.read = *log->latest();
  second.adds = {of_rows("b", 5), of_rows("c", 1)};
  const auto other = Log::at(store, table, {false});
  Transaction first;
  first.read = *other->latest();
  first.adds = {of_rows("a", 10)};
  ASSERT_EQ(commit(*other, first).value(), 1);
  ASSERT_EQ(commit(*log, second).value(), 2);
  for (const auto& snapshot : {log->known(), *Log::at(store, table, {false})->latest()}) {
    std::map<std::string, std::pair<std::int64_t, std::int64_t>> ids;
    snapshot->files().for_each([&](const AddFilePtr& file) {
      ids[file->path] = {file->base_row_id.value_or(-1),
                         file->default_row_commit_version.value_or(-1)};
    });
    EXPECT_EQ(ids["a"], std::make_pair(std::int64_t{0}, std::int64_t{1}));
    EXPECT_EQ(ids["b"], std::make_pair(std::int64_t{10}, std::int64_t{2}));
    EXPECT_EQ(ids["c"], std::make_pair(std::int64_t{15}, std::int64_t{2}));
    EXPECT_NE(snapshot->domains().at("delta.rowTracking").configuration.find(":15,"),
              std::string::npos);
  }
  Transaction unknown;
  unknown.read = log->known();
  AddFile add;
  add.path = "d";
  unknown.adds = {std::make_shared<const AddFile>(add)};
  EXPECT_TRUE(commit(*log, unknown).status().is("DELTA_ROW_ID_ASSIGNMENT_WITHOUT_STATS"));
}

TEST(Transaction, WhatMustNotBeCommitted) {
  const TableInfoPtr plain = make_table_info(metadata_of("id BIGINT")).value();
  Metadata kept = metadata_of("id BIGINT");
  kept.configuration["delta.appendOnly"] = "true";
  const TableInfoPtr append_only = make_table_info(kept).value();
  Transaction twice;
  twice.adds = {add_of("a"), add_of("a")};
  EXPECT_TRUE(check_transaction(twice, *plain).is("DELTA_DUPLICATE_ACTIONS_FOUND"));
  Transaction removal;
  removal.removes = {remove_of_path("a")};
  EXPECT_TRUE(check_transaction(removal, *plain).ok());
  EXPECT_TRUE(check_transaction(removal, *append_only).is("DELTA_CANNOT_MODIFY_APPEND_ONLY"));
  Transaction negative;
  negative.txn = Txn{"a", -1, 1};
  EXPECT_TRUE(check_transaction(negative, *plain).is("DELTA_ILLEGAL_OPTION"));
}

AddFilePtr add_of_range(const std::string& path, int low, int high) {
  AddFile add;
  add.path = path;
  add.stats = fmt::format(
      R"({{"numRecords":2,"minValues":{{"id":{}}},"maxValues":{{"id":{}}},"nullCount":{{"id":0}}}})",
      low, high);
  return std::make_shared<const AddFile>(std::move(add));
}

// What a DELETE, UPDATE or MERGE of some rows may follow.
TEST(Conflict, OfAChangeOfSomeRows) {
  const auto log = Log::at(io::memory_store(), table, {.background_checkpoints = false});
  ASSERT_TRUE(commit(*log, creation()).ok());
  Transaction ours;
  ours.read = log->latest().value();
  ours.removes = {remove_of_path("a")};
  ours.rows_read = ReadSet{
      {{{"id"}, connector::Predicate::Op::less, {std::make_shared<arrow::Int64Scalar>(10)}}},
      {"/t/a", "/t/b"}};
  EXPECT_FALSE(ours.is_blind_append());
  const auto against = [&](const Action& action) {
    const Status status = check_conflict(ours, 1, {action}, table);
    return status.ok() ? std::string() : status.condition();
  };
  EXPECT_EQ(against(add_of_range("n", 5, 20)), "DELTA_CONCURRENT_APPEND.WITHOUT_HINT");
  EXPECT_EQ(against(add_of_range("n", 10, 20)), "");
  EXPECT_EQ(against(add_of("n")), "DELTA_CONCURRENT_APPEND.WITHOUT_HINT");
  EXPECT_EQ(against(remove_of_path("b")), "DELTA_CONCURRENT_DELETE_READ.WITHOUT_HINT");
  EXPECT_EQ(against(remove_of_path("c")), "");
  ours.rows_read->files.clear();
  EXPECT_EQ(against(remove_of_path("a")), "DELTA_CONCURRENT_DELETE_DELETE.WITHOUT_HINT");
}

}  // namespace
}  // namespace millstream::delta
