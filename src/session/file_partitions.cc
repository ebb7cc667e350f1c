// Partitions of tables of files: ALTER TABLE … PARTITION, MSCK REPAIR, SHOW PARTITIONS, TRUNCATE.
#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "io/rename.h"
#include "session/partition_spec.h"
#include "session/statement_run.h"

namespace millstream::session {
namespace {

// What a statement does to the partitions of one table.
class FilePartitions {
 public:
  FilePartitions(Session& session, const ActionContext& context, const TableName& name, Entry entry,
                 std::string directory)
      : session_(session),
        context_(context),
        store_(*session.runtime().store),
        name_(name),
        entry_(std::move(entry)),
        directory_(std::move(directory)) {}

  Status begin(sql::AlterKind kind) {
    if (entry_.partition_by.empty()) return not_partitioned(kind);
    return load();
  }

  Status load() {
    TRY_ASSIGN(schema_, column::schema_from_text(entry_.schema));
    TRY_ASSIGN(there_, partitions_of(store_, directory_, entry_.partition_by));
    std::set<std::string> all;
    for (const auto& [partition, folder] : there_) all.insert(partition);
    known_ = entry_.partitions.value_or(all);
    return Status::OK();
  }

  Status add(const sql::AlterTable& alter) {
    for (std::size_t i = 0; i < alter.partitions.size(); ++i) {
      TRY_ASSIGN(const std::string folder, whole(alter.partitions[i]));
      if (known_.contains(folder) && alter.if_not_exists) continue;
      if (known_.contains(folder))
        return partitions_error("PARTITIONS_ALREADY_EXIST", alter.partitions[i]);
      if (!alter.locations[i].empty()) TRY(place(folder, alter.locations[i]));
      TRY(store_.make_directories(directory_of(folder)));
      known_.insert(folder);
    }
    return save();
  }

  Status drop(const sql::AlterTable& alter) {
    for (const auto& spec : alter.partitions) {
      TRY_ASSIGN(const auto folders, folders_of(spec));
      const std::string folder = join(folders, "/");
      if (known_.erase(folder) == 0) {
        if (alter.if_exists) continue;
        return partitions_error("PARTITIONS_NOT_FOUND", spec);
      }
      // What lies elsewhere is not the table's alone.
      const bool own = entry_.placed.erase(folder) == 0;
      if (!entry_.external && own) TRY(store_.remove_tree(io::join_path(directory_, folder)));
    }
    return save();
  }

  Status rename(const sql::AlterTable& alter) {
    TRY_ASSIGN(const std::string from, whole(alter.partitions[0]));
    TRY_ASSIGN(const std::string to, whole(alter.partitions[1]));
    if (!known_.contains(from))
      return partitions_error("PARTITIONS_NOT_FOUND", alter.partitions[0]);
    if (known_.contains(to))
      return partitions_error("PARTITIONS_ALREADY_EXIST", alter.partitions[1]);
    if (auto placed = entry_.placed.extract(from)) {
      entry_.placed[to] = placed.mapped();
    } else {
      const std::string target = io::join_path(directory_, to);
      TRY(store_.make_directories(std::string(io::parent_path(target))));
      TRY(io::rename_directory(io::join_path(directory_, from), target));
    }
    known_.erase(from);
    known_.insert(to);
    return save();
  }

  // MSCK REPAIR TABLE.
  Status recover(const sql::AlterTable& alter) {
    for (const auto& [partition, folder] : there_) {
      if (!alter.adds || !known_.insert(partition).second) continue;
      // The folder may write the columns' names otherwise.
      if (folder != partition) entry_.placed[partition] = io::join_path(directory_, folder);
    }
    if (alter.drops) {
      std::erase_if(known_, [&](const auto& partition) {
        return !there_.contains(partition) && !entry_.placed.contains(partition);
      });
    }
    return save();
  }

  Status truncate(const sql::PartitionSpec& spec) {
    TRY_ASSIGN(const auto folders, folders_of(spec));
    for (const auto& partition : known_) {
      if (!lies_in(partition, folders)) continue;
      const std::string folder = directory_of(partition);
      TRY(store_.remove_tree(folder));
      TRY(store_.make_directories(folder));
    }
    return Status::OK();
  }

  Result<std::vector<std::string>> shown(const sql::PartitionSpec& spec) {
    TRY_ASSIGN(const auto folders, folders_of(spec));
    std::vector<std::string> out;
    for (const auto& partition : known_) {
      if (lies_in(partition, folders)) out.push_back(partition);
    }
    return out;
  }

  Status location(const sql::AlterTable& alter) {
    TRY_ASSIGN(const std::string folder, whole(alter.partitions[0]));
    if (!known_.contains(folder))
      return partitions_error("PARTITIONS_NOT_FOUND", alter.partitions[0]);
    TRY(place(folder, alter.location));
    return save();
  }

  // SET LOCATION of the table: its partitions stay where they are.
  Status move(const std::string& location) {
    for (const auto& partition : known_)
      entry_.placed.emplace(partition, io::join_path(directory_, partition));
    entry_.location = location;
    return save();
  }

 private:
  std::string directory_of(const std::string& partition) const {
    const auto placed = entry_.placed.find(partition);
    return placed == entry_.placed.end() ? io::join_path(directory_, partition) : placed->second;
  }

  Status place(const std::string& partition, const std::string& location) {
    const bool relative = !location.starts_with('/') && location.find(':') == std::string::npos;
    TRY_ASSIGN(const std::string path,
               io::store_path(relative ? io::join_path(directory_, location) : location));
    for (const auto& [other, directory] : entry_.placed) {
      if (other != partition && directory == path)
        return Status::unsupported("two partitions in one folder, {}", path);
    }
    entry_.placed[partition] = path;
    return Status::OK();
  }

  Status not_partitioned(sql::AlterKind kind) const {
    if (kind == sql::AlterKind::recover_partitions) {
      return Status::error("NOT_A_PARTITIONED_TABLE", {{"operation", "MSCK REPAIR TABLE"},
                                                       {"tableIdentWithDB", name_.quoted()}});
    }
    const char* verb = kind == sql::AlterKind::add_partitions    ? "ADD"
                       : kind == sql::AlterKind::drop_partitions ? "DROP"
                                                                 : "RENAME";
    const std::string action = fmt::format("ALTER TABLE {} PARTITION", verb);
    return legacy_error(
        ErrorKind::analysis, "_LEGACY_ERROR_TEMP_1251",
        {{"action", action}, {"tableName", name_.table}},
        fmt::format("{} is not allowed on {} since it is not partitioned.", action, name_.table));
  }

  Status save() {
    entry_.partitions = known_;
    return session_.runtime().warehouse->put_entry(name_, entry_);
  }

  Result<std::vector<std::string>> folders_of(const sql::PartitionSpec& spec) {
    for (const auto& [column, value] : spec) {
      const bool known =
          std::any_of(entry_.partition_by.begin(), entry_.partition_by.end(),
                      [&](const auto& by) { return equals_ignore_case(by, column); });
      if (known) continue;
      return Status::error("PARTITIONS_NOT_FOUND", {{"partitionList", quote_identifier(column)},
                                                    {"tableName", name_.quoted()}});
    }
    return partition_folders(session_, spec, schema_, entry_.partition_by, context_);
  }

  // Of a spec with all columns.
  Result<std::string> whole(const sql::PartitionSpec& spec) {
    TRY_ASSIGN(const auto folders, folders_of(spec));
    if (folders.size() == entry_.partition_by.size()) return join(folders, "/");
    std::vector<std::string> given;
    for (const auto& one : spec) given.push_back(one.first);
    const std::string keys = join(given, ", ");
    const std::string columns = join(entry_.partition_by, ", ");
    return legacy_error(
        ErrorKind::analysis, "_LEGACY_ERROR_TEMP_1232",
        {{"specKeys", keys}, {"partitionColumnNames", columns}, {"tableName", name_.quoted()}},
        fmt::format("Partition spec is invalid. The spec ({}) must match the "
                    "partition spec ({}) defined in table '{}'.",
                    keys, columns, name_.quoted()));
  }

  Status partitions_error(const char* condition, const sql::PartitionSpec& spec) {
    TRY_ASSIGN(const auto folders, folders_of(spec));
    std::vector<std::string> shown;
    for (const auto& folder : folders) {
      const auto at = folder.find('=');
      shown.push_back(quote_identifier(folder.substr(0, at)) + " = " + folder.substr(at + 1));
    }
    return Status::error(condition,
                         {{"partitionList", "PARTITION (" + join(shown, ", ") + ")"},
                          {"tableName", quote_identifiers({name_.database, name_.table})}});
  }

  Session& session_;
  const ActionContext& context_;
  io::Store& store_;
  const TableName& name_;
  Entry entry_;
  const std::string directory_;
  column::Schema schema_;
  std::set<std::string> known_;               // the table's
  std::map<std::string, std::string> there_;  // those below it, and their folders
};

}  // namespace

Status StatementRun::alter_partitions(const sql::AlterTable& alter, const Target& target) {
  FilePartitions partitions(session_, context_, *target.name, *target.entry, target.directory);
  TRY(partitions.begin(alter.kind));
  switch (alter.kind) {
    case sql::AlterKind::add_partitions:
      return partitions.add(alter);
    case sql::AlterKind::drop_partitions:
      return partitions.drop(alter);
    case sql::AlterKind::rename_partition:
      return partitions.rename(alter);
    case sql::AlterKind::recover_partitions:
      return partitions.recover(alter);
    default:
      return partitions.location(alter);
  }
}

Status StatementRun::move_file_table(const Target& target, const std::string& location) {
  FilePartitions partitions(session_, context_, *target.name, *target.entry, target.directory);
  TRY(partitions.load());
  return partitions.move(location);
}

Result<std::vector<std::string>> StatementRun::file_partitions(const sql::PartitionSpec& spec,
                                                               const Target& target) {
  FilePartitions partitions(session_, context_, *target.name, *target.entry, target.directory);
  TRY(partitions.load());
  return partitions.shown(spec);
}

Status StatementRun::truncate_files(const Target& target, const sql::PartitionSpec& partition) {
  if (target.entry->external) {
    return Status::unsupported("TRUNCATE TABLE of an external table of format {} is not supported",
                               target.entry->provider);
  }
  if (!partition.empty()) {
    FilePartitions partitions(session_, context_, *target.name, *target.entry, target.directory);
    TRY(partitions.load());
    return partitions.truncate(partition);
  }
  TRY(warehouse_.store()->remove_tree(target.directory));
  return warehouse_.store()->make_directories(target.directory);
}

}  // namespace millstream::session
