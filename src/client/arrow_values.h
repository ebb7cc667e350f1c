// Values of the API from Arrow's arrays, and rows of the API as Arrow's IPC stream.
#pragma once

#include <string>
#include <vector>

#include "column/types.h"
#include "millstream/value.h"

namespace arrow {
class Array;
class RecordBatch;
}  // namespace arrow

namespace millstream::client {

api::Value value_at(const arrow::Array& array, std::int64_t index);
api::Row row_at(const arrow::RecordBatch& batch, const api::Row::Names& names, std::int64_t row);

// The record batches of one Arrow IPC stream, as an answer carries it. Bytes that are none are an
// error, never a crash.
Result<std::vector<std::shared_ptr<arrow::RecordBatch>>> read_ipc(const std::string& bytes);

// The rows as an IPC stream of `schema`. An error names the row and the column whose value does not
// fit.
Result<std::string> write_ipc(const std::vector<api::Values>& rows, const column::Schema& schema);

}  // namespace millstream::client
