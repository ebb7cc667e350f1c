#include "session/merge_clauses.h"

#include <arrow/scalar.h>

#include <algorithm>

#include "base/text.h"
#include "delta/column_mapping.h"
#include "delta/identity.h"
#include "delta/type_changes.h"
#include "plan/literal.h"
#include "plan/text.h"
#include "plan/tree.h"
#include "session/assignments.h"
#include "session/row_rules.h"
#include "session/store_assignment.h"
#include "sql/parser.h"

namespace millstream::session {
namespace {

const std::string search_condition = "search condition";

bool is_false(const plan::Expr& condition) {
  if (condition.kind != plan::ExprKind::literal) return false;
  return !condition.value->is_valid ||
         (condition.type->kind() == column::TypeKind::boolean &&
          !static_cast<const arrow::BooleanScalar&>(*condition.value).value);
}

class MergeResolver {
 public:
  MergeResolver(const sql::Merge& merge, TableChange& target, const plan::NodePtr& source)
      : merge_(merge), target_(target), source_(source), rules_(target) {
    for (const auto& attribute : source->output) {
      if (!attribute.hidden) source_columns_.push_back(attribute);
    }
    const auto& conf = target.session().conf();
    evolve_ = merge.evolve_schema || conf.flag("spark.databricks.delta.schema.autoMerge.enabled");
  }

  Result<ResolvedMerge> run() {
    TRY_ASSIGN(out_.on, condition(*merge_.on, {target_.rows(), source_}, search_condition));
    TRY(evolve_schema());
    for (const auto& clause : merge_.clauses) {
      TRY_ASSIGN(auto resolved, resolve(clause));
      if (resolved.condition != nullptr && is_false(*resolved.condition)) continue;
      out_.clauses.push_back(std::move(resolved));
    }
    return std::move(out_);
  }

 private:
  using Inputs = std::vector<plan::NodePtr>;

  Inputs inputs_of(MergeKind kind) const {
    switch (kind) {
      case MergeKind::matched:
        return {target_.rows(), source_};
      case MergeKind::not_matched:
        return {source_};
      case MergeKind::not_matched_by_source:
        break;
    }
    return {target_.rows()};
  }

  // `place`: "UPDATE condition", as the reference says it.
  Result<plan::ExprPtr> condition(const spark::connect::Expression& proto, const Inputs& inputs,
                                  const std::string& place) {
    auto value = target_.expressions().value(inputs, proto);
    if (!value.ok()) return unresolved(value.status(), place, inputs);
    TRY(check(**value, place, "condition"));
    if (!plan::is_deterministic(**value)) {
      return Status::error("DELTA_NON_DETERMINISTIC_FUNCTION_NOT_SUPPORTED",
                           {{"operation", place + " of MERGE operation"},
                            {"expression", fmt::format("(condition = {}).", (*value)->pretty)}});
    }
    const auto kind = (*value)->type->kind();
    if (kind != column::TypeKind::boolean && kind != column::TypeKind::null)
      return not_boolean(**value, place);
    return target_.expressions().condition(inputs, proto);
  }

  static Status not_boolean(const plan::Expr& expr, const std::string& place) {
    if (place == search_condition) {
      return Status::error("JOIN_CONDITION_IS_NOT_BOOLEAN_TYPE",
                           {{"joinCondition", plan::sql_expr(expr.pretty)},
                            {"conditionType", plan::sql_type(expr.type)}});
    }
    return Status::error(
        "CANNOT_UP_CAST_DATATYPE",
        {{"expression", "input"},
         {"sourceType", plan::sql_type(expr.type)},
         {"targetType", "\"BOOLEAN\""},
         {"details",
          "The type path of the target object is:\n- root class: \"boolean\"\nYou can either add "
          "an "
          "explicit cast to the input data or choose a higher precision type of the field in the "
          "target object"}});
  }

  // What no expression of a MERGE may hold.
  static Status check(const plan::Expr& expr, const std::string& place, const std::string& what) {
    if (plan::contains(expr, plan::ExprKind::subquery)) {
      return Status::error("DELTA_UNSUPPORTED_SUBQUERY",
                           {{"operation", place + " of MERGE operation"}, {"cond", expr.pretty}});
    }
    if (plan::contains(expr, plan::ExprKind::aggregate)) {
      return Status::error("DELTA_AGGREGATION_NOT_SUPPORTED",
                           {{"operation", place + " of MERGE operation"},
                            {"predicate", fmt::format("({} = {})", what, expr.pretty)}});
    }
    return check_row_expression(expr);
  }

  // An unknown column as the reference says it; other errors as they are.
  static Status unresolved(const Status& status, const std::string& place, const Inputs& inputs) {
    const std::string& condition = status.condition();
    const auto name = status.info().parameters.find("objectName");
    if (!condition.starts_with("UNRESOLVED_COLUMN") || name == status.info().parameters.end())
      return status;
    const auto parts = sql::parse_identifier(name->second);
    return unresolved(parts.ok() ? *parts : std::vector<std::string>{name->second}, place, inputs);
  }

  // The source's column of that name; null: there is none.
  const plan::Attribute* source_column(const std::string& name) const {
    for (const auto& column : source_columns_) {
      if (equals_ignore_case(column.name, name)) return &column;
    }
    return nullptr;
  }

  bool is_star(const sql::MergeClause& clause) const {
    return clause.action == MergeAction::update_all || clause.action == MergeAction::insert_all;
  }

  // Whether the clause puts the source's column into a column of the same name.
  bool takes(const sql::MergeClause& clause, const plan::Attribute& column) const {
    if (is_star(clause)) return true;
    return std::any_of(clause.values.begin(), clause.values.end(), [&](const auto& value) {
      const auto path =
          without_qualifier(value.first, target_.rows()->output[0].qualifier, target_.schema());
      return equals_ignore_case(path.back(), column.name) &&
             (path.size() == 1 || column::find_field_ignore_case(target_.schema(), path[0]) < 0);
    });
  }

  // With evolution: what the clauses take of the source becomes part of the table.
  Status evolve_schema() {
    out_.schema = target_.schema();
    if (!evolve_) return Status::OK();
    column::Schema data = target_.snapshot().schema();
    for (const auto& column : source_columns_) {
      const bool taken =
          std::any_of(merge_.clauses.begin(), merge_.clauses.end(), [&](const auto& clause) {
            return clause.kind != MergeKind::not_matched_by_source && takes(clause, column);
          });
      if (!taken) continue;
      const int known = column::find_field_ignore_case(data, column.name);
      if (known < 0) {
        data.push_back({column.name, column.type, true, ""});
        continue;
      }
      auto& type = data[static_cast<std::size_t>(known)].type;
      const bool widens = target_.snapshot().info().flag("delta.enableTypeWidening", false) &&
                          delta::is_widening(*type, *column.type);
      if (column.type->is_nested() || widens) type = column.type;
    }
    TRY_ASSIGN(target_.plan, target_.plan_for(data));
    out_.schema = delta::without_delta_notes(target_.plan.info->schema);
    return Status::OK();
  }

  Result<ResolvedClause> resolve(const sql::MergeClause& clause) {
    ResolvedClause out{clause.kind, clause.action, nullptr, {}};
    if (clause.condition != nullptr) {
      TRY_ASSIGN(out.condition, condition(*clause.condition, inputs_of(clause.kind),
                                          verb_of(clause.action) + " condition"));
    }
    switch (clause.action) {
      case MergeAction::remove:
        return out;
      case MergeAction::update:
      case MergeAction::update_all: {
        TRY_ASSIGN(out.values, values(clause, current_values()));
        return out;
      }
      case MergeAction::insert:
      case MergeAction::insert_all: {
        TRY_ASSIGN(auto missing, no_values());
        TRY_ASSIGN(out.values, values(clause, std::move(missing)));
        return out;
      }
    }
    return out;
  }

  // Of a new row, where the clause gives none.
  Result<std::vector<plan::ExprPtr>> no_values() {
    std::vector<plan::ExprPtr> out;
    for (const auto& field : out_.schema) {
      if (out.size() < target_.schema().size()) {
        TRY_ASSIGN(out.emplace_back(), rules_.missing(out.size()));
      } else {
        out.push_back(plan::null_literal(field.type));
      }
    }
    return out;
  }

  // Of the target's row; columns and members that are new are NULL.
  std::vector<plan::ExprPtr> current_values() {
    std::vector<plan::ExprPtr> out = target_.columns();
    for (std::size_t i = out.size(); i < out_.schema.size(); ++i)
      out.push_back(plan::null_literal(out_.schema[i].type));
    return out;
  }

  Result<std::vector<plan::ExprPtr>> values(const sql::MergeClause& clause,
                                            std::vector<plan::ExprPtr> current) {
    // A struct that has got more members since.
    for (std::size_t i = 0; i < current.size(); ++i) {
      TRY_ASSIGN(current[i], target_.expressions().stored(current[i], out_.schema[i]));
    }
    std::vector<Assignment> assignments;
    if (is_star(clause)) {
      TRY_ASSIGN(assignments, star(clause));
    } else {
      TRY_ASSIGN(assignments, listed(clause));
    }
    std::vector<std::string> given;
    for (const auto& assignment : assignments) given.push_back(assignment.path[0]);
    TRY_ASSIGN(auto out,
               assigned(target_.expressions(), out_.schema, current, assignments, evolve_));
    TRY(rules_.generate(given, out));
    for (auto& value : out) value = placed_in(merge_.text, value);
    return out;
  }

  // UPDATE SET *, INSERT *: every column of the table; with evolution those that the source has.
  Result<std::vector<Assignment>> star(const sql::MergeClause& clause) {
    std::vector<Assignment> out;
    for (const auto& field : out_.schema) {
      const auto* column = source_column(field.name);
      const bool insert = clause.action == MergeAction::insert_all;
      if (column != nullptr) TRY(check_not_numbered({field.name}, insert));
      if (column != nullptr) {
        const auto value = plan::make_attribute(*column);
        if (evolve_ && clause.action == MergeAction::update_all) {
          add_members({field.name}, value, field.type, out);
        } else {
          out.push_back({{field.name}, value});
        }
        continue;
      }
      if (evolve_) continue;
      return unresolved({field.name}, verb_of(clause.action) + " clause", {source_});
    }
    return out;
  }

  // Whether the source's struct has all members of the target's.
  static bool covers(const column::DataType& source, const column::DataType& target) {
    if (source.kind() != target.kind() || target.kind() != column::TypeKind::struct_) return true;
    return std::ranges::all_of(target.fields(), [&](const auto& field) {
      const int at = column::find_field_ignore_case(source.fields(), field.name);
      return at >= 0 && covers(*source.fields()[static_cast<std::size_t>(at)].type, *field.type);
    });
  }

  // With evolution members that only the target has stay as they are.
  static void add_members(std::vector<std::string> path, const plan::ExprPtr& value,
                          const column::TypePtr& target, std::vector<Assignment>& out) {
    if (covers(*value->type, *target)) {
      out.push_back({std::move(path), value});
      return;
    }
    const auto& members = value->type->fields();
    for (std::size_t i = 0; i < members.size(); ++i) {
      const int at = column::find_field_ignore_case(target->fields(), members[i].name);
      if (at < 0) continue;
      const auto& field = target->fields()[static_cast<std::size_t>(at)];
      auto inner = path;
      inner.push_back(field.name);
      add_members(std::move(inner), plan::member_of(value, i), field.type, out);
    }
  }

  // What of an identity column a clause must not give.
  Status check_not_numbered(const std::vector<std::string>& path, bool insert) const {
    const auto& schema = target_.snapshot().schema();
    const int index = column::find_field_ignore_case(schema, path[0]);
    if (index < 0 || !delta::is_identity(schema[static_cast<std::size_t>(index)])) {
      return Status::OK();
    }
    const auto& field = schema[static_cast<std::size_t>(index)];
    if (!insert) {
      return Status::error("DELTA_IDENTITY_COLUMNS_UPDATE_NOT_SUPPORTED",
                           {{"colName", field.name}});
    }
    if (delta::takes_explicit_numbers(field)) {
      return Status::unsupported(
          "a MERGE that gives values for the identity column {} is not supported by Millstream yet",
          field.name);
    }
    return Status::error("DELTA_IDENTITY_COLUMNS_EXPLICIT_INSERT_NOT_SUPPORTED",
                         {{"colName", field.name}});
  }

  Result<std::vector<Assignment>> listed(const sql::MergeClause& clause) {
    const bool insert = clause.action == MergeAction::insert;
    const std::string place = verb_of(clause.action) + " clause";
    const auto& qualifier = target_.rows()->output[0].qualifier;
    std::vector<Assignment> out;
    for (const auto& [name, value] : clause.values) {
      const auto path = without_qualifier(name, qualifier, out_.schema);
      if (column::find_field_ignore_case(out_.schema, path[0]) < 0) {
        return unresolved(path, place, {target_.rows()});
      }
      if (insert && path.size() > 1) {
        return Status::error(
            "DELTA_UNSUPPORTED_NESTED_FIELD_IN_OPERATION",
            {{"operation", "INSERT clause of MERGE operation"}, {"fieldName", plan::sql_id(path)}});
      }
      for (const auto& other : out) {
        if (insert && equals_ignore_case(other.path[0], path[0]))
          return Status::error("DELTA_DUPLICATE_COLUMNS_ON_INSERT");
      }
      TRY(check_not_numbered(path, insert));
      const auto inputs = inputs_of(clause.kind);
      const auto resolved = target_.expressions().value(inputs, *value);
      if (!resolved.ok()) return unresolved(resolved.status(), place, inputs);
      TRY(check(**resolved, place, "value"));
      out.push_back({path, *resolved});
    }
    return out;
  }

  static Status unresolved(const std::vector<std::string>& path, const std::string& place,
                           const Inputs& inputs) {
    std::vector<std::string> columns;
    for (const auto& input : inputs) {
      for (const auto& attribute : input->output) {
        if (attribute.hidden) continue;
        std::vector<std::string> name = attribute.qualifier;
        name.push_back(attribute.name);
        columns.push_back(join(name, "."));
      }
    }
    return Status::error(
        "DELTA_MERGE_UNRESOLVED_EXPRESSION",
        {{"sqlExpr", join(path, ".")}, {"clause", place}, {"cols", join(columns, ", ")}});
  }

  static std::string verb_of(MergeAction action) {
    if (action == MergeAction::remove) return "DELETE";
    const bool insert = action == MergeAction::insert || action == MergeAction::insert_all;
    return insert ? "INSERT" : "UPDATE";
  }

  const sql::Merge& merge_;
  TableChange& target_;
  const plan::NodePtr& source_;
  RowRules rules_;
  std::vector<plan::Attribute> source_columns_;
  bool evolve_ = false;
  ResolvedMerge out_;
};

}  // namespace

std::vector<const ResolvedClause*> ResolvedMerge::of(MergeKind kind) const {
  std::vector<const ResolvedClause*> out;
  for (const auto& clause : clauses) {
    if (clause.kind == kind) out.push_back(&clause);
  }
  return out;
}

bool ResolvedMerge::allows_several_matches() const {
  const auto matched = of(MergeKind::matched);
  if (matched.empty()) return true;
  return matched.size() == 1 && matched[0]->removes() && matched[0]->condition == nullptr;
}

Result<ResolvedMerge> resolve_merge(const sql::Merge& merge, TableChange& target,
                                    const plan::NodePtr& source) {
  return MergeResolver(merge, target, source).run();
}

}  // namespace millstream::session
