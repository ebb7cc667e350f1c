#include "python/process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

extern char** environ;

namespace millstream::python {
namespace {

std::vector<std::string> merged_environment(const std::vector<std::string>& given) {
  std::vector<std::string> all = given;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const char* end = std::strchr(*entry, '=');
    if (end == nullptr) continue;
    const std::string name(*entry, static_cast<std::size_t>(end + 1 - *entry));
    bool replaced = false;
    for (const std::string& other : given) replaced = replaced || other.starts_with(name);
    if (!replaced) all.emplace_back(*entry);
  }
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

}  // namespace

Result<Process> Process::start(const ProcessSpec& spec) {
  std::vector<std::string> words = spec.words;
  std::vector<std::string> environment = merged_environment(spec.environment);

  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  sigset_t defaults;
  sigfillset(&defaults);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  // A group of its own: ^C at the server's terminal is for the server, which then ends its workers.
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  if (spec.input < 0) {
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  } else {
    posix_spawn_file_actions_adddup2(&files, spec.input, STDIN_FILENO);
  }
  posix_spawn_file_actions_adddup2(&files, spec.output < 0 ? STDERR_FILENO : spec.output,
                                   STDOUT_FILENO);

  pid_t pid = -1;
  const int failed = posix_spawnp(&pid, words[0].c_str(), &files, &attributes,
                                  pointers(words).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (failed != 0) return Status::io("cannot start {}: {}", words[0], std::strerror(failed));
  return Process(pid);
}

Process::Process(Process&& other) noexcept : pid_(other.pid_), ended_(std::move(other.ended_)) {
  other.pid_ = -1;
}

void Process::kill() {
  if (pid_ < 0) return;
  ::kill(-pid_, SIGKILL);
  if (ended()) return;
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  ended_ = "it was killed";
}

std::optional<std::string> Process::ended() {
  int state = 0;
  if (!ended_ && pid_ >= 0 && ::waitpid(pid_, &state, WNOHANG) == pid_) {
    ended_ = WIFSIGNALED(state) ? fmt::format("it was killed by signal {}", WTERMSIG(state))
                                : fmt::format("it exited with code {}", WEXITSTATUS(state));
  }
  return ended_;
}

}  // namespace millstream::python
