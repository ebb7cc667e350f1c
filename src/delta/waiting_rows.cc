#include "delta/waiting_rows.h"

#include <arrow/io/file.h>
#include <arrow/ipc/reader.h>
#include <arrow/ipc/writer.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "format/arrow_status.h"
#include "format/parquet_stats.h"

namespace millstream::delta {
namespace {

Result<connector::RecordBatchPtr> joined(const std::vector<connector::RecordBatchPtr>& batches) {
  if (batches.size() == 1) return batches.front();
  TRY_ARROW_ASSIGN(auto one, arrow::ConcatenateRecordBatches(batches));
  return connector::RecordBatchPtr(std::move(one));
}

}  // namespace

// Batches by number, written first and read afterwards.
class WaitingRows::SpillFile {
 public:
  static Result<std::unique_ptr<SpillFile>> create(const std::shared_ptr<arrow::Schema>& schema) {
    std::error_code error;
    const auto directory = std::filesystem::temp_directory_path(error);
    std::string name = (error ? std::string("/tmp") : directory.string()) + "/millstream-XXXXXX";
    const int descriptor = ::mkstemp(name.data());
    if (descriptor < 0) return Status::io("{}: {}", name, std::strerror(errno));
    ::unlink(name.c_str());  // it goes with the process, however that ends
    auto file = std::make_unique<SpillFile>();
    auto output = arrow::io::FileOutputStream::Open(descriptor);
    if (!output.ok()) ::close(descriptor);
    TRY_ARROW_ASSIGN(file->output_, std::move(output));
    TRY_ARROW_ASSIGN(file->writer_, arrow::ipc::MakeFileWriter(file->output_, schema));
    return file;
  }

  Result<int> write(const arrow::RecordBatch& batch) {
    TRY_ARROW(writer_->WriteRecordBatch(batch));
    return count_++;
  }

  Result<connector::RecordBatchPtr> read(int number) {
    if (reader_ == nullptr) {
      TRY_ARROW(writer_->Close());
      const int descriptor = ::dup(output_->file_descriptor());
      if (descriptor < 0) return Status::io("a temporary file: {}", std::strerror(errno));
      auto input = arrow::io::ReadableFile::Open(descriptor);
      if (!input.ok()) ::close(descriptor);
      TRY_ARROW_ASSIGN(auto readable, std::move(input));
      TRY_ARROW_ASSIGN(reader_, arrow::ipc::RecordBatchFileReader::Open(readable));
    }
    TRY_ARROW_ASSIGN(auto batch, reader_->ReadRecordBatch(number));
    return connector::RecordBatchPtr(std::move(batch));
  }

 private:
  std::shared_ptr<arrow::io::FileOutputStream> output_;
  std::shared_ptr<arrow::ipc::RecordBatchWriter> writer_;
  std::shared_ptr<arrow::ipc::RecordBatchFileReader> reader_;
  int count_ = 0;
};

WaitingRows::WaitingRows(std::int64_t memory_bytes_max) : memory_bytes_max_(memory_bytes_max) {}

WaitingRows::~WaitingRows() = default;

Status WaitingRows::add(PartitionGroup group) {
  memory_bytes_ += format::arrow_bytes(*group.rows);
  Partition& partition = partitions_[group.directory];
  partition.values = std::move(group.values);
  partition.in_memory.push_back(std::move(group.rows));
  return memory_bytes_ > memory_bytes_max_ ? spill() : Status::OK();
}

Status WaitingRows::spill() {
  for (auto& [directory, partition] : partitions_) {
    if (partition.in_memory.empty()) continue;
    TRY_ASSIGN(const auto rows, joined(partition.in_memory));
    partition.in_memory.clear();
    if (file_ == nullptr) {
      TRY_ASSIGN(file_, SpillFile::create(rows->schema()));
    }
    TRY_ASSIGN(const int number, file_->write(*rows));
    partition.in_file.push_back(number);
  }
  memory_bytes_ = 0;
  return Status::OK();
}

Status WaitingRows::give(const std::function<Status(PartitionGroup)>& take,
                         const std::function<Status(const std::string& directory)>& done) {
  while (!partitions_.empty()) {
    auto [directory, partition] = std::move(*partitions_.begin());
    partitions_.erase(partitions_.begin());
    for (const int number : partition.in_file) {
      TRY_ASSIGN(auto rows, file_->read(number));
      TRY(take({directory, partition.values, std::move(rows)}));
    }
    if (!partition.in_memory.empty()) {
      TRY_ASSIGN(auto rows, joined(partition.in_memory));
      TRY(take({directory, partition.values, std::move(rows)}));
    }
    TRY(done(directory));
  }
  return Status::OK();
}

}  // namespace millstream::delta
