// join and the set operations.
#include <algorithm>

#include "base/text.h"
#include "functions/coerce.h"
#include "plan/by_name.h"
#include "plan/literal.h"
#include "plan/relations.h"
#include "plan/text.h"
#include "plan/tree.h"
#include "spark/connect/relations.pb.h"

namespace millstream::plan {

namespace sc = spark::connect;
using column::TypeKind;
using column::TypePtr;

namespace {

Result<JoinType> join_type(sc::Join::JoinType type) {
  switch (type) {
    case sc::Join::JOIN_TYPE_INNER:
      return JoinType::inner;
    case sc::Join::JOIN_TYPE_FULL_OUTER:
      return JoinType::full;
    case sc::Join::JOIN_TYPE_LEFT_OUTER:
      return JoinType::left;
    case sc::Join::JOIN_TYPE_RIGHT_OUTER:
      return JoinType::right;
    case sc::Join::JOIN_TYPE_LEFT_ANTI:
      return JoinType::anti;
    case sc::Join::JOIN_TYPE_LEFT_SEMI:
      return JoinType::semi;
    case sc::Join::JOIN_TYPE_CROSS:
      return JoinType::cross;
    default:
      break;
  }
  return Status::error("CONNECT_INVALID_PLAN.INVALID_ENUM",
                       {{"fullName", "spark.connect.Join.JoinType"},
                        {"name", "JOIN_TYPE_UNSPECIFIED"},
                        {"number", std::to_string(static_cast<int>(type))}});
}

void append(std::vector<Attribute>& out, const std::vector<Attribute>& more, bool nullable) {
  for (Attribute a : more) {
    a.nullable = a.nullable || nullable;
    out.push_back(std::move(a));
  }
}

NodePtr make_join(JoinType type, NodePtr left, NodePtr right, ExprPtr condition) {
  auto node = std::make_shared<Join>();
  node->type = type;
  node->condition = std::move(condition);
  append(node->output, left->output, type == JoinType::right || type == JoinType::full);
  if (type != JoinType::semi && type != JoinType::anti) {
    append(node->output, right->output, type == JoinType::left || type == JoinType::full);
  }
  node->children = {std::move(left), std::move(right)};
  return node;
}

Status unresolved_using(const std::string& name, const Node& side, const char* which) {
  std::vector<std::string> names;
  for (const Attribute& a : side.output) {
    if (!a.hidden) names.push_back(sql_id(a.name));
  }
  std::sort(names.begin(), names.end());
  return Status::error(
      "UNRESOLVED_USING_COLUMN_FOR_JOIN",
      {{"colName", sql_id(name)}, {"side", which}, {"suggestion", join(names, ", ")}});
}

// The attribute of a join's output with that id: outer joins made it nullable.
Attribute output_of(const Node& node, AttributeId id) {
  for (const Attribute& a : node.output) {
    if (a.id == id) return a;
  }
  CHECK(false);
  return {};
}

bool shares_ids(const Node& a, const Node& b) {
  IdSet ids;
  for (const Attribute& x : a.output) ids.insert(key_of(x.id));
  return std::any_of(b.output.begin(), b.output.end(),
                     [&](const Attribute& x) { return ids.contains(key_of(x.id)); });
}

}  // namespace

NodePtr apart_from(const Node& left, const NodePtr& right) {
  return shares_ids(left, *right) ? with_fresh_ids(right) : right;
}

Result<NodePtr> RelationAnalyzer::join_relation(const sc::Join& proto) {
  if (!proto.has_left() || !proto.has_right()) {
    return Status::plain(ErrorKind::invalid_plan, "a join needs two inputs");
  }
  TRY_ASSIGN(NodePtr left, relation(proto.left()));
  TRY_ASSIGN(NodePtr right, relation(proto.right()));
  return join_nodes(proto, std::move(left), std::move(right));
}

// NATURAL: USING of all columns that both sides have; a cross join when there are none.
Result<NodePtr> RelationAnalyzer::natural_join(const sc::Join& proto, const NodePtr& left,
                                               const NodePtr& right) {
  sc::Join on_names;
  on_names.set_join_type(proto.join_type());
  for (const ExprPtr& l : visible_columns(*left)) {
    for (const ExprPtr& r : visible_columns(*right)) {
      if (!same_name(l->name, r->name, settings_.case_sensitive)) continue;
      on_names.add_using_columns(l->name);
      break;
    }
  }
  return join_nodes(on_names, left, right);
}

Result<NodePtr> RelationAnalyzer::join_nodes(const sc::Join& proto, NodePtr left, NodePtr right) {
  right = apart_from(*left, right);
  if (proto.using_columns_size() > 0) return using_join(proto, left, right);
  if (proto.join_condition().unresolved_function().function_name() == "ms_natural") {
    return natural_join(proto, left, right);
  }
  TRY_ASSIGN(const JoinType type, join_type(proto.join_type()));
  if (!proto.has_join_condition()) return make_join(type, left, right, nullptr);
  Scope scope = scope_of({left, right});
  ExpressionAnalyzer analyzer(settings_, scope);
  TRY_ASSIGN(ExprPtr condition, analyzer.condition(proto.join_condition()));
  if (condition->type->kind() != TypeKind::boolean && condition->type->kind() != TypeKind::null) {
    return Status::error("JOIN_CONDITION_IS_NOT_BOOLEAN_TYPE",
                         {{"joinCondition", sql_expr(condition->pretty)},
                          {"conditionType", sql_type(condition->type)}});
  }
  std::vector<std::string> wrong;
  visit(*condition, [&](const Expr& e) {
    const bool bad = e.kind == ExprKind::window || e.kind == ExprKind::aggregate;
    if (bad) wrong.push_back(sql_expr(e.pretty));
    return !bad;
  });
  if (!wrong.empty()) {
    return Status::error("UNSUPPORTED_EXPR_FOR_OPERATOR", {{"invalidExprSqls", join(wrong, ", ")}});
  }
  TRY(check_no_generator(*condition, "'Join"));
  if (!is_deterministic(*condition)) {
    return Status::error("INVALID_NON_DETERMINISTIC_EXPRESSIONS",
                         {{"sqlExprs", sql_expr(condition->pretty)}});
  }
  condition = implicit_cast(condition, column::boolean_type(), analyzer.ansi());
  return make_join(type, left, right, condition);
}

// USING: each key once in front, the other side's copy hidden but addressable.
Result<NodePtr> RelationAnalyzer::using_join(const sc::Join& proto, const NodePtr& left,
                                             const NodePtr& right) {
  TRY_ASSIGN(const JoinType type, join_type(proto.join_type()));
  Scope left_scope = scope_of({left});
  Scope right_scope = scope_of({right});
  Scope both = scope_of({left, right});
  ExpressionAnalyzer analyzer(settings_, both);
  Exprs left_keys;
  Exprs right_keys;
  ExprPtr condition;
  for (const std::string& name : proto.using_columns()) {
    auto l = left_scope.resolve(NameParts{name});
    if (!l.ok()) {
      if (!l.status().condition().starts_with("UNRESOLVED_COLUMN")) return l.status();
      return unresolved_using(name, *left, "left");
    }
    auto r = right_scope.resolve(NameParts{name});
    if (!r.ok()) {
      if (!r.status().condition().starts_with("UNRESOLVED_COLUMN")) return r.status();
      return unresolved_using(name, *right, "right");
    }
    left_keys.push_back(*l);
    right_keys.push_back(*r);
    TRY_ASSIGN(ExprPtr equal, analyzer.call("==", {*l, *r}));
    if (condition == nullptr) {
      condition = equal;
    } else {
      TRY_ASSIGN(condition, analyzer.call("and", {condition, equal}));
    }
  }
  const NodePtr joined = make_join(type, left, right, condition);
  if (type == JoinType::cross) {
    return Status::error("UNSUPPORTED_JOIN_TYPE",
                         {{"typ", "cross"}, {"supported", "'inner', 'outer'"}});
  }
  // What Spark shows of the left input first for semi and anti joins too.
  Exprs columns;
  std::vector<AttributeId> hidden;
  IdSet keys;
  for (std::size_t i = 0; i < left_keys.size(); ++i) {
    keys.insert(key_of(left_keys[i]->id));
    keys.insert(key_of(right_keys[i]->id));
    const bool one_side = type == JoinType::semi || type == JoinType::anti;
    if (one_side) {
      columns.push_back(make_attribute(output_of(*joined, left_keys[i]->id)));
      continue;
    }
    const ExprPtr l = make_attribute(output_of(*joined, left_keys[i]->id));
    const ExprPtr r = make_attribute(output_of(*joined, right_keys[i]->id));
    if (type == JoinType::full) {
      TRY_ASSIGN(ExprPtr either, analyzer.call("coalesce", {l, r}));
      columns.push_back(make_alias(either, l->name, next_attribute_id()));
      hidden.insert(hidden.begin() + static_cast<std::ptrdiff_t>(i), l->id);
      hidden.push_back(r->id);
    } else {
      columns.push_back(type == JoinType::right ? r : l);
      hidden.push_back(type == JoinType::right ? l->id : r->id);
    }
  }
  for (const Attribute& a : joined->output) {
    if (!a.hidden && !keys.contains(key_of(a.id))) columns.push_back(make_attribute(a));
  }
  auto node = std::make_shared<Project>(as<Project>(*make_project(joined, columns)));
  // In front of those of joins below, which the projection passes on.
  const auto end = static_cast<std::ptrdiff_t>(columns.size());
  for (std::size_t i = 0; i < hidden.size(); ++i) {
    const auto at = end + static_cast<std::ptrdiff_t>(i);
    Attribute a = output_of(*joined, hidden[i]);
    a.hidden = true;
    node->exprs.insert(node->exprs.begin() + at, make_attribute(a));
    node->output.insert(node->output.begin() + at, std::move(a));
  }
  return NodePtr(node);
}

// --- UNION, INTERSECT, EXCEPT
// ---------------------------------------------------------------------------------------
namespace {

const char* name_of(sc::SetOperation::SetOpType type) {
  switch (type) {
    case sc::SetOperation::SET_OP_TYPE_UNION:
      return "UNION";
    case sc::SetOperation::SET_OP_TYPE_INTERSECT:
      return "INTERSECT";
    default:
      return "EXCEPT";
  }
}

Result<SetOperationType> set_type(const sc::SetOperation& proto) {
  // `is_all` left out means DISTINCT, as in SQL; the client always says.
  const bool all = proto.has_is_all() && proto.is_all();
  switch (proto.set_op_type()) {
    case sc::SetOperation::SET_OP_TYPE_UNION:
      return all ? SetOperationType::union_all : SetOperationType::union_distinct;
    case sc::SetOperation::SET_OP_TYPE_INTERSECT:
      return all ? SetOperationType::intersect_all : SetOperationType::intersect;
    case sc::SetOperation::SET_OP_TYPE_EXCEPT:
      return all ? SetOperationType::except_all : SetOperationType::except;
    default:
      break;
  }
  return Status::error("CONNECT_INVALID_PLAN.INVALID_ENUM",
                       {{"fullName", "spark.connect.SetOperation.SetOpType"},
                        {"name", "SET_OP_TYPE_UNSPECIFIED"},
                        {"number", "0"}});
}

// The right input's columns in the left one's order; columns that only one side has are NULL on the
// other.
// A column of a union by name, its members in the order of the other side's.
Result<ExprPtr> matched(const ExprPtr& column, const TypePtr& like, const NameRules& rules,
                        const MakeCall& call) {
  if (!rules.fills) {
    const auto mismatch = name_mismatch(column->type, like, rules);
    if (mismatch && !mismatch->missing.empty()) {
      std::vector<std::string> members;
      for (const auto& name : mismatch->members) members.push_back(sql_id(name));
      return Status::error("FIELD_NOT_FOUND", {{"fieldName", sql_id(mismatch->missing)},
                                               {"fields", join(members, ", ")}});
    }
  }
  if (is_in_order_of(column->type, like, rules)) return column;
  TRY_ASSIGN(const auto ordered, in_order_of(column, like, rules, call));
  return make_alias(ordered, column->name, next_attribute_id(), column->metadata);
}

Status match_names(NodePtr& left, NodePtr& right, const NameRules& rules, const MakeCall& call) {
  const bool allow_missing = rules.fills;
  const bool case_sensitive = rules.case_sensitive;
  const std::vector<ExprPtr> l = visible_columns(*left);
  const std::vector<ExprPtr> r = visible_columns(*right);
  std::vector<std::string> names;
  for (const ExprPtr& e : r) names.push_back(e->name);
  std::vector<ExprPtr> right_columns;
  std::vector<ExprPtr> left_columns = l;
  std::vector<bool> used(r.size(), false);
  for (const ExprPtr& wanted : l) {
    std::size_t found = r.size();
    for (std::size_t i = 0; i < r.size(); ++i) {
      if (!used[i] && same_name(r[i]->name, wanted->name, case_sensitive)) {
        found = i;
        break;
      }
    }
    if (found == r.size()) {
      if (!allow_missing) {
        return Status::error("UNRESOLVED_COLUMN_AMONG_FIELD_NAMES",
                             {{"colName", wanted->name}, {"fieldNames", join(names, ", ")}});
      }
      right_columns.push_back(
          make_alias(null_literal(wanted->type), wanted->name, next_attribute_id()));
      continue;
    }
    used[found] = true;
    const TypePtr like =
        allow_missing ? with_members_of(wanted->type, r[found]->type, rules) : wanted->type;
    TRY_ASSIGN(auto right_column, matched(r[found], like, rules, call));
    right_columns.push_back(std::move(right_column));
    TRY_ASSIGN(left_columns[right_columns.size() - 1], matched(wanted, like, rules, call));
  }
  for (std::size_t i = 0; i < r.size(); ++i) {
    if (used[i]) continue;
    right_columns.push_back(r[i]);
    if (allow_missing) {
      left_columns.push_back(make_alias(null_literal(r[i]->type), r[i]->name, next_attribute_id()));
    }
  }
  if (left_columns != l) left = make_project(visible_only(left), left_columns);
  right = make_project(visible_only(right), right_columns);
  return Status::OK();
}

NodePtr cast_columns(const NodePtr& input, const std::vector<TypePtr>& types, bool ansi) {
  std::vector<ExprPtr> columns = visible_columns(*input);
  bool changed = false;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (column::same_type_ignoring_nullability(columns[i]->type, types[i])) continue;
    changed = true;
    columns[i] =
        make_alias(make_cast(columns[i], types[i], ansi), columns[i]->name, next_attribute_id());
  }
  return changed ? make_project(visible_only(input), std::move(columns)) : visible_only(input);
}

// `a`, of which may be NULL what may be in `b` at the same place.
TypePtr merge_nullability(const TypePtr& a, const TypePtr& b) {
  if (column::same_type(a, b)) return a;
  if (a->kind() != b->kind() || a->fields().size() != b->fields().size()) return a;
  std::vector<column::Field> fields = a->fields();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    fields[i].type = merge_nullability(fields[i].type, b->fields()[i].type);
    fields[i].nullable = fields[i].nullable || b->fields()[i].nullable;
  }
  switch (a->kind()) {
    case TypeKind::array:
      return column::array_type(fields[0].type, fields[0].nullable);
    case TypeKind::map:
      return column::map_type(fields[0].type, fields[1].type, fields[1].nullable);
    case TypeKind::struct_:
      return column::struct_type(std::move(fields));
    default:
      return a;
  }
}

}  // namespace

Result<NodePtr> RelationAnalyzer::set_operation(const sc::SetOperation& proto) {
  if (!proto.has_left_input() || !proto.has_right_input()) {
    return Status::error("CONNECT_INVALID_PLAN.SET_OPERATION_MUST_HAVE_TWO_INPUTS");
  }
  TRY_ASSIGN(const SetOperationType type, set_type(proto));
  const bool is_union = proto.set_op_type() == sc::SetOperation::SET_OP_TYPE_UNION;
  if (proto.by_name() && !is_union) {
    return Status::error(proto.set_op_type() == sc::SetOperation::SET_OP_TYPE_EXCEPT
                             ? "CONNECT_INVALID_PLAN.EXCEPT_DOES_NOT_SUPPORT_UNION_BY_NAME"
                             : "CONNECT_INVALID_PLAN.INTERSECT_DOES_NOT_SUPPORT_UNION_BY_NAME");
  }
  if (proto.allow_missing_columns() && !proto.by_name()) {
    return Status::error("CONNECT_INVALID_PLAN.UNION_BY_NAME_ALLOW_MISSING_COL_REQUIRES_BY_NAME");
  }
  TRY_ASSIGN(NodePtr left, relation(proto.left_input()));
  TRY_ASSIGN(NodePtr right, relation(proto.right_input()));
  if (proto.by_name()) {
    NameRules rules;
    rules.case_sensitive = settings_.case_sensitive;
    rules.fills = proto.allow_missing_columns();
    rules.enters_maps = false;
    Scope nothing({}, settings_.case_sensitive);
    ExpressionAnalyzer analyzer(settings_, nothing);
    const auto call = [&](const std::string& name, Exprs arguments) {
      return analyzer.call(name, std::move(arguments));
    };
    TRY(match_names(left, right, rules, call));
  }
  const Exprs l = visible_columns(*left);
  const Exprs r = visible_columns(*right);
  const char* name = name_of(proto.set_op_type());
  if (l.size() != r.size()) {
    return Status::error("NUM_COLUMNS_MISMATCH", {{"operator", name},
                                                  {"firstNumColumns", std::to_string(l.size())},
                                                  {"invalidOrdinalNum", "second"},
                                                  {"invalidNumColumns", std::to_string(r.size())}});
  }
  auto node = std::make_shared<SetOperation>();
  node->type = type;
  std::vector<TypePtr> types;
  for (std::size_t i = 0; i < l.size(); ++i) {
    TypePtr common = functions::wider_type(l[i]->type, r[i]->type, settings_.functions.ansi);
    // Members of other names go together where the types are the same, and in a union only.
    const bool names = functions::names_agree(*l[i]->type, *r[i]->type) ||
                       (is_union && functions::same_but_for_names(l[i]->type, r[i]->type));
    if (common == nullptr || !names) {
      return Status::error("INCOMPATIBLE_COLUMN_TYPE",
                           {{"operator", name},
                            {"columnOrdinalNumber", ordinal_word(i + 1)},
                            {"tableOrdinalNumber", "second"},
                            {"dataType1", sql_type(r[i]->type)},
                            {"dataType2", sql_type(l[i]->type)},
                            {"hint", ""}});
    }
    const bool whole_rows = type != SetOperationType::union_all;
    if (whole_rows && common->kind() == TypeKind::map) {
      return Status::error("UNSUPPORTED_FEATURE.SET_OPERATION_ON_MAP_TYPE",
                           {{"colName", sql_id(l[i]->name)}, {"dataType", sql_type(common)}});
    }
    if (whole_rows && common->kind() == TypeKind::variant) {
      return Status::error("UNSUPPORTED_FEATURE.SET_OPERATION_ON_VARIANT_TYPE",
                           {{"colName", sql_id(l[i]->name)}, {"dataType", sql_type(common)}});
    }
    common = merge_nullability(common, r[i]->type);
    Attribute a;
    a.id = next_attribute_id();
    a.name = l[i]->name;
    a.type = merge_nullability(common, l[i]->type);
    const bool both =
        type == SetOperationType::intersect || type == SetOperationType::intersect_all;
    const bool left_only = type == SetOperationType::except || type == SetOperationType::except_all;
    a.nullable = both        ? l[i]->nullable && r[i]->nullable
                 : left_only ? l[i]->nullable
                             : l[i]->nullable || r[i]->nullable;
    a.metadata = l[i]->metadata;
    node->output.push_back(std::move(a));
    types.push_back(common);
  }
  node->children = {cast_columns(left, types, settings_.functions.ansi),
                    cast_columns(right, types, settings_.functions.ansi)};
  return NodePtr(node);
}

}  // namespace millstream::plan
