#include "format/json_options.h"

#include <array>

#include "base/text.h"
#include "column/timestamp_meaning.h"
#include "format/datetime_text.h"

namespace millstream::format {
namespace {

constexpr std::array<std::string_view, 12> listing_options = {"pathglobfilter",
                                                              "recursivefilelookup",
                                                              "modifiedafter",
                                                              "modifiedbefore",
                                                              "path",
                                                              "paths",
                                                              "basepath",
                                                              "__globpaths__",
                                                              "mergeschema",
                                                              "filenamepattern",
                                                              "partitioncolumns",
                                                              "inferschema"};

// Options of the JSON source that change nothing here, or are read below.
constexpr std::array<std::string_view, 37> json_options = {"multiline",
                                                           "linesep",
                                                           "encoding",
                                                           "charset",
                                                           "mode",
                                                           "columnnameofcorruptrecord",
                                                           "rescueddatacolumn",
                                                           "readercasesensitive",
                                                           "allowcomments",
                                                           "allowunquotedfieldnames",
                                                           "allowsinglequotes",
                                                           "allownumericleadingzeros",
                                                           "allownonnumericnumbers",
                                                           "allowbackslashescapinganycharacter",
                                                           "allowunquotedcontrolchars",
                                                           "maxnestingdepth",
                                                           "maxnumlen",
                                                           "maxstringlen",
                                                           "dateformat",
                                                           "timestampformat",
                                                           "timestampntzformat",
                                                           "timezone",
                                                           "locale",
                                                           "ignorecorruptfiles",
                                                           "ignoremissingfiles",
                                                           "primitivesasstring",
                                                           "prefersdecimal",
                                                           "infertimestamp",
                                                           "dropfieldifallnull",
                                                           "samplingratio",
                                                           "compression",
                                                           "enabledatetimeparsingfallback",
                                                           "ignorenullfields",
                                                           "prefersdate",
                                                           "timeformat",
                                                           "singlevariantcolumn",
                                                           "badrecordspath"};

bool contains(const auto& names, std::string_view name) {
  for (const auto known : names) {
    if (known == name) return true;
  }
  return false;
}

ParseMode mode_of(std::string_view text) {
  if (equals_ignore_case(text, "DROPMALFORMED")) return ParseMode::drop_malformed;
  if (equals_ignore_case(text, "FAILFAST")) return ParseMode::fail_fast;
  return ParseMode::permissive;  // anything else too, as in Spark
}

Status refuse_unsupported(const Options& options) {
  for (const auto& [name, entry] : options.entries()) {
    if (name.starts_with("cloudfiles.") || is_listing_option(name)) continue;
    if (!contains(json_options, name)) {
      return Status::invalid("'{}' is not an option of the json format", entry.name);
    }
  }
  for (const std::string_view name : {"singlevariantcolumn", "badrecordspath"}) {
    if (const auto* value = options.find(name); value != nullptr && !value->empty()) {
      return Status::unsupported(
          "the option '{}' of the json format is not supported by Millstream yet",
          options.entries().at(std::string(name)).name);
    }
  }
  for (const std::string_view name : {"encoding", "charset"}) {
    const auto* value = options.find(name);
    if (value == nullptr || equals_ignore_case(*value, "UTF-8") ||
        equals_ignore_case(*value, "UTF8") || equals_ignore_case(*value, "US-ASCII")) {
      continue;
    }
    return Status::unsupported("the option '{}' takes UTF-8 only, not '{}': convert the files",
                               name, *value);
  }
  const std::string locale = options.get("locale", "en-US");
  if (!equals_ignore_case(locale, "en-US") && !equals_ignore_case(locale, "en_US")) {
    return Status::unsupported("the option 'locale' takes en-US only, not '{}'", locale);
  }
  return Status::OK();
}

Status read_formats(const Options& options, JsonOptions& out) {
  const auto read = [&](std::string_view name, std::optional<std::string>& format) -> Status {
    const auto* value = options.find(name);
    if (value == nullptr) return Status::OK();
    const auto compiled = DateTimePattern::compile(*value);
    if (!compiled.ok()) return compiled.status();
    format = *value;
    return Status::OK();
  };
  TRY(read("dateFormat", out.date_format));
  TRY(read("timestampFormat", out.timestamp_format));
  TRY(read("timestampNTZFormat", out.timestamp_ntz_format));
  TRY_ASSIGN(const bool fallback, options.get_bool("enableDateTimeParsingFallback", true));
  if (!fallback && !(out.date_format && out.timestamp_format)) {
    return Status::unsupported(
        "the option 'enableDateTimeParsingFallback' cannot be false without dateFormat and "
        "timestampFormat");
  }
  return Status::OK();
}

Status read_limits(const Options& options, JsonOptions& out) {
  TRY_ASSIGN(out.nesting_max, options.get_int("maxNestingDepth", out.nesting_max));
  TRY_ASSIGN(out.number_length_max, options.get_int("maxNumLen", out.number_length_max));
  TRY_ASSIGN(out.string_length_max, options.get_int("maxStringLen", out.string_length_max));
  constexpr std::int64_t nesting_limit = 5000;
  if (out.nesting_max < 1 || out.nesting_max > nesting_limit) {
    return Status::invalid("the option 'maxNestingDepth' takes 1 to {}, not {}", nesting_limit,
                           out.nesting_max);
  }
  if (out.number_length_max < 1 || out.string_length_max < 1) {
    return Status::invalid("the options 'maxNumLen' and 'maxStringLen' must be positive");
  }
  return Status::OK();
}

}  // namespace

bool is_listing_option(std::string_view lower_case_name) {
  return contains(listing_options, lower_case_name);
}

Result<JsonOptions> parse_json_options(const Options& options,
                                       const std::string& session_time_zone) {
  TRY(refuse_unsupported(options));
  JsonOptions out;
  TRY_ASSIGN(out.multi_line, options.get_bool("multiLine", out.multi_line));
  if (const auto* separator = options.find("lineSep"); separator != nullptr) {
    if (separator->empty()) return Status::invalid("'lineSep' cannot be an empty string.");
    out.line_sep = *separator;
  }
  out.mode = mode_of(options.get("mode", "PERMISSIVE"));
  out.corrupt_column = options.get("columnNameOfCorruptRecord", out.corrupt_column);
  out.rescued_column = options.get("rescuedDataColumn", "");
  TRY_ASSIGN(out.case_sensitive, options.get_bool("readerCaseSensitive", true));
  TRY_ASSIGN(out.allow_comments, options.get_bool("allowComments", false));
  TRY_ASSIGN(out.allow_unquoted_names, options.get_bool("allowUnquotedFieldNames", false));
  TRY_ASSIGN(out.allow_single_quotes, options.get_bool("allowSingleQuotes", true));
  TRY_ASSIGN(out.allow_leading_zeros, options.get_bool("allowNumericLeadingZeros", false));
  TRY_ASSIGN(out.allow_non_numeric, options.get_bool("allowNonNumericNumbers", true));
  TRY_ASSIGN(out.allow_any_escape, options.get_bool("allowBackslashEscapingAnyCharacter", false));
  TRY_ASSIGN(out.allow_control_chars, options.get_bool("allowUnquotedControlChars", false));
  TRY(read_limits(options, out));
  TRY(read_formats(options, out));
  out.time_zone = options.get("timeZone", session_time_zone);
  TRY(TimeZone::find(out.time_zone).status());
  TRY_ASSIGN(out.ignore_corrupt_files, options.get_bool("ignoreCorruptFiles", false));
  TRY_ASSIGN(out.ignore_missing_files, options.get_bool("ignoreMissingFiles", false));
  TRY_ASSIGN(out.primitives_as_string, options.get_bool("primitivesAsString", false));
  TRY_ASSIGN(out.prefers_decimal, options.get_bool("prefersDecimal", false));
  TRY_ASSIGN(out.infer_timestamp, options.get_bool("inferTimestamp", false));
  out.infer_ntz = column::timestamps_are_ntz();
  TRY_ASSIGN(out.drop_field_if_all_null, options.get_bool("dropFieldIfAllNull", false));
  if (const auto* ratio = options.find("samplingRatio"); ratio != nullptr) {
    char* end = nullptr;
    out.sampling_ratio = std::strtod(ratio->c_str(), &end);
    if (ratio->empty() || *end != '\0' || !(out.sampling_ratio > 0)) {
      return Status::invalid("samplingRatio ({}) should be greater than 0", *ratio);
    }
  }
  return out;
}

}  // namespace millstream::format
