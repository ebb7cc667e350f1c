// The rows of the functions table, as data. Each area's .cc holds an array of them; registry.cc
// joins and interprets them. Static data; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "functions/coerce.h"
#include "functions/registry.h"

namespace millstream::functions {

struct Entry;

struct Request {
  const Entry& entry;
  std::string name;  // lower case
  const std::vector<Argument>& arguments;
  bool distinct = false;
  const Settings& settings;
};

using Rule = Result<Call> (*)(const Request&);

// Parameters, one letter each:
//   b boolean  y tinyint  h smallint  i int  l bigint  f float  d double  n any number  N number
//   that is not decimal m decimal or double  I integral  s string  x binary  c string or binary  D
//   date  T timestamp  t timestamp or ntz e date or timestamps  a anything  o anything orderable  w
//   all w have one common type  A array  M map  S struct
//   '?' after a letter: this and all later ones may be left out; '*': this one may come any number
//   of times.
// Result: a letter of these, or a digit: the type of that argument after its cast; 'w': the common
// type. Null: ' ' nullable when an argument is; '!' never null; '~' nullable whatever the
// arguments. The SQL template: {0}, {1} arguments; {*} all of them, comma between; {1*} all from
// the second on; {tz} the session's time zone; {type} the result's DuckDB type. Empty: the engine
// has code for that name.
struct Entry {
  std::string_view name = {};
  std::string_view parameters = {};
  std::string_view result = {};
  std::string_view sql = {};
  char null = ' ';
  // Column name: empty: name(arguments); "^": NAME(arguments); otherwise a template with {0}, {1}.
  std::string_view pretty = {};
  Rule rule =
      nullptr;  // decides alone when set; the columns above but `sql` are then its own business
  // Default integers for parameters left out, "0" or "-1": they become added_arguments.
  std::string_view defaults = {};
  std::string_view canonical = {};  // another name of that row
  FunctionKind kind = FunctionKind::scalar;
  bool deterministic = true;
};

std::span<const Entry> arithmetic_entries();
std::span<const Entry> interval_entries();
std::span<const Entry> comparison_entries();
std::span<const Entry> string_entries();
std::span<const Entry> datetime_entries();
std::span<const Entry> time_entries();
std::span<const Entry> conditional_entries();
std::span<const Entry> collection_entries();
std::span<const Entry> aggregate_entries();
std::span<const Entry> window_entries();
std::span<const Entry> hash_entries();
std::span<const Entry> json_entries();
std::span<const Entry> avro_entries();
std::span<const Entry> variant_entries();
std::span<const Entry> math_entries();
std::span<const Entry> generator_entries();
std::span<const Entry> sketch_entries();

const Entry* find_entry(std::string_view name);  // of a lower-case name; nullptr: none

// For rules.
Result<Call> scaled_interval(const Request& request, Call call);  // interval.cc
Result<Call> field_of_time(const Request& request);               // time.cc
Result<Call> timestamp_of_date(const Request& request);  // of one to three arguments; time.cc
// Of an operator one side of which is a calendar interval; interval.cc.
bool is_calendar(const column::TypePtr& type);
Result<Call> calendar_arithmetic(const Request& request, Call call);
Result<Call> apply_signature(const Request& request);  // what the columns say
Call begin_call(
    const Request& request);  // name, kind, pretty by the entry; argument types as they are
std::string pretty_call(std::string_view name, const Request& request);
std::string pretty_from(std::string_view pattern, const Request& request);
bool any_nullable(const Request& request);
Status wrong_arity(const Request& request, const std::string& expected);
Status mismatch(std::string_view subclass, const std::string& sql, ErrorParameters parameters);
Status unexpected_input(const Request& request, std::size_t index, const std::string& required);
// The same of a call that is shown with the arguments that Spark adds to it.
Status unexpected_input(const Request& request, std::size_t index, const std::string& required,
                        const std::string& sql);
std::shared_ptr<arrow::Scalar> int_literal(std::int32_t value);
std::shared_ptr<arrow::Scalar> string_literal(std::string_view value);
// The text or number of a literal argument; nothing when it is not one or NULL.
std::optional<std::string> literal_text(const Argument& argument);
std::optional<std::int64_t> literal_int(const Argument& argument);

}  // namespace millstream::functions
