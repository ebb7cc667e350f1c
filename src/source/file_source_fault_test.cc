// A store call of a file source fails, before or after its effect, or the process dies there; then
// the query starts again. Whatever the call, each file ends up in exactly one batch.
#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "io/fault_store.h"
#include "source/file_source.h"

namespace millstream::source {
namespace {

using Texts = std::vector<std::string>;

struct Life {
  std::shared_ptr<io::FaultStore> store;
  SystemClock clock;
  std::vector<std::string> logged;      // offsets, as the query's log keeps them
  std::map<std::size_t, Texts> output;  // batch -> rows, as a transactional sink keeps them

  Status run() {
    SourceEnv env;
    env.store = store;
    env.conf = {{"spark.sql.streaming.fileSource.log.compactInterval", "2"}};
    const std::map<std::string, std::string> options = {{"maxFilesPerTrigger", "1"}};
    TRY_ASSIGN(const auto table,
               make_stream_table("json", "v STRING", Options(options), {"/in"}, env));
    std::optional<std::string> last;
    if (!logged.empty()) last = logged.back();
    TRY_ASSIGN(const auto source, table->open({store, "/c/sources/0", &clock, last}));
    if (output.size() < logged.size()) TRY(run_batch(*source, logged.size() - 1));
    for (;;) {
      std::optional<std::string> at;
      if (!logged.empty()) at = logged.back();
      TRY_ASSIGN(const auto end, source->latest_offset(at, false));
      if (end == at) return Status::OK();
      logged.push_back(*end);
      TRY(run_batch(*source, logged.size() - 1));
    }
  }

  Status run_batch(connector::Source& source, std::size_t id) {
    std::optional<std::string> start;
    if (id > 0) start = logged[id - 1];
    TRY_ASSIGN(const auto batches, source.batch(start, logged[id], {{"v"}, {}, {}}));
    TRY_ASSIGN(const auto read, connector::collect(batches));
    Texts rows;
    for (const auto& batch : read) {
      const auto& column = static_cast<const arrow::StringArray&>(*batch->column(0));
      for (std::int64_t i = 0; i < batch->num_rows(); ++i) rows.push_back(column.GetString(i));
    }
    output[id] = std::move(rows);
    return Status::OK();
  }
};

TEST(FileSourceFaults, EachFileOnceWhateverFails) {
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
      Life life{std::make_shared<io::FaultStore>(memory, io::fail_call(call, fault)), {}, {}, {}};
      const Status first = life.run();
      life.store->reboot();
      life.store->choose_by([](const io::StoreCall&) { return io::Fault::none; });
      if (!first.ok()) {
        const Status second = life.run();
        ASSERT_TRUE(second.ok()) << "call " << call << ": " << first.to_string() << " then "
                                 << second.to_string();
      }
      Texts rows;
      for (const auto& [id, batch] : life.output)
        rows.insert(rows.end(), batch.begin(), batch.end());
      std::sort(rows.begin(), rows.end());
      ASSERT_EQ(rows, expected) << "call " << call;
      if (first.ok() && call >= life.store->calls()) break;
      ASSERT_LT(call, 1000);
    }
  }
}

}  // namespace
}  // namespace millstream::source
