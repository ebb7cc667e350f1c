// The session of the API's tests: embedded, without a port or another process; or, with
// MILLSTREAM_TEST_REMOTE=sc://…, of a server: those that are Spark's own words run against Apache
// Spark then, and say so by SessionTest.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "millstream/millstream.h"

namespace millstream::api {

inline const char* remote_of_test() { return std::getenv("MILLSTREAM_TEST_REMOTE"); }

class SessionTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = testing::TempDir() + "millstream-session-test-" + std::to_string(::getpid());
    std::filesystem::remove_all(folder_);
    SparkSession::Builder builder = SparkSession::builder();
    if (remote_of_test() != nullptr) {
      builder.remote(remote_of_test());
    } else {
      builder.warehouse(folder_ + "/warehouse");
    }
    spark_ = std::make_unique<SparkSession>(builder.get_or_create());
  }
  static void TearDownTestSuite() {
    spark_.reset();
    std::filesystem::remove_all(folder_);
  }
  static const SparkSession& spark() { return *spark_; }
  static const std::string& folder() { return folder_; }

 private:
  static inline std::string folder_;
  static inline std::unique_ptr<SparkSession> spark_;
};

inline std::vector<std::string> texts(const DataFrame& frame) {
  std::vector<std::string> out;
  for (const Row& row : frame.collect()) out.push_back(row.to_string());
  return out;
}

// The condition of what `call` throws; "none" when it throws nothing.
template <typename Call>
std::string condition_of(const Call& call) {
  try {
    call();
  } catch (const SparkException& error) {
    return error.condition();
  }
  return "none";
}

}  // namespace millstream::api
