// How rows of text are printed. A printer gets the names once, then each row; nullopt is NULL.
#pragma once

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace millstream::shell {

enum class OutputFormat : std::uint8_t { table, csv, json };

using TextRow = std::vector<std::optional<std::string>>;

class Printer {
 public:
  virtual ~Printer() = default;
  virtual void begin(const std::vector<std::string>& names) = 0;
  virtual void row(const TextRow& row) = 0;
  virtual void end() = 0;
};

// A table holds its rows until the end, to know how wide they are.
std::unique_ptr<Printer> table_printer(std::FILE* out);
// As RFC 4180, lines end with \n; NULL is an empty field, an empty text is "".
std::unique_ptr<Printer> csv_printer(std::FILE* out, bool header);
// Rows of one value, which is the row as a JSON object.
std::unique_ptr<Printer> json_printer(std::FILE* out);

// The columns that a terminal gives the text; bytes that are no UTF-8 count as one each. Uses the
// locale of the process.
int display_width(std::string_view text);

}  // namespace millstream::shell
