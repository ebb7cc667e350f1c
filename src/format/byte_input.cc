#include "format/byte_input.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <vector>

#include "base/text.h"

namespace millstream::format {
namespace {

constexpr std::size_t compressed_block = 128 << 10;

class FileInput final : public ByteInput {
 public:
  FileInput(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}
  ~FileInput() override { ::close(fd_); }
  Result<std::size_t> read(char* to, std::size_t size) override {
    for (;;) {
      const ssize_t got = ::read(fd_, to, size);
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) return Status::io("reading {}: {}", path_, std::strerror(errno));
    }
  }

 private:
  int fd_;
  std::string path_;
};

class TextInput final : public ByteInput {
 public:
  explicit TextInput(std::string bytes) : bytes_(std::move(bytes)) {}
  Result<std::size_t> read(char* to, std::size_t size) override {
    const std::size_t count = std::min(size, bytes_.size() - at_);
    std::memcpy(to, bytes_.data() + at_, count);
    at_ += count;
    return count;
  }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
};

// An object, fetched a large piece at a time.
class ObjectInput final : public ByteInput {
 public:
  ObjectInput(std::shared_ptr<io::Store> store, std::string path)
      : store_(std::move(store)), path_(std::move(path)) {}

  // Fetches the next piece: the first when the input is opened, so that a missing object shows.
  Status fetch() {
    TRY_ASSIGN(piece_, store_->get_range(path_, offset_, piece_bytes));
    offset_ += std::ssize(piece_);
    is_last_ = std::ssize(piece_) < piece_bytes;
    at_ = 0;
    return Status::OK();
  }

  Result<std::size_t> read(char* to, std::size_t size) override {
    if (at_ == piece_.size() && !is_last_) TRY(fetch());
    const std::size_t count = std::min(size, piece_.size() - at_);
    std::memcpy(to, piece_.data() + at_, count);
    at_ += count;
    return count;
  }

 private:
  static constexpr std::int64_t piece_bytes = 8 << 20;

  const std::shared_ptr<io::Store> store_;
  const std::string path_;
  std::string piece_;
  std::size_t at_ = 0;
  std::int64_t offset_ = 0;  // behind the piece
  bool is_last_ = false;
};

// gzip of one or more members, or one zlib stream.
class InflateInput final : public ByteInput {
 public:
  InflateInput(std::unique_ptr<ByteInput> from, bool gzip) : from_(std::move(from)), gzip_(gzip) {
    CHECK(inflateInit2(&stream_, gzip ? 15 + 16 : 15) == Z_OK);
  }
  ~InflateInput() override { inflateEnd(&stream_); }

  Result<std::size_t> read(char* to, std::size_t size) override {
    std::size_t done = 0;
    while (done < size && !ended_) {
      if (stream_.avail_in == 0) {
        TRY_ASSIGN(const std::size_t got, from_->read(buffer_.data(), buffer_.size()));
        if (got == 0) {
          ended_ = true;
          truncated_ = within_member_;
          break;
        }
        stream_.next_in = reinterpret_cast<Bytef*>(buffer_.data());
        stream_.avail_in = static_cast<uInt>(got);
      }
      const std::size_t piece = std::min<std::size_t>(size - done, 1 << 30);
      stream_.next_out = reinterpret_cast<Bytef*>(to + done);
      stream_.avail_out = static_cast<uInt>(piece);
      within_member_ = true;
      const int code = inflate(&stream_, Z_NO_FLUSH);
      done += piece - stream_.avail_out;
      if (code == Z_STREAM_END) {
        within_member_ = false;
        if (gzip_) {
          CHECK(inflateReset(&stream_) == Z_OK);
        } else {
          ended_ = true;
        }
      } else if (code != Z_OK && code != Z_BUF_ERROR) {
        ended_ = true;
        failed_ = true;
      }
    }
    if (done > 0) return done;
    if (truncated_) return Status::io("Unexpected end of input stream");
    if (failed_) return damage();
    return done;
  }

 private:
  Status damage() const {
    return Status::io("{}",
                      stream_.msg != nullptr ? stream_.msg : "the compressed data is damaged");
  }

  std::unique_ptr<ByteInput> from_;
  bool gzip_;
  z_stream stream_{};
  std::vector<char> buffer_ = std::vector<char>(compressed_block);
  bool within_member_ = false;
  bool ended_ = false;
  bool truncated_ = false;
  bool failed_ = false;
};

class ZstdInput final : public ByteInput {
 public:
  explicit ZstdInput(std::unique_ptr<ByteInput> from)
      : from_(std::move(from)), stream_(ZSTD_createDStream()) {
    CHECK(stream_ != nullptr);
  }
  ~ZstdInput() override { ZSTD_freeDStream(stream_); }

  Result<std::size_t> read(char* to, std::size_t size) override {
    ZSTD_outBuffer out{to, size, 0};
    while (out.pos < size && failed_.ok()) {
      if (in_.pos == in_.size) {
        TRY_ASSIGN(const std::size_t got, from_->read(buffer_.data(), buffer_.size()));
        in_ = {buffer_.data(), got, 0};
        if (got == 0) {
          if (within_frame_) failed_ = Status::io("Truncated source");
          break;
        }
      }
      const std::size_t left = ZSTD_decompressStream(stream_, &out, &in_);
      if (ZSTD_isError(left)) {
        failed_ = Status::io("{}", ZSTD_getErrorName(left));
        break;
      }
      within_frame_ = left != 0;
    }
    if (out.pos == 0 && !failed_.ok()) return failed_;
    return out.pos;
  }

 private:
  std::unique_ptr<ByteInput> from_;
  ZSTD_DStream* stream_;
  std::vector<char> buffer_ = std::vector<char>(compressed_block);
  ZSTD_inBuffer in_{nullptr, 0, 0};
  bool within_frame_ = false;
  Status failed_;
};

}  // namespace

Filled fill(ByteInput& input, char* to, std::size_t size) {
  Filled filled;
  while (filled.size < size) {
    const auto got = input.read(to + filled.size, size - filled.size);
    if (!got.ok()) {
      filled.status = got.status();
      break;
    }
    if (*got == 0) break;
    filled.size += *got;
  }
  return filled;
}

Result<std::unique_ptr<ByteInput>> open_bytes(const std::shared_ptr<io::Store>& store,
                                              const std::string& path) {
  std::unique_ptr<ByteInput> input;
  if (store->is_local(path)) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
      const std::string text = fmt::format("opening {}: {}", path, std::strerror(errno));
      return Status::plain(
          errno == ENOENT || errno == ENOTDIR ? ErrorKind::file_not_found : ErrorKind::io, text);
    }
    input = std::make_unique<FileInput>(fd, path);
  } else if (store->medium(path) == io::Medium::objects) {
    auto object = std::make_unique<ObjectInput>(store, path);
    TRY(object->fetch());
    input = std::move(object);
  } else {
    TRY_ASSIGN(std::string bytes, store->get(path));
    input = std::make_unique<TextInput>(std::move(bytes));
  }
  const std::string lower = to_lower(io::base_name(path));
  if (lower.ends_with(".gz") || lower.ends_with(".gzip")) {
    return std::unique_ptr<ByteInput>(std::make_unique<InflateInput>(std::move(input), true));
  }
  if (lower.ends_with(".deflate")) {
    return std::unique_ptr<ByteInput>(std::make_unique<InflateInput>(std::move(input), false));
  }
  if (lower.ends_with(".zst") || lower.ends_with(".zstd")) {
    return std::unique_ptr<ByteInput>(std::make_unique<ZstdInput>(std::move(input)));
  }
  for (const std::string_view other : {".bz2", ".snappy", ".lz4"}) {
    if (lower.ends_with(other)) {
      return Status::unsupported("{} files are not supported by Millstream yet: {}", other, path);
    }
  }
  return input;
}

Status failed_read(const std::string& path, const Status& cause) {
  const bool missing = cause.is(ErrorKind::file_not_found);
  ErrorInfo info =
      Status::error(missing ? "FAILED_READ_FILE.FILE_NOT_EXIST" : "FAILED_READ_FILE.NO_HINT",
                    {{"path", io::to_file_uri(path)}})
          .info();
  // Spark's clients see the reason in the stack trace only; a stream whose batch is planned meets
  // the same file again at each start, so the way out is named.
  if (missing) {
    info.message +=
        "\nThe reader's option ignoreMissingFiles=true goes on without files that are gone.";
  } else {
    info.message += "\nCaused by: " + cause.message();
    if (cause.message().find(std::strerror(EACCES)) == std::string::npos)
      info.message +=
          "\nThe reader's option ignoreCorruptFiles=true leaves out what cannot be read of a file.";
  }
  return Status(std::move(info)).with_cause(cause);
}

}  // namespace millstream::format
