#include "shell/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace millstream::shell {
namespace {

using namespace std::chrono_literals;

constexpr int bar_width = 30;

}  // namespace

std::string progress_text(const Progress& progress, double seconds) {
  const std::int64_t tasks = progress.tasks;
  if (tasks <= 0) return fmt::format("running, {:.1f} s (^C ends it)", seconds);
  const std::int64_t completed = std::min<std::int64_t>(progress.completed, tasks);
  const auto filled = static_cast<std::size_t>(completed * bar_width / tasks);
  std::string bar(filled, '=');
  if (filled < bar_width) bar += '>';
  bar.resize(bar_width, ' ');
  return fmt::format("[{}] {} of {} tasks, {:.1f} s", bar, completed, tasks, seconds);
}

ProgressLine::ProgressLine(const Progress& progress) : progress_(progress) {
  if (::isatty(STDERR_FILENO) == 1) thread_ = std::thread([this] { draw_until_done(); });
}

ProgressLine::~ProgressLine() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void ProgressLine::draw_until_done() {
  bool drawn = false;
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, drawn ? 200ms : 500ms, [&] { return done_; })) {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
    std::fprintf(stderr, "\r\033[K%s", progress_text(progress_, passed.count()).c_str());
    std::fflush(stderr);
    drawn = true;
  }
  if (drawn) std::fputs("\r\033[K", stderr);
}

}  // namespace millstream::shell
