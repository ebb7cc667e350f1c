// Row tracking: every row has an id, which it keeps while it is changed or moved to another file,
// and the version of the commit that changed it last. A file gives its rows ids by their places,
// from its baseRowId on; rows that were rewritten have theirs in two columns of the file that no
// user sees. The log keeps the highest id that was given (domain delta.rowTracking). Functions,
// pure; see file_scan.h for how ids are read.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "delta/actions.h"
#include "delta/snapshot.h"

namespace millstream::delta {

// Columns of scans and of rows that are rewritten; no table's column has such names.
namespace row_ids {
inline constexpr std::string_view id = "{row id}";
inline constexpr std::string_view version = "{row version}";  // NULL: the commit's own
inline constexpr std::string_view domain = "delta.rowTracking";
}  // namespace row_ids

// Whether new files get ids: the feature is listed.
bool gives_row_ids(const Protocol& protocol, const Metadata& metadata);
// Whether rows keep theirs: delta.enableRowTracking.
bool keeps_row_ids(const TableInfo& info);

// Of a table that gives ids: names for the two columns, those that it had, where it had some.
void name_row_ids(const Protocol& protocol, const Metadata& before, Metadata& metadata);

// A table that keeps ids, with the two columns as its last ones.
Result<TableInfoPtr> with_row_ids(const TableInfoPtr& info);
// The same where the table keeps ids; else as it is: what rows have that are rewritten.
Result<TableInfoPtr> as_rewritten(const TableInfoPtr& info);

// The highest id that was given; -1: none.
std::int64_t highest_row_id(const std::map<std::string, DomainMetadata>& domains);
std::int64_t highest_row_id(const DomainMetadata& domain);
DomainMetadata row_id_domain(std::int64_t highest);

// Gives the files that have none ids above `highest`, which moves, and `version`.
Status give_row_ids(std::int64_t version, std::vector<AddFilePtr>& files, std::int64_t& highest);

// The members of `_metadata` of a table's rows: those of all files, and ids where it keeps them.
const column::Schema& metadata_fields(const TableInfo& info);

}  // namespace millstream::delta
