#include "main/serve.h"

#include <sys/resource.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "base/log.h"
#include "base/text.h"
#include "io/store.h"

namespace millstream::main_program {
namespace {

sigset_t ending_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGCHLD);
  return set;
}

// As many open files as the machine lets a process have, which a JVM takes too: a write may have
// one for each partition.
void raise_open_files_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) log_warn("the limit of open files stays as it is");
}

}  // namespace

void hold_signals() {
  const sigset_t set = ending_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

Result<std::unique_ptr<connect::Server>> start_server(const ServeOptions& options,
                                                      stream::Listener* listener,
                                                      bool log_failures) {
  raise_open_files_limit();
  connect::ServerOptions server;
  server.host = options.host;
  server.port = options.port;
  TRY_ASSIGN(server.warehouse, io::store_path(options.warehouse));
  if (!options.memory.empty()) {
    const auto bytes = parse_bytes(options.memory);
    if (!bytes)
      return Status::invalid("--memory takes a size as 2g or 512m, not {}", options.memory);
    server.memory_bytes_max = *bytes;
  }
  for (const std::string& setting : options.conf) {
    const std::size_t equal = setting.find('=');
    if (equal == std::string::npos || equal == 0)
      return Status::invalid("--conf takes KEY=VALUE, not {}", setting);
    server.conf[setting.substr(0, equal)] = setting.substr(equal + 1);
  }
  server.listener = listener;
  server.log_failures = log_failures;
  return connect::Server::start(server);
}

void stop_server(connect::Server& server, int code) {
  constexpr int seconds_max = 10;
  std::thread([code] {
    sigset_t set = ending_signals();
    sigdelset(&set, SIGCHLD);
    const timespec limit{seconds_max, 0};
    sigtimedwait(&set, nullptr, &limit);
    std::fputs("millstream: stopped before everything had ended\n", stderr);
    std::_Exit(code);
  }).detach();
  server.stop();
}

Status serve(const ServeOptions& options) {
  hold_signals();
  if (options.quiet) set_log_level(LogLevel::error);
  TRY_ASSIGN(const auto server, start_server(options, nullptr, !options.quiet));
  std::printf("listening on sc://%s:%d\n", options.host.c_str(), server->port());
  std::fflush(stdout);
  sigset_t set = ending_signals();
  int signal = 0;
  do {
    if (sigwait(&set, &signal) != 0) break;
  } while (signal == SIGCHLD);
  stop_server(*server);
  return Status::OK();
}

}  // namespace millstream::main_program
