// One prepared DuckDB statement of a plan, with its own connection, to be run again and again over
// replaceable inputs. Used by one thread at a time (cancel may come from any).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engine/duck.h"
#include "engine/engine.h"
#include "engine/lower.h"
#include "engine/scan.h"
#include "engine/work.h"

namespace millstream::engine {

// What all statements of an engine share: the database, and the kernels by type that it has got so
// far.
class Home {
 public:
  static Result<std::unique_ptr<Home>> open(const EngineSettings& settings);
  Result<Connection> connect();
  const std::shared_ptr<WorkBudget>& budget() const { return budget_; }
  std::int64_t memory_bytes_max() const { return memory_bytes_max_; }
  Status ensure(const std::set<DecimalKernel>& kernels);
  Status ensure(const std::map<std::string, ValueKernel>& kernels);
  // The constant `sql` as a literal; nothing when it fails.
  std::optional<std::string> evaluate(duckdb_connection connection, ExprLowering& exprs,
                                      const std::string& sql, const column::TypePtr& type);

 private:
  std::shared_ptr<WorkBudget> budget_;
  Database database_;
  Connection registrar_;
  std::int64_t memory_bytes_max_ = 0;  // 0: DuckDB's default
  std::mutex mutex_;
  std::set<std::string> known_;
};

Status register_decimal_kernel(duckdb_connection connection, const DecimalKernel& kernel);

// How tables that are plain Parquet files are read.
enum class Reading : std::uint8_t {
  files,    // by DuckDB itself
  batches,  // as all other tables
};

struct StatementMode {
  Reading reading = Reading::batches;
  TextExtremes extremes = TextExtremes::hashed;
};

class Statement {
 public:
  Statement() = default;
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement();

  struct Leaf {
    const plan::Node* node;
    std::unique_ptr<Slot> slot;
  };

  // `node` is kept alive by the caller's cache or reader.
  static Result<std::unique_ptr<Statement>> prepare(Home& home, const plan::NodePtr& node,
                                                    const std::string& time_zone,
                                                    const CancelToken* cancel,
                                                    const StatementMode& mode = {});
  const StatementMode& mode() const { return mode_; }

  const std::vector<Leaf>& leaves() const { return leaves_; }
  // The scans whose files DuckDB reads.
  const std::vector<const plan::Scan*>& file_scans() const { return file_scans_; }
  // Whether nobody sees that the plan's rows are read a second time.
  bool repeatable() const;
  // The last run ended because the texts of groups outgrew the limit.
  bool outgrew() const { return outgrew_; }
  const column::Schema& schema() const { return schema_; }
  // Rows as they are computed; the statement must outlive the reader and is not run again before
  // the reader is gone.
  Result<std::unique_ptr<connector::BatchReader>> run(const ExecutionContext& context);

 private:
  Status first_rows(const CancelToken* cancel, duckdb_result* result);

  std::unique_ptr<Work> work_;  // before what its kernels are bound in
  Connection connection_;
  std::optional<WorkOfConnection> registered_;
  std::vector<Leaf> leaves_;  // after connection_: their slots hold its types
  std::vector<const plan::Scan*> file_scans_;
  Prepared prepared_;
  ArrowOptions arrow_options_;
  int depth_ = 0;  // how deep the SQL text nests
  bool uses_now_ = false;
  StatementMode mode_;
  Home* watched_ = nullptr;  // where memory is limited and the mode may be changed
  bool outgrew_ = false;
  plan::NodePtr node_;
  column::Schema schema_;
  std::shared_ptr<arrow::Schema> logical_;
};

}  // namespace millstream::engine
