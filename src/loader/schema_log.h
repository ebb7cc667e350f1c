// SchemaLog: the history of a tracked schema, <schemaLocation>/_schemas/0, 1, 2, …: the newest
// number holds, deleting it goes back. Each file is "v1", then one JSON object with dataSchemaJson
// and partitionSchemaJson. The files are made with put-if-absent, so that of two writers one wins.
// Holds nothing in memory; any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/status.h"
#include "column/types.h"
#include "io/store.h"

namespace millstream::loader {

struct TrackedSchema {
  std::int64_t version = 0;
  column::Schema data;
  column::Schema partitions;
};

class SchemaLog {
 public:
  SchemaLog(std::shared_ptr<io::Store> store, const std::string& schema_location);

  // Nothing: no schema has been recorded.
  Result<std::optional<TrackedSchema>> newest() const;
  // Records version `schema.version`. AlreadyExists when another writer was first.
  Status append(const TrackedSchema& schema) const;

  // Notes in <schemaLocation>/.schema_owner that the source of `checkpoint`, which reads `input`,
  // uses this location. An error naming the owner when another checkpoint with another input does
  // already: their columns would mix.
  Status claim(const std::string& checkpoint, const std::string& input) const;

  const std::string& directory() const { return directory_; }

 private:
  std::shared_ptr<io::Store> store_;
  std::string location_;
  std::string directory_;  // <schemaLocation>/_schemas
};

}  // namespace millstream::loader
