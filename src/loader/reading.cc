#include "loader/reading.h"

#include <algorithm>
#include <mutex>

#include "base/failpoint.h"
#include "base/log.h"
#include "base/text.h"
#include "format/json_infer.h"
#include "format/json_reader.h"

namespace millstream::loader {
namespace {

constexpr std::int64_t bytes_worth_a_group = 8 << 20;

Status unknown_fields(const format::UnknownFields& found, bool retry) {
  ErrorInfo info = Status::error("UNKNOWN_FIELD_EXCEPTION.NEW_FIELDS_IN_RECORD_WITH_FILE_PATH",
                                 {{"unknownFieldBlob", found.rescued_json},
                                  {"filePath", io::to_uri(found.file_path)},
                                  {"canBeFixedByRetry", retry ? "true" : "false"}})
                       .info();
  info.java_class = "org.apache.spark.sql.catalyst.util.UnknownFieldException";
  return Status(std::move(info));
}

// The answer of one batch to unknown fields, found once and the same for all its readers.
class Evolution {
 public:
  Evolution(std::shared_ptr<const Definition> definition, std::vector<io::FileInfo> files)
      : definition_(std::move(definition)), files_(std::move(files)) {}

  Status on_unknown_fields(const format::UnknownFields& found) {
    const std::lock_guard lock(mutex_);
    if (!answer_) answer_ = decide(found);
    return *answer_;
  }

 private:
  Status decide(const format::UnknownFields& found) const {
    if (definition_->options.mode == EvolutionMode::fail_on_new_columns)
      return unknown_fields(found, false);
    // All new columns of the batch at once, so that one restart suffices.
    format::JsonOptions json = definition_->options.json;
    const bool strings = !definition_->options.infer_types;
    json.primitives_as_string = json.primitives_as_string || strings;
    TRY_ASSIGN(const auto inferred,
               format::infer_json_schema(definition_->env.store, files_, json, true));
    const auto ignored = names_that_are_not_new(*definition_);
    const auto grown = with_new_fields(definition_->data, inferred.schema, strings, ignored);
    if (grown == definition_->data)
      return Status::OK();  // such as {}, which is no column: the value is rescued
    TRY(record(inferred.schema, strings, ignored));
    TRY(failpoints::pass("loader.after_schema"));
    return unknown_fields(found, true);
  }

  Status record(const column::Schema& inferred, bool strings,
                const std::set<std::string>& ignored) const {
    const SchemaLog log(definition_->env.store, definition_->options.schema_location);
    for (;;) {
      TRY_ASSIGN(const auto newest, log.newest());
      const TrackedSchema base =
          newest.value_or(TrackedSchema{-1, definition_->data, definition_->partitions});
      const auto grown = with_new_fields(base.data, inferred, strings, ignored);
      if (grown == base.data) return Status::OK();  // another run has recorded them already
      const Status recorded = log.append({base.version + 1, grown, base.partitions});
      if (!recorded.is(ErrorKind::already_exists)) return recorded;
    }
  }

  const std::shared_ptr<const Definition> definition_;
  const std::vector<io::FileInfo> files_;  // the newest first
  std::mutex mutex_;
  std::optional<Status> answer_;
};

// The values that a file's path gives. A recorded partition column that the path lacks is NULL,
// unless the file may have it.
Result<std::vector<format::ConstantColumn>> constants_of(const Definition& definition,
                                                         const std::string& path) {
  const auto segments = format::partition_segments(definition.discovery.globber.base(), path);
  const auto segment_of = [&](const std::string& name) -> const std::string* {
    for (const auto& segment : segments) {
      if (equals_ignore_case(segment.name, name)) return &segment.value;
    }
    return nullptr;
  };
  std::vector<format::ConstantColumn> constants;
  for (const auto& field : definition.table) {
    const bool tracked = column::find_field_ignore_case(definition.partitions, field.name) >= 0;
    if (!tracked && !definition.schema_given) continue;
    if (!tracked && definition.options.partition_columns) {
      const auto& names = *definition.options.partition_columns;
      const auto named = [&](const std::string& name) {
        return equals_ignore_case(name, field.name);
      };
      if (std::none_of(names.begin(), names.end(), named)) continue;
    }
    if (const std::string* text = segment_of(field.name)) {
      auto value = format::partition_value(field, *text, definition.env.time_zone);
      if (!value.ok()) return value.status().at(path);
      constants.push_back(std::move(value).value());
    } else if (tracked && column::find_field_ignore_case(definition.data, field.name) < 0) {
      constants.push_back({field, nullptr});
    }
  }
  return constants;
}

bool same_columns(const std::vector<format::ConstantColumn>& a,
                  const std::vector<format::ConstantColumn>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return x.field.name == y.field.name; });
}

std::shared_ptr<format::JsonScan> scan_of(const Definition& definition,
                                          const connector::ScanRequest& request) {
  auto scan = std::make_shared<format::JsonScan>();
  scan->schema = definition.table;
  scan->columns = request.columns;
  scan->options = definition.options.json;
  scan->on_skipped_file = [](const std::string& path, bool missing) {
    log_warn("cloudFiles: {} is {}", path,
             missing ? "gone: it is left out" : "corrupt: its rest is left out");
  };
  return scan;
}

}  // namespace

std::vector<std::pair<std::size_t, std::size_t>> balanced_groups(
    const std::vector<std::int64_t>& sizes, std::size_t parts_max) {
  std::int64_t total = 0;
  for (const std::int64_t size : sizes) total += size;
  const auto wanted =
      static_cast<std::size_t>((total + bytes_worth_a_group - 1) / bytes_worth_a_group);
  const std::size_t parts = std::min(
      sizes.size(), std::clamp<std::size_t>(wanted, 1, std::max<std::size_t>(parts_max, 1)));
  std::vector<std::pair<std::size_t, std::size_t>> groups;
  std::size_t at = 0;
  std::int64_t taken = 0;
  for (std::size_t part = 0; part < parts; ++part) {
    // Up to this part's share of the bytes, leaving a file for each part that follows.
    const std::int64_t share =
        total * static_cast<std::int64_t>(part + 1) / static_cast<std::int64_t>(parts);
    const std::size_t begin = at;
    const std::size_t last_end = sizes.size() - (parts - part - 1);
    while (at < last_end && (at == begin || part + 1 == parts || taken + sizes[at] / 2 <= share))
      taken += sizes[at++];
    groups.emplace_back(begin, at);
  }
  return groups;
}

Result<connector::Batches> read_files(const std::shared_ptr<const Definition>& definition,
                                      const std::vector<SeenFile>& files,
                                      const connector::ScanRequest& request) {
  std::vector<format::FileSplit> splits;
  std::vector<io::FileInfo> infos;
  std::vector<std::int64_t> sizes;
  for (const auto& file : files) {
    const io::FileInfo info{file.path, file.size, file.modified_us, false};
    TRY_ASSIGN(auto constants, constants_of(*definition, file.path));
    splits.push_back({info, std::move(constants)});
    infos.push_back(info);
    sizes.push_back(file.size);
  }

  const auto scan = scan_of(*definition, request);
  const EvolutionMode mode = definition->options.mode;
  if (mode == EvolutionMode::add_new_columns || mode == EvolutionMode::fail_on_new_columns) {
    std::reverse(infos.begin(), infos.end());
    const auto evolution = std::make_shared<Evolution>(definition, std::move(infos));
    scan->on_unknown_fields = [evolution](const format::UnknownFields& found) {
      return evolution->on_unknown_fields(found);
    };
  }
  TRY(format::check_json_scan(*scan));
  const std::shared_ptr<const format::JsonScan> shared_scan = scan;

  connector::Batches batches;
  TRY_ASSIGN(batches.schema, format::json_output_schema(*scan, splits));
  const auto parts_max = static_cast<std::size_t>(definition->env.parallelism) * 2;
  for (const auto& [begin, end] : balanced_groups(sizes, parts_max)) {
    // A reader's files agree on which columns their paths give.
    for (std::size_t from = begin; from < end;) {
      std::vector<format::FileSplit> run;
      std::size_t at = from;
      while (at < end && same_columns(splits[from].constants, splits[at].constants))
        run.push_back(splits[at++]);
      batches.partitions.push_back(
          [store = definition->env.store, shared_scan, run = std::move(run)]() {
            return format::open_json(store, shared_scan, run);
          });
      from = at;
    }
  }
  return batches;
}

}  // namespace millstream::loader
