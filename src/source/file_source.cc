#include "source/file_source.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "base/failpoint.h"
#include "base/text.h"
#include "column/unique_names.h"
#include "format/file_table.h"
#include "format/files.h"
#include "source/file_log.h"
#include "source/file_options.h"

namespace millstream::source {
namespace {

using column::Schema;

struct FileDefinition {
  std::string format;
  std::string path;  // absolute; may be a pattern
  std::string base;  // option basePath; empty: the path, or what matches it
  FileStreamOptions options;
  format::ListOptions listing;
  FileLogSettings log;
  std::string time_zone;
  std::shared_ptr<io::Store> store;
  Schema data;        // the files' own columns
  Schema partitions;  // at the end of the table
  Schema table;
};

struct NewFile {
  io::FileInfo info;
  std::int64_t timestamp_ms = 0;
};

// Which files have been read, as long as they are not older than the newest one minus the age
// limit.
class SeenMap {
 public:
  SeenMap(std::int64_t age_max_ms, bool name_only)
      : age_max_ms_(age_max_ms), name_only_(name_only) {}

  void add(const std::string& path, std::int64_t timestamp_ms) {
    times_[key(path)] = timestamp_ms;
    newest_ms_ = std::max(newest_ms_, timestamp_ms);
  }
  bool is_new(const std::string& path, std::int64_t timestamp_ms) const {
    return timestamp_ms >= purged_ms_ && !times_.contains(key(path));
  }
  void purge() {
    if (age_max_ms_ == std::numeric_limits<std::int64_t>::max()) return;
    const std::int64_t before = newest_ms_ - age_max_ms_;
    if (before <= purged_ms_) return;
    purged_ms_ = before;
    std::erase_if(times_, [&](const auto& entry) { return entry.second < before; });
  }

 private:
  std::string key(const std::string& path) const {
    return name_only_ ? std::string(io::base_name(path)) : path;
  }

  std::int64_t age_max_ms_;
  bool name_only_;
  std::unordered_map<std::string, std::int64_t> times_;
  std::int64_t newest_ms_ = 0;
  std::int64_t purged_ms_ = 0;
};

std::string print_offset(std::int64_t log_offset) {
  return fmt::format(R"({{"logOffset":{}}})", log_offset);
}

Result<std::int64_t> parse_offset(const std::string& text) {
  if (const auto bare = parse_int64(trim(text))) return *bare;  // as older Sparks wrote it
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object() || !json.value("logOffset", nlohmann::json()).is_number_integer()) {
    return Status::illegal_state("not an offset of a file source: {}", text);
  }
  return json["logOffset"].get<std::int64_t>();
}

// The directory that partition segments of a file's path count from.
std::string root_of(const FileDefinition& definition, const std::string& file) {
  if (!definition.base.empty()) return definition.base;
  // A pattern has no wildcard that crosses levels: what it matches is as deep as it is.
  const auto levels = std::count(definition.path.begin(), definition.path.end(), '/');
  std::size_t end = 0;
  for (std::ptrdiff_t level = 0; level < levels && end != std::string::npos; ++level)
    end = file.find('/', end + 1);
  return end == std::string::npos ? std::string(io::parent_path(file)) : file.substr(0, end);
}

class FileSource final : public connector::Source {
 public:
  FileSource(std::shared_ptr<const FileDefinition> definition, std::unique_ptr<FileLog> log)
      : definition_(std::move(definition)),
        log_(std::move(log)),
        seen_(definition_->options.file_age_max_ms, definition_->options.file_name_only) {}

  Status restore() {
    TRY_ASSIGN(const auto entries, log_->all());
    for (const auto& entry : entries) {
      TRY_ASSIGN(const std::string path, io::store_path(entry.uri));
      seen_.add(path, entry.timestamp_ms);
    }
    seen_.purge();
    return Status::OK();
  }

  std::string description() const override {
    return "FileStreamSource[" + io::to_uri(definition_->path) + "]";
  }

  Result<std::optional<connector::Offset>> latest_offset(
      const std::optional<connector::Offset>& start, bool all) override {
    TRY_ASSIGN(std::vector<NewFile> files, unread_files());
    TRY_ASSIGN(const auto batch, take_batch(std::move(files), all));
    if (!batch.empty()) {
      std::vector<FileLogEntry> entries;
      for (const auto& file : batch) {
        seen_.add(file.info.path, file.timestamp_ms);
        entries.push_back({io::to_file_uri(file.info.path), file.timestamp_ms, 0});
      }
      seen_.purge();
      TRY(log_->add(std::move(entries)));
      TRY(failpoints::pass("source.after_file_log"));
    }
    if (log_->newest() < 0) return std::optional<connector::Offset>();
    if (start) {
      TRY_ASSIGN(const std::int64_t from, parse_offset(*start));
      if (from == log_->newest()) return start;  // the very text: nothing is new
    }
    return std::optional<connector::Offset>(print_offset(log_->newest()));
  }

  Result<connector::Batches> batch(const std::optional<connector::Offset>& start,
                                   const connector::Offset& end,
                                   const connector::ScanRequest& request) override {
    std::int64_t from = -1;
    if (start) {
      TRY_ASSIGN(from, parse_offset(*start));
    }
    TRY_ASSIGN(const std::int64_t to, parse_offset(end));
    if (from > to)
      return Status::illegal_state("the file source's offsets run backwards: {} to {}", from, to);
    TRY_ASSIGN(const auto entries, log_->range(from + 1, to));
    std::vector<format::FileSplit> splits;
    for (const auto& entry : entries) {
      TRY_ASSIGN(const std::string path, io::store_path(entry.uri));
      TRY_ASSIGN(auto split, split_of(path, entry.timestamp_ms));
      splits.push_back(std::move(split));
    }
    const format::FileScan scan{definition_->format,       definition_->data,
                                definition_->options.rest, definition_->time_zone,
                                request.columns,           request.predicates};
    return format::scan_files(definition_->store, scan, std::move(splits));
  }

  Status commit(const connector::Offset&) override { return Status::OK(); }

  bool supports_available_now() const override { return true; }
  Status prepare_for_available_now() override {
    TRY_ASSIGN(files_of_run_, list());
    return Status::OK();
  }

 private:
  // All files, in the order of reading.
  Result<std::vector<NewFile>> list() const {
    TRY_ASSIGN(auto found,
               format::list_files(definition_->store, {definition_->path}, definition_->listing));
    std::vector<NewFile> files;
    files.reserve(found.size());
    for (auto& file : found) {
      const std::int64_t ms = file.info.modified_us / 1000;
      files.push_back({std::move(file.info), ms});
    }
    const bool latest_first = definition_->options.latest_first;
    std::stable_sort(
        files.begin(), files.end(), [latest_first](const NewFile& a, const NewFile& b) {
          return latest_first ? a.timestamp_ms > b.timestamp_ms : a.timestamp_ms < b.timestamp_ms;
        });
    return files;
  }

  Result<std::vector<NewFile>> unread_files() {
    if (!cached_.empty()) return std::move(cached_);
    std::vector<NewFile> files;
    if (files_of_run_) {
      files = *files_of_run_;
    } else {
      TRY_ASSIGN(files, list());
    }
    std::erase_if(files, [&](const NewFile& file) {
      return !seen_.is_new(file.info.path, file.timestamp_ms);
    });
    // With fileNameOnly one listing may hold the same name twice; the first one counts.
    if (definition_->options.file_name_only) {
      std::unordered_map<std::string, bool> names;
      std::erase_if(files, [&](const NewFile& file) {
        return !names.emplace(io::base_name(file.info.path), true).second;
      });
    }
    return files;
  }

  // The first files within the limits; the rest is kept for the following batches when it is worth
  // it.
  Result<std::vector<NewFile>> take_batch(std::vector<NewFile> files, bool all) {
    cached_.clear();
    const FileStreamOptions& options = definition_->options;
    if (all || (!options.files_max && !options.bytes_max)) return files;
    std::size_t count = 0;
    std::int64_t taken = 0;
    while (count < files.size()) {
      const std::int64_t size = files[count].info.size;
      if (options.files_max && static_cast<std::int64_t>(count) >= *options.files_max) break;
      if (options.bytes_max && count > 0 && taken + size > *options.bytes_max) break;
      taken += size;
      ++count;
    }
    std::vector<NewFile> rest(
        std::make_move_iterator(files.begin() + static_cast<std::ptrdiff_t>(count)),
        std::make_move_iterator(files.end()));
    files.resize(count);
    std::int64_t rest_bytes = 0;
    for (const auto& file : rest) rest_bytes += file.info.size;
    const double left = static_cast<double>(
        options.files_max ? static_cast<std::int64_t>(rest.size()) : rest_bytes);
    const double limit =
        static_cast<double>(options.files_max ? *options.files_max : *options.bytes_max);
    if (!options.latest_first && !files_of_run_ && left >= limit * options.discard_cached_ratio) {
      if (static_cast<std::int64_t>(rest.size()) > options.cached_files_max) {
        rest.resize(static_cast<std::size_t>(options.cached_files_max));
      }
      cached_ = std::move(rest);
    }
    return files;
  }

  Result<format::FileSplit> split_of(const std::string& path, std::int64_t timestamp_ms) const {
    format::FileSplit split;
    split.info = {path, 0, timestamp_ms * 1000, false};
    const auto info = definition_->store->stat(path);
    if (info.ok()) split.info.size = info->size;  // a file that is gone is the reader's to report
    if (definition_->partitions.empty()) return split;
    const auto segments = format::partition_segments(root_of(*definition_, path), path);
    for (const auto& field : definition_->partitions) {
      format::ConstantColumn constant{field, nullptr};
      for (const auto& segment : segments) {
        if (!equals_ignore_case(segment.name, field.name)) continue;
        TRY_ASSIGN(constant, format::partition_value(field, segment.value, definition_->time_zone));
      }
      split.constants.push_back(std::move(constant));
    }
    return split;
  }

  const std::shared_ptr<const FileDefinition> definition_;
  const std::unique_ptr<FileLog> log_;
  SeenMap seen_;
  std::vector<NewFile> cached_;
  std::optional<std::vector<NewFile>> files_of_run_;  // AvailableNow: what there was at its start
};

class FileStreamTable final : public connector::StreamTable {
 public:
  explicit FileStreamTable(std::shared_ptr<const FileDefinition> definition)
      : definition_(std::move(definition)) {}
  const Schema& schema() const override { return definition_->table; }
  const Schema& metadata_fields() const override { return format::file_metadata_fields(); }
  std::string describe() const override {
    return fmt::format("{} [{}]", definition_->format, io::to_uri(definition_->path));
  }
  Result<std::unique_ptr<connector::Source>> open(
      const connector::SourceContext& context) const override {
    TRY(column::check_unique_names(definition_->data));
    TRY_ASSIGN(auto log, FileLog::open(context.store, context.metadata_path, definition_->log,
                                       context.clock));
    auto source = std::make_unique<FileSource>(definition_, std::move(log));
    TRY(source->restore());
    return std::unique_ptr<connector::Source>(std::move(source));
  }

 private:
  const std::shared_ptr<const FileDefinition> definition_;
};

Result<std::string> one_path(const Options& options, const std::vector<std::string>& paths) {
  std::vector<std::string> given = paths;
  if (const std::string* path = options.find("path")) given.push_back(*path);
  std::sort(given.begin(), given.end());
  given.erase(std::unique(given.begin(), given.end()), given.end());
  if (given.size() != 1) {
    return given.empty()
               ? Status::plain(ErrorKind::illegal_argument, "'path' is not specified")
               : Status::unsupported("a file stream reads one path; {} were given", given.size());
  }
  return io::store_path(given[0]);
}

std::string conf_of(const SourceEnv& env, const std::string& name, const std::string& fallback) {
  const auto found = env.conf.find(name);
  return found == env.conf.end() ? fallback : found->second;
}

Result<FileLogSettings> log_settings(const SourceEnv& env) {
  FileLogSettings settings;
  Options conf;
  for (const auto& [name, value] : env.conf) {
    if (name.starts_with("spark.sql.streaming.")) conf.set(name, value);
  }
  TRY_ASSIGN(settings.compact_interval,
             conf.get_int("spark.sql.streaming.fileSource.log.compactInterval", 10));
  TRY_ASSIGN(settings.deletion, conf.get_bool("spark.sql.streaming.fileSource.log.deletion", true));
  TRY_ASSIGN(settings.entries_to_retain,
             conf.get_int("spark.sql.streaming.minBatchesToRetain", 100));
  return settings;
}

// The schema that the user gave, or what the format or inference says.
Result<Schema> given_schema(const FileDefinition& definition, const std::string& schema_text,
                            const SourceEnv& env) {
  if (!trim(schema_text).empty()) return column::schema_from_text(schema_text);
  if (definition.format == "text") return Schema{{"value", column::string_type(), true, {}}};
  if (!equals_ignore_case(conf_of(env, "spark.sql.streaming.schemaInference", "false"), "true")) {
    return Status::plain(ErrorKind::illegal_argument,
                         "Schema must be specified when creating a streaming source DataFrame. If "
                         "some files already exist in the "
                         "directory, then depending on the file format you may be able to create a "
                         "static DataFrame on that directory with "
                         "'spark.read.load(directory)' and infer schema from it.");
  }
  TRY_ASSIGN(const auto table, format::make_file_table({definition.format,
                                                        std::nullopt,
                                                        definition.options.rest,
                                                        {definition.path},
                                                        definition.time_zone,
                                                        definition.store}));
  return table->schema();
}

Status find_columns(FileDefinition* definition, const Schema& given) {
  TRY_ASSIGN(auto found,
             format::list_files(definition->store, {definition->path}, definition->listing));
  if (!definition->listing.recursive) {
    for (auto& file : found) file.root = root_of(*definition, file.info.path);
    format::PartitionRules rules;
    rules.types = given;
    rules.time_zone = definition->time_zone;
    TRY_ASSIGN(auto partitioned, format::discover_partitions(std::move(found), rules));
    definition->partitions = column::as_nullable(partitioned.columns);
  }
  for (const auto& field : column::as_nullable(given)) {
    if (column::find_field_ignore_case(definition->partitions, field.name) < 0)
      definition->data.push_back(field);
  }
  definition->table = definition->data;
  definition->table.insert(definition->table.end(), definition->partitions.begin(),
                           definition->partitions.end());
  return Status::OK();
}

}  // namespace

Result<std::shared_ptr<const connector::StreamTable>> make_file_stream_table(
    const std::string& format, const std::string& schema_text, const Options& options,
    const std::vector<std::string>& paths, const SourceEnv& env) {
  auto definition = std::make_shared<FileDefinition>();
  definition->format = to_lower(format);
  definition->time_zone = env.time_zone;
  definition->store = env.store ? env.store : io::local_store();
  TRY_ASSIGN(definition->path, one_path(options, paths));
  TRY_ASSIGN(definition->options, parse_file_stream_options(options));
  TRY_ASSIGN(definition->listing,
             format::parse_list_options(definition->options.rest, env.time_zone));
  if (const std::string* base = options.find("basePath")) {
    TRY_ASSIGN(definition->base, io::store_path(*base));
  }
  TRY_ASSIGN(definition->log, log_settings(env));
  TRY_ASSIGN(const Schema given, given_schema(*definition, schema_text, env));
  TRY(find_columns(definition.get(), given));
  // An option that the format does not have is an error now, not in the first batch.
  TRY(format::scan_files(
          definition->store,
          {definition->format, definition->data, definition->options.rest, env.time_zone, {}, {}},
          {})
          .status());
  return std::shared_ptr<const connector::StreamTable>(
      std::make_shared<FileStreamTable>(std::move(definition)));
}

}  // namespace millstream::source
