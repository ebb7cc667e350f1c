// The schema of CSV files: names by the first record, types (with inferSchema) by all of them, with
// Spark's rules. Files are read in parallel on the shared pool.
#pragma once

#include <memory>
#include <vector>

#include "base/status.h"
#include "column/types.h"
#include "format/csv_options.h"
#include "io/store.h"

namespace millstream::format {

Result<column::Schema> infer_csv_schema(const std::shared_ptr<io::Store>& store,
                                        const std::vector<io::FileInfo>& files,
                                        const CsvOptions& options);

}  // namespace millstream::format
