// ScriptScopes: the local variables of a script, block by block, the innermost last. A script runs
// on one thread, and what is analysed on that thread meanwhile sees them. Used by that thread
// alone.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "session/objects.h"

namespace millstream::session {

class ScriptScopes {
 public:
  ScriptScopes();  // of the script that this thread runs from now on
  ~ScriptScopes();
  ScriptScopes(const ScriptScopes&) = delete;
  ScriptScopes& operator=(const ScriptScopes&) = delete;
  static ScriptScopes* current();  // null: this thread runs no script

  void push(std::string label) { scopes_.push_back({std::move(label), {}}); }
  void pop() { scopes_.pop_back(); }
  std::size_t depth() const { return scopes_.size(); }
  // Only the first `depth` are seen until restore() gets back what this returns.
  struct Scope {
    std::string label;  // lower case; empty: none
    std::map<std::string, Variable> variables;
  };
  std::vector<Scope> cut(std::size_t depth);
  void restore(std::vector<Scope> inner);

  bool declare(const std::string& name,
               Variable variable);  // in the innermost; false: there is one
  // `name` or `label.name`; what stands behind it are members of a struct.
  std::optional<Variable> find(const std::vector<std::string>& parts) const;
  bool set(const std::vector<std::string>& parts, plan::ExprPtr value);

 private:
  const Variable* look_up(const std::vector<std::string>& parts, std::size_t* used) const;

  std::vector<Scope> scopes_;
  ScriptScopes* outer_;
};

}  // namespace millstream::session
