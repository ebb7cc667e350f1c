// The options of Spark's XML source and sink, checked: one that is unknown or not supported is an
// error that names it. A plain value.
#pragma once

#include <string>
#include <string_view>

#include "base/options.h"
#include "base/status.h"
#include "format/csv_options.h"

namespace millstream::format {

// Set where the rows of a DataFrame are read: the file holds texts, each a document, with
// xml_text_end behind each.
inline constexpr std::string_view xml_texts_option = "millstream.texts";
inline constexpr char xml_text_end = '\x1e';  // XML does not know it

struct XmlOptions {
  std::string row_tag;       // what a record is
  bool whole_texts = false;  // the file is one of texts, each a record
  std::string root_tag = "ROWS";
  std::string declaration = R"(version="1.0" encoding="UTF-8" standalone="yes")";
  std::string attribute_prefix = "_";
  std::string value_tag = "_VALUE";
  std::string array_element = "item";
  std::string indent = "    ";
  bool exclude_attributes = false;
  bool trim = true;  // ignoreSurroundingSpaces
  bool infer_schema = true;
  bool prefers_decimal = false;
  bool has_null_value = false;
  std::string null_value;
  ParseMode mode = ParseMode::permissive;
  std::string corrupt_column = "_corrupt_record";
  CsvOptions values;  // how texts are values: formats, zone
};

Result<XmlOptions> parse_xml_options(const Options& options, const std::string& session_time_zone);
// Of df.write.xml.
Result<XmlOptions> parse_xml_write_options(const Options& options,
                                           const std::string& session_time_zone);

}  // namespace millstream::format
