// df.write and df.writeTo: batch results into Delta tables (by path or name) and into files. What
// Spark can write and Millstream cannot is refused by name. Functions; any thread.
#pragma once

#include "delta/actions.h"
#include "delta/write.h"
#include "session/session.h"

namespace spark::connect {
class WriteOperation;
class WriteOperationV2;
}  // namespace spark::connect

namespace millstream::session {

// Files of a format other than Delta, below a directory. An overwrite replaces what lies in all of
// the folders `below` ("p=1"; none: everything), or with dynamic partitions only what lies where
// new files come. The folders of partitions that got files.
Result<std::vector<std::string>> write_files(
    Session& session, const std::string& format, const std::string& path, delta::SaveMode mode,
    const Options& options, std::vector<std::string> partition_by, const plan::NodePtr& node,
    const ActionContext& context, const Buckets& buckets = {},
    const std::vector<std::string>& below = {},
    const std::map<std::string, std::string>& placed = {});
// Whether an overwrite leaves partitions that get no new rows (partitionOverwriteMode).
Result<bool> keeps_partitions(const Options& options, const RuntimeConf& conf);
// What the session's settings say of a write that its options leave open: which partitions an
// overwrite replaces, and the transaction that it is (DELTA_INVALID_IDEMPOTENT_WRITES_OPTIONS).
Status prepare_delta_write(Session& session, delta::WriteOptions& options);
// Of txnAppId and txnVersion; nothing: they are not given.
std::optional<delta::Txn> txn_of(const delta::WriteOptions& options);
// spark.databricks.delta.write.txnAppId and txnVersion; nothing: they are not set.
Result<std::optional<delta::Txn>> session_txn(const RuntimeConf& conf);
Status run_write(Session& session, const spark::connect::WriteOperation& write,
                 const ActionContext& context);
Status run_write_v2(Session& session, const spark::connect::WriteOperationV2& write,
                    const ActionContext& context);

}  // namespace millstream::session
