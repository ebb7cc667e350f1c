// MAX and MIN of texts by group without a text in memory for each group: the rows are sorted by
// their keys and the text, which DuckDB does beyond memory, and of each group the last one is the
// answer. DuckDB's own aggregates keep the texts outside of its limit.
#include <algorithm>

#include "base/text.h"
#include "engine/lower.h"
#include "plan/tree.h"

namespace millstream::engine {
namespace {

bool is_text_extreme(const plan::Expr& e) {
  return (e.name == "max" || e.name == "min") && e.filter == nullptr &&
         (e.children[0]->type->is_string() ||
          e.children[0]->type->kind() == column::TypeKind::binary);
}

// "p0.g0 IS NOT DISTINCT FROM p1.g0 AND …"
std::string same_group(const std::vector<std::string>& keys, std::size_t part) {
  std::vector<std::string> tests;
  for (const auto& key : keys)
    tests.push_back(fmt::format("p0.{0} IS NOT DISTINCT FROM p{1}.{0}", key, part));
  return join(tests, " AND ");
}

// The groups of `rows`, each with its largest or smallest value as `name`.
std::string last_of_groups(const std::string& rows, const std::vector<std::string>& keys,
                           const std::string& value, bool largest, const std::string& name) {
  std::vector<std::string> order;
  std::vector<std::string> behind;
  std::vector<std::string> ends = {"b IS NULL"};  // the last row of all
  for (const auto& key : keys) {
    order.push_back(key + " NULLS FIRST");
    behind.push_back(fmt::format("lead({0}) OVER () AS b{0}", key));
    ends.push_back(fmt::format("b{0} IS DISTINCT FROM {0}", key));
  }
  const std::string all = join(keys, ", ");
  return fmt::format(
      "(SELECT {0}, v AS {1} FROM (SELECT {0}, v, lead(1) OVER () AS b, {2} FROM (SELECT {0}, {3} "
      "AS v FROM {4} ORDER BY {5}, v {6} NULLS FIRST)) WHERE {7})",
      all, name, join(behind, ", "), value, rows, join(order, ", "), largest ? "ASC" : "DESC",
      join(ends, " OR "));
}

}  // namespace

void find_grouped(const plan::Expr& e, std::vector<const plan::Expr*>& out) {
  if (e.kind == plan::ExprKind::aggregate) {
    out.push_back(&e);
    return;
  }
  const bool window = e.kind == plan::ExprKind::window;
  for (const auto& child : (window ? *e.children[0] : e).children) find_grouped(*child, out);
  if (!window) return;
  if (e.children[0]->filter != nullptr) find_grouped(*e.children[0]->filter, out);
  for (const auto& key : e.window->partition) find_grouped(*key, out);
  for (const auto& key : e.window->order) find_grouped(*key.expr, out);
}

// In the statement itself only: what correlated subqueries see is not written twice.
bool NodeLowering::can_sort_extremes(const plan::Aggregate& node) const {
  if (node.keys.empty() || !node.grouping_sets.empty() || statements_open_ > 1) return false;
  std::vector<const plan::Expr*> grouped;
  for (const auto& e : node.exprs) {
    if (plan::contains(*e, plan::ExprKind::window)) return false;
    find_grouped(*e, grouped);
  }
  const bool flat = std::none_of(node.keys.begin(), node.keys.end(),
                                 [](const auto& key) { return key->type->is_nested(); });
  return flat && std::any_of(grouped.begin(), grouped.end(),
                             [](const auto* e) { return is_text_extreme(*e); });
}

// `rows` has the keys as columns `names`; `keys` gives an aggregate's SQL the name of its column.
Result<std::string> NodeLowering::sorted_groups(const plan::Aggregate& node, std::string rows,
                                                const std::vector<std::string>& names,
                                                std::map<std::string, std::string>& keys) {
  struct Extreme {
    std::string value;
    bool largest;
    std::string name;
  };
  std::vector<Extreme> extremes;
  std::vector<std::string> others = names;
  std::vector<std::pair<std::string, bool>> results;  // names, and whether it is one of `others`
  std::vector<const plan::Expr*> grouped;
  for (const auto& e : node.exprs) find_grouped(*e, grouped);
  for (const plan::Expr* e : grouped) {
    TRY_ASSIGN(const std::string sql, exprs_.lower(*e));
    const std::string name = fmt::format("a{}", results.size());
    if (!keys.emplace(sql, name).second) continue;
    results.emplace_back(name, !is_text_extreme(*e));
    if (results.back().second) {
      others.push_back(sql + " AS " + name);
      continue;
    }
    TRY_ASSIGN(std::string value, exprs_.lower(*e->children[0]));
    extremes.push_back({std::move(value), e->name == "max", name});
  }
  const bool any_others = others.size() > names.size();
  if (extremes.size() + (any_others ? 1 : 0) > 1) {
    const std::string name = fmt::format("w{}", shared_.size());
    shared_.push_back(fmt::format("{} AS MATERIALIZED (SELECT * FROM {})", name, rows));
    rows = name;
  }
  std::vector<std::string> parts;
  for (const auto& extreme : extremes)
    parts.push_back(last_of_groups(rows, names, extreme.value, extreme.largest, extreme.name));
  const std::string all = millstream::join(names, ", ");
  if (any_others)
    parts.push_back(
        fmt::format("(SELECT {} FROM {} GROUP BY {})", millstream::join(others, ", "), rows, all));
  std::vector<std::string> columns;
  for (const auto& name : names) columns.push_back("p0." + name);
  for (const auto& [name, other] : results) columns.push_back(name);
  std::string from = parts[0] + " AS p0";
  for (std::size_t i = 1; i < parts.size(); ++i)
    from += fmt::format(" INNER JOIN {} AS p{} ON {}", parts[i], i, same_group(names, i));
  return fmt::format("(SELECT {} FROM {})", millstream::join(columns, ", "), from);
}

}  // namespace millstream::engine
