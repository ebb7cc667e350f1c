// JsonFileReader: one JSON file as Arrow batches, with the semantics of Spark's JSON source
// (malformed records, partial results, rescued data) at the speed of simdjson: its first stage
// finds the structure of a block of lines, and ours fills Arrow buffers from it, guided by the
// schema. A line that this strict way does not take is read again by a lenient and slower parser,
// which decides what it means. Used by one thread at a time; files are read in parallel by many
// readers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "column/types.h"
#include "connector/batches.h"
#include "format/file_columns.h"
#include "format/json_options.h"
#include "io/store.h"

namespace millstream::format {

// The first record of a file with a field that the schema does not have.
struct UnknownFields {
  std::string file_path;  // local path
  std::string
      rescued_json;  // the unknown fields alone: {"currency":"USD"}; nested ones in their structs
};

struct JsonScan {
  // The columns of the file, with their types. May contain options.corrupt_column and
  // options.rescued_column (STRING).
  column::Schema schema;
  // The columns of the batches, in order: names of `schema`, "_metadata", or names of
  // file_columns.constants. Only these are converted (all are, when the corrupt or the rescued
  // column is among them). May be empty: rows are counted.
  std::vector<std::string> columns;
  JsonOptions options;

  // Called at the first record of each file with an unknown field (one that differs from a column
  // by letter case only is not unknown). An error that it returns ends the read with that error.
  // Null: unknown fields are dropped, or rescued.
  std::function<Status(const UnknownFields&)> on_unknown_fields;
  // Called when a file is left out or broken off because of ignoreMissingFiles or
  // ignoreCorruptFiles. May be null.
  std::function<void(const std::string& path, bool missing)> on_skipped_file;

  std::int64_t batch_rows_max = 16 << 10;
  std::int64_t batch_bytes_max = 16 << 20;  // of JSON text, roughly
};

// Checks the scan against the schema once: unknown columns, types that JSON cannot give, a corrupt
// column that is not a nullable STRING (INVALID_CORRUPT_RECORD_TYPE).
Status check_json_scan(const JsonScan& scan);

// The reader of `files`, one after another, as one stream of batches. Local files are read in
// blocks; of another store, whole. .gz/.gzip, .zst/.zstd and .deflate are decompressed by
// extension, other codecs are refused by name.
Result<std::unique_ptr<connector::BatchReader>> open_json(std::shared_ptr<io::Store> store,
                                                          std::shared_ptr<const JsonScan> scan,
                                                          std::vector<FileSplit> files);

// The Arrow schema that the batches have.
Result<column::Schema> json_output_schema(const JsonScan& scan,
                                          const std::vector<FileSplit>& files);

}  // namespace millstream::format
