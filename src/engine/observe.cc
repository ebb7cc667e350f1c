#include "engine/observe.h"

#include <arrow/array/array_base.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <unordered_set>

namespace millstream::engine {
namespace {

void collect_ids(const plan::Expr& expr, std::unordered_set<std::int64_t>* ids) {
  if (expr.kind == plan::ExprKind::attribute) ids->insert(static_cast<std::int64_t>(expr.id));
  for (const auto& child : expr.children) collect_ids(*child, ids);
  if (expr.filter != nullptr) collect_ids(*expr.filter, ids);
}

class ObservingReader final : public connector::BatchReader {
 public:
  ObservingReader(plan::NodePtr node, connector::Batches rows, const ExecutionContext& context,
                  ComputeAggregate compute)
      : node_(std::move(node)),
        rows_(std::move(rows)),
        on_metrics_(context.on_metrics),
        compute_(std::move(compute)) {
    std::unordered_set<std::int64_t> ids;
    for (const auto& metric : metrics().metrics) collect_ids(*metric, &ids);
    int at = 0;
    for (const auto& attribute : node_->children[0]->output) {
      if (attribute.hidden) continue;
      if (ids.contains(static_cast<std::int64_t>(attribute.id))) {
        kept_columns_.push_back(at);
        kept_attributes_.push_back(attribute);
      }
      ++at;
    }
  }

  Result<connector::RecordBatchPtr> next() override {
    while (true) {
      if (reader_ == nullptr) {
        if (partition_ >= rows_.partitions.size()) {
          TRY(finish());
          return connector::RecordBatchPtr();
        }
        TRY_ASSIGN(reader_, rows_.partitions[partition_++]());
      }
      TRY_ASSIGN(connector::RecordBatchPtr batch, reader_->next());
      if (batch != nullptr) {
        keep(*batch);
        return batch;
      }
      reader_ = nullptr;
    }
  }

 private:
  const plan::CollectMetrics& metrics() const { return plan::as<plan::CollectMetrics>(*node_); }

  void keep(const arrow::RecordBatch& batch) {
    arrow::ArrayVector arrays;
    arrow::FieldVector fields;
    for (const int column : kept_columns_) {
      arrays.push_back(batch.column(column));
      fields.push_back(batch.schema()->field(column));
    }
    kept_.push_back(arrow::RecordBatch::Make(arrow::schema(std::move(fields)), batch.num_rows(),
                                             std::move(arrays)));
  }

  Status finish() {
    if (finished_) return Status::OK();
    finished_ = true;
    auto local = std::make_shared<plan::Local>();
    local->output = kept_attributes_;
    local->batches = std::move(kept_);
    auto aggregate = std::make_shared<plan::Aggregate>();
    aggregate->children = {local};
    aggregate->exprs = metrics().metrics;
    for (const auto& metric : metrics().metrics) {
      plan::Attribute attribute;
      attribute.id = metric->id;
      attribute.name = metric->name;
      attribute.type = metric->type;
      attribute.nullable = metric->nullable;
      aggregate->output.push_back(std::move(attribute));
    }
    TRY_ASSIGN(auto batches, compute_(aggregate));
    if (batches.size() != 1)
      return Status::internal("the metrics of {} gave {} batches", metrics().name, batches.size());
    ObservedMetrics observed;
    observed.name = metrics().name;
    observed.plan_id = metrics().plan_id;
    observed.schema = plan::schema_of(*aggregate);
    observed.row = batches[0];
    on_metrics_(std::move(observed));
    return Status::OK();
  }

  plan::NodePtr node_;
  connector::Batches rows_;
  std::function<void(ObservedMetrics)> on_metrics_;
  ComputeAggregate compute_;
  std::vector<int> kept_columns_;
  std::vector<plan::Attribute> kept_attributes_;
  std::vector<connector::RecordBatchPtr> kept_;
  std::unique_ptr<connector::BatchReader> reader_;
  std::size_t partition_ = 0;
  bool finished_ = false;
};

}  // namespace

Result<connector::Batches> observe(const plan::NodePtr& node, connector::Batches rows,
                                   const ExecutionContext& context, ComputeAggregate compute) {
  connector::Batches out;
  out.schema = rows.schema;
  out.partitions.push_back(
      [node, rows = std::move(rows), context,
       compute = std::move(compute)]() -> Result<std::unique_ptr<connector::BatchReader>> {
        return std::unique_ptr<connector::BatchReader>(
            std::make_unique<ObservingReader>(node, rows, context, compute));
      });
  return out;
}

}  // namespace millstream::engine
