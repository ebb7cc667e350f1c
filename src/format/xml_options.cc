#include "format/xml_options.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "format/datetime_text.h"

namespace millstream::format {
namespace {

constexpr std::array<std::string_view, 30> known_options = {"rowtag",
                                                            "roottag",
                                                            "declaration",
                                                            "attributeprefix",
                                                            "valuetag",
                                                            "arrayelementname",
                                                            "excludeattribute",
                                                            "ignoresurroundingspaces",
                                                            "inferschema",
                                                            "prefersdecimal",
                                                            "nullvalue",
                                                            "mode",
                                                            "columnnameofcorruptrecord",
                                                            "dateformat",
                                                            "timestampformat",
                                                            "timestampntzformat",
                                                            "timezone",
                                                            "samplingratio",
                                                            "encoding",
                                                            "charset",
                                                            "locale",
                                                            "compression",
                                                            "codec",
                                                            "ignorecorruptfiles",
                                                            "ignoremissingfiles",
                                                            "multiline",
                                                            "indent",
                                                            "validatename",
                                                            "maxrecordsperfile",
                                                            xml_texts_option};

Status refuse_unknown(const Options& options) {
  for (const auto& [name, entry] : options.entries()) {
    if (is_listing_option(name)) continue;
    for (const char* refused : {"rowvalidationxsdpath", "ignorenamespace", "wildcardcolname"}) {
      if (name == refused) {
        return Status::unsupported("the option '{}' of XML is not supported by Millstream yet",
                                   entry.name);
      }
    }
    if (std::find(known_options.begin(), known_options.end(), name) == known_options.end()) {
      return Status::invalid("'{}' is not an option of the xml format", entry.name);
    }
  }
  const std::string encoding = options.get("encoding", options.get("charset", "UTF-8"));
  if (!equals_ignore_case(encoding, "UTF-8") && !equals_ignore_case(encoding, "UTF8")) {
    return Status::unsupported("the option 'encoding' takes UTF-8, not '{}': convert the files",
                               encoding);
  }
  return Status::OK();
}

Result<XmlOptions> read_common(const Options& options, const std::string& session_time_zone) {
  XmlOptions out;
  TRY(refuse_unknown(options));
  out.values.time_zone = session_time_zone;
  TRY(read_text_formats(options, out.values));
  out.row_tag = options.get("rowTag", "");
  out.root_tag = options.get("rootTag", out.root_tag);
  out.declaration = options.get("declaration", out.declaration);
  out.attribute_prefix = options.get("attributePrefix", out.attribute_prefix);
  out.value_tag = options.get("valueTag", out.value_tag);
  out.array_element = options.get("arrayElementName", out.array_element);
  out.indent = options.get("indent", out.indent);
  out.has_null_value = options.find("nullValue") != nullptr;
  out.null_value = options.get("nullValue", "");
  if (out.value_tag.empty())
    return Status::invalid("'valueTag' option should not be empty string.");
  if (out.value_tag == out.attribute_prefix) {
    return Status::invalid("'valueTag' and 'attributePrefix' options should not be the same.");
  }
  const std::pair<const char*, const std::string&> tags[] = {{"rowTag", out.row_tag},
                                                             {"rootTag", out.root_tag}};
  for (const auto& [name, tag] : tags) {
    if (tag.find_first_of("<>") != std::string::npos) {
      return Status::invalid("requirement failed: '{}' should not include angle brackets", name);
    }
  }
  return out;
}

}  // namespace

Result<XmlOptions> parse_xml_options(const Options& options, const std::string& session_time_zone) {
  TRY_ASSIGN(XmlOptions out, read_common(options, session_time_zone));
  out.whole_texts = options.find(std::string(xml_texts_option)) != nullptr;
  if (out.row_tag.empty() && !out.whole_texts) {
    return Status::error("XML_ROW_TAG_MISSING", {{"rowTag", "`rowTag`"}});
  }
  TRY_ASSIGN(out.exclude_attributes, options.get_bool("excludeAttribute", false));
  TRY_ASSIGN(out.trim, options.get_bool("ignoreSurroundingSpaces", true));
  TRY_ASSIGN(out.infer_schema, options.get_bool("inferSchema", true));
  TRY_ASSIGN(out.prefers_decimal, options.get_bool("prefersDecimal", false));
  const std::string mode = options.get("mode", "PERMISSIVE");
  if (equals_ignore_case(mode, "DROPMALFORMED")) out.mode = ParseMode::drop_malformed;
  if (equals_ignore_case(mode, "FAILFAST")) out.mode = ParseMode::fail_fast;
  out.corrupt_column = options.get("columnNameOfCorruptRecord", out.corrupt_column);
  return out;
}

Result<XmlOptions> parse_xml_write_options(const Options& options,
                                           const std::string& session_time_zone) {
  TRY_ASSIGN(XmlOptions out, read_common(options, session_time_zone));
  if (out.row_tag.empty()) {
    return Status::error("XML_ROW_TAG_MISSING", {{"rowTag", "`rowTag`"}});
  }
  return out;
}

}  // namespace millstream::format
