#include "session/batch_rows.h"

#include <arrow/record_batch.h>

#include <list>

namespace millstream::session {
namespace {

Status gone(std::int64_t batch_id) {
  return Status::illegal_state(
      "the rows of batch {} are gone: a DataFrame of foreachBatch, and views and DataFrames made "
      "from "
      "it, can be read while its function runs; write what later code needs to a table",
      batch_id);
}

}  // namespace

// What the readers share with the table: it outlives each of them.
struct BatchRows::Open {
  // A reader of one partition. `inner` goes with close(), which waits for the lock.
  struct Slot {
    std::mutex mutex;
    std::unique_ptr<connector::BatchReader> inner;
  };
  using SlotPtr = std::shared_ptr<Slot>;

  Result<SlotPtr> read(std::size_t partition) {
    auto slot = std::make_shared<Slot>();
    const std::lock_guard slot_lock(slot->mutex);
    connector::Batches::Partition opener;
    {
      const std::lock_guard lock(mutex);
      if (closed) return gone(batch_id);
      opener = rows.partitions[partition];
      std::erase_if(slots, [](const auto& other) { return other.expired(); });
      slots.push_back(slot);
    }
    TRY_ASSIGN(slot->inner, opener());
    return slot;
  }

  std::mutex mutex;
  bool closed = false;
  std::int64_t batch_id = 0;
  connector::Batches rows;
  std::list<std::weak_ptr<Slot>> slots;
  std::function<void()> on_repeated_scan;
  std::atomic<bool> scanned = false;
};

class BatchRows::Reader final : public connector::BatchReader {
 public:
  Reader(std::shared_ptr<Open> open, Open::SlotPtr slot, std::vector<int> columns,
         std::shared_ptr<arrow::Schema> schema)
      : open_(std::move(open)),
        slot_(std::move(slot)),
        columns_(std::move(columns)),
        schema_(std::move(schema)) {}

  Result<connector::RecordBatchPtr> next() override {
    const std::lock_guard lock(slot_->mutex);
    if (slot_->inner == nullptr) return gone(open_->batch_id);
    TRY_ASSIGN(const auto batch, slot_->inner->next());
    if (batch == nullptr) return connector::RecordBatchPtr();
    std::vector<std::shared_ptr<arrow::Array>> arrays;
    for (const int column : columns_) arrays.push_back(batch->column(column));
    return arrow::RecordBatch::Make(schema_, batch->num_rows(), std::move(arrays));
  }

 private:
  const std::shared_ptr<Open> open_;
  const Open::SlotPtr slot_;
  const std::vector<int> columns_;
  const std::shared_ptr<arrow::Schema> schema_;
};

BatchRows::BatchRows(connector::Batches rows, std::int64_t batch_id,
                     std::function<void()> on_repeated_scan, std::shared_ptr<BatchWrites> writes)
    : named_(rows.schema),
      batch_id_(batch_id),
      writes_(std::move(writes)),
      open_(std::make_shared<Open>()) {
  for (std::size_t i = 0; i < named_.size(); ++i) {
    schema_.push_back(named_[i]);
    schema_.back().name = "c" + std::to_string(i);
  }
  open_->batch_id = batch_id;
  open_->rows = std::move(rows);
  open_->on_repeated_scan = std::move(on_repeated_scan);
}

std::string BatchRows::describe() const { return fmt::format("Batch {}", open_->batch_id); }

plan::NodePtr BatchRows::node(std::shared_ptr<const BatchRows> rows) {
  auto scan = std::make_shared<plan::Scan>();
  for (std::size_t i = 0; i < rows->named_.size(); ++i) {
    const column::Field& field = rows->named_[i];
    plan::Attribute attribute;
    attribute.id = plan::next_attribute_id();
    attribute.name = field.name;
    attribute.type = field.type;
    attribute.nullable = field.nullable;
    attribute.metadata = field.metadata;
    scan->columns.push_back(rows->schema_[i].name);
    scan->output.push_back(std::move(attribute));
  }
  scan->table = std::move(rows);
  return scan;
}

Result<connector::Batches> BatchRows::scan(const connector::ScanRequest& request) const {
  connector::Batches out;
  std::vector<int> columns;
  for (const std::string& name : request.columns) {
    const int index = column::find_field(schema_, name);
    CHECK(index >= 0);
    columns.push_back(index);
    out.schema.push_back(schema_[static_cast<std::size_t>(index)]);
  }
  const auto arrow_schema = column::to_arrow(out.schema);
  std::size_t partitions = 0;
  {
    const std::lock_guard lock(open_->mutex);
    if (open_->closed) return gone(open_->batch_id);
    partitions = open_->rows.partitions.size();
  }
  if (open_->scanned.exchange(true) && open_->on_repeated_scan) open_->on_repeated_scan();
  for (std::size_t i = 0; i < partitions; ++i) {
    out.partitions.push_back([open = open_, i, columns,
                              arrow_schema]() -> Result<std::unique_ptr<connector::BatchReader>> {
      TRY_ASSIGN(auto slot, open->read(i));
      return std::unique_ptr<connector::BatchReader>(
          std::make_unique<Reader>(open, std::move(slot), columns, arrow_schema));
    });
  }
  return out;
}

void BatchRows::close() {
  connector::Batches rows;  // destroyed without the lock
  std::list<std::weak_ptr<Open::Slot>> slots;
  {
    const std::lock_guard lock(open_->mutex);
    open_->closed = true;
    std::swap(rows, open_->rows);
    std::swap(slots, open_->slots);
  }
  for (const auto& weak : slots) {
    const auto slot = weak.lock();
    if (slot == nullptr) continue;
    const std::lock_guard lock(slot->mutex);
    slot->inner.reset();
  }
}

}  // namespace millstream::session
