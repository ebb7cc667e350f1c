// Views: temporary views by name (of a session, or the global ones of the process). A view is a
// resolved plan; one that reads only tables that may grow (Delta) keeps its unresolved form instead
// and is resolved at each use, so that it shows the table's newest version. Names are
// case-insensitive. Thread-safe.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "connector/table.h"
#include "plan/node.h"

namespace millstream::session {

struct View {
  std::string name;                               // as given
  plan::NodePtr node;                             // null: see the others
  std::string relation;                           // serialized spark.connect.Relation
  std::string database{};                         // of the names in it
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
