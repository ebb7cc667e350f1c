#include "source/rate_rows.h"

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>
#include <cmath>

#include "source/projection.h"

namespace millstream::source {
namespace {

constexpr std::int64_t batch_rows = 64 << 10;

std::shared_ptr<arrow::Array> longs(const std::shared_ptr<arrow::DataType>& type, std::int64_t rows,
                                    const auto& value_of) {
  auto allocated = arrow::AllocateBuffer(rows * 8);
  CHECK(allocated.ok());
  std::shared_ptr<arrow::Buffer> buffer = std::move(allocated).ValueUnsafe();
  auto* values = reinterpret_cast<std::int64_t*>(buffer->mutable_data());
  for (std::int64_t i = 0; i < rows; ++i) values[i] = value_of(i);
  return arrow::MakeArray(arrow::ArrayData::Make(type, rows, {nullptr, std::move(buffer)}, 0));
}

class RateReader final : public connector::BatchReader {
 public:
  RateReader(RateRange range, std::int64_t from, std::int64_t to, Projection projection)
      : range_(range),
        at_(from),
        to_(to),
        projection_(std::move(projection)),
        schema_(column::to_arrow(projection_.schema)) {}

  Result<connector::RecordBatchPtr> next() override {
    if (at_ >= to_) return connector::RecordBatchPtr{};
    const std::int64_t rows = std::min(batch_rows, to_ - at_);
    std::vector<std::shared_ptr<arrow::Array>> columns;
    for (std::size_t c = 0; c < projection_.indexes.size(); ++c) {
      const auto& type = schema_->field(static_cast<int>(c))->type();
      if (projection_.indexes[c] == 0) {
        columns.push_back(longs(type, rows, [&](std::int64_t i) { return time_us(at_ + i); }));
      } else {
        columns.push_back(longs(type, rows, [&](std::int64_t i) { return at_ + i; }));
      }
    }
    at_ += rows;
    return arrow::RecordBatch::Make(schema_, rows, std::move(columns));
  }

 private:
  std::int64_t time_us(std::int64_t value) const {
    const auto later =
        std::llround(static_cast<double>(value - range_.begin) * range_.ms_per_value);
    return (range_.first_ms + later) * 1000;
  }

  RateRange range_;
  std::int64_t at_;
  std::int64_t to_;
  Projection projection_;
  std::shared_ptr<arrow::Schema> schema_;
};

}  // namespace

const column::Schema& rate_schema() {
  static const column::Schema schema = {{"timestamp", column::timestamp_type(), true, {}},
                                        {"value", column::long_type(), true, {}}};
  return schema;
}

Result<connector::Batches> rate_batches(const RateRange& range, int partitions,
                                        const connector::ScanRequest& request) {
  TRY_ASSIGN(const Projection projection, project(rate_schema(), {}, request.columns));
  connector::Batches batches;
  batches.schema = projection.schema;
  const std::int64_t rows = range.end - range.begin;
  const std::int64_t parts =
      std::clamp<std::int64_t>(partitions, 1, std::max<std::int64_t>(rows, 1));
  for (std::int64_t part = 0; part < parts; ++part) {
    const std::int64_t from = range.begin + rows / parts * part + std::min(part, rows % parts);
    const std::int64_t to = from + rows / parts + (part < rows % parts ? 1 : 0);
    batches.partitions.push_back(
        [range, from, to, projection]() -> Result<std::unique_ptr<connector::BatchReader>> {
          return std::unique_ptr<connector::BatchReader>(
              std::make_unique<RateReader>(range, from, to, projection));
        });
  }
  return batches;
}

}  // namespace millstream::source
