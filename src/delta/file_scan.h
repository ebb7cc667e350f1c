// Reads data files of a table as batches: projected, with partition values and `_metadata` put in,
// small files together. What batch scans and the streaming source share. The readers it makes are
// used by one thread each.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "connector/table.h"
#include "delta/row_set.h"
#include "delta/snapshot.h"
#include "io/store.h"

namespace millstream::delta {

// Takes away files in which no row can match the predicates, and those that a limit does not need.
void choose_files(std::vector<AddFilePtr>& files, const TableInfo& info,
                  const connector::ScanRequest& request);

// The rows of `files`, which the caller has chosen; may_match is applied here. `info` gives the
// columns; `time_zone`: of timestamps in the partition values that do not say theirs.
Result<connector::Batches> scan_files(const std::shared_ptr<io::Store>& store,
                                      const std::string& table, const TableInfoPtr& info,
                                      std::vector<AddFilePtr> files,
                                      const connector::ScanRequest& request, bool case_sensitive,
                                      const std::string& time_zone);

// Where a row is, as one number: its file's number in a list, then its position in the file.
namespace places {
inline constexpr std::string_view column = "{place}";  // no table's column has such a name
inline constexpr int position_bits = 40;
inline std::int64_t first_of(std::size_t file) {
  return static_cast<std::int64_t>(file) << position_bits;
}
inline std::size_t file_of(std::int64_t place) {
  return static_cast<std::size_t>(place >> position_bits);
}
inline std::int64_t position_of(std::int64_t place) {
  return place & ((std::int64_t{1} << position_bits) - 1);
}
}  // namespace places

// Files by number, and rows of them that a scan leaves out.
struct RowChoice {
  std::vector<AddFilePtr> files;
  std::vector<std::shared_ptr<const RowSet>> left_out;  // by the file's number; may be shorter
  bool others_left_out = false;  // the other way round: those rows are the ones that are read
};

// As scan_files, of the rows that are chosen; request.columns may name places::column and, of a
// table that keeps row ids, row_ids::id and row_ids::version.
Result<connector::Batches> scan_rows(const std::shared_ptr<io::Store>& store,
                                     const std::string& table, const TableInfoPtr& info,
                                     const std::shared_ptr<const RowChoice>& choice,
                                     const connector::ScanRequest& request, bool case_sensitive,
                                     const std::string& time_zone);

}  // namespace millstream::delta
