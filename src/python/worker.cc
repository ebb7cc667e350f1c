#include "python/worker.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>

#include "python/interpreter.h"

namespace millstream::python {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds start_time_max{60'000};  // imports on a busy machine take long
constexpr milliseconds poll_time{50};
constexpr std::size_t line_bytes_max = 64 << 10;
constexpr std::int32_t text_bytes_max = 256 << 20;

// A folder that only this user may enter, for a socket; gone with its object.
class Folder {
 public:
  static Result<Folder> make() {
    std::error_code error;
    std::string path = (fs::temp_directory_path(error) / "millstream-py-XXXXXX").string();
    if (error || ::mkdtemp(path.data()) == nullptr)
      return Status::io("no folder for the socket of a Python worker: {}; set TMPDIR", path);
    return Folder(std::move(path));
  }
  Folder(Folder&& other) noexcept : path_(std::exchange(other.path_, "")) {}
  Folder& operator=(Folder&&) = delete;
  ~Folder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  explicit Folder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

Result<Descriptor> connect_to(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    return Status::io("the path of a Python worker's socket is too long: {}; set TMPDIR", path);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  Descriptor out(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  if (out.get() < 0 || ::connect(out.get(), generic, sizeof address) != 0)
    return Status::io("no connection to a Python worker at {}: {}", path, std::strerror(errno));
  return out;
}

// What the daemon prints first: an int with the length of the socket's path, and the path.
class Announcement {
 public:
  bool complete() const { return bytes_.size() >= 4 && bytes_.size() >= 4 + size(); }
  std::string path() const { return bytes_.substr(4, size()); }
  bool read_some(int descriptor) {
    char buffer[512];
    const ssize_t count = ::read(descriptor, buffer, sizeof buffer);
    if (count <= 0) return count < 0 && errno == EINTR;
    bytes_.append(buffer, static_cast<std::size_t>(count));
    return true;
  }

 private:
  std::size_t size() const {
    std::size_t out = 0;
    for (std::size_t i = 0; i < 4; ++i) out = out << 8 | static_cast<unsigned char>(bytes_[i]);
    return out;
  }
  std::string bytes_;
};

Result<std::string> socket_of_daemon(int output, Process& daemon, const CancelToken* cancel) {
  const auto end = steady_clock::now() + start_time_max;
  Announcement announcement;
  while (!announcement.complete()) {
    if (cancel != nullptr) TRY(cancel->check());
    pollfd waited{output, POLLIN, 0};
    const bool ready = ::poll(&waited, 1, static_cast<int>(poll_time.count())) > 0;
    if (ready && announcement.read_some(output)) continue;
    if (const auto how = daemon.ended())
      return Status::io("Python did not start: {} (see the server's log)", *how);
    if (steady_clock::now() > end)
      return Status::io("Python did not start within {} s", start_time_max.count() / 1000);
    if (ready) std::this_thread::sleep_for(poll_time);  // its output has ended, and so will it
  }
  return announcement.path();
}

// What the functions print is for the server's log; what pyspark's own worker says of each batch is
// for nobody.
void print_lines(const Descriptor& output) {
  constexpr std::string_view chatter = "Streaming ForeachBatch worker ";
  std::string line;
  char buffer[4096];
  for (;;) {
    const ssize_t count = ::read(output.get(), buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    for (ssize_t i = 0; i < count; ++i) {
      line.push_back(buffer[i]);
      if (buffer[i] != '\n' && line.size() < line_bytes_max) continue;
      if (!line.starts_with(chatter)) std::fwrite(line.data(), 1, line.size(), stderr);
      line.clear();
    }
  }
  if (!line.empty()) std::fwrite(line.data(), 1, line.size(), stderr);
}

// While it lives, a cancel ends what is read from or written to the socket.
class Cutter {
 public:
  template <typename Cut>
  Cutter(const CancelToken* cancel, Cut cut) : cancel_(const_cast<CancelToken*>(cancel)) {
    if (cancel_ != nullptr) id_ = cancel_->on_cancel(std::move(cut));
  }
  ~Cutter() {
    if (cancel_ != nullptr) cancel_->forget(id_);
  }
  Cutter(const Cutter&) = delete;
  Cutter& operator=(const Cutter&) = delete;

 private:
  CancelToken* cancel_;
  std::size_t id_ = 0;
};

template <typename Int>
void append_big_endian(Int value, std::string* out) {
  for (int shift = (sizeof value - 1) * 8; shift >= 0; shift -= 8)
    out->push_back(static_cast<char>(value >> shift & 0xff));
}

}  // namespace

void Frames::put_int(std::int32_t value) { append_big_endian(value, &bytes_); }
void Frames::put_long(std::int64_t value) { append_big_endian(value, &bytes_); }
void Frames::put_text(std::string_view text) {
  put_int(static_cast<std::int32_t>(text.size()));
  bytes_ += text;
}

class Worker::Socket {
 public:
  explicit Socket(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}
  int get() const { return descriptor_.get(); }
  void cut() const { ::shutdown(get(), SHUT_RDWR); }

 private:
  Descriptor descriptor_;
};

Result<std::unique_ptr<Worker>> Worker::start(const WorkerSpec& spec, const CancelToken* cancel) {
  TRY_ASSIGN(const Folder folder, Folder::make());
  TRY_ASSIGN(Pipe input, Pipe::open());
  TRY_ASSIGN(Pipe output, Pipe::open());
  ProcessSpec daemon;
  daemon.words = {spec.interpreter, "-m", "pyspark.daemon", spec.module};
  daemon.environment = spec.environment;
  for (const std::string& entry :
       {"PYTHON_WORKER_FACTORY_SOCK_DIR=" + folder.path(), python_path(spec.search_path),
        std::string("PYTHON_UNIX_DOMAIN_ENABLED=true"), std::string("SPARK_REUSE_WORKER=1"),
        std::string("PYTHONUNBUFFERED=YES"),
        // Its value does not matter; pyspark looks for an installation without it.
        std::string("SPARK_HOME=.")})
    daemon.environment.push_back(entry);
  daemon.input = input.read_end.get();
  daemon.output = output.write_end.get();
  TRY_ASSIGN(Process process, Process::start(daemon));
  output.write_end.close();
  TRY_ASSIGN(const std::string path, socket_of_daemon(output.read_end.get(), process, cancel));
  std::unique_ptr<Worker> worker(new Worker(std::move(process), std::move(input.write_end)));
  TRY_ASSIGN(Descriptor connected, connect_to(path));
  worker->socket_ = std::make_shared<Socket>(std::move(connected));
  // Nobody waits for its end: a process that the function has left behind may hold the output.
  std::thread([from = std::make_shared<Descriptor>(std::move(output.read_end))] {
    print_lines(*from);
  }).detach();
  TRY_ASSIGN(const std::int32_t pid, worker->take_int(cancel));
  if (pid < 0) return Status::io("Python could not fork a worker: {}", std::strerror(-pid));
  return worker;
}

Worker::~Worker() {
  daemon_.kill();  // and with it its worker, which would complain of a socket that ended first
}

Status Worker::lost(const CancelToken* cancel) {
  if (cancel != nullptr) TRY(cancel->check());
  return Status::plain(
      ErrorKind::spark,
      "Python worker exited unexpectedly (crashed); the server's log may say more");
}

Status Worker::send(const CancelToken* cancel) {
  const Cutter cutter(cancel, [socket = socket_] { socket->cut(); });
  std::string_view rest = frames_.bytes();
  while (!rest.empty()) {
    const ssize_t sent = ::send(socket_->get(), rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return lost(cancel);
    rest.remove_prefix(static_cast<std::size_t>(sent));
  }
  frames_.clear();
  return Status::OK();
}

Status Worker::take(char* out, std::size_t size, const CancelToken* cancel) {
  const Cutter cutter(cancel, [socket = socket_] { socket->cut(); });
  while (size > 0) {
    const ssize_t got = ::recv(socket_->get(), out, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return lost(cancel);
    out += got;
    size -= static_cast<std::size_t>(got);
  }
  return Status::OK();
}

Result<std::int32_t> Worker::take_int(const CancelToken* cancel) {
  unsigned char bytes[4];
  TRY(take(reinterpret_cast<char*>(bytes), sizeof bytes, cancel));
  const std::uint32_t value = std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 |
                              std::uint32_t{bytes[2]} << 8 | bytes[3];
  return static_cast<std::int32_t>(value);
}

Result<std::int64_t> Worker::take_long(const CancelToken* cancel) {
  TRY_ASSIGN(const std::int32_t high, take_int(cancel));
  TRY_ASSIGN(const std::int32_t low, take_int(cancel));
  return static_cast<std::int64_t>(high) << 32 | static_cast<std::uint32_t>(low);
}

Result<std::string> Worker::take_text(const CancelToken* cancel) {
  TRY_ASSIGN(const std::int32_t size, take_int(cancel));
  if (size < 0 || size > text_bytes_max)
    return Status::plain(ErrorKind::spark,
                         fmt::format("the Python worker answers with a text of {} "
                                     "bytes: it speaks another protocol",
                                     size));
  std::string text(static_cast<std::size_t>(size), '\0');
  TRY(take(text.data(), text.size(), cancel));
  return text;
}

}  // namespace millstream::python
