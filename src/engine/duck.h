// Owners of DuckDB's C handles, and its errors as Status. Any thread; each handle by one thread at
// a time.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include <duckdb.h>

#include "base/status.h"

namespace millstream::engine {

// A handle that is destroyed with its owner. `Destroy` takes a pointer to the handle, as all of
// DuckDB's do.
template <typename Handle, void (*Destroy)(Handle*)>
class Owned {
 public:
  Owned() = default;
  explicit Owned(Handle handle) : handle_(handle) {}
  Owned(Owned&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    if (this != &other) {
      reset();
      handle_ = std::exchange(other.handle_, nullptr);
    }
    return *this;
  }
  ~Owned() { reset(); }
  void reset() {
    if (handle_ != nullptr) Destroy(&handle_);
    handle_ = nullptr;
  }
  Handle get() const { return handle_; }
  Handle* out() { return &handle_; }
  explicit operator bool() const { return handle_ != nullptr; }

 private:
  Handle handle_ = nullptr;
};

using Database = Owned<duckdb_database, duckdb_close>;
using Connection = Owned<duckdb_connection, duckdb_disconnect>;
using Prepared = Owned<duckdb_prepared_statement, duckdb_destroy_prepare>;
using Pending = Owned<duckdb_pending_result, duckdb_destroy_pending>;
using Chunk = Owned<duckdb_data_chunk, duckdb_destroy_data_chunk>;
using LogicalType = Owned<duckdb_logical_type, duckdb_destroy_logical_type>;
using ArrowOptions = Owned<duckdb_arrow_options, duckdb_destroy_arrow_options>;
using ConvertedSchema = Owned<duckdb_arrow_converted_schema, duckdb_destroy_arrow_converted_schema>;
using ErrorData = Owned<duckdb_error_data, duckdb_destroy_error_data>;

// The text that carries `status` through DuckDB as an error message.
std::string wrap_error(const Status& status);
// What an error message of DuckDB means: the wrapped Status, or the condition that Spark has for
// it.
Status unwrap_error(const char* message);

Status run_sql(duckdb_connection connection, const std::string& sql);

}  // namespace millstream::engine
