// Worker: a Python process and the socket over which it is told what to do. Frames are big-endian:
// an int has 4 bytes, a long 8, a text is an int with its length and then its bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "conc/cancel.h"
#include "python/process.h"

namespace millstream::python {

struct WorkerSpec {
  std::string interpreter;
  std::string module;       // "pyspark.worker"
  std::string search_path;  // of Python modules, before the interpreter's own; may be empty
  std::vector<std::string> environment;
};

class Worker {
 public:
  // Returns when the process has called back. An error says how it ended instead.
  static Result<std::unique_ptr<Worker>> start(const WorkerSpec& spec, const CancelToken* cancel);
  ~Worker();  // ends the process

  void put_int(std::int32_t value);
  void put_long(std::int64_t value);
  void put_text(std::string_view text);
  Status send(const CancelToken* cancel);  // what was put

  // Wait for the process; when it ends first, the error says how. After an error or a cancel the
  // worker is of no more use.
  Result<std::int32_t> take_int(const CancelToken* cancel);
  Result<std::string> take_text(const CancelToken* cancel);

 private:
  class Socket;
  Worker(Process process, std::shared_ptr<Socket> socket)
      : process_(std::move(process)), socket_(std::move(socket)) {}
  Status take(char* out, std::size_t size, const CancelToken* cancel);
  Status lost(const CancelToken* cancel);

  Process process_;
  std::shared_ptr<Socket> socket_;
  std::string out_;
};

}  // namespace millstream::python
