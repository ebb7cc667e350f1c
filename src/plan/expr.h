// Resolved expressions: every column is an attribute with an id, every node has a type, every
// implicit cast is written out. Immutable trees shared by pointer; made by the analyzer, read by
// the optimizer, the engine and explain.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "column/types.h"

namespace arrow {
struct Scalar;
}  // namespace arrow

namespace millstream::plan {

// One column of one operator's output. Ids are unique in a plan: the two sides of a self-join have
// different ones.
enum class AttributeId : std::int64_t {};

struct Attribute {
  AttributeId id{};
  std::string name;  // as the user sees it; need not be unique
  column::TypePtr type;
  bool nullable = true;
  std::string metadata;                // JSON object text; empty: {}
  std::vector<std::string> qualifier;  // the alias or table it can be addressed by; may be empty
  bool hidden = false;  // addressable but not in *: _metadata, a USING join's other key
};

struct Node;
struct Expr;
using ExprPtr = std::shared_ptr<const Expr>;

enum class ExprKind : std::uint8_t {
  literal,    // value
  attribute,  // id
  call,  // a scalar function: name, children. Beyond the functions table: get_item(array, index),
         // get_map_value(map, key), get_array_struct_fields(array of structs) member `ordinal`
  aggregate,        // an aggregate function: name, children, distinct, filter
  window,           // children[0] = aggregate or ranking call; partition, order, frame
  cast,             // children[0]; explicit or implicit
  alias,            // children[0] named `name`; only at the top of a project's or aggregate's list
  case_when,        // children = condition, value, condition, value, …[, else]
  in_list,          // children[0] IN (children[1..]), types equal
  get_field,        // children[0] is a struct: member `ordinal`
  lambda,           // children[0] body; parameters: the ids of its lambda_variables, in order
  lambda_variable,  // id: bound by the lambda or subquery around it
  subquery,  // name: scalarsubquery, exists, in; plan; children = the left side of IN (`ordinal` of
             // them), then the values of `parameters`, which are lambda_variables in the plan
  generator,  // explode and kin: name, children; type is the struct of the generated columns; only
              // in a Generate node
};

struct SortKey {
  ExprPtr expr;
  bool ascending = true;
  bool nulls_first = true;
};

struct FrameBound {
  enum class Kind : std::uint8_t {
    unbounded_preceding,
    preceding,
    current_row,
    following,
    unbounded_following
  };
  Kind kind = Kind::current_row;
  ExprPtr offset;  // for preceding and following, not negative
};

struct WindowSpec {
  std::vector<ExprPtr> partition;
  std::vector<SortKey> order;
  bool rows = false;  // else RANGE
  FrameBound lower{FrameBound::Kind::unbounded_preceding, nullptr};
  FrameBound upper{FrameBound::Kind::current_row, nullptr};
};

struct Expr {
  ExprKind kind;
  column::TypePtr type;
  bool nullable = true;
  std::vector<ExprPtr> children;

  std::string name;    // call, aggregate, generator: the functions table's canonical name; alias,
                       // attribute: the name
  std::string pretty;  // Spark's text for it, which names an unaliased column: "(id + 1)"
  std::shared_ptr<arrow::Scalar> value;  // literal
  AttributeId id{};       // attribute, alias (the new attribute's id), lambda_variable
  std::string metadata;   // alias: JSON object text for the new attribute
  bool distinct = false;  // aggregate
  bool outer = false;     // generator: a row of NULLs where there is nothing to generate
  ExprPtr filter;         // aggregate: FILTER (WHERE …)
  bool try_cast = false;  // cast: NULL in place of an error
  bool ansi = true;       // cast, call: ANSI semantics (overflow and malformed input are errors)
  std::shared_ptr<const std::string>
      time_zone;              // of a view made under another; null: the session's
  bool deterministic = true;  // call: false for rand(), uuid() and kin
  int ordinal = 0;            // get_field
  std::shared_ptr<const WindowSpec> window;
  std::vector<AttributeId> parameters;  // lambda, subquery
  std::shared_ptr<const Node> plan;     // subquery
  std::optional<QueryContext> origin;   // where in the user's program it was written

  Expr() = default;
  Expr(const Expr&) = default;
  Expr& operator=(const Expr&) = default;
  ~Expr();  // at any depth
};

// Constructors that fill type and nullability.
ExprPtr make_literal(std::shared_ptr<arrow::Scalar> value, column::TypePtr type,
                     std::string pretty);
ExprPtr make_attribute(const Attribute& attribute);
ExprPtr make_alias(ExprPtr child, std::string name, AttributeId id, std::string metadata = {});
ExprPtr make_cast(ExprPtr child, column::TypePtr to, bool ansi, bool try_cast = false);

AttributeId next_attribute_id();  // unique in the process
bool references_only(const Expr& expr, const std::vector<AttributeId>& ids);
bool contains(const Expr& expr, ExprKind kind);
bool is_deterministic(const Expr& expr);

}  // namespace millstream::plan
