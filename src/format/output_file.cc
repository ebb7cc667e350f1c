#include "format/output_file.h"

#include <arrow/buffer.h>
#include <arrow/io/file.h>
#include <arrow/io/memory.h>
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
  if (store_.get() != io::local_store().get()) {
    TRY_ARROW_ASSIGN(memory_, arrow::io::BufferOutputStream::Create());
    stream_ = memory_;
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
  if (memory_) {
    TRY_ARROW_ASSIGN(const auto bytes, memory_->Finish());
    TRY(store_->put(path_, std::string_view(*bytes)));
  } else {
    if (::fsync(file_->file_descriptor()) != 0) return system_error("syncing", path_);
    TRY_ARROW(file_->Close());
    TRY(sync_path(std::string(io::parent_path(path_)), O_RDONLY | O_DIRECTORY));
  }
  closed_ = true;
  return Status::OK();
}

}  // namespace millstream::format
