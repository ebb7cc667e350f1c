// Spark SQL's grammar: text in, unresolved Connect messages out (the one IR): expressions, as
// `expr`, `selectExpr` and filter strings need them, and whole queries. Pure.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace spark::connect {
class Expression;
class Relation;
}  // namespace spark::connect

namespace millstream::sql {

// What stands for `:name` and `?`.
struct Parameters {
  std::map<std::string, const spark::connect::Expression*> named;
  std::vector<const spark::connect::Expression*> positional;
};

// "a + 1 AS b", "CASE WHEN x THEN 1 END", "sum(x) OVER (PARTITION BY k)". PARSE_SYNTAX_ERROR
// (42601) with position. Its subqueries go to `subqueries`.
Status parse_expression(std::string_view text, spark::connect::Expression* expression,
                        std::vector<spark::connect::Relation>* subqueries);

// While it lives, this thread looks for many places in `text`, which stays as it is.
class TextScope {
 public:
  explicit TextScope(std::string_view text);
  ~TextScope();
  TextScope(const TextScope&) = delete;
  TextScope& operator=(const TextScope&) = delete;

 private:
  const std::string_view outer_;
};

// The bytes [start, end) of a text as an error shows them.
QueryContext query_context(std::string_view text, std::size_t start, std::size_t end);
// The error with that place; what is wrong with a query says "; line 1 pos 7" in its message too.
Status with_place(const Status& status, std::string_view text, std::size_t start, std::size_t end);

// "a.b.`c.d`" -> a, b, c.d. PARSE_SYNTAX_ERROR / INVALID_ATTRIBUTE_NAME_SYNTAX.
Result<std::vector<std::string>> parse_identifier(std::string_view text);

}  // namespace millstream::sql
