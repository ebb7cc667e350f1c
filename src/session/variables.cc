#include "session/variables.h"

#include <arrow/api.h>

#include "base/text.h"
#include "functions/registry.h"
#include "plan/analyzer.h"
#include "plan/literal.h"
#include "session/script_scopes.h"
#include "spark/connect/relations.pb.h"

namespace millstream::session {

std::optional<Variable> find_variable(Session& session, const sql::Name& name) {
  if (const ScriptScopes* script = ScriptScopes::current()) {
    if (auto found = script->find(name)) return found;
  }
  const bool qualified = (name.size() == 2 && equals_ignore_case(name[0], "session")) ||
                         (name.size() == 3 && equals_ignore_case(name[0], "system") &&
                          equals_ignore_case(name[1], "session"));
  if (name.size() != 1 && !qualified) return std::nullopt;
  return session.objects().variable(name.back());
}

Status unresolved_variable(const Session& session, const sql::Name& name) {
  return Status::error(
      "UNRESOLVED_VARIABLE",
      {{"variableName", quote_identifiers(name)},
       {"searchPath", "[`system`.`builtin`, `system`.`session`, " +
                          quote_identifiers({"spark_catalog", session.current_database()}) + "]"}});
}

void assign_variable(Session& session, const sql::Name& name, plan::ExprPtr value) {
  ScriptScopes* script = ScriptScopes::current();
  if (script != nullptr && script->set(name, value)) return;
  session.objects().set(name.back(), std::move(value));
}

Result<std::vector<plan::ExprPtr>> first_row(Session& session,
                                             const spark::connect::Relation& relation,
                                             const std::vector<column::TypePtr>& types,
                                             const ActionContext& context, bool* empty) {
  TRY_ASSIGN(const auto node, session.analyze(relation));
  std::vector<plan::Attribute> columns;
  for (const auto& column : node->output) {
    if (!column.hidden) columns.push_back(column);
  }
  if (columns.size() != types.size()) {
    return Status::error(
        "ASSIGNMENT_ARITY_MISMATCH",
        {{"numExpr", std::to_string(columns.size())}, {"numTarget", std::to_string(types.size())}});
  }
  auto project = std::make_shared<plan::Project>();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    plan::ExprPtr value = plan::make_attribute(columns[i]);
    const column::TypePtr& type = types[i] == nullptr ? columns[i].type : types[i];
    if (!column::same_type_ignoring_nullability(columns[i].type, type)) {
      if (!functions::can_cast(columns[i].type, type, true)) {
        return Status::error("DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION",
                             {{"sqlExpr", "\"" + columns[i].name + "\""},
                              {"srcType", "\"" + columns[i].type->sql() + "\""},
                              {"targetType", "\"" + type->sql() + "\""}});
      }
      value = plan::make_cast(value, type, true);
    }
    plan::Attribute out = columns[i];
    out.id = plan::next_attribute_id();
    out.type = type;
    project->exprs.push_back(plan::make_alias(value, out.name, out.id));
    project->output.push_back(std::move(out));
  }
  project->children.push_back(node);
  TRY_ASSIGN(const auto rows, session.execute(plan::NodePtr(project), context));
  TRY_ASSIGN(const auto batches, connector::collect(rows));
  std::int64_t count = 0;
  for (const auto& batch : batches) count += batch->num_rows();
  if (empty != nullptr) *empty = count == 0;
  if (count > 1) return Status::error("SCALAR_SUBQUERY_TOO_MANY_ROWS");
  std::vector<plan::ExprPtr> values;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto& type = project->output[i].type;
    plan::ExprPtr value = plan::null_literal(type);
    for (const auto& batch : batches) {
      if (batch->num_rows() == 0) continue;
      auto scalar = batch->column(static_cast<int>(i))->GetScalar(0);
      if (!scalar.ok()) return Status::internal("{}", scalar.status().ToString());
      if ((*scalar)->is_valid) value = plan::literal_of(*scalar, type);
    }
    values.push_back(std::move(value));
  }
  return values;
}

Result<plan::ExprPtr> value_of_text(Session& session, const std::string& text,
                                    const column::TypePtr& type, const ActionContext& context) {
  if (text.empty()) return plan::null_literal(type);
  spark::connect::Relation relation;
  relation.mutable_project()->add_expressions()->mutable_expression_string()->set_expression(text);
  TRY_ASSIGN(const auto values, first_row(session, relation, {type}, context));
  return values[0];
}

}  // namespace millstream::session
