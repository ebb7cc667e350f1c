// For tests of sources that read files: a folder to write into, the rows of a batch as text, and
// the lives of a source whose store fails. One thread.
#pragma once

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "connector/source.h"
#include "io/fault_store.h"

namespace millstream::connector::testing {

using Texts = std::vector<std::string>;

// The rows of (start, end], "a|b", sorted.
inline Result<Texts> read_rows(Source& source, const std::optional<std::string>& start,
                               const std::string& end, const Texts& columns) {
  TRY_ASSIGN(const auto batches, source.batch(start, end, {columns, {}, {}}));
  TRY_ASSIGN(const auto read, collect(batches));
  Texts out;
  for (const auto& batch : read) {
    for (std::int64_t i = 0; i < batch->num_rows(); ++i) {
      std::string row;
      for (const auto& column : batch->columns())
        row += (row.empty() ? "" : "|") + column->GetScalar(i).ValueOrDie()->ToString();
      out.push_back(row);
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

// A folder of its own for each test; the input is `root`/in.
class FolderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    root = std::filesystem::temp_directory_path() / ("source-" + new_uuid());
    std::filesystem::create_directories(root / "in");
  }
  void TearDown() override { std::filesystem::remove_all(root); }

  void write(const std::string& name, const std::string& text,
             std::int64_t mtime_s = 1'700'000'000) {
    const std::filesystem::path path = root / "in" / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
    const timespec times[2] = {{mtime_s, 0}, {mtime_s, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  }

  std::filesystem::path root;
};

// A query's lives over one store: what it logged and what its sink got outlive each run.
class SourceLives {
 public:
  using MakeTable = std::function<Result<std::shared_ptr<const StreamTable>>(
      const std::shared_ptr<io::Store>&, Clock&)>;

  SourceLives(std::shared_ptr<io::FaultStore> store, MakeTable make_table)
      : store_(std::move(store)), make_table_(std::move(make_table)) {}

  // A batch that was logged first, then new ones until nothing is left.
  Status run() {
    TRY_ASSIGN(const auto table, make_table_(store_, clock_));
    std::optional<std::string> last;
    if (!logged_.empty()) last = logged_.back();
    TRY_ASSIGN(const auto source, table->open({store_, "/c/sources/0", &clock_, last}));
    if (output_.size() < logged_.size()) TRY(run_batch(*source, logged_.size() - 1));
    for (;;) {
      std::optional<std::string> at;
      if (!logged_.empty()) at = logged_.back();
      TRY_ASSIGN(const auto end, source->latest_offset(at, false));
      if (end == at) return Status::OK();
      logged_.push_back(*end);
      TRY(run_batch(*source, logged_.size() - 1));
    }
  }

  const std::map<std::size_t, Texts>& output() const { return output_; }  // batch -> rows

 private:
  Status run_batch(Source& source, std::size_t id) {
    std::optional<std::string> start;
    if (id > 0) start = logged_[id - 1];
    TRY_ASSIGN(output_[id], read_rows(source, start, logged_[id], {"v"}));
    return Status::OK();
  }

  const std::shared_ptr<io::FaultStore> store_;
  const MakeTable make_table_;
  SystemClock clock_;
  Texts logged_;
  std::map<std::size_t, Texts> output_;  // as a transactional sink keeps it
};

// Five files below /in. Each store call fails once, before or after its effect, or the process dies
// there; then the query starts again: each file ends up in exactly one batch, none too large.
inline void expect_each_file_once(const SourceLives::MakeTable& make_table,
                                  std::size_t batch_files_max) {
  for (const io::Fault fault : {io::Fault::error_before, io::Fault::error_after,
                                io::Fault::crash_before, io::Fault::crash_after}) {
    for (std::int64_t call = 0;; ++call) {
      const auto memory = io::memory_store();
      Texts expected;
      for (int i = 0; i < 5; ++i) {
        const std::string path = fmt::format("/in/{}.json", i);
        ASSERT_TRUE(memory->put(path, fmt::format("{{\"v\":\"{}\"}}\n", i)).ok());
        expected.push_back(std::to_string(i));
      }
      const auto store = std::make_shared<io::FaultStore>(memory, io::fail_call(call, fault));
      SourceLives lives(store, make_table);
      const Status first = lives.run();
      store->reboot();
      store->choose_by([](const io::StoreCall&) { return io::Fault::none; });
      if (!first.ok()) {
        const Status second = lives.run();
        ASSERT_TRUE(second.ok()) << "call " << call << ": " << first.to_string() << " then "
                                 << second.to_string();
      }
      Texts rows;
      for (const auto& [id, batch] : lives.output()) {
        EXPECT_LE(batch.size(), batch_files_max);
        rows.insert(rows.end(), batch.begin(), batch.end());
      }
      std::sort(rows.begin(), rows.end());
      ASSERT_EQ(rows, expected) << "call " << call;
      if (first.ok() && call >= store->calls()) break;
      ASSERT_LT(call, 1000);
    }
  }
}

}  // namespace millstream::connector::testing
