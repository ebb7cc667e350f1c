#include "source/file_log.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace millstream::source {
namespace {

using nlohmann::json;

constexpr std::string_view compact_suffix = ".compact";
constexpr std::int64_t newest_version = 1;

std::string print(const FileLogEntry& entry) {
  return fmt::format(R"({{"path":{},"timestamp":{},"batchId":{}}})", json_quote(entry.uri),
                     entry.timestamp_ms, entry.log_offset);
}

// "12", "19.compact" -> the number; other names are no entries.
std::optional<std::int64_t> id_of(std::string_view name, bool* compact) {
  *compact = name.ends_with(compact_suffix);
  if (*compact) name.remove_suffix(compact_suffix.size());
  const auto id = parse_int64(name);
  return id && *id >= 0 ? id : std::nullopt;
}

Status check_version(const std::string& path, std::string_view line) {
  const auto number = line.starts_with('v') ? parse_int64(line.substr(1)) : std::nullopt;
  if (!number || *number <= 0) {
    return Status::illegal_state(
        "Failed to read log file {}. Log file was malformed: failed to read correct log version "
        "from {}.",
        path, line);
  }
  if (*number > newest_version) {
    return Status::illegal_state(
        "Failed to read log file {}. The maximum supported log version is v{}, but encountered "
        "v{}. The log file was "
        "produced by a newer version of Spark and cannot be read by this version. You need to "
        "upgrade.",
        path, newest_version, *number);
  }
  return Status::OK();
}

Result<std::vector<FileLogEntry>> parse(const std::string& path, const std::string& text) {
  const auto lines = split(text, '\n');
  if (lines.empty() || lines[0].empty())
    return Status::illegal_state("Incomplete log file {}", path);
  TRY(check_version(path, lines[0]));
  std::vector<FileLogEntry> entries;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (lines[i].empty()) continue;
    const json entry = json::parse(lines[i], nullptr, false);
    const bool good = entry.is_object() && entry.value("path", json()).is_string() &&
                      entry.value("timestamp", json()).is_number_integer() &&
                      entry.value("batchId", json()).is_number_integer();
    if (!good)
      return Status::illegal_state("line {} of the file source log {} is damaged", i + 1, path);
    entries.push_back({entry["path"].get<std::string>(), entry["timestamp"].get<std::int64_t>(),
                       entry["batchId"].get<std::int64_t>()});
  }
  // An entry is written for files only: without them its files would be read again.
  if (entries.empty()) return Status::illegal_state("Incomplete log file {}", path);
  return entries;
}

}  // namespace

std::int64_t derive_compact_interval(std::int64_t wanted, std::int64_t compact_id) {
  const std::int64_t length = compact_id + 1;
  if (length <= wanted || wanted >= length / 2) return length;
  for (std::int64_t divisor = wanted; divisor <= length / 2; ++divisor) {
    if (length % divisor == 0) return divisor;
  }
  return length;
}

Result<std::unique_ptr<FileLog>> FileLog::open(std::shared_ptr<io::Store> store,
                                               std::string directory,
                                               const FileLogSettings& settings, Clock* clock) {
  if (settings.compact_interval <= 0) {
    return Status::invalid(
        "Please set spark.sql.streaming.fileSource.log.compactInterval (was {}) to a positive "
        "value.",
        settings.compact_interval);
  }
  std::unique_ptr<FileLog> log(
      new FileLog(std::move(store), std::move(directory), settings, clock));
  TRY(log->load_names());
  return log;
}

Status FileLog::load_names() {
  interval_ = settings_.compact_interval;
  const auto names = store_->list_names(directory_, {});
  if (!names.ok() && names.status().is(ErrorKind::file_not_found)) return Status::OK();
  if (!names.ok()) return names.status();
  std::vector<std::int64_t> compacts;
  for (const auto& name : names.value()) {
    bool compact = false;
    const auto id = id_of(name, &compact);
    if (!id) continue;
    newest_ = std::max(newest_, *id);
    if (compact) compacts.push_back(*id);
  }
  // The interval of an existing log stays, whatever the setting says now.
  std::sort(compacts.begin(), compacts.end());
  if (compacts.size() >= 2) {
    interval_ = compacts[compacts.size() - 1] - compacts[compacts.size() - 2];
  } else if (compacts.size() == 1) {
    interval_ = derive_compact_interval(settings_.compact_interval, compacts[0]);
  }
  return Status::OK();
}

std::string FileLog::path_of(std::int64_t id) const {
  return io::join_path(directory_, fmt::format("{}{}", id, is_compact(id) ? compact_suffix : ""));
}

Result<std::optional<std::vector<FileLogEntry>>> FileLog::read(std::int64_t id) const {
  const std::string path = path_of(id);
  auto text = store_->get(path);
  if (!text.ok() && text.status().is(ErrorKind::file_not_found))
    return std::optional<std::vector<FileLogEntry>>();
  if (!text.ok()) return text.status();
  TRY_ASSIGN(auto entries, parse(path, text.value()));
  return std::optional<std::vector<FileLogEntry>>(std::move(entries));
}

Result<std::vector<FileLogEntry>> FileLog::all() const {
  std::vector<FileLogEntry> files;
  if (newest_ < 0) return files;
  const std::int64_t begin = std::max<std::int64_t>(0, (newest_ + 1) / interval_ * interval_ - 1);
  for (std::int64_t id = begin; id <= newest_; ++id) {
    TRY_ASSIGN(auto entries, read(id));
    if (!entries)
      return Status::illegal_state("{} doesn't exist (latestId: {}, compactInterval: {})",
                                   path_of(id), newest_, interval_);
    files.insert(files.end(), std::make_move_iterator(entries->begin()),
                 std::make_move_iterator(entries->end()));
  }
  return files;
}

Result<std::vector<FileLogEntry>> FileLog::range(std::int64_t first, std::int64_t last) const {
  std::vector<FileLogEntry> files;
  std::optional<std::map<std::int64_t, std::vector<FileLogEntry>>> compacted;
  for (std::int64_t id = first; id <= last; ++id) {
    TRY_ASSIGN(auto entries, read(id));
    if (!entries) {
      // Superseded and removed: the newest compact file still has it.
      if (!compacted) {
        compacted.emplace();
        TRY_ASSIGN(auto everything, all());
        for (auto& entry : everything) (*compacted)[entry.log_offset].push_back(std::move(entry));
      }
      entries = (*compacted)[id];
      if (entries->empty())
        return Status::illegal_state("the file source log {} has no entry {}", directory_, id);
    }
    for (auto& entry : *entries) {
      if (entry.log_offset == id) files.push_back(std::move(entry));
    }
  }
  return files;
}

Status FileLog::add(std::vector<FileLogEntry> files) {
  const std::int64_t id = newest_ + 1;
  for (auto& file : files) file.log_offset = id;
  std::string text = "v1";
  if (is_compact(id)) {
    TRY_ASSIGN(const auto before, all());
    for (const auto& entry : before) text += "\n" + print(entry);
  }
  for (const auto& entry : files) text += "\n" + print(entry);
  const Status written = store_->put_if_absent(path_of(id), text);
  if (written.is(ErrorKind::already_exists)) {
    return Status::illegal_state(
        "Concurrent update to the log. Multiple streaming jobs detected for {}", id);
  }
  TRY(written);
  newest_ = id;
  return settings_.deletion ? remove_expired() : Status::OK();
}

// Entries that a compact file repeats, when they are old and enough newer ones are kept.
Status FileLog::remove_expired() const {
  const std::int64_t least = newest_ + 1 - settings_.entries_to_retain;
  if (!is_compact(newest_) || least <= 0) return Status::OK();
  const std::int64_t compact = least - least % interval_ - 1;
  if (compact < 0) return Status::OK();
  const std::int64_t expired_us = (clock_->now_ms() - settings_.cleanup_delay_ms) * 1000;
  TRY_ASSIGN(const auto names, store_->list_names(directory_, {}));
  for (const auto& name : names) {
    bool is_compact_name = false;
    const auto id = id_of(name, &is_compact_name);
    if (!id || *id >= compact) continue;
    const std::string path = io::join_path(directory_, name);
    const auto info = store_->stat(path);
    if (!info.ok() || info->modified_us > expired_us) continue;
    TRY(store_->remove(path));
    // Spark refuses to write an entry whose checksum file is there already.
    TRY(store_->remove(io::join_path(directory_, "." + name + ".crc")));
  }
  return Status::OK();
}

}  // namespace millstream::source
