// Simple comparisons of a scan's columns with constants become the scan's predicates, by which a
// table may skip files; the filter stays. A limit over a bare scan tells it how many rows suffice.
#include <arrow/scalar.h>

#include <algorithm>

#include "plan/literal.h"
#include "plan/optimize.h"
#include "plan/tree.h"

namespace millstream::plan {
namespace {

using connector::Predicate;
using Op = Predicate::Op;
using column::TypeKind;

// A predicate on a column that is still known by its id.
struct ColumnPredicate {
  AttributeId id;
  Predicate predicate;  // path: the members below the column
};

struct Target {
  AttributeId id;
  std::vector<std::string> members;
  column::TypePtr type;
};

// A column or a member of one, seen through casts that widen an integer.
std::optional<Target> target_of(const Expr& e) {
  if (e.kind == ExprKind::attribute) return Target{e.id, {}, e.type};
  if (e.kind == ExprKind::get_field) {
    auto inner = target_of(*e.children[0]);
    if (!inner || inner->type->kind() != TypeKind::struct_) return std::nullopt;
    const auto& field = inner->type->fields()[static_cast<std::size_t>(e.ordinal)];
    inner->members.push_back(field.name);
    inner->type = field.type;
    return inner;
  }
  const bool widening = e.kind == ExprKind::cast && e.type->is_integral() &&
                        e.children[0]->type->is_integral() &&
                        e.children[0]->type->kind() <= e.type->kind();
  return widening ? target_of(*e.children[0]) : std::nullopt;
}

// The constant in the column's type; nothing when it does not fit exactly.
std::shared_ptr<arrow::Scalar> constant_for(const Expr& e, const column::TypePtr& type) {
  if (e.kind != ExprKind::literal || !e.value->is_valid) return nullptr;
  if (column::same_type(e.type, type)) return e.value;
  if (!e.type->is_integral() || !type->is_integral()) return nullptr;
  const auto arrow_type = column::to_arrow(type);
  const auto value = constant_integer(e);
  if (!value) return nullptr;
  const bool fits =
      (type->kind() == TypeKind::byte_ && *value >= -128 && *value <= 127) ||
      (type->kind() == TypeKind::short_ && *value >= -32768 && *value <= 32767) ||
      (type->kind() == TypeKind::int_ && *value >= INT32_MIN && *value <= INT32_MAX) ||
      type->kind() == TypeKind::long_;
  if (!fits) return nullptr;
  auto converted = e.value->CastTo(arrow_type);
  return converted.ok() ? *converted : nullptr;
}

std::optional<Op> comparison(const std::string& name, bool flipped) {
  if (name == "equal") return Op::equal;
  if (name == "not_equal") return Op::not_equal;
  if (name == "less") return flipped ? Op::greater : Op::less;
  if (name == "less_equal") return flipped ? Op::greater_equal : Op::less_equal;
  if (name == "greater") return flipped ? Op::less : Op::greater;
  if (name == "greater_equal") return flipped ? Op::less_equal : Op::greater_equal;
  if (name == "startswith" && !flipped) return Op::starts_with;
  return std::nullopt;
}

// Bounds that tables keep know nothing of NaN, which is greater than every number.
bool nan_matches(Op op, const column::TypePtr& type) {
  if (type->kind() != TypeKind::float_ && type->kind() != TypeKind::double_) return false;
  return op == Op::greater || op == Op::greater_equal || op == Op::not_equal;
}

std::optional<ColumnPredicate> predicate_of(const Expr& e) {
  if (e.kind == ExprKind::in_list) {
    const auto target = target_of(*e.children[0]);
    if (!target) return std::nullopt;
    Predicate p{target->members, Op::in, {}};
    for (std::size_t i = 1; i < e.children.size(); ++i) {
      auto value = constant_for(*e.children[i], target->type);
      if (value == nullptr) return std::nullopt;
      p.values.push_back(std::move(value));
    }
    return ColumnPredicate{target->id, std::move(p)};
  }
  if (e.kind != ExprKind::call) return std::nullopt;
  if (e.name == "isnull" || e.name == "isnotnull") {
    const auto target = target_of(*e.children[0]);
    if (!target) return std::nullopt;
    return ColumnPredicate{
        target->id, {target->members, e.name == "isnull" ? Op::is_null : Op::is_not_null, {}}};
  }
  if (e.children.size() != 2) return std::nullopt;
  for (const bool flipped : {false, true}) {
    const auto op = comparison(e.name, flipped);
    const auto target = target_of(*e.children[flipped ? 1 : 0]);
    if (!op || !target || target->type->is_nested() || nan_matches(*op, target->type)) continue;
    auto value = constant_for(*e.children[flipped ? 0 : 1], target->type);
    if (value == nullptr) continue;
    return ColumnPredicate{target->id, {target->members, *op, {std::move(value)}}};
  }
  return std::nullopt;
}

void conjuncts(const Expr& e, std::vector<ColumnPredicate>& out) {
  if (e.kind == ExprKind::call && e.name == "and") {
    for (const ExprPtr& child : e.children) conjuncts(*child, out);
    return;
  }
  if (e.kind == ExprKind::call && e.name == "between") {
    for (const char* name : {"greater_equal", "less_equal"}) {
      Expr side = e;
      side.name = name;
      side.children = {e.children[0], e.children[name[0] == 'g' ? 1 : 2]};
      if (auto p = predicate_of(side)) out.push_back(std::move(*p));
    }
    return;
  }
  if (auto p = predicate_of(e)) out.push_back(std::move(*p));
}

template <typename ScanType>
NodePtr into_scan(const NodePtr& node, const std::vector<ColumnPredicate>& predicates,
                  std::optional<std::int64_t> limit) {
  auto copy = std::make_shared<ScanType>(as<ScanType>(*node));
  for (const ColumnPredicate& p : predicates) {
    for (std::size_t i = 0; i < node->output.size(); ++i) {
      const std::string& column = copy->columns[i];
      if (node->output[i].id != p.id || column == "_metadata") continue;
      Predicate predicate = p.predicate;
      predicate.path.insert(predicate.path.begin(), column);
      copy->predicates.push_back(std::move(predicate));
    }
  }
  if constexpr (std::is_same_v<ScanType, Scan>) {
    if (limit) copy->limit = copy->limit ? std::min(*copy->limit, *limit) : *limit;
  }
  return copy;
}

NodePtr push(const NodePtr& node, std::vector<ColumnPredicate> predicates,
             std::optional<std::int64_t> limit) {
  switch (node->kind) {
    case NodeKind::scan:
      return into_scan<Scan>(node, predicates, limit);
    case NodeKind::stream_scan:
      return into_scan<StreamScan>(node, predicates, limit);
    case NodeKind::filter:
      limit.reset();
      conjuncts(*as<Filter>(*node).condition, predicates);
      break;
    case NodeKind::project: {
      // Conditions on columns that are passed on or renamed go further down; on computed ones they
      // end here.
      std::vector<ColumnPredicate> below;
      const auto& exprs = as<Project>(*node).exprs;
      // A window function looks at all rows.
      if (std::any_of(exprs.begin(), exprs.end(),
                      [](const ExprPtr& e) { return contains(*e, ExprKind::window); })) {
        predicates.clear();
        limit.reset();
        break;
      }
      for (const ExprPtr& e : exprs) {
        const Expr& source = e->kind == ExprKind::alias ? *e->children[0] : *e;
        if (source.kind != ExprKind::attribute) continue;
        for (const ColumnPredicate& p : predicates) {
          if (p.id == e->id) below.push_back({source.id, p.predicate});
        }
      }
      predicates = std::move(below);
      break;
    }
    case NodeKind::limit: {
      const auto& l = as<Limit>(*node);
      predicates.clear();
      if (!l.tail && l.count) {
        const std::int64_t wanted = *l.count + l.offset;
        limit = limit && l.offset == 0 ? std::min(*limit, wanted) : wanted;
      } else {
        limit.reset();
      }
      break;
    }
    case NodeKind::sort:
    case NodeKind::repartition:
      limit.reset();
      break;
    default:
      predicates.clear();
      limit.reset();
      break;
  }
  auto copy = clone(*node);
  for (NodePtr& child : copy->children) child = push(child, predicates, limit);
  return copy;
}

}  // namespace

NodePtr push_into_scans(const NodePtr& node) { return push(node, {}, std::nullopt); }

}  // namespace millstream::plan
