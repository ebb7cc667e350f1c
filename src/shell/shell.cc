#include "shell/shell.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <thread>

#include "millstream/exceptions.h"
#include "shell/completion.h"
#include "shell/executor.h"
#include "shell/line_editor.h"

namespace millstream::shell {
namespace {

constexpr int exit_failed = 1;
constexpr int exit_cancelled = 130;
constexpr const char* prompt_first = "millstream> ";
constexpr const char* prompt_more = "         -> ";

sigset_t interrupt_signal() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  return set;
}

// ^C: ends the statement that runs, or the line that is written. Where no line can be written it
// ends the program, when no statement runs or the one that runs is being ended already.
class InterruptWatch {
 public:
  explicit InterruptWatch(Executor& executor) : thread_([this, &executor] { watch(executor); }) {}
  ~InterruptWatch() {
    stopping_ = true;
    pthread_kill(thread_.native_handle(), SIGINT);
    thread_.join();
  }
  // Null: none. Outlives its use here.
  void set_editor(LineEditor* editor) { editor_ = editor; }

 private:
  void watch(Executor& executor) {
    const sigset_t set = interrupt_signal();
    constexpr timespec soon{0, 50'000'000};
    while (!stopping_) {
      const bool ending = executor.is_ending();
      const int signal = ending ? sigtimedwait(&set, nullptr, &soon) : sigwaitinfo(&set, nullptr);
      if (stopping_) return;
      if (signal != SIGINT) {
        if (executor.is_ending()) executor.interrupt();
        continue;
      }
      LineEditor* editor = editor_;
      if (editor == nullptr && executor.was_cancelled()) std::_Exit(exit_cancelled);
      if (executor.cancel()) continue;
      if (editor == nullptr) std::_Exit(exit_cancelled);
      editor->abandon();
    }
  }

  std::atomic<LineEditor*> editor_{nullptr};
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

Result<api::SparkSession> open_session(const ShellOptions& options) {
  auto builder = api::SparkSession::builder();
  if (!options.remote.empty()) {
    builder.remote(options.remote);
  } else {
    builder.warehouse(options.warehouse).memory(options.memory);
  }
  for (const std::string& setting : options.conf) {
    const std::size_t equal = setting.find('=');
    if (equal == std::string::npos || equal == 0)
      return Status::invalid("--conf takes KEY=VALUE, not {}", setting);
    builder.config(setting.substr(0, equal), setting.substr(equal + 1));
  }
  try {
    api::SparkSession session = builder.get_or_create();
    session.version();  // a server that is not there is told of at once
    return session;
  } catch (const std::exception& error) {
    return Status::plain(ErrorKind::io, error.what());
  }
}

Result<std::string> read_script(const std::string& file) {
  std::ostringstream text;
  if (file == "-") {
    text << std::cin.rdbuf();
    return text.str();
  }
  std::ifstream in(file, std::ios::binary);
  if (!in || (in.peek(), in.bad())) return Status::not_found("cannot read {}", file);
  text << in.rdbuf();
  if (in.bad()) return Status::io("cannot read {}", file);
  return text.str();
}

// The statements of one text, until one fails. `name`: what an error says before its line.
int run_script(Executor& executor, std::string text, const std::string& name) {
  int line = 1;
  std::vector<Statement> statements = take_statements(&text, &line);
  for (Statement& last : take_last(&text, line)) statements.push_back(std::move(last));
  for (const Statement& statement : statements) {
    const std::string place =
        name.empty() ? std::string() : name + ":" + std::to_string(statement.line);
    if (!executor.run(statement, place))
      return executor.was_cancelled() ? exit_cancelled : exit_failed;
  }
  return 0;
}

constexpr const char* help_text =
    "Statements end with a semicolon and may have many lines. ^C ends a statement that runs.\n"
    ".help            this text\n"
    ".output FORMAT   table, csv or json\n"
    ".timing on|off   a line after each statement\n"
    ".read FILE       run the statements of a file\n"
    ".quit            leave; quit, exit and ^D too\n";

class Interactive {
 public:
  Interactive(Executor& executor, LineEditor& editor, Completion& completion)
      : executor_(executor), editor_(editor), completion_(completion) {}

  int run() {
    for (;;) {
      const LineEditor::Line line = editor_.read(buffer_.empty() ? prompt_first : prompt_more);
      if (line.abandoned) {
        std::fputs("\n", stdout);
        buffer_.clear();
      } else if (line.ended) {
        std::fputs("\n", stdout);
        return 0;
      } else if (buffer_.empty() && is_command(line.text)) {
        editor_.add_history(line.text);
        if (!run_command(line.text)) return 0;
      } else {
        take(line.text);
      }
    }
  }

  // What was written of the statement before this line.
  const std::string& buffer() const { return buffer_; }

 private:
  static std::vector<std::string> words_of(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> words;
    for (std::string word; in >> word;) words.push_back(word);
    if (!words.empty() && words.back().back() == ';') words.back().pop_back();
    return words;
  }

  static bool is_command(const std::string& line) {
    const auto words = words_of(line);
    return !words.empty() && (words[0].starts_with('.') ||
                              (words.size() == 1 && (words[0] == "quit" || words[0] == "exit")));
  }

  // False: leave.
  bool run_command(const std::string& line) {
    const auto words = words_of(line);
    const std::string& name = words[0];
    const std::string argument = words.size() > 1 ? words[1] : std::string();
    if (name == ".quit" || name == ".exit" || name == "quit" || name == "exit") return false;
    if (name == ".help") {
      std::fputs(help_text, stdout);
    } else if (name == ".output" && argument == "table") {
      executor_.settings().output = OutputFormat::table;
    } else if (name == ".output" && argument == "csv") {
      executor_.settings().output = OutputFormat::csv;
    } else if (name == ".output" && argument == "json") {
      executor_.settings().output = OutputFormat::json;
    } else if (name == ".timing" && (argument == "on" || argument == "off")) {
      executor_.settings().timing = argument == "on";
    } else if (name == ".read" && !argument.empty()) {
      const auto text = read_script(argument);
      if (text.ok()) {
        run_script(executor_, *text, argument);
      } else {
        std::fprintf(stderr, "%s\n", text.status().to_string().c_str());
      }
      completion_.forget();
    } else {
      std::fprintf(stderr, "there is no command '%s'; see .help\n", line.c_str());
    }
    return true;
  }

  void take(const std::string& line) {
    buffer_ += line + "\n";
    int first_line = 1;
    const auto statements = take_statements(&buffer_, &first_line);
    for (const Statement& statement : statements) {
      editor_.add_history(statement.text + ";");
      const bool ran = executor_.run(statement, {});
      completion_.forget();
      if (!ran) break;
    }
    if (!says_something(buffer_)) buffer_.clear();
  }

  Executor& executor_;
  LineEditor& editor_;
  Completion& completion_;
  std::string buffer_;
};

std::string history_file() {
  const char* home = std::getenv("HOME");
  return home != nullptr && *home != '\0' ? std::string(home) + "/.millstream_history"
                                          : std::string();
}

int run_interactive(const api::SparkSession& spark, Executor& executor, InterruptWatch& watch) {
  Completion completion(spark);
  const Interactive* running = nullptr;
  const auto editor = LineEditor::open(history_file(), [&](std::string_view text) {
    return completion.candidates(running->buffer() + std::string(text));
  });
  Interactive interactive(executor, *editor, completion);
  running = &interactive;
  watch.set_editor(editor.get());
  std::fprintf(stdout, "Spark %s, .help says what can be written here\n", spark.version().c_str());
  const int code = interactive.run();
  watch.set_editor(nullptr);
  return code;
}

int run_all_scripts(const ShellOptions& options, Executor& executor) {
  for (const std::string& text : options.statements)
    if (const int code = run_script(executor, text, {}); code != 0) return code;
  for (const std::string& file : options.files) {
    const auto text = read_script(file);
    if (!text.ok()) {
      std::fprintf(stderr, "millstream: %s\n", text.status().to_string().c_str());
      return exit_failed;
    }
    if (const int code = run_script(executor, *text, file == "-" ? "stdin" : file); code != 0)
      return code;
  }
  return 0;
}

}  // namespace

Result<int> run_shell(const ShellOptions& options) {
  std::setlocale(LC_CTYPE, "");
  if (std::mblen("\xC3\xA9", 2) != 2) std::setlocale(LC_CTYPE, "C.UTF-8");
  const sigset_t set = interrupt_signal();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  ::signal(SIGPIPE, SIG_DFL);

  TRY_ASSIGN(const api::SparkSession spark, open_session(options));
  ShellOptions all = options;
  const bool has_scripts = !options.statements.empty() || !options.files.empty();
  const bool interactive = !has_scripts && ::isatty(STDIN_FILENO) == 1;
  if (!has_scripts && !interactive) all.files = {"-"};

  Executor executor(spark, {.output = options.output,
                            .header = options.header,
                            .timing = options.timing && interactive,
                            .rows_max = options.rows_max});
  InterruptWatch watch(executor);
  return interactive ? run_interactive(spark, executor, watch) : run_all_scripts(all, executor);
}

}  // namespace millstream::shell
