#include "format/input_file.h"

#include <arrow/buffer.h>
#include <arrow/io/file.h>
#include <arrow/io/memory.h>

#include <algorithm>
#include <cstring>
#include <list>
#include <mutex>

#include "format/arrow_status.h"
#include "format/byte_input.h"

namespace millstream::format {
namespace {

constexpr std::int64_t held_whole_bytes_max = 4 << 20;

// An object of which pieces are fetched: a read that is small brings what is around it.
class PiecesOfObject final : public arrow::io::RandomAccessFile {
 public:
  PiecesOfObject(std::shared_ptr<io::Store> store, io::FileInfo file)
      : store_(std::move(store)), file_(std::move(file)) {}

  arrow::Status Close() override {
    closed_ = true;
    return arrow::Status::OK();
  }
  bool closed() const override { return closed_; }
  arrow::Result<std::int64_t> Tell() const override { return at_; }
  arrow::Status Seek(std::int64_t position) override {
    at_ = position;
    return arrow::Status::OK();
  }
  arrow::Result<std::int64_t> GetSize() override { return file_.size; }

  arrow::Result<std::int64_t> Read(std::int64_t size, void* out) override {
    ARROW_ASSIGN_OR_RAISE(const std::int64_t got, ReadAt(at_, size, out));
    at_ += got;
    return got;
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(std::int64_t size) override {
    ARROW_ASSIGN_OR_RAISE(auto buffer, ReadAt(at_, size));
    at_ += buffer->size();
    return buffer;
  }

  arrow::Result<std::int64_t> ReadAt(std::int64_t position, std::int64_t size, void* out) override {
    ARROW_ASSIGN_OR_RAISE(const auto buffer, ReadAt(position, size));
    std::memcpy(out, buffer->data(), static_cast<std::size_t>(buffer->size()));
    return buffer->size();
  }

  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(std::int64_t position,
                                                       std::int64_t size) override {
    size = std::min(size, file_.size - position);
    if (position < 0 || size < 0) return arrow::Status::IOError("a read outside the file");
    if (size >= piece_bytes) return fetch(position, size);
    const std::lock_guard lock(mutex_);
    for (auto piece = pieces_.begin(); piece != pieces_.end(); ++piece) {
      if (position < piece->begin || position + size > piece->begin + piece->bytes->size())
        continue;
      pieces_.splice(pieces_.begin(), pieces_, piece);
      return arrow::SliceBuffer(piece->bytes, position - piece->begin, size);
    }
    // The end of a file is asked for bit by bit, and backwards.
    const std::int64_t begin =
        std::min(position, std::max<std::int64_t>(0, file_.size - piece_bytes));
    ARROW_ASSIGN_OR_RAISE(auto bytes, fetch(begin, std::min(piece_bytes, file_.size - begin)));
    pieces_.push_front({begin, bytes});
    if (pieces_.size() > pieces_max) pieces_.pop_back();
    if (position + size > begin + bytes->size()) return fetch(position, size);
    return arrow::SliceBuffer(bytes, position - begin, size);
  }

 private:
  static constexpr std::int64_t piece_bytes = 1 << 20;
  static constexpr std::size_t pieces_max = 4;

  struct Piece {
    std::int64_t begin = 0;
    std::shared_ptr<arrow::Buffer> bytes;
  };

  arrow::Result<std::shared_ptr<arrow::Buffer>> fetch(std::int64_t position, std::int64_t size) {
    auto bytes = store_->get_range(file_.path, position, size);
    if (!bytes.ok()) return arrow::Status::IOError(bytes.status().message());
    if (std::ssize(*bytes) != size)
      return arrow::Status::IOError(file_.path, " has changed while it was read");
    return arrow::Buffer::FromString(std::move(bytes).value());
  }

  const std::shared_ptr<io::Store> store_;
  const io::FileInfo file_;
  std::int64_t at_ = 0;
  bool closed_ = false;
  std::mutex mutex_;
  std::list<Piece> pieces_;  // guarded by mutex_: the last used first
};

Result<std::shared_ptr<arrow::io::RandomAccessFile>> open_object(
    const std::shared_ptr<io::Store>& store, const std::string& path) {
  if (store->medium(path) == io::Medium::objects) {
    auto info = store->stat(path);
    if (!info.ok()) return failed_read(path, info.status());
    if (info->size > held_whole_bytes_max) {
      return std::shared_ptr<arrow::io::RandomAccessFile>(
          std::make_shared<PiecesOfObject>(store, std::move(info).value()));
    }
  }
  auto bytes = store->get(path);
  if (!bytes.ok()) return failed_read(path, bytes.status());
  return std::shared_ptr<arrow::io::RandomAccessFile>(
      arrow::io::BufferReader::FromString(std::move(bytes).value()));
}

}  // namespace

Result<std::shared_ptr<arrow::io::RandomAccessFile>> open_input_file(
    const std::shared_ptr<io::Store>& store, const std::string& path) {
  if (!store->is_local(path)) return open_object(store, path);
  auto opened = arrow::io::ReadableFile::Open(path);
  if (!opened.ok()) {
    const auto known = store->stat(path);  // tells apart what Arrow does not
    return failed_read(path, known.ok() ? to_status(opened.status()) : known.status());
  }
  return std::shared_ptr<arrow::io::RandomAccessFile>(*opened);
}

}  // namespace millstream::format
