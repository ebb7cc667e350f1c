#include "plan/expr.h"

#include <arrow/scalar.h>

#include <algorithm>
#include <atomic>

#include "base/release.h"
#include "plan/node.h"
#include "plan/tree.h"

namespace millstream::plan {

AttributeId next_attribute_id() {
  static std::atomic<std::int64_t> last{0};
  return AttributeId{++last};
}

ExprPtr make_literal(std::shared_ptr<arrow::Scalar> value, column::TypePtr type,
                     std::string pretty) {
  auto out = std::make_shared<Expr>();
  out->kind = ExprKind::literal;
  out->type = std::move(type);
  out->nullable = !value->is_valid;
  out->value = std::move(value);
  out->pretty = std::move(pretty);
  return out;
}

ExprPtr make_attribute(const Attribute& attribute) {
  auto out = std::make_shared<Expr>();
  out->kind = ExprKind::attribute;
  out->type = attribute.type;
  out->nullable = attribute.nullable;
  out->name = attribute.name;
  out->pretty = attribute.name;
  out->id = attribute.id;
  out->metadata = attribute.metadata;
  return out;
}

ExprPtr make_alias(ExprPtr child, std::string name, AttributeId id, std::string metadata) {
  auto out = std::make_shared<Expr>();
  out->kind = ExprKind::alias;
  out->type = child->type;
  out->nullable = child->nullable;
  out->name = name;
  out->pretty = std::move(name);
  out->id = id;
  out->metadata = std::move(metadata);
  out->origin = child->origin;
  out->children.push_back(std::move(child));
  return out;
}

namespace {

bool fits_any_value(const column::DataType& from, const column::DataType& decimal) {
  const int whole = decimal.precision() - decimal.scale();
  switch (from.kind()) {
    case column::TypeKind::boolean:
      return whole >= 1;
    case column::TypeKind::byte_:
      return whole >= 3;
    case column::TypeKind::short_:
      return whole >= 5;
    case column::TypeKind::int_:
      return whole >= 10;
    case column::TypeKind::long_:
      return whole >= 20;
    case column::TypeKind::decimal:
      return whole > from.precision() - from.scale() ||
             (whole == from.precision() - from.scale() && decimal.scale() >= from.scale());
    default:
      return false;
  }
}

// Spark calls these casts nullable whatever their input, also where ANSI mode makes them fail
// instead.
bool may_give_null(const column::DataType& from, const column::DataType& to) {
  using column::TypeKind;
  if (from == to || from.kind() == TypeKind::null) return false;
  if (from.kind() == TypeKind::variant) return true;
  if (from.is_string()) return !to.is_string() && to.kind() != TypeKind::binary;
  if (to.is_string()) return false;
  if (from.kind() == TypeKind::timestamp && to.kind() >= TypeKind::byte_ &&
      to.kind() <= TypeKind::int_) {
    return true;
  }
  const bool fraction = from.kind() == TypeKind::float_ || from.kind() == TypeKind::double_;
  if (to.kind() == TypeKind::timestamp && fraction) return true;
  // A day has more seconds than these hold.
  if (from.kind() == TypeKind::time && to.kind() >= TypeKind::byte_ &&
      to.kind() <= TypeKind::short_)
    return true;
  if (to.kind() == TypeKind::date) {
    return from.kind() != TypeKind::timestamp;
  }
  if (from.kind() == TypeKind::date) return to.kind() != TypeKind::timestamp;
  if (to.kind() == TypeKind::calendar_interval) return true;
  if (to.kind() == TypeKind::decimal) return !fits_any_value(from, to);
  return (fraction || from.kind() == TypeKind::decimal) && to.is_integral();
}

// What Spark calls an upcast, which TRY_CAST does not make nullable.
bool is_upcast(const column::DataType& from, const column::DataType& to) {
  using column::TypeKind;
  const auto is_moment = [](TypeKind kind) {
    return kind == TypeKind::timestamp || kind == TypeKind::timestamp_ntz;
  };
  if (from == to || from.kind() == TypeKind::null) return true;
  if (from.kind() == TypeKind::array && to.kind() == TypeKind::array) {
    return (to.contains_null() || !from.contains_null()) &&
           is_upcast(*from.element(), *to.element());
  }
  if (from.is_nested() || to.is_nested()) return false;
  if (to.is_string()) return from.kind() != TypeKind::variant;
  if (from.is_string()) return to.kind() == TypeKind::binary;
  if (from.kind() == TypeKind::date || is_moment(from.kind())) return is_moment(to.kind());
  if (from.kind() == TypeKind::long_ && to.kind() == TypeKind::timestamp) return true;
  if (!from.is_numeric() || !to.is_numeric()) return false;
  if (to.kind() == TypeKind::decimal) return fits_any_value(from, to);
  return from.kind() != TypeKind::decimal && from.kind() < to.kind();
}

}  // namespace

Expr::~Expr() {
  if (children.empty() && filter == nullptr && plan == nullptr) return;
  Release release;
  for (ExprPtr& child : children) release.add(std::move(child));
  release.add(std::move(filter));
  release.add(std::move(window));
  release.add(std::move(plan));
}

ExprPtr make_cast(ExprPtr child, column::TypePtr to, bool ansi, bool try_cast) {
  auto out = std::make_shared<Expr>();
  out->kind = ExprKind::cast;
  out->nullable = child->nullable ||
                  (try_cast ? !is_upcast(*child->type, *to) : may_give_null(*child->type, *to));
  out->type = std::move(to);
  out->pretty = child->pretty;
  out->ansi = ansi;
  out->try_cast = try_cast;
  out->origin = child->origin;
  out->children.push_back(std::move(child));
  return out;
}

bool references_only(const Expr& expr, const std::vector<AttributeId>& ids) {
  IdSet set;
  for (const AttributeId id : ids) set.insert(key_of(id));
  return subset(expr, set);
}

bool contains(const Expr& expr, ExprKind kind) {
  bool found = false;
  visit(expr, [&](const Expr& e) {
    found = found || e.kind == kind;
    return !found;
  });
  return found;
}

bool is_deterministic(const Expr& expr) {
  bool deterministic = true;
  visit(expr, [&](const Expr& e) {
    deterministic = deterministic && e.deterministic;
    return deterministic;
  });
  return deterministic;
}

}  // namespace millstream::plan
