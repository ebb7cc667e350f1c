// Connect's messages for what the API says: constants, names, calls.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "millstream/column.h"

namespace spark::connect {
class Expression;
class Expression_Literal;
class Expression_SortOrder;
}  // namespace spark::connect

namespace millstream::client {

void to_literal(const api::Value& value, spark::connect::Expression_Literal* literal);
api::Value from_literal(const spark::connect::Expression_Literal& literal);

// A SortOrder for a column that may be one already.
void to_sort_order(const api::Column& column, spark::connect::Expression_SortOrder* order);

}  // namespace millstream::client
