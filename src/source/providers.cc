#include "source/providers.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#if __has_include("source/delta_source.cc")
#include "source/delta_source.h"
#endif
#include "source/rate.h"

namespace millstream::source {
namespace {

// Sources that Spark can stream from and Millstream cannot yet.
constexpr std::array refused = {"csv", "xml", "avro", "orc", "kafka", "socket", "memory", "binaryfile", "image"};

}  // namespace

Result<std::shared_ptr<const connector::StreamTable>> make_stream_table(const std::string& format,
                                                                        const std::string& schema_text,
                                                                        const Options& options,
                                                                        const std::vector<std::string>& paths,
                                                                        const SourceEnv& env) {
  const std::string name = to_lower(format);
  if (name == "rate" || name == "rate-micro-batch") {
    if (!schema_text.empty()) {
      return Status::plain(ErrorKind::unsupported_operation,
                           fmt::format("The {} source does not support a user-specified schema.", name));
    }
    return name == "rate" ? make_rate_table(options, env) : make_rate_micro_batch_table(options, env);
  }
#if __has_include("source/delta_source.cc")
  if (name == "delta") return make_delta_stream_table(options, paths, env);
#else
  (void)paths;
#endif
  if (std::find(refused.begin(), refused.end(), name) != refused.end()) {
    return Status::unsupported("streaming from the data source '{}' is not supported by Millstream yet", format);
  }
  return Status::error("DATA_SOURCE_NOT_FOUND", {{"provider", format}});
}

}  // namespace millstream::source
