#include "engine/show.h"

#include <arrow/array/array_base.h>
#include <arrow/record_batch.h>

#include <algorithm>

#include "base/text.h"
#include "engine/utf8.h"
#include "engine/value_text.h"

namespace millstream::engine {
namespace {

// Control characters that would break the table are shown as two characters.
std::string escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    static constexpr std::string_view from = "\n\r\t\f\b\v\a";
    static constexpr std::string_view to = "nrtfbva";
    const auto at = from.find(c);
    if (at == std::string_view::npos) {
      out += c;
    } else {
      out += '\\';
      out += to[at];
    }
  }
  return out;
}

// Lengths count UTF-16 units, as Java's do.
std::size_t java_length(std::string_view text) {
  std::size_t length = 0;
  for_each_character(
      text, [&](std::int32_t point, std::string_view) { length += point > 0xFFFF ? 2 : 1; });
  return length;
}

std::string shorten(const std::string& text, int truncate) {
  const auto most = static_cast<std::size_t>(truncate);
  if (truncate <= 0 || java_length(text) <= most) return text;
  if (truncate < 4) return text.substr(0, byte_of_character(text, most));
  return text.substr(0, byte_of_character(text, most - 3)) + "...";
}

using Rows = std::vector<std::vector<std::string>>;

struct Table {
  std::vector<std::string> names;
  Rows rows;
  bool more = false;
};

Result<Table> make_table(const column::Schema& schema,
                         const std::vector<connector::RecordBatchPtr>& batches,
                         const ShowOptions& options) {
  Table table;
  const auto wanted = static_cast<std::size_t>(std::max(0, options.rows));
  for (const auto& field : schema) table.names.push_back(escape(field.name));
  const TextStyle style{options.time_zone, true};
  for (const auto& batch : batches) {
    for (std::int64_t row = 0; row < batch->num_rows(); ++row) {
      if (table.rows.size() == wanted) {
        table.more = true;
        return table;
      }
      std::vector<std::string> cells;
      for (std::size_t i = 0; i < schema.size(); ++i) {
        TRY_ASSIGN(const std::string text,
                   value_text(*batch->column(static_cast<int>(i)), row, schema[i].type, style));
        cells.push_back(shorten(escape(text), options.truncate));
      }
      table.rows.push_back(std::move(cells));
    }
  }
  return table;
}

std::string padded(const std::string& text, std::size_t width, bool right) {
  const std::size_t own = display_width(text);
  const std::string blanks(width > own ? width - own : 0, ' ');
  return right ? blanks + text : text + blanks;
}

constexpr std::size_t width_min = 3;

std::string horizontal(const Table& table, bool right) {
  std::vector<std::size_t> widths;
  for (const auto& name : table.names) widths.push_back(std::max(width_min, display_width(name)));
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], display_width(row[i]));
  }
  std::string rule = "+";
  for (const auto width : widths) rule += std::string(width, '-') + "+";
  if (widths.empty()) rule += "+";
  rule += "\n";
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string out = "|";
    for (std::size_t i = 0; i < cells.size(); ++i) out += padded(cells[i], widths[i], right) + "|";
    return out + (cells.empty() ? "|\n" : "\n");
  };
  std::string out = rule + line(table.names) + rule;
  for (const auto& row : table.rows) out += line(row);
  return out + rule;
}

std::string vertical(const Table& table) {
  std::size_t name_width = width_min;
  std::size_t data_width = width_min;
  for (const auto& name : table.names) name_width = std::max(name_width, display_width(name));
  for (const auto& row : table.rows) {
    for (const auto& cell : row) data_width = std::max(data_width, display_width(cell));
  }
  std::string out;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    std::string header = fmt::format("-RECORD {}", i);
    const std::size_t width = name_width + data_width + 5;
    header += std::string(width > header.size() ? width - header.size() : 0, '-');
    out += header + "\n";
    for (std::size_t column = 0; column < table.names.size(); ++column) {
      out += " " + padded(table.names[column], name_width, false) + " | " +
             padded(table.rows[i][column], data_width, false) + " \n";
    }
  }
  return out;
}

std::string html_escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string more_text(int rows) {
  return fmt::format("only showing top {} {}", rows, rows == 1 ? "row" : "rows");
}

}  // namespace

Result<std::string> show_string(const column::Schema& schema,
                                const std::vector<connector::RecordBatchPtr>& batches,
                                const ShowOptions& options) {
  TRY_ASSIGN(const Table table, make_table(schema, batches, options));
  std::string out = options.vertical ? vertical(table) : horizontal(table, options.truncate > 0);
  if (options.vertical && table.rows.empty() && !table.more) return std::string("(0 rows)");
  if (table.more) out += more_text(std::max(0, options.rows));
  return out;
}

Result<std::string> html_string(const column::Schema& schema,
                                const std::vector<connector::RecordBatchPtr>& batches,
                                const ShowOptions& options) {
  TRY_ASSIGN(const Table table, make_table(schema, batches, options));
  std::string out = "<table border='1'>\n<tr>";
  for (const auto& name : table.names) out += "<th>" + html_escape(name) + "</th>";
  out += "</tr>\n";
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (const auto& cell : row) out += "<td>" + html_escape(cell) + "</td>";
    out += "</tr>\n";
  }
  out += "</table>\n";
  if (table.more) out += more_text(std::max(0, options.rows)) + "\n";
  return out;
}

}  // namespace millstream::engine
