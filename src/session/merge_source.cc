#include "session/merge_source.h"

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/compute/api_vector.h>
#include <arrow/datum.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/bit_util.h>

#include <algorithm>
#include <atomic>
#include <numeric>

#include "plan/tree.h"
#include "session/table_change.h"

namespace millstream::session {
namespace {

constexpr const char* number_column = "number";

Status failed(const arrow::Status& status) {
  return Status::internal("Arrow: {}", status.ToString());
}

// The batch with the rows' numbers behind its columns.
Result<connector::RecordBatchPtr> numbered(const connector::RecordBatchPtr& batch,
                                           std::int64_t first,
                                           const std::shared_ptr<arrow::Schema>& schema) {
  const std::int64_t rows = batch->num_rows();
  auto buffer = arrow::AllocateBuffer(rows * static_cast<std::int64_t>(sizeof(std::int64_t)));
  if (!buffer.ok()) return failed(buffer.status());
  std::shared_ptr<arrow::Buffer> values = std::move(*buffer);
  auto* at = reinterpret_cast<std::int64_t*>(values->mutable_data());
  std::iota(at, at + rows, first);
  auto columns = batch->columns();
  columns.push_back(std::make_shared<arrow::Int64Array>(rows, std::move(values)));
  return connector::RecordBatchPtr(arrow::RecordBatch::Make(schema, rows, std::move(columns)));
}

// The rows of kept ones whose number is not among those noted.
class UnmatchedRows final : public connector::Table {
 public:
  UnmatchedRows(std::shared_ptr<const KeptRows> kept,
                std::shared_ptr<const std::vector<bool>> matched)
      : kept_(std::move(kept)), matched_(std::move(matched)) {}

  const column::Schema& schema() const override { return kept_->schema(); }
  const column::Schema& metadata_fields() const override { return kept_->metadata_fields(); }
  std::string describe() const override { return "UnmatchedRows"; }

  Result<connector::Batches> scan(const connector::ScanRequest& request) const override {
    connector::ScanRequest with_number = request;
    with_number.columns.emplace_back(number_column);
    TRY_ASSIGN(auto rows, kept_->scan(with_number));
    column::Schema schema = rows.schema;
    schema.pop_back();
    return mapped(std::move(rows), std::move(schema),
                  [matched = matched_](const connector::RecordBatchPtr& batch) {
                    return without_matched(batch, *matched);
                  });
  }

 private:
  static Result<connector::RecordBatchPtr> without_matched(const connector::RecordBatchPtr& batch,
                                                           const std::vector<bool>& matched) {
    const int last = batch->num_columns() - 1;
    const auto& numbers = static_cast<const arrow::Int64Array&>(*batch->column(last));
    auto bits = arrow::AllocateBitmap(batch->num_rows());
    if (!bits.ok()) return failed(bits.status());
    const std::shared_ptr<arrow::Buffer> keep = std::move(*bits);
    for (std::int64_t i = 0; i < batch->num_rows(); ++i) {
      arrow::bit_util::SetBitTo(keep->mutable_data(), i,
                                !matched[static_cast<std::size_t>(numbers.Value(i))]);
    }
    const auto mask = std::make_shared<arrow::BooleanArray>(batch->num_rows(), keep);
    const auto rest = batch->RemoveColumn(last);
    if (!rest.ok()) return failed(rest.status());
    const auto kept = arrow::compute::Filter(arrow::Datum(*rest), arrow::Datum(mask));
    if (!kept.ok()) return failed(kept.status());
    return kept->record_batch();
  }

  const std::shared_ptr<const KeptRows> kept_;
  const std::shared_ptr<const std::vector<bool>> matched_;
};

}  // namespace

Result<MergeSource> MergeSource::make(Session& session, const plan::NodePtr& node,
                                      const std::vector<plan::AttributeId>& wanted,
                                      const ActionContext& context) {
  auto scan = std::make_shared<plan::Scan>();
  std::vector<NamedExpr> columns;
  for (plan::Attribute attribute : node->output) {
    if (std::find(wanted.begin(), wanted.end(), attribute.id) == wanted.end()) continue;
    const std::string name = "c" + std::to_string(columns.size());
    columns.push_back({name, plan::make_attribute(attribute)});
    scan->columns.push_back(name);
    attribute.hidden = false;
    scan->output.push_back(std::move(attribute));
  }
  plan::Attribute number;
  number.id = plan::next_attribute_id();
  number.name = number_column;
  number.type = column::long_type();
  number.nullable = false;
  scan->columns.emplace_back(number_column);
  scan->output.push_back(number);

  // A column of a constant at least: rows without columns have no number of rows everywhere.
  if (columns.empty()) {
    columns.push_back({"c0", plan::make_literal(std::make_shared<arrow::BooleanScalar>(true),
                                                column::boolean_type(), "true")});
  }
  TRY_ASSIGN(auto rows, session.execute(project(node, columns), context));
  column::Schema schema = rows.schema;
  schema.push_back({number_column, column::long_type(), false, ""});
  const auto arrow_schema = column::to_arrow(schema);
  auto next = std::make_shared<std::atomic<std::int64_t>>(0);
  rows = mapped(std::move(rows), std::move(schema),
                [next, arrow_schema](const connector::RecordBatchPtr& batch) {
                  return numbered(batch, next->fetch_add(batch->num_rows()), arrow_schema);
                });
  MergeSource out;
  TRY_ASSIGN(out.kept_, KeptRows::make(rows, session.runtime().temporary_directory));
  out.row_count_ = *next;
  out.matched_ = std::make_shared<std::vector<bool>>(static_cast<std::size_t>(out.row_count_));
  scan->table = out.kept_;
  out.rows_ = std::move(scan);
  return out;
}

void MergeSource::note_match(std::int64_t number) {
  (*matched_)[static_cast<std::size_t>(number)] = true;
}

plan::NodePtr MergeSource::unmatched() const {
  auto scan = plan::clone(*rows_);
  static_cast<plan::Scan&>(*scan).table = std::make_shared<UnmatchedRows>(kept_, matched_);
  return scan;
}

}  // namespace millstream::session
