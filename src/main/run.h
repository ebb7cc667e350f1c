// `millstream run program.py args`: a server on a free port for one Python program, which finds it
// by SPARK_REMOTE.
#pragma once

#include <string>
#include <vector>

#include "main/serve.h"

namespace millstream::main_program {

struct RunOptions {
  ServeOptions server;
  std::string program;
  std::vector<std::string> arguments;
};

// The program's exit code; 128 + n when signal n ended it.
Result<int> run(RunOptions options);

}  // namespace millstream::main_program
