// Rows that come with the plan, or were uploaded for it: Arrow IPC streams.
#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/compute/cast.h>
#include <arrow/io/memory.h>
#include <arrow/ipc/reader.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>

#include "base/text.h"
#include "base/time_of_day.h"
#include "plan/relations.h"
#include "spark/connect/relations.pb.h"

namespace millstream::plan {

namespace sc = spark::connect;
using connector::RecordBatchPtr;

namespace {

struct Rows {
  column::Schema schema;
  std::vector<RecordBatchPtr> batches;
};

Status broken(const arrow::Status& status) {
  return Status::plain(ErrorKind::invalid_plan,
                       fmt::format("the local relation's Arrow data: {}", status.ToString()));
}

// All batches of one IPC stream, appended.
Status decode(const std::string& data, Rows& rows, bool first) {
  // A copy: the batches keep pointing into the buffer, and the plan outlives the message.
  const std::shared_ptr<arrow::Buffer> buffer = arrow::Buffer::FromString(data);
  auto input = std::make_shared<arrow::io::BufferReader>(buffer);
  auto reader = arrow::ipc::RecordBatchStreamReader::Open(input);
  if (!reader.ok()) return broken(reader.status());
  if (first) {
    TRY_ASSIGN(rows.schema, column::from_arrow(*(*reader)->schema()));
  }
  for (;;) {
    RecordBatchPtr batch;
    const arrow::Status status = (*reader)->ReadNext(&batch);
    if (!status.ok()) return broken(status);
    if (batch == nullptr) return Status::OK();
    const arrow::Status valid = batch->ValidateFull();
    if (!valid.ok()) return broken(valid);
    rows.batches.push_back(std::move(batch));
  }
}

Result<column::Schema> schema_of_text(const std::string& text) {
  auto ddl = column::parse_schema(text);
  if (ddl.ok()) return ddl;
  auto json = column::schema_from_json(text);
  if (json.ok()) return json;
  // What the text looks like decides whose complaint is shown.
  return trim(text).starts_with("{") ? json : ddl;
}

Result<RecordBatchPtr> as_schema(const RecordBatchPtr& batch,
                                 const std::shared_ptr<arrow::Schema>& schema) {
  if (batch->num_columns() != schema->num_fields()) {
    return Status::plain(ErrorKind::invalid_plan,
                         fmt::format("the local relation has {} columns and its schema {}",
                                     batch->num_columns(), schema->num_fields()));
  }
  arrow::ArrayVector columns;
  for (int i = 0; i < schema->num_fields(); ++i) {
    const auto& wanted = schema->field(i)->type();
    std::shared_ptr<arrow::Array> array = batch->column(i);
    if (!array->type()->Equals(wanted)) {
      auto cast = arrow::compute::Cast(*array, wanted, arrow::compute::CastOptions::Safe());
      if (!cast.ok()) return broken(cast.status());
      array = *cast;
    }
    columns.push_back(std::move(array));
  }
  return arrow::RecordBatch::Make(schema, batch->num_rows(), std::move(columns));
}

using ArrayDataPtr = std::shared_ptr<arrow::ArrayData>;

bool has_short_times(const column::DataType& type) {
  if (type.kind() == column::TypeKind::time) return type.precision() < time_precision_max;
  return std::any_of(type.fields().begin(), type.fields().end(),
                     [](const column::Field& field) { return has_short_times(*field.type); });
}

// Times come with all their digits, of which the type may have fewer.
Result<ArrayDataPtr> with_short_times(const ArrayDataPtr& data, const column::DataType& type) {
  if (!has_short_times(type)) return data;
  auto out = data->Copy();
  if (type.kind() == column::TypeKind::time) {
    const std::int64_t unit = nanos_of_last_digit(type.precision());
    const auto count = data->offset + data->length;
    auto buffer = arrow::AllocateBuffer(count * static_cast<std::int64_t>(sizeof(std::int64_t)));
    if (!buffer.ok()) return broken(buffer.status());
    const auto* from = data->GetValues<std::int64_t>(1, 0);
    auto* to = reinterpret_cast<std::int64_t*>((*buffer)->mutable_data());
    for (std::int64_t i = 0; i < count; ++i) to[i] = from[i] - from[i] % unit;
    out->buffers[1] = std::move(*buffer);
    return out;
  }
  const bool map = type.kind() == column::TypeKind::map;
  if (map) out->child_data[0] = out->child_data[0]->Copy();
  auto& children = map ? out->child_data[0]->child_data : out->child_data;
  for (std::size_t i = 0; i < children.size(); ++i) {
    TRY_ASSIGN(children[i], with_short_times(children[i], *type.fields()[i].type));
  }
  return out;
}

Result<RecordBatchPtr> with_short_times(const RecordBatchPtr& batch, const column::Schema& schema) {
  arrow::ArrayVector columns;
  for (int i = 0; i < batch->num_columns(); ++i) {
    TRY_ASSIGN(const auto data,
               with_short_times(batch->column_data(i), *schema[static_cast<std::size_t>(i)].type));
    columns.push_back(arrow::MakeArray(data));
  }
  return arrow::RecordBatch::Make(batch->schema(), batch->num_rows(), std::move(columns));
}

Result<NodePtr> local_node(const Rows& rows) {
  auto node = std::make_shared<Local>();
  const auto schema = column::to_arrow(rows.schema);
  for (const RecordBatchPtr& batch : rows.batches) {
    TRY_ASSIGN(RecordBatchPtr typed, as_schema(batch, schema));
    TRY_ASSIGN(typed, with_short_times(typed, rows.schema));
    node->batches.push_back(std::move(typed));
  }
  for (const column::Field& field : rows.schema) {
    Attribute a;
    a.id = next_attribute_id();
    a.name = field.name;
    a.type = field.type;
    a.nullable = field.nullable;
    a.metadata = field.metadata;
    node->output.push_back(std::move(a));
  }
  return NodePtr(node);
}

}  // namespace

Result<NodePtr> RelationAnalyzer::local(const sc::LocalRelation& proto) {
  Rows rows;
  if (proto.has_data()) {
    TRY(decode(proto.data(), rows, true));
  } else if (!proto.has_schema()) {
    return Status::error("CONNECT_INVALID_PLAN.SCHEMA_REQUIRED_FOR_LOCAL_RELATION");
  }
  if (proto.has_schema() && !proto.schema().empty()) {
    TRY_ASSIGN(rows.schema, schema_of_text(proto.schema()));
  }
  return local_node(rows);
}

Result<NodePtr> RelationAnalyzer::cached_local(const sc::CachedLocalRelation& proto) {
  TRY_ASSIGN(const std::string bytes, resolver_.cached_artifact(proto.hash()));
  sc::LocalRelation relation;
  if (!relation.ParseFromString(bytes)) {
    return Status::plain(ErrorKind::invalid_plan,
                         fmt::format("cache/{} does not hold a local relation", proto.hash()));
  }
  return local(relation);
}

Result<NodePtr> RelationAnalyzer::chunked_local(const sc::ChunkedCachedLocalRelation& proto) {
  if (proto.datahashes_size() == 0) {
    return Status::error("CONNECT_INVALID_PLAN.CHUNKED_CACHED_LOCAL_RELATION_WITHOUT_DATA");
  }
  Rows rows;
  bool first = true;
  for (const std::string& hash : proto.datahashes()) {
    TRY_ASSIGN(const std::string bytes, resolver_.cached_artifact(hash));
    TRY(decode(bytes, rows, first));
    first = false;
  }
  if (proto.has_schemahash() && !proto.schemahash().empty()) {
    TRY_ASSIGN(const std::string text, resolver_.cached_artifact(proto.schemahash()));
    TRY_ASSIGN(rows.schema, schema_of_text(text));
  }
  return local_node(rows);
}

}  // namespace millstream::plan
