// Which row groups of a Parquet file can hold rows that a conjunction of predicates takes, by the
// footer's statistics.
#pragma once

#include <optional>
#include <vector>

#include "column/types.h"
#include "connector/table.h"
#include "format/parquet_adapt.h"

namespace parquet {
class FileMetaData;
}  // namespace parquet
namespace parquet::arrow {
struct SchemaManifest;
}  // namespace parquet::arrow

namespace millstream::format {

// Indexes of the row groups to read. Predicates on columns of other types than `wanted` says are
// left alone.
std::vector<int> matching_row_groups(const parquet::FileMetaData& footer,
                                     const parquet::arrow::SchemaManifest& manifest,
                                     const column::Schema& wanted, const MatchRule& rule,
                                     const std::vector<connector::Predicate>& predicates);

// Less than, equal to, or greater than 0; nothing for types without order here, or of different
// types.
std::optional<int> compare_scalars(const arrow::Scalar& a, const arrow::Scalar& b);

}  // namespace millstream::format
