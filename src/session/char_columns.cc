#include "session/char_columns.h"

#include <algorithm>

#include "base/text.h"
#include "column/char_varchar.h"
#include "plan/analyzer.h"
#include "plan/row_expressions.h"
#include "session/resolver.h"
#include "session/warehouse.h"
#include "spark/connect/relations.pb.h"

namespace millstream::session {
namespace {

using column::TypeKind;

// What becomes of a text: the calls for CHAR(n) and VARCHAR(n); empty: it stays as it is.
struct Calls {
  const char* of_char;
  const char* of_varchar;
};
constexpr Calls fit{"ms_fit_char", "ms_fit_varchar"};
constexpr Calls fill{"ms_fill_char", ""};

std::string quoted_text(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

// Names of lambda variables differ at each depth.
std::string changed(const std::string& value, const column::TypePtr& declared, const Calls& calls,
                    int depth) {
  if (!column::has_char_or_varchar(declared)) return value;
  const std::string name = fmt::format("e{}", depth);
  const auto inner = [&](const std::string& part, const column::TypePtr& type) {
    return changed(part, type, calls, depth + 1);
  };
  switch (declared->kind()) {
    case TypeKind::char_:
    case TypeKind::varchar: {
      const std::string call =
          declared->kind() == TypeKind::char_ ? calls.of_char : calls.of_varchar;
      return call.empty() ? value : fmt::format("{}({}, {})", call, value, declared->length());
    }
    case TypeKind::array:
      return fmt::format("transform({}, {} -> {})", value, name, inner(name, declared->element()));
    case TypeKind::map: {
      const std::string keys = fmt::format("transform_keys({0}, ({1}, v{2}) -> {3})", value, name,
                                           depth, inner(name, declared->key()));
      return fmt::format("transform_values({0}, (k{1}, {2}) -> {3})", keys, depth, name,
                         inner(name, declared->value()));
    }
    default: {
      std::vector<std::string> members;
      for (const auto& field : declared->fields()) {
        members.push_back(quoted_text(field.name) + ", " +
                          inner(value + "." + quote_identifier(field.name), field.type));
      }
      return fmt::format("CASE WHEN {} IS NULL THEN NULL ELSE named_struct({}) END", value,
                         join(members, ", "));
    }
  }
}

bool has_char(const column::TypePtr& type) {
  if (type->kind() == TypeKind::char_) return true;
  return type->is_nested() && std::any_of(type->fields().begin(), type->fields().end(),
                                          [](const auto& field) { return has_char(field.type); });
}

// The rule of a column as Delta's errors show it, and whether the column keeps it.
struct Rule {
  std::string shown;
  std::string holds;
};

Rule rule_of(const std::string& value, const std::string& shown, const column::TypePtr& declared,
             int depth) {
  const std::string name = fmt::format("e{}", depth);
  const std::string variable = "namedlambdavariable()";
  const auto each = [&](const std::string& values, const std::string& shown_values,
                        const column::TypePtr& type) {
    const Rule inner = rule_of(name, variable, type, depth + 1);
    return Rule{fmt::format("(({0} IS NULL) OR forall({0}, lambdafunction({1}, {2})))",
                            shown_values, inner.shown, variable),
                fmt::format("coalesce(forall({}, {} -> {}), true)", values, name, inner.holds)};
  };
  std::vector<Rule> rules;
  switch (declared->kind()) {
    case TypeKind::char_:
    case TypeKind::varchar:
      return {fmt::format("(({0} IS NULL) OR (length({0}) <= {1}))", shown, declared->length()),
              fmt::format("coalesce(length({}) <= {}, true)", value, declared->length())};
    case TypeKind::array:
      return each(value, shown, declared->element());
    case TypeKind::map:
      for (const bool keys : {true, false}) {
        const auto& type = keys ? declared->key() : declared->value();
        if (!column::has_char_or_varchar(type)) continue;
        const std::string call = keys ? "map_keys(" : "map_values(";
        rules.push_back(each(call + value + ")", call + shown + ")", type));
      }
      break;
    default:
      for (const auto& field : declared->fields()) {
        if (!column::has_char_or_varchar(field.type)) continue;
        const std::string member = "." + quote_identifier(field.name);
        rules.push_back(rule_of(value + member, shown + member, field.type, depth));
      }
  }
  Rule out = rules[0];
  for (std::size_t i = 1; i < rules.size(); ++i) {
    out.shown = "(" + out.shown + " AND " + rules[i].shown + ")";
    out.holds += " AND " + rules[i].holds;
  }
  return out;
}

}  // namespace

std::string checked_text(const std::string& name, const column::TypePtr& declared) {
  const std::string value = quote_identifier(name);
  const Rule rule = rule_of(value, name, declared, 0);
  return fmt::format("CASE WHEN {} THEN {} ELSE ms_exceeded({}, {}) END", rule.holds, value,
                     quoted_text(rule.shown),
                     declared->is_nested() ? "to_json(" + value + ")" : value);
}

Result<plan::NodePtr> with_filled_chars(Session& session, plan::Resolver& resolver,
                                        const plan::NodePtr& rows) {
  const bool any = std::any_of(rows->output.begin(), rows->output.end(), [](const auto& column) {
    const auto declared = column::declared_type(column.metadata);
    return declared != nullptr && has_char(declared);
  });
  if (!any || session.conf().value("spark.sql.readSideCharPadding") == "false") return rows;
  const auto settings = analyzer_settings(session.conf());
  const std::string no_text;
  plan::RowExpressions expressions(resolver, settings, no_text);
  auto project = std::make_shared<plan::Project>();
  for (const plan::Attribute& column : rows->output) {
    plan::Attribute out = column;
    plan::ExprPtr value = plan::make_attribute(column);
    const auto declared = column::declared_type(column.metadata);
    if (declared != nullptr && has_char(declared)) {
      spark::connect::Expression text;
      text.mutable_expression_string()->set_expression(
          changed(quote_identifier(column.name), declared, fill, 0));
      TRY_ASSIGN(value, expressions.value({rows}, text));
      TRY_ASSIGN(value, expressions.stored(value, {column.name, column.type, true, {}}));
      out.id = plan::next_attribute_id();
      value = plan::make_alias(value, column.name, out.id, column.metadata);
    }
    project->exprs.push_back(std::move(value));
    project->output.push_back(std::move(out));
  }
  project->children.push_back(rows);
  return plan::NodePtr(project);
}

Result<plan::NodePtr> with_fitted_chars(Session& session, const plan::NodePtr& rows,
                                        const column::Schema& table) {
  const bool any = std::any_of(table.begin(), table.end(), [](const auto& field) {
    return column::declared_type(field) != nullptr;
  });
  if (!any) return rows;
  spark::connect::Relation relation;
  auto& project = *relation.mutable_project();
  const std::string kept = session.keep_relation(rows);
  project.mutable_input()->mutable_cached_remote_relation()->set_relation_id(kept);
  for (const auto& field : table) {
    auto& alias = *project.add_expressions()->mutable_alias();
    alias.add_name(field.name);
    const std::string name = quote_identifier(field.name);
    const auto declared = column::declared_type(field);
    alias.mutable_expr()->mutable_expression_string()->set_expression(
        declared == nullptr ? name : changed(name, declared, fit, 0));
  }
  auto out = session.analyze(relation);
  session.forget_relation(kept);
  return out;
}

}  // namespace millstream::session
