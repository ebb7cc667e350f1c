// A transaction: the actions of one commit, put after the version that they were made from; when
// others were first, the conflict rules decide whether it still may go behind them. The check is a
// pure function; commit() is the thin shell that publishes. Used by one thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "connector/table.h"
#include "delta/actions.h"
#include "delta/log.h"
#include "delta/snapshot.h"

namespace millstream::delta {

// What a transaction read of a table that it did not read whole: the rows that match `predicates`
// (none: all rows), in these files. What cannot match was not read.
struct ReadSet {
  std::vector<connector::Predicate> predicates;
  std::set<std::string> files;  // absolute paths
};

struct Transaction {
  SnapshotPtr read;  // the state that it was made from; null: it creates the table
  std::optional<Metadata> metadata;
  std::optional<Protocol> protocol;
  std::optional<Txn> txn;
  std::vector<DomainMetadata> domains;
  std::vector<AddFilePtr> adds;
  std::vector<RemoveFilePtr> removes;
  std::vector<ChangeFile> changes;
  bool read_whole_table =
      false;  // overwrite, complete mode: what is in the table decided what is written
  std::optional<ReadSet> rows_read;  // DELETE, UPDATE, MERGE
  bool numbers_rows = false;         // the metadata differs by marks of identity columns only
  bool keeps_row_ids = false;        // rows that were rewritten have the ids that they had
  bool tracks_rows_only = false;     // the metadata differs by row tracking being on

  const char* isolation = "Serializable";  // as it is noted in the log
  bool protects_history = false;  // what is before it stays, for those who know its features
  std::string operation;
  std::string parameters = "{}";  // operationParameters, a JSON object
  std::vector<std::pair<std::string, std::string>> metrics;
  std::string user_metadata;

  bool is_blind_append() const {
    return removes.empty() && !read_whole_table && !rows_read.has_value();
  }
};

// Whether `ours` may follow a commit that it has not seen: OK or one of DELTA_PROTOCOL_CHANGED,
// DELTA_METADATA_CHANGED, DELTA_CONCURRENT_*. Isolation is Serializable, the only level of
// open-source Delta.
Status check_conflict(const Transaction& ours, std::int64_t version,
                      const std::vector<Action>& winner, const std::string& table);

// The version that the commit got, however often it had to move. `log` is at `ours.read` or later.
Result<std::int64_t> commit(Log& log, const Transaction& ours);

// What a writer must not commit: duplicate files, partition values of other columns, a removal from
// an append-only table.
Status check_transaction(const Transaction& ours, const TableInfo& info);

}  // namespace millstream::delta
