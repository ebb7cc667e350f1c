#include "session/stream_guards.h"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "base/log.h"
#include "delta/log.h"
#include "io/store.h"
#include "plan/tree.h"
#include "source/delta_offset.h"
#include "stream/manager.h"

namespace millstream::session {
namespace {

std::string shown_name(const std::string& name) { return name.empty() ? "without a name" : name; }

// Whether `path` lies in `directory` where those who list it look: no name below it begins with "_"
// or ".".
bool is_seen_in(const std::string& path, const std::string& directory) {
  if (directory.empty() || !path.starts_with(directory)) return false;
  const std::string below = path.substr(directory.size());
  if (!below.empty() && !below.starts_with('/') && !directory.ends_with('/')) return false;
  return below.find("/_") == std::string::npos && below.find("/.") == std::string::npos;
}

void warn_of_checkpoint_in(const stream::QuerySpec& spec, const std::string& directory) {
  if (!is_seen_in(spec.checkpoint, directory)) return;
  log_warn(
      "CHECKPOINT_IN_DATA: the checkpoint {} of the streaming query {} lies in {}, which readers "
      "list and VACUUM cleans: put it elsewhere, or under a name that begins with _",
      spec.checkpoint, shown_name(spec.name), directory);
}

// The folder in a source's description, "name[file:/in]" or "name [/in]"; empty: it has none.
std::string described_folder(const std::string& description) {
  const std::size_t open = description.find('[');
  if (open == std::string::npos || !description.ends_with(']')) return {};
  auto path = io::store_path(description.substr(open + 1, description.size() - open - 2));
  return path.ok() ? *path : std::string();
}

void each_stream_scan(const plan::Node& node,
                      const std::function<void(const plan::StreamScan&)>& take) {
  if (node.kind == plan::NodeKind::stream_scan) take(plan::as<plan::StreamScan>(node));
  for (const auto& child : node.children) each_stream_scan(*child, take);
}

// The version of `table` up to which the query has read; nothing: it does not read it.
std::optional<std::int64_t> version_read(const stream::StreamingQuery& query,
                                         const std::string& table) {
  const auto progress = query.recent_progress();
  if (progress.empty()) return std::nullopt;
  const auto json = nlohmann::json::parse(progress.back().stored_json, nullptr, false);
  if (!json.is_object() || !json.contains("sources")) return std::nullopt;
  for (const auto& source : json["sources"]) {
    const std::string description = source.value("description", "");
    if (!description.starts_with("DeltaSource[") || described_folder(description) != table)
      continue;
    const auto end = source.find("endOffset");
    if (end == source.end()) continue;
    const auto offset =
        source::parse_delta_offset(end->is_string() ? end->get<std::string>() : end->dump());
    if (offset.ok()) return offset->version;
  }
  return std::nullopt;
}

}  // namespace

void warn_of_checkpoint(const stream::QuerySpec& spec, const std::string& target) {
  warn_of_checkpoint_in(spec, target);
  each_stream_scan(*spec.plan, [&](const plan::StreamScan& scan) {
    const std::string folder = described_folder(scan.table->describe());
    if (folder != target) warn_of_checkpoint_in(spec, folder);
  });
}

void warn_of_vacuum(const Runtime& runtime, const std::string& table, std::int64_t cutoff_ms) {
  std::optional<std::vector<delta::Log::CommitTime>> times;
  for (const auto& query : runtime.queries->active("")) {
    const auto version = version_read(*query, table);
    if (!version) continue;
    if (!times) {
      auto read = delta::Log::shared(runtime.store, table)->commit_times();
      if (!read.ok()) return;  // the statement tells of what is wrong with the table
      times = std::move(read).value();
    }
    // What a later commit has removed that long ago is gone, and the query may need it yet.
    const bool behind = std::any_of(times->begin(), times->end(), [&](const auto& commit) {
      return commit.version > *version && commit.time_ms < cutoff_ms;
    });
    if (!behind) continue;
    log_warn(
        "VACUUM_BEHIND_STREAM: the streaming query {} has yet to read versions of {} from {} on "
        "that "
        "are older than VACUUM's retention, and files that they name may be gone: let it catch up "
        "first, or retain longer",
        shown_name(query->name()), table, *version);
  }
}

}  // namespace millstream::session
