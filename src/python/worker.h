// Worker: a Python process and the socket over which it is told what to do. Frames are big-endian:
// an int has 4 bytes, a long 8, a text is an int with its length and then its bytes.
//
// It is forked by a `pyspark.daemon` of its own, which ends it when this process ends, however that
// happens: a function does not go on behind the back of the next run of its query.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "conc/cancel.h"
#include "python/descriptor.h"
#include "python/process.h"

namespace millstream::python {

// Frames in a buffer.
class Frames {
 public:
  void put_byte(char value) { bytes_.push_back(value); }
  void put_int(std::int32_t value);
  void put_long(std::int64_t value);
  void put_text(std::string_view text);
  void append(const Frames& other) { bytes_ += other.bytes_; }
  void clear() { bytes_.clear(); }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

struct WorkerSpec {
  std::string interpreter;
  std::string module;       // "pyspark.worker"
  std::string search_path;  // of Python modules, before the interpreter's own; may be empty
  std::vector<std::string> environment;
};

class Worker {
 public:
  // Returns when the process waits for its work.
  static Result<std::unique_ptr<Worker>> start(const WorkerSpec& spec, const CancelToken* cancel);
  ~Worker();  // ends the process

  Frames& frames() { return frames_; }     // to be sent
  Status send(const CancelToken* cancel);  // and forget them

  // Wait for the process. After an error or a cancel the worker is of no more use.
  Result<std::int32_t> take_int(const CancelToken* cancel);
  Result<std::int64_t> take_long(const CancelToken* cancel);
  Result<std::string> take_text(const CancelToken* cancel);

 private:
  class Socket;
  Worker(Process daemon, Descriptor lifeline)
      : daemon_(std::move(daemon)), lifeline_(std::move(lifeline)) {}
  Status take(char* out, std::size_t size, const CancelToken* cancel);
  Status lost(const CancelToken* cancel);

  Process daemon_;
  Descriptor lifeline_;  // the daemon's standard input: it ends with this process
  std::shared_ptr<Socket> socket_;
  Frames frames_;
};

}  // namespace millstream::python
