// Functions written in SQL, and session variables.
#include <set>

#include "base/text.h"
#include "plan/analyzer.h"
#include "session/statement_run.h"
#include "session/variables.h"
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
  tried->qualifier = function->name;
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
  TRY_ASSIGN(variable.value,
             value_of_text(session_, declare.default_text, variable.type, context_));
  if (variable.type == nullptr) variable.type = variable.value->type;
  session_.objects().declare(name, std::move(variable), true);
  return nothing();
}

StatementRun::Outcome StatementRun::operator()(const sql::SetVariable& set) {
  std::vector<column::TypePtr> types;
  std::vector<std::string> defaults;
  for (const auto& name : set.names) {
    const auto variable = find_variable(session_, name);
    if (!variable) return unresolved_variable(session_, name);
    types.push_back(variable->type);
    defaults.push_back(variable->default_text);
  }
  std::vector<plan::ExprPtr> values;
  if (set.query != nullptr) {
    TRY_ASSIGN(values, first_row(session_, *set.query, types, context_));
  } else {
    // All are computed before the first one changes.
    for (std::size_t i = 0; i < set.values.size(); ++i) {
      const std::string& text = set.values[i].empty() ? defaults[i] : set.values[i];
      TRY_ASSIGN(plan::ExprPtr value, value_of_text(session_, text, types[i], context_));
      values.push_back(std::move(value));
    }
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    assign_variable(session_, set.names[i], values[i]);
  }
  return nothing();
}

}  // namespace millstream::session
