#include "table_world.h"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <fmt/core.h>

#include <algorithm>

#include "column/types.h"
#include "delta/file_scan.h"
#include "delta/log_names.h"
#include "delta/optimize.h"
#include "delta/row_change.h"
#include "delta/table.h"
#include "delta/write.h"

namespace millstream::sim {
namespace {

constexpr const char* table_path = "/table";
constexpr const char* columns = "id BIGINT";

connector::Batches rows_of(const std::set<std::int64_t>& ids) {
  const auto schema = column::parse_schema(columns).value();
  arrow::Int64Builder builder;
  for (const std::int64_t id : ids) CHECK(builder.Append(id).ok());
  const auto batch =
      arrow::RecordBatch::Make(column::to_arrow(schema), static_cast<std::int64_t>(ids.size()),
                               {builder.Finish().ValueOrDie()});
  return connector::batches_of(schema, {batch});
}

std::vector<std::int64_t> numbers(const arrow::Array& column) {
  const auto& values = static_cast<const arrow::Int64Array&>(column);
  return {values.raw_values(), values.raw_values() + values.length()};
}

}  // namespace

TableWorld::TableWorld(std::uint64_t seed, bool verbose)
    : verbose_(verbose), random_(seed), disk_(io::memory_store(&clock_)) {
  make_table();
  for (Machine& machine : machines_)
    machine.store = std::make_shared<io::FaultStore>(disk_, nullptr);
}

void TableWorld::say(const std::string& text) const {
  if (verbose_) fmt::print("{:>{}}{}\n", "", 2 * depth_, text);
}

void TableWorld::make_table() {
  delta::WriteOptions options;
  options.properties["delta.checkpointInterval"] = std::to_string(2 + random_.below(4));
  options.properties["delta.enableExpiredLogCleanup"] = "false";  // this clock is not that one's
  if (random_.below(2) == 0) options.properties["delta.isolationLevel"] = "Serializable";
  if (random_.below(2) == 0) options.properties["delta.enableDeletionVectors"] = "true";
  if (random_.below(2) == 0) options.properties["delta.enableChangeDataFeed"] = "true";
  for (const auto& [key, value] : options.properties) say(key + " = " + value);
  const auto made =
      delta::create_table(disk_, table_path, column::parse_schema(columns).value(), options);
  if (!made.ok()) fmt::print("{}\n", made.status().to_string());
  CHECK(made.ok());
}

// Another machine does all of an operation of its own while this one is about to commit.
io::FaultStore::Chooser TableWorld::chooser(std::size_t number, io::FaultRates rates) {
  return [this, number,
          faults = io::seeded_faults(clock_, random_, rates)](const io::StoreCall& call) {
    const bool commits = std::string_view(call.operation) == "put_if_absent" &&
                         call.path.ends_with(".json") && depth_ < machines_.size();
    if (commits && random_.below(3) == 0) {
      const std::size_t other =
          (number + 1 + random_.below(machines_.size() - 1)) % machines_.size();
      if (!machines_[other].busy) act(other);
    }
    return faults(call);
  };
}

std::set<std::int64_t> TableWorld::new_ids() {
  std::set<std::int64_t> ids;
  for (auto count = 1 + random_.below(6); count > 0; --count) ids.insert(next_id_++);
  return ids;
}

Status TableWorld::append(Machine& machine, std::set<std::int64_t> ids, bool transaction) {
  delta::WriteOptions options;
  options.mode = delta::SaveMode::append;
  if (transaction) {
    options.txn_app_id = fmt::format("app{}", &machine - machines_.data());
    options.txn_version = machine.txn_version;
  }
  return delta::write_table(machine.store, table_path, rows_of(ids), options).status();
}

// Some rows of one file.
Status TableWorld::remove(Machine& machine, std::set<std::int64_t>* ids) {
  TRY_ASSIGN(const auto snapshot, machine.log->latest());
  std::vector<delta::AddFilePtr> files;
  snapshot->files().for_each([&](const delta::AddFilePtr& file) { files.push_back(file); });
  if (files.empty()) return Status::OK();
  std::ranges::sort(files, {}, [](const auto& file) { return file->path; });
  const auto choice = std::make_shared<delta::RowChoice>();
  choice->files = {files[random_.below(files.size())]};
  connector::ScanRequest request;
  request.columns = {"id", std::string(delta::places::column)};
  TRY_ASSIGN(const auto rows, delta::scan_rows(machine.store, table_path, snapshot->info_ptr(),
                                               choice, request, true, "UTC"));
  TRY_ASSIGN(const auto batches, connector::collect(rows));
  const auto gone = std::make_shared<delta::RowSet>();
  const std::uint64_t one_in = 1 + random_.below(3);
  for (const auto& batch : batches) {
    const auto found = numbers(*batch->column(0));
    const auto at = numbers(*batch->column(1));
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (random_.below(one_in) != 0) continue;
      ids->insert(found[i]);
      gone->add(delta::places::position_of(at[i]));
    }
  }
  if (ids->empty()) return Status::OK();
  delta::RowChange change;
  change.read = snapshot;
  change.files_read = choice->files;
  change.changed = {{choice->files[0], gone}};
  change.added.schema = snapshot->schema();
  change.plan.info = snapshot->info_ptr();
  change.operation = "DELETE";
  const auto no_metrics = [](const delta::ChangeCounts&) { return delta::Metrics(); };
  return delta::commit_rows(machine.log, change, no_metrics, nullptr).status();
}

Status TableWorld::optimize(Machine& machine) {
  TRY_ASSIGN(const auto snapshot, machine.log->latest());
  std::vector<delta::AddFilePtr> files;
  snapshot->files().for_each([&](const delta::AddFilePtr& file) { files.push_back(file); });
  std::ranges::sort(files, {}, [](const auto& file) { return file->path; });
  const auto bins = delta::bins_of(files, {});
  if (bins.empty()) return Status::OK();
  delta::Rewriting rewriting;
  rewriting.operation = "OPTIMIZE";
  rewriting.parameters = "{}";
  return delta::rewrite_bins(machine.log, snapshot, bins, rewriting, nullptr).status();
}

TableWorld::Outcome TableWorld::outcome_of(const Status& status) {
  ++(status.ok() ? told_ : failures_);
  if (status.ok()) return Outcome::done;
  return status.info().condition.starts_with("DELTA_CONCURRENT") ||
                 status.info().condition == "DELTA_METADATA_CHANGED" ||
                 status.info().condition == "DELTA_PROTOCOL_CHANGED"
             ? Outcome::refused
             : Outcome::unknown;
}

void TableWorld::act(std::size_t number) {
  Machine& machine = machines_[number];
  machine.busy = true;
  ++depth_;
  if (machine.log == nullptr) machine.log = delta::Log::at(machine.store, table_path);
  const auto kind = random_.below(8);
  Status status;
  std::string what;
  if (kind < 3) {
    Operation op{new_ids(), Outcome::unknown};
    status = append(machine, op.ids, false);
    op.outcome = outcome_of(status);
    what = fmt::format("append of {}", *op.ids.begin());
    appends_.push_back(std::move(op));
  } else if (kind < 5) {
    if (machine.txn_ids.empty()) machine.txn_ids = new_ids();
    status = append(machine, machine.txn_ids, true);
    what = fmt::format("transaction {} of {}", machine.txn_version, *machine.txn_ids.begin());
    if (outcome_of(status) == Outcome::done) {
      appends_.push_back({std::exchange(machine.txn_ids, {}), Outcome::done});
      ++machine.txn_version;
    }
  } else if (kind < 7) {
    Operation op;
    status = remove(machine, &op.ids);
    op.outcome = outcome_of(status);
    what = fmt::format("delete of {} rows", op.ids.size());
    deletes_.push_back(std::move(op));
  } else {
    status = optimize(machine);
    outcome_of(status);
    what = "optimize";
  }
  say(fmt::format("machine {}: {}: {}{}", number, what, status.to_string(),
                  machine.store->crashed() ? " (crashed)" : ""));
  if (machine.store->crashed()) {
    machine.store->reboot();
    machine.log = nullptr;
  }
  --depth_;
  machine.busy = false;
}

std::string TableWorld::live() {
  for (std::size_t i = 0; i < machines_.size(); ++i) {
    io::FaultRates rates;
    if (random_.below(2) == 0) rates.errors_permille = static_cast<int>(random_.below(80));
    if (random_.below(3) == 0) rates.crashes_permille = static_cast<int>(random_.below(40));
    machines_[i].store->choose_by(chooser(i, rates));
  }
  for (auto steps = 10 + random_.below(30); steps > 0; --steps)
    act(random_.below(machines_.size()));
  for (Machine& machine : machines_) machine.store->choose_by(nullptr);
  // As a batch that comes again: the transactions that are not known to be in.
  for (Machine& machine : machines_) {
    if (machine.txn_ids.empty()) continue;
    const Status status = append(machine, machine.txn_ids, true);
    if (!status.ok()) return "a transaction without faults failed: " + status.to_string();
    appends_.push_back({machine.txn_ids, Outcome::done});
  }
  std::string broken = check_log();
  return broken.empty() ? check() : broken;
}

Result<std::vector<std::int64_t>> TableWorld::rows_in(
    const std::shared_ptr<io::Store>& store) const {
  TRY_ASSIGN(const auto table, delta::DeltaTable::open(store, table_path));
  connector::ScanRequest request;
  request.columns = {"id"};
  TRY_ASSIGN(const auto rows, table->scan(request));
  TRY_ASSIGN(const auto batches, connector::collect(rows));
  std::vector<std::int64_t> out;
  for (const auto& batch : batches) {
    const auto some = numbers(*batch->column(0));
    out.insert(out.end(), some.begin(), some.end());
  }
  std::ranges::sort(out);
  return out;
}

// A commit of each version, and the same rows with the checkpoints as without.
std::string TableWorld::check_log() const {
  const std::string directory = std::string(table_path) + "/_delta_log";
  const auto entries = disk_->list(directory);
  if (!entries.ok()) return entries.status().to_string();
  const auto plain = io::memory_store(&clock_);
  std::int64_t commits = 0;
  for (const auto& entry : *entries) {
    const auto name = delta::parse_log_name(io::base_name(entry.path));
    if (!name || name->kind != delta::LogName::Kind::commit) continue;
    const std::string wanted = fmt::format("{}/{:020}.json", directory, commits++);
    if (entry.path != wanted) return wanted + " is missing";
    const auto bytes = disk_->get(entry.path);
    if (!bytes.ok() || !plain->put(entry.path, *bytes).ok()) return "unreadable " + entry.path;
  }
  const auto files = disk_->list(table_path);
  if (!files.ok()) return files.status().to_string();
  for (const auto& file : *files) {
    if (file.path.find("/_delta_log") != std::string::npos) continue;
    const auto bytes = disk_->get(file.path);
    if (bytes.ok() && !plain->put(file.path, *bytes).ok()) return "unwritable " + file.path;
  }
  const auto with = rows_in(disk_);
  const auto without = rows_in(plain);
  if (!with.ok()) return with.status().to_string();
  if (!without.ok()) return without.status().to_string();
  return *with == *without ? "" : "the checkpoint has other rows than the commits";
}

std::string TableWorld::check() {
  const auto found = rows_in(disk_);
  if (!found.ok()) return found.status().to_string();
  if (std::ranges::adjacent_find(*found) != found->end()) return "a row is there twice";
  const std::set<std::int64_t> there(found->begin(), found->end());
  // How each row was told to be deleted: for certain, or perhaps.
  std::set<std::int64_t> gone;
  std::set<std::int64_t> perhaps;
  for (const Operation& op : deletes_) {
    if (op.outcome == Outcome::done) gone.insert(op.ids.begin(), op.ids.end());
    if (op.outcome == Outcome::unknown) perhaps.insert(op.ids.begin(), op.ids.end());
  }
  std::set<std::int64_t> known;
  for (const Operation& op : appends_) {
    std::size_t missing = 0;
    std::size_t seen = 0;
    for (const std::int64_t id : op.ids) {
      known.insert(id);
      const bool is_there = there.contains(id);
      if (is_there && gone.contains(id)) return fmt::format("{} was deleted, and is there", id);
      if (gone.contains(id) || perhaps.contains(id)) continue;
      ++(is_there ? seen : missing);
    }
    const std::int64_t first = *op.ids.begin();
    if (op.outcome == Outcome::done && missing > 0)
      return fmt::format("rows of the append of {} are lost", first);
    if (op.outcome == Outcome::refused && seen > 0)
      return fmt::format("rows of the append of {}, which was refused, are there", first);
    if (missing > 0 && seen > 0) return fmt::format("half of the append of {} is there", first);
  }
  for (const Operation& op : deletes_) {
    if (op.outcome != Outcome::unknown) continue;
    const auto stays = std::ranges::count_if(op.ids, [&](auto id) { return there.contains(id); });
    const bool others = std::ranges::any_of(deletes_, [&](const Operation& other) {
      return &other != &op &&
             std::ranges::any_of(op.ids, [&](auto id) { return other.ids.contains(id); });
    });
    if (!others && stays != 0 && stays != static_cast<std::ptrdiff_t>(op.ids.size()))
      return fmt::format("half of the delete of {} took effect", *op.ids.begin());
  }
  for (const std::int64_t id : there) {
    if (!known.contains(id)) return fmt::format("nobody wrote {}", id);
  }
  return {};
}

}  // namespace millstream::sim
