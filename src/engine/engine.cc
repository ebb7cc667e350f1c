#include "engine/engine.h"

#include <arrow/record_batch.h>

#include <algorithm>
#include <list>
#include <mutex>
#include <utility>

#include "base/text.h"
#include "connector/parquet_files.h"
#include "engine/observe.h"
#include "engine/passthrough.h"
#include "engine/recursion.h"
#include "engine/statement.h"

namespace millstream::engine {
namespace {

// Prepared statements kept for plans that run again: a streaming query's batches.
constexpr std::size_t cached_statements_max = 512;

bool has_stream_scan(const plan::Node& node) {
  if (node.kind == plan::NodeKind::stream_scan) return true;
  for (const auto& child : node.children) {
    if (has_stream_scan(*child)) return true;
  }
  return false;
}

// Statements not in use now, the last used first.
class StatementCache {
 public:
  struct Kept {
    plan::NodePtr node;
    std::string time_zone;
    std::unique_ptr<Statement> statement;
  };

  std::unique_ptr<Statement> take(const plan::Node* node, const std::string& time_zone) {
    const std::lock_guard lock(mutex_);
    for (auto at = kept_.begin(); at != kept_.end(); ++at) {
      if (at->node.get() != node || at->time_zone != time_zone) continue;
      auto statement = std::move(at->statement);
      kept_.erase(at);
      return statement;
    }
    return nullptr;
  }

  void give(plan::NodePtr node, const std::string& time_zone,
            std::unique_ptr<Statement> statement) {
    std::list<Kept> dropped;  // destroyed after the lock
    const std::lock_guard lock(mutex_);
    kept_.push_front({std::move(node), time_zone, std::move(statement)});
    // A plan that only the cache knows will not come again.
    for (auto at = kept_.begin(); at != kept_.end();) {
      const auto next = std::next(at);
      const bool alone = at != kept_.begin() && at->node.use_count() == 1;
      if (alone || kept_.size() > cached_statements_max) {
        if (alone || next == kept_.end()) dropped.splice(dropped.end(), kept_, at);
      }
      at = next;
    }
  }

 private:
  std::mutex mutex_;
  std::list<Kept> kept_;
};

class DuckEngine final : public Engine, public std::enable_shared_from_this<DuckEngine> {
 public:
  explicit DuckEngine(EngineSettings settings) : core_(std::make_shared<Core>()) {
    core_->settings = std::move(settings);
  }

  Result<connector::Batches> execute(const plan::NodePtr& node,
                                     const ExecutionContext& context) override {
    if (!has_recursion(node)) return execute_plan(core_, node, context);
    const auto run =
        [&](const plan::NodePtr& step) -> Result<std::vector<connector::RecordBatchPtr>> {
      TRY_ASSIGN(const connector::Batches rows, execute_plan(core_, step, context));
      return connector::collect(rows);
    };
    TRY_ASSIGN(const plan::NodePtr ready, run_recursions(node, run));
    return execute_plan(core_, ready, context);
  }

 private:
  // Shared with the readers, which may outlive the engine object.
  struct Core {
    EngineSettings settings;

    // DuckDB is opened by the first plan that needs it.
    Result<Home*> open_home() {
      const std::lock_guard lock(mutex);
      if (home == nullptr) {
        TRY_ASSIGN(home, Home::open(settings));
      }
      return home.get();
    }

    std::mutex mutex;
    std::unique_ptr<Home> home;
    StatementCache cache;  // after home: its statements end first
  };
  using CorePtr = std::shared_ptr<Core>;

  static Result<connector::Batches> execute_plan(const CorePtr& core, const plan::NodePtr& node,
                                                 const ExecutionContext& context) {
    if (node->kind == plan::NodeKind::collect_metrics) return observed(core, node, context);
    if (const auto pass = Passthrough::of(node)) {
      TRY_ASSIGN(connector::Batches input, leaf_rows(core, pass->leaf(), context));
      return pass->apply(std::move(input), context.time_zone, counter(pass->leaf().get(), context));
    }
    TRY_ASSIGN(auto statement, acquire(core, node, context));
    connector::Batches out;
    out.schema = statement->schema();
    auto first = std::make_shared<std::unique_ptr<Statement>>(std::move(statement));
    auto mutex = std::make_shared<std::mutex>();
    out.partitions.push_back(
        [core, node, context, first, mutex]() -> Result<std::unique_ptr<connector::BatchReader>> {
          std::unique_ptr<Statement> mine;
          {
            const std::lock_guard lock(*mutex);
            mine = std::move(*first);
          }
          if (mine == nullptr) {
            TRY_ASSIGN(mine, acquire(core, node, context));
          }
          return start(core, node, context, std::move(mine));
        });
    return out;
  }

  static Result<std::unique_ptr<Statement>> acquire(const CorePtr& core, const plan::NodePtr& node,
                                                    const ExecutionContext& context) {
    if (auto kept = core->cache.take(node.get(), context.time_zone)) return kept;
    TRY_ASSIGN(Home * home, core->open_home());
    if (!has_stream_scan(*node)) {
      auto statement = Statement::prepare(*home, node, context.time_zone, context.cancel,
                                          {Reading::files, TextExtremes::hashed});
      if (statement.ok() && (*statement)->repeatable()) return statement;
    }
    return Statement::prepare(*home, node, context.time_zone, context.cancel);
  }

  // The reader of one run; it gives the statement back when it goes. A run that fails while no row
  // was given out is tried in another mode: over batches instead of files, which knows Spark's
  // errors and reads what DuckDB does not (texts that are not UTF-8, codecs), and with sorted
  // groups where their texts outgrew the memory.
  class RunReader final : public connector::BatchReader {
   public:
    RunReader(CorePtr core, plan::NodePtr node, const ExecutionContext& context,
              std::unique_ptr<Statement> statement)
        : core_(std::move(core)),
          node_(std::move(node)),
          context_(context),
          statement_(std::move(statement)) {}
    ~RunReader() override {
      rows_.reset();
      if (statement_ == nullptr) return;
      for (const auto& leaf : statement_->leaves()) leaf.slot->clear();
      if (has_stream_scan(*node_))
        core_->cache.give(std::move(node_), context_.time_zone, std::move(statement_));
    }
    Status start() { return with_other_modes(run()); }

    Result<connector::RecordBatchPtr> next() override {
      auto batch = rows_->next();
      if (!batch.ok() && reads_files(batch.status())) {
        if (given_) return explained(batch.status());
        TRY(with_other_modes(batch.status()));
        return next();
      }
      given_ = given_ || (batch.ok() && *batch != nullptr);
      return batch;
    }

   private:
    Status run() {
      if (context_.cancel != nullptr) TRY(context_.cancel->check());
      for (const auto& leaf : statement_->leaves()) {
        // Leaves live in the plan that node_ keeps.
        const plan::NodePtr leaf_node(node_, leaf.node);
        TRY_ASSIGN(connector::Batches rows, leaf_rows(core_, leaf_node, context_));
        leaf.slot->fill(std::move(rows), counter(leaf.node, context_));
      }
      TRY_ASSIGN(rows_, statement_->run(context_));
      return Status::OK();
    }

    bool reads_files(const Status& status) const {
      return !statement_->file_scans().empty() && !status.is("OPERATION_CANCELED") &&
             !status.is("UNABLE_TO_ACQUIRE_MEMORY");
    }

    // What fitted nowhere while pages were still on their way to the disk fits a moment later.
    bool may_fit_later(const Status& status) {
      return status.is("UNABLE_TO_ACQUIRE_MEMORY") && statement_->repeatable() &&
             !std::exchange(ran_again_, true);
    }

    // Each turn leaves a mode behind for good, or the one second try.
    Status with_other_modes(Status status) {
      while (!status.ok()) {
        StatementMode mode = statement_->mode();
        if (statement_->outgrew()) {
          mode.extremes = TextExtremes::sorted;
        } else if (may_fit_later(status)) {
          // as it is
        } else if (reads_files(status)) {
          distrust_file(status);
          mode.reading = Reading::batches;
        } else {
          return status;
        }
        rows_.reset();
        statement_.reset();
        TRY_ASSIGN(Home * home, core_->open_home());
        TRY_ASSIGN(statement_,
                   Statement::prepare(*home, node_, context_.time_zone, context_.cancel, mode));
        status = run();
      }
      return status;
    }

    // The same reading by our own reader, for its error.
    Status explained(const Status& failed) const {
      distrust_file(failed);
      if (!failed.is(ErrorKind::internal) && !failed.is(ErrorKind::io) &&
          !failed.is(ErrorKind::unsupported_operation)) {
        return failed;
      }
      for (const plan::Scan* scan : statement_->file_scans()) {
        TRY_ASSIGN(const auto rows,
                   scan->table->scan({scan->columns, scan->predicates, scan->limit}));
        for (const auto& partition : rows.partitions) {
          TRY_ASSIGN(const auto reader, partition());
          while (true) {
            if (context_.cancel != nullptr) TRY(context_.cancel->check());
            TRY_ASSIGN(const auto batch, reader->next());
            if (batch == nullptr) break;
          }
        }
      }
      for (const plan::Scan* scan : statement_->file_scans()) TRY(distrust_all(*scan));
      return failed;
    }

    // It is not known which file it was.
    static Status distrust_all(const plan::Scan& scan) {
      const auto& table = dynamic_cast<const connector::ParquetBacked&>(*scan.table);
      TRY_ASSIGN(const auto files,
                 table.parquet_files({scan.columns, scan.predicates, scan.limit}));
      if (!files) return Status::OK();
      for (const auto& group : files->groups) {
        for (const auto& path : group.paths) table.distrust(path);
      }
      return Status::OK();
    }

    // Next time the file that DuckDB could not read is not given to it.
    void distrust_file(const Status& failed) const {
      constexpr std::string_view mark = "arquet file \"";
      const std::string& text = failed.message();
      const auto at = text.find(mark);
      if (at == std::string::npos) return;
      const auto from = at + mark.size();
      const std::string path = text.substr(from, text.find('"', from) - from);
      for (const plan::Scan* scan : statement_->file_scans())
        dynamic_cast<const connector::ParquetBacked&>(*scan->table).distrust(path);
    }

    CorePtr core_;
    plan::NodePtr node_;
    const ExecutionContext context_;
    std::unique_ptr<Statement> statement_;
    std::unique_ptr<connector::BatchReader> rows_;
    bool given_ = false;
    bool ran_again_ = false;
  };

  static Result<std::unique_ptr<connector::BatchReader>> start(
      const CorePtr& core, const plan::NodePtr& node, const ExecutionContext& context,
      std::unique_ptr<Statement> statement) {
    auto reader = std::make_unique<RunReader>(core, node, context, std::move(statement));
    TRY(reader->start());
    return std::unique_ptr<connector::BatchReader>(std::move(reader));
  }

  static std::function<void(std::int64_t)> counter(const plan::Node* node,
                                                   const ExecutionContext& context) {
    const bool counted =
        node->kind == plan::NodeKind::scan || node->kind == plan::NodeKind::stream_scan;
    if (!counted || !context.on_input_rows) return {};
    return [callback = context.on_input_rows, node](std::int64_t rows) { callback(node, rows); };
  }

  // The rows of a leaf of a statement, with the columns of its output in order.
  static Result<connector::Batches> leaf_rows(const CorePtr& core, const plan::NodePtr& node,
                                              const ExecutionContext& context) {
    switch (node->kind) {
      case plan::NodeKind::scan: {
        const auto& scan = plan::as<plan::Scan>(*node);
        return scan.table->scan({scan.columns, scan.predicates, scan.limit});
      }
      case plan::NodeKind::stream_scan: {
        const auto given = context.stream_inputs.find(node.get());
        if (given != context.stream_inputs.end()) return given->second;
        return connector::Batches{};
      }
      case plan::NodeKind::local:
        return connector::batches_of({}, plan::as<plan::Local>(*node).batches);
      case plan::NodeKind::collect_metrics:
        return observed(core, node, context);
      default:
        return Status::internal("not a leaf");
    }
  }

  // observe(): the child's rows, with a second look at them once they are used up.
  static Result<connector::Batches> observed(const CorePtr& core, const plan::NodePtr& node,
                                             const ExecutionContext& context) {
    const auto& metrics = plan::as<plan::CollectMetrics>(*node);
    TRY_ASSIGN(connector::Batches rows, execute_plan(core, metrics.children[0], context));
    if (!context.on_metrics) return rows;
    auto compute =
        [core, context](
            const plan::NodePtr& aggregate) -> Result<std::vector<connector::RecordBatchPtr>> {
      TRY_ASSIGN(const connector::Batches result, execute_plan(core, aggregate, context));
      return connector::collect(result);
    };
    return observe(node, std::move(rows), context, std::move(compute));
  }

  CorePtr core_;
};

}  // namespace

Result<std::unique_ptr<Engine>> Engine::create(const EngineSettings& settings) {
  return std::unique_ptr<Engine>(std::make_unique<DuckEngine>(settings));
}

}  // namespace millstream::engine
