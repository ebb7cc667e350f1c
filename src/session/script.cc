#include "session/script.h"

#include <arrow/api.h>

#include <optional>
#include <set>

#include "base/random.h"
#include "base/text.h"
#include "plan/analyzer.h"
#include "plan/literal.h"
#include "session/statement_run.h"
#include "session/variables.h"

// Older clients fill fields that are deprecated since.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace millstream::session {

namespace proto = spark::connect;

Result<CatalogResult> query_rows(Session& session, const proto::Relation& query,
                                 const ActionContext& context) {
  TRY_ASSIGN(const auto node, session.analyze(query));
  CatalogResult out;
  out.schema = plan::schema_of(*node);
  TRY_ASSIGN(const auto rows, session.execute(node, context));
  TRY_ASSIGN(const auto batches, connector::collect(rows));
  const auto schema = column::to_arrow(out.schema);
  const auto table = arrow::Table::FromRecordBatches(schema, batches);
  if (!table.ok()) return Status::internal("rows of a query: {}", table.status().ToString());
  auto whole = (*table)->num_rows() == 0 ? arrow::RecordBatch::MakeEmpty(schema)
                                         : (*table)->CombineChunksToBatch();
  if (!whole.ok()) return Status::internal("rows of a query: {}", whole.status().ToString());
  out.rows = *whole;
  return out;
}

namespace {

Status scripting_error(const char* condition, ErrorParameters parameters) {
  ErrorInfo info = Status::error(condition, std::move(parameters)).info();
  info.java_class = "org.apache.spark.sql.exceptions.SqlScriptingException";
  return Status(std::move(info));
}

}  // namespace

ScriptRun::ScriptRun(Session& session, const ActionContext& context,
                     const ExplainText& explain_text, proto::SQL arguments)
    : session_(session),
      context_(context),
      explain_text_(explain_text),
      arguments_(std::move(arguments)) {}

Result<CatalogResult> ScriptRun::run(const sql::ScriptNode& root) {
  TRY_ASSIGN(result_, ResultTable().finish());
  TRY(statement(root).status());
  return result_;
}

proto::Relation ScriptRun::relation_of(const std::string& text) const {
  proto::Relation out;
  *out.mutable_sql() = arguments_;
  out.mutable_sql()->set_query(text);
  return out;
}

Result<ScriptRun::Flow> ScriptRun::body(const Nodes& nodes) {
  for (const sql::ScriptNode& node : nodes) {
    TRY_ASSIGN(const Flow flow, statement(node));
    if (flow != Flow::next) return flow;
  }
  return Flow::next;
}

// A statement, and the handler of what it raised itself.
Result<ScriptRun::Flow> ScriptRun::statement(const sql::ScriptNode& node) {
  if (context_.cancel != nullptr) TRY(context_.cancel->check());
  raised_ = false;
  auto flow = attempt(node);
  if (flow.ok() || !std::exchange(raised_, false)) return flow;
  return handled(flow.status());
}

Result<ScriptRun::Flow> ScriptRun::attempt(const sql::ScriptNode& node) {
  switch (node.kind) {
    case sql::ScriptKind::block:
      return block(node);
    case sql::ScriptKind::branches:
      return branches(node);
    case sql::ScriptKind::while_:
    case sql::ScriptKind::repeat:
    case sql::ScriptKind::loop:
      return loop(node);
    case sql::ScriptKind::for_:
      return for_each(node);
    case sql::ScriptKind::leave:
    case sql::ScriptKind::iterate:
      label_ = node.label;
      return node.kind == sql::ScriptKind::leave ? Flow::leave : Flow::iterate;
    default:
      break;
  }
  const Status done = node.kind == sql::ScriptKind::declare ? declare(node) : leaf(node);
  raised_ = !done.ok();
  TRY(done);
  return Flow::next;
}

Status ScriptRun::leaf(const sql::ScriptNode& node) {
  const proto::Relation relation = relation_of(node.text);
  TRY_ASSIGN(auto done, run_sql(session_, relation, context_, explain_text_));
  if (!done) {
    TRY_ASSIGN(result_, query_rows(session_, relation, context_));
    return Status::OK();
  }
  session_.storage_levels().tables_changed();
  if (!done->schema.empty()) result_ = *std::move(done);
  return Status::OK();
}

Status ScriptRun::declare(const sql::ScriptNode& node) {
  Variable variable;
  variable.default_text = node.text;
  if (!node.type.empty()) {
    TRY_ASSIGN(variable.type, column::parse_type(node.type));
  }
  TRY_ASSIGN(variable.value, value_of_text(session_, node.text, variable.type, context_));
  if (variable.type == nullptr) variable.type = variable.value->type;
  for (const std::string& name : node.names) {
    if (scopes_.declare(name, variable)) continue;
    const std::string& label = blocks_.back().node->label;
    return Status::error(
        "VARIABLE_ALREADY_EXISTS",
        {{"variableName", quote_identifiers({label.empty() ? new_uuid() : label, name})}});
  }
  return Status::OK();
}

Result<ScriptRun::Flow> ScriptRun::block(const sql::ScriptNode& node) {
  scopes_.push(node.label);
  Block& block = blocks_.emplace_back(Block{&node, {}, {}, scopes_.depth()});
  const std::size_t depth = blocks_.size();
  for (const sql::ScriptNode& one : node.bodies[0]) {
    if (one.kind == sql::ScriptKind::condition) block.conditions[to_upper(one.names[0])] = one.text;
    if (one.kind == sql::ScriptKind::handler) block.handlers.push_back(&one);
  }
  Result<Flow> flow = Flow::next;
  for (const sql::ScriptNode& one : node.bodies[0]) {
    if (one.kind == sql::ScriptKind::condition || one.kind == sql::ScriptKind::handler) continue;
    flow = statement(one);
    if (!flow.ok() || *flow != Flow::next) break;
  }
  blocks_.pop_back();
  scopes_.pop();
  if (!flow.ok()) return flow;
  const bool left = *flow == Flow::leave && !node.label.empty() && label_ == node.label;
  const bool exited = *flow == Flow::exit && exit_depth_ == depth;
  return left || exited ? Flow::next : *flow;
}

// NULL is not true; what is no BOOLEAN is no condition.
Result<bool> ScriptRun::is_true(const std::string& text) {
  const auto value = value_of_text(session_, text, nullptr, context_);
  raised_ = !value.ok();
  TRY(value.status());
  if ((*value)->type->kind() != column::TypeKind::boolean) {
    raised_ = true;
    return scripting_error("INVALID_BOOLEAN_STATEMENT", {{"invalidStatement", to_upper(text)}});
  }
  return (*value)->value->is_valid &&
         static_cast<const arrow::BooleanScalar&>(*(*value)->value).value;
}

Result<ScriptRun::Flow> ScriptRun::branches(const sql::ScriptNode& node) {
  for (std::size_t i = 0; i < node.conditions.size(); ++i) {
    const std::string& text = node.conditions[i];
    const std::string asked =
        node.subject.empty() ? text : "(" + node.subject + ") = (" + text + ")";
    TRY_ASSIGN(const bool chosen, is_true(asked));
    if (chosen) return body(node.bodies[i]);
  }
  if (node.bodies.size() > node.conditions.size()) return body(node.bodies.back());
  return Flow::next;
}

// Whether a round of `node` ends it; a flow that is meant for it goes no further.
bool ScriptRun::ends_loop(const sql::ScriptNode& node, Flow& flow) const {
  if (flow == Flow::next) return false;
  const bool mine =
      (flow == Flow::leave || flow == Flow::iterate) && !node.label.empty() && label_ == node.label;
  const bool again = mine && flow == Flow::iterate;
  if (mine) flow = Flow::next;
  return !again;
}

Result<ScriptRun::Flow> ScriptRun::loop(const sql::ScriptNode& node) {
  for (;;) {
    if (context_.cancel != nullptr) TRY(context_.cancel->check());
    if (node.kind == sql::ScriptKind::while_) {
      TRY_ASSIGN(const bool goes_on, is_true(node.conditions[0]));
      if (!goes_on) return Flow::next;
    }
    TRY_ASSIGN(Flow flow, body(node.bodies[0]));
    if (ends_loop(node, flow)) return flow;
    if (node.kind == sql::ScriptKind::repeat) {
      TRY_ASSIGN(const bool done, is_true(node.conditions[0]));
      if (done) return Flow::next;
    }
  }
}

Result<ScriptRun::Flow> ScriptRun::for_each(const sql::ScriptNode& node) {
  const auto started = [&]() -> Result<connector::Batches> {
    TRY_ASSIGN(const auto plan, session_.analyze(relation_of(node.text)));
    return session_.execute(plan, context_);
  };
  const auto rows = started();
  raised_ = !rows.ok();
  TRY(rows.status());
  for (const auto& partition : rows->partitions) {
    const auto reader = partition();
    raised_ = !reader.ok();
    TRY(reader.status());
    for (;;) {
      const auto batch = (*reader)->next();
      raised_ = !batch.ok();
      TRY(batch.status());
      if (*batch == nullptr) break;
      for (std::int64_t row = 0; row < (*batch)->num_rows(); ++row) {
        bool ends = false;
        TRY_ASSIGN(const Flow flow, row_of_for(node, **batch, row, rows->schema, &ends));
        if (ends) return flow;
      }
    }
  }
  return Flow::next;
}

// One round: the row's columns are variables.
Result<ScriptRun::Flow> ScriptRun::row_of_for(const sql::ScriptNode& node,
                                              const arrow::RecordBatch& batch, std::int64_t row,
                                              const column::Schema& schema, bool* ends) {
  scopes_.push(node.names.empty() ? "" : node.names[0]);
  for (std::size_t i = 0; i < schema.size(); ++i) {
    const auto scalar = batch.column(static_cast<int>(i))->GetScalar(row);
    if (!scalar.ok()) return Status::internal("FOR: {}", scalar.status().ToString());
    Variable variable;
    variable.type = schema[i].type;
    variable.value = (*scalar)->is_valid ? plan::literal_of(*scalar, variable.type)
                                         : plan::null_literal(variable.type);
    scopes_.declare(schema[i].name, std::move(variable));
  }
  auto flow = body(node.bodies[0]);
  scopes_.pop();
  TRY(flow.status());
  *ends = ends_loop(node, *flow);
  return flow;
}

// How well a handler's condition fits: 0 not at all; the name before the state before the rest.
int ScriptRun::precedence(const Block& block, const std::string& name, const Status& error) const {
  const std::string& state = error.info().sql_state;
  if (name == "SQLEXCEPTION") return state.starts_with("02") || state.starts_with("01") ? 0 : 1;
  if (name == "NOT FOUND") return state.starts_with("02") ? 2 : 0;
  if (name.starts_with("SQLSTATE:")) return state == name.substr(9) ? 3 : 0;
  if (const auto known = block.conditions.find(name); known != block.conditions.end()) {
    return state == known->second ? 4 : 0;
  }
  return equals_ignore_case(error.condition(), name) ? 4 : 0;
}

// The handler of the innermost block that has one; `depth`: of the block.
const sql::ScriptNode* ScriptRun::handler_for(const Status& error, std::size_t* depth) const {
  for (std::size_t i = blocks_.size(); i > 0; --i) {
    const sql::ScriptNode* best = nullptr;
    int best_fit = 0;
    for (const sql::ScriptNode* handler : blocks_[i - 1].handlers) {
      for (const std::string& name : handler->names) {
        const int fit = precedence(blocks_[i - 1], name, error);
        if (fit <= best_fit) continue;
        best = handler;
        best_fit = fit;
      }
    }
    *depth = i;
    if (best != nullptr) return best;
  }
  return nullptr;
}

// Runs as if it stood in the block that declares it, whose handlers are then those around it.
Result<ScriptRun::Flow> ScriptRun::handled(const Status& error) {
  if (error.is("OPERATION_CANCELED")) return error;
  std::size_t depth = 0;
  const sql::ScriptNode* handler = handler_for(error, &depth);
  if (handler == nullptr) return error;
  const auto first = blocks_.begin() + static_cast<std::ptrdiff_t>(depth - 1);
  const std::vector<Block> inner(first, blocks_.end());
  auto scopes = scopes_.cut(blocks_[depth - 1].scopes);
  blocks_.erase(first, blocks_.end());
  auto flow = body(handler->bodies[0]);
  blocks_.insert(blocks_.end(), inner.begin(), inner.end());
  scopes_.restore(std::move(scopes));
  if (!flow.ok() || *flow != Flow::next) return flow;
  exit_depth_ = depth;
  return Flow::exit;
}

StatementRun::Outcome StatementRun::operator()(const sql::Script& script) {
  if (!session_.conf().flag("spark.sql.scripting.enabled")) {
    return scripting_error("UNSUPPORTED_FEATURE.SQL_SCRIPTING",
                           {{"sqlScriptingEnabled", "\"spark.sql.scripting.enabled\""}});
  }
  spark::connect::SQL arguments;
  if (script_arguments_ != nullptr) arguments = *script_arguments_;
  if (arguments.pos_args_size() + arguments.pos_arguments_size() > 0) {
    return Status::error("UNSUPPORTED_FEATURE.SQL_SCRIPTING_WITH_POSITIONAL_PARAMETERS");
  }
  ScriptRun run(session_, context_, explain_text_, std::move(arguments));
  TRY_ASSIGN(auto result, run.run(*script.root));
  return std::optional<CatalogResult>(std::move(result));
}

namespace {

// What has a result that variables can take.
bool gives_rows(const sql::Statement& statement) {
  return std::holds_alternative<sql::Query>(statement);
}

// The statement's text: a constant, or what variables and functions make of it.
Result<std::string> immediate_text(Session& session, const sql::ExecuteImmediate& execute,
                                   const ActionContext& context) {
  TRY_ASSIGN(const auto value, value_of_text(session, execute.text, nullptr, context));
  if (!value->type->is_string() && value->type->kind() != column::TypeKind::null) {
    return Status::error("INVALID_EXPR_TYPE_FOR_QUERY_EXECUTE_IMMEDIATE",
                         {{"exprType", "\"" + value->type->sql() + "\""}});
  }
  if (!value->value->is_valid) {
    return Status::error("NULL_QUERY_STRING_EXECUTE_IMMEDIATE",
                         {{"varName", "`" + execute.text + "`"}});
  }
  return static_cast<const arrow::BaseBinaryScalar&>(*value->value).value->ToString();
}

// An argument without a name may be a variable, whose name it then has.
std::string name_of(const sql::ExecuteImmediate& execute, std::size_t i) {
  if (!execute.names[i].empty()) return execute.names[i];
  if (!execute.arguments[i]->has_unresolved_attribute()) return {};
  const auto& attribute = execute.arguments[i]->unresolved_attribute().unparsed_identifier();
  return attribute.size() > 2 ? attribute.substr(1, attribute.size() - 2) : attribute;
}

Result<proto::Relation> immediate_relation(Session& session, const sql::ExecuteImmediate& execute,
                                           const ActionContext& context) {
  proto::Relation out;
  TRY_ASSIGN(*out.mutable_sql()->mutable_query(), immediate_text(session, execute, context));
  std::vector<std::string> unnamed;
  bool named = false;
  for (std::size_t i = 0; i < execute.arguments.size(); ++i) {
    if (execute.names[i].empty()) {
      unnamed.push_back("\"" + execute.arguments[i]->unresolved_attribute().unparsed_identifier() +
                        "\"");
    } else {
      named = true;
    }
  }
  const bool by_name = named || out.sql().query().find(':') != std::string::npos;
  for (std::size_t i = 0; i < execute.arguments.size(); ++i) {
    if (!by_name) {
      *out.mutable_sql()->add_pos_arguments() = *execute.arguments[i];
      continue;
    }
    const std::string called = name_of(execute, i);
    if (called.empty()) {
      return Status::error("ALL_PARAMETERS_MUST_BE_NAMED", {{"exprs", join(unnamed, ", ")}});
    }
    (*out.mutable_sql()->mutable_named_arguments())[called] = *execute.arguments[i];
  }
  return out;
}

// Of the variables after INTO, each of which is there and named once.
Result<std::vector<column::TypePtr>> types_of_targets(Session& session,
                                                      const std::vector<sql::Name>& names) {
  std::vector<column::TypePtr> types;
  std::set<std::string> seen;
  for (const auto& name : names) {
    const auto variable = find_variable(session, name);
    if (!variable) {
      return Status::error("UNRESOLVED_COLUMN.WITHOUT_SUGGESTION",
                           {{"objectName", quote_identifiers(name)}});
    }
    if (!seen.insert(to_lower(join(name, "."))).second) {
      return Status::error("DUPLICATE_ASSIGNMENTS", {{"nameList", quote_identifiers(name)}});
    }
    types.push_back(variable->type);
  }
  return types;
}

}  // namespace

StatementRun::Outcome StatementRun::operator()(const sql::ExecuteImmediate& execute) {
  TRY_ASSIGN(const auto relation, immediate_relation(session_, execute, context_));
  TRY_ASSIGN(const auto statement, sql::parse_statement(relation.sql()));
  if (std::holds_alternative<sql::Script>(statement)) {
    return Status::error("SQL_SCRIPT_IN_EXECUTE_IMMEDIATE",
                         {{"sqlString", relation.sql().query()}});
  }
  if (execute.into.empty()) {
    if (!gives_rows(statement)) return std::visit(*this, statement);
    TRY_ASSIGN(auto rows, query_rows(session_, relation, context_));
    return std::optional<CatalogResult>(std::move(rows));
  }
  if (!gives_rows(statement)) {
    return Status::error("INVALID_STATEMENT_FOR_EXECUTE_INTO",
                         {{"sqlString", to_upper(relation.sql().query())}});
  }
  TRY_ASSIGN(const auto types, types_of_targets(session_, execute.into));
  const auto row = first_row(session_, relation, types, context_);
  if (row.status().is("SCALAR_SUBQUERY_TOO_MANY_ROWS")) {
    return Status::error("ROW_SUBQUERY_TOO_MANY_ROWS");
  }
  TRY_ASSIGN(const auto values, row);
  for (std::size_t i = 0; i < values.size(); ++i) {
    assign_variable(session_, execute.into[i], values[i]);
  }
  return nothing();
}

}  // namespace millstream::session
