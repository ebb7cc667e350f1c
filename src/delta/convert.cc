#include "delta/convert.h"

#include <algorithm>

#include "base/clock.h"
#include "base/random.h"
#include "base/text.h"
#include "conc/thread_pool.h"
#include "delta/features.h"
#include "delta/file_stats.h"
#include "delta/schema_rules.h"
#include "delta/transaction.h"
#include "delta/values.h"
#include "format/file_columns.h"
#include "format/files.h"
#include "format/parquet.h"

namespace millstream::delta {
namespace {

using format::FoundFile;

constexpr const char* null_name = "__HIVE_DEFAULT_PARTITION__";

std::string shown_names(const std::vector<std::string>& names) {
  std::vector<std::string> quoted;
  for (const auto& name : names) quoted.push_back('`' + name + '`');
  return '[' + join(quoted, ", ") + ']';
}

std::vector<std::string> names_of(const column::Schema& fields) {
  std::vector<std::string> out;
  for (const auto& field : fields) out.push_back(field.name);
  return out;
}

// "IntegerType", "DecimalType(10,2)": as Scala prints a type.
std::string scala_name(const column::DataType& type) {
  std::string name = type.to_json();
  std::erase(name, '"');
  const std::size_t arguments = std::min(name.find('('), name.size());
  std::string out;
  bool upper = true;
  for (const char c : name.substr(0, arguments)) {
    out += upper ? to_upper(std::string(1, c)) : std::string(1, c);
    upper = c == '_';
  }
  std::erase(out, '_');
  return out + "Type" + name.substr(arguments);
}

// The values that the folders above a file give the partition columns.
Result<PartitionValues> partition_values(const FoundFile& file, const ParquetFolder& folder) {
  const auto segments = format::partition_segments(folder.directory, file.info.path);
  const auto& expected = folder.partitions;
  const std::string uri = io::to_uri(file.info.path);
  if (segments.size() != expected.size()) {
    std::vector<std::string> parsed;
    for (const auto& segment : segments) parsed.push_back(segment.name);
    return Status::error("DELTA_UNEXPECTED_NUM_PARTITION_COLUMNS_FROM_FILE_NAME",
                         {{"expectedColsSize", fmt::to_string(expected.size())},
                          {"expectedCols", shown_names(names_of(expected))},
                          {"parsedColsSize", fmt::to_string(parsed.size())},
                          {"parsedCols", shown_names(parsed)},
                          {"path", uri}});
  }
  PartitionValues out;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const auto& [name, value] = segments[i];
    const column::Field& field = expected[i];
    if (!equals_ignore_case(name, field.name)) {
      return Status::error("DELTA_UNEXPECTED_PARTITION_COLUMN_FROM_FILE_NAME",
                           {{"expectedCol", '`' + field.name + '`'},
                            {"parsedCol", '`' + name + '`'},
                            {"path", uri}});
    }
    out[field.name] = std::nullopt;
    if (value == null_name) continue;
    const auto constant = format::partition_value(field, value, folder.time_zone);
    if (!constant.ok() || constant->value == nullptr) {
      return Status::error("DELTA_FAILED_CAST_PARTITION_VALUE",
                           {{"value", value}, {"dataType", scala_name(*field.type)}});
    }
    TRY_ASSIGN(out[field.name], partition_text(field, *constant->value));
  }
  return out;
}

// The columns of all files, in the order in which they come.
Result<column::Schema> merged_schema(const std::vector<FoundFile>& files,
                                     const std::vector<format::ParquetFooter>& footers) {
  TableInfo merged;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (i == 0) {
      merged.schema = footers[i].schema;
      continue;
    }
    auto both = schema_after_write(merged, footers[i].schema, true, CastRule::merge_types);
    if (!both.ok()) {
      return Status::error("DELTA_FAILED_MERGE_SCHEMA_FILE",
                           {{"file", io::to_uri(files[i].info.path)},
                            {"schema", tree_string(footers[i].schema)}})
          .with_cause(both.status());
    }
    merged.schema = *std::move(both);
  }
  return merged.schema;
}

// A partition column that the files have too stays where it is.
void add_partitions(const column::Schema& partitions, column::Schema& schema) {
  for (const auto& partition : partitions) {
    const int index = column::find_field_ignore_case(schema, partition.name);
    if (index < 0) {
      schema.push_back(partition);
    } else {
      schema[static_cast<std::size_t>(index)] = partition;
    }
  }
}

Result<std::string> stats_of(const std::shared_ptr<io::Store>& store, const std::string& path,
                             const TableInfo& info, const CancelToken* cancel) {
  column::Schema columns;
  for (std::size_t i = 0; i < info.schema.size(); ++i) {
    if (!info.is_partition_column(i)) columns.push_back(info.schema[i]);
  }
  TRY_ASSIGN(const auto reader, format::ParquetReader::open(store, path, columns));
  FileStatsGatherer gatherer(info);
  for (;;) {
    if (cancel != nullptr) TRY(cancel->check());
    TRY_ASSIGN(const auto batch, reader->next());
    if (batch == nullptr) return gatherer.json();
    TRY(gatherer.add(batch));
  }
}

std::string relative_path(const std::string& directory, const std::string& path) {
  return percent_encode_path(std::string_view(path).substr(directory.size() + 1));
}

std::string parameters_of(const Conversion& conversion, std::size_t files) {
  std::vector<std::string> columns;
  for (const auto& field : conversion.folder.partitions) {
    if (conversion.partitions_given) columns.push_back(json_quote(field.name));
  }
  const std::string table =
      conversion.catalog_table.empty()
          ? ""
          : fmt::format(R"("catalogTable":{},)", json_quote(conversion.catalog_table));
  return fmt::format(
      R"({{"numFiles":{},"partitionedBy":{},"collectStats":{},{}"sourceFormat":"parquet"}})", files,
      json_quote('[' + join(columns, ",") + ']'), conversion.folder.statistics, table);
}

}  // namespace

Result<ConvertedFiles> converted_files(const std::shared_ptr<io::Store>& store,
                                       const ParquetFolder& folder, const CancelToken* cancel) {
  format::ListOptions options;
  options.glob_paths = false;
  TRY_ASSIGN(const auto files, format::list_files(store, {folder.directory}, options));
  ConvertedFiles out;
  if (files.empty()) return out;
  std::vector<format::ParquetFooter> footers(files.size());
  std::vector<PartitionValues> values(files.size());
  const auto look_at = [&](std::size_t i) -> Status {
    if (cancel != nullptr) TRY(cancel->check());
    TRY_ASSIGN(values[i], partition_values(files[i], folder));
    TRY_ASSIGN(footers[i], format::read_parquet_footer(store, files[i].info.path));
    return Status::OK();
  };
  TRY(shared_pool().run_all(files.size(), look_at));
  TRY_ASSIGN(auto schema, merged_schema(files, footers));
  add_partitions(folder.partitions, schema);
  TRY(check_column_names(schema, "during convert to Delta"));
  out.metadata.schema_string = column::struct_type(schema)->to_json();
  TRY_ASSIGN(out.metadata.partition_columns,
             check_partition_columns(schema, names_of(folder.partitions)));
  TRY_ASSIGN(const auto info, make_table_info(out.metadata));
  out.adds.resize(files.size());
  const auto add_file = [&](std::size_t i) -> Status {
    AddFile add;
    add.path = relative_path(folder.directory, files[i].info.path);
    add.partition_values = std::move(values[i]);
    add.size = files[i].info.size;
    add.modification_time = files[i].info.modified_us / 1000;
    if (folder.statistics) {
      TRY_ASSIGN(add.stats, stats_of(store, files[i].info.path, *info, cancel));
    }
    out.adds[i] = std::make_shared<const AddFile>(std::move(add));
    return Status::OK();
  };
  TRY(shared_pool().run_all(files.size(), add_file));
  for (const auto& add : out.adds) out.bytes += add->size;
  return out;
}

Status convert_to_delta(const std::shared_ptr<io::Store>& store, const Conversion& conversion,
                        const CancelToken* cancel) {
  const std::string& directory = conversion.folder.directory;
  TRY_ASSIGN(auto files, converted_files(store, conversion.folder, cancel));
  if (files.adds.empty()) return Status::error("DELTA_EMPTY_DIRECTORY", {{"directory", directory}});
  Transaction txn;
  txn.metadata = std::move(files.metadata);
  txn.metadata->id = new_uuid();
  txn.metadata->created_time = SystemClock().now_ms();
  TRY_ASSIGN(txn.metadata->configuration, check_properties(conversion.properties));
  TRY_ASSIGN(const auto info, make_table_info(*txn.metadata));
  txn.protocol = protocol_for(info->schema, conversion.properties);
  txn.adds = std::move(files.adds);
  txn.read_whole_table = true;
  txn.operation = "CONVERT";
  txn.parameters = parameters_of(conversion, txn.adds.size());
  txn.metrics.emplace_back("numConvertedFiles", fmt::to_string(txn.adds.size()));
  TRY(check_transaction(txn, *info));
  const auto log = Log::shared(store, directory);
  TRY(commit(*log, txn).status());
  log->wait_for_checkpoints();
  return Status::OK();
}

}  // namespace millstream::delta
