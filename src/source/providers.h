// The streaming sources by their names: spark.readStream.format(f)…load(). Called by the session
// when it resolves a plan; what comes back is immutable and shareable between threads. Defining a
// source may look at files (cloudFiles infers a schema and records it); nothing of a checkpoint is
// touched before open().
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/options.h"
#include "base/status.h"
#include "connector/source.h"
#include "io/store.h"

namespace millstream::source {

// What a source takes from the session that defines it.
struct SourceEnv {
  std::shared_ptr<io::Store> store;         // where the data files are; null: the local store
  std::string time_zone = "UTC";            // spark.sql.session.timeZone
  bool case_sensitive = false;              // spark.sql.caseSensitive
  int default_parallelism = 0;              // 0: the number of cores
  Clock* clock = nullptr;                   // null: the system's
  std::map<std::string, std::string> conf;  // the session's settings, Spark's names; may be empty
};

// `schema_text`: what the user gave to .schema() (DDL or JSON); empty: nothing. `paths`:
// load(path); an option `path` counts too. DATA_SOURCE_NOT_FOUND for an unknown format; one that
// Spark has and Millstream does not is refused by name.
Result<std::shared_ptr<const connector::StreamTable>> make_stream_table(
    const std::string& format, const std::string& schema_text, const Options& options,
    const std::vector<std::string>& paths, const SourceEnv& env);

}  // namespace millstream::source
