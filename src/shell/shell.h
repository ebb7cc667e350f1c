// `millstream sql`: SQL from a terminal, from arguments or from files, against an engine of its own
// or any Spark Connect server.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "shell/output.h"

namespace millstream::shell {

struct ShellOptions {
  std::string remote;                         // empty: embedded
  std::string warehouse = "spark-warehouse";  // embedded
  std::string memory;                         // embedded; empty: the engine's default
  std::vector<std::string> conf;              // KEY=VALUE of the session
  std::vector<std::string> statements;        // -e
  std::vector<std::string> files;             // -f; "-" is standard input
  OutputFormat output = OutputFormat::table;
  bool header = true;   // of CSV
  bool timing = true;   // a line on standard error after each statement; interactive only
  int rows_max = 1000;  // of a table
};

// Statements run one after another until one fails. 0: all ran; 1: one failed; 130: ^C ended one.
// Before any thread starts.
Result<int> run_shell(const ShellOptions& options);

}  // namespace millstream::shell
