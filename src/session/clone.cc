// CREATE TABLE … SHALLOW CLONE of Delta tables.
#include "delta/clone.h"

#include "base/text.h"
#include "delta/log.h"
#include "delta/table.h"
#include "delta/write.h"
#include "session/insert.h"
#include "session/statement_run.h"
#include "session/time_travel.h"

namespace millstream::session {
namespace {

ResultTable answer() {
  ResultTable table;
  for (const char* name : {"source_table_size", "source_num_of_files", "num_removed_files",
                           "num_copied_files", "removed_files_size", "copied_files_size"}) {
    table.column(name, CellType::number);
  }
  return table;
}

Status unsupported_source(const std::string& name, const std::string& format) {
  return Status::error("DELTA_CLONE_UNSUPPORTED_SOURCE", {{"name", name}, {"format", format}});
}

// The reference says so of a path, whatever there is.
Status clone_is_there(const std::optional<TableName>& name, const std::string& directory) {
  if (name) return Status::error("DELTA_TABLE_ALREADY_EXISTS", {{"tableName", name->quoted()}});
  return Status::error(
      "DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION",
      {{"tableId", quote_identifiers({"delta", directory})}, {"tableLocation", directory}});
}

}  // namespace

Result<delta::CloneSource> StatementRun::parquet_clone(delta::ParquetFolder folder) const {
  folder.statistics = false;
  folder.time_zone = session_.conf().time_zone();
  return delta::parquet_source(warehouse_.store(), folder, context_.cancel);
}

Result<delta::CloneSource> StatementRun::clone_source(const sql::Clone& clone) const {
  const bool of_parquet = clone.source.size() == 2 &&
                          equals_ignore_case(clone.source[0], "parquet") &&
                          clone.source[1].find('/') != std::string::npos;
  if (of_parquet && !clone.version && clone.timestamp.empty()) {
    TRY_ASSIGN(const std::string directory, io::store_path(clone.source[1]));
    return parquet_clone({directory, {}});
  }
  auto target = target_of(clone.source, "CLONE");
  if (target.status().is("EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE")) {
    TRY_ASSIGN(const TableName name, session_.table_name(clone.source));
    return unsupported_source("spark_catalog." + name.database + "." + name.table, "View");
  }
  TRY(target.status());
  if (!target->is_delta) {
    if (target->entry->provider == "parquet")
      return parquet_clone({target->directory, partitions_of(*target->entry)});
    return unsupported_source(target->shown, "Unknown");
  }
  delta::ReadOptions options;
  options.time_zone = session_.conf().time_zone();
  options.version_as_of = clone.version;
  if (!clone.timestamp.empty()) options.timestamp_as_of = clone.timestamp;
  TRY_ASSIGN(const auto table,
             delta::DeltaTable::open(warehouse_.store(), target->directory, options));
  TRY_ASSIGN(
      auto snapshot,
      delta::Log::shared(warehouse_.store(), target->directory)->at_version(table->version()));
  TRY(check_within_retention(session_.conf(), warehouse_.store(), target->directory, *snapshot));
  return delta::CloneSource{target->directory, std::move(snapshot)};
}

StatementRun::Outcome StatementRun::clone_table(const sql::CreateTable& create) {
  TRY_ASSIGN(const auto source, clone_source(*create.clone));
  TRY_ASSIGN(std::string directory, insert_directory(session_, create.name));
  const bool by_path = create.name.size() == 2 && equals_ignore_case(create.name[0], "delta") &&
                       create.name[1].find('/') != std::string::npos;
  std::optional<TableName> name;
  bool taken = false;
  if (by_path) {
    TRY_ASSIGN(taken, delta::is_delta_table(warehouse_.store(), directory));
  } else {
    TRY_ASSIGN(name, session_.table_name(create.name));
    TRY(Warehouse::check_name(*name));
    TRY(require_database(name->database));
    TRY_ASSIGN(taken, warehouse_.is_taken(*name));
    TRY_ASSIGN(const auto entry, warehouse_.entry(*name));
    if (entry && create.replace && (entry->view || entry->provider != "delta")) {
      return Status::unsupported(
          "a clone in the place of {} is not supported: it is {}; drop it first", name->quoted(),
          entry->view ? "a view" : "a table of " + entry->provider + " files");
    }
  }
  if (taken && create.if_not_exists) return finish(answer());
  if (taken && !create.replace) return clone_is_there(name, directory);
  if (create.must_exist && !taken) {
    return Status::error(
        "DELTA_CANNOT_REPLACE_MISSING_TABLE",
        {{"tableName", name ? name->database + "." + name->table : join(create.name, ".")}});
  }
  const bool external = !create.location.empty() && !taken;
  if (taken && !by_path) {
    TRY_ASSIGN(const Target target, changed_table(create.name, "CREATE TABLE"));
    directory = target.directory;
  } else if (external) {
    TRY_ASSIGN(directory, io::store_path(create.location));
  }
  TRY_ASSIGN(const auto done,
             delta::clone_table(warehouse_.store(), source, directory, create.properties));
  if (external && name) {
    Entry entry;
    entry.provider = "delta";
    entry.location = directory;
    entry.external = true;
    TRY(warehouse_.put_entry(*name, entry));
  }
  ResultTable table = answer();
  table.row({number(done.bytes), number(done.files), number(0), number(0), number(0), number(0)});
  return finish(table);
}

}  // namespace millstream::session
