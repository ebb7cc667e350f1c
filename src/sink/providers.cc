#include "sink/providers.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "connector/formats.h"
#include "sink/delta_sink.h"
#include "sink/simple_sinks.h"

namespace millstream::sink {
namespace {

// Sinks that Spark has and Millstream has not yet.
constexpr std::array refused = {"csv",  "json", "parquet", "text",    "orc",
                                "avro", "xml",  "kafka",   "foreach", "foreachbatch"};

}  // namespace

Result<std::shared_ptr<connector::Sink>> make_sink(const std::string& format,
                                                   const Options& options, const SinkEnv& env) {
  const std::string name = to_lower(format);
  if (!env.partition_columns.empty() && name != "delta") {
    return Status::plain(ErrorKind::analysis,
                         fmt::format("'partitionBy' does not apply to the {} sink", format));
  }
  if (name == "noop") return make_noop_sink(options);
  if (name == "memory") return make_memory_sink(options, env);
  if (name == "console") return make_console_sink(options, env);
  if (name == "delta") return make_delta_sink(options, env);
  if (std::find(refused.begin(), refused.end(), name) != refused.end()) {
    return Status::unsupported(
        "streaming into the sink '{}' is not supported by Millstream yet; use delta, console, "
        "memory or noop",
        format);
  }
  return connector::unknown_format(format, "writeStream takes delta, console, memory and noop.");
}

bool allows_temporary_checkpoint(std::string_view format) {
  const std::string name = to_lower(format);
  return name == "console" || name == "memory" || name == "noop" || name == "foreach" ||
         name == "foreachbatch";
}

}  // namespace millstream::sink
