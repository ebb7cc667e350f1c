#include "plan/scope.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "plan/literal.h"
#include "plan/subquery.h"
#include "plan/text.h"
#include "plan/tree.h"

namespace millstream::plan {

bool same_name(const std::string& a, const std::string& b, bool case_sensitive) {
  return case_sensitive ? a == b : equals_ignore_case(a, b);
}

namespace {

// How many leading parts of the name are a suffix of the attribute's qualifier, followed by its
// name: the number of parts used, 0 for no match. Longer qualifiers are preferred by the caller.
bool matches(const Attribute& a, const NameParts& parts, std::size_t qualifier_parts,
             bool case_sensitive) {
  if (parts.size() <= qualifier_parts || a.qualifier.size() < qualifier_parts) return false;
  if (!same_name(a.name, parts[qualifier_parts], case_sensitive)) return false;
  const std::size_t skip = a.qualifier.size() - qualifier_parts;
  for (std::size_t i = 0; i < qualifier_parts; ++i) {
    if (!same_name(a.qualifier[skip + i], parts[i], case_sensitive)) return false;
  }
  return true;
}

std::vector<const Attribute*> matching(const std::vector<Attribute>& attributes,
                                       const NameParts& parts, std::size_t qualifier_parts,
                                       bool hidden, bool case_sensitive) {
  std::vector<const Attribute*> found;
  for (const Attribute& a : attributes) {
    if (a.hidden != hidden || !matches(a, parts, qualifier_parts, case_sensitive)) continue;
    const bool again =
        std::any_of(found.begin(), found.end(), [&](const Attribute* f) { return f->id == a.id; });
    if (!again) found.push_back(&a);
  }
  return found;
}

Status ambiguous(const NameParts& parts, const std::vector<const Attribute*>& found) {
  std::vector<std::string> names;
  for (const Attribute* a : found) {
    NameParts full = a->qualifier;
    if (full.size() == 1 && full[0] == "__auto_generated_subquery_name") full.clear();
    full.push_back(a->name);
    names.push_back(sql_id(full));
  }
  std::sort(names.begin(), names.end());
  return Status::error("AMBIGUOUS_REFERENCE", {{"name", sql_id(parts)},
                                               {"referenceNames", "[" + join(names, ", ") + "]"}});
}

Result<ExprPtr> attribute_with_members(const Attribute& attribute, const NameParts& parts,
                                       std::size_t used, bool case_sensitive) {
  // The column is called as the user wrote it.
  Attribute named = attribute;
  named.name = parts[used - 1];
  ExprPtr expr = make_attribute(named);
  if (used == parts.size()) return expr;
  for (std::size_t i = used; i < parts.size(); ++i) {
    TRY_ASSIGN(expr, extract_value(expr, string_literal(parts[i]), case_sensitive, true));
  }
  return make_alias(expr, parts.back(), next_attribute_id());
}

Result<std::optional<Found>> find_among(const std::vector<Attribute>& attributes,
                                        const NameParts& parts, bool hidden, bool case_sensitive) {
  std::size_t longest = 0;
  for (const Attribute& a : attributes) longest = std::max(longest, a.qualifier.size());
  const std::size_t most = std::min(longest, parts.size() - 1);
  for (std::size_t qualifier_parts = most + 1; qualifier_parts-- > 0;) {
    const auto found = matching(attributes, parts, qualifier_parts, hidden, case_sensitive);
    if (found.empty()) continue;
    if (found.size() > 1) return ambiguous(parts, found);
    TRY_ASSIGN(ExprPtr expr,
               attribute_with_members(*found[0], parts, qualifier_parts + 1, case_sensitive));
    return std::optional<Found>(Found{std::move(expr), hidden});
  }
  return std::optional<Found>();
}

}  // namespace

Result<std::optional<Found>> find_name(const std::vector<Attribute>& attributes,
                                       const NameParts& parts, bool case_sensitive) {
  CHECK(!parts.empty());
  TRY_ASSIGN(auto visible, find_among(attributes, parts, false, case_sensitive));
  if (visible) return visible;
  return find_among(attributes, parts, true, case_sensitive);
}

Scope::Scope(std::vector<NodePtr> inputs, bool case_sensitive)
    : inputs_(std::move(inputs)), case_sensitive_(case_sensitive) {
  for (const NodePtr& input : inputs_) {
    attributes_.insert(attributes_.end(), input->output.begin(), input->output.end());
  }
}

// As find_name. Of many attributes only those are looked at that have one of the parts as their
// name.
Result<std::optional<Found>> Scope::find(const NameParts& parts) const {
  constexpr std::size_t few = 64;
  if (attributes_.size() <= few) return find_name(attributes_, parts, case_sensitive_);
  if (by_name_.empty()) {
    for (std::size_t i = 0; i < attributes_.size(); ++i)
      by_name_[to_lower(attributes_[i].name)].push_back(i);
  }
  std::vector<std::size_t> places;
  for (const std::string& part : parts) {
    const auto found = by_name_.find(to_lower(part));
    if (found != by_name_.end())
      places.insert(places.end(), found->second.begin(), found->second.end());
  }
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  std::vector<Attribute> candidates;
  for (const std::size_t place : places) candidates.push_back(attributes_[place]);
  return find_name(candidates, parts, case_sensitive_);
}

void Scope::push_lambda(std::vector<Attribute> parameters) {
  lambdas_.push_back(std::move(parameters));
}

std::optional<ExprPtr> Scope::lambda_variable(const NameParts& parts) const {
  for (auto frame = lambdas_.rbegin(); frame != lambdas_.rend(); ++frame) {
    for (const Attribute& parameter : *frame) {
      if (!same_name(parameter.name, parts[0], case_sensitive_)) continue;
      auto variable = std::make_shared<Expr>(*make_attribute(parameter));
      variable->kind = ExprKind::lambda_variable;
      variable->pretty = "namedlambdavariable()";
      ExprPtr expr = variable;
      for (std::size_t i = 1; i < parts.size(); ++i) {
        auto member = extract_value(expr, string_literal(parts[i]), case_sensitive_, true);
        if (!member.ok()) return std::nullopt;
        expr = *member;
      }
      return expr;
    }
  }
  return std::nullopt;
}

Result<ExprPtr> Scope::resolve(const NameParts& parts) const {
  auto here = resolve_here(parts);
  if (here.ok() || outer_ == nullptr ||
      !here.status().condition().starts_with("UNRESOLVED_COLUMN")) {
    return here;
  }
  TRY_ASSIGN(auto around, outer_->resolve(parts));
  return around ? Result<ExprPtr>(*around) : here;
}

Result<ExprPtr> Scope::resolve_here(const NameParts& parts) const {
  if (auto variable = lambda_variable(parts)) return *variable;
  if (preference_) {
    TRY_ASSIGN(auto preferred, preference_(parts, std::nullopt));
    if (preferred) return *preferred;
  }
  const auto passed_over = [&](const Status& status) {
    return passes_over_ambiguous_ && status.is("AMBIGUOUS_REFERENCE");
  };
  auto found = find(parts);
  if (found.ok() && *found) return (*found)->expr;
  if (!found.ok() && !passed_over(found.status())) return found.status();
  for (const KnownFallback& fallback : fallbacks_) {
    auto other = fallback.find(parts, std::nullopt);
    if (!other.ok() && passed_over(other.status())) continue;
    TRY(other.status());
    if (*other) return **other;
  }
  return unresolved_column(parts, attributes_);
}

Result<std::optional<ExprPtr>> Scope::resolve_for_subquery(const NameParts& parts) const {
  TRY_ASSIGN(auto found, find(parts));
  if (found) return std::optional<ExprPtr>(found->expr);
  for (const KnownFallback& fallback : fallbacks_) {
    if (!fallback.for_subqueries) continue;
    TRY_ASSIGN(auto other, fallback.find(parts, std::nullopt));
    if (other) return other;
  }
  return std::optional<ExprPtr>();
}

// --- plan_id
// --------------------------------------------------------------------------------------------------------
// Spark's rules for a column that was taken from a DataFrame object: (a) the operator's inputs are
// searched top-down; a node that is that DataFrame ends the descent on its branch, a union is a
// leaf; (b) no such node is an error; (c) the name is looked up in that node, and dropped again at
// each ancestor that does not output the column; (d) visible candidates beat hidden ones, then a
// direct input beats a nested one, then it is ambiguous; (e) when each candidate was dropped, a
// Sort or Filter may still find the column below and carry it up, others may not.
namespace {

struct Candidate {
  ExprPtr expr;
  bool hidden = false;
  int depth = 0;
};

struct Search {
  const NameParts& parts;
  std::int64_t plan_id;
  bool metadata_column;
  bool case_sensitive;
  bool matched = false;
};

Status ambiguous_column(const NameParts& parts) {
  return Status::error("AMBIGUOUS_COLUMN_REFERENCE", {{"name", sql_expr(join(parts, "."))}});
}

bool is_union(const Node& node) {
  return node.kind == NodeKind::set_operation &&
         (as<SetOperation>(node).type == SetOperationType::union_all ||
          as<SetOperation>(node).type == SetOperationType::union_distinct);
}

Result<std::optional<Candidate>> merge(std::vector<Candidate> candidates, const NameParts& parts) {
  if (candidates.empty()) return std::optional<Candidate>();
  const bool any_visible = std::any_of(candidates.begin(), candidates.end(),
                                       [](const Candidate& c) { return !c.hidden; });
  if (any_visible) std::erase_if(candidates, [](const Candidate& c) { return c.hidden; });
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.depth < b.depth; });
  if (candidates.size() > 1 && !(candidates[0].depth == 0 && candidates[1].depth != 0)) {
    return ambiguous_column(parts);
  }
  return std::optional<Candidate>(std::move(candidates[0]));
}

// Drops the candidate where the node does not output its columns, and marks it hidden where the
// node hides them.
bool survives(const Node& node, Candidate& candidate) {
  IdSet wanted;
  add_references(*candidate.expr, wanted);
  std::size_t present = 0;
  for (const Attribute& a : node.output) {
    if (!wanted.contains(key_of(a.id))) continue;
    ++present;
    candidate.hidden = candidate.hidden || a.hidden;
  }
  return present >= wanted.size();
}

Result<std::optional<Candidate>> search_node(const Node& node, int depth, Search& search);

Result<std::optional<Candidate>> search_nodes(const std::vector<NodePtr>& nodes, int depth,
                                              Search& search) {
  std::vector<Candidate> candidates;
  for (const NodePtr& node : nodes) {
    TRY_ASSIGN(auto found, search_node(*node, depth, search));
    if (found) candidates.push_back(std::move(*found));
  }
  return merge(std::move(candidates), search.parts);
}

Result<std::optional<Candidate>> search_node(const Node& node, int depth, Search& search) {
  std::optional<Candidate> candidate;
  if (node.plan_id == search.plan_id) {
    search.matched = true;
    TRY_ASSIGN(auto found, find_name(node.output, search.parts, search.case_sensitive));
    if (found) candidate = Candidate{std::move(found->expr), found->hidden, depth};
  } else if (!is_union(node)) {
    TRY_ASSIGN(candidate, search_nodes(node.children, depth + 1, search));
  }
  if (candidate && !survives(node, *candidate)) candidate.reset();
  return candidate;
}

Status cannot_resolve(const NameParts& parts) {
  return Status::error("CANNOT_RESOLVE_DATAFRAME_COLUMN", {{"name", sql_expr(join(parts, "."))}});
}

const Node* find_plan(const std::vector<NodePtr>& nodes, std::int64_t plan_id) {
  for (const NodePtr& node : nodes) {
    if (node->plan_id == plan_id) return node.get();
    if (is_union(*node)) continue;
    if (const Node* found = find_plan(node->children, plan_id)) return found;
  }
  return nullptr;
}

}  // namespace

Result<ExprPtr> Scope::resolve(const NameParts& parts, std::int64_t plan_id,
                               bool metadata_column) const {
  if (auto variable = lambda_variable(parts)) return *variable;
  Search search{parts, plan_id, metadata_column, case_sensitive_, false};
  TRY_ASSIGN(auto candidate, search_nodes(inputs_, 0, search));
  if (candidate) return as_input(candidate->expr);
  if (!search.matched) return cannot_resolve(parts);
  for (const KnownFallback& fallback : fallbacks_) {
    TRY_ASSIGN(auto other, fallback.find(parts, plan_id));
    if (other) return *other;
  }
  return cannot_resolve(parts);
}

// Outer joins between the DataFrame and here made its columns nullable.
ExprPtr Scope::as_input(const ExprPtr& expr) const {
  return transform(expr, [&](const ExprPtr& e) -> ExprPtr {
    if (e->kind != ExprKind::attribute) {
      if (e->children.empty() || e->nullable || !e->children[0]->nullable) return e;
      auto copy = std::make_shared<Expr>(*e);
      copy->nullable = true;
      return copy;
    }
    for (const Attribute& a : attributes_) {
      if (a.id != e->id || a.nullable == e->nullable) continue;
      auto copy = std::make_shared<Expr>(*e);
      copy->nullable = a.nullable;
      return copy;
    }
    return e;
  });
}

Result<std::optional<ExprPtr>> find_dataframe_column(const NodePtr& node, const NameParts& parts,
                                                     std::int64_t plan_id, bool case_sensitive) {
  Search search{parts, plan_id, false, case_sensitive, false};
  TRY_ASSIGN(auto candidate, search_nodes({node}, 0, search));
  if (!candidate) return std::optional<ExprPtr>();
  return std::optional<ExprPtr>(candidate->expr);
}

Result<std::vector<ExprPtr>> Scope::expand_star() const {
  std::vector<ExprPtr> out;
  for (const Attribute& a : attributes_) {
    if (!a.hidden) out.push_back(make_attribute(a));
  }
  return out;
}

Result<std::vector<ExprPtr>> Scope::expand_star(const NameParts& target) const {
  std::vector<ExprPtr> out;
  std::vector<ExprPtr> shown;
  for (const Attribute& a : attributes_) {
    if (a.qualifier.size() < target.size()) continue;
    const std::size_t skip = a.qualifier.size() - target.size();
    bool same = true;
    for (std::size_t i = 0; i < target.size(); ++i) {
      same = same && same_name(a.qualifier[skip + i], target[i], case_sensitive_);
    }
    // A hidden join key can be asked for by its table's star, and comes first.
    if (same && a.name != "_metadata") (a.hidden ? out : shown).push_back(make_attribute(a));
  }
  out.insert(out.end(), shown.begin(), shown.end());
  if (!out.empty()) return out;
  TRY_ASSIGN(auto found, find_name(attributes_, target, case_sensitive_));
  if (found && found->expr->type->kind() == column::TypeKind::struct_) {
    ExprPtr base = found->expr;
    if (base->kind == ExprKind::alias) base = base->children[0];
    for (const auto& field : base->type->fields()) {
      TRY_ASSIGN(ExprPtr member,
                 extract_value(base, string_literal(field.name), case_sensitive_, true));
      out.push_back(make_alias(member, field.name, next_attribute_id(), field.metadata));
    }
    return out;
  }
  std::vector<std::string> names;
  for (const Attribute& a : attributes_) {
    if (!a.hidden) names.push_back(sql_id(a.name));
  }
  return Status::error("CANNOT_RESOLVE_STAR_EXPAND",
                       {{"targetString", sql_id(target)}, {"columns", join(names, ", ")}});
}

Result<std::vector<ExprPtr>> Scope::expand_star(std::int64_t plan_id) const {
  const Node* node = find_plan(inputs_, plan_id);
  if (node == nullptr) return cannot_resolve({"*"});
  std::vector<ExprPtr> out;
  for (const Attribute& a : node->output) {
    if (a.hidden) continue;
    TRY_ASSIGN(ExprPtr expr, resolve(NameParts{a.name}, plan_id, false));
    out.push_back(std::move(expr));
  }
  return out;
}

}  // namespace millstream::plan
