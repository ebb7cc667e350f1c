#include "shell/line_editor.h"

#include <fcntl.h>
#include <histedit.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cwchar>

#include "base/text.h"

namespace millstream::shell {
namespace {

constexpr int history_max = 5'000;
constexpr std::size_t shown_candidates_max = 60;

bool is_word_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '`' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// The longest beginning that all have, letter case apart: as the first writes it.
std::string common_prefix(const std::vector<std::string>& words) {
  std::string prefix = words.front();
  for (const std::string& word : words) {
    std::size_t length = 0;
    while (length < std::min(prefix.size(), word.size()) &&
           std::tolower(static_cast<unsigned char>(prefix[length])) ==
               std::tolower(static_cast<unsigned char>(word[length])))
      ++length;
    prefix.resize(length);
  }
  return prefix;
}

class Editline final : public LineEditor {
 public:
  Editline(const std::string& history_file, Complete complete)
      : history_file_(history_file),
        complete_(std::move(complete)),
        wake_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
        keys_(::open("/proc/self/fd/0", O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)),
        history_(::history_init()),
        editor_(::el_init("millstream", stdin, stdout, stderr)) {
    ::el_set(editor_, EL_CLIENTDATA, this);
    ::el_set(editor_, EL_PROMPT, &Editline::prompt_of);
    ::el_set(editor_, EL_EDITOR, "emacs");
    ::el_set(editor_, EL_SIGNAL, 0);
    ::el_set(editor_, EL_GETCFN, &Editline::read_char);
    ::el_set(editor_, EL_HIST, ::history, history_);
    ::el_set(editor_, EL_ADDFN, "ms-complete", "complete the word", &Editline::on_complete);
    ::el_set(editor_, EL_BIND, "^I", "ms-complete", nullptr);
    ::el_set(editor_, EL_BIND, "^R", "em-inc-search-prev", nullptr);
    HistEvent event;
    ::history(history_, &event, H_SETSIZE, history_max);
    ::history(history_, &event, H_SETUNIQUE, 1);
    if (!history_file_.empty()) ::history(history_, &event, H_LOAD, history_file_.c_str());
  }
  ~Editline() override {
    HistEvent event;
    if (!history_file_.empty()) ::history(history_, &event, H_SAVE, history_file_.c_str());
    ::el_end(editor_);
    ::history_end(history_);
    ::close(wake_);
    if (keys_ >= 0) ::close(keys_);
  }

  Line read(const std::string& prompt) override {
    prompt_ = prompt;
    abandoned_ = false;
    int length = 0;
    const char* text = ::el_gets(editor_, &length);
    if (abandoned_) {
      ::el_reset(editor_);
      return {.abandoned = true, .text = {}};
    }
    if (text == nullptr || length <= 0) return {.ended = true, .text = {}};
    std::string line(text, static_cast<std::size_t>(length));
    while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.pop_back();
    return {.text = std::move(line)};
  }

  void add_history(const std::string& entry) override {
    // Its lines stay: they are part of texts, and end comments. The history's file encodes them.
    HistEvent event;
    ::history(history_, &event, H_ENTER, entry.c_str());
  }

  void abandon() override {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(wake_, &one, sizeof one);
  }

 private:
  static Editline* self(EditLine* editor) {
    void* data = nullptr;
    ::el_get(editor, EL_CLIENTDATA, &data);
    return static_cast<Editline*>(data);
  }
  static char* prompt_of(EditLine* editor) { return self(editor)->prompt_.data(); }
  static int read_char(EditLine* editor, wchar_t* out) { return self(editor)->next_char(out); }
  static unsigned char on_complete(EditLine* editor, int) { return self(editor)->complete_word(); }

  // One character, or -1 when the line is given up or the input ends.
  int next_char(wchar_t* out) {
    std::mbstate_t state{};
    const int keys = keys_ >= 0 ? keys_ : STDIN_FILENO;
    for (;;) {
      pollfd files[] = {{keys, POLLIN, 0}, {wake_, POLLIN, 0}};
      if (::poll(files, 2, -1) < 0 && errno != EINTR) return -1;
      if ((files[1].revents & POLLIN) != 0) {
        std::uint64_t count = 0;
        [[maybe_unused]] const auto got = ::read(wake_, &count, sizeof count);
        abandoned_ = true;
        return -1;
      }
      if (files[0].revents == 0) continue;
      char byte = 0;
      const ssize_t got = ::read(keys, &byte, 1);
      if (got < 0 && errno == EAGAIN) continue;  // ^C threw away what poll() had seen
      if (got <= 0) return got < 0 && errno == EINTR ? 1 : 0;
      const std::size_t taken = std::mbrtowc(out, &byte, 1, &state);
      if (taken == static_cast<std::size_t>(-2)) continue;  // more bytes belong to it
      if (taken == static_cast<std::size_t>(-1)) {
        *out = L'?';
        return 1;
      }
      return 1;
    }
  }

  unsigned char complete_word() {
    const LineInfo* line = ::el_line(editor_);
    const std::string_view text(line->buffer,
                                static_cast<std::size_t>(line->cursor - line->buffer));
    std::size_t begin = text.size();
    while (begin > 0 && is_word_char(text[begin - 1])) --begin;
    const std::string word(text.substr(begin));
    std::vector<std::string> candidates = complete_(text);
    std::sort(candidates.begin(), candidates.end());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    if (candidates.empty()) return CC_ERROR;
    const std::string longest =
        candidates.size() == 1 ? candidates.front() + " " : common_prefix(candidates);
    if (longest.size() > word.size()) {
      ::el_deletestr(editor_, static_cast<int>(characters(word)));
      ::el_insertstr(editor_, longest.c_str());
      return CC_REFRESH;
    }
    list(candidates);
    return CC_REDISPLAY;
  }

  static std::size_t characters(const std::string& text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
      return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    }));
  }

  static void list(const std::vector<std::string>& candidates) {
    std::string out = "\n";
    for (std::size_t i = 0; i < std::min(candidates.size(), shown_candidates_max); ++i)
      out += candidates[i] + "  ";
    if (candidates.size() > shown_candidates_max)
      out += "… " + std::to_string(candidates.size() - shown_candidates_max) + " more";
    std::fprintf(stdout, "%s\n", out.c_str());
    std::fflush(stdout);
  }

  const std::string history_file_;
  const Complete complete_;
  const int wake_;
  // The terminal, opened once more so as not to block: who shares stdin keeps it as it was.
  // Negative: stdin itself serves.
  const int keys_;
  ::History* history_;
  ::EditLine* editor_;
  std::string prompt_;
  bool abandoned_ = false;
};

}  // namespace

std::unique_ptr<LineEditor> LineEditor::open(const std::string& history_file, Complete complete) {
  return std::make_unique<Editline>(history_file, std::move(complete));
}

}  // namespace millstream::shell
