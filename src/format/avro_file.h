// Avro's container files as Arrow batches, and the writer of such files, as Spark's Avro source
// reads and writes them. Readers and writers belong to one thread each.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "column/types.h"
#include "connector/batches.h"
#include "format/avro_options.h"
#include "format/file_sink.h"
#include "io/store.h"

namespace millstream::format {

// `own`: the columns that are wanted, of the file's. `schema`: all of the file's columns, whose
// places count where fields are matched by place.
Result<std::unique_ptr<connector::BatchReader>> open_avro(const std::shared_ptr<io::Store>& store,
                                                          const io::FileInfo& file,
                                                          const AvroOptions& options,
                                                          const column::Schema& schema,
                                                          const column::Schema& own);

// Of the first file that can be read, or of the option avroSchema.
Result<column::Schema> infer_avro_schema(const std::shared_ptr<io::Store>& store,
                                         const std::vector<io::FileInfo>& files,
                                         const AvroOptions& options, bool ignore_corrupt);

Result<std::shared_ptr<const FileSinkFactory>> make_avro_factory(const column::Schema& schema,
                                                                 const Options& options);

}  // namespace millstream::format
