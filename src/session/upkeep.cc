#include "session/upkeep.h"

#include "delta/log.h"
#include "plan/node.h"

namespace millstream::session {

Result<delta::Upkeep> session_upkeep(const RuntimeConf& conf) {
  TRY_ASSIGN(auto upkeep,
             delta::upkeep_of([&](const std::string& name) { return conf.find(name); }));
  upkeep.time_zone = conf.time_zone();
  return upkeep;
}

Result<plan::NodePtr> for_few_files(Session& session, const std::string& directory,
                                    const delta::WriteOptions& options, const plan::NodePtr& node) {
  delta::TableInfo table;
  table.metadata.configuration = options.properties;
  TRY_ASSIGN(const bool exists, delta::is_delta_table(session.runtime().store, directory));
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
