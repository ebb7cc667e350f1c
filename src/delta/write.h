// Writing to a Delta table: df.write, saveAsTable, createTable, and the engine room of the
// streaming sink. One call is one transaction: data files first (in parallel on the shared pool,
// each durable), then one commit. When a call fails nothing of it is visible; its data files are
// removed as far as possible. Functions are thread-safe; several writers of one table, here or in
// other processes, are told apart by the log (put-if-absent) and the conflict rules.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/options.h"
#include "base/status.h"
#include "conc/cancel.h"
#include "connector/batches.h"
#include "delta/constraints.h"
#include "delta/upkeep.h"
#include "io/store.h"

namespace millstream::delta {

enum class SaveMode : std::uint8_t {
  append,
  overwrite,
  error_if_exists,
  ignore,
};

struct WriteOptions {
  SaveMode mode = SaveMode::error_if_exists;
  std::vector<std::string> partition_by;  // empty: as the table is
  bool merge_schema = false;              // new columns are added to the table
  bool overwrite_schema =
      false;  // overwrite only: the input's schema and partitioning replace the table's
  // overwrite of a partitioned table: only the partitions that get rows. Not said: as the session
  // says.
  std::optional<bool> dynamic_partitions;
  std::string
      replace_where;  // overwrite: only the rows for which this is true; the session does it
  // The rows were made of those of that version: DELTA_CONCURRENT_APPEND when the table has moved
  // on.
  std::optional<std::int64_t> read_version;
  std::optional<std::string>
      txn_app_id;  // both or neither: skip what is already in (idempotent writes)
  std::optional<std::int64_t> txn_version;
  std::string user_metadata;
  std::int64_t max_records_per_file = 0;  // 0: no limit
  bool file_per_partition = false;        // each partition of the rows has files of its own
  std::string compression = "snappy";     // of data files
  std::map<std::string, std::string>
      properties;  // of a table that the write creates: "delta.…" and free keys
  // Of a table that the write creates or replaces: CLUSTER BY, dotted names. Nothing: as it is.
  std::optional<std::vector<std::string>> cluster_by;
  std::string comment;              // of a table that the write creates
  std::string operation = "WRITE";  // commitInfo.operation; "CREATE TABLE AS SELECT" and the like
  std::string parameters;  // operationParameters, a JSON object; empty: what the operation has
  RowGuard guard;          // for tables with constraints
  // The rows' default and generated columns are what the table says: it may have some.
  bool columns_computed = false;
  Upkeep upkeep;                  // what follows the commit
  std::string time_zone = "UTC";  // the session's: of partition values that do not say theirs
};

// The options of df.write.format("delta"): an unknown or unsupported one is an error that names it.
// `path` is skipped.
Result<WriteOptions> parse_write_options(const Options& options, SaveMode mode,
                                         std::vector<std::string> partition_by);

struct WriteResult {
  std::int64_t version = -1;  // of the commit; of the table as it is when nothing was written
  bool skipped = false;       // ignore mode found a table, or the txn is in already
  std::int64_t rows = 0;
  std::int64_t files = 0;
};

// `table`: the absolute path of the table. `rows` by name, any case. `cancel` may be null.
Result<WriteResult> write_table(const std::shared_ptr<io::Store>& store, const std::string& table,
                                const connector::Batches& rows, const WriteOptions& options,
                                const CancelToken* cancel = nullptr);

// A table without rows; NOT NULL of the schema is kept. Fails with DELTA_TABLE_ALREADY_EXISTS… as
// mode says.
Result<WriteResult> create_table(const std::shared_ptr<io::Store>& store, const std::string& table,
                                 const column::Schema& schema, const WriteOptions& options);

// Whether there is a Delta log with something in it.
Result<bool> is_delta_table(const std::shared_ptr<io::Store>& store, const std::string& table);

}  // namespace millstream::delta
