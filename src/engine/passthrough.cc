#include "engine/passthrough.h"

#include <arrow/array/array_base.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <unordered_map>

#include "engine/physical.h"

namespace millstream::engine {
namespace {

// The attribute that an item of a select list passes on; nothing when it computes something.
std::optional<plan::AttributeId> passed(const plan::Expr& expr) {
  const plan::Expr* inner = &expr;
  while (inner->kind == plan::ExprKind::alias) inner = inner->children[0].get();
  if (inner->kind != plan::ExprKind::attribute) return std::nullopt;
  return inner->id;
}

class PickReader final : public connector::BatchReader {
 public:
  PickReader(std::unique_ptr<connector::BatchReader> input,
             std::shared_ptr<const column::Schema> schema, std::shared_ptr<arrow::Schema> arrow,
             std::shared_ptr<const std::vector<int>> columns,
             std::function<void(std::int64_t)> on_rows)
      : input_(std::move(input)),
        schema_(std::move(schema)),
        arrow_(std::move(arrow)),
        columns_(std::move(columns)),
        on_rows_(std::move(on_rows)) {}

  Result<connector::RecordBatchPtr> next() override {
    TRY_ASSIGN(const connector::RecordBatchPtr batch, input_->next());
    if (batch == nullptr) return batch;
    if (on_rows_ && batch->num_rows() > 0) on_rows_(batch->num_rows());
    arrow::ArrayVector arrays;
    arrow::FieldVector fields;
    for (std::size_t i = 0; i < columns_->size(); ++i) {
      const int column = (*columns_)[i];
      if (column >= batch->num_columns()) return Status::internal("a source gave too few columns");
      arrays.push_back(batch->column(column));
      fields.push_back(arrow_->field(static_cast<int>(i))->WithType(arrays.back()->type()));
    }
    const auto picked = arrow::RecordBatch::Make(arrow::schema(std::move(fields)),
                                                 batch->num_rows(), std::move(arrays));
    return to_logical(picked, *schema_, arrow_);
  }

 private:
  std::unique_ptr<connector::BatchReader> input_;
  std::shared_ptr<const column::Schema> schema_;
  std::shared_ptr<arrow::Schema> arrow_;
  std::shared_ptr<const std::vector<int>> columns_;
  std::function<void(std::int64_t)> on_rows_;
};

}  // namespace

std::optional<Passthrough> Passthrough::of(const plan::NodePtr& node) {
  std::vector<const plan::Project*> projects;
  const plan::NodePtr* at = &node;
  while (true) {
    using plan::NodeKind;
    if ((*at)->kind == NodeKind::project) {
      if ((*at)->children.empty()) return std::nullopt;
      projects.push_back(&plan::as<plan::Project>(**at));
    } else if ((*at)->kind != NodeKind::watermark && (*at)->kind != NodeKind::repartition) {
      break;
    }
    at = &(*at)->children[0];
  }
  using plan::NodeKind;
  const NodeKind kind = (*at)->kind;
  if (kind != NodeKind::scan && kind != NodeKind::stream_scan && kind != NodeKind::local)
    return std::nullopt;
  std::unordered_map<std::int64_t, int> columns;
  for (std::size_t i = 0; i < (*at)->output.size(); ++i) {
    columns.emplace(static_cast<std::int64_t>((*at)->output[i].id), static_cast<int>(i));
  }
  for (auto project = projects.rbegin(); project != projects.rend(); ++project) {
    auto below = columns;
    for (std::size_t i = 0; i < (*project)->exprs.size(); ++i) {
      const auto id = passed(*(*project)->exprs[i]);
      if (!id) return std::nullopt;
      const auto found = below.find(static_cast<std::int64_t>(*id));
      if (found == below.end()) return std::nullopt;
      columns[static_cast<std::int64_t>((*project)->output[i].id)] = found->second;
    }
  }
  Passthrough pass;
  pass.leaf_ = *at;
  for (const auto& attribute : node->output) {
    if (attribute.hidden) continue;
    pass.schema_.push_back(
        {attribute.name, attribute.type, attribute.nullable, attribute.metadata});
    pass.columns_.push_back(columns.at(static_cast<std::int64_t>(attribute.id)));
  }
  return pass;
}

Result<connector::Batches> Passthrough::apply(connector::Batches input,
                                              const std::string& time_zone,
                                              std::function<void(std::int64_t)> on_rows) const {
  connector::Batches out;
  out.schema = schema_;
  const auto schema = std::make_shared<const column::Schema>(schema_);
  const auto arrow = column::to_arrow(schema_, time_zone);
  const auto columns = std::make_shared<const std::vector<int>>(columns_);
  for (auto& partition : input.partitions) {
    out.partitions.push_back([partition = std::move(partition), schema, arrow, columns,
                              on_rows]() -> Result<std::unique_ptr<connector::BatchReader>> {
      TRY_ASSIGN(auto reader, partition());
      return std::unique_ptr<connector::BatchReader>(
          std::make_unique<PickReader>(std::move(reader), schema, arrow, columns, on_rows));
    });
  }
  return out;
}

}  // namespace millstream::engine
