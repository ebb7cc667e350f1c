#include "session/upkeep.h"

#include "delta/features.h"
#include "delta/log.h"
#include "plan/node.h"

namespace millstream::session {

Result<delta::Upkeep> session_upkeep(const RuntimeConf& conf) {
  TRY_ASSIGN(auto upkeep,
             delta::upkeep_of([&](const std::string& name) { return conf.find(name); }));
  upkeep.time_zone = conf.time_zone();
  return upkeep;
}

std::map<std::string, std::string> new_table_properties(const RuntimeConf& conf,
                                                        std::map<std::string, std::string> given) {
  constexpr std::string_view prefix = "spark.databricks.delta.properties.defaults.";
  std::map<std::string, std::string> defaults;
  for (const auto& [key, value] : conf.explicitly_set()) {
    if (key.starts_with(prefix)) defaults["delta." + key.substr(prefix.size())] = value;
  }
  return delta::with_defaults(std::move(given), defaults);
}

Result<plan::NodePtr> for_few_files(Session& session, const std::string& directory,
                                    const delta::WriteOptions& options, const plan::NodePtr& node) {
  delta::TableInfo table;
  TRY_ASSIGN(const bool exists, delta::is_delta_table(session.runtime().store, directory));
  // The options of a write say nothing of a table that is there.
  if (!exists || options.overwrite_schema) table.metadata.configuration = options.properties;
  if (exists) {
    TRY_ASSIGN(const auto snapshot,
               delta::Log::shared(session.runtime().store, directory)->latest());
    if (snapshot != nullptr) {
      for (const auto& [key, value] : snapshot->metadata().configuration)
        table.metadata.configuration.try_emplace(key, value);
    }
  }
  if (!delta::optimizes_writes(options.upkeep, table)) return node;
  auto together = std::make_shared<plan::Repartition>();
  together->output = node->output;
  together->partitions = 1;
  together->children.push_back(node);
  return plan::NodePtr(together);
}

}  // namespace millstream::session
