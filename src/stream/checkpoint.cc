#include "stream/checkpoint.h"

#include "base/failpoint.h"
#include "base/text.h"

namespace millstream::stream {
namespace {

std::optional<BatchId> batch_of(std::string_view name) {
  const auto number = parse_int64(name);
  // "007" and "+7" are not names that a log writes.
  if (!number || *number < 0 || std::to_string(*number) != name) return std::nullopt;
  return number;
}

Result<std::vector<std::string>> names_in(io::Store& store, const std::string& directory) {
  auto names = store.list_names(directory, {});
  if (!names.ok() && names.status().is(ErrorKind::file_not_found))
    return std::vector<std::string>();
  return names;
}

Result<bool> has_entries(io::Store& store, const std::string& directory) {
  TRY_ASSIGN(const auto names, names_in(store, directory));
  for (const auto& name : names) {
    if (batch_of(name)) return true;
  }
  return false;
}

}  // namespace

Status NumberedLog::load() {
  batches_.clear();
  sidecars_.clear();
  TRY_ASSIGN(const auto names, names_in(*store_, directory_));
  for (const std::string_view name : names) {
    if (const auto batch = batch_of(name)) batches_.insert(*batch);
    if (name.starts_with('.') && name.ends_with(".crc")) {
      if (const auto batch = batch_of(name.substr(1, name.size() - 5))) sidecars_.insert(*batch);
    }
  }
  return Status::OK();
}

std::optional<BatchId> NumberedLog::newest() const {
  if (batches_.empty()) return std::nullopt;
  return *batches_.rbegin();
}

std::string NumberedLog::path_of(BatchId batch) const {
  return io::join_path(directory_, std::to_string(batch));
}

Result<std::string> NumberedLog::read(BatchId batch) const { return store_->get(path_of(batch)); }

Status NumberedLog::remove_sidecar(BatchId batch) {
  if (sidecars_.erase(batch) == 0) return Status::OK();
  return store_->remove(io::join_path(directory_, fmt::format(".{}.crc", batch)));
}

Status NumberedLog::add(BatchId batch, std::string_view bytes) {
  // The checksum of an entry that somebody removed would condemn the new one when Spark reads it.
  TRY(remove_sidecar(batch));
  const Status put = store_->put_if_absent(path_of(batch), bytes);
  if (put.is(ErrorKind::already_exists)) {
    return Status::error("CONCURRENT_STREAM_LOG_UPDATE", {{"batchId", std::to_string(batch)}})
        .with_cause(put);
  }
  TRY(put);
  batches_.insert(batch);
  return Status::OK();
}

Status NumberedLog::purge_below(BatchId batch) {
  while (!batches_.empty() && *batches_.begin() < batch) {
    const BatchId oldest = *batches_.begin();
    TRY(store_->remove(path_of(oldest)));
    TRY(remove_sidecar(oldest));
    batches_.erase(oldest);
  }
  return Status::OK();
}

Checkpoint::Checkpoint(std::shared_ptr<io::Store> store, std::string directory)
    : store_(std::move(store)),
      directory_(std::move(directory)),
      offsets_(store_, io::join_path(directory_, "offsets")),
      commits_(store_, io::join_path(directory_, "commits")) {}

Result<std::optional<std::string>> Checkpoint::read_query_id(io::Store& store,
                                                             const std::string& directory) {
  const std::string path = io::join_path(directory, "metadata");
  const auto text = store.get(path);
  if (!text.ok()) {
    if (text.status().is(ErrorKind::file_not_found)) return std::optional<std::string>();
    return text.status();
  }
  TRY_ASSIGN(std::string id, parse_metadata(*text, path));
  return std::optional(std::move(id));
}

Result<std::string> Checkpoint::open_query_id(io::Store& store, const std::string& directory,
                                              Random& random) {
  TRY_ASSIGN(auto known, read_query_id(store, directory));
  if (known) return *std::move(known);
  for (const char* log : {"offsets", "commits"}) {
    TRY_ASSIGN(const bool used, has_entries(store, io::join_path(directory, log)));
    if (used) {
      return Status::error("STREAMING_CHECKPOINT_MISSING_METADATA_FILE",
                           {{"checkpointLocation", io::to_uri(directory)}});
    }
  }
  TRY(store.make_directories(directory));
  std::string id = random.uuid();
  const Status put = store.put_if_absent(io::join_path(directory, "metadata"), format_metadata(id));
  if (put.is(ErrorKind::already_exists)) {  // another start was quicker: it is the same query
    TRY_ASSIGN(auto theirs, read_query_id(store, directory));
    if (theirs) return *std::move(theirs);
  }
  TRY(put);
  TRY(failpoints::pass("stream.after_metadata"));
  return id;
}

Status Checkpoint::load() {
  TRY(offsets_.load());
  return commits_.load();
}

Result<OffsetEntry> Checkpoint::read_offsets(BatchId batch) const {
  TRY_ASSIGN(const std::string text, offsets_.read(batch));
  return parse_offsets(text, offsets_.path_of(batch));
}

Result<CommitEntry> Checkpoint::read_commit(BatchId batch) const {
  TRY_ASSIGN(const std::string text, commits_.read(batch));
  return parse_commit(text, commits_.path_of(batch));
}

Status Checkpoint::add_offsets(BatchId batch, const OffsetEntry& entry) {
  return offsets_.add(batch, format_offsets(entry));
}

Status Checkpoint::add_commit(BatchId batch, const CommitEntry& entry) {
  return commits_.add(batch, format_commit(entry));
}

Status Checkpoint::purge_below(BatchId batch) {
  TRY(offsets_.purge_below(batch));
  return commits_.purge_below(batch);
}

Result<std::vector<std::string>> Checkpoint::stateful_operators() const {
  const std::string state = io::join_path(directory_, "state");
  TRY_ASSIGN(const auto names, names_in(*store_, state));
  std::vector<std::string> operators;
  for (const auto& id : names) {
    if (!batch_of(id)) continue;
    const auto metadata = store_->get(fmt::format("{}/{}/_metadata/metadata", state, id));
    const auto name = metadata.ok() ? parse_operator_name(*metadata) : std::nullopt;
    operators.push_back(
        fmt::format("(OperatorId: {} -> OperatorName: {})", id, name.value_or("unknown")));
  }
  return operators;
}

}  // namespace millstream::stream
