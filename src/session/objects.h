// Objects: the variables and the functions written in SQL that a session has declared. Names are
// case-insensitive. Thread-safe.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/analyzer.h"

namespace millstream::session {

// The name of a function while it is tried.
inline constexpr std::string_view trial_prefix = "ms_trial_";

struct Variable {
  column::TypePtr type;
  plan::ExprPtr value;       // a literal
  std::string default_text;  // empty: NULL
};

class Objects {
 public:
  // False when there is one already and `replace` is not set.
  bool declare(const std::string& name, Variable variable, bool replace);
  std::optional<Variable> variable(const std::string& name) const;
  bool set(const std::string& name, plan::ExprPtr value);  // false: there is none
  bool drop_variable(const std::string& name);

  bool define(std::shared_ptr<const plan::SqlFunction> function, bool replace);
  std::shared_ptr<const plan::SqlFunction> function(const std::string& name) const;
  bool drop_function(const std::string& name);
  std::vector<std::string> functions() const;  // sorted

  void copy_from(const Objects& other);

 private:
  mutable std::mutex mutex_;
  std::map<std::string, Variable> variables_;
  std::map<std::string, std::shared_ptr<const plan::SqlFunction>> functions_;
};

}  // namespace millstream::session
