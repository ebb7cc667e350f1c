// RowChange: a transaction that changes some rows of a table: DELETE, UPDATE, MERGE and writes that
// replace rows. The files that hold rows which go are rewritten without them, or, where the table
// has deletion vectors, stay with the rows marked (whole files are left out unread); new rows are
// written beside them, and one commit does it all. Rows are streamed.
// Made for one attempt, used by one thread; the writing itself is parallel.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "conc/cancel.h"
#include "connector/batches.h"
#include "delta/identity.h"
#include "delta/row_set.h"
#include "delta/transaction.h"
#include "delta/upkeep.h"
#include "delta/write_plan.h"

namespace millstream::delta {

struct RowChange {
  struct ChangedFile {
    AddFilePtr file;
    std::shared_ptr<const RowSet> rows;  // that go; null: all of them
  };

  SnapshotPtr read;
  std::vector<connector::Predicate> predicates;  // which rows were looked at; none: all
  std::vector<AddFilePtr> files_read;
  std::vector<ChangedFile> changed;
  // The rows in their place, and new ones; may be empty. Of a table that keeps row ids with the
  // columns of with_row_ids.
  connector::Batches added;
  // Every change, as the table's columns and _change_type; empty: the files say it.
  connector::Batches change_feed;
  WritePlan plan;                                  // the table as it is after the change
  std::shared_ptr<const IdentityNumbers> numbers;  // that `added` gets; null: none
  Upkeep upkeep;
  std::string time_zone = "UTC";  // the session's: of partition values that do not say theirs
  std::optional<Txn> txn;
  std::string operation;
  std::string parameters = "{}";
  std::string user_metadata;
};

// What a change did, for its metrics.
struct ChangeCounts {
  std::int64_t files_added = 0;
  std::int64_t bytes_added = 0;
  std::int64_t files_removed = 0;
  std::int64_t bytes_removed = 0;
  std::int64_t change_files = 0;
  std::int64_t vectors_added = 0;  // deletion vectors of files, new ones or in the place of others
  std::int64_t vectors_updated = 0;  // those in the place of others
  std::int64_t vectors_removed = 0;  // of files that went, or got others
  std::int64_t rows_copied = 0;      // that stayed as they were, in files that were rewritten
  std::int64_t rows_written = 0;     // all of them
};

using Metrics = std::vector<std::pair<std::string, std::string>>;

// The version that the commit got; that of `change.read` when nothing is to be committed.
Result<std::int64_t> commit_rows(const std::shared_ptr<Log>& log, const RowChange& change,
                                 const std::function<Metrics(const ChangeCounts&)>& metrics,
                                 const CancelToken* cancel);

// Rows of a file that are not deleted, by its statistics.
std::optional<std::int64_t> live_rows(const AddFile& file);

}  // namespace millstream::delta
