#include "engine/statement.h"

#include <arrow/c/bridge.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/text.h"
#include "engine/approx_distinct.h"
#include "engine/deep_stack.h"
#include "engine/failures.h"
#include "engine/kernels.h"
#include "engine/locate.h"
#include "engine/memory_watch.h"
#include "engine/moments.h"
#include "engine/parquet_relation.h"
#include "engine/physical.h"
#include "engine/sketches.h"

namespace millstream::engine {
namespace {

// A batch given onwards has about this many rows; DuckDB's own come 2048 at a time.
constexpr std::int64_t batch_rows = 32 * 1024;

// Preparing an expression of this depth takes some seconds.
constexpr int expression_depth_max = 600;

Status from_arrow(const arrow::Status& status) { return Status::internal("{}", status.ToString()); }

Status set_option(duckdb_config config, const char* name, const std::string& value) {
  if (duckdb_set_config(config, name, value.c_str()) == DuckDBSuccess) return Status::OK();
  return Status::internal("DuckDB does not know the setting {} = {}", name, value);
}

std::optional<std::int64_t> rows_of(const plan::Node& leaf) {
  if (leaf.kind == plan::NodeKind::scan) return plan::as<plan::Scan>(leaf).table->rows_estimated();
  if (leaf.kind != plan::NodeKind::local) return std::nullopt;
  std::int64_t rows = 0;
  for (const auto& batch : plan::as<plan::Local>(leaf).batches) rows += batch->num_rows();
  return rows;
}

// Whether the first row comes out when all rows below have been read.
bool is_blocking(const plan::Node& node) {
  switch (node.kind) {
    case plan::NodeKind::aggregate:
    case plan::NodeKind::sort:
      return true;
    case plan::NodeKind::project:
    case plan::NodeKind::filter:
    case plan::NodeKind::limit:
      return !node.children.empty() && is_blocking(*node.children[0]);
    default:
      return false;
  }
}

// Leaves of a plan as slots of the statement, or as files that DuckDB reads.
class StatementLeaves final : public NodeLowering::Leaves {
 public:
  StatementLeaves(duckdb_connection connection, ExprLowering* exprs, Reading reading, bool blocking,
                  std::vector<Statement::Leaf>* leaves, std::vector<const plan::Scan*>* file_scans)
      : connection_(connection),
        exprs_(exprs),
        reading_(reading),
        blocking_(blocking),
        leaves_(leaves),
        file_scans_(file_scans) {}

  Result<std::string> leaf(const plan::NodePtr& node) override {
    std::vector<std::string> names;
    column::Schema schema;
    for (const auto& attribute : node->output) {
      // A plan of its own below shows its visible columns only.
      if (node->kind == plan::NodeKind::collect_metrics && attribute.hidden) continue;
      std::string name = column_name(attribute.id);
      // Twice the same column: the second is out of reach, so its name is free.
      if (std::find(names.begin(), names.end(), name) != names.end())
        name += fmt::format("_{}", names.size());
      names.push_back(std::move(name));
      schema.push_back({attribute.name, attribute.type, attribute.nullable, {}});
    }
    TRY_ASSIGN(const auto files, files_of(*node));
    if (files) {
      file_scans_->push_back(&plan::as<plan::Scan>(*node));
      for (std::size_t i = 0; i < node->output.size(); ++i) {
        if (files->magnitude_max[i])
          exprs_->set_magnitude(node->output[i].id, *files->magnitude_max[i]);
      }
      return parquet_relation(*files, names, schema, *exprs_);
    }
    TRY_ASSIGN(auto slot, Slot::create(connection_, std::move(names), std::move(schema)));
    if (const auto rows = rows_of(*node)) slot->set_rows_estimated(*rows);
    std::string sql = slot->sql();
    leaves_->push_back({node.get(), std::move(slot)});
    return sql;
  }

 private:
  Result<std::optional<connector::ParquetFiles>> files_of(const plan::Node& node) const {
    if (reading_ != Reading::files || node.kind != plan::NodeKind::scan)
      return std::optional<connector::ParquetFiles>();
    const auto& scan = plan::as<plan::Scan>(node);
    // DuckDB refuses texts that are not UTF-8. When rows were given out before, nothing else can be
    // tried.
    const bool texts =
        std::any_of(scan.output.begin(), scan.output.end(),
                    [](const plan::Attribute& column) { return column.type->is_string(); });
    if (texts && !blocking_) return std::optional<connector::ParquetFiles>();
    const auto* table = dynamic_cast<const connector::ParquetBacked*>(scan.table.get());
    if (table == nullptr) return std::optional<connector::ParquetFiles>();
    return table->parquet_files({scan.columns, scan.predicates, scan.limit});
  }

  duckdb_connection connection_;
  ExprLowering* exprs_;
  const Reading reading_;
  const bool blocking_;
  std::vector<Statement::Leaf>* leaves_;
  std::vector<const plan::Scan*>* file_scans_;
};

// While it lives, a cancelled token interrupts what the connection runs, and its kernels.
class Interruption {
 public:
  Interruption(duckdb_connection connection, Work* work, const CancelToken* cancel)
      : cancel_(const_cast<CancelToken*>(cancel)) {
    if (cancel_ == nullptr) return;
    callback_ = cancel_->on_cancel([connection, work] {
      work->cancel();
      duckdb_interrupt(connection);
    });
  }
  ~Interruption() {
    if (cancel_ != nullptr) cancel_->forget(callback_);
  }
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

 private:
  CancelToken* cancel_;
  std::size_t callback_ = 0;
};

// Ends a query that nobody will read to its end: DuckDB's threads may be in the middle of its
// scans, and the next query of the connection waits for them. Without the interrupt they would go
// on to the scans' end.
void end_query(duckdb_connection connection) {
  duckdb_interrupt(connection);
  duckdb_result none;
  duckdb_query(connection, "SELECT 1", &none);
  duckdb_destroy_result(&none);
}

// The error of a run. An interrupt that nobody asked for ended what an error had made useless.
Status cause_of(const Status& status, const Work& work, const CancelToken* cancel) {
  if (!status.is("OPERATION_CANCELED") || (cancel != nullptr && cancel->cancelled())) return status;
  const Status failure = failure_of(&work);
  return failure.ok() ? status : failure;
}

// The rows of one run.
class ResultReader final : public connector::BatchReader {
 public:
  ResultReader(duckdb_result result, duckdb_connection connection, Work* work,
               duckdb_arrow_options options, const column::Schema& schema,
               std::shared_ptr<arrow::Schema> logical, plan::NodePtr node,
               const CancelToken* cancel)
      : result_(result),
        connection_(connection),
        options_(options),
        schema_(schema),
        logical_(std::move(logical)),
        node_(std::move(node)),
        work_(*work),
        cancel_(cancel),
        interruption_(connection, work, cancel) {}
  ~ResultReader() override {
    duckdb_destroy_result(&result_);
    if (!ended_) end_query(connection_);
  }

  Result<connector::RecordBatchPtr> next() override {
    std::vector<connector::RecordBatchPtr> parts;
    std::int64_t rows = 0;
    while (!ended_ && rows < batch_rows) {
      TRY_ASSIGN(connector::RecordBatchPtr part, chunk());
      if (part == nullptr) {
        ended_ = true;
        break;
      }
      rows += part->num_rows();
      if (part->num_rows() > 0) parts.push_back(std::move(part));
    }
    if (parts.empty()) return connector::RecordBatchPtr();
    connector::RecordBatchPtr whole = parts[0];
    if (parts.size() > 1 && schema_.empty()) {
      whole = arrow::RecordBatch::Make(physical_, rows, arrow::ArrayVector{});
    } else if (parts.size() > 1) {
      auto joined = arrow::ConcatenateRecordBatches(parts);
      if (!joined.ok()) return from_arrow(joined.status());
      whole = *joined;
    }
    return to_logical(whole, schema_, logical_);
  }

 private:
  Result<connector::RecordBatchPtr> chunk() {
    if (cancel_ != nullptr && cancel_->cancelled()) return Status::cancelled();
    Chunk chunk(duckdb_fetch_chunk(result_));
    if (!chunk) {
      const char* error = duckdb_result_error(&result_);
      if (error == nullptr || *error == '\0') return connector::RecordBatchPtr();
      return locate_error(cause_of(unwrap_error(error), work_, cancel_), *node_);
    }
    const auto rows = static_cast<std::int64_t>(duckdb_data_chunk_get_size(chunk.get()));
    TRY(learn_schema());
    if (schema_.empty()) return arrow::RecordBatch::Make(physical_, rows, arrow::ArrayVector{});
    struct ArrowArray array;
    array.release = nullptr;
    ErrorData failed(duckdb_data_chunk_to_arrow(options_, chunk.get(), &array));
    if (failed && duckdb_error_data_has_error(failed.get()))
      return unwrap_error(duckdb_error_data_message(failed.get()));
    auto imported = arrow::ImportRecordBatch(&array, physical_);
    if (!imported.ok()) return from_arrow(imported.status());
    return *imported;
  }

  Status learn_schema() {
    if (physical_ != nullptr) return Status::OK();
    if (schema_.empty()) {
      physical_ = arrow::schema(arrow::FieldVector{});
      return Status::OK();
    }
    const idx_t count = duckdb_column_count(&result_);
    std::vector<LogicalType> owners;
    std::vector<duckdb_logical_type> types;
    std::vector<const char*> names;
    for (idx_t i = 0; i < count; ++i) {
      owners.emplace_back(duckdb_column_logical_type(&result_, i));
      types.push_back(owners.back().get());
      names.push_back(duckdb_column_name(&result_, i));
    }
    struct ArrowSchema exported;
    exported.release = nullptr;
    ErrorData failed(
        duckdb_to_arrow_schema(options_, types.data(), names.data(), count, &exported));
    if (failed && duckdb_error_data_has_error(failed.get()))
      return unwrap_error(duckdb_error_data_message(failed.get()));
    auto imported = arrow::ImportSchema(&exported);
    if (!imported.ok()) return from_arrow(imported.status());
    physical_ = *imported;
    return Status::OK();
  }

  duckdb_result result_;
  duckdb_connection connection_;
  duckdb_arrow_options options_;
  const column::Schema& schema_;
  std::shared_ptr<arrow::Schema> logical_;
  std::shared_ptr<arrow::Schema> physical_;
  plan::NodePtr node_;
  const Work& work_;
  const CancelToken* cancel_;
  const Interruption interruption_;
  bool ended_ = false;
};

// Of a limit for the process DuckDB has what the program itself does not need. What its allocator
// keeps of freed memory is not counted, and as it comes is up to two thirds of a limit of 1 GiB:
// it is given back at once.
Status limit_memory(duckdb_config config, std::int64_t bytes_max) {
  constexpr std::int64_t program = 128 << 20;
  constexpr std::int64_t least = 192 << 20;  // less does not hold the buffers of a sort that spills
  const std::int64_t counted = std::max(bytes_max - program, std::min(bytes_max, least));
  TRY(set_option(config, "memory_limit", fmt::format("{}B", counted)));
  TRY(set_option(config, "allocator_flush_threshold", "1MiB"));
  return set_option(config, "allocator_bulk_deallocation_flush_threshold", "1MiB");
}

}  // namespace

Result<std::unique_ptr<Home>> Home::open(const EngineSettings& settings) {
  duckdb_config config;
  if (duckdb_create_config(&config) == DuckDBError)
    return Status::internal("DuckDB gave no configuration");
  const Owned<duckdb_config, duckdb_destroy_config> owner(config);
  const int threads = settings.threads > 0
                          ? settings.threads
                          : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  TRY(set_option(config, "threads", std::to_string(threads)));
  if (settings.memory_bytes_max > 0) TRY(limit_memory(config, settings.memory_bytes_max));
  TRY(set_option(config, "temp_directory", settings.spill_directory));
  TRY(set_option(config, "preserve_insertion_order", "true"));
  TRY(set_option(config, "autoinstall_known_extensions", "false"));
  TRY(set_option(config, "autoload_known_extensions", "false"));
  auto home = std::make_unique<Home>();
  home->budget_ = std::make_shared<WorkBudget>(settings.memory_bytes_max);
  home->memory_bytes_max_ = settings.memory_bytes_max;
  char* error = nullptr;
  if (duckdb_open_ext(nullptr, home->database_.out(), config, &error) == DuckDBError) {
    const Status status = unwrap_error(error);
    duckdb_free(error);
    return status;
  }
  TRY_ASSIGN(home->registrar_, home->connect());
  const duckdb_connection connection = home->registrar_.get();
  // Local files only. Not in the configuration: there it would take the spill folder away too.
  TRY(run_sql(connection, "SET enable_external_file_cache = false"));  // the system has one
  TRY(run_sql(connection, "SET allowed_directories = ['/']"));
  TRY(run_sql(connection, "SET enable_external_access = false"));
  TRY(register_scan(connection));
  TRY(register_watch_kernels(connection));
  TRY(register_arithmetic_kernels(connection));
  TRY(register_cast_kernels(connection));
  TRY(register_string_kernels(connection));
  TRY(register_regex_kernels(connection));
  TRY(register_datetime_kernels(connection));
  TRY(register_json_kernels(connection));
  TRY(register_text_kernels(connection));
  TRY(register_encoding_kernels(connection));
  TRY(register_make_time_kernels(connection));
  TRY(register_time_kernels(connection));
  TRY(register_approx_distinct(connection));
  TRY(register_moments(connection));
  TRY(register_random_kernels(connection));
  TRY(register_crypto_kernels(connection));
  TRY(register_hll_sketches(connection));
  TRY(register_theta_sketches(connection));
  TRY(register_tuple_sketches(connection));
  TRY(register_kll_sketches(connection));
  return home;
}

Result<Connection> Home::connect() {
  Connection connection;
  if (duckdb_connect(database_.get(), connection.out()) == DuckDBError)
    return Status::internal("DuckDB refused a connection");
  // What recurses over an expression has the stack for it (deep_stack.h).
  TRY(run_sql(connection.get(), "SET max_expression_depth = 100000"));
  return connection;
}

std::optional<std::string> Home::evaluate(duckdb_connection connection, ExprLowering& exprs,
                                          const std::string& sql, const column::TypePtr& type) {
  const auto physical = physical_sql(type);
  const bool exact =
      type->is_integral() || type->is_string() || type->kind() == column::TypeKind::decimal ||
      type->kind() == column::TypeKind::boolean || type->kind() == column::TypeKind::date;
  if (!physical.ok() || !exact || !ensure(exprs.decimal_kernels()).ok() ||
      !ensure(exprs.value_kernels()).ok()) {
    return std::nullopt;
  }
  duckdb_result result;
  const auto state =
      duckdb_query(connection, fmt::format("SELECT CAST(({}) AS VARCHAR)", sql).c_str(), &result);
  std::optional<std::string> out;
  if (state == DuckDBSuccess && duckdb_value_is_null(&result, 0, 0)) {
    out = fmt::format("CAST(NULL AS {})", *physical);
  } else if (state == DuckDBSuccess) {
    char* text = duckdb_value_varchar(&result, 0, 0);
    // A text with zero bytes is longer than it seems.
    if (std::string_view(text).size() > 0 || !type->is_string())
      out = fmt::format("CAST({} AS {})", sql_quote(text), *physical);
    duckdb_free(text);
  }
  duckdb_destroy_result(&result);
  return out;
}

Status Home::ensure(const std::set<DecimalKernel>& kernels) {
  const std::lock_guard lock(mutex_);
  for (const auto& kernel : kernels) {
    if (known_.contains(kernel.name())) continue;
    TRY(register_decimal_kernel(registrar_.get(), kernel));
    known_.insert(kernel.name());
  }
  return Status::OK();
}

Status Home::ensure(const std::map<std::string, ValueKernel>& kernels) {
  const std::lock_guard lock(mutex_);
  for (const auto& [name, kernel] : kernels) {
    if (known_.contains(name)) continue;
    TRY(register_value_kernel(registrar_.get(), kernel));
    known_.insert(name);
  }
  return Status::OK();
}

Result<std::unique_ptr<Statement>> Statement::prepare(Home& home, const plan::NodePtr& node,
                                                      const std::string& time_zone,
                                                      const CancelToken* cancel,
                                                      const StatementMode& mode) {
  auto statement = std::make_unique<Statement>();
  statement->mode_ = mode;
  statement->node_ = node;
  statement->schema_ = plan::schema_of(*node);
  statement->logical_ = column::to_arrow(statement->schema_, time_zone);
  TRY_ASSIGN(statement->connection_, home.connect());
  const duckdb_connection connection = statement->connection_.get();
  statement->work_ = std::make_unique<Work>(home.budget());
  statement->registered_.emplace(connection, statement->work_.get());
  // Constants are computed now.
  const Interruption interruption(connection, statement->work_.get(), cancel);
  statement->work_->refuse_large_constants(true);
  ExprLowering exprs(time_zone);
  StatementLeaves leaves(connection, &exprs, mode.reading, is_blocking(*node), &statement->leaves_,
                         &statement->file_scans_);
  NodeLowering nodes(exprs, leaves);
  nodes.set_text_extremes(mode.extremes);
  exprs.set_evaluation([&](const std::string& sql, const column::TypePtr& type) {
    return home.evaluate(connection, exprs, sql, type);
  });
  TRY_ASSIGN(const std::string sql, nodes.statement(node));
  const bool may_sort = nodes.has_text_extremes() && mode.extremes == TextExtremes::hashed;
  if (may_sort && home.memory_bytes_max() > 0 && statement->repeatable())
    statement->watched_ = &home;
  TRY(home.ensure(exprs.decimal_kernels()));
  TRY(home.ensure(exprs.value_kernels()));
  // typeof(now()) asks for the time and does not use it.
  statement->uses_now_ = exprs.uses_now() && sql.find("$1") != std::string::npos;
  statement->depth_ = nesting_of(sql);
  if (expression_depth_of(sql) > expression_depth_max)
    return Status::error("FAILED_TO_PARSE_TOO_COMPLEX");
  duckdb_state state = DuckDBSuccess;
  const auto plan = [&] {
    on_deep_stack(statement->depth_, [&] {
      state = duckdb_prepare(connection, sql.c_str(), statement->prepared_.out());
    });
  };
  plan();
  if (state == DuckDBError && statement->work_->has_refused_one()) {
    // Some of its rules cannot do without.
    statement->work_->refuse_large_constants(false);
    statement->prepared_.reset();
    plan();
  }
  if (state == DuckDBError) {
    return locate_error(unwrap_error(duckdb_prepare_error(statement->prepared_.get())), *node);
  }
  duckdb_connection_get_arrow_options(connection, statement->arrow_options_.out());
  return statement;
}

Result<std::unique_ptr<connector::BatchReader>> Statement::run(const ExecutionContext& context) {
  work_->begin();
  forget_failure(work_.get());
  if (uses_now_) {
    const duckdb_timestamp now{context.timestamp_us};
    if (duckdb_bind_timestamp(prepared_.get(), 1, now) == DuckDBError)
      return Status::internal("the current time was refused");
  }
  // Sorts and aggregates do all their work before the first row: it must be interruptible as
  // reading is.
  const Interruption interruption(connection_.get(), work_.get(), context.cancel);
  duckdb_result result;
  Status status;
  on_deep_stack(depth_, [&] { status = first_rows(context.cancel, &result); });
  if (!status.ok()) {
    end_query(connection_.get());
    return locate_error(cause_of(status, *work_, context.cancel), *node_);
  }
  return std::unique_ptr<connector::BatchReader>(
      std::make_unique<ResultReader>(result, connection_.get(), work_.get(), arrow_options_.get(),
                                     schema_, logical_, node_, context.cancel));
}

// Works until the first rows are there. It looks at the token between tasks, since an interrupt
// that comes before the query has begun is lost.
Status Statement::first_rows(const CancelToken* cancel, duckdb_result* result) {
  outgrew_ = false;
  std::optional<MemoryWatch> watch;
  if (watched_ != nullptr) {
    TRY_ASSIGN(Connection apart, watched_->connect());
    watch.emplace(std::move(apart), watched_->memory_bytes_max());
  }
  Pending pending;
  if (duckdb_pending_prepared_streaming(prepared_.get(), pending.out()) == DuckDBError) {
    return unwrap_error(duckdb_pending_error(pending.get()));
  }
  while (true) {
    if (cancel != nullptr) TRY(cancel->check());
    if (watch && watch->exceeded()) {
      outgrew_ = true;
      return Status::error("UNABLE_TO_ACQUIRE_MEMORY",
                           {{"requestedBytes", "0"}, {"receivedBytes", "0"}});
    }
    const auto state = duckdb_pending_execute_task(pending.get());
    if (state == DUCKDB_PENDING_ERROR) return unwrap_error(duckdb_pending_error(pending.get()));
    if (duckdb_pending_execution_is_finished(state)) break;
    // Other threads have the tasks.
    if (state == DUCKDB_PENDING_NO_TASKS_AVAILABLE)
      std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  if (duckdb_execute_pending(pending.get(), result) == DuckDBSuccess) return Status::OK();
  const Status status = unwrap_error(duckdb_result_error(result));
  duckdb_destroy_result(result);
  return status;
}

bool Statement::repeatable() const {
  return std::all_of(leaves_.begin(), leaves_.end(), [](const Leaf& leaf) {
    return leaf.node->kind == plan::NodeKind::scan || leaf.node->kind == plan::NodeKind::local;
  });
}

Statement::~Statement() {
  forget_failure(work_.get());
  on_deep_stack(depth_, [this] { prepared_.reset(); });
}

}  // namespace millstream::engine
