// Several partitions as one: for rows that one thread is to read, one after the other.
#pragma once

#include <vector>

#include "connector/batches.h"

namespace millstream::connector {

Batches::Partition chained(std::vector<Batches::Partition> partitions);

}  // namespace millstream::connector
