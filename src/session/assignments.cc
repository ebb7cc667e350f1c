#include "session/assignments.h"

#include <algorithm>

#include "base/text.h"
#include "plan/text.h"
#include "plan/tree.h"

namespace millstream::session {
namespace {

using Path = std::vector<std::string>;

Status unknown_column(const Path& path, const column::Schema& schema) {
  std::vector<plan::Attribute> known;
  for (const auto& field : schema) known.emplace_back().name = field.name;
  return plan::unresolved_column(path, known);
}

// The field that the path names, and the path in the table's spelling.
Result<column::Field> field_of(const column::Schema& schema, const Path& path, Path* spelled) {
  const column::Schema* fields = &schema;
  column::Field field;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const int index = fields == nullptr ? -1 : column::find_field_ignore_case(*fields, path[i]);
    if (index < 0 && i == 0) return unknown_column(path, schema);
    if (index < 0 && fields == nullptr) {
      return Status::error(
          "INVALID_EXTRACT_BASE_FIELD_TYPE",
          {{"base", '"' + join(*spelled, ".") + '"'}, {"other", '"' + field.type->sql() + '"'}});
    }
    if (index < 0) {
      std::vector<std::string> names;
      for (const auto& member : *fields) names.push_back(plan::sql_id(member.name));
      return Status::error("FIELD_NOT_FOUND",
                           {{"fieldName", plan::sql_id(path[i])}, {"fields", join(names, ", ")}});
    }
    field = (*fields)[static_cast<std::size_t>(index)];
    spelled->push_back(field.name);
    const bool is_struct = field.type->kind() == column::TypeKind::struct_;
    fields = is_struct ? &field.type->fields() : nullptr;
  }
  return field;
}

bool begins_with(const Path& path, const Path& prefix) {
  return prefix.size() <= path.size() && std::equal(prefix.begin(), prefix.end(), path.begin());
}

Status conflict(const Path& one, const Path& other) {
  const auto quoted = [](const Path& path) { return plan::sql_id(path); };
  return Status::error("DELTA_CONFLICT_SET_COLUMN",
                       {{"columnList", "[" + quoted(one) + ", " + quoted(other) + "]"}});
}

// A value whose structs have other members than the column's would lose some, or leave some NULL.
Status check_members(const column::TypePtr& from, const column::TypePtr& to) {
  if (from->kind() != to->kind() || !to->is_nested()) return Status::OK();
  const bool is_struct = to->kind() == column::TypeKind::struct_;
  bool same = from->fields().size() == to->fields().size();
  for (std::size_t i = 0; same && i < to->fields().size(); ++i) {
    const auto& field = to->fields()[i];
    const int at = is_struct ? column::find_field_ignore_case(from->fields(), field.name)
                             : static_cast<int>(i);
    same = at >= 0;
    if (same) TRY(check_members(from->fields()[static_cast<std::size_t>(at)].type, field.type));
  }
  if (same) return Status::OK();
  return Status::error(
      "DELTA_UPDATE_SCHEMA_MISMATCH_EXPRESSION",
      {{"fromCatalog", from->simple_string()}, {"toCatalog", to->simple_string()}});
}

}  // namespace

Path without_qualifier(const Path& path, const Path& qualifier, const column::Schema& schema) {
  for (std::size_t count = std::min(qualifier.size(), path.size() - 1); count > 0; --count) {
    const auto first = qualifier.end() - static_cast<std::ptrdiff_t>(count);
    const bool same = std::equal(first, qualifier.end(), path.begin(), equals_ignore_case);
    if (same && column::find_field_ignore_case(schema, path[count]) >= 0) {
      return {path.begin() + static_cast<std::ptrdiff_t>(count), path.end()};
    }
  }
  return path;
}

Status check_row_expression(const plan::Expr& expr) {
  using plan::ExprKind;
  std::vector<std::string> wrong;
  plan::visit(expr, [&](const plan::Expr& e) {
    const bool bad = e.kind == ExprKind::window || e.kind == ExprKind::aggregate ||
                     e.kind == ExprKind::generator;
    if (bad) wrong.push_back(plan::sql_expr(e.pretty));
    return !bad;
  });
  if (wrong.empty()) return Status::OK();
  return Status::error("UNSUPPORTED_EXPR_FOR_OPERATOR", {{"invalidExprSqls", join(wrong, ", ")}});
}

Status overflow_in_write(const Status& status, const column::Schema& schema,
                         const std::vector<plan::ExprPtr>& values) {
  if (!status.is("CAST_OVERFLOW")) return status;
  const auto& parameters = status.info().parameters;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i]->kind != plan::ExprKind::cast) continue;
    const std::string source = plan::sql_type(values[i]->children[0]->type);
    const std::string target = plan::sql_type(schema[i].type);
    const auto is = [&](const char* name, const std::string& type) {
      const auto found = parameters.find(name);
      return found != parameters.end() && found->second == type;
    };
    if (!is("sourceType", source) || !is("targetType", target)) continue;
    return Status::error("DELTA_CAST_OVERFLOW_IN_TABLE_WRITE",
                         {{"sourceType", source},
                          {"targetType", target},
                          {"columnName", plan::sql_id(schema[i].name)},
                          {"storeAssignmentPolicyFlag", "spark.sql.storeAssignmentPolicy"},
                          {"updateAndMergeCastingFollowsAnsiEnabledFlag",
                           "spark.databricks.delta.updateAndMergeCastingFollowsAnsiEnabledFlag"},
                          {"ansiEnabledFlag", "spark.sql.ansi.enabled"}});
  }
  return status;
}

Result<std::vector<plan::ExprPtr>> assigned(plan::RowExpressions& expressions,
                                            const column::Schema& schema,
                                            const std::vector<plan::ExprPtr>& current,
                                            const std::vector<Assignment>& assignments,
                                            bool members_may_differ) {
  std::vector<plan::ExprPtr> out = current;
  std::vector<Path> seen;
  for (const auto& assignment : assignments) {
    Path path;
    TRY_ASSIGN(const column::Field field, field_of(schema, assignment.path, &path));
    for (const Path& other : seen) {
      if (begins_with(path, other) || begins_with(other, path)) return conflict(other, path);
    }
    seen.push_back(path);
    if (!members_may_differ) TRY(check_members(assignment.value->type, field.type));
    TRY_ASSIGN(const auto value, expressions.stored(assignment.value, field));
    const auto column = static_cast<std::size_t>(column::find_field(schema, path[0]));
    TRY_ASSIGN(out[column],
               expressions.with_member(out[column], {path.begin() + 1, path.end()}, value));
  }
  return out;
}

}  // namespace millstream::session
