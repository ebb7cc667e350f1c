// Whole files as rows: the format binaryFile.
#pragma once

#include <memory>

#include "connector/batches.h"
#include "io/store.h"

namespace millstream::format {

// path, modificationTime, length, content.
const column::Schema& binary_file_schema();
// One row with the columns `own` of those.
Result<std::unique_ptr<connector::BatchReader>> open_binary_file(
    const std::shared_ptr<io::Store>& store, const io::FileInfo& file, const column::Schema& own);

}  // namespace millstream::format
