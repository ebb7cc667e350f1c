// from_json and to_json over values of any type; the table of them is in json_write.cc.
#pragma once

#include <string>

#include "engine/value_kernel.h"

namespace millstream::engine {

Result<Value> from_json(const ValueKernel& kernel, const Values& arguments);
Result<Value> to_json(const ValueKernel& kernel, const Values& arguments);

}  // namespace millstream::engine
