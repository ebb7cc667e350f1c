// `millstream serve`: a server until SIGTERM or SIGINT.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "connect/server.h"

namespace millstream::main_program {

struct ServeOptions {
  std::string host = "127.0.0.1";
  int port = 15002;
  std::string warehouse = "spark-warehouse";
  std::string memory;             // empty: the engine's default
  std::vector<std::string> conf;  // KEY=VALUE, Spark's names
  bool quiet = false;             // no line for what fails, or for a batch
};

Status serve(const ServeOptions& options);

// The server with these options; paths made absolute. `listener` may be null. `log_failures`: a
// line on standard error for each call and query that fails.
Result<std::unique_ptr<connect::Server>> start_server(const ServeOptions& options,
                                                      stream::Listener* listener,
                                                      bool log_failures);

// Ends the server; when that takes longer than some seconds, or another signal asks, the process
// ends as it is: everything durable is so already. `code`: the exit code then.
void stop_server(connect::Server& server, int code = 1);

// Signals that end the program are held back from all threads; wait for them with sigwait. Before
// any thread starts.
void hold_signals();

}  // namespace millstream::main_program
