// What a session wants of Delta tables beside a write: auto compaction, optimized writes,
// properties of new tables.
// Functions; any thread.
#pragma once

#include <map>
#include <string>

#include "delta/upkeep.h"
#include "delta/write.h"
#include "session/session.h"

namespace millstream::session {

Result<delta::Upkeep> session_upkeep(const RuntimeConf& conf);

// Those that a new table is given, and those that the session has for new tables
// (spark.databricks.delta.properties.defaults.…).
std::map<std::string, std::string> new_table_properties(const RuntimeConf& conf,
                                                        std::map<std::string, std::string> given);

// The rows of a write to the table in `directory`: where it is optimized, by one thread for all
// files, whatever partitions the rows come in.
Result<plan::NodePtr> for_few_files(Session& session, const std::string& directory,
                                    const delta::WriteOptions& options, const plan::NodePtr& node);

}  // namespace millstream::session
