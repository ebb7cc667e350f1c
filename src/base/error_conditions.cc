#include "base/error_conditions.h"

#include <algorithm>
#include <unordered_map>

namespace millstream {
namespace {

using enum ErrorKind;

constexpr ErrorCondition conditions[] = {
#include "base/conditions/auto_loader.inc"
#include "base/conditions/changes.inc"
#include "base/conditions/columns.inc"
#include "base/conditions/connect.inc"
#include "base/conditions/dataframe.inc"
#include "base/conditions/delta.inc"
#include "base/conditions/engine.inc"
#include "base/conditions/files.inc"
#include "base/conditions/functions.inc"
#include "base/conditions/scripts.inc"
#include "base/conditions/sql.inc"
#include "base/conditions/sql_text.inc"
#include "base/conditions/streaming.inc"
};

}  // namespace

const ErrorCondition* find_error_condition(std::string_view name) {
  static const auto index = [] {
    std::unordered_map<std::string_view, const ErrorCondition*> by_name;
    for (const auto& condition : conditions) {
      CHECK(by_name.emplace(condition.name, &condition).second);
    }
    return by_name;
  }();
  const auto found = index.find(name);
  return found == index.end() ? nullptr : found->second;
}

}  // namespace millstream
