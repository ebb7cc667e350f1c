#include "source/providers.h"

#include <algorithm>
#include <array>
#include <thread>

#include "base/text.h"
#include "connector/formats.h"
#include "loader/table.h"
#include "source/delta_source.h"
#include "source/file_source.h"
#include "source/rate.h"

namespace millstream::source {
namespace {

// Sources that Spark can stream from and Millstream cannot yet.
constexpr std::array refused = {"csv", "xml", "kafka", "socket", "memory", "binaryfile", "image"};

loader::LoaderEnv loader_env(const SourceEnv& env) {
  static SystemClock system_clock;
  loader::LoaderEnv result;
  result.store = env.store ? env.store : io::local_store();
  result.time_zone = env.time_zone;
  result.parallelism = env.default_parallelism > 0
                           ? env.default_parallelism
                           : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  result.clock = env.clock ? env.clock : &system_clock;
  result.conf = env.conf;
  return result;
}

}  // namespace

Result<std::shared_ptr<const connector::StreamTable>> make_stream_table(
    const std::string& format, const std::string& schema_text, const Options& options,
    const std::vector<std::string>& paths, const SourceEnv& env) {
  const std::string name = to_lower(format);
  if (name == "rate" || name == "rate-micro-batch") {
    if (!schema_text.empty()) {
      return Status::plain(
          ErrorKind::unsupported_operation,
          fmt::format("The {} source does not support a user-specified schema.", name));
    }
    return name == "rate" ? make_rate_table(options, env)
                          : make_rate_micro_batch_table(options, env);
  }
  if (name == "delta") return make_delta_stream_table(options, paths, env);
  if (name == "cloudfiles")
    return loader::make_cloud_files_table(schema_text, options, paths, loader_env(env));
  for (const char* files : {"json", "parquet", "orc", "avro", "text"}) {
    if (name == files) return make_file_stream_table(name, schema_text, options, paths, env);
  }
  if (std::find(refused.begin(), refused.end(), name) != refused.end()) {
    return Status::unsupported(
        "streaming from the data source '{}' is not supported by Millstream yet", format);
  }
  return connector::unknown_format(format,
                                   "spark.readStream takes cloudFiles, delta, json, parquet, orc, "
                                   "avro, text, rate and rate-micro-batch.");
}

}  // namespace millstream::source
