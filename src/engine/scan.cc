#include "engine/scan.h"

#include <arrow/array/array_base.h>
#include <arrow/c/bridge.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>

#include "engine/physical.h"

namespace millstream::engine {

// The rows of one run, shared by the scan's threads.
struct Slot::Rows {
  connector::Batches batches;
  std::function<void(std::int64_t)> on_rows;
};

namespace {

Status from_arrow(const arrow::Status& status) { return Status::internal("{}", status.ToString()); }

// One scan of a statement: which partition is next.
struct GlobalState {
  std::shared_ptr<void> rows;
  std::vector<idx_t> columns;  // which of the slot's columns DuckDB wants, in order
  std::atomic<std::size_t> next_partition{0};
};

struct LocalState {
  std::unique_ptr<connector::BatchReader> reader;
  connector::RecordBatchPtr batch;  // physical
  std::int64_t at = 0;
  Chunk chunk;  // what the output vectors refer to
};

}  // namespace

struct ScanCallbacks {
  static Slot* slot_of(void* data) { return *static_cast<Slot**>(data); }

  static void bind(duckdb_bind_info info) {
    duckdb_value value = duckdb_bind_get_parameter(info, 0);
    Slot* slot =
        reinterpret_cast<Slot*>(duckdb_get_uint64(value));  // NOLINT: the statement wrote it
    duckdb_destroy_value(&value);
    for (std::size_t i = 0; i < slot->names_.size(); ++i) {
      const auto sql = physical_sql(slot->schema_[i].type);
      if (!sql.ok()) return duckdb_bind_set_error(info, wrap_error(sql.status()).c_str());
      LogicalType type(physical_type(slot->schema_[i].type));
      duckdb_bind_add_result_column(info, slot->names_[i].c_str(), type.get());
    }
    if (slot->names_.empty()) {
      LogicalType type(duckdb_create_logical_type(DUCKDB_TYPE_TINYINT));
      duckdb_bind_add_result_column(info, "c_none", type.get());
    }
    if (slot->rows_estimated_ >= 0)
      duckdb_bind_set_cardinality(info, static_cast<idx_t>(slot->rows_estimated_), false);
    duckdb_bind_set_bind_data(info, new Slot*(slot),
                              [](void* data) { delete static_cast<Slot**>(data); });
  }

  static void init(duckdb_init_info info) {
    Slot* slot = slot_of(duckdb_init_get_bind_data(info));
    auto state = std::make_unique<GlobalState>();
    state->rows = slot->rows_;
    const idx_t count = duckdb_init_get_column_count(info);
    for (idx_t i = 0; i < count; ++i)
      state->columns.push_back(duckdb_init_get_column_index(info, i));
    const std::size_t partitions =
        slot->rows_ == nullptr ? 0 : slot->rows_->batches.partitions.size();
    duckdb_init_set_max_threads(info, std::max<std::size_t>(1, partitions));
    duckdb_init_set_init_data(info, state.release(),
                              [](void* data) { delete static_cast<GlobalState*>(data); });
  }

  static void local_init(duckdb_init_info info) {
    duckdb_init_set_init_data(info, new LocalState(),
                              [](void* data) { delete static_cast<LocalState*>(data); });
  }

  static void scan(duckdb_function_info info, duckdb_data_chunk output) {
    Slot* slot = slot_of(duckdb_function_get_bind_data(info));
    auto* global = static_cast<GlobalState*>(duckdb_function_get_init_data(info));
    auto* local = static_cast<LocalState*>(duckdb_function_get_local_init_data(info));
    const Status status = next_chunk(*slot, *global, *local, output);
    if (!status.ok()) duckdb_function_set_error(info, wrap_error(status).c_str());
  }

  // Makes local.batch a batch with rows left, or nullptr at the end.
  static Status advance(const Slot& slot, Slot::Rows& rows, GlobalState& global,
                        LocalState& local) {
    while (local.batch == nullptr || local.at >= local.batch->num_rows()) {
      local.batch = nullptr;
      if (local.reader == nullptr) {
        const std::size_t partition = global.next_partition++;
        if (partition >= rows.batches.partitions.size()) return Status::OK();
        TRY_ASSIGN(local.reader, rows.batches.partitions[partition]());
      }
      TRY_ASSIGN(connector::RecordBatchPtr batch, local.reader->next());
      if (batch == nullptr) {
        local.reader = nullptr;
        continue;
      }
      if (batch->num_rows() == 0) continue;
      if (rows.on_rows) rows.on_rows(batch->num_rows());
      TRY_ASSIGN(local.batch, to_physical(batch, slot.schema_, slot.physical_));
      local.at = 0;
    }
    return Status::OK();
  }

  static Status next_chunk(const Slot& slot, GlobalState& global, LocalState& local,
                           duckdb_data_chunk output) {
    duckdb_data_chunk_set_size(output, 0);
    auto* rows = static_cast<Slot::Rows*>(global.rows.get());
    if (rows == nullptr) return Status::OK();
    TRY(advance(slot, *rows, global, local));
    if (local.batch == nullptr) return Status::OK();
    const std::int64_t length = std::min<std::int64_t>(
        static_cast<std::int64_t>(duckdb_vector_size()), local.batch->num_rows() - local.at);
    const auto slice = local.batch->Slice(local.at, length);
    local.at += length;
    local.chunk.reset();
    if (!slot.names_.empty()) {
      struct ArrowArray array;
      const auto exported = arrow::ExportRecordBatch(*slice, &array);
      if (!exported.ok()) return from_arrow(exported);
      ErrorData error(duckdb_data_chunk_from_arrow(slot.connection_, &array, slot.converted_.get(),
                                                   local.chunk.out()));
      if (array.release != nullptr) array.release(&array);
      if (error && duckdb_error_data_has_error(error.get()))
        return unwrap_error(duckdb_error_data_message(error.get()));
    }
    for (std::size_t i = 0; i < global.columns.size(); ++i) {
      if (global.columns[i] >= slot.names_.size())
        continue;  // a row id, or the column of a table without any
      duckdb_vector_reference_vector(
          duckdb_data_chunk_get_vector(output, i),
          duckdb_data_chunk_get_vector(local.chunk.get(), global.columns[i]));
    }
    duckdb_data_chunk_set_size(output, static_cast<idx_t>(length));
    return Status::OK();
  }
};

Result<std::unique_ptr<Slot>> Slot::create(duckdb_connection connection,
                                           std::vector<std::string> names, column::Schema schema) {
  auto slot = std::make_unique<Slot>();
  slot->connection_ = connection;
  slot->names_ = std::move(names);
  slot->schema_ = std::move(schema);
  arrow::FieldVector fields;
  for (std::size_t i = 0; i < slot->schema_.size(); ++i) {
    TRY_ASSIGN(const std::string checked, physical_sql(slot->schema_[i].type));
    fields.push_back(arrow::field(slot->names_[i], physical_arrow(slot->schema_[i].type)));
  }
  slot->physical_ = arrow::schema(std::move(fields));
  if (slot->names_.empty()) return slot;
  struct ArrowSchema exported;
  const auto status = arrow::ExportSchema(*slot->physical_, &exported);
  if (!status.ok()) return from_arrow(status);
  ErrorData error(duckdb_schema_from_arrow(connection, &exported, slot->converted_.out()));
  if (exported.release != nullptr) exported.release(&exported);
  if (error && duckdb_error_data_has_error(error.get()))
    return unwrap_error(duckdb_error_data_message(error.get()));
  return slot;
}

void Slot::fill(connector::Batches batches, std::function<void(std::int64_t)> on_rows) {
  rows_ = std::make_shared<Rows>(Rows{std::move(batches), std::move(on_rows)});
}

void Slot::clear() { rows_ = nullptr; }

std::string Slot::sql() const {
  return fmt::format("ms_scan({}::UBIGINT)", reinterpret_cast<std::uintptr_t>(this));
}

Status register_scan(duckdb_connection connection) {
  duckdb_table_function function = duckdb_create_table_function();
  duckdb_table_function_set_name(function, "ms_scan");
  LogicalType address(duckdb_create_logical_type(DUCKDB_TYPE_UBIGINT));
  duckdb_table_function_add_parameter(function, address.get());
  duckdb_table_function_set_bind(function, ScanCallbacks::bind);
  duckdb_table_function_set_init(function, ScanCallbacks::init);
  duckdb_table_function_set_local_init(function, ScanCallbacks::local_init);
  duckdb_table_function_set_function(function, ScanCallbacks::scan);
  duckdb_table_function_supports_projection_pushdown(function, true);
  const auto state = duckdb_register_table_function(connection, function);
  duckdb_destroy_table_function(&function);
  return state == DuckDBSuccess ? Status::OK()
                                : Status::internal("DuckDB refused the scan function");
}

}  // namespace millstream::engine
