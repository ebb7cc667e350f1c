// The options of cloudFiles, read and checked once when a stream is defined. A plain value.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/options.h"
#include "base/status.h"
#include "format/files.h"
#include "format/json_options.h"
#include "io/store.h"
#include "loader/evolution.h"
#include "loader/hints.h"

namespace millstream::loader {

// What comes from the session. The same fields as source::SourceEnv, which this room may not see.
struct LoaderEnv {
  std::shared_ptr<io::Store> store;  // of the input and the schema location; never null
  std::string time_zone = "UTC";
  int parallelism = 1;
  Clock* clock = nullptr;  // never null
  std::map<std::string, std::string> conf;
};

struct LoaderOptions {
  std::string schema_location;  // absolute path; empty: none
  std::vector<Hint> hints;
  EvolutionMode mode = EvolutionMode::add_new_columns;
  bool infer_types = false;
  std::optional<std::vector<std::string>> partition_columns;  // nothing: those that the paths have
  std::string rescued_column;                                 // empty: none

  bool include_existing = true;
  std::int64_t files_max = 1000;           // in a batch
  std::optional<std::int64_t> bytes_soft;  // a batch ends with the file that crosses it
  std::optional<std::int64_t> file_age_max_ms;
  bool allow_overwrites = false;
  bool strict_globber = false;

  std::int64_t sample_files = 1000;
  std::int64_t sample_bytes = std::int64_t{50} << 30;

  format::JsonOptions json;
  format::ListOptions listing;
};

// CF_UNKNOWN_OPTION_KEYS_ERROR for a key of the cloudFiles namespace that Auto Loader does not
// have; one that it has and Millstream does not is refused by name, and so is a format other than
// json.
Result<LoaderOptions> parse_loader_options(const Options& options, bool schema_given,
                                           const LoaderEnv& env);

}  // namespace millstream::loader
