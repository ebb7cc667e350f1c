// A scan of plain Parquet files as SQL: DuckDB's own reader, which skips what its filters and joins
// rule out. Pure.
#pragma once

#include <string>
#include <vector>

#include "connector/parquet_files.h"
#include "engine/lower.h"

namespace millstream::engine {

// "(SELECT … FROM read_parquet([…]) UNION ALL …)", its columns named `names`, of the physical forms
// of `schema`.
Result<std::string> parquet_relation(const connector::ParquetFiles& files,
                                     const std::vector<std::string>& names,
                                     const column::Schema& schema, ExprLowering& exprs);

}  // namespace millstream::engine
