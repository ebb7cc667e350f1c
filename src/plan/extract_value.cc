// base.field and base[key], by the type of the base.
#include "base/text.h"
#include "functions/registry.h"
#include "plan/expressions.h"
#include "plan/literal.h"
#include "plan/text.h"

namespace millstream::plan {
namespace {

using column::TypeKind;

std::shared_ptr<Expr> access(const ExprPtr& base, ExprKind kind, std::string name) {
  auto out = std::make_shared<Expr>();
  out->kind = kind;
  out->name = std::move(name);
  out->origin = base->origin;
  out->children.push_back(base);
  return out;
}

Result<int> member_ordinal(const std::vector<column::Field>& fields, const std::string& name,
                           bool case_sensitive) {
  int found = -1;
  int count = 0;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (!same_name(fields[i].name, name, case_sensitive)) continue;
    if (count++ == 0) found = static_cast<int>(i);
  }
  if (count > 1) {
    return Status::error("AMBIGUOUS_REFERENCE_TO_FIELDS",
                         {{"field", sql_id(name)}, {"count", std::to_string(count)}});
  }
  if (count == 0) {
    std::vector<std::string> names;
    for (const auto& field : fields) names.push_back(sql_id(field.name));
    return Status::error("FIELD_NOT_FOUND",
                         {{"fieldName", sql_id(name)}, {"fields", join(names, ", ")}});
  }
  return found;
}

Result<ExprPtr> struct_member(const ExprPtr& base, const std::string& name, bool case_sensitive) {
  TRY_ASSIGN(const int ordinal, member_ordinal(base->type->fields(), name, case_sensitive));
  const column::Field& field = base->type->fields()[static_cast<std::size_t>(ordinal)];
  auto out = access(base, ExprKind::get_field, name);
  out->type = field.type;
  out->nullable = base->nullable || field.nullable;
  out->ordinal = ordinal;
  out->metadata = field.metadata;
  out->pretty = base->pretty + "." + name;
  return out;
}

Result<ExprPtr> array_members(const ExprPtr& base, const std::string& name, bool case_sensitive) {
  const column::TypePtr& element = base->type->element();
  TRY_ASSIGN(const int ordinal, member_ordinal(element->fields(), name, case_sensitive));
  const column::Field& field = element->fields()[static_cast<std::size_t>(ordinal)];
  auto out = access(base, ExprKind::call, "get_array_struct_fields");
  out->type = column::array_type(field.type, base->type->contains_null() || field.nullable);
  out->nullable = base->nullable;
  out->ordinal = ordinal;
  out->pretty = base->pretty + "." + field.name;
  return out;
}

Status wrong_input(const std::string& pretty, const ExprPtr& argument, const std::string& required,
                   const std::string& ordinal) {
  return Status::error("DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
                       {{"sqlExpr", sql_expr(pretty)},
                        {"paramIndex", ordinal},
                        {"requiredType", required},
                        {"inputSql", sql_expr(argument->pretty)},
                        {"inputType", sql_type(argument->type)}});
}

// As Spark has it: of array(a, b)[1] it looks at b, of a constant index elsewhere it promises
// nothing.
bool item_nullable(const ExprPtr& base, const ExprPtr& index, bool ansi) {
  if (const auto i = constant_integer(*index)) {
    const bool made = base->kind == ExprKind::call && base->name == "array";
    if (!made || *i < 0 || *i >= static_cast<std::int64_t>(base->children.size())) return true;
    return base->children[static_cast<std::size_t>(*i)]->nullable;
  }
  return index->nullable || !ansi || base->nullable || base->type->contains_null();
}

}  // namespace

Result<ExprPtr> extract_value(const ExprPtr& given_base, const ExprPtr& given_extraction,
                              bool case_sensitive, bool ansi) {
  const ExprPtr base = given_base->kind == ExprKind::alias ? given_base->children[0] : given_base;
  const ExprPtr extraction =
      given_extraction->kind == ExprKind::alias ? given_extraction->children[0] : given_extraction;
  const auto name = constant_string(*extraction);
  const TypeKind kind = base->type->kind();
  if (kind == TypeKind::struct_) {
    if (name) return struct_member(base, *name, case_sensitive);
    return Status::error("INVALID_EXTRACT_FIELD_TYPE",
                         {{"extraction", sql_expr(extraction->pretty)}});
  }
  if (kind == TypeKind::array && name && base->type->element()->kind() == TypeKind::struct_) {
    return array_members(base, *name, case_sensitive);
  }
  const std::string pretty = base->pretty + "[" + extraction->pretty + "]";
  if (kind == TypeKind::array) {
    if (!extraction->type->is_integral()) {
      return wrong_input(pretty, extraction, "\"INTEGRAL\"", "second");
    }
    auto out = access(base, ExprKind::call, "get_item");
    out->type = base->type->element();
    out->nullable = item_nullable(base, extraction, ansi);
    out->ansi = ansi;
    out->pretty = pretty;
    out->children.push_back(implicit_cast(extraction, column::long_type(), ansi));
    return out;
  }
  if (kind == TypeKind::map) {
    auto out = access(base, ExprKind::call, "get_map_value");
    out->type = base->type->value();
    out->nullable = true;
    out->pretty = pretty;
    ExprPtr key = extraction;
    if (!column::same_type_ignoring_nullability(key->type, base->type->key())) {
      if (!functions::can_cast(key->type, base->type->key(), ansi)) {
        return wrong_input(pretty, extraction, sql_type(base->type->key()), "second");
      }
      key = make_cast(key, base->type->key(), ansi);
    }
    out->children.push_back(std::move(key));
    return out;
  }
  return Status::error("INVALID_EXTRACT_BASE_FIELD_TYPE",
                       {{"base", sql_expr(base->pretty)}, {"other", sql_type(base->type)}});
}

}  // namespace millstream::plan
