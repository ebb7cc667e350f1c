#include "stream/pinned_conf.h"

namespace millstream::stream {
namespace {

struct PinnedKey {
  const char* name;
  const char* initial;     // of a new query, unless the session says otherwise
  const char* if_missing;  // in a log that lacks it; null: as for a new query
};

constexpr PinnedKey pinned_keys[] = {
    {"spark.sql.function.protobufExtensions.enabled", "false", "false"},
    {"spark.sql.optimizer.pruneFiltersCanPruneStreamingSubplan", "false", "true"},
    {"spark.sql.shuffle.partitions", "200", nullptr},
    {"spark.sql.streaming.aggregation.stateFormatVersion", "2", "1"},
    {"spark.sql.streaming.flatMapGroupsWithState.stateFormatVersion", "2", "1"},
    {"spark.sql.streaming.join.stateFormatVersion", "2", "1"},
    {"spark.sql.streaming.multipleWatermarkPolicy", "min", "min"},
    {"spark.sql.streaming.queryEvolution.enableSourceEvolution", "false", "false"},
    {"spark.sql.streaming.stateStore.compression.codec", "lz4", "lz4"},
    {"spark.sql.streaming.stateStore.encodingFormat", "unsaferow", "unsaferow"},
    {"spark.sql.streaming.stateStore.providerClass",
     "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider", nullptr},
    {"spark.sql.streaming.stateStore.rocksdb.formatVersion", "5", nullptr},
    {"spark.sql.streaming.stateStore.rocksdb.mergeOperatorVersion", "2", "1"},
    {"spark.sql.streaming.stateStore.rowChecksum.enabled", "false", "false"},
    {"spark.sql.streaming.statefulOperator.useStrictDistribution", "true", "false"},
};

std::string value_for_new(const PinnedKey& key, const SessionConf& session) {
  if (std::string_view(key.name) == "spark.sql.shuffle.partitions") {
    const auto internal = session.find("spark.sql.streaming.internal.stateStore.partitions");
    if (internal != session.end()) return internal->second;
  }
  const auto set = session.find(key.name);
  return set == session.end() ? key.initial : set->second;
}

}  // namespace

PinnedConf pin_for_new_query(const SessionConf& session) {
  PinnedConf conf;
  for (const auto& key : pinned_keys) conf[key.name] = value_for_new(key, session);
  return conf;
}

PinnedConf pin_for_restart(const PinnedConf& logged, const SessionConf& session) {
  PinnedConf conf = logged;
  for (const auto& key : pinned_keys) {
    if (conf.contains(key.name)) continue;
    conf[key.name] = key.if_missing != nullptr ? key.if_missing : value_for_new(key, session);
  }
  return conf;
}

}  // namespace millstream::stream
