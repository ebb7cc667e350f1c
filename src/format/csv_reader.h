// CsvReader: a CSV file as Arrow batches, with the semantics of Spark's CSV source. Values go to
// columns by their place. Used by one thread.
#pragma once

#include <memory>

#include "connector/batches.h"
#include "format/csv_options.h"
#include "io/store.h"

namespace millstream::format {

// Types that CSV cannot hold are refused with UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE.
Status check_csv_types(const column::Schema& schema);
// Of the file's columns, the corrupt column among them.
Status check_csv_schema(const column::Schema& schema, const CsvOptions& options);

// `schema`: the columns of the file in order; the corrupt column may be among them. `own`: those
// that are wanted. As in Spark, a record is checked against all columns only if all are wanted.
Result<std::unique_ptr<connector::BatchReader>> open_csv(const std::shared_ptr<io::Store>& store,
                                                         const io::FileInfo& file,
                                                         const CsvOptions& options,
                                                         const column::Schema& schema,
                                                         const column::Schema& own);

}  // namespace millstream::format
