#include "session/session_texts.h"

#include <arrow/scalar.h>

#include "plan/subquery.h"
#include "plan/tree.h"
#include "session/variables.h"
#include "spark/connect/relations.pb.h"

namespace millstream::session {
namespace {

Status no_name(const char* why, const std::string& expr, ErrorParameters more = {}) {
  more.emplace("name", "IDENTIFIER");
  more.emplace("expr", expr);
  return Status::error(std::string("NOT_A_CONSTANT_STRING.") + why, std::move(more));
}

Result<std::string> value_of(Session& session, const spark::connect::Expression& constant) {
  spark::connect::Relation relation;
  *relation.mutable_project()->add_expressions() = constant;
  const auto node = session.analyze(relation);
  if (!node.ok() && node.status().condition().starts_with("UNRESOLVED_COLUMN"))
    return no_name("NOT_CONSTANT", constant.unresolved_attribute().unparsed_identifier());
  TRY(node.status());
  const plan::Attribute& column = (*node)->output[0];
  bool foldable = (*node)->kind == plan::NodeKind::project && (*node)->children.empty();
  plan::for_each_expression(
      **node, [&](const plan::Expr& e) { foldable = foldable && plan::is_foldable(e); });
  if (!foldable) return no_name("NOT_CONSTANT", column.name);
  if (!column.type->is_string())
    return no_name("WRONG_TYPE", column.name, {{"dataType", column.type->simple_string()}});
  TRY_ASSIGN(const auto row, first_row(session, relation, {column.type}, {}));
  if (row[0]->value == nullptr || !row[0]->value->is_valid) return no_name("NULL", column.name);
  return row[0]->value->ToString();
}

// The settings as they are when a text is read.
sql::FindSetting settings_of(Session& session) {
  if (!session.conf().flag("spark.sql.variable.substitute")) return {};
  return [&session](const std::string& name) { return session.conf().value(name); };
}

}  // namespace

SessionTexts::SessionTexts(Session& session)
    : identifiers_([&session](const spark::connect::Expression& constant) {
        return value_of(session, constant);
      }),
      settings_(settings_of(session)) {}

}  // namespace millstream::session
