// Tables of parquet, json, csv, … files as targets of df.write. Functions; any thread.
#pragma once

#include "delta/write.h"
#include "session/session.h"

namespace spark::connect {
class WriteOperation;
}  // namespace spark::connect

namespace millstream::session {

// Which formats a table of the warehouse may have beside Delta.
bool is_table_format(const std::string& format);

// The rows, whose columns are the table's in order, cast as a store assignment is.
Status insert_into_file_table(Session& session, const TableName& name, const Entry& entry,
                              delta::SaveMode mode, const plan::NodePtr& rows,
                              const ActionContext& context);
// saveAsTable. `entry`: what is there under that name.
Status save_file_table(Session& session, const spark::connect::WriteOperation& write,
                       const std::string& format, const TableName& name,
                       const std::optional<Entry>& entry, bool exists, const plan::NodePtr& node,
                       const ActionContext& context);

// `rows` with the types of the table's columns, which they have in that order. `statement`: the
// text that asks for it.
Result<plan::NodePtr> as_stored(Session& session, const plan::NodePtr& rows,
                                const column::Schema& table, const std::string& table_shown,
                                const std::string& statement = {});

}  // namespace millstream::session
