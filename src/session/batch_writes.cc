#include "session/batch_writes.h"

#include "base/log.h"
#include "delta/table.h"
#include "delta/write.h"
#include "session/batch_rows.h"

namespace millstream::session {
namespace {

constexpr const char* allow_old = "spark.millstream.foreachBatch.allowOldTxnVersion";

// The batch that the rows are made of; nullptr: none.
const BatchRows* batch_of(const plan::Node& rows) {
  std::vector<const plan::Node*> left = {&rows};
  while (!left.empty()) {
    const plan::Node* node = left.back();
    left.pop_back();
    if (node->kind == plan::NodeKind::scan) {
      const auto* batch = dynamic_cast<const BatchRows*>(plan::as<plan::Scan>(*node).table.get());
      if (batch != nullptr) return batch;
    }
    for (const auto& child : node->children) left.push_back(child.get());
  }
  return nullptr;
}

}  // namespace

void BatchWrites::warn(const char* code, const std::string& text) {
  if (warned_.insert(code).second) log_warn("{}: the streaming query {} {}", code, query_, text);
}

Status BatchWrites::note(const BatchWrite& write, bool may_be_old) {
  const std::lock_guard lock(mutex_);
  if (batch_id_ != write.batch_id) {
    batch_id_ = write.batch_id;
    targets_.clear();
    txns_.clear();
  }
  const bool idempotent = write.txn.has_value();
  const auto known = targets_.try_emplace(write.target, idempotent).first;
  known->second = known->second && idempotent;
  bool all_idempotent = true;
  for (const auto& [target, safe] : targets_) all_idempotent = all_idempotent && safe;
  if (targets_.size() > 1 && !all_idempotent) {
    warn(
        "FOREACH_BATCH_SEVERAL_SINKS",
        "writes a batch to several tables, not each of them under txnAppId and txnVersion: a batch "
        "that comes again after a crash between them doubles rows; give every write both options");
  }
  if (!idempotent) return Status::OK();
  if (write.txn->version != write.batch_id) {
    warn("FOREACH_BATCH_UNBOUND_TXN_VERSION",
         fmt::format("writes batch {} under txnVersion {}: only the number of the batch tells a "
                     "batch that comes again from a new one; give txnVersion the function's second "
                     "argument",
                     write.batch_id, write.txn->version));
    return Status::OK();
  }
  if (!txns_.emplace(write.target, write.txn->app_id).second) {
    warn("FOREACH_BATCH_SAME_TXN",
         fmt::format("writes a batch to {} twice under the txnAppId {}: the second write is "
                     "skipped; give each its own",
                     write.target, write.txn->app_id));
  }
  if (write.last_version.value_or(-1) <= write.batch_id) return Status::OK();
  if (!may_be_old) {
    return Status::error("FOREACH_BATCH_OLD_TXN_VERSION",
                         {{"batchId", fmt::to_string(write.batch_id)},
                          {"table", write.target},
                          {"appId", write.txn->app_id},
                          {"version", fmt::to_string(*write.last_version)},
                          {"config", allow_old}});
  }
  warn("FOREACH_BATCH_OLD_TXN_VERSION",
       fmt::format("skips batch {}: {} has version {} of the txnAppId {} already", write.batch_id,
                   write.target, *write.last_version, write.txn->app_id));
  return Status::OK();
}

Status note_batch_write(Session& session, const plan::Node& rows, const std::string& target,
                        const std::optional<delta::Txn>& txn) {
  const BatchRows* batch = batch_of(rows);
  if (batch == nullptr) return Status::OK();
  BatchWrite write{batch->batch_id(), target, txn, {}};
  if (txn) {
    const auto& store = session.runtime().store;
    TRY_ASSIGN(const bool exists, delta::is_delta_table(store, target));
    if (exists) {
      TRY_ASSIGN(const auto table, delta::DeltaTable::open(store, target));
      write.last_version = table->snapshot().txn_version(txn->app_id);
    }
  }
  return batch->writes().note(write, session.conf().value(allow_old) == "true");
}

}  // namespace millstream::session
