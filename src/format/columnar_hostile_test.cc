// No bytes may crash the readers of ORC and Avro: files that Spark wrote, with some bytes changed,
// give rows or an error.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "format/file_table.h"

namespace millstream::format {
namespace {

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string damaged(std::string bytes, std::mt19937& random) {
  const int changes = 1 + static_cast<int>(random() % 4);
  for (int i = 0; i < changes && !bytes.empty(); ++i) {
    const std::size_t at = random() % bytes.size();
    switch (random() % 5) {
      case 0:
        bytes[at] = static_cast<char>(random());
        break;
      case 1:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << (random() % 8)));
        break;
      case 2:
        bytes.erase(at, 1 + random() % 8);
        break;
      case 3:
        bytes.insert(at, 1 + random() % 8, static_cast<char>(random()));
        break;
      default:
        if (random() % 8 == 0) bytes.resize(at);
        break;
    }
  }
  return bytes;
}

// Rows, or a status that says why not.
void read_all(const std::string& format, const std::string& bytes) {
  FileTableRequest request;
  request.format = format;
  request.store = io::memory_store();
  request.paths = {"/in"};
  ASSERT_TRUE(request.store->put("/in/a." + format, bytes).ok());
  const auto table = make_file_table(request);
  if (!table.ok()) {
    EXPECT_FALSE(table.status().message().empty());
    return;
  }
  std::vector<std::string> columns;
  for (const auto& field : (*table)->schema()) columns.push_back(field.name);
  const auto batches = (*table)->scan({columns, {}, std::nullopt});
  if (!batches.ok()) return;
  const auto rows = connector::collect(*batches);
  EXPECT_TRUE(rows.ok() || !rows.status().message().empty());
}

void read_damaged(const std::string& format, int times) {
  const std::filesystem::path data =
      std::filesystem::path(MILLSTREAM_SOURCE_DIR) / "tests/data" / format;
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(data)) {
    const std::string bytes = bytes_of(entry.path());
    for (int seed = 0; seed < times; ++seed) {
      std::mt19937 random(static_cast<unsigned>(seed));
      SCOPED_TRACE(entry.path().string() + ", seed " + std::to_string(seed));
      read_all(format, damaged(bytes, random));
    }
    ++files;
  }
  EXPECT_GT(files, 3);
}

TEST(ColumnarHostile, Avro) { read_damaged("avro", 500); }
TEST(ColumnarHostile, Orc) { read_damaged("orc", 300); }

}  // namespace
}  // namespace millstream::format
