// What a table asks of each of its rows: CHECK constraints and column invariants. They are SQL,
// which this room cannot evaluate: a writer that is given no guard refuses such tables.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/status.h"
#include "connector/batches.h"
#include "delta/snapshot.h"

namespace millstream::delta {

struct Constraint {
  std::string name;
  std::string expression;  // must be true: NULL is not
};

std::vector<Constraint> constraints_of(const TableInfo& table);

// The same rows, in columns of the same names, looked at while they are read:
// DELTA_VIOLATE_CONSTRAINT_WITH_VALUES. Null: there is nobody who could.
using RowGuard =
    std::function<Result<connector::Batches>(const TableInfo& table, connector::Batches rows)>;

// Whether rows may lack columns that the table computes: defaults, generated ones.
bool computes_columns(const TableInfo& table);

// The rows as they are to be written.
Result<connector::Batches> guarded(const RowGuard& guard, const TableInfo& table,
                                   connector::Batches rows);

}  // namespace millstream::delta
