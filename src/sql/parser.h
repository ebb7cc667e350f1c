// The expression half of Spark SQL's grammar: text in, unresolved Connect expressions out (the one
// IR), as `expr`, `selectExpr` and filter strings need it. Pure.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace spark::connect {
class Expression;
}  // namespace spark::connect

namespace millstream::sql {

// "a + 1 AS b", "CASE WHEN x THEN 1 END", "sum(x) OVER (PARTITION BY k)". PARSE_SYNTAX_ERROR
// (42601) with position.
Status parse_expression(std::string_view text, spark::connect::Expression* expression);

// "a.b.`c.d`" -> a, b, c.d. PARSE_SYNTAX_ERROR / INVALID_ATTRIBUTE_NAME_SYNTAX.
Result<std::vector<std::string>> parse_identifier(std::string_view text);

}  // namespace millstream::sql
