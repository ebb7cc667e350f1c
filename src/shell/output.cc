#include "shell/output.h"

#include <algorithm>
#include <cwchar>

namespace millstream::shell {
namespace {

void put(std::FILE* out, std::string_view text) { std::fwrite(text.data(), 1, text.size(), out); }

// A cell is one line: what would break the table is shown as its escape.
std::string one_line(const std::string& text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      constexpr const char* digits = "0123456789ABCDEF";
      out += "\\x";
      out += digits[static_cast<unsigned char>(c) >> 4];
      out += digits[static_cast<unsigned char>(c) & 15];
    } else {
      out += c;
    }
  }
  return out;
}

class TablePrinter final : public Printer {
 public:
  explicit TablePrinter(std::FILE* out) : out_(out) {}

  void begin(const std::vector<std::string>& names) override {
    rows_.clear();
    widths_.assign(names.size(), 0);
    add({names.begin(), names.end()});
  }
  void row(const TextRow& row) override { add(row); }
  void end() override {
    line();
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      print(rows_[i]);
      if (i == 0) line();
    }
    if (rows_.size() > 1) line();
    rows_.clear();
  }

 private:
  void add(const TextRow& row) {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < row.size(); ++i) {
      cells.push_back(row[i] ? one_line(*row[i]) : "NULL");
      widths_[i] = std::max(widths_[i], display_width(cells.back()));
    }
    rows_.push_back(std::move(cells));
  }
  void line() {
    put(out_, "+");
    for (const int width : widths_)
      put(out_, std::string(static_cast<std::size_t>(width) + 2, '-') + "+");
    put(out_, "\n");
  }
  void print(const std::vector<std::string>& cells) {
    put(out_, "|");
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const auto pad = static_cast<std::size_t>(widths_[i] - display_width(cells[i]));
      put(out_, " " + cells[i] + std::string(pad, ' ') + " |");
    }
    put(out_, "\n");
  }

  std::FILE* out_;
  std::vector<int> widths_;
  std::vector<std::vector<std::string>> rows_;
};

class CsvPrinter final : public Printer {
 public:
  CsvPrinter(std::FILE* out, bool header) : out_(out), header_(header) {}
  void begin(const std::vector<std::string>& names) override {
    if (header_) row({names.begin(), names.end()});
  }
  void row(const TextRow& row) override {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) put(out_, ",");
      if (row[i]) put(out_, field(*row[i]));
    }
    put(out_, "\n");
  }
  void end() override {}

 private:
  static std::string field(const std::string& text) {
    if (!text.empty() && text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) {
      if (c == '"') quoted += '"';
      quoted += c;
    }
    return quoted + "\"";
  }

  std::FILE* out_;
  bool header_;
};

class JsonPrinter final : public Printer {
 public:
  explicit JsonPrinter(std::FILE* out) : out_(out) {}
  void begin(const std::vector<std::string>&) override {}
  void row(const TextRow& row) override { put(out_, row.front().value_or("{}") + "\n"); }
  void end() override {}

 private:
  std::FILE* out_;
};

}  // namespace

std::unique_ptr<Printer> table_printer(std::FILE* out) {
  return std::make_unique<TablePrinter>(out);
}
std::unique_ptr<Printer> csv_printer(std::FILE* out, bool header) {
  return std::make_unique<CsvPrinter>(out, header);
}
std::unique_ptr<Printer> json_printer(std::FILE* out) { return std::make_unique<JsonPrinter>(out); }

int display_width(std::string_view text) {
  int width = 0;
  std::mbstate_t state{};
  while (!text.empty()) {
    wchar_t c = 0;
    const std::size_t taken = std::mbrtowc(&c, text.data(), text.size(), &state);
    if (taken == 0 || taken > text.size()) {
      state = {};
      ++width;
      text.remove_prefix(1);
      continue;
    }
    width += std::max(::wcwidth(c), 0);
    text.remove_prefix(taken);
  }
  return width;
}

}  // namespace millstream::shell
