// A line of CSV as fields, as Spark's reader (univocity) takes it apart, and back. What follows the
// line's end is not looked at. Pure; any thread.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace millstream {

struct CsvDialect {
  std::string separator = ",";
  char quote = '"';
  char escape = '\\';
  bool trim_left = false;
  bool trim_right = false;
  std::string null_value;
  std::string empty_value;  // what stands for "" in quotes

  // By Spark's options, names in lower case; their defaults differ for reading and writing.
  static CsvDialect of(const std::map<std::string, std::string>& options, bool writing);
};

// No field at all: the line is empty. A field without characters is the null value.
std::vector<std::string> csv_fields(std::string_view line, const CsvDialect& dialect);

// A field as it is written: in quotes where it must be.
std::string csv_field(std::string_view value, const CsvDialect& dialect);

}  // namespace millstream
