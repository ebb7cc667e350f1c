// usage: fuzz_replay FOLDER
//
// Runs the inputs of FOLDER/sql and FOLDER/plan once each. Ends with 0, or not at all as it should.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "targets.h"

namespace {

int replay(const std::filesystem::path& folder,
           void (*target)(const std::uint8_t* data, std::size_t size)) {
  int inputs = 0;
  if (!std::filesystem::exists(folder)) return 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ostringstream text;
    text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
    const std::string bytes = text.str();
    std::printf("%s\n", entry.path().c_str());
    std::fflush(stdout);
    target(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    ++inputs;
  }
  return inputs;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::filesystem::path folder = argv[1];
  const int inputs = replay(folder / "sql", millstream::fuzz::sql) +
                     replay(folder / "plan", millstream::fuzz::plan);
  return inputs > 0 ? 0 : 1;
}
