#include "millstream/merge_into.h"

#include "client/relations.h"

namespace millstream::api {
namespace {

namespace proto = spark::connect;

}  // namespace

MergeIntoWriter::MergeIntoWriter(const DataFrame& source, const std::string& table,
                                 const Column& condition)
    : source_(source) {
  auto command = std::make_shared<Command>();
  command->set_target_table_name(table);
  *command->mutable_source_table_plan() = source.relation();
  *command->mutable_merge_condition() = condition.expression();
  command_ = std::move(command);
}

MergeIntoWriter::WhenMatched MergeIntoWriter::when_matched(
    const std::optional<Column>& condition) const {
  return {*this, When::Kind::matched, condition};
}
MergeIntoWriter::WhenNotMatched MergeIntoWriter::when_not_matched(
    const std::optional<Column>& condition) const {
  return {*this, When::Kind::not_matched, condition};
}
MergeIntoWriter::WhenNotMatchedBySource MergeIntoWriter::when_not_matched_by_source(
    const std::optional<Column>& condition) const {
  return {*this, When::Kind::not_matched_by_source, condition};
}

MergeIntoWriter MergeIntoWriter::with_schema_evolution() const {
  auto command = std::make_shared<Command>(*command_);
  command->set_with_schema_evolution(true);
  return {source_, std::move(command)};
}

void MergeIntoWriter::merge() const {
  proto::Command command;
  *command.mutable_merge_into_table_command() = *command_;
  source_.connection()->execute(command);
}

MergeIntoWriter MergeIntoWriter::When::with(Action action, const Assignments& assignments) const {
  static constexpr proto::MergeAction::ActionType types[] = {
      proto::MergeAction::ACTION_TYPE_UPDATE, proto::MergeAction::ACTION_TYPE_UPDATE_STAR,
      proto::MergeAction::ACTION_TYPE_INSERT, proto::MergeAction::ACTION_TYPE_INSERT_STAR,
      proto::MergeAction::ACTION_TYPE_DELETE};
  auto command = std::make_shared<Command>(*writer_.command_);
  auto* clauses = kind_ == Kind::matched       ? command->mutable_match_actions()
                  : kind_ == Kind::not_matched ? command->mutable_not_matched_actions()
                                               : command->mutable_not_matched_by_source_actions();
  auto* clause = clauses->Add()->mutable_merge_action();
  clause->set_action_type(types[static_cast<std::size_t>(action)]);
  if (condition_) *clause->mutable_condition() = condition_->expression();
  for (const auto& [name, value] : assignments) {
    auto* assignment = clause->add_assignments();
    *assignment->mutable_key() = expr(name).expression();
    *assignment->mutable_value() = value.expression();
  }
  return {writer_.source_, std::move(command)};
}

MergeIntoWriter DataFrame::merge_into(const std::string& table, const Column& condition) const {
  return {*this, table, condition};
}

}  // namespace millstream::api
