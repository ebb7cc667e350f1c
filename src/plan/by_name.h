// Members of structs by their names: values whose structs, at every depth, name their members in
// another order than those that they are to go with. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plan/row_expressions.h"

namespace millstream::plan {

struct NameRules {
  bool case_sensitive = false;
  bool fills = false;       // members that the value lacks are NULL; else they are left out
  bool enters_maps = true;  // keys and values of maps are ordered too
};

// The value with the members of its structs in the order of `like`; those that `like` does not
// name come behind. Names are those of `like`, types the value's own.
Result<ExprPtr> in_order_of(const ExprPtr& value, const column::TypePtr& like,
                            const NameRules& rules, const MakeCall& call);
// Whether that changes nothing.
bool is_in_order_of(const column::TypePtr& type, const column::TypePtr& like,
                    const NameRules& rules);
// The members of `a` and behind them, at every depth, those that only `b` has.
column::TypePtr with_members_of(const column::TypePtr& a, const column::TypePtr& b,
                                const NameRules& rules);

// The first place at which the names differ, not only their order.
struct NameMismatch {
  std::vector<std::string> path;     // of the struct; `element`, `key`, `value` on the way
  std::vector<std::string> members;  // what the value's struct has there
  std::string missing;               // what it lacks; empty: nothing
  std::vector<std::string> extra;    // what only it has
};
std::optional<NameMismatch> name_mismatch(const column::TypePtr& type, const column::TypePtr& like,
                                          const NameRules& rules);

}  // namespace millstream::plan
