#include "connector/source_testing.h"
#include "loader/table.h"

namespace millstream::loader {
namespace {

TEST(LoaderFaults, EachFileOnceWhateverFails) {
  connector::testing::expect_each_file_once(
      [](const std::shared_ptr<io::Store>& store, Clock& clock) {
        LoaderEnv env;
        env.store = store;
        env.clock = &clock;
        const std::map<std::string, std::string> options = {{"cloudFiles.format", "json"},
                                                            {"cloudFiles.schemaLocation", "/s"},
                                                            {"cloudFiles.maxFilesPerTrigger", "2"}};
        return make_cloud_files_table("", Options(options), {"/in"}, env);
      },
      2);
}

}  // namespace
}  // namespace millstream::loader
