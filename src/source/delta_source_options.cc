#include "source/delta_source_options.h"

#include "base/text.h"

namespace millstream::source {
namespace {

constexpr std::int64_t default_max_files = 1000;

Status illegal(const std::string& name, const std::string& value, const char* needed) {
  return Status::error("DELTA_ILLEGAL_OPTION",
                       {{"input", value}, {"name", name}, {"explain", needed}});
}

Status set_starting_version(const Options::Entry& entry, DeltaSourceOptions& out) {
  if (equals_ignore_case(entry.value, "latest")) {
    out.starting_latest = true;
    return Status::OK();
  }
  out.starting_version = parse_int64(entry.value);
  if (!out.starting_version || *out.starting_version < 0) {
    return illegal("startingVersion", entry.value, "must be greater than or equal to zero");
  }
  return Status::OK();
}

}  // namespace

Result<DeltaSourceOptions> parse_delta_source_options(const Options& options) {
  DeltaSourceOptions out;
  for (const auto& [name, entry] : options.entries()) {
    if (name == "path") continue;
    if (name == "maxfilespertrigger") {
      out.max_files = parse_int64(entry.value);
      if (!out.max_files || *out.max_files <= 0)
        return illegal("maxFilesPerTrigger", entry.value, "must be a positive integer");
    } else if (name == "maxbytespertrigger") {
      out.max_bytes = parse_bytes(entry.value);
      if (!out.max_bytes || *out.max_bytes <= 0) {
        return illegal("maxBytesPerTrigger", entry.value,
                       "must be a size configuration such as '10g'");
      }
    } else if (name == "startingversion") {
      TRY(set_starting_version(entry, out));
    } else if (name == "startingtimestamp") {
      out.starting_timestamp = entry.value;
    } else if (name == "ignoredeletes") {
      TRY_ASSIGN(out.ignore_deletes, options.get_bool(name, false));
    } else if (name == "ignorechanges") {
      TRY_ASSIGN(out.ignore_changes, options.get_bool(name, false));
    } else if (name == "ignorefiledeletion") {
      TRY_ASSIGN(const bool ignore, options.get_bool(name, false));
      out.ignore_changes = out.ignore_changes || ignore;
    } else if (name == "skipchangecommits") {
      TRY_ASSIGN(out.skip_change_commits, options.get_bool(name, false));
    } else if (name == "failondataloss") {
      TRY_ASSIGN(out.fail_on_data_loss, options.get_bool(name, true));
    } else if (name == "excluderegex") {
      out.exclude_regex = entry.value;
    } else if (name == "versionasof" || name == "timestampasof") {
      return Status::error("DELTA_UNSUPPORTED_TIME_TRAVEL_VIEWS");
    } else if (name == "readchangefeed" || name == "readchangedata") {
      TRY_ASSIGN(const bool read, options.get_bool(name, false));
      out.read_change_feed = out.read_change_feed || read;
    } else if (name == "witheventtimeorder") {
      TRY_ASSIGN(out.event_time_order, options.get_bool(name, false));
    } else if (name == "schematrackinglocation") {
      out.schema_location = entry.value;
    } else if (name == "schemalocation") {
      if (!options.has("schemaTrackingLocation")) out.schema_location = entry.value;
    } else if (name == "streamingsourcetrackingid") {
      out.tracking_id = entry.value;
    } else if (name == "allowsourcecolumnrename") {
      out.allow_rename = to_lower(entry.value);
    } else if (name == "allowsourcecolumndrop") {
      out.allow_drop = to_lower(entry.value);
    } else if (name == "allowsourcecolumntypechange") {
      out.allow_type_change = to_lower(entry.value);
    } else {
      return Status::invalid("a Delta stream has no option '{}'", entry.name);
    }
  }
  if ((out.starting_version || out.starting_latest) && out.starting_timestamp) {
    return Status::error("DELTA_STARTING_VERSION_AND_TIMESTAMP_BOTH_SET",
                         {{"version", "startingVersion"}, {"timestamp", "startingTimestamp"}});
  }
  if (!out.max_files && !out.max_bytes) out.max_files = default_max_files;
  return out;
}

}  // namespace millstream::source
