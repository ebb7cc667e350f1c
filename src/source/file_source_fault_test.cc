#include "connector/source_testing.h"
#include "source/providers.h"

namespace millstream::source {
namespace {

TEST(FileSourceFaults, EachFileOnceWhateverFails) {
  connector::testing::expect_each_file_once(
      [](const std::shared_ptr<io::Store>& store, Clock&) {
        SourceEnv env;
        env.store = store;
        env.conf = {{"spark.sql.streaming.fileSource.log.compactInterval", "2"}};
        const std::map<std::string, std::string> options = {{"maxFilesPerTrigger", "1"}};
        return make_stream_table("json", "v STRING", Options(options), {"/in"}, env);
      },
      2);  // an entry of its log that a crash left behind joins the next batch
}

}  // namespace
}  // namespace millstream::source
