// Finding files: Spark's rules of globs, hidden names, filters and partition directories. Pure
// functions over a Store; any thread. A name that was found is a name, never a pattern.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/options.h"
#include "base/status.h"
#include "column/types.h"
#include "format/file_columns.h"
#include "io/store.h"

namespace millstream::format {

// Hadoop's glob grammar: ? * [abc] [a-z] [^a] {ab,c{de,fh}} and \ before a character taken
// literally.
class Glob {
 public:
  static Result<Glob> compile(std::string_view pattern);
  bool matches(std::string_view text) const;  // the whole text
  static bool has_wildcard(std::string_view pattern);
  const std::vector<std::string>& alternatives() const { return alternatives_; }  // without braces

 private:
  std::vector<std::string> alternatives_;  // braces expanded
};

struct ListOptions {
  bool recursive = false;  // recursiveFileLookup: descend everywhere, no partition columns
  std::optional<std::string> glob_filter;          // pathGlobFilter: on the base name
  std::optional<std::int64_t> modified_after_us;   // exclusive
  std::optional<std::int64_t> modified_before_us;  // exclusive
  bool ignore_missing = false;                     // a root that is not there gives nothing
  bool glob_paths = true;                          // roots are patterns (option __globPaths__)
  std::optional<std::string> base_path;       // basePath: the root of the partition directories
  std::map<std::string, std::string> placed;  // roots that are partitions: "p=1/q=x" by path
};

// pathGlobFilter, recursiveFileLookup, modifiedAfter, modifiedBefore, … of a reader's options.
Result<ListOptions> parse_list_options(const Options& options,
                                       const std::string& session_time_zone = "UTC");

struct FoundFile {
  io::FileInfo info;
  std::string root;         // the root, or the match of a root's pattern, below which it was found
  std::string partition{};  // "p=1/q=x" where the path does not say it
};

// All files below the roots, sorted by path. PATH_NOT_FOUND for a root, or a pattern, that matches
// nothing.
Result<std::vector<FoundFile>> list_files(const std::shared_ptr<io::Store>& store,
                                          const std::vector<std::string>& roots,
                                          const ListOptions& options);

// A name that Spark does not read: it begins with '.' or '_' (without '='), or ends with
// ._COPYING_.
bool is_hidden_name(std::string_view name);

// Segments k=v between the root and the file's name, decoded. An empty name or value makes a
// segment a plain directory.
struct PartitionSegment {
  std::string name;
  std::string value;  // "__HIVE_DEFAULT_PARTITION__": NULL
};
std::vector<PartitionSegment> partition_segments(std::string_view root, std::string_view file_path);

struct PartitionRules {
  bool infer_types = true;  // off: all STRING
  bool lenient =
      false;  // conflicting layouts: no partition columns (Auto Loader), not an error (Spark)
  std::optional<std::vector<std::string>> names;  // exactly these columns; missing levels are NULL
  column::Schema types;  // types given by the user, by name (ignoring case)
  std::string time_zone = "UTC";
};

struct PartitionedFiles {
  column::Schema columns;        // in the order of the path
  std::vector<FileSplit> files;  // in the order given, with a constant per column
};

Result<PartitionedFiles> discover_partitions(std::vector<FoundFile> files,
                                             const PartitionRules& rules);

// One value of a partition column, from its text.
Result<ConstantColumn> partition_value(const column::Field& field, const std::string& text,
                                       const std::string& time_zone);

}  // namespace millstream::format
