// Reads the files of one batch, and turns unknown fields into what the evolution mode says. Made by
// the source on its query's thread; the partitions are read by many threads.
#pragma once

#include <memory>
#include <vector>

#include "connector/batches.h"
#include "connector/table.h"
#include "loader/definition.h"
#include "loader/seen_files.h"

namespace millstream::loader {

Result<connector::Batches> read_files(const std::shared_ptr<const Definition>& definition,
                                      const std::vector<SeenFile>& files,
                                      const connector::ScanRequest& request);

// Neighbouring files in at most `parts_max` groups of about the same number of bytes; small batches
// make fewer groups. Pure: [begin, end) indexes into sizes.
std::vector<std::pair<std::size_t, std::size_t>> balanced_groups(
    const std::vector<std::int64_t>& sizes, std::size_t parts_max);

}  // namespace millstream::loader
