#include "world.h"

#include <fmt/core.h>

#include "base/failpoint.h"
#include "delta/table.h"
#include "sink/delta_sink.h"
#include "source/providers.h"

namespace millstream::sim {
namespace {

constexpr const char* checkpoint_path = "/ck";
constexpr const char* table_path = "/table";
constexpr const char* input_path = "/landing zone";

}  // namespace

class World::Observer final : public stream::RunObserver {
 public:
  explicit Observer(World& world) : world_(world) {}
  void set_message(std::string) override {}
  void set_flags(bool, bool) override {}
  std::uint64_t begin_trigger() override { return 0; }
  void no_new_data(std::uint64_t) override {}
  void on_planned() override { world_.zombie_interferes(); }
  void on_progress(stream::Progress) override { ++world_.batches_; }
  void on_idle(stream::Progress, std::optional<std::string>) override {}

 private:
  World& world_;
};

World::World(std::uint64_t seed, bool verbose)
    : seed_(seed),
      verbose_(verbose),
      random_(seed),
      disk_(io::memory_store(&clock_)),
      store_(std::make_shared<io::FaultStore>(disk_, nullptr)) {
  failpoints::disarm_all();
  make_plan();
}

World::~World() { failpoints::disarm_all(); }

void World::say(const std::string& text) const {
  if (verbose_) fmt::print("{:>{}}{}\n", "", 2 * depth_, text);
}

void World::make_plan() {
  retain_ = static_cast<std::int64_t>(1 + random_.below(5));
  rate_source_ = random_.below(5) == 0;
  if (rate_source_) {
    const auto rows = std::to_string(1 + random_.below(20));
    source::SourceEnv env;
    env.store = store_;
    env.clock = &clock_;
    auto table = source::make_stream_table(
        "rate-micro-batch", "", Options(std::map<std::string, std::string>{{"rowsPerBatch", rows}}),
        {}, env);
    CHECK(table.ok());
    plan_ = stream::fakes::scan_of(*table);
    say("rate-micro-batch of " + rows);
    return;
  }
  if (random_.below(6) == 0) return make_file_plan();
  std::vector<plan::NodePtr> scans;
  // Real Delta commits in some lives only: they take their time. One source, so that one thread
  // makes all store calls.
  delta_sink_ = random_.below(16) == 0;
  const auto sources = delta_sink_ ? 1 : 1 + random_.below(3);
  for (std::uint64_t i = 0; i < sources; ++i) {
    auto feed = std::make_shared<stream::fakes::Feed>();
    feed->rows_per_trigger = static_cast<std::int64_t>(1 + random_.below(8));
    feed->available_now = random_.below(4) != 0;
    feed->keeps_log = random_.below(2) == 0;
    feeds_.push_back(feed);
    scans.push_back(stream::fakes::scan_of(std::make_shared<stream::fakes::NumberTable>(feed)));
  }
  plan_ = sources == 1 ? scans[0] : stream::fakes::union_of(std::move(scans));
  say(fmt::format("{} sources, {} log entries kept{}", sources, retain_,
                  delta_sink_ ? ", into Delta" : ""));
}

// The real file source or Auto Loader over files in the simulated store.
void World::make_file_plan() {
  file_format_ = random_.below(2) == 0 ? "json" : "cloudFiles";
  source::SourceEnv env;
  env.store = store_;
  env.clock = &clock_;
  const auto limit = std::to_string(1 + random_.below(4));
  std::map<std::string, std::string> options;
  if (file_format_ == "json") {
    options["maxFilesPerTrigger"] = limit;
  } else {
    options["cloudFiles.format"] = "json";
    options["cloudFiles.maxFilesPerTrigger"] = limit;
  }
  const Status made = disk_->make_directories(input_path);
  CHECK(made.ok());
  const auto table =
      source::make_stream_table(file_format_, "value BIGINT", Options(options), {input_path}, env);
  if (!table.ok()) fmt::print("{}\n", table.status().to_string());
  CHECK(table.ok());
  plan_ = stream::fakes::scan_of(*table);
  say(fmt::format("{}, {} files a trigger", file_format_, limit));
}

void World::more_files() {
  const auto count = random_.below(4);
  for (std::uint64_t i = 0; i < count; ++i) {
    std::string lines;
    for (auto row = random_.below(5); row > 0; --row)
      lines += fmt::format("{{\"value\":{}}}\n", file_rows_++);
    const Status put = disk_->put(fmt::format("{}/part {:04}.json", input_path, files_++), lines);
    CHECK(put.ok());
    clock_.advance_us(static_cast<std::int64_t>(random_.below(3'000)));
  }
}

void World::more_rows() {
  if (!file_format_.empty()) return more_files();
  for (const auto& feed : feeds_) feed->total += static_cast<std::int64_t>(random_.below(12));
}

void World::draw_faults() {
  io::FaultRates rates;
  if (random_.below(2) == 0) rates.errors_permille = static_cast<int>(random_.below(80));
  if (random_.below(3) == 0) rates.crashes_permille = static_cast<int>(random_.below(60));
  store_->choose_by(io::seeded_faults(clock_, random_, rates));
  failpoints::disarm_all();
  if (random_.below(3) == 0) {
    const char* name = stream::run_failpoints[random_.below(std::size(stream::run_failpoints))];
    const int after = static_cast<int>(random_.below(4));
    failpoints::arm(name, failpoints::Action::error, after);
    say(fmt::format("armed {} after {} passes", name, after));
  }
}

// The old process is not dead, only slow: while one run is in the middle of a batch another one
// starts from the same checkpoint, and finishes its work.
void World::zombie_interferes() {
  if (quiet_ || depth_ > 1 || random_.below(12) != 0) return;
  say("a second process takes over");
  const Status ended = run_once(false);
  say("the second process ends: " + ended.to_string());
}

Status World::run_once(bool quiet) {
  ++depth_;
  stream::QuerySpec spec;
  spec.plan = plan_;
  spec.checkpoint = checkpoint_path;
  spec.conf["spark.sql.streaming.minBatchesToRetain"] = std::to_string(retain_);
  const auto kind = quiet ? 0 : random_.below(3);
  spec.trigger.kind = kind == 0   ? stream::Trigger::Kind::available_now
                      : kind == 1 ? stream::Trigger::Kind::once
                                  : stream::Trigger::Kind::processing_time;

  const auto id = stream::Checkpoint::open_query_id(*store_, checkpoint_path, random_);
  auto sink = make_sink();
  Status status = id.ok() ? sink.status() : id.status();
  if (status.ok()) {
    spec.sink = *sink;
    if (id_.empty()) id_ = *id;
    CHECK(id_ == *id);
    Observer observer(*this);
    stream::RunEnvironment environment;
    environment.engine = &engine_;
    environment.store = store_;
    environment.clock = &clock_;
    environment.sleep = [this](std::chrono::nanoseconds time) {
      clock_.advance_us(time.count() / 1000);
      return false;
    };
    stream::StreamRun run(spec, *id, random_.uuid(), environment, observer);
    status = kind == 2 ? run_triggers(run, static_cast<int>(1 + random_.below(6))) : run.run();
  }
  --depth_;
  return status;
}

Result<std::shared_ptr<connector::Sink>> World::make_sink() {
  if (delta_sink_) {
    sink::SinkEnv env;
    env.path = table_path;
    env.store = store_;
    return sink::make_delta_sink(Options(), env);
  }
  auto sink = std::make_shared<stream::fakes::VersionedSink>(store_, table_path);
  sink->before_commit = [this] { zombie_interferes(); };
  return std::shared_ptr<connector::Sink>(std::move(sink));
}

Result<std::vector<std::int64_t>> World::rows_in_sink() const {
  if (!delta_sink_) return stream::fakes::VersionedSink::rows(*store_, table_path);
  std::vector<std::int64_t> rows;
  const auto table = delta::DeltaTable::open(store_, table_path);
  if (!table.ok()) {
    const bool none = feeds_[0]->total == 0;
    return none ? Result<std::vector<std::int64_t>>(rows) : table.status();
  }
  connector::ScanRequest request;
  request.columns = {"value"};
  TRY_ASSIGN(const auto batches, (*table)->scan(request));
  TRY_ASSIGN(const auto all, connector::collect(batches));
  for (const auto& batch : all) {
    const auto& values = static_cast<const arrow::Int64Array&>(*batch->column(0));
    for (std::int64_t i = 0; i < values.length(); ++i) rows.push_back(values.Value(i));
  }
  return rows;
}

Status World::run_triggers(stream::StreamRun& run, int triggers) {
  TRY(run.initialize());
  for (int i = 0; i < triggers; ++i) {
    TRY_ASSIGN([[maybe_unused]] const bool ran, run.one_trigger(false));
    if (random_.below(2) == 0) more_rows();
  }
  return Status::OK();
}

std::string World::live() {
  const auto lives = 3 + random_.below(8);
  for (std::uint64_t i = 0; i < lives; ++i) {
    more_rows();
    draw_faults();
    const Status ended = run_once(false);
    if (!ended.ok()) ++failures_;
    say(fmt::format("run {}: {}{}", i, ended.to_string(), store_->crashed() ? " (crashed)" : ""));
    store_->reboot();
    failpoints::disarm_all();
  }
  quiet_ = true;
  store_->choose_by(nullptr);
  failpoints::disarm_all();
  // A pending batch first; sources without a frozen end take one batch a run.
  for (int i = 0; i < 2; ++i) {
    const Status ended = run_once(true);
    say("quiet run: " + ended.to_string());
    if (!ended.ok()) return "a run without faults failed: " + ended.to_string();
  }
  return check();
}

std::string World::check() const {
  std::string broken = check_logs();
  return broken.empty() ? check_rows() : broken;
}

std::string World::check_rows() const {
  const auto found = rows_in_sink();
  if (!found.ok()) return found.status().to_string();
  auto rows = *found;
  std::vector<std::int64_t> expected;
  if (rate_source_) {
    // The source never ends: what the newest batch covers must be there.
    for (std::size_t i = 0; i < rows.size(); ++i) expected.push_back(static_cast<std::int64_t>(i));
    stream::Checkpoint checkpoint(store_, checkpoint_path);
    if (!checkpoint.load().ok() || checkpoint.offsets().empty()) return "no offsets";
    const auto entry = checkpoint.read_offsets(*checkpoint.offsets().newest());
    if (!entry.ok()) return entry.status().to_string();
    const std::string start = fmt::format(R"({{"offset":{},)", rows.size());
    if (!entry->offsets[0]->starts_with(start)) {
      return fmt::format("{} rows in the sink, the newest offset is {}", rows.size(),
                         *entry->offsets[0]);
    }
  }
  for (const auto& feed : feeds_) {
    for (std::int64_t i = 0; i < feed->total; ++i) expected.push_back(i);
  }
  for (std::int64_t i = 0; i < file_rows_; ++i) expected.push_back(i);
  std::sort(rows.begin(), rows.end());
  std::sort(expected.begin(), expected.end());
  if (rows == expected) return {};
  return fmt::format("{} rows in the sink, {} expected", rows.size(), expected.size());
}

std::string World::check_logs() const {
  stream::Checkpoint checkpoint(store_, checkpoint_path);
  const Status loaded = checkpoint.load();
  if (!loaded.ok()) return loaded.to_string();
  const auto newest = checkpoint.offsets().newest();
  if (!newest) return {};
  if (checkpoint.commits().newest() != newest) return "the newest batch is not committed";
  std::int64_t last_time = 0;
  for (stream::BatchId batch = std::max<stream::BatchId>(0, *newest - retain_); batch <= *newest;
       ++batch) {
    if (!checkpoint.offsets().contains(batch)) return fmt::format("offsets/{} is missing", batch);
    if (!checkpoint.commits().contains(batch)) return fmt::format("commits/{} is missing", batch);
    const auto entry = checkpoint.read_offsets(batch);
    if (!entry.ok()) return entry.status().to_string();
    if (entry->timestamp_ms < last_time)
      return fmt::format("offsets/{} is older than the one before", batch);
    last_time = entry->timestamp_ms;
    const auto commit = checkpoint.read_commit(batch);
    if (!commit.ok()) return commit.status().to_string();
  }
  return {};
}

}  // namespace millstream::sim
