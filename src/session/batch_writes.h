// BatchWrites: what the function of a foreachBatch writes, watched for programs that lose or double
// rows: a warning with a stable code, once a query, or a refusal. Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "delta/actions.h"
#include "plan/node.h"
#include "session/session.h"

namespace millstream::session {

struct BatchWrite {
  std::int64_t batch_id = 0;
  std::string target;                        // the folder of a table or of files
  std::optional<delta::Txn> txn;             // of an idempotent write
  std::optional<std::int64_t> last_version;  // that the table has of the transaction's application
};

class BatchWrites {
 public:
  explicit BatchWrites(std::string query) : query_(std::move(query)) {}

  // FOREACH_BATCH_OLD_TXN_VERSION unless `may_be_old`: the table has a later batch already, so that
  // the write would be skipped: the query runs on a new checkpoint under an old application.
  Status note(const BatchWrite& write, bool may_be_old);

 private:
  void warn(const char* code, const std::string& text);  // the first time

  const std::string query_;
  std::mutex mutex_;
  std::set<std::string> warned_;
  std::int64_t batch_id_ = -1;
  std::map<std::string, bool> targets_;  // of this batch: whether every write was idempotent
  std::set<std::pair<std::string, std::string>> txns_;  // of this batch: target and application
};

// Before rows are written to `target`: tells the batch that they are made of, if any.
Status note_batch_write(Session& session, const plan::Node& rows, const std::string& target,
                        const std::optional<delta::Txn>& txn);

}  // namespace millstream::session
