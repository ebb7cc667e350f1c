// Data files: a write's rows as Parquet files under the table, with the add actions that name them.
// The partitions of the input are read in parallel on the shared pool; each thread writes files of
// its own. All files are durable when write_data_files returns; when it fails they are removed as
// far as possible.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "conc/cancel.h"
#include "connector/batches.h"
#include "delta/actions.h"
#include "delta/snapshot.h"
#include "io/store.h"

namespace millstream::delta {

struct DataFiles {
  std::vector<AddFilePtr> adds;
  std::int64_t rows = 0;
  std::int64_t bytes = 0;
  std::vector<std::string> others;  // absolute paths of files that come and go with them
};

struct DataWriteOptions {
  std::string directory;        // below the table: "" or one that ends in '/'
  std::string prefix = "part";  // of file names
  std::string compression = "snappy";
  std::int64_t max_records_per_file = 0;  // 0: no limit
  std::int64_t max_bytes_per_file = 0;    // about; 0: no limit
  bool file_per_partition = false;        // each partition of the rows has files of its own
};

// `info`: the table as it is after the write (schema, partition columns, statistics settings).
// `cancel` may be null.
Result<DataFiles> write_data_files(const std::shared_ptr<io::Store>& store,
                                   const std::string& table, const TableInfo& info,
                                   const connector::Batches& rows, const DataWriteOptions& options,
                                   const CancelToken* cancel);

// The files of an attempt that did not make it into the log. Best effort: what stays is found by
// VACUUM.
void remove_data_files(io::Store& store, const std::string& table, const DataFiles& files);

}  // namespace millstream::delta
