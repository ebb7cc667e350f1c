#include "delta/manifest.h"

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "delta/values.h"

namespace millstream::delta {
namespace {

constexpr const char* manifest_folder = "_symlink_format_manifest";
constexpr const char* manifest_name = "manifest";

// "" of a table without partitions.
std::string folder_of(const PartitionValues& values, const TableInfo& info) {
  std::string out;
  for (const int index : info.partition_index) {
    const std::string& name = info.physical[static_cast<std::size_t>(index)].name;
    const auto found = values.find(name);
    const auto value = found == values.end() ? std::nullopt : found->second;
    if (!out.empty()) out += '/';
    out += partition_directory(name, value);
  }
  return out;
}

// The names that each folder's manifest has.
using Manifests = std::map<std::string, std::vector<std::string>>;

Manifests manifests_of(const std::string& table, const Snapshot& snapshot,
                       const std::optional<std::set<std::string>>& folders) {
  Manifests out;
  if (snapshot.info().partition_index.empty()) out[""];
  snapshot.files().for_each([&](const AddFilePtr& file) {
    const std::string folder = folder_of(file->partition_values, snapshot.info());
    if (folders && !folders->contains(folder)) return;
    out[folder].push_back(io::to_text(resolve_path(table, file->path)));
  });
  return out;
}

std::string root_of(const std::string& table) { return io::join_path(table, manifest_folder); }

Status write(io::Store& store, const std::string& root, const Manifests& manifests) {
  for (const auto& [folder, names] : manifests) {
    const std::string directory = folder.empty() ? root : io::join_path(root, folder);
    TRY(store.make_directories(directory));
    std::string text;
    for (const auto& name : names) text += name + '\n';
    TRY(store.put(io::join_path(directory, manifest_name), text));
  }
  return Status::OK();
}

Status check(const Snapshot& snapshot) {
  if (snapshot.info().mapping != MappingMode::none)
    return Status::error("DELTA_UNSUPPORTED_MANIFEST_GENERATION_WITH_COLUMN_MAPPING");
  bool vectors = false;
  snapshot.files().for_each(
      [&](const AddFilePtr& file) { vectors = vectors || file->deletion_vector != nullptr; });
  return vectors ? Status::error("DELTA_UNSUPPORTED_GENERATE_WITH_DELETION_VECTORS") : Status::OK();
}

// The folders below `root` that have a manifest, relative to it.
Status find_folders(io::Store& store, const std::string& root, const std::string& below, int depth,
                    std::set<std::string>& out) {
  const auto entries = store.list(below.empty() ? root : io::join_path(root, below));
  if (!entries.ok())
    return entries.status().is(ErrorKind::file_not_found) ? Status::OK() : entries.status();
  for (const auto& entry : *entries) {
    const std::string name(io::base_name(entry.path));
    if (!entry.is_directory) {
      if (name == manifest_name && !below.empty()) out.insert(below);
    } else if (depth > 0) {
      TRY(find_folders(store, root, below.empty() ? name : io::join_path(below, name), depth - 1,
                       out));
    }
  }
  return Status::OK();
}

}  // namespace

Status write_manifests(const Log& log, const Snapshot& snapshot) {
  TRY(check(snapshot));
  const Manifests manifests = manifests_of(log.table(), snapshot, std::nullopt);
  const std::string root = root_of(log.table());
  TRY(write(*log.store(), root, manifests));
  std::set<std::string> there;
  const auto depth = static_cast<int>(snapshot.info().partition_index.size());
  TRY(find_folders(*log.store(), root, "", depth, there));
  for (const auto& folder : there) {
    if (!manifests.contains(folder)) TRY(log.store()->remove_tree(io::join_path(root, folder)));
  }
  return Status::OK();
}

Status keep_manifests(const Log& log, const Transaction& committed) {
  const SnapshotPtr snapshot = log.known();
  if (snapshot == nullptr ||
      !snapshot->info().flag("delta.compatibility.symlinkFormatManifest.enabled", false))
    return Status::OK();
  const std::string root = root_of(log.table());
  const auto there = log.store()->stat(root);
  if (!there.ok()) return write_manifests(log, *snapshot);
  TRY(check(*snapshot));
  std::set<std::string> folders;
  for (const auto& add : committed.adds)
    folders.insert(folder_of(add->partition_values, snapshot->info()));
  for (const auto& remove : committed.removes)
    folders.insert(folder_of(remove->partition_values, snapshot->info()));
  const Manifests manifests = manifests_of(log.table(), *snapshot, folders);
  TRY(write(*log.store(), root, manifests));
  for (const auto& folder : folders) {
    if (!manifests.contains(folder)) TRY(log.store()->remove_tree(io::join_path(root, folder)));
  }
  return Status::OK();
}

}  // namespace millstream::delta
