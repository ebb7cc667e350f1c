#include "sql/own_calls.h"

#include <algorithm>

#include "base/text.h"

namespace millstream::sql {

bool is_own_call(std::string_view function) {
  static constexpr std::string_view names[] = {
      "ms_all",          "ms_filter",      "ms_having",       "ms_limit",    "ms_local_timestamp",
      "ms_natural",      "ms_offset",      "ms_pivot_values", "ms_qualify",  "ms_recursive",
      "ms_row",          "ms_select",      "ms_star_except",  "ms_star_set", "ms_values",
      "ms_variant_path", "ms_within_group"};
  if (const auto dot = function.rfind('.'); dot != std::string_view::npos)
    function.remove_prefix(dot + 1);
  if (function.size() > 2 && function.front() == '`')
    function = function.substr(1, function.size() - 2);
  return std::any_of(std::begin(names), std::end(names),
                     [&](std::string_view name) { return equals_ignore_case(function, name); });
}

Status unknown_routine(std::string_view function) {
  return Status::error("UNRESOLVED_ROUTINE", {{"routineName", "`" + std::string(function) + "`"},
                                              {"searchPath",
                                               "[`system`.`builtin`, `system`.`session`, "
                                               "`spark_catalog`.`default`]"}});
}

}  // namespace millstream::sql
