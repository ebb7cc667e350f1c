// A child process: started with the signals that a server holds back at their defaults, killed and
// reaped when its object goes.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"

namespace millstream::python {

struct ProcessSpec {
  std::vector<std::string> words;        // the program, looked for in PATH, and its arguments
  std::vector<std::string> environment;  // "NAME=value", instead of this process's of that name
  int input = -1;                        // a file descriptor for its standard input; -1: /dev/null
  int output = -1;                       // for its standard output; -1: standard error
};

class Process {
 public:
  static Result<Process> start(const ProcessSpec& spec);
  Process(Process&& other) noexcept;
  Process& operator=(Process&&) = delete;
  ~Process() { kill(); }

  void kill();  // SIGKILL to it and to the processes of its group; waits for its end

  // How it ended ("it was killed by signal 9", "it exited with code 1"); nothing while it runs.
  std::optional<std::string> ended();
  pid_t pid() const { return pid_; }

 private:
  explicit Process(pid_t pid) : pid_(pid) {}

  pid_t pid_ = -1;
  std::optional<std::string> ended_;
};

}  // namespace millstream::python
