// Table: what a batch query can read. Implementations: files of a format, a Delta snapshot, a
// memory sink's rows. Immutable and shareable between threads; a scan sees one state of the table.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "connector/batches.h"

namespace arrow {
struct Scalar;
}  // namespace arrow

namespace millstream::connector {

// `path op values`, of a conjunction. A table may use it to skip files and row groups in which no
// row can match; it promises nothing: whoever asked filters again. NULL in the column never
// matches, except is_null and null_safe_equal.
struct Predicate {
  enum class Op : std::uint8_t {
    equal,
    not_equal,
    less,
    less_equal,
    greater,
    greater_equal,
    in,  // any of values
    is_null,
    is_not_null,
    starts_with,
  };
  std::vector<std::string> path;  // column, then struct members
  Op op;
  std::vector<std::shared_ptr<arrow::Scalar>>
      values;  // of the column's Arrow type; none for is_null, is_not_null
};

struct ScanRequest {
  // The columns wanted, in this order, by their exact names in schema(); "_metadata" gives the
  // struct of metadata_fields(). May be empty: rows without columns are then counted only.
  std::vector<std::string> columns;
  std::vector<Predicate> predicates;
  std::optional<std::int64_t> limit;  // so many rows suffice
};

class Table {
 public:
  virtual ~Table() = default;
  virtual const column::Schema& schema() const = 0;
  // The members of the hidden column _metadata; empty: the table has none.
  virtual const column::Schema& metadata_fields() const = 0;
  virtual Result<Batches> scan(const ScanRequest& request) const = 0;
  // About how many rows there are, for the order of joins; nothing when that is not known cheaply.
  virtual std::optional<std::int64_t> rows_estimated() const { return std::nullopt; }
  virtual std::string describe() const = 0;  // for explain: "parquet [/data/x]"
  virtual std::vector<std::string> input_files() const { return {}; }  // URIs, for df.inputFiles()
};

}  // namespace millstream::connector
