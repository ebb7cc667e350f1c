// FileTable: files of JSON, Parquet, CSV, text and whole files as a table for batch queries; and
// the writers of such files for df.write. A table is the set of files that was listed when it was
// made; immutable, shareable between threads.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/options.h"
#include "base/status.h"
#include "connector/batches.h"
#include "connector/table.h"
#include "io/store.h"

namespace millstream::format {

struct FileTableRequest {
  std::string format;  // json, parquet, csv, text, binaryFile; others are refused by name
  std::optional<column::Schema> schema;  // nothing: inferred (text: value STRING)
  Options options;
  std::vector<std::string> paths;  // as the user gave them: paths, file: URIs, globs
  std::string time_zone = "UTC";
  std::shared_ptr<io::Store> store;             // null: the local one
  std::map<std::string, std::string> placed{};  // paths that are partitions: to "p=1/q=x"
};

Result<std::shared_ptr<const connector::Table>> make_file_table(const FileTableRequest& request);

// The reader of some files of a format with a schema that is known: what streaming file sources
// read batches with. Column names in `columns` as in ScanRequest. The partitions are balanced
// groups of the files.
struct FileScan {
  std::string format;
  column::Schema schema;  // of the files' own columns
  Options options;
  std::string time_zone = "UTC";
  std::vector<std::string> columns;  // of schema, of the files' constants, or "_metadata"
  std::vector<connector::Predicate> predicates;
};
struct FileSplit;
Result<connector::Batches> scan_files(const std::shared_ptr<io::Store>& store, const FileScan& scan,
                                      std::vector<FileSplit> files);

struct FileWriteRequest {
  std::string format;     // json, parquet, csv, text
  std::string directory;  // absolute path; made when missing. Save modes are the caller's business
  Options options;        // compression, and the format's own
  std::vector<std::string> partition_by;
  // An INT column that is not written: rows of each of its values go to files of their own, whose
  // names have the number, as Spark's buckets do. Empty: none.
  std::string bucket_column;
  std::map<std::string, std::string> placed;  // folders of partitions that lie elsewhere
  std::string time_zone = "UTC";
  std::shared_ptr<io::Store> store;  // null: the local one
};

struct FilesWritten {
  std::int64_t rows = 0;
  std::vector<std::string> partitions;  // the folders that got files: "p=1/q=x", sorted
};

// Writes all partitions of the rows, in parallel, as part-NNNNN-<uuid>-c000.<ext> files, then
// _SUCCESS.
Result<FilesWritten> write_files(const FileWriteRequest& request, const connector::Batches& rows);

// "p=1": the folder of a value; nothing: of NULL and "".
std::string partition_folder(std::string_view column, const std::optional<std::string>& value);

}  // namespace millstream::format
