#include "session/row_rules.h"

#include <algorithm>

#include "base/text.h"
#include "delta/identity.h"
#include "plan/tree.h"
#include "session/column_rules.h"
#include "spark/connect/expressions.pb.h"

namespace millstream::session {
namespace {

bool is_generated(const column::Field& field) { return !generation_of(field).empty(); }

}  // namespace

Result<plan::ExprPtr> RowRules::value(const std::vector<plan::NodePtr>& inputs,
                                      const std::vector<std::string>& path,
                                      const spark::connect::Expression& given) {
  const int assigned = path.empty() ? -1 : column::find_field_ignore_case(rules_, path[0]);
  if (assigned >= 0 && delta::is_identity(rules_[static_cast<std::size_t>(assigned)])) {
    return Status::error("DELTA_IDENTITY_COLUMNS_UPDATE_NOT_SUPPORTED",
                         {{"colName", rules_[static_cast<std::size_t>(assigned)].name}});
  }
  const bool is_name = column::find_field_ignore_case(rules_, "default") >= 0;
  // Members have no defaults of their own.
  const int index = path.size() == 1 ? column::find_field_ignore_case(rules_, path[0]) : -1;
  if (is_name || index < 0) return table_.expressions().value(inputs, given);
  TRY_ASSIGN(const bool by_default, stands_for_default(given));
  if (!by_default) return table_.expressions().value(inputs, given);
  const auto& field = rules_[static_cast<std::size_t>(index)];
  if (!field.nullable && default_of(field).empty()) {
    return Status::error("NO_DEFAULT_COLUMN_VALUE_AVAILABLE",
                         {{"colName", quote_identifier(field.name)}});
  }
  return missing(static_cast<std::size_t>(index));
}

Result<plan::ExprPtr> RowRules::missing(std::size_t index) {
  return table_.expressions().value({}, default_value(rules_[index]));
}

Status RowRules::generate(const std::vector<std::string>& given,
                          std::vector<plan::ExprPtr>& values) {
  if (std::none_of(rules_.begin(), rules_.end(), is_generated)) return Status::OK();
  const auto& columns = table_.rows()->output;
  // An expression over the table's columns, over the values that they get instead.
  const std::vector<plan::ExprPtr> row = values;
  const auto over_row = [&](const plan::ExprPtr& expr) -> plan::ExprPtr {
    if (expr->kind != plan::ExprKind::attribute) return expr;
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      if (columns[i].id == expr->id) return row[i];
    }
    return expr;
  };
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    if (!is_generated(rules_[i])) continue;
    const bool is_given = std::any_of(given.begin(), given.end(), [&](const auto& name) {
      return equals_ignore_case(name, rules_[i].name);
    });
    const auto rule = value_by_rule(table_.session(), rules_, rules_[i], is_given, rules_);
    TRY_ASSIGN(const auto value, table_.expressions().value({table_.rows()}, rule));
    values[i] = plan::transform(value, over_row);
  }
  return Status::OK();
}

}  // namespace millstream::session
