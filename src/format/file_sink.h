// FileSink: one output file of a format, rows in, a finished file out. Internal to write_files; one
// thread.
#pragma once

#include <memory>
#include <string>

#include "base/options.h"
#include "base/status.h"
#include "column/types.h"
#include "connector/batches.h"
#include "format/file_scan.h"
#include "io/store.h"

namespace millstream::format {

class FileSink {
 public:
  virtual ~FileSink() = default;
  virtual Status write(const connector::RecordBatchPtr& batch) = 0;
  virtual Status close() = 0;
};

// How files of a format are written: options checked, extension known.
class FileSinkFactory {
 public:
  static Result<std::shared_ptr<const FileSinkFactory>> make(FileFormat format,
                                                             const column::Schema& schema,
                                                             const Options& options,
                                                             const std::string& time_zone);
  virtual ~FileSinkFactory() = default;
  virtual std::string extension() const = 0;  // ".snappy.parquet"
  virtual Result<std::unique_ptr<FileSink>> open(const std::shared_ptr<io::Store>& store,
                                                 const std::string& path) const = 0;
};

}  // namespace millstream::format
