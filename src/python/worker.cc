#include "python/worker.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <thread>

#include "python/interpreter.h"

namespace millstream::python {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds start_time_max{60'000};  // imports on a busy machine take long
constexpr milliseconds poll_time{50};
constexpr std::int32_t text_bytes_max = 256 << 20;

struct Descriptor {
  explicit Descriptor(int opened) : value(opened) {}
  Descriptor(Descriptor&& other) noexcept : value(std::exchange(other.value, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (value >= 0) ::close(value);
  }
  int value;
};

// A socket in a folder that only this user may enter; both go when it goes.
class Listener {
 public:
  static Result<Listener> open() {
    std::error_code error;
    std::string folder = (fs::temp_directory_path(error) / "millstream-py-XXXXXX").string();
    if (error || ::mkdtemp(folder.data()) == nullptr)
      return Status::io("no folder for the socket of a Python worker: {}; set TMPDIR", folder);
    Listener listener(folder, ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = listener.path();
    if (path.size() >= sizeof address.sun_path)
      return Status::io("the path of a Python worker's socket is too long: {}; set TMPDIR", path);
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    const auto* generic = reinterpret_cast<const sockaddr*>(&address);
    if (listener.descriptor() < 0 || ::bind(listener.descriptor(), generic, sizeof address) != 0 ||
        ::listen(listener.descriptor(), 1) != 0)
      return Status::io("no socket for a Python worker at {}: {}", path, std::strerror(errno));
    return listener;
  }
  Listener(Listener&& other) noexcept
      : folder_(std::exchange(other.folder_, "")), descriptor_(std::move(other.descriptor_)) {}
  Listener& operator=(Listener&&) = delete;
  ~Listener() {
    std::error_code ignored;
    if (!folder_.empty()) fs::remove_all(folder_, ignored);
  }

  int descriptor() const { return descriptor_.value; }
  std::string path() const { return folder_ + "/socket"; }

 private:
  Listener(std::string folder, int descriptor)
      : folder_(std::move(folder)), descriptor_(descriptor) {}

  std::string folder_;
  Descriptor descriptor_;
};

Result<Descriptor> accept_one(const Listener& listener, Process& process, const std::string& module,
                              const CancelToken* cancel) {
  const auto end = steady_clock::now() + start_time_max;
  for (;;) {
    if (cancel != nullptr) TRY(cancel->check());
    pollfd waited{listener.descriptor(), POLLIN, 0};
    if (::poll(&waited, 1, static_cast<int>(poll_time.count())) > 0) {
      const int accepted = ::accept4(listener.descriptor(), nullptr, nullptr, SOCK_CLOEXEC);
      if (accepted >= 0) return Descriptor(accepted);
    }
    if (const auto how = process.ended())
      return Status::io("the Python worker {} did not start: {} (see the server's log)", module,
                        *how);
    if (steady_clock::now() > end)
      return Status::io("the Python worker {} did not answer within {} s", module,
                        start_time_max.count() / 1000);
  }
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

class Worker::Socket {
 public:
  explicit Socket(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}
  int descriptor() const { return descriptor_.value; }
  void cut() const { ::shutdown(descriptor_.value, SHUT_RDWR); }

 private:
  Descriptor descriptor_;
};

Result<std::unique_ptr<Worker>> Worker::start(const WorkerSpec& spec, const CancelToken* cancel) {
  TRY_ASSIGN(const Listener listener, Listener::open());
  ProcessSpec process_spec;
  process_spec.words = {spec.interpreter, "-m", spec.module};
  process_spec.environment = spec.environment;
  process_spec.environment.push_back("PYTHON_WORKER_FACTORY_SOCK_PATH=" + listener.path());
  process_spec.environment.push_back("PYTHONUNBUFFERED=YES");
  // Its value does not matter; without it pyspark takes `-m` for a run of its doctests.
  process_spec.environment.push_back("SPARK_HOME=.");
  process_spec.environment.push_back(python_path(spec.search_path));
  TRY_ASSIGN(Process process, Process::start(process_spec));
  TRY_ASSIGN(Descriptor accepted, accept_one(listener, process, spec.module, cancel));
  std::unique_ptr<Worker> worker(
      new Worker(std::move(process), std::make_shared<Socket>(std::move(accepted))));
  TRY(worker->take_int(cancel).status());  // its process id
  return worker;
}

Worker::~Worker() { socket_->cut(); }

void Worker::put_int(std::int32_t value) { append_big_endian(value, &out_); }
void Worker::put_long(std::int64_t value) { append_big_endian(value, &out_); }
void Worker::put_text(std::string_view text) {
  put_int(static_cast<std::int32_t>(text.size()));
  out_ += text;
}

Status Worker::lost(const CancelToken* cancel) {
  if (cancel != nullptr) TRY(cancel->check());
  // The socket's end comes a moment before the process's.
  for (int i = 0; i < 20 && !process_.ended(); ++i) std::this_thread::sleep_for(poll_time / 5);
  return Status::plain(ErrorKind::spark,
                       "Python worker exited unexpectedly (crashed): " +
                           process_.ended().value_or("it has closed its connection"));
}

Status Worker::send(const CancelToken* cancel) {
  const Cutter cutter(cancel, [socket = socket_] { socket->cut(); });
  std::string_view rest = out_;
  while (!rest.empty()) {
    const ssize_t sent = ::send(socket_->descriptor(), rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return lost(cancel);
    rest.remove_prefix(static_cast<std::size_t>(sent));
  }
  out_.clear();
  return Status::OK();
}

Status Worker::take(char* out, std::size_t size, const CancelToken* cancel) {
  const Cutter cutter(cancel, [socket = socket_] { socket->cut(); });
  while (size > 0) {
    const ssize_t got = ::recv(socket_->descriptor(), out, size, 0);
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
