// Schema inference for JSON, with Spark's rules: the type of each value, the merge of the types met
// at one path, fields sorted by name. Pure functions over files; works in parallel on the shared
// pool.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "column/types.h"
#include "format/json_options.h"
#include "io/store.h"

namespace millstream::format {

struct InferredJson {
  column::Schema
      schema;  // sorted by name; with the corrupt column where a record was malformed (PERMISSIVE)
  std::int64_t records = 0;
};

// The schema of all files together. Files that are gone or broken follow ignoreMissingFiles and
// ignoreCorruptFiles. Names that are equal but for letter case: COLUMN_ALREADY_EXISTS, unless
// `merge_case_variants` (then the spelling met in the earliest file of `files` holds, within one
// file the first by byte order).
Result<InferredJson> infer_json_schema(const std::shared_ptr<io::Store>& store,
                                       const std::vector<io::FileInfo>& files,
                                       const JsonOptions& options,
                                       bool merge_case_variants = false);

// The schema of some texts, each a document: spark.read.json(of a dataset of strings),
// schema_of_json.
Result<InferredJson> infer_json_schema(const std::vector<std::string>& documents,
                                       const JsonOptions& options);

}  // namespace millstream::format
