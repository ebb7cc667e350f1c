// PARTITION (p = 1, q = 'x') of tables of files: which folders it means. Functions; any thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "column/types.h"
#include "session/session.h"
#include "sql/statement.h"

namespace millstream::session {

// "p=1", "q=x": a folder for each constant, in the order of the table's columns.
Result<std::vector<std::string>> partition_folders(Session& session, const sql::PartitionSpec& spec,
                                                   const column::Schema& table,
                                                   const std::vector<std::string>& partition_by,
                                                   const ActionContext& context);
// The constants as the texts that Spark makes of them before they are of their columns' types.
Result<sql::PartitionSpec> as_texts(Session& session, const sql::PartitionSpec& spec,
                                    const column::Schema& table, const ActionContext& context);
// The folders below `directory` that are partitions by those columns: "p=1/q=x", with the names of
// the columns, and the folders' own names, "P=1/q=x".
Result<std::map<std::string, std::string>> partitions_of(io::Store& store,
                                                         const std::string& directory,
                                                         const std::vector<std::string>& columns);
// What a write of a table of files did to its partitions: `written` got files; an overwrite without
// dynamic partitions replaced all of `below`.
Status note_partitions(Warehouse& warehouse, const TableName& name,
                       const std::vector<std::string>& written, bool replaced,
                       const std::vector<std::string>& below);
// Whether the partition ("p=1/q=x") lies in each of the folders.
bool lies_in(const std::string& partition, const std::vector<std::string>& folders);

}  // namespace millstream::session
