// Functions written in SQL, and session variables.
#include <set>

#include "base/text.h"
#include "functions/registry.h"
#include "plan/analyzer.h"
#include "session/kept_functions.h"
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

std::string in_database(const TableName& name) {
  return quote_identifiers({name.database, name.table});
}

}  // namespace

// Of a function that is kept: f, db.f, spark_catalog.db.f.
Result<TableName> StatementRun::function_name(const sql::Name& name) const {
  TRY_ASSIGN(const TableName full, session_.table_name(name));
  TRY(require_database(full.database));
  return full;
}

Status StatementRun::drop_function(const sql::Drop& drop) {
  const std::string& plain = drop.name.back();
  if (!drop.temporary && drop.name.size() == 1 && functions::exists(to_lower(plain))) {
    return Status::error("FORBIDDEN_OPERATION", {{"statement", "DROP"},
                                                 {"objectType", "FUNCTION"},
                                                 {"objectName", quote_identifier(plain)}});
  }
  if (drop.temporary || (drop.name.size() == 1 && session_.objects().function(plain) != nullptr)) {
    if (session_.objects().drop_function(plain) || drop.if_exists) return Status::OK();
    return Status::error("ROUTINE_NOT_FOUND", {{"routineName", quote_identifiers(drop.name)}});
  }
  TRY_ASSIGN(const TableName name, function_name(drop.name));
  TRY_ASSIGN(const bool dropped, forget_function(warehouse_, name));
  if (dropped || drop.if_exists) return Status::OK();
  return Status::error("ROUTINE_NOT_FOUND", {{"routineName", in_database(name)}});
}

StatementRun::Outcome StatementRun::operator()(const sql::RefreshFunction& refresh) {
  if (refresh.name.size() == 1 && functions::exists(to_lower(refresh.name[0]))) {
    return legacy_error(ErrorKind::analysis, "_LEGACY_ERROR_TEMP_1256",
                        {{"functionName", refresh.name[0]}},
                        "Cannot refresh built-in function " + refresh.name[0] + ".");
  }
  TRY_ASSIGN(const TableName name, function_name(refresh.name));
  TRY_ASSIGN(const auto known, kept_function(warehouse_, name));
  if (known != nullptr) return nothing();
  return Status::error("ROUTINE_NOT_FOUND", {{"routineName", in_database(name)}});
}

StatementRun::Outcome StatementRun::operator()(const sql::CreateFunction& create) {
  std::optional<TableName> kept;
  if (!create.temporary) {
    TRY_ASSIGN(kept, function_name(create.name));
    TRY(Warehouse::check_name(*kept));
  }
  if (create.temporary && create.name.size() > 1) {
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
  const Meaning meaning = Meaning::of(session_.conf());
  function->made = {meaning.ansi, meaning.case_sensitive, meaning.time_zone, meaning.timestamp,
                    session_.current_database()};
  function->kept = !create.temporary;
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
  bool exists = session_.objects().function(function->name) != nullptr;
  if (kept) {
    TRY_ASSIGN(const auto known, kept_function(warehouse_, *kept));
    exists = known != nullptr;
  }
  if (exists && !create.replace) {
    if (create.if_not_exists) return nothing();
    return Status::error(
        "ROUTINE_ALREADY_EXISTS",
        {{"routineName", kept ? in_database(*kept) : quote_identifier(function->name)},
         {"newRoutineType", "routine"},
         {"existingRoutineType", "routine"}});
  }
  // The body is tried with NULLs for the parameters before the name means it.
  Objects& objects = session_.objects();
  const std::string trial = std::string(trial_prefix) + function->name;
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
  const Status status = tried_function(relation, kept);
  objects.drop_function(trial);
  TRY(status);
  if (kept) {
    TRY(keep_function(warehouse_, *kept, *function));
  } else {
    objects.define(std::move(function), true);
  }
  return nothing();
}

// A function that is kept may not name what goes with the session.
Status StatementRun::tried_function(const spark::connect::Relation& relation,
                                    const std::optional<TableName>& kept) {
  if (!kept) return session_.analyze(relation).status();
  SessionResolver resolver(session_);
  auto settings = analyzer_settings(session_.conf());
  settings.database = session_.current_database();
  TRY(plan::analyze(relation, resolver, settings).status());
  return resolver.check_lasting("FUNCTION", in_database(*kept));
}

StatementRun::Outcome StatementRun::operator()(const sql::DeclareVariable& declare) {
  Variable variable;
  variable.default_text = declare.default_text;
  if (!declare.type.empty()) {
    TRY_ASSIGN(variable.type, column::parse_type(declare.type));
  }
  std::set<std::string> seen;
  for (const auto& name : declare.names) {
    if (seen.insert(to_lower(name.back())).second) continue;
    return Status::error(
        "DUPLICATE_VARIABLE_NAME_INSIDE_DECLARE",
        {{"variableName", quote_identifiers({"system", "session", to_lower(name.back())})}});
  }
  for (const auto& name : declare.names) {
    if (!session_.objects().variable(name.back()) || declare.replace) continue;
    return Status::error(
        "VARIABLE_ALREADY_EXISTS",
        {{"variableName", quote_identifiers({"system", "session", to_lower(name.back())})}});
  }
  TRY_ASSIGN(variable.value,
             value_of_text(session_, declare.default_text, variable.type, context_));
  if (variable.type == nullptr) variable.type = variable.value->type;
  for (const auto& name : declare.names) session_.objects().declare(name.back(), variable, true);
  return nothing();
}

StatementRun::Outcome StatementRun::operator()(const sql::SetVariable& set) {
  std::vector<column::TypePtr> types;
  std::vector<std::string> defaults;
  std::set<std::string> seen;
  std::string twice;
  for (const auto& name : set.names) {
    const auto variable = find_variable(session_, name);
    if (!variable) return unresolved_variable(session_, name);
    if (!seen.insert(to_lower(name.back())).second && twice.empty())
      twice = quote_identifier(to_lower(name.back()));
    types.push_back(variable->type);
    defaults.push_back(variable->default_text);
  }
  if (!twice.empty()) return Status::error("DUPLICATE_ASSIGNMENTS", {{"nameList", twice}});
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
