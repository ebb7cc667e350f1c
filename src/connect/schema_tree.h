// The tree that df.printSchema() shows, for clients that ask the server for it. Pure.
#pragma once

#include <string>

#include "column/types.h"

namespace millstream::connect {

std::string schema_tree(const column::Schema& schema, int level_max);  // 0: all levels

}  // namespace millstream::connect
