// Tables that other engines wrote, against what another engine reads of them
// (tests/data/delta-golden).
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "delta/table.h"
#include "delta/test_rows.h"

namespace millstream::delta {
namespace {

const std::string root = std::string(MILLSTREAM_SOURCE_DIR) + "/tests/data/delta-golden/";

nlohmann::json read_table(const std::string& name) {
  const auto table = DeltaTable::open(io::local_store(), root + name);
  nlohmann::json result;
  const auto failed = [&](const Status& status) {
    result["error"] = status.condition().empty() ? status.message() : status.condition();
    return result;
  };
  if (!table.ok()) return failed(table.status());
  connector::ScanRequest request;
  for (const auto& field : (*table)->schema()) request.columns.push_back(field.name);
  const auto batches = (*table)->scan(request);
  if (!batches.ok()) return failed(batches.status());
  const auto rows = connector::collect(*batches);
  if (!rows.ok()) return failed(rows.status());
  std::int64_t count = 0;
  for (const auto& batch : *rows) {
    count += batch->num_rows();
    EXPECT_TRUE(batch->ValidateFull().ok()) << name;
  }
  result["version"] = (*table)->version();
  result["columns"] = request.columns;
  result["rows"] = count;
  result["texts"] = testing::texts(*batches);
  return result;
}

TEST(Golden, TablesReadAsElsewhere) {
  std::ifstream file(root + "expected.json");
  const auto expected = nlohmann::json::parse(file);
  int tables = 0;
  for (const auto& [name, want] : expected.items()) {
    const auto got = read_table(name);
    ++tables;
    for (const auto& [key, value] : want.items()) {
      if (key == "by") continue;
      if (!got.contains(key)) {
        ADD_FAILURE() << name << ": " << got.dump().substr(0, 300);
        continue;
      }
      if (key == "error") {
        EXPECT_NE(got[key].get<std::string>().find(value.get<std::string>()), std::string::npos)
            << name << got[key];
      } else {
        EXPECT_EQ(got[key], value) << name;
      }
    }
  }
  EXPECT_GT(tables, 60);
}

}  // namespace
}  // namespace millstream::delta
