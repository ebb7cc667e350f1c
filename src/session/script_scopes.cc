#include "session/script_scopes.h"

#include <arrow/scalar.h>

#include "base/text.h"
#include "plan/literal.h"

namespace millstream::session {

namespace {

thread_local ScriptScopes* running = nullptr;

// The member of a struct's value; nothing: there is none.
std::optional<Variable> member_of(const Variable& variable, const std::string& name) {
  if (variable.type->kind() != column::TypeKind::struct_) return std::nullopt;
  const auto& fields = variable.type->fields();
  const int index = column::find_field_ignore_case(fields, name);
  if (index < 0) return std::nullopt;
  Variable out;
  out.type = fields[static_cast<std::size_t>(index)].type;
  out.value = plan::null_literal(out.type);
  if (!variable.value->value->is_valid) return out;
  const auto& row = static_cast<const arrow::StructScalar&>(*variable.value->value);
  const auto& value = row.value[static_cast<std::size_t>(index)];
  if (value->is_valid) out.value = plan::literal_of(value, out.type);
  return out;
}

}  // namespace

ScriptScopes::ScriptScopes() : outer_(std::exchange(running, this)) {}
ScriptScopes::~ScriptScopes() { running = outer_; }
ScriptScopes* ScriptScopes::current() { return running; }

std::vector<ScriptScopes::Scope> ScriptScopes::cut(std::size_t depth) {
  const auto first = scopes_.begin() + static_cast<std::ptrdiff_t>(depth);
  std::vector<Scope> inner(std::make_move_iterator(first), std::make_move_iterator(scopes_.end()));
  scopes_.erase(first, scopes_.end());
  return inner;
}

void ScriptScopes::restore(std::vector<Scope> inner) {
  for (Scope& scope : inner) scopes_.push_back(std::move(scope));
}

bool ScriptScopes::declare(const std::string& name, Variable variable) {
  return scopes_.back().variables.emplace(to_lower(name), std::move(variable)).second;
}

const Variable* ScriptScopes::look_up(const std::vector<std::string>& parts,
                                      std::size_t* used) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto named = [&](std::size_t at) -> const Variable* {
      const auto found = scope->variables.find(to_lower(parts[at]));
      return found == scope->variables.end() ? nullptr : &found->second;
    };
    if (parts.size() > 1 && !scope->label.empty() && equals_ignore_case(scope->label, parts[0])) {
      *used = 2;
      if (const Variable* found = named(1)) return found;
    }
    *used = 1;
    if (const Variable* found = named(0)) return found;
  }
  return nullptr;
}

std::optional<Variable> ScriptScopes::find(const std::vector<std::string>& parts) const {
  std::size_t used = 0;
  const Variable* found = look_up(parts, &used);
  if (found == nullptr) return std::nullopt;
  std::optional<Variable> out = *found;
  for (std::size_t i = used; i < parts.size() && out; ++i) out = member_of(*out, parts[i]);
  return out;
}

bool ScriptScopes::set(const std::vector<std::string>& parts, plan::ExprPtr value) {
  std::size_t used = 0;
  const Variable* found = look_up(parts, &used);
  if (found == nullptr || used != parts.size()) return false;
  const_cast<Variable*>(found)->value = std::move(value);
  return true;
}

}  // namespace millstream::session
