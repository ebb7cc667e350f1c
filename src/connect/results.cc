#include "connect/results.h"

#include <arrow/api.h>
#include <arrow/io/memory.h>
#include <arrow/ipc/options.h>
#include <arrow/ipc/writer.h>

#include "connect/literals.h"
#include "plan/analyzer.h"
#include "spark/connect/base.pb.h"

namespace millstream::connect {
namespace {

namespace proto = spark::connect;

constexpr std::int64_t message_bytes_max = std::int64_t{90} << 20;  // of the client's 128 MiB

Status from_arrow(const arrow::Status& status) {
  return status.ok() ? Status::OK() : Status::internal("encoding a result: {}", status.ToString());
}

}  // namespace

Result<std::shared_ptr<arrow::Buffer>> encode(const arrow::RecordBatch& batch) {
  auto sink = arrow::io::BufferOutputStream::Create();
  if (!sink.ok()) return from_arrow(sink.status());
  auto writer = arrow::ipc::MakeStreamWriter(*sink, batch.schema());
  if (!writer.ok()) return from_arrow(writer.status());
  TRY(from_arrow((*writer)->WriteRecordBatch(batch)));
  TRY(from_arrow((*writer)->Close()));
  auto buffer = (*sink)->Finish();
  if (!buffer.ok()) return from_arrow(buffer.status());
  return *buffer;
}

namespace {

class RowSender {
 public:
  RowSender(Operation& operation, const ResultOptions& options)
      : operation_(operation), options_(options) {}

  Status send(const std::shared_ptr<arrow::RecordBatch>& batch) {
    if (batch->num_rows() > options_.rows_max) {
      for (std::int64_t at = 0; at < batch->num_rows(); at += options_.rows_max) {
        TRY(send(batch->Slice(at, options_.rows_max)));
      }
      return Status::OK();
    }
    TRY_ASSIGN(const auto bytes, encode(*batch));
    if (bytes->size() <= message_bytes_max) return send_bytes(*bytes, batch->num_rows());
    if (batch->num_rows() > 1) {
      const std::int64_t half = batch->num_rows() / 2;
      TRY(send(batch->Slice(0, half)));
      return send(batch->Slice(half));
    }
    if (options_.chunked) return send_bytes(*bytes, 1);
    return Status::plain(ErrorKind::spark,
                         "a row of " + std::to_string(bytes->size()) +
                             " bytes is larger than a message to this client can be");
  }

  bool sent_any() const { return sent_any_; }

 private:
  Status send_bytes(const arrow::Buffer& bytes, std::int64_t rows) {
    const std::int64_t chunks =
        std::max<std::int64_t>(1, (bytes.size() + message_bytes_max - 1) / message_bytes_max);
    for (std::int64_t i = 0; i < chunks; ++i) {
      const std::int64_t from = i * message_bytes_max;
      const std::int64_t length = std::min(message_bytes_max, bytes.size() - from);
      proto::ExecutePlanResponse response;
      auto* out = response.mutable_arrow_batch();
      out->set_row_count(rows);
      out->set_start_offset(offset_);
      out->set_chunk_index(i);
      out->set_num_chunks_in_batch(chunks);
      out->set_data(bytes.data() + from, static_cast<std::size_t>(length));
      TRY(operation_.send(std::move(response)));
    }
    offset_ += rows;
    sent_any_ = true;
    return Status::OK();
  }

  Operation& operation_;
  const ResultOptions& options_;
  std::int64_t offset_ = 0;
  bool sent_any_ = false;
};

Status send_schema(Operation& operation, const column::Schema& schema) {
  proto::ExecutePlanResponse response;
  plan::schema_to_proto(schema, response.mutable_schema());
  return operation.send(std::move(response));
}

}  // namespace

Status send_rows(Operation& operation, const column::Schema& schema, const connector::Batches& rows,
                 const ResultOptions& options) {
  TRY(send_schema(operation, schema));
  RowSender sender(operation, options);
  for (const auto& partition : rows.partitions) {
    TRY_ASSIGN(const auto reader, partition());
    for (;;) {
      TRY(operation.cancel_token().check());
      TRY_ASSIGN(const auto batch, reader->next());
      if (batch == nullptr) break;
      if (batch->num_rows() > 0) TRY(sender.send(batch));
    }
  }
  if (sender.sent_any()) return Status::OK();
  auto empty = arrow::RecordBatch::MakeEmpty(column::to_arrow(schema, options.time_zone));
  if (!empty.ok()) return from_arrow(empty.status());
  return sender.send(*empty);
}

Status send_text(Operation& operation, const std::string& column_name, const std::string& text) {
  const column::Schema schema{{column_name, column::string_type(), false, ""}};
  arrow::StringBuilder builder;
  TRY(from_arrow(builder.Append(text)));
  auto array = builder.Finish();
  if (!array.ok()) return from_arrow(array.status());
  auto batch = arrow::RecordBatch::Make(column::to_arrow(schema), 1, {*array});
  return send_rows(operation, schema, connector::batches_of(schema, {batch}), {});
}

Status send_observed(Operation& operation, const std::vector<engine::ObservedMetrics>& metrics) {
  if (metrics.empty()) return Status::OK();
  proto::ExecutePlanResponse response;
  for (const auto& one : metrics) {
    auto* out = response.add_observed_metrics();
    out->set_name(one.name);
    if (one.plan_id) out->set_plan_id(*one.plan_id);
    for (std::size_t i = 0; i < one.schema.size(); ++i) {
      out->add_keys(one.schema[i].name);
      TRY(to_literal(*one.row->column(static_cast<int>(i)), 0, one.schema[i].type,
                     out->add_values()));
    }
  }
  return operation.send(std::move(response));
}

Status send_empty_metrics(Operation& operation) {
  proto::ExecutePlanResponse response;
  response.mutable_metrics();
  return operation.send(std::move(response));
}

}  // namespace millstream::connect
