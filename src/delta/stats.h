// Statistics of data files: the JSON text of add.stats, written exactly as the reference writes it,
// and read for skipping files. Bad statistics never fail anything: they say nothing. Pure functions
// and plain values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "delta/snapshot.h"
#include "delta/values.h"
#include "format/parquet.h"

namespace arrow {
class Array;
}  // namespace arrow

namespace millstream::delta {

// {"numRecords":…,"minValues":{…},"maxValues":{…},"nullCount":{…}}
std::string stats_json(std::int64_t rows, const std::vector<format::LeafStats>& leaves,
                       int string_prefix = 32);

// The statistics of a file some of whose `rows` are deleted: the bounds may be too wide.
std::string with_wide_bounds(const std::string& stats, std::int64_t rows);
// Of a new file of a table whose files may come to have deletion vectors: they are not.
std::string with_tight_bounds(std::string stats);

// Bounds for a text that is cut after `prefix` UTF-16 units. No max: nothing bounds it.
std::string truncated_min(std::string_view text, int prefix);
std::optional<std::string> truncated_max(std::string_view text, int prefix);

// One row of a checkpoint's add.stats_parsed, as the text that add.stats would be.
std::string stats_json_of(const arrow::Array& stats_parsed, std::int64_t row);

struct ColumnStats {
  struct Token {
    std::string text;
    bool is_string = false;
  };
  std::optional<Token> min;
  std::optional<Token> max;
  std::optional<std::int64_t> null_count;
};

struct FileStats {
  std::optional<std::int64_t> rows;
  bool tight = true;
  std::map<std::vector<std::string>, ColumnStats> columns;  // by path
};
FileStats parse_stats(std::string_view json);

// A column, or a member of a struct.
struct ColumnRef {
  const column::Field* field = nullptr;  // of the table's schema
  std::vector<std::string> physical_path;
  bool partition = false;
};
// The path in any case. Nothing: the table has no such column.
std::optional<ColumnRef> find_column(const TableInfo& table, const std::vector<std::string>& path);

// False: no row of the file can match all of the predicates. Partition columns are judged by their
// values.
bool may_match(const AddFile& file, const TableInfo& table,
               const std::vector<connector::Predicate>& predicates);

}  // namespace millstream::delta
