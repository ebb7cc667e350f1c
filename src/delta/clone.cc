#include "delta/clone.h"

#include <algorithm>

#include "base/random.h"
#include "base/text.h"
#include "delta/alter.h"
#include "delta/commit_files.h"
#include "delta/deletion_vector.h"
#include "delta/features.h"
#include "delta/log.h"
#include "delta/log_state.h"
#include "delta/retry.h"
#include "delta/row_tracking.h"

namespace millstream::delta {
namespace {

// As it can stand in another table's log.
Result<AddFilePtr> from_outside(const std::string& table, const AddFile& file) {
  AddFile out = file;
  out.path = io::to_uri(resolve_path(table, file.path));
  out.data_change = true;
  const auto& vector = file.deletion_vector;
  if (vector != nullptr && vector->storage_type != "i") {
    DeletionVector absolute = *vector;
    absolute.storage_type = "p";
    TRY_ASSIGN(const std::string path, deletion_vector_path(table, *vector));
    absolute.path_or_inline = io::to_uri(path);
    out.deletion_vector = std::make_shared<const DeletionVector>(std::move(absolute));
  }
  return std::make_shared<const AddFile>(std::move(out));
}

// The source's metadata under the clone's name.
Result<Metadata> metadata_of(const CloneSource& source, const Snapshot* there,
                             const std::map<std::string, std::string>& properties) {
  Metadata out = source.snapshot->metadata();
  out.id = there == nullptr ? new_uuid() : there->metadata().id;
  out.name = there == nullptr ? std::nullopt : there->metadata().name;
  out.description = there == nullptr ? std::nullopt : there->metadata().description;
  TRY_ASSIGN(const auto checked, check_properties(properties));
  for (const auto& [key, value] : checked) out.configuration[key] = value;
  return out;
}

void add_notes(const CloneSource& source, const Cloned& done, Transaction& txn) {
  txn.operation = "CLONE";
  txn.parameters = fmt::format(R"({{"source":{},"sourceVersion":{}}})",
                               json_quote(source.format + ".`" + io::to_uri(source.table) + "`"),
                               source.snapshot->version());
  const auto put = [&](const char* name, std::int64_t value) {
    txn.metrics.emplace_back(name, fmt::to_string(value));
  };
  put("removedFilesSize", 0);
  put("numRemovedFiles", 0);
  put("sourceTableSize", done.bytes);
  put("numCopiedFiles", 0);
  put("copiedFilesSize", 0);
  put("sourceNumOfFiles", done.files);
}

}  // namespace

Result<CloneSource> parquet_source(const std::shared_ptr<io::Store>& store,
                                   const ParquetFolder& folder, const CancelToken* cancel) {
  TRY_ASSIGN(auto files, converted_files(store, folder, cancel));
  if (files.adds.empty()) return Status::error("UNABLE_TO_INFER_SCHEMA", {{"format", "Parquet"}});
  TRY_ASSIGN(const auto info, make_table_info(files.metadata));
  LogState state(folder.directory);
  TRY(state.apply_action(protocol_for(info->schema, {})));
  TRY(state.apply_action(std::move(files.metadata)));
  for (auto& add : files.adds) TRY(state.apply_action(std::move(add)));
  TRY_ASSIGN(auto snapshot, state.freeze());
  return CloneSource{folder.directory, std::move(snapshot), "parquet"};
}

namespace {

Result<Cloned> clone_once(const std::shared_ptr<io::Store>& store, const CloneSource& source,
                          const std::string& table,
                          const std::map<std::string, std::string>& properties) {
  const Snapshot& from = *source.snapshot;
  TRY(check_writable(from.protocol(), from.info(), source.table, true, true));
  const auto log = Log::shared(store, table);
  TRY_ASSIGN(const SnapshotPtr there, log->latest());
  if (there != nullptr) {
    TRY(check_writable(there->protocol(), there->info(), table, true, true));
    if (there->files().size() > 0) return Status::error("DELTA_UNSUPPORTED_NON_EMPTY_CLONE");
  }
  Transaction txn;
  txn.read = there;
  txn.read_whole_table = true;
  TRY_ASSIGN(txn.metadata, metadata_of(source, there.get(), properties));
  TRY_ASSIGN(const auto info, make_table_info(*txn.metadata));
  const Protocol base =
      there == nullptr ? from.protocol() : joined(there->protocol(), from.protocol());
  txn.protocol = upgraded(base, info->schema, properties);
  name_row_ids(*txn.protocol, Metadata(), *txn.metadata);
  for (const auto& [name, domain] : from.domains()) txn.domains.push_back(domain);
  if (there != nullptr && !clustering_columns(from)) {
    if (auto ended = clustering_ended(*there)) txn.domains.push_back(*std::move(ended));
  }
  Cloned done;
  std::vector<AddFilePtr> files;
  from.files().for_each([&](const AddFilePtr& file) { files.push_back(file); });
  for (const auto& file : files) {
    TRY_ASSIGN(auto add, from_outside(source.table, *file));
    txn.adds.push_back(std::move(add));
    ++done.files;
    done.bytes += file->size;
  }
  add_notes(source, done, txn);
  TRY(check_transaction(txn, *info));
  TRY(commit(*log, txn).status());
  log->wait_for_checkpoints();
  return done;
}

}  // namespace

Result<Cloned> clone_table(const std::shared_ptr<io::Store>& store, const CloneSource& source,
                           const std::string& table,
                           const std::map<std::string, std::string>& properties) {
  return retried([&] { return clone_once(store, source, table, properties); });
}

}  // namespace millstream::delta
