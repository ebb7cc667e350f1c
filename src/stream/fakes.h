// A source, an engine and a sink for tests and the simulation: no DuckDB, no files but those of the
// Store they are given. Rows are the numbers 0, 1, 2, …, so that "each once" is easy to see. One
// thread.
#pragma once

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/text.h"
#include "connector/sink.h"
#include "connector/source.h"
#include "engine/engine.h"
#include "io/store.h"
#include "plan/node.h"

namespace millstream::stream::fakes {

inline column::Schema number_schema() { return {{"value", column::long_type(), true, ""}}; }

inline connector::RecordBatchPtr numbers(std::int64_t from, std::int64_t to) {
  arrow::Int64Builder builder;
  for (std::int64_t i = from; i < to; ++i) CHECK(builder.Append(i).ok());
  std::shared_ptr<arrow::Array> array;
  CHECK(builder.Finish(&array).ok());
  return arrow::RecordBatch::Make(arrow::schema({arrow::field("value", arrow::int64())}), to - from,
                                  {array});
}

// What there is to read: rows below `total` exist.
struct Feed {
  std::int64_t total = 0;
  std::int64_t rows_per_trigger = 5;
  bool available_now = true;
  bool keeps_log =
      true;  // like the file source: what an offset means stands in a private log first
  std::string fail_batch;  // not empty: batch() fails with it
};

// Offsets are {"row":N}: rows below N. With a private log: {"entry":K}, and sources/<i>/K holds N.
class NumberSource final : public connector::Source {
 public:
  NumberSource(std::shared_ptr<Feed> feed, connector::SourceContext context)
      : feed_(std::move(feed)), context_(std::move(context)) {}

  std::string description() const override { return "NumberSource"; }
  bool supports_available_now() const override { return feed_->available_now; }

  Status prepare_for_available_now() override {
    frozen_ = feed_->total;
    return Status::OK();
  }

  Result<std::optional<connector::Offset>> latest_offset(
      const std::optional<connector::Offset>& start, bool all) override {
    TRY_ASSIGN(const std::int64_t from, row_of(start));
    const std::int64_t there = frozen_.value_or(feed_->total);
    const std::int64_t to = all ? there : std::min(there, from + feed_->rows_per_trigger);
    if (to <= from) return start;
    if (!feed_->keeps_log)
      return std::optional<connector::Offset>(fmt::format(R"({{"row":{}}})", to));
    const std::int64_t entry = start ? entry_of(*start) + 1 : 0;
    // An entry that a crash left behind without its batch stands: it was never read.
    const Status put = context_.store->put_if_absent(entry_path(entry), std::to_string(to));
    if (!put.ok() && !put.is(ErrorKind::already_exists)) return put;
    return std::optional<connector::Offset>(fmt::format(R"({{"entry":{}}})", entry));
  }

  Result<connector::Batches> batch(const std::optional<connector::Offset>& start,
                                   const connector::Offset& end,
                                   const connector::ScanRequest&) override {
    if (!feed_->fail_batch.empty()) return Status::io("{}", feed_->fail_batch);
    TRY_ASSIGN(const std::int64_t from, row_of(start));
    TRY_ASSIGN(const std::int64_t to, row_of(end));
    return connector::batches_of(number_schema(), {numbers(from, to)});
  }

  Status commit(const connector::Offset& end) override {
    committed = end;
    return Status::OK();
  }

  connector::Offset committed;

 private:
  static std::int64_t entry_of(const std::string& offset) {
    return parse_int64(std::string_view(offset).substr(9, offset.size() - 10)).value();
  }
  std::string entry_path(std::int64_t entry) const {
    return io::join_path(context_.metadata_path, std::to_string(entry));
  }
  Result<std::int64_t> row_of(const std::optional<connector::Offset>& offset) {
    if (!offset) return std::int64_t{0};
    if (offset->starts_with(R"({"row":)")) {
      return parse_int64(std::string_view(*offset).substr(7, offset->size() - 8)).value();
    }
    const std::int64_t entry = entry_of(*offset);
    if (const auto known = rows_.find(entry); known != rows_.end()) return known->second;
    TRY_ASSIGN(const std::string text, context_.store->get(entry_path(entry)));
    rows_[entry] = parse_int64(text).value();
    return rows_[entry];
  }

  const std::shared_ptr<Feed> feed_;
  const connector::SourceContext context_;
  std::optional<std::int64_t> frozen_;
  std::map<std::int64_t, std::int64_t> rows_;
};

class NumberTable final : public connector::StreamTable {
 public:
  explicit NumberTable(std::shared_ptr<Feed> feed) : feed_(std::move(feed)) {}
  const column::Schema& schema() const override { return schema_; }
  const column::Schema& metadata_fields() const override { return none_; }
  std::string describe() const override { return "numbers"; }
  Result<std::unique_ptr<connector::Source>> open(
      const connector::SourceContext& context) const override {
    return std::unique_ptr<connector::Source>(std::make_unique<NumberSource>(feed_, context));
  }

 private:
  const std::shared_ptr<Feed> feed_;
  const column::Schema schema_ = number_schema();
  const column::Schema none_;
};

inline plan::NodePtr scan_of(std::shared_ptr<const connector::StreamTable> table) {
  auto scan = std::make_shared<plan::StreamScan>();
  for (const auto& field : table->schema()) {
    plan::Attribute attribute;
    attribute.id = plan::AttributeId{1};
    attribute.name = field.name;
    attribute.type = field.type;
    scan->output.push_back(attribute);
    scan->columns.push_back(field.name);
  }
  scan->table = std::move(table);
  return scan;
}

inline plan::NodePtr union_of(std::vector<plan::NodePtr> children) {
  auto node = std::make_shared<plan::SetOperation>();
  node->output = children[0]->output;
  node->children = std::move(children);
  return node;
}

// Runs plans of stream scans and unions.
class PassEngine final : public engine::Engine {
 public:
  Result<connector::Batches> execute(const plan::NodePtr& node,
                                     const engine::ExecutionContext& context) override {
    last_timestamp_us = context.timestamp_us;
    connector::Batches out;
    out.schema = plan::schema_of(*node);
    TRY(add(node, context, out));
    return out;
  }
  std::int64_t last_timestamp_us = 0;

 private:
  Status add(const plan::NodePtr& node, const engine::ExecutionContext& context,
             connector::Batches& out) {
    if (node->kind != plan::NodeKind::stream_scan) {
      for (const auto& child : node->children) TRY(add(child, context, out));
      return Status::OK();
    }
    const auto input = context.stream_inputs.find(node.get());
    if (input == context.stream_inputs.end()) return Status::OK();
    TRY_ASSIGN(const auto batches, connector::collect(input->second));
    for (const auto& batch : batches) context.on_input_rows(node.get(), batch->num_rows());
    for (const auto& partition : input->second.partitions) out.partitions.push_back(partition);
    return Status::OK();
  }
};

// A table in the store: version V is the file <path>/<V>, "query,batch,from,to;…", published with
// put-if-absent; a batch that a version names already is not written again. As the Delta sink, in
// small.
class VersionedSink final : public connector::Sink {
 public:
  VersionedSink(std::shared_ptr<io::Store> store, std::string path)
      : store_(std::move(store)), path_(std::move(path)) {}

  std::string description() const override { return "VersionedSink[" + path_ + "]"; }
  Status prepare(const column::Schema&, connector::OutputMode) override { return Status::OK(); }

  Result<std::int64_t> add_batch(const connector::SinkBatch& batch,
                                 const connector::Batches& rows) override {
    TRY(refresh());
    const auto done = last_batch_.find(batch.query_id);
    if (done != last_batch_.end() && batch.batch_id <= done->second) return std::int64_t{0};
    TRY_ASSIGN(const auto all, connector::collect(rows));
    std::string text = fmt::format("{},{}", batch.query_id, batch.batch_id);
    std::int64_t count = 0;
    for (const auto& part : all) {
      const auto& values = static_cast<const arrow::Int64Array&>(*part->GetColumnByName("value"));
      for (std::int64_t i = 0; i < values.length(); ++i)
        text += fmt::format(",{}", values.Value(i));
      count += values.length();
    }
    if (before_commit) before_commit();
    TRY(store_->put_if_absent(io::join_path(path_, std::to_string(next_version_)), text));
    ++next_version_;
    last_batch_[batch.query_id] = batch.batch_id;
    return count;
  }

  std::function<void()> before_commit;  // what happens between the look at the table and the commit

  // All rows of all versions, in order.
  static std::vector<std::int64_t> rows(io::Store& store, const std::string& path) {
    std::vector<std::int64_t> out;
    for (std::int64_t version = 0;; ++version) {
      const auto text = store.get(io::join_path(path, std::to_string(version)));
      if (!text.ok()) return out;
      const auto parts = split(*text, ',');
      for (std::size_t i = 2; i < parts.size(); ++i) out.push_back(parse_int64(parts[i]).value());
    }
  }

 private:
  // What the table holds now: other writers, and our own commits whose answer was lost.
  Status refresh() {
    for (;;) {
      const auto text = store_->get(io::join_path(path_, std::to_string(next_version_)));
      if (!text.ok())
        return text.status().is(ErrorKind::file_not_found) ? Status::OK() : text.status();
      const auto parts = split(*text, ',');
      last_batch_[parts[0]] = parse_int64(parts[1]).value();
      ++next_version_;
    }
  }

  const std::shared_ptr<io::Store> store_;
  const std::string path_;
  std::int64_t next_version_ = 0;
  std::map<std::string, std::int64_t> last_batch_;
};

}  // namespace millstream::stream::fakes
