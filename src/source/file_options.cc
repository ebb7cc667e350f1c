#include "source/file_options.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>

#include "base/text.h"
#include "loader/durations.h"

namespace millstream::source {
namespace {

// Lower case. Everything else is the format's or the listing's.
constexpr std::array own = {"maxfilespertrigger",
                            "maxbytespertrigger",
                            "latestfirst",
                            "maxfileage",
                            "filenameonly",
                            "maxcachedfiles",
                            "discardcachedinputratio",
                            "cleansource",
                            "sourcearchivedir",
                            "path"};

Result<bool> flag(const Options& options, const char* name) {
  const std::string* text = options.find(name);
  if (text == nullptr) return false;
  const auto value = parse_bool(trim(*text));
  if (!value) {
    return Status::invalid("Invalid value '{}' for option '{}', must be 'true' or 'false'", *text,
                           name);
  }
  return *value;
}

Status parse_limits(const Options& options, FileStreamOptions* parsed) {
  if (const std::string* text = options.find("maxFilesPerTrigger")) {
    parsed->files_max = parse_int64(trim(*text));
    if (!parsed->files_max || *parsed->files_max <= 0) {
      return Status::invalid(
          "Invalid value '{}' for option 'maxFilesPerTrigger', must be a positive integer", *text);
    }
  }
  if (const std::string* text = options.find("maxBytesPerTrigger")) {
    parsed->bytes_max = parse_bytes(trim(*text));
    if (!parsed->bytes_max || *parsed->bytes_max <= 0) {
      return Status::invalid(
          "Invalid value '{}' for option 'maxBytesPerTrigger', must be a positive integer", *text);
    }
  }
  if (parsed->files_max && parsed->bytes_max) {
    return Status::invalid(
        "Options 'maxFilesPerTrigger' and 'maxBytesPerTrigger' can't be both set at the same time");
  }
  if (const std::string* text = options.find("maxCachedFiles")) {
    const auto value = parse_int64(trim(*text));
    if (!value || *value < 0) {
      return Status::invalid(
          "Invalid value '{}' for option 'maxCachedFiles', must be an integer greater than or "
          "equal to 0",
          *text);
    }
    parsed->cached_files_max = *value;
  }
  if (const std::string* text = options.find("discardCachedInputRatio")) {
    char* end = nullptr;
    parsed->discard_cached_ratio = std::strtod(text->c_str(), &end);
    if (text->empty() || *end != '\0' ||
        !(parsed->discard_cached_ratio >= 0 && parsed->discard_cached_ratio <= 1)) {
      return Status::invalid(
          "Invalid value '{}' for option 'discardCachedInputRatio', must be a positive float "
          "between 0 and 1",
          *text);
    }
  }
  return Status::OK();
}

}  // namespace

Result<FileStreamOptions> parse_file_stream_options(const Options& options) {
  FileStreamOptions parsed;
  for (const char* name : {"modifiedbefore", "modifiedafter"}) {
    if (options.has(name))
      return Status::invalid("option '{}' is not allowed in file stream sources", name);
  }
  TRY(parse_limits(options, &parsed));
  TRY_ASSIGN(parsed.latest_first, flag(options, "latestFirst"));
  TRY_ASSIGN(parsed.file_name_only, flag(options, "fileNameOnly"));
  if (const std::string* text = options.find("maxFileAge")) {
    const auto ms = loader::parse_time_ms(*text, 1);
    if (!ms)
      return Status::invalid("option 'maxFileAge' takes a time such as '7d', not '{}'", *text);
    parsed.file_age_max_ms = *ms;
  }
  // Newest first with a limit, the oldest files are read last: an age limit would lose them.
  if (parsed.latest_first && (parsed.files_max || parsed.bytes_max)) {
    parsed.file_age_max_ms = std::numeric_limits<std::int64_t>::max();
  }
  if (const std::string* text = options.find("cleanSource");
      text && !equals_ignore_case(trim(*text), "off")) {
    return Status::unsupported(
        "the option 'cleanSource' with value '{}' is not supported by Millstream yet", *text);
  }
  for (const auto& [lower, entry] : options.entries()) {
    if (std::find(own.begin(), own.end(), lower) == own.end())
      parsed.rest.set(entry.name, entry.value);
  }
  return parsed;
}

}  // namespace millstream::source
