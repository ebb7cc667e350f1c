// df.write and df.writeTo: batch results into Delta tables (by path or name) and into files. What
// Spark can write and Millstream cannot is refused by name. Functions; any thread.
#pragma once

#include "delta/write.h"
#include "session/session.h"

namespace spark::connect {
class WriteOperation;
class WriteOperationV2;
}  // namespace spark::connect

namespace millstream::session {

// Files of a format other than Delta, below a directory.
Status write_files(Session& session, const std::string& format, const std::string& path,
                   delta::SaveMode mode, const Options& options,
                   std::vector<std::string> partition_by, const plan::NodePtr& node,
                   const ActionContext& context);
// Before an overwrite of a partitioned table: replacing only the partitions that have new rows is not done,
// and replacing all of them would lose the others.
Status refuse_dynamic_overwrite(const RuntimeConf& conf);
Status run_write(Session& session, const spark::connect::WriteOperation& write,
                 const ActionContext& context);
Status run_write_v2(Session& session, const spark::connect::WriteOperationV2& write,
                    const ActionContext& context);

}  // namespace millstream::session
