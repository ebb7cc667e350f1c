// A file descriptor that is closed when its object goes, and pairs of them.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <utility>

#include "base/status.h"

namespace millstream::python {

class Descriptor {
 public:
  explicit Descriptor(int opened = -1) : value_(opened) {}
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~Descriptor() { close(); }

  int get() const { return value_; }
  void close() {
    if (value_ >= 0) ::close(std::exchange(value_, -1));
  }

 private:
  int value_;
};

struct Pipe {
  Descriptor read_end;
  Descriptor write_end;

  static Result<Pipe> open() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return Status::io("no pipe for a Python process");
    return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
  }
};

}  // namespace millstream::python
