// The table of Spark's functions: for each name (operators too: "+", "and", "==") which argument
// types it takes and to what they are cast, the result type, its nullability, and how DuckDB
// computes it. Whatever is not in the table is refused by its name (UNRESOLVED_ROUTINE), never
// computed wrongly. Immutable; any thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "column/types.h"

namespace arrow {
struct Scalar;
}  // namespace arrow

namespace millstream::functions {

enum class FunctionKind : std::uint8_t { scalar, aggregate, window, generator };

struct Argument {
  column::TypePtr type;
  bool nullable = true;
  std::shared_ptr<arrow::Scalar>
      literal;      // set when the argument is a constant (typed null: a null scalar)
  std::string sql;  // the argument's pretty text, for messages and names
};

struct Settings {
  bool ansi = true;
  std::string time_zone = "UTC";
  bool map_keys_last_win = false;  // of keys that a map would hold twice; otherwise an error
};

// A call that fits: the analyzer casts argument i to argument_types[i] where they differ.
struct Call {
  std::string name;    // canonical key for lowering: "add", "substring"
  std::string pretty;  // Spark's column name for it, with the arguments' text: "(id + 1)",
                       // "substring(s, 0, 2)"
  FunctionKind kind = FunctionKind::scalar;
  std::vector<column::TypePtr> argument_types;
  // Constants that Spark adds for arguments left out (round(x) -> round(x, 0)), after the given
  // ones.
  std::vector<std::shared_ptr<arrow::Scalar>> added_arguments;
  column::TypePtr type;
  bool nullable = true;
  bool deterministic = true;
  // generator only: the output columns' names and types
  column::Schema generated;
};

// Errors: UNRESOLVED_ROUTINE (unknown name), WRONG_NUM_ARGS.*, DATATYPE_MISMATCH.*.
Result<Call> resolve(std::string_view name, const std::vector<Argument>& arguments, bool distinct,
                     const Settings& settings);

bool exists(std::string_view name);
std::vector<std::string> names();             // of all functions, operators left out; sorted
FunctionKind kind_of(std::string_view name);  // scalar when unknown

// docs/functions.md, as the table has it.
std::string functions_document();

// Implicit casts that more than functions need (set operations, IN, CASE, coalesce, joins' USING).
// The common type of two types, or nothing when Spark finds none.
column::TypePtr wider_type(const column::TypePtr& a, const column::TypePtr& b, bool ansi);
// The same of several, in the order in which Spark looks at them.
column::TypePtr wider_type(const std::vector<column::TypePtr>& types, bool ansi);
// What two sides of a comparison are compared as.
column::TypePtr compared_type(const column::TypePtr& a, const column::TypePtr& b, bool ansi);
// True when ANSI (or legacy) rules allow CAST(from AS to) at all.
bool can_cast(const column::TypePtr& from, const column::TypePtr& to, bool ansi);

}  // namespace millstream::functions
