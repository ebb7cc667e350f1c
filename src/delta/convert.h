// Parquet files that lie in a folder as a Delta table: CONVERT TO DELTA, and what a clone of such
// files is made of. Functions; thread-safe.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "conc/cancel.h"
#include "delta/snapshot.h"
#include "io/store.h"

namespace millstream::delta {

struct ParquetFolder {
  std::string directory;          // its absolute path
  column::Schema partitions;      // the columns that the folders' names give: "p=1/q=x"
  bool statistics = true;         // gathered from the files' rows
  std::string time_zone = "UTC";  // of timestamps in the folders' names
};

// As a table has it.
struct ConvertedFiles {
  Metadata metadata;  // schema and partition columns
  std::vector<AddFilePtr> adds;
  std::int64_t bytes = 0;
};

// DELTA_UNEXPECTED_NUM_PARTITION_COLUMNS_FROM_FILE_NAME,
// DELTA_UNEXPECTED_PARTITION_COLUMN_FROM_FILE_NAME, DELTA_FAILED_CAST_PARTITION_VALUE,
// DELTA_FAILED_MERGE_SCHEMA_FILE. A folder without files gives none.
Result<ConvertedFiles> converted_files(const std::shared_ptr<io::Store>& store,
                                       const ParquetFolder& folder, const CancelToken* cancel);

struct Conversion {
  ParquetFolder folder;
  std::map<std::string, std::string> properties;  // of the table
  std::string catalog_table;                      // its name, for the commit's notes; empty: none
  bool partitions_given = false;                  // by the user
};

// Makes the folder a table by one commit, which loses against any other. DELTA_EMPTY_DIRECTORY.
Status convert_to_delta(const std::shared_ptr<io::Store>& store, const Conversion& conversion,
                        const CancelToken* cancel);

}  // namespace millstream::delta
