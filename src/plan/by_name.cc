#include "plan/by_name.h"

#include <algorithm>

#include "column/types.h"
#include "plan/literal.h"
#include "plan/scope.h"

namespace millstream::plan {

using column::Field;
using column::TypeKind;
using column::TypePtr;

namespace {

const Field* member_named(const TypePtr& type, const std::string& name, const NameRules& rules) {
  for (const Field& member : type->fields()) {
    if (same_name(member.name, name, rules.case_sensitive)) return &member;
  }
  return nullptr;
}

bool goes_into(const TypePtr& type, const TypePtr& like, const NameRules& rules) {
  if (type->kind() != like->kind()) return false;
  return type->kind() == TypeKind::struct_ || type->kind() == TypeKind::array ||
         (type->kind() == TypeKind::map && rules.enters_maps);
}

Result<ExprPtr> ordered_struct(const ExprPtr& value, const TypePtr& like, const NameRules& rules,
                               const MakeCall& call) {
  std::vector<ExprPtr> pairs;
  std::vector<bool> used(value->type->fields().size(), false);
  for (const Field& wanted : like->fields()) {
    const Field* member = member_named(value->type, wanted.name, rules);
    if (member == nullptr && !rules.fills) continue;
    pairs.push_back(string_literal(wanted.name));
    if (member == nullptr) {
      pairs.push_back(null_literal(wanted.type));
      continue;
    }
    const auto place = static_cast<std::size_t>(member - value->type->fields().data());
    used[place] = true;
    TRY_ASSIGN(auto part, in_order_of(member_of(value, place), wanted.type, rules, call));
    pairs.push_back(std::move(part));
  }
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (used[i]) continue;
    pairs.push_back(string_literal(value->type->fields()[i].name));
    pairs.push_back(member_of(value, i));
  }
  TRY_ASSIGN(const ExprPtr made, call("named_struct", std::move(pairs)));
  if (!value->nullable) return made;
  TRY_ASSIGN(const ExprPtr is_null, call("isnull", {value}));
  return make_case({{is_null, null_literal(made->type)}}, made);
}

}  // namespace

bool is_in_order_of(const TypePtr& type, const TypePtr& like, const NameRules& rules) {
  if (!goes_into(type, like, rules)) return true;
  const auto& own = type->fields();
  const auto& others = like->fields();
  const bool members = type->kind() == TypeKind::struct_;
  if (members && rules.fills && own.size() < others.size()) return false;
  for (std::size_t i = 0; i < std::min(own.size(), others.size()); ++i) {
    if (members && own[i].name != others[i].name) return false;
    if (!is_in_order_of(own[i].type, others[i].type, rules)) return false;
  }
  return true;
}

Result<ExprPtr> in_order_of(const ExprPtr& value, const TypePtr& like, const NameRules& rules,
                            const MakeCall& call) {
  if (is_in_order_of(value->type, like, rules)) return value;
  if (value->type->kind() == TypeKind::struct_) return ordered_struct(value, like, rules, call);
  if (value->type->kind() == TypeKind::array) {
    return with_each_element(value, [&](const ExprPtr& element) {
      return in_order_of(element, like->element(), rules, call);
    });
  }
  return with_each_entry(value, call, [&](const ExprPtr& part, std::size_t place) {
    return in_order_of(part, like->fields()[place].type, rules, call);
  });
}

TypePtr with_members_of(const TypePtr& a, const TypePtr& b, const NameRules& rules) {
  if (!goes_into(a, b, rules)) return a;
  switch (a->kind()) {
    case TypeKind::array:
      return column::array_type(with_members_of(a->element(), b->element(), rules),
                                a->contains_null());
    case TypeKind::map:
      return column::map_type(with_members_of(a->key(), b->key(), rules),
                              with_members_of(a->value(), b->value(), rules),
                              a->fields()[1].nullable);
    default:
      break;
  }
  std::vector<Field> members = a->fields();
  for (Field& member : members) {
    if (const Field* other = member_named(b, member.name, rules))
      member.type = with_members_of(member.type, other->type, rules);
  }
  for (const Field& other : b->fields()) {
    if (member_named(a, other.name, rules) == nullptr) members.push_back(other);
  }
  return column::struct_type(std::move(members));
}

std::optional<NameMismatch> name_mismatch(const TypePtr& type, const TypePtr& like,
                                          const NameRules& rules) {
  if (!goes_into(type, like, rules)) return std::nullopt;
  const bool members = type->kind() == TypeKind::struct_;
  if (members) {
    NameMismatch here;
    for (const Field& own : type->fields()) here.members.push_back(own.name);
    for (const Field& wanted : like->fields()) {
      if (here.missing.empty() && member_named(type, wanted.name, rules) == nullptr)
        here.missing = wanted.name;
    }
    for (const Field& own : type->fields()) {
      if (member_named(like, own.name, rules) == nullptr) here.extra.push_back(own.name);
    }
    if (!here.missing.empty() || !here.extra.empty()) return here;
  }
  for (std::size_t i = 0; i < like->fields().size(); ++i) {
    const Field& wanted = like->fields()[i];
    const Field& own = members ? *member_named(type, wanted.name, rules) : type->fields()[i];
    auto deeper = name_mismatch(own.type, wanted.type, rules);
    if (!deeper) continue;
    const bool entry = type->kind() == TypeKind::map;
    deeper->path.insert(deeper->path.begin(), members  ? wanted.name
                                              : !entry ? "element"
                                              : i == 0 ? "key"
                                                       : "value");
    return deeper;
  }
  return std::nullopt;
}

}  // namespace millstream::plan
