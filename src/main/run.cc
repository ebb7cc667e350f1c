#include "main/run.h"

#include <spawn.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "main/batch_lines.h"
#include "python/interpreter.h"

extern char** environ;

namespace millstream::main_program {
namespace {

class Environment {
 public:
  explicit Environment(const std::string& remote) {
    for (char** entry = environ; *entry != nullptr; ++entry) {
      if (std::strncmp(*entry, "SPARK_REMOTE=", 13) != 0) texts_.emplace_back(*entry);
    }
    texts_.push_back("SPARK_REMOTE=" + remote);
    for (std::string& text : texts_) pointers_.push_back(text.data());
    pointers_.push_back(nullptr);
  }
  char** data() { return pointers_.data(); }

 private:
  std::vector<std::string> texts_;
  std::vector<char*> pointers_;
};

Result<pid_t> start_program(const RunOptions& options, const std::string& remote) {
  std::vector<std::string> words{python::find_interpreter(), options.program};
  words.insert(words.end(), options.arguments.begin(), options.arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  // The program gets the signals that this process holds back.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  Environment environment(remote);
  pid_t child = 0;
  const int failed =
      posix_spawnp(&child, argv[0], nullptr, &attributes, argv.data(), environment.data());
  posix_spawnattr_destroy(&attributes);
  if (failed != 0)
    return Status::io("cannot start {}: {}; set MILLSTREAM_PYTHON", words[0],
                      std::strerror(failed));
  return child;
}

// SIGINT reaches the program by itself (same terminal); SIGTERM is passed on.
int wait_for(pid_t child) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGCHLD}) sigaddset(&set, signal);
  for (;;) {
    int state = 0;
    if (waitpid(child, &state, WNOHANG) == child) {
      return WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
    }
    int signal = 0;
    if (sigwait(&set, &signal) == 0 && signal == SIGTERM) kill(child, SIGTERM);
  }
}

}  // namespace

Result<int> run(RunOptions options) {
  if (!std::filesystem::exists(options.program))
    return Status::not_found("there is no program {}", options.program);
  hold_signals();
  BatchLines lines;
  options.server.port = 0;
  TRY_ASSIGN(const auto server,
             start_server(options.server, options.server.quiet ? nullptr : &lines, false));
  TRY_ASSIGN(const pid_t child,
             start_program(options, "sc://127.0.0.1:" + std::to_string(server->port())));
  const int code = wait_for(child);
  stop_server(*server, code);
  return code;
}

}  // namespace millstream::main_program
