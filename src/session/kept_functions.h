// Functions written in SQL that are not temporary: a JSON file each in the hidden folder of their
// database. Functions; any thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "plan/analyzer.h"
#include "session/warehouse.h"

namespace millstream::session {

// Null: there is none.
Result<std::shared_ptr<const plan::SqlFunction>> kept_function(const Warehouse& warehouse,
                                                               const TableName& name);
Status keep_function(const Warehouse& warehouse, const TableName& name,
                     const plan::SqlFunction& function);
Result<bool> forget_function(const Warehouse& warehouse, const TableName& name);
Result<std::vector<std::string>> kept_functions(const Warehouse& warehouse,
                                                const std::string& database);  // sorted

}  // namespace millstream::session
