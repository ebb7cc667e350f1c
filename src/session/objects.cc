#include "session/objects.h"

#include "base/text.h"

namespace millstream::session {

bool Objects::declare(const std::string& name, Variable variable, bool replace) {
  const std::lock_guard lock(mutex_);
  const std::string key = to_lower(name);
  if (!replace && variables_.contains(key)) return false;
  variables_[key] = std::move(variable);
  return true;
}

std::optional<Variable> Objects::variable(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = variables_.find(to_lower(name));
  if (found == variables_.end()) return std::nullopt;
  return found->second;
}

bool Objects::set(const std::string& name, plan::ExprPtr value) {
  const std::lock_guard lock(mutex_);
  const auto found = variables_.find(to_lower(name));
  if (found == variables_.end()) return false;
  found->second.value = std::move(value);
  return true;
}

bool Objects::drop_variable(const std::string& name) {
  const std::lock_guard lock(mutex_);
  return variables_.erase(to_lower(name)) > 0;
}

bool Objects::define(std::shared_ptr<const plan::SqlFunction> function, bool replace) {
  const std::lock_guard lock(mutex_);
  const std::string key = to_lower(function->name);
  if (!replace && functions_.contains(key)) return false;
  functions_[key] = std::move(function);
  return true;
}

std::shared_ptr<const plan::SqlFunction> Objects::function(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = functions_.find(to_lower(name));
  return found == functions_.end() ? nullptr : found->second;
}

bool Objects::drop_function(const std::string& name) {
  const std::lock_guard lock(mutex_);
  return functions_.erase(to_lower(name)) > 0;
}

std::vector<std::string> Objects::functions() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [name, function] : functions_) names.push_back(name);
  return names;
}

void Objects::copy_from(const Objects& other) {
  const std::scoped_lock lock(mutex_, other.mutex_);
  variables_ = other.variables_;
  functions_ = other.functions_;
}

}  // namespace millstream::session
