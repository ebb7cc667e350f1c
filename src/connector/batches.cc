#include "connector/batches.h"

#include <arrow/record_batch.h>

namespace millstream::connector {
namespace {

class VectorReader final : public BatchReader {
 public:
  explicit VectorReader(std::shared_ptr<const std::vector<RecordBatchPtr>> batches)
      : batches_(std::move(batches)) {}
  Result<RecordBatchPtr> next() override {
    return at_ < batches_->size() ? (*batches_)[at_++] : RecordBatchPtr();
  }

 private:
  std::shared_ptr<const std::vector<RecordBatchPtr>> batches_;
  std::size_t at_ = 0;
};

}  // namespace

Batches batches_of(column::Schema schema, std::vector<RecordBatchPtr> batches) {
  auto shared = std::make_shared<const std::vector<RecordBatchPtr>>(std::move(batches));
  Batches out;
  out.schema = std::move(schema);
  out.partitions.push_back([shared]() -> Result<std::unique_ptr<BatchReader>> {
    return std::unique_ptr<BatchReader>(std::make_unique<VectorReader>(shared));
  });
  return out;
}

Result<std::vector<RecordBatchPtr>> collect(const Batches& batches) {
  std::vector<RecordBatchPtr> all;
  for (const auto& partition : batches.partitions) {
    TRY_ASSIGN(const auto reader, partition());
    for (;;) {
      TRY_ASSIGN(RecordBatchPtr batch, reader->next());
      if (batch == nullptr) break;
      all.push_back(std::move(batch));
    }
  }
  return all;
}

}  // namespace millstream::connector
