// A value of an Arrow array as a Connect literal, for observed metrics. Pure.
#pragma once

#include "base/status.h"
#include "column/types.h"

namespace arrow {
class Array;
}  // namespace arrow

namespace spark::connect {
class Expression_Literal;
}  // namespace spark::connect

namespace millstream::connect {

Status to_literal(const arrow::Array& array, std::int64_t index, const column::TypePtr& type,
                  spark::connect::Expression_Literal* literal);

}  // namespace millstream::connect
