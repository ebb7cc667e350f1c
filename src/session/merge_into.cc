#include "session/merge_into.h"

#include "session/statements.h"
#include "spark/connect/commands.pb.h"
#include "sql/parser.h"
#include "sql/statement.h"

namespace millstream::session {
namespace {

namespace proto = spark::connect;
using Clause = sql::MergeClause;
using Actions = google::protobuf::RepeatedPtrField<proto::Expression>;

Clause::ExpressionPtr copy(const proto::Expression& expression) {
  return std::make_shared<proto::Expression>(expression);
}

Result<Clause::Action> action_of(proto::MergeAction::ActionType type) {
  switch (type) {
    case proto::MergeAction::ACTION_TYPE_DELETE:
      return Clause::Action::remove;
    case proto::MergeAction::ACTION_TYPE_INSERT:
      return Clause::Action::insert;
    case proto::MergeAction::ACTION_TYPE_INSERT_STAR:
      return Clause::Action::insert_all;
    case proto::MergeAction::ACTION_TYPE_UPDATE:
      return Clause::Action::update;
    case proto::MergeAction::ACTION_TYPE_UPDATE_STAR:
      return Clause::Action::update_all;
    default:
      return Status::plain(ErrorKind::invalid_plan,
                           fmt::format("unknown merge action {}", static_cast<int>(type)));
  }
}

// The column that an assignment names: col("a.b"), or expr("a.b") of it.
Result<sql::Name> column_of(const proto::Expression& key) {
  if (key.has_unresolved_attribute()) {
    return sql::parse_identifier(key.unresolved_attribute().unparsed_identifier());
  }
  if (key.has_expression_string())
    return sql::parse_identifier(key.expression_string().expression());
  return Status::plain(ErrorKind::invalid_plan, "an assignment of a merge names no column");
}

Status add_clauses(const Actions& actions, Clause::Kind kind, sql::Merge& merge) {
  for (const auto& expression : actions) {
    if (!expression.has_merge_action()) {
      return Status::plain(ErrorKind::invalid_plan, "an action of a merge is none");
    }
    const auto& action = expression.merge_action();
    Clause clause;
    clause.kind = kind;
    TRY_ASSIGN(clause.action, action_of(action.action_type()));
    if (action.has_condition()) clause.condition = copy(action.condition());
    for (const auto& assignment : action.assignments()) {
      TRY_ASSIGN(auto column, column_of(assignment.key()));
      clause.values.emplace_back(std::move(column), copy(assignment.value()));
    }
    merge.clauses.push_back(std::move(clause));
  }
  return Status::OK();
}

}  // namespace

Status run_merge_into(Session& session, const proto::MergeIntoTableCommand& command,
                      const ActionContext& context) {
  sql::Merge merge;
  TRY_ASSIGN(merge.table, sql::parse_identifier(command.target_table_name()));
  merge.query = std::make_shared<proto::Relation>(command.source_table_plan());
  merge.on = copy(command.merge_condition());
  merge.evolve_schema = command.with_schema_evolution();
  TRY(add_clauses(command.match_actions(), Clause::Kind::matched, merge));
  TRY(add_clauses(command.not_matched_actions(), Clause::Kind::not_matched, merge));
  TRY(add_clauses(command.not_matched_by_source_actions(), Clause::Kind::not_matched_by_source,
                  merge));
  if (merge.clauses.empty()) return Status::error("NO_MERGE_ACTION_SPECIFIED");
  TRY(sql::check_merge_clauses(merge));
  return run_statement(session, merge, context, {}).status();
}

}  // namespace millstream::session
