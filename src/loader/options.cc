#include "loader/options.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "loader/durations.h"

namespace millstream::loader {
namespace {

constexpr std::string_view prefix = "cloudfiles.";
constexpr std::int64_t file_age_least_ms = std::int64_t{14} * 24 * 60 * 60 * 1000;

// Without the prefix, lower case.
constexpr std::array supported = {"format",
                                  "schemalocation",
                                  "schemahints",
                                  "schemaevolutionmode",
                                  "infercolumntypes",
                                  "partitioncolumns",
                                  "includeexistingfiles",
                                  "maxfilespertrigger",
                                  "maxbytespertrigger",
                                  "maxfileage",
                                  "allowoverwrites",
                                  "usestrictglobber",
                                  "validateoptions",
                                  "rescueddatacolumn"};

// Auto Loader's options that Millstream does not have. A value here is the default, which does no
// harm.
struct Refused {
  std::string_view name;
  std::string_view harmless;
};
constexpr std::array refused = {Refused{"backfillinterval", ""},
                                Refused{"cleansource", "off"},
                                Refused{"cleansource.retentionduration", ""},
                                Refused{"cleansource.movedestination", ""},
                                Refused{"cleansource.waitforcompletion", "false"},
                                Refused{"useincrementallisting", "auto|false"},
                                Refused{"usemanagedfileevents", "false"},
                                Refused{"listonstart", "false"},
                                Refused{"usenotifications", "false"},
                                Refused{"fetchparallelism", "1"},
                                Refused{"pathrewrites", ""},
                                Refused{"region", ""},
                                Refused{"restrictnotificationsetuptosameawsaccountid", "false"},
                                Refused{"queueurl", ""},
                                Refused{"awsaccesskey", ""},
                                Refused{"awssecretkey", ""},
                                Refused{"rolearn", ""},
                                Refused{"roleexternalid", ""},
                                Refused{"rolesessionname", ""},
                                Refused{"stsendpoint", ""},
                                Refused{"resourcegroup", ""},
                                Refused{"subscriptionid", ""},
                                Refused{"clientid", ""},
                                Refused{"clientsecret", ""},
                                Refused{"tenantid", ""},
                                Refused{"connectionstring", ""},
                                Refused{"queuename", ""},
                                Refused{"projectid", ""},
                                Refused{"client", ""},
                                Refused{"clientemail", ""},
                                Refused{"privatekey", ""},
                                Refused{"privatekeyid", ""},
                                Refused{"subscription", ""}};

Status check_keys(const Options& options) {
  TRY_ASSIGN(const bool validate, options.get_bool("cloudFiles.validateOptions", true));
  std::vector<std::string> unknown;
  for (const auto& [lower, entry] : options.entries()) {
    if (!lower.starts_with(prefix)) continue;
    const std::string_view name = std::string_view(lower).substr(prefix.size());
    if (std::find(supported.begin(), supported.end(), name) != supported.end()) continue;
    const auto known = std::find_if(refused.begin(), refused.end(),
                                    [&](const Refused& r) { return r.name == name; });
    if (known != refused.end() || name.starts_with("resourcetag.")) {
      const auto harmless =
          split(known != refused.end() ? known->harmless : std::string_view(), '|');
      const std::string value = to_lower(trim(entry.value));
      if (!value.empty() && std::find(harmless.begin(), harmless.end(), value) != harmless.end())
        continue;
      return Status::unsupported("the option '{}' of Auto Loader is not supported by Millstream",
                                 entry.name);
    }
    unknown.push_back(lower);
  }
  if (validate && !unknown.empty()) {
    return Status::error("CF_UNKNOWN_OPTION_KEYS_ERROR", {{"optionList", join(unknown, "\n")}});
  }
  return Status::OK();
}

Status check_format(const Options& options) {
  const std::string* format = options.find("cloudFiles.format");
  if (format == nullptr || trim(*format).empty()) {
    return Status::plain(ErrorKind::analysis,
                         "Please provide the source file format with the option cloudFiles.format");
  }
  const std::string name = to_lower(trim(*format));
  if (name == "json") return Status::OK();
  for (const char* known : {"csv", "xml", "avro", "orc", "parquet", "text", "binaryfile"}) {
    if (name == known) {
      return Status::unsupported(
          "cloudFiles.format '{}' is not supported by Millstream yet; it reads json", *format);
    }
  }
  return Status::plain(
      ErrorKind::analysis,
      fmt::format("cloudFiles.format '{}' is not a format of Auto Loader", *format));
}

Result<EvolutionMode> parse_mode(const Options& options, bool schema_given) {
  const std::string* text = options.find("cloudFiles.schemaEvolutionMode");
  if (text == nullptr) return schema_given ? EvolutionMode::none : EvolutionMode::add_new_columns;
  const std::string name = to_lower(trim(*text));
  if (name == "addnewcolumnswithtypewidening") {
    return Status::unsupported(
        "cloudFiles.schemaEvolutionMode '{}' is not supported by Millstream yet", *text);
  }
  if (name == "addnewcolumns") {
    if (schema_given)
      return Status::error("CF_ADD_NEW_NOT_SUPPORTED", {{"schemaEvolutionMode", *text}});
    return EvolutionMode::add_new_columns;
  }
  if (name == "rescue") return EvolutionMode::rescue;
  if (name == "failonnewcolumns") return EvolutionMode::fail_on_new_columns;
  if (name == "none") return EvolutionMode::none;
  return Status::error(
      "CF_UNSUPPORTED_SCHEMA_EVOLUTION_MODE",
      {{"validModes", "\"addNewColumns\", \"failOnNewColumns\", \"rescue\", \"none\""},
       {"schemaEvolutionMode", *text}});
}

std::string rescued_column_of(const Options& options, bool schema_given, EvolutionMode mode) {
  for (const char* name : {"rescuedDataColumn", "cloudFiles.rescuedDataColumn"}) {
    const std::string* text = options.find(name);
    if (text != nullptr && !trim(*text).empty()) return std::string(trim(*text));
  }
  // Mode rescue promises that nothing is lost, so with a given schema too it needs the column.
  const bool by_default =
      schema_given ? mode == EvolutionMode::rescue : mode != EvolutionMode::none;
  return by_default ? "_rescued_data" : "";
}

Status parse_limits(const Options& options, LoaderOptions* parsed) {
  TRY_ASSIGN(parsed->include_existing, options.get_bool("cloudFiles.includeExistingFiles", true));
  TRY_ASSIGN(parsed->allow_overwrites, options.get_bool("cloudFiles.allowOverwrites", false));
  TRY_ASSIGN(parsed->strict_globber, options.get_bool("cloudFiles.useStrictGlobber", false));
  TRY_ASSIGN(parsed->files_max, options.get_int("cloudFiles.maxFilesPerTrigger", 1000));
  if (parsed->files_max <= 0) {
    return Status::invalid(
        "Invalid value '{}' for option 'cloudFiles.maxFilesPerTrigger', must be a positive integer",
        options.get("cloudFiles.maxFilesPerTrigger", ""));
  }
  if (options.has("cloudFiles.maxBytesPerTrigger")) {
    TRY_ASSIGN(parsed->bytes_soft, options.get_bytes("cloudFiles.maxBytesPerTrigger", 0));
    if (*parsed->bytes_soft <= 0) {
      return Status::invalid(
          "Invalid value '{}' for option 'cloudFiles.maxBytesPerTrigger', must be a positive size",
          options.get("cloudFiles.maxBytesPerTrigger", ""));
    }
  }
  if (const std::string* age = options.find("cloudFiles.maxFileAge")) {
    auto ms = parse_interval_ms(*age);
    if (!ms) ms = parse_time_ms(*age, 1000);
    if (!ms)
      return Status::invalid(
          "option 'cloudFiles.maxFileAge' takes an interval such as '90 days', not '{}'", *age);
    if (*ms < file_age_least_ms) {
      return Status::invalid("option 'cloudFiles.maxFileAge' must be at least 14 days, not '{}'",
                             *age);
    }
    parsed->file_age_max_ms = ms;
  }
  return Status::OK();
}

Status parse_sample(const LoaderEnv& env, LoaderOptions* parsed) {
  Options conf;
  for (const auto& [name, value] : env.conf) {
    if (name.starts_with("spark.databricks.cloudFiles.")) conf.set(name, value);
  }
  constexpr std::string_view sample = "spark.databricks.cloudFiles.schemaInference.sampleSize.";
  TRY_ASSIGN(parsed->sample_files,
             conf.get_int(fmt::format("{}numFiles", sample), parsed->sample_files));
  TRY_ASSIGN(parsed->sample_bytes,
             conf.get_bytes(fmt::format("{}numBytes", sample), parsed->sample_bytes));
  return Status::OK();
}

}  // namespace

Result<LoaderOptions> parse_loader_options(const Options& options, bool schema_given,
                                           const LoaderEnv& env) {
  TRY(check_format(options));
  TRY(check_keys(options));
  LoaderOptions parsed;
  if (const std::string* location = options.find("cloudFiles.schemaLocation");
      location && !location->empty()) {
    TRY_ASSIGN(parsed.schema_location, io::store_path(*location));
  }
  TRY_ASSIGN(parsed.hints, parse_hints(options.get("cloudFiles.schemaHints", "")));
  TRY_ASSIGN(parsed.mode, parse_mode(options, schema_given));
  TRY_ASSIGN(parsed.infer_types, options.get_bool("cloudFiles.inferColumnTypes", false));
  if (const std::string* columns = options.find("cloudFiles.partitionColumns")) {
    parsed.partition_columns.emplace();
    for (const auto& name : split(*columns, ',')) {
      if (!trim(name).empty()) parsed.partition_columns->emplace_back(trim(name));
    }
  }
  parsed.rescued_column = rescued_column_of(options, schema_given, parsed.mode);
  TRY(parse_limits(options, &parsed));
  TRY(parse_sample(env, &parsed));

  TRY_ASSIGN(parsed.json, format::parse_json_options(options, env.time_zone));
  parsed.json.rescued_column = parsed.rescued_column;
  TRY_ASSIGN(parsed.listing, format::parse_list_options(options, env.time_zone));
  return parsed;
}

}  // namespace millstream::loader
