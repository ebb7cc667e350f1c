// Identity columns: the table numbers its rows. The greatest number that was given (the least,
// where they fall) stands in the column's metadata, and goes up with the commit of the rows that
// got numbers: two writers of one table do not both win. Gaps are normal: numbers of an attempt
// that failed are not given again by it, but may be by another.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "connector/batches.h"
#include "delta/snapshot.h"

namespace millstream::delta {

struct IdentityColumn {
  std::size_t column = 0;  // of the table
  std::string name;
  std::int64_t start = 1;
  std::int64_t step = 1;
  std::optional<std::int64_t> mark;  // the last number that was given
  bool explicit_allowed = false;
};

bool is_identity(const column::Field& field);
bool takes_explicit_numbers(const column::Field& field);  // an identity column
// DELTA_IDENTITY_COLUMN_INCONSISTENT_METADATA for notes that do not say it all.
Result<std::vector<IdentityColumn>> identity_columns(const column::Schema& schema);
void set_mark(column::Field& field, std::int64_t mark);
// The metadata with the mark of a column put to it.
Result<Metadata> with_mark(const Metadata& metadata, const std::string& column, std::int64_t mark);
// A restored table goes on behind the numbers that were ever given.
Status keep_marks(const column::Schema& known, Metadata& restored);
// The first of the column's numbers that is not before `value`.
Result<std::int64_t> mark_at(const IdentityColumn& column, std::int64_t value);
// Whether only marks differ.
bool same_but_marks(const Metadata& a, const Metadata& b);

// The numbers that one write gives. Shared by the threads that make its rows.
class IdentityNumbers : public std::enable_shared_from_this<IdentityNumbers> {
 public:
  static Result<std::shared_ptr<IdentityNumbers>> of(const TableInfo& table);

  // The rows with a number in every identity column that they do not have.
  // DELTA_IDENTITY_COLUMNS_EXPLICIT_INSERT_NOT_SUPPORTED for one that they must not have.
  Result<connector::Batches> complete(connector::Batches rows);
  // Rows of the table with numbers in the place of what they have in these columns (of the table).
  connector::Batches replace(connector::Batches rows, const std::vector<std::size_t>& columns);

  bool are_used() const { return taken_ > 0 && !numbered_.empty(); }
  // The metadata with the marks of what was given.
  Result<Metadata> noted(Metadata metadata) const;

 private:
  friend class NumberedReader;
  Result<std::int64_t> number(const IdentityColumn& column, std::int64_t index) const;

  std::vector<IdentityColumn> columns_;
  std::vector<std::size_t> numbered_;    // of columns_: those that get numbers
  std::atomic<std::int64_t> taken_ = 0;  // rows
};

}  // namespace millstream::delta
