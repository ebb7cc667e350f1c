#include "loader/definition.h"

#include <algorithm>

#include "base/failpoint.h"
#include "base/text.h"
#include "column/unique_names.h"
#include "format/files.h"
#include "format/json_infer.h"
#include "format/json_reader.h"

namespace millstream::loader {
namespace {

using column::Schema;

Result<std::string> input_path(const Options& options, const std::vector<std::string>& paths) {
  std::vector<std::string> given = paths;
  if (const std::string* path = options.find("path")) given.push_back(*path);
  std::sort(given.begin(), given.end());
  given.erase(std::unique(given.begin(), given.end()), given.end());
  if (given.empty())
    return Status::plain(ErrorKind::illegal_argument,
                         "cloudFiles needs a path to read: load(path)");
  if (given.size() > 1)
    return Status::unsupported("cloudFiles reads one path; {} were given", given.size());
  return io::store_path(given[0]);
}

Result<DiscoveryRules> discovery_rules(const std::string& path, const LoaderOptions& options) {
  TRY_ASSIGN(Globber globber, Globber::compile(path, options.strict_globber));
  DiscoveryRules rules{std::move(globber), std::nullopt, options.listing.modified_after_us,
                       options.listing.modified_before_us, options.allow_overwrites};
  if (options.listing.glob_filter) {
    TRY_ASSIGN(rules.name_filter, format::Glob::compile(*options.listing.glob_filter));
  }
  return rules;
}

// The newest files, as many as the limits allow and at least one, the newest first: its spelling of
// a name wins.
std::vector<io::FileInfo> sample_of(std::vector<io::FileInfo> files, const LoaderOptions& options) {
  std::sort(files.begin(), files.end(), [](const io::FileInfo& a, const io::FileInfo& b) {
    return a.modified_us != b.modified_us ? a.modified_us > b.modified_us : a.path < b.path;
  });
  std::size_t count = 0;
  std::int64_t bytes = 0;
  while (count < files.size() &&
         static_cast<std::int64_t>(count) < std::max<std::int64_t>(options.sample_files, 1)) {
    bytes += files[count].size;
    if (count > 0 && bytes > options.sample_bytes) break;
    ++count;
  }
  files.resize(count);
  return files;
}

Result<Schema> partition_schema(const std::vector<io::FileInfo>& files,
                                const Definition& definition) {
  const LoaderOptions& options = definition.options;
  if (options.partition_columns && options.partition_columns->empty()) return Schema{};
  format::PartitionRules rules;
  rules.infer_types = options.infer_types;
  rules.lenient = true;
  rules.names = options.partition_columns;
  rules.time_zone = definition.env.time_zone;
  for (const auto& hint : options.hints) {
    if (hint.path.size() == 1) rules.types.push_back({hint.path[0], hint.type, true, {}});
  }
  std::vector<format::FoundFile> found;
  for (const auto& file : files) found.push_back({file, definition.discovery.globber.base()});
  TRY_ASSIGN(auto partitioned, format::discover_partitions(std::move(found), rules));
  return column::as_nullable(partitioned.columns);
}

// Spark's error for files that have no columns, with what they have instead.
Status no_columns(const std::vector<io::FileInfo>& sample, std::int64_t records) {
  ErrorInfo info = Status::error("UNABLE_TO_INFER_SCHEMA", {{"format", "JSON"}}).info();
  const std::string others =
      sample.size() > 1 ? fmt::format(" and {} more files", sample.size() - 1) : "";
  info.message += fmt::format(
      " {}{} hold {}: give the schema with schema(...) or cloudFiles.schemaHints, or start when "
      "there are files with JSON objects",
      io::to_uri(sample[0].path), others,
      records == 0 ? "no record" : "no JSON object that has fields");
  return Status(std::move(info));
}

bool is_hinted(const LoaderOptions& options, const std::string& column) {
  return std::any_of(options.hints.begin(), options.hints.end(),
                     [&](const Hint& hint) { return equals_ignore_case(hint.path[0], column); });
}

// The rescued column must not take the place of one that the files or their paths have.
Status check_rescued_column(const LoaderOptions& options, const Schema& columns) {
  const std::string& rescued = options.rescued_column;
  if (rescued.empty() || column::find_field_ignore_case(columns, rescued) < 0 ||
      is_hinted(options, rescued)) {
    return Status::OK();
  }
  ErrorInfo info =
      Status::error("COLUMN_ALREADY_EXISTS", {{"columnName", "`" + to_lower(rescued) + "`"}})
          .info();
  info.message +=
      " The files have this column and the rescued data would go there too: set the option "
      "rescuedDataColumn to another name";
  return Status(std::move(info));
}

Status infer(Definition* definition) {
  const LoaderOptions& options = definition->options;
  TRY_ASSIGN(auto files, discover(*definition->env.store, definition->discovery, nullptr, nullptr));
  const auto sample = sample_of(std::move(files), options);
  if (sample.empty())
    return Status::error("CF_EMPTY_DIR_FOR_SCHEMA_INFERENCE", {{"path", definition->input}});

  format::JsonOptions json = options.json;
  json.primitives_as_string = json.primitives_as_string || !options.infer_types;
  TRY_ASSIGN(auto inferred, format::infer_json_schema(definition->env.store, sample, json, true));
  // The column of unreadable records is there only where a hint asks for it.
  std::erase_if(inferred.schema, [&](const column::Field& field) {
    return field.name == options.json.corrupt_column;
  });
  TRY(check_rescued_column(options, inferred.schema));
  definition->data = options.infer_types ? column::as_nullable(inferred.schema)
                                         : as_strings(inferred.schema, options.hints);
  TRY_ASSIGN(definition->partitions, partition_schema(sample, *definition));
  for (const auto& hint : options.hints) {
    const bool of_path = column::find_field_ignore_case(definition->partitions, hint.path[0]) >= 0;
    if (of_path && hint.path.size() == 1) continue;
    TRY_ASSIGN(definition->data, apply_hint(definition->data, hint));
  }
  if (definition->data.empty()) return no_columns(sample, inferred.records);
  return column::check_unique_names(definition->data);
}

// The newest recorded schema; the inferred one is recorded when there is none.
Status track(Definition* definition) {
  const std::string& location = definition->options.schema_location;
  if (location.empty())
    return Status::error("CF_SCHEMA_LOCATION_REQUIRED", {{"path", definition->input}});
  const SchemaLog log(definition->env.store, location);
  TRY_ASSIGN(auto newest, log.newest());
  if (!newest) {
    TRY(infer(definition));
    const Status recorded = log.append({0, definition->data, definition->partitions});
    if (recorded.ok()) return failpoints::pass("loader.after_first_schema");
    if (!recorded.is(ErrorKind::already_exists)) return recorded;
    TRY_ASSIGN(newest, log.newest());  // another definition of the stream was first
    if (!newest) return recorded;
  }
  definition->data = std::move(newest->data);
  definition->partitions = std::move(newest->partitions);
  return Status::OK();
}

Schema table_schema(const Definition& definition) {
  Schema table = definition.data;
  for (auto& field : table) {
    const int index = column::find_field_ignore_case(definition.partitions, field.name);
    if (index >= 0) field.type = definition.partitions[static_cast<std::size_t>(index)].type;
  }
  const std::string& rescued = definition.options.rescued_column;
  if (!rescued.empty() && column::find_field_ignore_case(table, rescued) < 0) {
    table.push_back({rescued, column::string_type(), true, {}});
  }
  for (const auto& field : definition.partitions) {
    if (column::find_field_ignore_case(table, field.name) < 0) table.push_back(field);
  }
  return table;
}

}  // namespace

Result<std::shared_ptr<const Definition>> define(const std::string& schema_text,
                                                 const Options& options,
                                                 const std::vector<std::string>& paths,
                                                 const LoaderEnv& env) {
  TRY_ASSIGN(const std::string path, input_path(options, paths));
  const bool schema_given = !trim(schema_text).empty();
  TRY_ASSIGN(LoaderOptions parsed, parse_loader_options(options, schema_given, env));
  TRY_ASSIGN(DiscoveryRules rules, discovery_rules(path, parsed));
  auto definition = std::make_shared<Definition>(Definition{
      env, std::move(parsed), std::move(rules), io::to_uri(path), schema_given, {}, {}, {}});
  if (schema_given) {
    TRY_ASSIGN(const Schema schema, column::schema_from_text(schema_text));
    TRY(column::check_unique_names(schema));
    definition->data = column::as_nullable(schema);
  } else {
    TRY(track(definition.get()));
    TRY(check_rescued_column(definition->options, definition->data));
    TRY(check_rescued_column(definition->options, definition->partitions));
  }
  definition->table = table_schema(*definition);
  TRY(format::check_json_scan({definition->table, {}, definition->options.json, {}, {}}));
  return std::shared_ptr<const Definition>(std::move(definition));
}

std::set<std::string> names_that_are_not_new(const Definition& definition) {
  std::set<std::string> names = {to_lower(definition.options.json.corrupt_column)};
  if (!definition.options.rescued_column.empty())
    names.insert(to_lower(definition.options.rescued_column));
  for (const auto& field : definition.partitions) names.insert(to_lower(field.name));
  return names;
}

}  // namespace millstream::loader
