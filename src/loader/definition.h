// What a cloudFiles stream is, once it is defined: options, path, schema. Immutable, shared by the
// StreamTable, the sources opened from it and the readers of their batches.
#pragma once

#include <memory>
#include <string>

#include "base/options.h"
#include "column/types.h"
#include "loader/discovery.h"
#include "loader/options.h"
#include "loader/schema_log.h"

namespace millstream::loader {

struct Definition {
  LoaderEnv env;
  LoaderOptions options;
  DiscoveryRules discovery;
  std::string input;  // the path as a URI: progress, offsets
  bool schema_given = false;
  column::Schema data;  // columns of the files themselves
  column::Schema
      partitions;        // columns of the paths; a name that is in `data` too has its place there
  column::Schema table;  // what a query sees: data, the rescued column, partitions
};

// Reads and checks the options; takes the schema given, or the newest recorded one, or infers one
// from a sample and records it as version 0.
Result<std::shared_ptr<const Definition>> define(const std::string& schema_text,
                                                 const Options& options,
                                                 const std::vector<std::string>& paths,
                                                 const LoaderEnv& env);

// Names (lower case) that a field of a record may have without being a new column.
std::set<std::string> names_that_are_not_new(const Definition& definition);

}  // namespace millstream::loader
