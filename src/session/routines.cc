// Functions written in SQL, and session variables.
#include <arrow/api.h>

#include <set>

#include "base/text.h"
#include "functions/registry.h"
#include "plan/analyzer.h"
#include "plan/literal.h"
#include "session/statement_run.h"
#include "spark/connect/relations.pb.h"

namespace millstream::session {

namespace {

// The parameters' names that are there more than once, quoted.
std::string duplicates_of(const sql::CreateFunction& create) {
  std::set<std::string> seen;
  std::vector<std::string> twice;
  for (const auto& parameter : create.parameters) {
    const std::string name = to_lower(parameter.name);
    if (!seen.insert(name).second) twice.push_back(quote_identifier(name));
  }
  return join(twice, ", ");
}

}  // namespace

StatementRun::Outcome StatementRun::operator()(const sql::CreateFunction& create) {
  if (create.name.size() > 1) {
    const sql::Name qualifier(create.name.begin(), create.name.end() - 1);
    return Status::error("INVALID_TEMP_OBJ_QUALIFIER",
                         {{"objectType", "FUNCTION"},
                          {"objectName", quote_identifier(create.name.back())},
                          {"qualifier", quote_identifiers(qualifier)}});
  }
  auto function = std::make_shared<plan::SqlFunction>();
  function->name = to_lower(create.name.back());
  const std::string twice = duplicates_of(create);
  if (!twice.empty()) {
    return Status::error("DUPLICATE_ROUTINE_PARAMETER_NAMES",
                         {{"routineName", function->name}, {"names", twice}});
  }
  for (const auto& parameter : create.parameters) {
    plan::SqlFunction::Parameter known{parameter.name, nullptr, parameter.default_text};
    TRY_ASSIGN(known.type, column::parse_type(parameter.type));
    function->parameters.push_back(std::move(known));
  }
  function->table = create.table;
  function->body = create.body;
  function->comment = create.comment;
  if (create.table) {
    if (create.returns.empty()) {
      return Status::unsupported(
          "CREATE FUNCTION … RETURNS TABLE without columns is not supported");
    }
    TRY_ASSIGN(auto columns, column::parse_schema(create.returns));
    function->returns = column::struct_type(std::move(columns));
  } else if (!create.returns.empty()) {
    TRY_ASSIGN(function->returns, column::parse_type(create.returns));
  }
  const bool exists = session_.objects().function(function->name) != nullptr;
  if (exists && !create.replace) {
    if (create.if_not_exists) return nothing();
    return Status::error("ROUTINE_ALREADY_EXISTS",
                         {{"routineName", quote_identifier(function->name)},
                          {"newRoutineType", "routine"},
                          {"existingRoutineType", "routine"}});
  }
  // The body is tried with NULLs for the parameters before the name means it.
  Objects& objects = session_.objects();
  const std::string trial = "ms_trial_" + function->name;
  auto tried = std::make_shared<plan::SqlFunction>(*function);
  tried->name = trial;
  spark::connect::Relation relation;
  auto* arguments = create.table
                        ? relation.mutable_unresolved_table_valued_function()->mutable_arguments()
                        : nullptr;
  if (create.table) {
    relation.mutable_unresolved_table_valued_function()->set_function_name(trial);
  } else {
    auto* call = relation.mutable_project()->add_expressions()->mutable_unresolved_function();
    call->set_function_name(trial);
    arguments = call->mutable_arguments();
  }
  for (std::size_t i = 0; i < function->parameters.size(); ++i) {
    arguments->Add()->mutable_literal()->mutable_null()->mutable_null();
  }
  objects.define(tried, true);
  const Status status = session_.analyze(relation).status();
  objects.drop_function(trial);
  TRY(status);
  objects.define(std::move(function), true);
  return nothing();
}

// The first row's values in these types (null: as they are); no row: NULLs.
Result<std::vector<plan::ExprPtr>> StatementRun::values_of(
    const spark::connect::Relation& relation, const std::vector<column::TypePtr>& types) {
  TRY_ASSIGN(const auto node, session_.analyze(relation));
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
  TRY_ASSIGN(const auto rows, session_.execute(plan::NodePtr(project), context_));
  TRY_ASSIGN(const auto batches, connector::collect(rows));
  std::int64_t count = 0;
  for (const auto& batch : batches) count += batch->num_rows();
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

Result<plan::ExprPtr> StatementRun::value_of_text(const std::string& text,
                                                  const column::TypePtr& type) {
  if (text.empty()) return plan::null_literal(type);
  spark::connect::Relation relation;
  relation.mutable_project()->add_expressions()->mutable_expression_string()->set_expression(text);
  TRY_ASSIGN(const auto values, values_of(relation, {type}));
  return values[0];
}

StatementRun::Outcome StatementRun::operator()(const sql::DeclareVariable& declare) {
  Variable variable;
  variable.default_text = declare.default_text;
  if (!declare.type.empty()) {
    TRY_ASSIGN(variable.type, column::parse_type(declare.type));
  }
  const std::string& name = declare.name.back();
  if (session_.objects().variable(name) && !declare.replace) {
    return Status::error(
        "VARIABLE_ALREADY_EXISTS",
        {{"variableName", quote_identifiers({"system", "session", to_lower(name)})}});
  }
  TRY_ASSIGN(variable.value, value_of_text(declare.default_text, variable.type));
  if (variable.type == nullptr) variable.type = variable.value->type;
  session_.objects().declare(name, std::move(variable), true);
  return nothing();
}

StatementRun::Outcome StatementRun::operator()(const sql::SetVariable& set) {
  std::vector<column::TypePtr> types;
  std::vector<std::string> defaults;
  for (const auto& name : set.names) {
    const auto variable = session_.objects().variable(name.back());
    if (!variable) {
      return Status::error(
          "UNRESOLVED_VARIABLE",
          {{"variableName", quote_identifiers(name)},
           {"searchPath", "[`system`.`builtin`, `system`.`session`, " +
                              quote_identifiers({"spark_catalog", session_.current_database()}) +
                              "]"}});
    }
    types.push_back(variable->type);
    defaults.push_back(variable->default_text);
  }
  std::vector<plan::ExprPtr> values;
  if (set.query != nullptr) {
    TRY_ASSIGN(values, values_of(*set.query, types));
  } else {
    // All are computed before the first one changes.
    for (std::size_t i = 0; i < set.values.size(); ++i) {
      const std::string& text = set.values[i].empty() ? defaults[i] : set.values[i];
      TRY_ASSIGN(plan::ExprPtr value, value_of_text(text, types[i]));
      values.push_back(std::move(value));
    }
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    session_.objects().set(set.names[i].back(), values[i]);
  }
  return nothing();
}

}  // namespace millstream::session
