// Views: temporary views by name (of a session, or the global ones of the process). One of a
// DataFrame is a resolved plan, but for one that reads only tables that may grow (Delta): that
// keeps its unresolved form and is resolved at each use, so that it shows the table's newest
// version. One of SQL text is always resolved at its use: names mean what they mean then, its
// columns are those that it had when it was made. Names are case-insensitive. Thread-safe.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "column/timestamp_meaning.h"
#include "column/types.h"
#include "connector/table.h"
#include "plan/node.h"
#include "session/conf.h"

namespace millstream::session {

// The settings of a session that decide what an expression means.
struct Meaning {
  bool ansi = true;
  bool case_sensitive = false;
  std::string time_zone = "UTC";
  column::TimestampWord timestamp = column::TimestampWord::with_zone;

  static Meaning of(const RuntimeConf& conf);
};

// spark.sql.timestampType
column::TimestampWord timestamp_word(const RuntimeConf& conf);

// Whether TIME is a type to use: spark.sql.timeType.enabled. UNSUPPORTED_TIME_TYPE of a schema that
// has one where it is not.
bool time_types_enabled(const RuntimeConf& conf);
Status check_time_types(const RuntimeConf& conf, const column::Schema& schema);

struct View {
  std::string name;                               // as given
  Meaning meaning{};                              // when it was made
  plan::NodePtr node;                             // null: see the others
  std::string relation;                           // serialized spark.connect.Relation
  std::string database{};                         // of the names in it
  std::optional<column::Schema> columns{};        // of SQL text: what the query gave
  std::vector<std::string> column_comments{};     // as many as it names columns; empty: none
  std::shared_ptr<const connector::Table> table;  // the rows of a memory sink
};

class Views {
 public:
  // False when there is one already and `replace` is not set.
  bool put(View view, bool replace);
  std::optional<View> find(const std::string& name) const;
  bool drop(const std::string& name);
  std::vector<std::string> names() const;  // sorted, lower case
  void copy_from(const Views& other);

 private:
  mutable std::mutex mutex_;
  std::map<std::string, View> by_name_;
};

}  // namespace millstream::session
