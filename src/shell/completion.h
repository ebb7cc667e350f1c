// The names that a word of SQL may become: keywords, functions, tables and the columns of tables
// that the statement names. Asked of the server at need and kept until something may have changed.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "millstream/session.h"

namespace millstream::shell {

class Completion {
 public:
  explicit Completion(api::SparkSession spark) : spark_(std::move(spark)) {}

  // `statement`: what was written before, on earlier lines too; its last word is completed.
  std::vector<std::string> candidates(std::string_view statement);
  void forget() {
    tables_.clear();
    columns_.clear();
    loaded_ = false;
  }

 private:
  void load();
  const std::vector<std::string>& columns_of(const std::string& table);

  api::SparkSession spark_;
  bool loaded_ = false;
  std::vector<std::string> tables_;
  std::vector<std::string> functions_;
  std::map<std::string, std::vector<std::string>> columns_;
};

}  // namespace millstream::shell
