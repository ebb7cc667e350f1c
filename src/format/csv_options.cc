#include "format/csv_options.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "column/timestamp_meaning.h"
#include "format/datetime_text.h"

namespace millstream::format {
namespace {

constexpr std::array<std::string_view, 43> known_options = {"sep",
                                                            "delimiter",
                                                            "encoding",
                                                            "charset",
                                                            "quote",
                                                            "escape",
                                                            "chartoescapequoteescaping",
                                                            "comment",
                                                            "header",
                                                            "inferschema",
                                                            "enforceschema",
                                                            "ignoreleadingwhitespace",
                                                            "ignoretrailingwhitespace",
                                                            "nullvalue",
                                                            "emptyvalue",
                                                            "nanvalue",
                                                            "positiveinf",
                                                            "negativeinf",
                                                            "dateformat",
                                                            "timestampformat",
                                                            "timestampntzformat",
                                                            "timeformat",
                                                            "maxcolumns",
                                                            "maxcharspercolumn",
                                                            "unescapedquotehandling",
                                                            "mode",
                                                            "columnnameofcorruptrecord",
                                                            "multiline",
                                                            "linesep",
                                                            "samplingratio",
                                                            "preferdate",
                                                            "timezone",
                                                            "locale",
                                                            "compression",
                                                            "codec",
                                                            "quoteall",
                                                            "escapequotes",
                                                            "enabledatetimeparsingfallback",
                                                            "ignorecorruptfiles",
                                                            "ignoremissingfiles",
                                                            "columnpruning",
                                                            "maxrecordsperfile",
                                                            "inputbuffersize"};

// A character of an option: itself, or one of Spark's escapes; 0 for an empty text.
Result<char> character(const Options& options, std::string_view name, char otherwise) {
  const std::string* text = options.find(name);
  if (text == nullptr) return otherwise;
  if (text->empty()) return '\0';
  if (*text == "\\t") return '\t';
  if (*text == "\\n") return '\n';
  if (*text == "\\r") return '\r';
  if (*text == "\\\\") return '\\';
  if (*text == "\\\"") return '"';
  if (*text == "\\'") return '\'';
  if (*text == "\\0" || *text == "\\u0000") return '\0';
  if (text->size() == 1) return (*text)[0];
  return Status::invalid("{} cannot be more than one character", name);
}

Result<std::string> separator_of(const Options& options) {
  std::string text = options.get("sep", options.get("delimiter", ","));
  if (text.empty()) return Status::invalid("Delimiter cannot be empty string");
  if (text == "\\")
    return Status::invalid(
        "Single backslash is prohibited. It has special meaning as beginning of an escape "
        "sequence. To get the backslash character, pass a string with two backslashes as the "
        "delimiter.");
  if (text == "\\t") return std::string("\t");
  if (text == "\\\\") return std::string("\\");
  return text;
}

Status refuse_unknown(const Options& options) {
  for (const auto& [name, entry] : options.entries()) {
    if (is_listing_option(name)) continue;
    if (std::find(known_options.begin(), known_options.end(), name) == known_options.end())
      return Status::invalid("'{}' is not an option of the csv format", entry.name);
  }
  const std::string locale = options.get("locale", "en-US");
  if (!equals_ignore_case(locale, "en-US") && !equals_ignore_case(locale, "en_US"))
    return Status::unsupported("the option 'locale' takes en-US only, not '{}'", locale);
  return Status::OK();
}

Status read_encoding(const Options& options, CsvOptions& out) {
  const std::string name = options.get("encoding", options.get("charset", "UTF-8"));
  if (equals_ignore_case(name, "ISO-8859-1") || equals_ignore_case(name, "latin1")) {
    out.latin1 = true;
  } else if (!equals_ignore_case(name, "UTF-8") && !equals_ignore_case(name, "UTF8") &&
             !equals_ignore_case(name, "US-ASCII")) {
    return Status::unsupported(
        "the option 'encoding' takes UTF-8 and ISO-8859-1, not '{}': convert the files", name);
  }
  return Status::OK();
}

Result<CsvOptions::UnescapedQuote> unescaped_quote(const std::string& text) {
  using Handling = CsvOptions::UnescapedQuote;
  const std::string name = to_upper(text);
  if (name == "STOP_AT_DELIMITER") return Handling::stop_at_delimiter;
  if (name == "STOP_AT_CLOSING_QUOTE") return Handling::stop_at_closing_quote;
  if (name == "SKIP_VALUE") return Handling::skip_value;
  if (name == "RAISE_ERROR") return Handling::raise_error;
  return Status::unsupported("the option 'unescapedQuoteHandling' with the value {}", text);
}

Status read_common(const Options& options, CsvOptions& out) {
  TRY(refuse_unknown(options));
  TRY_ASSIGN(out.separator, separator_of(options));
  TRY_ASSIGN(out.quote, character(options, "quote", '"'));
  TRY_ASSIGN(out.escape, character(options, "escape", '\\'));
  TRY_ASSIGN(out.escape_of_escape, character(options, "charToEscapeQuoteEscaping",
                                             out.escape == out.quote ? '\0' : out.escape));
  TRY_ASSIGN(out.comment, character(options, "comment", '\0'));
  TRY_ASSIGN(out.header, options.get_bool("header", false));
  if (const auto* separator = options.find("lineSep"); separator != nullptr) {
    if (separator->empty()) return Status::invalid("'lineSep' cannot be an empty string.");
    out.line_sep = *separator;
  }
  out.null_value = options.get("nullValue", "");
  TRY(read_encoding(options, out));
  return read_text_formats(options, out);
}

}  // namespace

Status read_text_formats(const Options& options, CsvOptions& out) {
  const auto read = [&](std::string_view name, std::optional<std::string>& format) -> Status {
    const auto* value = options.find(name);
    if (value == nullptr) return Status::OK();
    TRY(DateTimePattern::compile(*value).status());
    format = *value;
    return Status::OK();
  };
  TRY(read("dateFormat", out.date_format));
  TRY(read("timestampFormat", out.timestamp_format));
  TRY(read("timestampNTZFormat", out.timestamp_ntz_format));
  out.time_zone = options.get("timeZone", out.time_zone);
  out.infer_ntz = column::timestamps_are_ntz();
  return TimeZone::find(out.time_zone).status();
}

Result<CsvOptions> parse_csv_options(const Options& options, const std::string& session_time_zone) {
  CsvOptions out;
  out.time_zone = session_time_zone;
  TRY(read_common(options, out));
  TRY_ASSIGN(out.enforce_schema, options.get_bool("enforceSchema", true));
  TRY_ASSIGN(out.multi_line, options.get_bool("multiLine", false));
  TRY_ASSIGN(out.trim_start, options.get_bool("ignoreLeadingWhiteSpace", false));
  TRY_ASSIGN(out.trim_end, options.get_bool("ignoreTrailingWhiteSpace", false));
  if (out.multi_line && !out.line_sep.empty() &&
      out.line_sep.find_first_not_of("\r\n") != std::string::npos)
    return Status::unsupported("the option 'lineSep' with multiLine, unless it is a line end");
  out.empty_value = options.get("emptyValue", "");
  out.nan_value = options.get("nanValue", out.nan_value);
  out.positive_inf = options.get("positiveInf", out.positive_inf);
  out.negative_inf = options.get("negativeInf", out.negative_inf);
  TRY_ASSIGN(out.unescaped_quote,
             unescaped_quote(options.get("unescapedQuoteHandling", "STOP_AT_DELIMITER")));
  TRY_ASSIGN(out.columns_max, options.get_int("maxColumns", out.columns_max));
  TRY_ASSIGN(out.value_chars_max, options.get_int("maxCharsPerColumn", out.value_chars_max));
  const std::string mode = options.get("mode", "PERMISSIVE");
  if (equals_ignore_case(mode, "DROPMALFORMED")) out.mode = ParseMode::drop_malformed;
  if (equals_ignore_case(mode, "FAILFAST")) out.mode = ParseMode::fail_fast;
  out.corrupt_column = options.get("columnNameOfCorruptRecord", out.corrupt_column);
  TRY_ASSIGN(out.infer_schema, options.get_bool("inferSchema", false));
  TRY_ASSIGN(out.prefer_date, options.get_bool("preferDate", true));
  return out;
}

Result<CsvOptions> parse_csv_write_options(const Options& options,
                                           const std::string& session_time_zone) {
  CsvOptions out;
  out.time_zone = session_time_zone;
  TRY(read_common(options, out));
  if (out.latin1) return Status::unsupported("csv files are written in UTF-8 only");
  TRY_ASSIGN(out.trim_start, options.get_bool("ignoreLeadingWhiteSpace", true));
  TRY_ASSIGN(out.trim_end, options.get_bool("ignoreTrailingWhiteSpace", true));
  TRY_ASSIGN(out.quote_all, options.get_bool("quoteAll", false));
  TRY_ASSIGN(out.escape_quotes, options.get_bool("escapeQuotes", true));
  out.empty_value = options.get("emptyValue", "\"\"");
  if (out.line_sep.empty()) out.line_sep.push_back('\n');
  return out;
}

}  // namespace millstream::format
