#include "session/kept_rows.h"

#include <arrow/io/file.h>
#include <arrow/ipc/reader.h>
#include <arrow/ipc/writer.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/byte_size.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/clock.h"
#include "base/random.h"
#include "engine/engine.h"
#include "plan/analyzer.h"
#include "session/session.h"

namespace millstream::session {
namespace {

constexpr std::int64_t memory_bytes_max = 32 << 20;
constexpr int partitions_max = 8;

Status failed(const char* doing, const arrow::Status& status) {
  return Status::io("{} cached rows: {}", doing, status.ToString());
}

connector::RecordBatchPtr chosen(const arrow::RecordBatch& batch, const std::vector<int>& columns,
                                 const std::shared_ptr<arrow::Schema>& schema) {
  std::vector<std::shared_ptr<arrow::Array>> arrays;
  for (const int i : columns) arrays.push_back(batch.column(i));
  return arrow::RecordBatch::Make(schema, batch.num_rows(), std::move(arrays));
}

class FileReader final : public connector::BatchReader {
 public:
  FileReader(std::shared_ptr<arrow::ipc::RecordBatchFileReader> file, int first, int last,
             std::vector<int> columns, std::shared_ptr<arrow::Schema> schema,
             std::shared_ptr<const connector::Table> owner)
      : file_(std::move(file)),
        at_(first),
        last_(last),
        columns_(std::move(columns)),
        schema_(std::move(schema)),
        owner_(std::move(owner)) {}

  Result<connector::RecordBatchPtr> next() override {
    if (at_ >= last_) return connector::RecordBatchPtr();
    const auto batch = file_->ReadRecordBatch(at_++);
    if (!batch.ok()) return failed("reading", batch.status());
    return chosen(**batch, columns_, schema_);
  }

 private:
  const std::shared_ptr<arrow::ipc::RecordBatchFileReader> file_;
  int at_;
  const int last_;
  const std::vector<int> columns_;
  const std::shared_ptr<arrow::Schema> schema_;
  const std::shared_ptr<const connector::Table> owner_;  // the file stays while it is read
};

class MemoryReader final : public connector::BatchReader {
 public:
  explicit MemoryReader(std::vector<connector::RecordBatchPtr> batches)
      : batches_(std::move(batches)) {}
  Result<connector::RecordBatchPtr> next() override {
    return at_ < batches_.size() ? batches_[at_++] : connector::RecordBatchPtr();
  }

 private:
  const std::vector<connector::RecordBatchPtr> batches_;
  std::size_t at_ = 0;
};

// The rows from `first` up to `end` of batches of which the first begins at row `at`.
class RangeReader final : public connector::BatchReader {
 public:
  RangeReader(std::unique_ptr<connector::BatchReader> batches, std::int64_t at, std::int64_t first,
              std::int64_t end)
      : batches_(std::move(batches)), at_(at), first_(first), end_(end) {}

  Result<connector::RecordBatchPtr> next() override {
    if (at_ >= end_) return connector::RecordBatchPtr();
    TRY_ASSIGN(const auto batch, batches_->next());
    if (batch == nullptr) return connector::RecordBatchPtr();
    const std::int64_t from = std::max(first_ - at_, std::int64_t{0});
    const std::int64_t to = std::min(end_ - at_, batch->num_rows());
    at_ += batch->num_rows();
    return batch->Slice(from, to - from);
  }

 private:
  const std::unique_ptr<connector::BatchReader> batches_;
  std::int64_t at_;
  const std::int64_t first_;
  const std::int64_t end_;
};

class KeptFile {
 public:
  Status open(const std::string& path, const std::shared_ptr<arrow::Schema>& schema) {
    auto output = arrow::io::FileOutputStream::Open(path);
    if (!output.ok()) return failed("writing", output.status());
    output_ = *output;
    auto writer = arrow::ipc::MakeFileWriter(output_, schema);
    if (!writer.ok()) return failed("writing", writer.status());
    writer_ = *writer;
    return Status::OK();
  }
  Status write(const arrow::RecordBatch& batch) {
    const auto status = writer_->WriteRecordBatch(batch);
    return status.ok() ? Status::OK() : failed("writing", status);
  }
  Status close() {
    auto status = writer_->Close();
    if (status.ok()) status = output_->Close();
    return status.ok() ? Status::OK() : failed("writing", status);
  }

 private:
  std::shared_ptr<arrow::io::FileOutputStream> output_;
  std::shared_ptr<arrow::ipc::RecordBatchWriter> writer_;
};

}  // namespace

KeptRows::~KeptRows() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

Result<std::shared_ptr<const KeptRows>> KeptRows::make(const connector::Batches& rows,
                                                       const std::string& directory) {
  std::shared_ptr<KeptRows> kept(new KeptRows(rows.schema));
  TRY(kept->keep(rows, directory));
  return std::shared_ptr<const KeptRows>(std::move(kept));
}

Status KeptRows::keep(const connector::Batches& rows, const std::string& directory) {
  KeptFile file;
  for (const auto& partition : rows.partitions) {
    TRY_ASSIGN(const auto reader, partition());
    for (;;) {
      TRY_ASSIGN(auto batch, reader->next());
      if (batch == nullptr) break;
      if (batch->num_rows() == 0) continue;
      starts_.push_back(rows_);
      rows_ += batch->num_rows();
      bytes_ += arrow::util::TotalBufferSize(*batch);
      if (path_.empty() && bytes_ > memory_bytes_max) {
        std::error_code ignored;
        std::filesystem::create_directories(directory, ignored);
        path_ = directory + "/rows-" + new_uuid() + ".arrow";
        TRY(file.open(path_, column::to_arrow(schema_)));
        for (const auto& kept : batches_) TRY(file.write(*kept));
        file_batches_ = static_cast<int>(batches_.size());
        batches_.clear();
      }
      if (path_.empty()) {
        batches_.push_back(std::move(batch));
        continue;
      }
      TRY(file.write(*batch));
      ++file_batches_;
    }
  }
  return path_.empty() ? Status::OK() : file.close();
}

Result<connector::Batches> KeptRows::scan(const connector::ScanRequest& request) const {
  connector::Batches out;
  std::vector<int> columns;
  for (const std::string& name : request.columns) {
    const int index = column::find_field(schema_, name);
    CHECK(index >= 0);
    columns.push_back(index);
    out.schema.push_back(schema_[static_cast<std::size_t>(index)]);
  }
  if (path_.empty()) {
    const int last = static_cast<int>(batches_.size());
    out.partitions.push_back(
        [self = shared_from_this(), last, columns] { return self->read(0, last, columns); });
    return out;
  }
  const int share = (file_batches_ + partitions_max - 1) / partitions_max;
  // The partitions may outlive the table's last user.
  const auto self = shared_from_this();
  for (int first = 0; first < file_batches_; first += share) {
    const int last = std::min(first + share, file_batches_);
    out.partitions.push_back(
        [self, first, last, columns] { return self->read(first, last, columns); });
  }
  return out;
}

Result<std::unique_ptr<connector::BatchReader>> KeptRows::read(
    int first, int last, const std::vector<int>& columns) const {
  column::Schema schema;
  for (const int i : columns) schema.push_back(schema_[static_cast<std::size_t>(i)]);
  const auto arrow_schema = column::to_arrow(schema);
  if (path_.empty()) {
    std::vector<connector::RecordBatchPtr> batches;
    for (int i = first; i < last; ++i) {
      batches.push_back(chosen(*batches_[static_cast<std::size_t>(i)], columns, arrow_schema));
    }
    return std::unique_ptr<connector::BatchReader>(
        std::make_unique<MemoryReader>(std::move(batches)));
  }
  auto input = arrow::io::MemoryMappedFile::Open(path_, arrow::io::FileMode::READ);
  if (!input.ok()) return failed("reading", input.status());
  auto file = arrow::ipc::RecordBatchFileReader::Open(*input);
  if (!file.ok()) return failed("reading", file.status());
  return std::unique_ptr<connector::BatchReader>(
      std::make_unique<FileReader>(*file, first, last, columns, arrow_schema, shared_from_this()));
}

connector::Batches KeptRows::in_partitions(const std::vector<std::int64_t>& ends) const {
  connector::Batches out{schema_, {}};
  std::vector<int> columns;
  for (std::size_t i = 0; i < schema_.size(); ++i) columns.push_back(static_cast<int>(i));
  const auto self = shared_from_this();
  const auto batch_of = [&](std::int64_t row) {
    return static_cast<int>(std::ranges::upper_bound(starts_, row) - starts_.begin()) - 1;
  };
  std::int64_t first = 0;
  for (const std::int64_t end : ends) {
    if (end == first) continue;
    const int first_batch = batch_of(first);
    const int last_batch = batch_of(end - 1) + 1;
    out.partitions.push_back([self, columns, first, end, first_batch,
                              last_batch]() -> Result<std::unique_ptr<connector::BatchReader>> {
      TRY_ASSIGN(auto batches, self->read(first_batch, last_batch, columns));
      return std::unique_ptr<connector::BatchReader>(std::make_unique<RangeReader>(
          std::move(batches), self->starts_[static_cast<std::size_t>(first_batch)], first, end));
    });
    first = end;
  }
  return out;
}

plan::NodePtr in_numbered_columns(plan::NodePtr node) {
  auto project = std::make_shared<plan::Project>();
  for (const plan::Attribute& a : node->output) {
    plan::Attribute out = a;
    out.hidden = false;
    out.name = "c" + std::to_string(project->exprs.size());
    out.id = plan::next_attribute_id();
    project->exprs.push_back(plan::make_alias(plan::make_attribute(a), out.name, out.id));
    project->output.push_back(std::move(out));
  }
  project->children.push_back(std::move(node));
  return project;
}

CachedRows::CachedRows(Runtime& runtime, std::string time_zone, plan::NodePtr node)
    : runtime_(runtime),
      time_zone_(std::move(time_zone)),
      node_(in_numbered_columns(std::move(node))),
      schema_(plan::schema_of(*node_)) {}

Result<std::shared_ptr<const KeptRows>> CachedRows::rows() const {
  const std::lock_guard lock(mutex_);
  if (rows_ == nullptr) {
    engine::ExecutionContext run;
    run.time_zone = time_zone_;
    run.timestamp_us = runtime_.clock->now_us();
    TRY_ASSIGN(const auto computed,
               runtime_.engine->execute(plan::optimize(plan::with_kept_rows(node_)), run));
    TRY_ASSIGN(rows_, KeptRows::make(computed, runtime_.temporary_directory));
  }
  return rows_;
}

Result<connector::Batches> CachedRows::scan(const connector::ScanRequest& request) const {
  TRY_ASSIGN(const auto kept, rows());
  return kept->scan(request);
}

namespace {

bool has_scan(const plan::Node& node) {
  if (node.kind == plan::NodeKind::scan) return true;
  for (const auto& child : node.children) {
    if (has_scan(*child)) return true;
  }
  return false;
}

}  // namespace

bool CachedRows::reads_tables() const { return has_scan(*node_); }

plan::NodePtr scan_in_place(std::shared_ptr<const connector::Table> rows, const plan::Node& node) {
  auto scan = std::make_shared<plan::Scan>();
  for (plan::Attribute attribute : node.output) {
    if (attribute.hidden) continue;
    attribute.qualifier.clear();
    scan->columns.push_back("c" + std::to_string(scan->output.size()));
    scan->output.push_back(std::move(attribute));
  }
  scan->table = std::move(rows);
  return scan;
}

}  // namespace millstream::session
