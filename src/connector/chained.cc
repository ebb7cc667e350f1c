#include "connector/chained.h"

namespace millstream::connector {
namespace {

class ChainedReader final : public BatchReader {
 public:
  explicit ChainedReader(std::vector<Batches::Partition> partitions)
      : partitions_(std::move(partitions)) {}
  Result<RecordBatchPtr> next() override {
    for (;;) {
      if (reader_ == nullptr) {
        if (next_ == partitions_.size()) return RecordBatchPtr();
        TRY_ASSIGN(reader_, partitions_[next_++]());
      }
      TRY_ASSIGN(auto batch, reader_->next());
      if (batch != nullptr) return batch;
      reader_.reset();
    }
  }

 private:
  const std::vector<Batches::Partition> partitions_;
  std::size_t next_ = 0;
  std::unique_ptr<BatchReader> reader_;
};

}  // namespace

Batches::Partition chained(std::vector<Batches::Partition> partitions) {
  return [partitions = std::move(partitions)]() -> Result<std::unique_ptr<BatchReader>> {
    return std::unique_ptr<BatchReader>(std::make_unique<ChainedReader>(partitions));
  };
}

}  // namespace millstream::connector
