#include "delta/features.h"

#include <algorithm>
#include <array>
#include <functional>
#include <set>

#include "base/text.h"
#include "delta/type_changes.h"

namespace millstream::delta {
namespace {

using column::TypeKind;

constexpr int reader_max = 3;
constexpr int writer_max = 7;
constexpr const char* engine = "Millstream/0.1.0";

bool any_field(const column::Schema& schema, const std::function<bool(const column::Field&)>& test);

bool any_in_type(const column::TypePtr& type,
                 const std::function<bool(const column::Field&)>& test) {
  return type->is_nested() && any_field(type->fields(), test);
}

bool any_field(const column::Schema& schema,
               const std::function<bool(const column::Field&)>& test) {
  return std::any_of(schema.begin(), schema.end(), [&](const auto& field) {
    return test(field) || any_in_type(field.type, test);
  });
}

bool any_metadata(const TableInfo& info, std::string_view key) {
  const std::string quoted = json_quote(key);
  return any_field(info.schema, [&](const auto& field) {
    return field.metadata.find(quoted) != std::string::npos;
  });
}

bool any_type(const column::Schema& schema, TypeKind kind) {
  return any_field(schema, [&](const auto& field) { return field.type->kind() == kind; });
}

bool has_constraints(const TableInfo& info) {
  return std::any_of(info.metadata.configuration.begin(), info.metadata.configuration.end(),
                     [](const auto& property) {
                       return to_lower(property.first).starts_with("delta.constraints.");
                     });
}

std::string base_name_of(std::string_view feature) {
  constexpr std::string_view preview = "-preview";
  return std::string(feature.ends_with(preview) ? feature.substr(0, feature.size() - preview.size())
                                                : feature);
}

// Whether the table makes a reader do what the feature is about. Unknown features always do.
bool blocks_read(const std::string& feature, const TableInfo& info) {
  const std::string name = base_name_of(feature);
  if (name == "variantType" || name == "variantShredding")
    return any_type(info.schema, TypeKind::variant);
  static const std::set<std::string> fine = {
      "columnMapping", "deletionVectors", "timestampNtz",       "timestampWithoutTimezone",
      "typeWidening",  "v2Checkpoint",    "vacuumProtocolCheck"};
  return !fine.contains(name);
}

bool blocks_write(const std::string& feature, const TableInfo& info, bool enforces_constraints,
                  bool columns_computed) {
  const std::string name = base_name_of(feature);
  if (enforces_constraints && (name == "invariants" || name == "checkConstraints")) return false;
  if (name == "appendOnly") return false;  // enforced
  if (name == "invariants") return any_metadata(info, "delta.invariants");
  if (name == "checkConstraints") return has_constraints(info);
  if (name == "changeDataFeed") return false;  // change files are written where they are needed
  if (name == "generatedColumns") {
    return !columns_computed && any_metadata(info, "delta.generationExpression");
  }
  if (name == "identityColumns") {
    return !columns_computed && any_metadata(info, "delta.identity.start");
  }
  if (name == "allowColumnDefaults") {
    return !columns_computed && any_metadata(info, "CURRENT_DEFAULT");
  }
  if (name == "clustering") return false;  // new files are not clustered, which they need not be
  if (name == "inCommitTimestamp" || name == "rowTracking") return false;
  if (name.starts_with("icebergCompat")) {
    return info.flag("delta.enable" + to_upper(name.substr(0, 1)) + name.substr(1), false);
  }
  static const std::set<std::string> fine = {
      "columnMapping", "deletionVectors", "timestampNtz",        "timestampWithoutTimezone",
      "v2Checkpoint",  "domainMetadata",  "vacuumProtocolCheck", "checkpointProtection",
      "typeWidening"};
  return !fine.contains(name);
}

bool is_catalog_managed(const Protocol& protocol, const TableInfo& info) {
  static const std::set<std::string> names = {"catalogManaged", "catalogOwned",
                                              "coordinatedCommits"};
  const auto listed = [&](const auto& features) {
    return features && std::any_of(features->begin(), features->end(),
                                   [&](const auto& f) { return names.contains(base_name_of(f)); });
  };
  return listed(protocol.reader_features) || listed(protocol.writer_features) ||
         info.property("delta.coordinatedCommits.commitCoordinator-preview") != nullptr;
}

Status unsupported_features(const char* condition, const std::string& table,
                            const std::vector<std::string>& names) {
  return Status::error(condition, {{"tableNameOrPath", "delta.`" + table + "`"},
                                   {"deltaVersion", engine},
                                   {"unsupported", join(names, ", ")}});
}

Status invalid_version(const Protocol& protocol, const std::string& table) {
  return Status::error("DELTA_INVALID_PROTOCOL_VERSION",
                       {{"tableNameOrPath", "delta.`" + table + "`"},
                        {"readerRequired", fmt::to_string(protocol.min_reader)},
                        {"writerRequired", fmt::to_string(protocol.min_writer)},
                        {"deltaVersion", engine},
                        {"supportedReaders", "1, 2, 3"},
                        {"supportedWriters", "1, 2, 3, 4, 5, 6, 7"}});
}

// What a writer of a version before the feature lists had to know.
std::vector<std::string> implied_writer_features(int version) {
  std::vector<std::string> names;
  if (version >= 2) names = {"appendOnly", "invariants"};
  if (version >= 3) names.push_back("checkConstraints");
  if (version >= 4) names.insert(names.end(), {"changeDataFeed", "generatedColumns"});
  if (version >= 5) names.push_back("columnMapping");
  if (version >= 6) names.push_back("identityColumns");
  return names;
}

constexpr std::string_view constraint_prefix = "delta.constraints.";
constexpr std::string_view feature_prefix = "delta.feature.";
// Those that a table may be given by name.
constexpr std::array listable_features = {
    "allowColumnDefaults", "appendOnly",        "invariants",     "checkConstraints",
    "generatedColumns",    "timestampNtz",      "domainMetadata", "clustering",
    "vacuumProtocolCheck", "changeDataFeed",    "columnMapping",  "deletionVectors",
    "identityColumns",     "inCommitTimestamp", "v2Checkpoint",   "rowTracking",
    "typeWidening",
};
// Those of them that readers must know too.
constexpr std::array features_of_readers = {"columnMapping", "deletionVectors",     "timestampNtz",
                                            "v2Checkpoint",  "vacuumProtocolCheck", "typeWidening"};

// The features that a property asks for, when it has this value.
struct AskedFeature {
  const char* property;
  const char* value;
  const char* feature;
};
constexpr std::array asked_features = {
    AskedFeature{"delta.enableDeletionVectors", "true", "deletionVectors"},
    AskedFeature{"delta.enableInCommitTimestamps", "true", "inCommitTimestamp"},
    AskedFeature{"delta.enableRowTracking", "true", "rowTracking"},
    AskedFeature{"delta.checkpointPolicy", "v2", "v2Checkpoint"},
    AskedFeature{"delta.enableTypeWidening", "true", "typeWidening"},
};

struct Property {
  const char* name;
  bool supported;
};
// The properties that the reference knows; those that ask for what Millstream does not do are
// refused.
constexpr auto known_properties = std::to_array<Property>({
    {"delta.appendOnly", true},
    {"delta.autoOptimize.optimizeWrite", true},
    {"delta.autoOptimize", true},
    {"delta.autoOptimize.autoCompact", true},
    {"delta.checkpointInterval", true},
    {"delta.checkpointPolicy", true},
    {"delta.checkpointRetentionDuration", true},
    {"delta.checkpoint.writeStatsAsJson", true},
    {"delta.checkpoint.writeStatsAsStruct", true},
    {"delta.columnMapping.mode", true},
    {"delta.columnMapping.maxColumnId", true},
    {"delta.compatibility.symlinkFormatManifest.enabled", true},
    {"delta.dataSkippingNumIndexedCols", true},
    {"delta.dataSkippingStatsColumns", true},
    {"delta.dataSkippingStringPrefixLength", true},
    {"delta.deletedFileRetentionDuration", true},
    {"delta.dropFeatureTruncateHistory.retentionDuration", true},
    {"delta.logRetentionDuration", true},
    {"delta.enableExpiredLogCleanup", true},
    {"delta.enableFullRetentionRollback", true},
    {"delta.enableChangeDataFeed", true},
    {"delta.enableDeletionVectors", true},
    {"delta.enableTypeWidening", true},
    {"delta.enableRowTracking", true},
    {"delta.rowTracking.materializedRowIdColumnName", true},
    {"delta.rowTracking.materializedRowCommitVersionColumnName", true},
    {"delta.rowTrackingSuspended", true},
    {"delta.requireCheckpointProtectionBeforeVersion", true},
    {"delta.enableInCommitTimestamps", true},
    {"delta.inCommitTimestampEnablementVersion", true},
    {"delta.inCommitTimestampEnablementTimestamp", true},
    {"delta.enableVariantShredding", false},
    {"delta.enableIcebergCompatV1", false},
    {"delta.enableIcebergCompatV2", false},
    {"delta.enableIcebergCompatV3", false},
    {"delta.universalFormat.enabledFormats", false},
    {"delta.isolationLevel", true},
    {"delta.parquet.compression.codec", true},
    {"delta.randomizeFilePrefixes", false},
    {"delta.randomPrefixLength", true},
    {"delta.setTransactionRetentionDuration", true},
    {"delta.writePartitionColumnsToParquet", false},
});

Status check_value(const std::string& name, const std::string& value) {
  const auto bad = [&](const char* needed) {
    return Status::invalid("Invalid value '{}' for the table property {}: it {}", value, name,
                           needed);
  };
  if (name == "delta.checkpointInterval") {
    const auto number = parse_int64(value);
    if (!number || *number <= 0) return bad("needs to be a positive integer.");
  } else if (name == "delta.columnMapping.mode") {
    if (!equals_ignore_case(value, "none") && !equals_ignore_case(value, "name") &&
        !equals_ignore_case(value, "id"))
      return bad("must be none, name or id.");
  } else if (name == "delta.isolationLevel") {
    if (!equals_ignore_case(value, "Serializable")) return bad("must be Serializable.");
  } else if (name == "delta.dataSkippingNumIndexedCols") {
    const auto number = parse_int64(value);
    if (!number || *number < -1) return bad("needs to be larger than or equal to -1.");
  } else if (name == "delta.checkpointPolicy") {
    if (value != "classic" && value != "v2") return bad("must be classic or v2.");
  } else if (name == "delta.appendOnly" || name == "delta.enableChangeDataFeed" ||
             name == "delta.enableDeletionVectors" || name == "delta.enableInCommitTimestamps" ||
             name == "delta.enableRowTracking" || name == "delta.enableTypeWidening" ||
             name == "delta.rowTrackingSuspended" || name == "delta.autoOptimize" ||
             name == "delta.autoOptimize.autoCompact" ||
             name == "delta.autoOptimize.optimizeWrite" ||
             name == "delta.compatibility.symlinkFormatManifest.enabled") {
    if (!parse_bool(value)) return bad("must be true or false.");
  }
  return Status::OK();
}

// delta.feature.x = supported
Status check_feature(const std::string& key, const std::string& value) {
  const std::string name = key.substr(feature_prefix.size());
  const bool known = std::any_of(listable_features.begin(), listable_features.end(),
                                 [&](const char* one) { return equals_ignore_case(one, name); });
  if (!known) {
    return Status::unsupported("the table property {} is not supported by Millstream", key);
  }
  if (equals_ignore_case(value, "supported") || equals_ignore_case(value, "enabled")) {
    return Status::OK();
  }
  return Status::invalid("Invalid value '{}' for the table property {}: it must be supported.",
                         value, key);
}

// What the properties name as `delta.feature.…`, in the features' own spelling.
std::vector<std::string> features_of(const std::map<std::string, std::string>& properties) {
  std::vector<std::string> out;
  for (const auto& [key, value] : properties) {
    if (!to_lower(key).starts_with(feature_prefix)) continue;
    const std::string name = key.substr(feature_prefix.size());
    for (const char* known : listable_features) {
      if (equals_ignore_case(known, name)) out.emplace_back(known);
    }
  }
  return out;
}

void add_once(std::vector<std::string>& list, const std::string& name) {
  if (std::find(list.begin(), list.end(), name) == list.end()) list.push_back(name);
}

bool has_metadata(const column::Schema& schema, std::string_view key) {
  const std::string quoted = json_quote(key);
  return any_field(
      schema, [&](const auto& field) { return field.metadata.find(quoted) != std::string::npos; });
}

// The features that came before the lists, and the writer's version that brought each.
std::vector<std::pair<std::string, int>> versioned_features(
    const column::Schema& schema, const std::map<std::string, std::string>& properties) {
  std::vector<std::pair<std::string, int>> out;
  const bool constrained = std::any_of(properties.begin(), properties.end(), [](const auto& one) {
    return to_lower(one.first).starts_with(constraint_prefix);
  });
  if (constrained) out.emplace_back("checkConstraints", 3);
  for (const auto& [key, value] : properties) {
    if (equals_ignore_case(key, "delta.enableChangeDataFeed") && equals_ignore_case(value, "true"))
      out.emplace_back("changeDataFeed", 4);
  }
  for (const auto& [key, value] : properties) {
    if (equals_ignore_case(key, "delta.columnMapping.mode") && !equals_ignore_case(value, "none"))
      out.emplace_back("columnMapping", 5);
  }
  if (has_metadata(schema, "delta.generationExpression")) out.emplace_back("generatedColumns", 4);
  if (has_metadata(schema, "delta.identity.start")) out.emplace_back("identityColumns", 6);
  return out;
}

// What of the writers' features readers must know. Column mapping alone came before their lists.
void list_for_readers(Protocol& protocol) {
  for (const char* name : features_of_readers) {
    const auto& listed = *protocol.writer_features;
    if (std::find(listed.begin(), listed.end(), name) == listed.end()) continue;
    const bool mapping = std::string_view(name) == "columnMapping";
    protocol.min_reader = std::max(protocol.min_reader, mapping ? 2 : 3);
  }
  if (protocol.min_reader < 3) return;
  if (!protocol.reader_features) protocol.reader_features.emplace();
  for (const char* name : features_of_readers) {
    const auto& listed = *protocol.writer_features;
    if (std::find(listed.begin(), listed.end(), name) != listed.end())
      add_once(*protocol.reader_features, name);
  }
}

}  // namespace

Status check_readable(const Protocol& protocol, const TableInfo& info, const std::string& table) {
  if (is_catalog_managed(protocol, info)) {
    return Status::error("DELTA_PATH_BASED_ACCESS_TO_CATALOG_MANAGED_TABLE_BLOCKED",
                         {{"path", table}});
  }
  if (protocol.min_reader > reader_max || protocol.min_reader < 1)
    return invalid_version(protocol, table);
  TRY(check_type_changes(info.schema));
  std::vector<std::string> blocking;
  if (protocol.min_reader == 3) {
    if (!protocol.reader_features || !protocol.writer_features)
      return invalid_version(protocol, table);
    for (const auto& feature : *protocol.reader_features) {
      if (blocks_read(feature, info)) blocking.push_back(feature);
    }
  }
  if (any_type(info.schema, TypeKind::variant) &&
      std::find(blocking.begin(), blocking.end(), "variantType") == blocking.end()) {
    blocking.push_back("variantType");
  }
  if (blocking.empty()) return Status::OK();
  return unsupported_features("DELTA_UNSUPPORTED_FEATURES_FOR_READ", table, blocking);
}

Status check_writable(const Protocol& protocol, const TableInfo& info, const std::string& table,
                      bool enforces_constraints, bool columns_computed) {
  TRY(check_readable(protocol, info, table));
  if (protocol.min_writer > writer_max || protocol.min_writer < 1)
    return invalid_version(protocol, table);
  if (protocol.min_writer == 7 && !protocol.writer_features)
    return invalid_version(protocol, table);
  const auto features = protocol.min_writer == 7 ? *protocol.writer_features
                                                 : implied_writer_features(protocol.min_writer);
  std::vector<std::string> blocking;
  for (const auto& feature : features) {
    if (blocks_write(feature, info, enforces_constraints, columns_computed)) {
      blocking.push_back(feature);
    }
  }
  const bool may_mark =
      std::find(features.begin(), features.end(), "deletionVectors") != features.end();
  if (marks_deleted_rows(info) && !may_mark) {
    return Status::illegal_state(
        "the table {} has delta.enableDeletionVectors, but its protocol does not list the feature",
        table);
  }
  if (blocking.empty()) return Status::OK();
  return unsupported_features("DELTA_UNSUPPORTED_FEATURES_FOR_WRITE", table, blocking);
}

Result<std::map<std::string, std::string>> check_properties(
    const std::map<std::string, std::string>& given) {
  std::map<std::string, std::string> canonical;
  for (const auto& [key, value] : given) {
    const std::string lower = to_lower(key);
    if (!lower.starts_with("delta.")) {
      canonical[key] = value;
      continue;
    }
    if (lower == "delta.minreaderversion" || lower == "delta.minwriterversion" ||
        lower == "delta.ignoreprotocoldefaults") {
      continue;
    }
    if (lower.starts_with("delta.feature.")) {
      TRY(check_feature(key, value));
      continue;
    }
    if (lower.starts_with(constraint_prefix)) {
      canonical[key] = value;
      continue;
    }
    const auto known = std::find_if(known_properties.begin(), known_properties.end(),
                                    [&](const auto& p) { return equals_ignore_case(p.name, key); });
    if (known == known_properties.end()) {
      return Status::error(
          "DELTA_UNKNOWN_CONFIGURATION",
          {{"config", key},
           {"disableCheckConfig", "spark.databricks.delta.allowArbitraryProperties.enabled"}});
    }
    if (!known->supported && !equals_ignore_case(value, "false") &&
        !equals_ignore_case(value, "none") && !value.empty()) {
      return Status::unsupported("the table property {}={} is not supported by Millstream",
                                 known->name, value);
    }
    TRY(check_value(known->name, value));
    canonical[known->name] = value;
  }
  return canonical;
}

std::map<std::string, std::string> with_defaults(
    std::map<std::string, std::string> given, const std::map<std::string, std::string>& defaults) {
  for (const auto& [key, value] : defaults) {
    const std::string& name = key;
    const bool known = name.starts_with("delta.feature.") ||
                       std::any_of(known_properties.begin(), known_properties.end(),
                                   [&](const Property& property) { return property.name == name; });
    const bool said = std::any_of(given.begin(), given.end(), [&](const auto& one) {
      return equals_ignore_case(one.first, name);
    });
    if (known && !said) given[name] = value;
  }
  return given;
}

Protocol protocol_for(const column::Schema& schema,
                      const std::map<std::string, std::string>& properties) {
  Protocol protocol;
  std::vector<std::string> listed = features_of(properties);
  for (const auto& [key, value] : properties) {
    for (const auto& asked : asked_features) {
      if (equals_ignore_case(key, asked.property) && equals_ignore_case(value, asked.value))
        add_once(listed, asked.feature);
    }
  }
  const bool ntz = any_type(schema, TypeKind::timestamp_ntz);
  if (ntz) add_once(listed, "timestampNtz");
  const auto versioned = versioned_features(schema, properties);
  for (const auto& [name, version] : versioned) {
    protocol.min_writer = std::max(protocol.min_writer, version);
  }
  // Beyond CHECK the versions imply more than what is used: the features are listed.
  const bool lists = std::any_of(versioned.begin(), versioned.end(),
                                 [](const auto& one) { return one.second > 3; });
  if (listed.empty() && !lists) return protocol;
  for (const auto& [name, version] : versioned) add_once(listed, name);
  add_once(listed, "invariants");
  add_once(listed, "appendOnly");
  for (const char* name : {"clustering", "rowTracking"}) {
    if (std::find(listed.begin(), listed.end(), name) != listed.end())
      add_once(listed, "domainMetadata");
  }
  protocol.min_writer = 7;
  protocol.writer_features = std::move(listed);
  list_for_readers(protocol);
  return protocol;
}

Protocol upgraded(const Protocol& current, const column::Schema& schema,
                  const std::map<std::string, std::string>& properties) {
  const Protocol needed = protocol_for(schema, properties);
  Protocol next = current;
  if (!current.writer_features && !needed.writer_features) {
    next.min_writer = std::max(current.min_writer, needed.min_writer);
    return next;
  }
  next.min_reader = std::max(current.min_reader, needed.min_reader);
  next.min_writer = 7;
  if (!next.writer_features) next.writer_features = implied_writer_features(current.min_writer);
  for (const auto& name : needed.writer_features.value_or(std::vector<std::string>())) {
    add_once(*next.writer_features, name);
  }
  for (const auto& [name, version] : versioned_features(schema, properties)) {
    add_once(*next.writer_features, name);
  }
  list_for_readers(next);
  return next;
}

std::vector<std::string> features_of(const Protocol& protocol) {
  return protocol.writer_features ? *protocol.writer_features
                                  : implied_writer_features(protocol.min_writer);
}

bool needed_by_readers(const std::string& feature) {
  return std::ranges::any_of(features_of_readers, [&](const char* one) { return feature == one; });
}

Protocol with_feature(const Protocol& protocol, const std::string& feature) {
  Protocol out = protocol;
  out.min_writer = 7;
  out.writer_features = features_of(protocol);
  add_once(*out.writer_features, feature);
  list_for_readers(out);
  return out;
}

Protocol without_feature(const Protocol& protocol, const std::string& feature) {
  Protocol out;
  out.writer_features = features_of(protocol);
  std::erase(*out.writer_features, feature);
  const std::set<std::string> left(out.writer_features->begin(), out.writer_features->end());
  out.min_reader = 1;
  out.min_writer = 7;
  if (protocol.reader_features) {
    auto of_readers = *protocol.reader_features;
    std::erase(of_readers, feature);
    if (!of_readers.empty()) {
      out.min_reader = 3;
      out.reader_features = std::move(of_readers);
      return out;
    }
  }
  if (left.contains("columnMapping")) out.min_reader = 2;
  for (int version = 1; version < 7; ++version) {
    const auto implied = implied_writer_features(version);
    if (std::set<std::string>(implied.begin(), implied.end()) != left) continue;
    out.min_writer = version;
    out.writer_features.reset();
    break;
  }
  return out;
}

Protocol joined(const Protocol& a, const Protocol& b) {
  Protocol out;
  out.min_reader = std::max(a.min_reader, b.min_reader);
  out.min_writer = std::max(a.min_writer, b.min_writer);
  if (!a.writer_features && !b.writer_features) return out;
  out.writer_features.emplace();
  if (out.min_reader == 3) out.reader_features.emplace();
  for (const Protocol* one : {&a, &b}) {
    for (const auto& name :
         one->writer_features ? *one->writer_features : implied_writer_features(one->min_writer)) {
      add_once(*out.writer_features, name);
    }
    if (!out.reader_features) continue;
    if (one->min_reader == 2) add_once(*out.reader_features, "columnMapping");
    if (!one->reader_features) continue;
    for (const auto& name : *one->reader_features) add_once(*out.reader_features, name);
  }
  return out;
}

}  // namespace millstream::delta
