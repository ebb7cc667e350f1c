// One line at a time from a terminal, with history and completion. One a process.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace millstream::shell {

class LineEditor {
 public:
  // The words that could stand at the end of the text, by its last word; any order.
  using Complete = std::function<std::vector<std::string>(std::string_view text_before_cursor)>;

  // `history_file`: read now, written at the end; empty: nothing is kept.
  static std::unique_ptr<LineEditor> open(const std::string& history_file, Complete complete);
  virtual ~LineEditor() = default;

  struct Line {
    bool ended = false;      // ^D on an empty line
    bool abandoned = false;  // abandon() was called
    std::string text;        // without its end
  };
  virtual Line read(const std::string& prompt) = 0;
  virtual void add_history(const std::string& entry) = 0;
  // Ends a read() that waits, from any thread.
  virtual void abandon() = 0;
};

}  // namespace millstream::shell
