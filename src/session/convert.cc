// CONVERT TO DELTA and GENERATE.
#include "delta/convert.h"

#include "base/text.h"
#include "delta/manifest.h"
#include "delta/schema_rules.h"
#include "delta/write.h"
#include "session/statement_run.h"
#include "session/upkeep.h"

namespace millstream::session {
namespace {

constexpr const char* manifest_mode = "symlink_format_manifest";

bool is_absolute(const std::string& name) {
  return name.starts_with('/') || name.find(":/") != std::string::npos;
}

Status no_parquet(const std::string& source, const std::string& table) {
  return Status::error("DELTA_CONVERT_NON_PARQUET_TABLE",
                       {{"sourceName", source}, {"tableId", table}});
}

// The columns that the statement gives; nothing: it gives none.
Result<std::optional<column::Schema>> given_partitions(const sql::ConvertToDelta& convert) {
  if (!convert.partitions) return std::optional<column::Schema>();
  TRY_ASSIGN(auto columns, column::parse_schema(*convert.partitions));
  return std::optional<column::Schema>(std::move(columns));
}

}  // namespace

column::Schema partitions_of(const Entry& entry) {
  column::Schema out;
  const auto schema = column::schema_from_json(entry.schema);
  for (const auto& name : entry.partition_by) {
    const int index = schema.ok() ? column::find_field_ignore_case(*schema, name) : -1;
    if (index >= 0) out.push_back((*schema)[static_cast<std::size_t>(index)]);
  }
  return out;
}

// Files under a path.
Status StatementRun::convert_path(const sql::ConvertToDelta& convert) {
  const std::string& provider = convert.table[0];
  const std::string& path = convert.table[1];
  if (equals_ignore_case(provider, "delta")) return Status::OK();
  if (!equals_ignore_case(provider, "parquet"))
    return no_parquet(provider, quote_identifiers(convert.table));
  delta::Conversion conversion;
  TRY_ASSIGN(conversion.folder.directory, io::store_path(path));
  TRY_ASSIGN(const bool done,
             delta::is_delta_table(warehouse_.store(), conversion.folder.directory));
  if (done) return Status::OK();
  TRY_ASSIGN(auto partitions, given_partitions(convert));
  conversion.partitions_given = partitions.has_value();
  if (partitions) conversion.folder.partitions = *std::move(partitions);
  conversion.folder.statistics = convert.statistics;
  conversion.folder.time_zone = session_.conf().time_zone();
  conversion.properties = new_table_properties(session_.conf(), {});
  return delta::convert_to_delta(warehouse_.store(), conversion, context_.cancel);
}

// A table of the catalog, which is of Delta from then on.
Status StatementRun::convert_entry(const sql::ConvertToDelta& convert, const Target& target) {
  const Entry& entry = *target.entry;
  if (entry.provider != "parquet")
    return no_parquet(entry.provider, quote_identifiers({target.name->table}));
  delta::Conversion conversion;
  conversion.folder.directory = target.directory;
  conversion.folder.partitions = partitions_of(entry);
  conversion.folder.statistics = convert.statistics;
  conversion.folder.time_zone = session_.conf().time_zone();
  conversion.properties = new_table_properties(session_.conf(), entry.properties);
  conversion.catalog_table = target.name->quoted();
  TRY_ASSIGN(const auto given, given_partitions(convert));
  conversion.partitions_given = given.has_value();
  if (given && *column::struct_type(*given) != *column::struct_type(conversion.folder.partitions)) {
    return Status::error(
        "DELTA_UNEXPECTED_PARTITION_SCHEMA_FROM_USER",
        {{"catalogPartitionSchema", delta::tree_string(conversion.folder.partitions)},
         {"userPartitionSchema", delta::tree_string(*given)}});
  }
  TRY_ASSIGN(const bool done, delta::is_delta_table(warehouse_.store(), target.directory));
  if (!done) TRY(delta::convert_to_delta(warehouse_.store(), conversion, context_.cancel));
  if (entry.location.empty()) return warehouse_.drop_entry(*target.name);
  Entry now;
  now.provider = "delta";
  now.location = entry.location;
  now.external = entry.external;
  return warehouse_.put_entry(*target.name, now);
}

StatementRun::Outcome StatementRun::operator()(const sql::ConvertToDelta& convert) {
  if (convert.table.size() == 2 && is_absolute(convert.table[1])) {
    TRY(convert_path(convert));
    return nothing();
  }
  if (convert.table.size() == 1 && is_absolute(convert.table[0]))
    return Status::error("DELTA_MISSING_PROVIDER_FOR_CONVERT", {{"path", convert.table[0]}});
  TRY_ASSIGN(const Target target, target_of(convert.table, "CONVERT TO DELTA"));
  if (!target.is_delta) TRY(convert_entry(convert, target));
  return nothing();
}

StatementRun::Outcome StatementRun::operator()(const sql::Generate& generate) {
  if (to_lower(generate.mode) != manifest_mode) {
    return Status::error("DELTA_MODE_NOT_SUPPORTED",
                         {{"mode", generate.mode}, {"supportedModes", manifest_mode}});
  }
  TRY_ASSIGN(const Target target, maintained_table(generate.table, "GENERATE"));
  const auto log = delta::Log::shared(warehouse_.store(), target.directory);
  TRY_ASSIGN(const auto snapshot, log->latest());
  if (snapshot == nullptr) return session_.relation_not_found(generate.table);
  TRY(delta::write_manifests(*log, *snapshot));
  return nothing();
}

}  // namespace millstream::session
