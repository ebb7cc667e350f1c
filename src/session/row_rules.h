// DEFAULT and generated columns where single rows change: the values of UPDATE and MERGE. One
// statement's; used by one thread.
#pragma once

#include <string>
#include <vector>

#include "session/table_change.h"

namespace millstream::session {

class RowRules {
 public:
  explicit RowRules(TableChange& table) : table_(table), rules_(table.snapshot().schema()) {}

  // What SET gives to the column at `path`: DEFAULT is the column's, unless a column has that name;
  // any other value is resolved over `inputs`.
  Result<plan::ExprPtr> value(const std::vector<plan::NodePtr>& inputs,
                              const std::vector<std::string>& path,
                              const spark::connect::Expression& given);
  // Of a new row, whose column at `index` nothing gives.
  Result<plan::ExprPtr> missing(std::size_t index);
  // Computes the generated columns of a row from its other `values`; those that the statement
  // assigns (`given`, names) must be what they would be.
  Status generate(const std::vector<std::string>& given, std::vector<plan::ExprPtr>& values);

 private:
  TableChange& table_;
  const column::Schema& rules_;  // the table's columns with their notes
};

}  // namespace millstream::session
