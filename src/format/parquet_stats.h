// The per-leaf statistics of a file being written. Minimum, maximum and NULLs of plain leaves are
// those that Parquet's writer computes for its own footer while it encodes; what it does not tell
// (NULLs of whole arrays and maps, NaN) is gathered here. Used by one ParquetWriter.
#pragma once

#include <parquet/type_fwd.h>

#include <cstdint>
#include <string>
#include <vector>

#include "column/types.h"
#include "format/parquet.h"

namespace arrow {
class Array;
class RecordBatch;
struct Scalar;
}  // namespace arrow

namespace parquet {
class ColumnChunkMetaData;
}  // namespace parquet

namespace millstream::format {

class StatsCollector {
 public:
  StatsCollector(const column::Schema& schema, const ParquetWriteOptions& options);
  void add(const arrow::RecordBatch& batch);
  std::vector<LeafStats> finish(const parquet::FileMetaData& footer);

 private:
  struct Leaf {
    LeafStats stats;
    std::vector<int> indexes;  // from the top column down
    int parquet_column = -1;   // -1: an array or a map
  };
  void find_leaves(const column::Schema& fields, std::vector<std::string>& path,
                   std::vector<int>& indexes, int& parquet_column);

  std::vector<Leaf> leaves_;
};

// Smallest and largest value of a chunk as scalars of the column's type, as its footer tells;
// false: it does not.
bool range_of_chunk(const parquet::ColumnChunkMetaData& chunk, const column::TypePtr& type,
                    std::shared_ptr<arrow::Scalar>& min, std::shared_ptr<arrow::Scalar>& max);

// About the number of bytes that the values take in memory.
std::int64_t arrow_bytes(const arrow::RecordBatch& batch);

}  // namespace millstream::format
