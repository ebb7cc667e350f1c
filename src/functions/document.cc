// docs/functions.md: the table for people to read.
#include <algorithm>
#include <vector>

#include "base/text.h"
#include "functions/registry.h"
#include "functions/table.h"

namespace millstream::functions {

namespace {

std::string_view type_word(char letter) {
  switch (letter) {
    case 'b':
      return "BOOLEAN";
    case 'y':
      return "TINYINT";
    case 'h':
      return "SMALLINT";
    case 'i':
      return "INT";
    case 'l':
      return "BIGINT";
    case 'f':
      return "FLOAT";
    case 'd':
      return "DOUBLE";
    case 'n':
    case 'N':
    case 'm':
      return "number";
    case 'I':
      return "integer";
    case 's':
      return "STRING";
    case 'x':
      return "BINARY";
    case 'c':
      return "STRING or BINARY";
    case 'D':
      return "DATE";
    case 'T':
      return "TIMESTAMP";
    case 't':
      return "timestamp";
    case 'e':
      return "date or timestamp";
    case 'o':
      return "anything with an order";
    case 'w':
      return "one common type";
    case 'A':
      return "ARRAY";
    case 'M':
      return "MAP";
    case 'S':
      return "STRUCT";
    default:
      return "anything";
  }
}

std::string arguments_text(const Entry& entry) {
  if (entry.parameters.empty()) return entry.rule != nullptr ? "by its rule" : "none";
  std::string out;
  bool optional = false;
  for (std::size_t i = 0; i < entry.parameters.size(); ++i) {
    const char next = i + 1 < entry.parameters.size() ? entry.parameters[i + 1] : '\0';
    if (!out.empty()) out += ", ";
    if (next == '?' && !optional) {
      optional = true;
      out += "[";
    }
    out += type_word(entry.parameters[i]);
    if (next == '*') out += " …";
    if (next == '?' || next == '*') ++i;
  }
  return optional ? out + "]" : out;
}

std::string result_text(const Entry& entry) {
  if (entry.result.empty()) return "by its rule";
  const char letter = entry.result[0];
  if (letter >= '0' && letter <= '9') return fmt::format("as argument {}", letter - '0' + 1);
  return std::string(type_word(letter));
}

std::string_view null_text(const Entry& entry) {
  if (entry.result.empty()) return "by its rule";
  return entry.null == '!' ? "never" : entry.null == '~' ? "possible" : "an argument is";
}

std::string computed_text(const Entry& entry) {
  const std::string_view name = entry.canonical.empty() ? entry.name : entry.canonical;
  const Entry* canonical = find_entry(name);
  const std::string_view sql = canonical == nullptr ? entry.sql : canonical->sql;
  if (sql.empty()) return "SQL of the engine";
  if (sql[0] == '@') return "own, over values";
  return sql.find("ms_") == std::string_view::npos ? "DuckDB" : "own kernel";
}

}  // namespace

std::string functions_document() {
  static constexpr std::pair<std::string_view, std::span<const Entry> (*)()> areas[] = {
      {"Arithmetic", arithmetic_entries},   {"Mathematics", math_entries},
      {"Comparison", comparison_entries},   {"Choice", conditional_entries},
      {"Strings", string_entries},          {"Dates and times", datetime_entries},
      {"Intervals", interval_entries},      {"Arrays, maps and structs", collection_entries},
      {"JSON, CSV and XML", json_entries},  {"Avro", avro_entries},
      {"Variants", variant_entries},        {"Hashes and the query", hash_entries},
      {"Aggregates", aggregate_entries},    {"Sketches", sketch_entries},
      {"Window functions", window_entries}, {"Generators", generator_entries}};
  std::string out =
      "# Functions\n\nMade from the table in `src/functions`; `functions_test` checks that it is "
      "current and says how to make it anew.\nFunctions that are not listed are refused by name; "
      "those that take lambdas (`transform`, `filter`, `exists`, `forall`, `aggregate`, "
      "`zip_with`, "
      "`map_filter`, `map_zip_with`, `transform_keys`, `transform_values`, `array_sort`) are the "
      "analyzer's.\n";
  for (const auto& [title, entries] : areas) {
    std::vector<std::string> lines;
    for (const Entry& entry : entries()) {
      if (!exists(entry.name)) continue;
      std::string name(entry.name);
      for (auto bar = name.find('|'); bar != std::string::npos; bar = name.find('|', bar + 2))
        name.insert(bar, 1, '\\');
      lines.push_back(fmt::format("| `{}` | {} | {} | {} | {} |\n", name, arguments_text(entry),
                                  result_text(entry), null_text(entry), computed_text(entry)));
    }
    std::sort(lines.begin(), lines.end());
    out += fmt::format(
        "\n## {} ({})\n\n| name | arguments | result | NULL when | computed by |\n"
        "|---|---|---|---|---|\n",
        title, lines.size());
    for (const auto& line : lines) out += line;
  }
  return out;
}

}  // namespace millstream::functions
