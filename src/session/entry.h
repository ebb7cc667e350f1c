// Entry: what the warehouse keeps of a name beyond a folder of its own: a view's text, or a table
// that lies elsewhere or is no Delta table. One JSON file each. Plain data.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "column/types.h"
#include "session/views.h"

namespace millstream::session {

// Rows of one hash together in files of their own, which are sorted; no count: not so.
struct Buckets {
  int count = 0;
  std::vector<std::string> columns;
  std::vector<std::string> sorted_by;
};

struct Entry {
  bool view = false;
  std::string comment;
  std::map<std::string, std::string> properties;

  // A view: its query, where the names in it are looked for, its columns.
  std::string text;
  std::string database;
  std::vector<std::string> columns;             // names; empty: those of the query
  std::optional<column::Schema> query_columns;  // what the query gave when the view was made
  std::optional<Meaning> meaning;               // the settings then; nothing: the reader's
  std::vector<std::string> column_comments;

  // A table.
  std::string provider;  // "delta", "parquet", "json", …
  std::string location;  // absolute path; empty: its own folder of the warehouse
  bool external = false;
  std::string schema;  // JSON; empty: as its files say
  std::vector<std::string> partition_by;
  // The folders of the partitions that belong to it: "p=1/q=x". Nothing: each that is there does.
  std::optional<std::set<std::string>> partitions;
  std::map<std::string, std::string> placed;  // absolute paths of those that lie elsewhere
  Buckets buckets;
  std::map<std::string, std::string> options;

  std::string to_json() const;
  static Result<Entry> from_json(const std::string& text);
};

// Of a database.
struct DatabaseInfo {
  std::string comment;
  std::string location;  // absolute path; empty: a folder of the warehouse
  std::map<std::string, std::string> properties;

  std::string to_json() const;
  static Result<DatabaseInfo> from_json(const std::string& text);
};

}  // namespace millstream::session
