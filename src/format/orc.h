// ORC files, on Arrow's adapter, as Spark's ORC source reads and writes them. Readers and writers
// belong to one thread each.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/options.h"
#include "column/types.h"
#include "connector/batches.h"
#include "format/file_sink.h"
#include "io/store.h"

namespace arrow {
class Schema;
}  // namespace arrow

namespace millstream::format {

// Timestamps of ORC are wall-clock times: those of `time_zone`. `own`: the columns that are wanted;
// `schema`: all of the table's, whose places count in files of Hive, which have no names.
Result<std::unique_ptr<connector::BatchReader>> open_orc(const std::shared_ptr<io::Store>& store,
                                                         const io::FileInfo& file,
                                                         const std::string& time_zone,
                                                         const column::Schema& schema,
                                                         const column::Schema& own);

// The schema of a file, all nullable. FAILED_READ_FILE.CANNOT_READ_FILE_FOOTER names the file.
Result<column::Schema> read_orc_schema(const std::shared_ptr<io::Store>& store,
                                       const std::string& path);

Status check_orc_read_options(const Options& options);

Result<std::shared_ptr<const FileSinkFactory>> make_orc_factory(const column::Schema& schema,
                                                                const Options& options,
                                                                const std::string& time_zone);

}  // namespace millstream::format
