#include "plan/row_expressions.h"

#include <google/protobuf/stubs/logging.h>

#include "plan/literal.h"
#include "plan/relations.h"
#include "plan/text.h"
#include "plan/tree.h"
#include "spark/connect/expressions.pb.h"

namespace millstream::plan {

using column::TypeKind;
using column::TypePtr;

ExprPtr member_of(const ExprPtr& base, std::size_t ordinal) {
  const column::Field& field = base->type->fields()[ordinal];
  auto out = std::make_shared<Expr>();
  out->kind = ExprKind::get_field;
  out->name = field.name;
  out->type = field.type;
  out->nullable = base->nullable || field.nullable;
  out->ordinal = static_cast<int>(ordinal);
  out->pretty = base->pretty + "." + field.name;
  out->children.push_back(base);
  return out;
}

namespace {

// transform(array, element -> body)
ExprPtr transformed(const ExprPtr& array, AttributeId element, const ExprPtr& body) {
  auto lambda = std::make_shared<Expr>();
  lambda->kind = ExprKind::lambda;
  lambda->children.push_back(body);
  lambda->type = body->type;
  lambda->nullable = body->nullable;
  lambda->parameters.push_back(element);
  auto out = std::make_shared<Expr>();
  out->kind = ExprKind::call;
  out->name = "transform";
  out->type = column::array_type(body->type, body->nullable);
  out->nullable = array->nullable;
  out->pretty = array->pretty;
  out->children = {array, std::move(lambda)};
  return out;
}

bool holds_struct(const TypePtr& type) {
  if (type->kind() == TypeKind::struct_) return true;
  if (!type->is_nested()) return false;
  for (const auto& field : type->fields()) {
    if (holds_struct(field.type)) return true;
  }
  return false;
}

// Same names at every depth, in the same order: a cast by position is one by name.
bool same_names(const TypePtr& a, const TypePtr& b) {
  if (a->kind() != b->kind() || a->fields().size() != b->fields().size()) return false;
  for (std::size_t i = 0; i < a->fields().size(); ++i) {
    const auto& one = a->fields()[i];
    const auto& other = b->fields()[i];
    if (a->kind() == TypeKind::struct_ && !same_name(one.name, other.name, false)) return false;
    if (one.type->is_nested() && !same_names(one.type, other.type)) return false;
  }
  return true;
}

}  // namespace

RowExpressions::RowExpressions(Resolver& resolver, const AnalyzerSettings& settings,
                               const std::string& text)
    : settings_(settings),
      text_(text),
      analyzer_(std::make_unique<RelationAnalyzer>(resolver, settings)) {}

RowExpressions::~RowExpressions() = default;

Result<ExprPtr> RowExpressions::value(const std::vector<NodePtr>& inputs,
                                      const spark::connect::Expression& proto) {
  // What the parser wrote is whole; a client's expression may not be, and protobuf says so by an
  // exception.
  try {
    Scope scope = analyzer_->scope_over(inputs, text_.empty() ? nullptr : &text_);
    ExpressionAnalyzer analyzer(settings_, scope);
    TRY_ASSIGN(const ExprPtr resolved, analyzer.resolve(proto));
    return strip_alias(resolved);
  } catch (const google::protobuf::FatalException& malformed) {
    return Status::plain(ErrorKind::invalid_plan,
                         fmt::format("the plan is malformed: {}", malformed.what()));
  }
}

Result<ExprPtr> RowExpressions::condition(const std::vector<NodePtr>& inputs,
                                          const spark::connect::Expression& proto) {
  TRY_ASSIGN(const ExprPtr resolved, value(inputs, proto));
  if (resolved->type->kind() != TypeKind::boolean && resolved->type->kind() != TypeKind::null) {
    return Status::error("DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN",
                         {{"sqlExpr", sql_expr(resolved->pretty)},
                          {"filter", sql_expr(resolved->pretty)},
                          {"type", sql_type(resolved->type)}});
  }
  return implicit_cast(resolved, column::boolean_type(), settings_.functions.ansi);
}

Result<ExprPtr> RowExpressions::call(const std::string& name, std::vector<ExprPtr> arguments) {
  Scope scope = analyzer_->scope_over({}, nullptr);
  ExpressionAnalyzer analyzer(settings_, scope);
  return analyzer.call(name, std::move(arguments));
}

Result<ExprPtr> RowExpressions::stored(const ExprPtr& value, const column::Field& column) {
  const TypePtr& to = column.type;
  if (column::same_type_ignoring_nullability(value->type, to)) return value;
  const bool by_name = to->is_nested() && value->type->kind() == to->kind() && holds_struct(to) &&
                       !same_names(value->type, to);
  if (by_name && to->kind() == TypeKind::struct_) return stored_struct(value, column);
  if (by_name && to->kind() == TypeKind::array) return stored_array(value, column);
  if (by_name && to->kind() == TypeKind::map) return stored_map(value, column);
  if (by_name || !functions::can_cast(value->type, column::as_nullable(to), true)) {
    return Status::error("DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION",
                         {{"sqlExpr", sql_expr("CAST(" + value->pretty + " AS " + to->sql() + ")")},
                          {"srcType", sql_type(value->type)},
                          {"targetType", sql_type(to)}});
  }
  return make_cast(value, to, true);
}

Result<ExprPtr> RowExpressions::stored_struct(const ExprPtr& value, const column::Field& column) {
  std::vector<ExprPtr> pairs;
  const auto& given = value->type->fields();
  for (const column::Field& member : column.type->fields()) {
    const int place = column::find_field_ignore_case(given, member.name);
    pairs.push_back(string_literal(member.name));
    if (place < 0) {
      pairs.push_back(null_literal(member.type));
      continue;
    }
    TRY_ASSIGN(ExprPtr part, stored(member_of(value, static_cast<std::size_t>(place)), member));
    pairs.push_back(std::move(part));
  }
  TRY_ASSIGN(const ExprPtr made, call("named_struct", std::move(pairs)));
  if (!value->nullable) return made;
  TRY_ASSIGN(const ExprPtr is_null, call("isnull", {value}));
  return make_case({{is_null, null_literal(made->type)}}, made);
}

Result<ExprPtr> RowExpressions::stored_array(const ExprPtr& value, const column::Field& column) {
  return with_each_element(
      value, [&](const ExprPtr& element) { return stored(element, column.type->fields()[0]); });
}

Result<ExprPtr> RowExpressions::stored_map(const ExprPtr& value, const column::Field& column) {
  return with_each_entry(
      value,
      [this](const std::string& name, std::vector<ExprPtr> arguments) {
        return call(name, std::move(arguments));
      },
      [&](const ExprPtr& part, std::size_t place) {
        return stored(part, column.type->fields()[place]);
      });
}

Result<ExprPtr> RowExpressions::with_member(const ExprPtr& base,
                                            const std::vector<std::string>& path,
                                            const ExprPtr& value) {
  if (path.empty()) return value;
  std::vector<ExprPtr> pairs;
  for (std::size_t i = 0; i < base->type->fields().size(); ++i) {
    const column::Field& field = base->type->fields()[i];
    ExprPtr member = member_of(base, i);
    if (same_name(field.name, path[0], settings_.case_sensitive)) {
      TRY_ASSIGN(member, with_member(member, {path.begin() + 1, path.end()}, value));
    }
    pairs.push_back(string_literal(field.name));
    pairs.push_back(std::move(member));
  }
  return call("named_struct", std::move(pairs));
}

Result<ExprPtr> with_each_element(const ExprPtr& array, const ElementMap& f) {
  auto element = std::make_shared<Expr>();
  element->kind = ExprKind::lambda_variable;
  element->id = next_attribute_id();
  element->name = "element";
  element->pretty = "element";
  element->type = array->type->element();
  element->nullable = array->type->contains_null();
  TRY_ASSIGN(const ExprPtr body, f(element));
  return transformed(array, element->id, body);
}

Result<ExprPtr> with_each_entry(
    const ExprPtr& map, const MakeCall& call,
    const std::function<Result<ExprPtr>(const ExprPtr&, std::size_t)>& f) {
  TRY_ASSIGN(const auto entries, call("map_entries", {map}));
  const auto changed = [&](const ExprPtr& entry) -> Result<ExprPtr> {
    TRY_ASSIGN(auto key, f(member_of(entry, 0), 0));
    TRY_ASSIGN(auto value, f(member_of(entry, 1), 1));
    return call("named_struct",
                {string_literal("key"), std::move(key), string_literal("value"), std::move(value)});
  };
  TRY_ASSIGN(const auto out, with_each_element(entries, changed));
  return call("map_from_entries", {out});
}

ExprPtr make_case(const std::vector<std::pair<ExprPtr, ExprPtr>>& branches,
                  const ExprPtr& otherwise) {
  if (branches.empty()) return otherwise;
  auto out = std::make_shared<Expr>();
  out->kind = ExprKind::case_when;
  out->type = otherwise->type;
  out->nullable = otherwise->nullable;
  out->pretty = "CASE";
  for (const auto& [condition, value] : branches) {
    out->children.push_back(condition);
    out->children.push_back(value);
    out->nullable = out->nullable || value->nullable;
  }
  out->children.push_back(otherwise);
  return out;
}

std::vector<ExprPtr> conjuncts_of(const ExprPtr& condition) {
  if (condition->kind != ExprKind::call || condition->name != "and") return {condition};
  std::vector<ExprPtr> out;
  for (const ExprPtr& child : condition->children) {
    for (ExprPtr& term : conjuncts_of(child)) out.push_back(std::move(term));
  }
  return out;
}

}  // namespace millstream::plan
