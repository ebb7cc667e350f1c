// Type rules shared by the table's parts: Spark's coercion, with ANSI and without, and its decimal
// arithmetic. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "column/types.h"
#include "functions/registry.h"

namespace millstream::functions {

// The decimal that an integral type counts as: (3,0) (5,0) (10,0) (20,0). Nothing for other types.
column::TypePtr decimal_of_integral(const column::DataType& type);
// As above, but an integer literal counts by its own digits and a decimal is itself.
column::TypePtr decimal_of(const Argument& argument);
// Precision beyond 38 is taken from the scale, of which at least 6 digits (or all) stay.
column::TypePtr adjusted_decimal(int precision, int scale);
column::TypePtr bounded_decimal(int precision, int scale);

// What `from` becomes where a parameter of type `to` is expected; nothing when Spark does not cast
// implicitly.
bool can_cast_implicitly(const column::DataType& from, const column::DataType& to);
// The same for a function's own parameters: a number fits any other kind of number.
bool fits_parameter(const column::DataType& from, const column::DataType& to);
// Spark's "tightest common type": no string promotion.
column::TypePtr tightest_type(const column::TypePtr& a, const column::TypePtr& b, bool ansi);
column::TypePtr wider_type_of(const std::vector<Argument>& arguments, bool ansi);
// Without ANSI greatest and kin turn nothing into text.
column::TypePtr wider_type_without_text(const std::vector<Argument>& arguments, bool ansi);
bool is_orderable(const column::DataType& type);
// Whether the fields of structs, however deep, have one name each, in any case: others have no
// common type, though they can be compared.
bool names_agree(const column::DataType& a, const column::DataType& b);
// Whether the types are one but for the names of fields and what may be NULL.
bool same_but_for_names(const column::TypePtr& a, const column::TypePtr& b);

// "\"INT\"": how messages quote a type, an expression.
std::string quoted(const column::TypePtr& type);
std::string quoted(const std::string& sql);

}  // namespace millstream::functions
