// What every call of this API throws when Spark would raise: one class, whose condition says what
// is wrong, as `except AnalysisException` with `getCondition()` does in Python.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace millstream::api {

class SparkException : public std::runtime_error {
 public:
  struct Details {
    std::string condition;                          // "DIVIDE_BY_ZERO"; empty: the error has none
    std::string sql_state;                          // "22012"; empty: none
    std::map<std::string, std::string> parameters;  // of the condition's message
    std::vector<std::string> classes;  // Java classes, most derived first: "…AnalysisException", …
  };

  explicit SparkException(const std::string& message) : std::runtime_error(message) {}
  SparkException(const std::string& message, Details details)
      : std::runtime_error(message), details_(std::move(details)) {}

  const std::string& condition() const { return details_.condition; }
  const std::string& sql_state() const { return details_.sql_state; }
  const std::map<std::string, std::string>& parameters() const { return details_.parameters; }
  const std::vector<std::string>& classes() const { return details_.classes; }

 private:
  Details details_;
};

}  // namespace millstream::api
