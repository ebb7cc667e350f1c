// SQL scripts: BEGIN … END as a tree whose leaves are the texts of single statements. Plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"

namespace millstream::sql {

enum class ScriptKind : std::uint8_t {
  statement,  // text
  block,      // bodies[0], with handlers
  declare,    // local variables: names, type, text (of the default; empty: NULL)
  condition,  // names[0] for the SQLSTATE `text`
  handler,    // EXIT: names: conditions; bodies[0]
  branches,   // IF, CASE: conditions[i] chooses bodies[i]; one body more is ELSE
  while_,     // conditions[0], bodies[0]
  repeat,     // bodies[0] until conditions[0]
  loop,       // bodies[0]
  for_,       // text: the query; names[0]: what a row is called, if anything; bodies[0]
  leave,      // label
  iterate,    // label
};

struct ScriptNode {
  ScriptKind kind = ScriptKind::statement;
  std::string label;  // lower case; empty: none
  std::string text;
  std::string type;                     // of `declare`; DDL, empty: the default's
  std::vector<std::string> names;       // lower case
  std::vector<std::string> conditions;  // texts of expressions
  std::string subject;                  // of CASE x WHEN …: x; then the conditions are values
  bool is_case = false;
  std::vector<std::vector<ScriptNode>> bodies;
};

}  // namespace millstream::sql
