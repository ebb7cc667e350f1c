#include "session/column_rules.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "delta/identity.h"
#include "plan/analyzer.h"
#include "plan/text.h"
#include "session/store_assignment.h"
#include "session/variables.h"
#include "spark/connect/relations.pb.h"

namespace millstream::session {

namespace {

namespace proto = spark::connect;
using Json = nlohmann::json;

constexpr const char* default_key = "CURRENT_DEFAULT";
constexpr const char* generation_key = "delta.generationExpression";

std::string member_text(const column::Field& field, const char* key) {
  if (field.metadata.find(key) == std::string::npos) return {};
  const Json json = Json::parse(field.metadata, nullptr, false);
  if (!json.is_object() || !json.contains(key) || !json[key].is_string()) return {};
  return json[key].get<std::string>();
}

std::string json_text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

proto::Expression call(const char* name, std::vector<proto::Expression> arguments) {
  proto::Expression out;
  out.mutable_unresolved_function()->set_function_name(name);
  for (auto& one : arguments) {
    *out.mutable_unresolved_function()->add_arguments() = std::move(one);
  }
  return out;
}

proto::Expression text_of(const std::string& value) {
  proto::Expression out;
  out.mutable_literal()->set_string(value);
  return out;
}

proto::Expression column_of(const std::string& name) {
  proto::Expression out;
  out.mutable_unresolved_attribute()->set_unparsed_identifier(quote_identifier(name));
  return out;
}

proto::Expression cast_to(proto::Expression value, const column::TypePtr& type) {
  proto::Expression out;
  *out.mutable_cast()->mutable_expr() = std::move(value);
  plan::type_to_proto(type, out.mutable_cast()->mutable_type());
  out.mutable_cast()->set_eval_mode(proto::Expression_Cast::EVAL_MODE_ANSI);
  return out;
}

// The expression of a generated column, as the column's type.
proto::Expression generated_value(const column::Field& field) {
  proto::Expression out;
  out.mutable_expression_string()->set_expression(generation_of(field));
  return cast_to(std::move(out), field.type);
}

}  // namespace

std::string default_of(const column::Field& field) { return member_text(field, default_key); }

std::string generation_of(const column::Field& field) { return member_text(field, generation_key); }

bool has_defaults(const column::Schema& schema) {
  return std::any_of(schema.begin(), schema.end(),
                     [](const auto& field) { return !default_of(field).empty(); });
}

bool has_rules(const column::Schema& schema) {
  return std::any_of(schema.begin(), schema.end(), [](const auto& field) {
    return !default_of(field).empty() || !generation_of(field).empty();
  });
}

std::string with_member(const std::string& metadata, const char* key,
                        const std::optional<std::string>& text) {
  Json json = Json::parse(metadata, nullptr, false);
  if (!json.is_object()) json = Json::object();
  if (text) {
    json[key] = *text;
  } else {
    json.erase(key);
  }
  return json.empty() ? std::string() : json_text(json);
}

// It stands for itself: constant, without subqueries, of a type that the column takes.
Status check_default(Session& session, const std::string& statement, const column::Field& field,
                     const std::string& text, const ActionContext& context) {
  const std::string name = quote_identifier(field.name);
  proto::Relation relation;
  relation.mutable_project()->add_expressions()->mutable_expression_string()->set_expression(text);
  const auto analyzed = session.analyze(relation);
  if (!analyzed.ok()) {
    const bool unresolved = analyzed.status().condition().starts_with("UNRESOLVED_");
    if (!unresolved) return analyzed.status();
    return Status::error("INVALID_DEFAULT_VALUE.NOT_CONSTANT",
                         {{"statement", statement}, {"colName", name}, {"defaultValue", text}});
  }
  const auto& project = plan::as<plan::Project>(**analyzed);
  const plan::ExprPtr& value = project.exprs[0];
  if (plan::contains(*value, plan::ExprKind::subquery)) {
    return Status::error("INVALID_DEFAULT_VALUE.SUBQUERY_EXPRESSION",
                         {{"statement", statement}, {"colName", name}, {"defaultValue", text}});
  }
  if (!plan::is_deterministic(*value)) {
    return Status::error("INVALID_DEFAULT_VALUE.NON_DETERMINISTIC",
                         {{"statement", statement}, {"colName", name}, {"defaultValue", text}});
  }
  const auto computed = value_of_text(session, text, field.type, context);
  if (computed.ok()) return Status::OK();
  return Status::error("INVALID_DEFAULT_VALUE.DATA_TYPE",
                       {{"statement", statement},
                        {"colName", name},
                        {"defaultValue", text},
                        {"expectedType", "\"" + field.type->sql() + "\""},
                        {"actualType", "\"" + value->type->sql() + "\""}});
}

namespace {

Status refused_generation(const column::Field& field, const sql::CreateTable& create,
                          const std::string& reason) {
  (void)create;
  return Status::error(
      "UNSUPPORTED_EXPRESSION_GENERATED_COLUMN",
      {{"fieldName", field.name}, {"expressionStr", generation_of(field)}, {"reason", reason}});
}

// The table's columns, NULL, as a row for expressions to be tried on.
proto::Relation trial_row(const column::Schema& schema, bool generated_too) {
  proto::Relation out;
  for (const auto& field : schema) {
    if (!generated_too && !generation_of(field).empty()) continue;
    auto* alias = out.mutable_project()->add_expressions()->mutable_alias();
    alias->add_name(field.name);
    proto::Expression null;
    null.mutable_literal()->mutable_null()->mutable_null();
    *alias->mutable_expr() = cast_to(std::move(null), field.type);
  }
  return out;
}

// What an expression that names no plain column names: itself, another generated one, or nothing.
Status unresolved_generation(const Status& error, const sql::CreateTable& create,
                             const column::Schema& schema, const column::Field& field) {
  const auto object = error.info().parameters.find("objectName");
  if (object == error.info().parameters.end()) return error;
  for (const auto& other : schema) {
    if (generation_of(other).empty()) continue;
    if (!equals_ignore_case(object->second, quote_identifier(other.name))) continue;
    return refused_generation(
        field, create,
        equals_ignore_case(other.name, field.name)
            ? "generation expression cannot reference itself"
            : "generation expression cannot reference another generated column");
  }
  return error;
}

Status check_generation(Session& session, const sql::CreateTable& create,
                        const column::Schema& schema, const column::Field& field) {
  proto::Relation relation;
  *relation.mutable_project()->mutable_input() = trial_row(schema, false);
  relation.mutable_project()->add_expressions()->mutable_expression_string()->set_expression(
      generation_of(field));
  const auto analyzed = session.analyze(relation);
  if (!analyzed.ok()) return unresolved_generation(analyzed.status(), create, schema, field);
  if ((*analyzed)->kind != plan::NodeKind::project) {
    return refused_generation(field, create, "generation expression is not supported");
  }
  const plan::ExprPtr& value = plan::as<plan::Project>(**analyzed).exprs[0];
  if (plan::contains(*value, plan::ExprKind::subquery)) {
    return refused_generation(field, create,
                              "subquery expressions are not allowed for generated columns");
  }
  if (!plan::is_deterministic(*value)) {
    return refused_generation(field, create, "generation expression is not deterministic");
  }
  if (column::same_type_ignoring_nullability(value->type, field.type)) return Status::OK();
  if (can_store(StoreAssignment::strict, value->type, field.type)) {
    return Status::error("DELTA_GENERATED_COLUMNS_EXPR_TYPE_MISMATCH",
                         {{"columnName", field.name},
                          {"expressionType", value->type->sql()},
                          {"columnType", field.type->sql()}});
  }
  return refused_generation(field, create,
                            "generation expression data type " + value->type->simple_string() +
                                " is incompatible with column data type " +
                                field.type->simple_string());
}

Status put_identity(const sql::CreateTable& create, const sql::ColumnClause& clause,
                    column::Field* field) {
  if (field->type->kind() != column::TypeKind::long_) {
    return Status::error("IDENTITY_COLUMNS_UNSUPPORTED_DATA_TYPE",
                         {{"dataType", field->type->simple_string()}});
  }
  if (clause.step == 0) return Status::error("IDENTITY_COLUMNS_ILLEGAL_STEP");
  const bool partitions = std::ranges::any_of(
      create.partition_by, [&](const auto& name) { return equals_ignore_case(name, field->name); });
  if (partitions) {
    return Status::error("DELTA_IDENTITY_COLUMNS_PARTITION_NOT_SUPPORTED",
                         {{"colName", field->name}});
  }
  Json json = Json::parse(field->metadata, nullptr, false);
  if (!json.is_object()) json = Json::object();
  json["delta.identity.start"] = clause.start;
  json["delta.identity.step"] = clause.step;
  json["delta.identity.allowExplicitInsert"] = !clause.identity_always;
  field->metadata = json_text(json);
  return Status::OK();
}

}  // namespace

Status put_clauses(Session& session, const sql::CreateTable& create, column::Schema* schema,
                   const ActionContext& context) {
  const char* statement = create.replace ? "REPLACE TABLE" : "CREATE TABLE";
  for (const auto& clause : create.clauses) {
    const int index = column::find_field_ignore_case(*schema, clause.column);
    CHECK(index >= 0);
    column::Field& field = (*schema)[static_cast<std::size_t>(index)];
    if (!clause.default_text.empty() && (!clause.generation.empty() || clause.identity)) {
      return Status::error("GENERATED_COLUMN_WITH_DEFAULT_VALUE",
                           {{"colName", field.name},
                            {"defaultValue", clause.default_text},
                            {"genExpr", clause.generation}});
    }
    if (!clause.default_text.empty()) {
      TRY(check_default(session, statement, field, clause.default_text, context));
      field.metadata = with_member(field.metadata, default_key, clause.default_text);
    }
    if (!clause.generation.empty()) {
      field.metadata = with_member(field.metadata, generation_key, clause.generation);
    }
    if (clause.identity) TRY(put_identity(create, clause, &field));
  }
  for (const auto& field : *schema) {
    if (!generation_of(field).empty()) TRY(check_generation(session, create, *schema, field));
  }
  return Status::OK();
}

namespace {

bool is_default(const proto::Expression& expression) {
  const auto& name = expression.unresolved_attribute().unparsed_identifier();
  return expression.has_unresolved_attribute() && equals_ignore_case(name, "`DEFAULT`");
}

// DEFAULT inside of something else.
bool has_default(const proto::Expression& expression) {
  if (is_default(expression)) return true;
  if (expression.has_alias()) return has_default(expression.alias().expr());
  if (expression.has_cast()) return has_default(expression.cast().expr());
  const auto& arguments = expression.unresolved_function().arguments();
  return std::any_of(arguments.begin(), arguments.end(),
                     [](const auto& one) { return has_default(one); });
}

}  // namespace

proto::Expression default_value(const column::Field& field) {
  proto::Expression value;
  const std::string text = default_of(field);
  if (text.empty()) {
    value.mutable_literal()->mutable_null()->mutable_null();
  } else {
    value.mutable_expression_string()->set_expression(text);
  }
  return cast_to(std::move(value), field.type);
}

Result<bool> stands_for_default(const proto::Expression& value) {
  if (is_default(value)) return true;
  if (has_default(value)) return Status::error("DEFAULT_PLACEMENT_INVALID");
  return false;
}

namespace {

class Defaults {
 public:
  Defaults(const std::vector<std::string>& names, const column::Schema& table)
      : names_(names), table_(table) {}

  Status put(proto::Relation& query) {
    if (query.has_with_relations()) return put(*query.mutable_with_relations()->mutable_root());
    if (query.has_project()) return list(*query.mutable_project()->mutable_expressions());
    auto* rows = query.has_unresolved_table_valued_function()
                     ? query.mutable_unresolved_table_valued_function()
                     : nullptr;
    if (rows == nullptr || rows->function_name() != "ms_values") return Status::OK();
    for (auto& row : *rows->mutable_arguments()) {
      TRY(list(*row.mutable_unresolved_function()->mutable_arguments()));
    }
    return Status::OK();
  }

 private:
  using Expressions = google::protobuf::RepeatedPtrField<proto::Expression>;

  Status list(Expressions& values) {
    for (int i = 0; i < values.size(); ++i) {
      proto::Expression* value = values.Mutable(i);
      TRY_ASSIGN(const bool by_default, stands_for_default(*value));
      if (by_default) *value = value_at(static_cast<std::size_t>(i));
    }
    return Status::OK();
  }

  proto::Expression value_at(std::size_t i) const {
    const int index = i < names_.size() ? column::find_field_ignore_case(table_, names_[i]) : -1;
    if (index >= 0) return default_value(table_[static_cast<std::size_t>(index)]);
    proto::Expression null;
    null.mutable_literal()->mutable_null()->mutable_null();
    return null;
  }

  const std::vector<std::string>& names_;
  const column::Schema& table_;
};

}  // namespace

Status put_defaults(proto::Relation* query, const std::vector<std::string>& names,
                    const column::Schema& table) {
  return Defaults(names, table).put(*query);
}

namespace {

// An expression as messages show it: "(a + 1)".
std::string shown_text(Session& session, const std::string& text, const column::Schema& table) {
  proto::Relation relation;
  *relation.mutable_project()->mutable_input() = trial_row(table, true);
  relation.mutable_project()->add_expressions()->mutable_expression_string()->set_expression(text);
  const auto analyzed = session.analyze(relation);
  return analyzed.ok() ? plan::schema_of(**analyzed)[0].name : "(" + text + ")";
}

// " - a : 1\n - b : x"
proto::Expression shown_row(const column::Schema& table) {
  std::vector<proto::Expression> parts;
  for (std::size_t i = 0; i < table.size(); ++i) {
    parts.push_back(text_of((i == 0 ? " - " : "\n - ") + table[i].name + " : "));
    proto::Expression text = cast_to(column_of(table[i].name), column::string_type());
    parts.push_back(call("coalesce", {std::move(text), text_of("null")}));
  }
  return call("concat", std::move(parts));
}

// The columns of `rows` and the default ones that it has not, in the table's order.
Result<plan::NodePtr> with_defaults(Session& session, const plan::NodePtr& rows,
                                    const column::Schema& table, const ActionContext& context) {
  auto out = std::make_shared<plan::Project>();
  const auto put = [&](plan::ExprPtr value, plan::Attribute column) {
    out->exprs.push_back(std::move(value));
    out->output.push_back(std::move(column));
  };
  for (const auto& field : table) {
    const auto given =
        std::find_if(rows->output.begin(), rows->output.end(), [&](const auto& column) {
          return !column.hidden && equals_ignore_case(column.name, field.name);
        });
    const std::string text = default_of(field);
    if (given != rows->output.end()) {
      put(plan::make_attribute(*given), *given);
    } else if (!text.empty()) {
      TRY_ASSIGN(const auto value, value_of_text(session, text, field.type, context));
      plan::Attribute column;
      column.id = plan::next_attribute_id();
      column.name = field.name;
      column.type = field.type;
      put(plan::make_alias(value, field.name, column.id), column);
    }
  }
  // What the table has not: the write refuses or adds it.
  for (const auto& column : rows->output) {
    const bool known = column::find_field_ignore_case(table, column.name) >= 0;
    if (!column.hidden && !known) put(plan::make_attribute(column), column);
  }
  out->children.push_back(rows);
  return plan::NodePtr(out);
}

}  // namespace

namespace {

proto::Expression named(const std::string& name, proto::Expression value) {
  proto::Expression out;
  out.mutable_alias()->add_name(name);
  *out.mutable_alias()->mutable_expr() = std::move(value);
  return out;
}

proto::Expression null_of(const column::TypePtr& type) {
  proto::Expression null;
  null.mutable_literal()->mutable_null()->mutable_null();
  return cast_to(std::move(null), type);
}

// `value` where `holds` is true; else the row breaks the rule.
proto::Expression checked(proto::Expression holds, proto::Expression value, const std::string& name,
                          const std::string& text, const column::Schema& shown) {
  proto::Expression raised = call("ms_violated", {text_of(name), text_of(text), shown_row(shown)});
  proto::Expression known;
  known.mutable_literal()->set_boolean(false);
  return call("when", {call("coalesce", {std::move(holds), std::move(known)}), std::move(value),
                       std::move(raised)});
}

}  // namespace

proto::Expression value_by_rule(Session& session, const column::Schema& table,
                                const column::Field& field, bool given,
                                const column::Schema& shown) {
  proto::Expression value = generated_value(field);
  if (!given) return value;
  return checked(
      call("<=>", {column_of(field.name), std::move(value)}), column_of(field.name),
      "Generated Column",
      "(" + field.name + " <=> " + shown_text(session, generation_of(field), table) + ")", shown);
}

namespace {

// The generated columns: computed, or held against their expressions. `given`: what `input` has.
proto::Relation with_generated(Session& session, const column::Schema& table,
                               const column::Schema& given, proto::Relation input) {
  proto::Relation all;  // columns that nothing gives are NULL for the expressions
  proto::Relation out;
  const auto is_given = [&](const std::string& name) {
    return column::find_field_ignore_case(given, name) >= 0;
  };
  column::Schema shown;
  // Numbers are given where the rows are written.
  const auto is_numbered = [&](const column::Field& field) {
    return delta::is_identity(field) && !is_given(field.name);
  };
  for (const auto& field : table) {
    if (is_numbered(field)) continue;
    const bool generated = !generation_of(field).empty();
    if (is_given(field.name)) {
      *all.mutable_project()->add_expressions() = column_of(field.name);
    } else if (!generated) {
      *all.mutable_project()->add_expressions() = named(field.name, null_of(field.type));
    }
    if (is_given(field.name) || !generated) shown.push_back(field);
  }
  for (const auto& field : table) {
    if (is_numbered(field)) continue;
    proto::Expression value =
        generation_of(field).empty()
            ? column_of(field.name)
            : value_by_rule(session, table, field, is_given(field.name), shown);
    *out.mutable_project()->add_expressions() = named(field.name, std::move(value));
  }
  // What the table has not: the write refuses or adds it.
  for (const auto& field : given) {
    if (column::find_field_ignore_case(table, field.name) >= 0) continue;
    *all.mutable_project()->add_expressions() = column_of(field.name);
    *out.mutable_project()->add_expressions() = column_of(field.name);
  }
  *all.mutable_project()->mutable_input() = std::move(input);
  *out.mutable_project()->mutable_input() = std::move(all);
  return out;
}

// `make` of the rows as a relation, analysed.
template <typename F>
Result<plan::NodePtr> over(Session& session, const plan::NodePtr& rows, F make) {
  proto::Relation input;
  const std::string kept = session.keep_relation(rows);
  input.mutable_cached_remote_relation()->set_relation_id(kept);
  auto out = session.analyze(make(plan::schema_of(*rows), std::move(input)));
  session.forget_relation(kept);
  return out;
}

}  // namespace

Result<plan::NodePtr> complete_rows(Session& session, const plan::NodePtr& rows,
                                    const column::Schema& table, const ActionContext& context) {
  plan::NodePtr node = rows;
  if (has_rules(table)) {
    TRY_ASSIGN(node, with_defaults(session, rows, table, context));
  }
  const bool generated = std::any_of(
      table.begin(), table.end(), [](const auto& field) { return !generation_of(field).empty(); });
  if (generated) {
    TRY_ASSIGN(node, over(session, node, [&](const column::Schema& given, proto::Relation input) {
                 return with_generated(session, table, given, std::move(input));
               }));
  }
  return node;
}

}  // namespace millstream::session
