#include "format/output_file.h"

#include <arrow/io/file.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "format/arrow_status.h"

namespace millstream::format {
namespace {

Status system_error(const char* doing, const std::string& path) {
  return Status::io("{} {}: {}", doing, path, std::strerror(errno));
}

Status sync_path(const std::string& path, int flags) {
  const int fd = ::open(path.c_str(), flags | O_CLOEXEC);
  if (fd < 0) return system_error("opening", path);
  const int failed = ::fsync(fd) != 0 ? errno : 0;
  ::close(fd);
  errno = failed;
  return failed != 0 ? system_error("syncing", path) : Status::OK();
}

// What Arrow's writers write, on its way into an upload.
class UploadStream final : public arrow::io::OutputStream {
 public:
  explicit UploadStream(io::Upload& upload) : upload_(upload) {}
  arrow::Status Write(const void* data, std::int64_t size) override {
    const Status status =
        upload_.write({static_cast<const char*>(data), static_cast<std::size_t>(size)});
    if (!status.ok()) return arrow::Status::IOError(status.message());
    at_ += size;
    return arrow::Status::OK();
  }
  arrow::Result<std::int64_t> Tell() const override { return at_; }
  arrow::Status Close() override {
    closed_ = true;
    return arrow::Status::OK();
  }
  bool closed() const override { return closed_; }

 private:
  io::Upload& upload_;
  std::int64_t at_ = 0;
  bool closed_ = false;
};

}  // namespace

OutputFile::OutputFile(std::shared_ptr<io::Store> store, std::string path)
    : store_(std::move(store)), path_(std::move(path)) {}

OutputFile::~OutputFile() {
  if (closed_) return;
  if (stream_) (void)stream_->Close();
  if (file_) ::unlink(path_.c_str());
}

Result<std::unique_ptr<OutputFile>> OutputFile::create(std::shared_ptr<io::Store> store,
                                                       std::string path) {
  std::unique_ptr<OutputFile> file(new OutputFile(std::move(store), std::move(path)));
  TRY(file->open());
  return file;
}

Status OutputFile::open() {
  if (!store_->is_local(path_)) {
    TRY_ASSIGN(upload_, store_->upload(path_));
    stream_ = std::make_shared<UploadStream>(*upload_);
    return Status::OK();
  }
  int fd = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0 && errno == ENOENT) {
    TRY(store_->make_directories(std::string(io::parent_path(path_))));
    fd = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  }
  if (fd < 0) return system_error("creating", path_);
  TRY_ARROW_ASSIGN(file_, arrow::io::FileOutputStream::Open(fd));
  stream_ = file_;
  return Status::OK();
}

Status OutputFile::close() {
  CHECK(!closed_);
  if (upload_ != nullptr) {
    TRY_ARROW(stream_->Close());
    TRY(upload_->close());
  } else {
    if (::fsync(file_->file_descriptor()) != 0) return system_error("syncing", path_);
    TRY_ARROW(file_->Close());
    TRY(sync_path(std::string(io::parent_path(path_)), O_RDONLY | O_DIRECTORY));
  }
  closed_ = true;
  return Status::OK();
}

}  // namespace millstream::format
