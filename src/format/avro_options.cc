#include "format/avro_options.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "format/json_options.h"

namespace millstream::format {
namespace {

constexpr std::array<std::string_view, 15> known_options = {"avroschema",
                                                            "recordname",
                                                            "recordnamespace",
                                                            "ignoreextension",
                                                            "compression",
                                                            "mode",
                                                            "positionalfieldmatching",
                                                            "datetimerebasemode",
                                                            "enablestableidentifiersforuniontype",
                                                            "stableidentifierprefixforuniontype",
                                                            "recursivefieldmaxdepth",
                                                            "ignorecorruptfiles",
                                                            "ignoremissingfiles",
                                                            "mergeschema",
                                                            "timezone"};

Status refuse_unknown(const Options& options) {
  for (const auto& [name, entry] : options.entries()) {
    if (is_listing_option(name)) continue;
    if (name == "avroschemaurl") {
      return Status::unsupported("the option '{}' of Avro is not supported by Millstream yet",
                                 entry.name);
    }
    if (std::find(known_options.begin(), known_options.end(), name) == known_options.end())
      return Status::invalid("'{}' is not an option of the avro format", entry.name);
    if (name == "datetimerebasemode" && equals_ignore_case(entry.value, "LEGACY")) {
      return Status::unsupported("the option '{}' takes CORRECTED or EXCEPTION, not LEGACY",
                                 entry.name);
    }
  }
  return Status::OK();
}

Result<AvroCodec> codec_of(const std::string& given) {
  const std::string name = to_lower(given);
  if (name == "uncompressed") return AvroCodec{"null", -1};
  if (name == "xz") {
    return Status::unsupported(
        "writing Avro files with compression 'xz' is not supported by "
        "Millstream yet");
  }
  for (const char* known : {"deflate", "snappy", "zstandard", "bzip2"}) {
    if (name == known) return AvroCodec{name, -1};
  }
  return Status::error("CODEC_SHORT_NAME_NOT_FOUND", {{"codecName", given}});
}

}  // namespace

Result<AvroOptions> parse_avro_options(const Options& options) {
  TRY(refuse_unknown(options));
  AvroOptions out;
  if (const std::string* text = options.find("avroSchema"); text != nullptr) {
    TRY_ASSIGN(out.schema, avro::Schema::parse(*text));
  }
  TRY_ASSIGN(out.types.stable_union_names,
             options.get_bool("enableStableIdentifiersForUnionType", false));
  out.types.stable_prefix =
      options.get("stableIdentifierPrefixForUnionType", out.types.stable_prefix);
  TRY_ASSIGN(const auto depth, options.get_int("recursiveFieldMaxDepth", -1));
  if (depth > 15) {
    return Status::error(
        "STDS_INVALID_OPTION_VALUE.WITH_MESSAGE",
        {{"optionName", "recursiveFieldMaxDepth"}, {"message", "Should not be greater than 15."}});
  }
  out.types.recursive_depth_max = static_cast<int>(std::max<std::int64_t>(depth, -1));
  TRY_ASSIGN(out.positional, options.get_bool("positionalFieldMatching", false));
  TRY_ASSIGN(out.ignore_extension, options.get_bool("ignoreExtension", true));
  return out;
}

Result<AvroOptions> parse_avro_write_options(const Options& options) {
  TRY_ASSIGN(AvroOptions out, parse_avro_options(options));
  out.record_name = options.get("recordName", out.record_name);
  out.record_namespace = options.get("recordNamespace", "");
  TRY_ASSIGN(out.codec, codec_of(options.get("compression", "snappy")));
  return out;
}

}  // namespace millstream::format
