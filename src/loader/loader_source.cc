#include "loader/loader_source.h"

#include <malloc.h>

#include <algorithm>

#include "base/failpoint.h"
#include "loader/reading.h"
#include "loader/table.h"

namespace millstream::loader {
namespace {

// The paths of so many files leave holes all over the heap: its pages go back to the system.
constexpr std::size_t listing_that_leaves_holes = 100'000;

Result<LoaderOffset> offset_or_beginning(const std::optional<connector::Offset>& offset) {
  if (!offset) return LoaderOffset{};
  return parse_offset(*offset);
}

class CloudFilesTable final : public connector::StreamTable {
 public:
  explicit CloudFilesTable(std::shared_ptr<const Definition> definition)
      : definition_(std::move(definition)) {}
  const column::Schema& schema() const override { return definition_->table; }
  const column::Schema& metadata_fields() const override { return format::file_metadata_fields(); }
  std::string describe() const override { return "cloudFiles [" + definition_->input + "]"; }
  Result<std::unique_ptr<connector::Source>> open(
      const connector::SourceContext& context) const override {
    TRY_ASSIGN(auto source, LoaderSource::open(definition_, context));
    return std::unique_ptr<connector::Source>(std::move(source));
  }

 private:
  const std::shared_ptr<const Definition> definition_;
};

}  // namespace

Result<std::unique_ptr<LoaderSource>> LoaderSource::open(
    std::shared_ptr<const Definition> definition, const connector::SourceContext& context) {
  if (!definition->schema_given) {
    const SchemaLog log(definition->env.store, definition->options.schema_location);
    TRY(log.claim(context.metadata_path, definition->input));
  }
  TRY_ASSIGN(auto seen, open_seen_files(context.store, context.metadata_path));
  if (context.last_logged_offset) {
    TRY_ASSIGN(const LoaderOffset logged, parse_offset(*context.last_logged_offset));
    if (logged.seq > seen->meta().last_seq) {
      return Status::illegal_state(
          "the checkpoint has got to file number {}, but the list of seen files below {} knows {} "
          "files only: it was removed "
          "or is older than the checkpoint. Restore it; without it files would be read again",
          logged.seq, context.metadata_path, seen->meta().last_seq);
    }
  }
  return std::unique_ptr<LoaderSource>(
      new LoaderSource(std::move(definition), std::move(seen), context.clock));
}

// Finds new files and gives them their numbers. Durable when it returns.
Status LoaderSource::discover_new(std::int64_t committed_seq) {
  const LoaderOptions& options = definition_->options;
  SeenMeta meta = seen_->meta();
  const bool first = !meta.first_listing_done;
  const std::int64_t start_ms = clock_->now_ms();
  // Stamps are the local disk's; and a file that is passed over for its age may come into question
  // again.
  const bool may_settle = definition_->env.store->is_local(definition_->discovery.globber.base()) &&
                          !options.file_age_max_ms;
  TRY_ASSIGN(auto found, discover(*definition_->env.store, definition_->discovery, seen_.get(),
                                  may_settle ? &settled_ : nullptr));
  std::vector<SeenFile> files;
  files.reserve(found.size());
  std::int64_t bytes = 0;
  for (auto& info : found) {
    // An old file whose entry has expired must not come back as a new one.
    const bool too_old = options.file_age_max_ms && !first &&
                         info.modified_us / 1000 < start_ms - *options.file_age_max_ms;
    if (too_old) continue;
    bytes += info.size;
    files.push_back({std::move(info.path), info.size, info.modified_us, start_ms, 0});
  }
  found = {};
  if (first) {
    meta.first_listing_done = true;
    meta.first_listing_start_ms = start_ms;
    meta.first_listing_finish_ms = clock_->now_ms();
  }
  if (first || !files.empty()) {
    const bool numbered = !first || options.include_existing;
    if (numbered) {
      backlog_files_ += static_cast<std::int64_t>(files.size());
      backlog_bytes_ += bytes;
    }
    const bool many = files.size() > listing_that_leaves_holes;
    TRY(seen_->add(std::move(files), numbered, meta));
    if (many) ::malloc_trim(0);
    TRY(failpoints::pass("loader.after_discovery"));
  }
  if (options.file_age_max_ms)
    TRY(seen_->expire(start_ms - *options.file_age_max_ms, committed_seq));
  return Status::OK();
}

Status LoaderSource::count_backlog(std::int64_t after) {
  if (position_ == after) return Status::OK();
  backlog_files_ = 0;
  backlog_bytes_ = 0;
  TRY(seen_->visit(after, seen_->meta().last_seq, [&](const SeenFile& file) {
    ++backlog_files_;
    backlog_bytes_ += file.size;
    return true;
  }));
  position_ = after;
  return Status::OK();
}

Result<std::int64_t> LoaderSource::end_within_limits(std::int64_t after, std::int64_t up_to) {
  const LoaderOptions& options = definition_->options;
  const std::int64_t end = std::min(up_to, after + options.files_max);
  if (!options.bytes_soft) return end;
  std::int64_t bytes = 0;
  std::int64_t last = after;
  TRY(seen_->visit(after, end, [&](const SeenFile& file) {
    last = file.seq;
    bytes += file.size;
    return bytes < *options.bytes_soft;
  }));
  return last;
}

Result<std::optional<connector::Offset>> LoaderSource::latest_offset(
    const std::optional<connector::Offset>& start, bool all) {
  TRY_ASSIGN(const LoaderOffset from, offset_or_beginning(start));
  TRY(count_backlog(from.seq));
  if (!last_of_run_) {
    // A backlog that fills the next batch needs no look at the folder.
    const LoaderOptions& options = definition_->options;
    const bool full = backlog_files_ >= options.files_max ||
                      (options.bytes_soft && backlog_bytes_ >= *options.bytes_soft);
    if (all || !full) TRY(discover_new(from.seq));
  }
  const std::int64_t newest = last_of_run_ ? *last_of_run_ : seen_->meta().last_seq;
  if (newest <= from.seq) return start;  // the very text: nothing is new

  std::int64_t end = newest;
  if (!all) {
    TRY_ASSIGN(end, end_within_limits(from.seq, newest));
  }
  const SeenMeta& meta = seen_->meta();
  if (end == meta.last_seq) {
    backlog_files_ = 0;
    backlog_bytes_ = 0;
  } else {
    TRY(seen_->visit(from.seq, end, [&](const SeenFile& file) {
      --backlog_files_;
      backlog_bytes_ -= file.size;
      return true;
    }));
  }
  position_ = end;
  return std::optional<connector::Offset>(print_offset(
      {end, meta.first_listing_start_ms, meta.first_listing_finish_ms, definition_->input}));
}

Result<connector::Batches> LoaderSource::batch(const std::optional<connector::Offset>& start,
                                               const connector::Offset& end,
                                               const connector::ScanRequest& request) {
  TRY_ASSIGN(const LoaderOffset from, offset_or_beginning(start));
  TRY_ASSIGN(const LoaderOffset to, parse_offset(end));
  std::vector<SeenFile> files;
  TRY(seen_->visit(from.seq, to.seq, [&](const SeenFile& file) {
    files.push_back(file);
    return true;
  }));
  if (static_cast<std::int64_t>(files.size()) != to.seq - from.seq) {
    return Status::illegal_state(
        "of the files numbered {} to {} the list of seen files has only {}: it is damaged",
        from.seq + 1, to.seq, files.size());
  }
  return read_files(definition_, files, request);
}

Status LoaderSource::commit(const connector::Offset&) { return Status::OK(); }

Status LoaderSource::prepare_for_available_now() {
  TRY(discover_new(0));
  last_of_run_ = seen_->meta().last_seq;
  position_ = -1;
  return Status::OK();
}

std::map<std::string, std::string> LoaderSource::metrics() const {
  return {{"numFilesOutstanding", std::to_string(backlog_files_)},
          {"numBytesOutstanding", std::to_string(backlog_bytes_)}};
}

Result<std::shared_ptr<const connector::StreamTable>> make_cloud_files_table(
    const std::string& schema_text, const Options& options, const std::vector<std::string>& paths,
    const LoaderEnv& env) {
  TRY_ASSIGN(auto definition, define(schema_text, options, paths, env));
  return std::shared_ptr<const connector::StreamTable>(
      std::make_shared<CloudFilesTable>(std::move(definition)));
}

}  // namespace millstream::loader
