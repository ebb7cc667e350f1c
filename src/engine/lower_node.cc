#include <algorithm>
#include <unordered_set>

#include "base/text.h"
#include "engine/lower.h"
#include "engine/physical.h"
#include "engine/spark_random.h"
#include "plan/optimize.h"
#include "plan/subquery.h"
#include "plan/tree.h"

namespace millstream::engine {

using column::TypeKind;
using plan::as;
using plan::Node;
using plan::NodeKind;
using plan::NodePtr;

std::string NodeLowering::Relation::tail() const {
  std::string out = " FROM " + from;
  if (!where.empty()) out += " WHERE " + all_true(where);
  return out;
}

NodeLowering::Relation NodeLowering::wrap(const std::string& select) {
  return {"(" + select + ")", {}};
}

namespace {

// What rows are told apart by: -0.0 and 0.0 are one value, shown as 0.0.
std::string without_negative_zero(const std::string& sql, const column::TypePtr& type) {
  const bool floating =
      type->kind() == column::TypeKind::float_ || type->kind() == column::TypeKind::double_;
  return floating ? "(" + sql + " + 0.0::FLOAT)" : sql;
}

}  // namespace

std::string NodeLowering::columns_of(const Node& node) {
  std::vector<std::string> names;
  std::unordered_set<std::int64_t> seen;
  for (const auto& attribute : node.output) {
    if (seen.insert(static_cast<std::int64_t>(attribute.id)).second)
      names.push_back(column_name(attribute.id));
  }
  return names.empty() ? "0 AS c_none" : millstream::join(names, ", ");
}

Result<std::string> NodeLowering::statement(const NodePtr& node) {
  ++statements_open_;
  TRY_ASSIGN(const Relation relation, lower(node));
  --statements_open_;
  std::vector<std::string> names;
  for (const auto& attribute : node->output) {
    if (attribute.hidden) continue;
    TRY_ASSIGN(const std::string type, physical_sql(attribute.type));
    names.push_back(
        fmt::format("CAST({} AS {}) AS o{}", column_name(attribute.id), type, names.size()));
  }
  const bool whole = statements_open_ == 0 && !shared_.empty();
  return (whole ? "WITH " + millstream::join(shared_, ", ") + " " : "") + "SELECT " +
         (names.empty() ? "0 AS o_none" : millstream::join(names, ", ")) + relation.tail();
}

// What several places read is computed once, before the statement's own rows.
Result<NodeLowering::Relation> NodeLowering::shared(const plan::Shared& node) {
  const plan::NodePtr& definition = node.definition;
  std::string name = shared_names_[definition.get()];
  if (name.empty()) {
    TRY_ASSIGN(const Relation rows, lower(definition));
    name = fmt::format("w{}", shared_.size());
    shared_.push_back(fmt::format("{} AS MATERIALIZED (SELECT {}{})", name, columns_of(*definition),
                                  rows.tail()));
    shared_names_[definition.get()] = name;
  }
  std::vector<std::string> columns;
  std::unordered_set<std::int64_t> seen;
  for (std::size_t i = 0; i < node.output.size(); ++i) {
    const auto id = node.output[i].id;
    if (!seen.insert(static_cast<std::int64_t>(id)).second) continue;
    columns.push_back(column_name(node.columns[i]) + " AS " + column_name(id));
  }
  return wrap(fmt::format("SELECT {} FROM {}",
                          columns.empty() ? "0 AS c_none" : millstream::join(columns, ", "), name));
}

Result<NodeLowering::Relation> NodeLowering::lower(const NodePtr& node) {
  switch (node->kind) {
    case NodeKind::scan:
    case NodeKind::stream_scan:
    case NodeKind::local:
    case NodeKind::collect_metrics: {
      TRY_ASSIGN(std::string from, leaves_.leaf(node));
      return Relation{std::move(from), {}};
    }
    case NodeKind::range:
      return range(as<plan::Range>(*node));
    case NodeKind::project:
      return project(as<plan::Project>(*node));
    case NodeKind::filter:
      return filter(as<plan::Filter>(*node));
    case NodeKind::aggregate:
      return aggregate(as<plan::Aggregate>(*node));
    case NodeKind::join:
      return join(as<plan::Join>(*node));
    case NodeKind::set_operation:
      return set_operation(as<plan::SetOperation>(*node));
    case NodeKind::deduplicate:
      return deduplicate(as<plan::Deduplicate>(*node));
    case NodeKind::sort:
      return sort(as<plan::Sort>(*node));
    case NodeKind::limit:
      return limit(as<plan::Limit>(*node));
    case NodeKind::generate:
      return generate(as<plan::Generate>(*node));
    case NodeKind::sample:
      return sample(as<plan::Sample>(*node));
    case NodeKind::shared:
      return shared(as<plan::Shared>(*node));
    case NodeKind::recursion:
    case NodeKind::recursion_input:
      return Status::unsupported("WITH RECURSIVE is not supported here");
    case NodeKind::watermark:
    case NodeKind::repartition:
      return lower(node->children[0]);
  }
  CHECK(false);
}

namespace {

// How the rows of `input` are spread in Spark, when it is a range.
std::optional<ExprLowering::Partitions> partitions_of(const plan::Node& input) {
  if (input.kind != plan::NodeKind::range) return {};
  const auto& range = static_cast<const plan::Range&>(input);
  if (range.step == 0 || range.partitions.value_or(1) <= 1) return {};
  const __int128 span = static_cast<__int128>(range.end) - range.start;
  const __int128 rows = (span + range.step - (range.step > 0 ? 1 : -1)) / range.step;
  // Counts that would not fit a BIGINT are left in one partition.
  if (rows <= 0 || rows > 1'000'000'000'000 || *range.partitions > 1'000'000) return {};
  return ExprLowering::Partitions{static_cast<std::int64_t>(rows), *range.partitions};
}

}  // namespace

Result<NodeLowering::Relation> NodeLowering::project(const plan::Project& node) {
  Relation input;
  if (!node.children.empty()) {
    TRY_ASSIGN(input, lower(node.children[0]));
  }
  exprs_.set_partitions(node.children.empty() ? std::nullopt : partitions_of(*node.children[0]));
  std::vector<std::string> columns;
  std::unordered_set<std::int64_t> seen;
  for (std::size_t i = 0; i < node.exprs.size(); ++i) {
    const auto id = node.output[i].id;
    if (!seen.insert(static_cast<std::int64_t>(id)).second) continue;
    TRY_ASSIGN(const std::string sql, exprs_.lower(*node.exprs[i]));
    TRY(exprs_.pass_magnitude(id, *node.exprs[i]));
    columns.push_back(sql + " AS " + column_name(id));
  }
  exprs_.set_partitions({});
  const std::string list = columns.empty() ? "0 AS c_none" : millstream::join(columns, ", ");
  return wrap("SELECT " + list + (node.children.empty() ? "" : input.tail()));
}

Result<NodeLowering::Relation> NodeLowering::filter(const plan::Filter& node) {
  TRY_ASSIGN(Relation input, lower(node.children[0]));
  std::vector<plan::ExprPtr> parts;
  plan::split_conjuncts(node.condition, parts);
  const std::size_t before = input.where.size();
  std::vector<std::string> conditions = input.where;
  for (const auto& part : parts) {
    TRY_ASSIGN(std::string sql, exprs_.lower_conjunct(*part));
    conditions.push_back(std::move(sql));
  }
  for (std::string& sql : guarded(conditions, before)) input.where.push_back(std::move(sql));
  return input;
}

Result<NodeLowering::Relation> NodeLowering::aggregate(const plan::Aggregate& node) {
  TRY_ASSIGN(const Relation input, lower(node.children[0]));
  std::vector<std::string> inner = {columns_of(*node.children[0])};
  std::vector<std::string> names;
  std::map<std::string, std::string> keys;
  for (std::size_t i = 0; i < node.keys.size(); ++i) {
    TRY_ASSIGN(const std::string sql, exprs_.lower_key(*node.keys[i]));
    const TypeKind kind = node.keys[i]->type->kind();
    const bool floating = kind == TypeKind::float_ || kind == TypeKind::double_;
    names.push_back(fmt::format("g{}", i));
    // -0.0 and 0.0 are one group, shown as 0.0.
    inner.push_back(fmt::format("{} AS {}", floating ? "(" + sql + " + 0)" : sql, names.back()));
    keys.emplace(sql, names.back());
  }
  std::string from = "(SELECT " + millstream::join(inner, ", ") + input.tail() + ")";
  std::string by = " GROUP BY " + (names.empty() ? "()" : millstream::join(names, ", "));
  if (!node.grouping_sets.empty()) {
    std::vector<std::string> sets;
    for (const auto& set : node.grouping_sets) {
      std::vector<std::string> members;
      for (const int key : set) members.push_back(names[static_cast<std::size_t>(key)]);
      sets.push_back("(" + millstream::join(members, ", ") + ")");
    }
    // Spark repeats each row for each set: no row, no group, not even of the set without columns.
    by = " GROUP BY GROUPING SETS (" + millstream::join(sets, ", ") + ") HAVING count(*) > 0";
  }
  std::vector<const plan::Expr*> grouped;
  if (std::any_of(node.exprs.begin(), node.exprs.end(),
                  [](const auto& e) { return plan::contains(*e, plan::ExprKind::window); })) {
    for (const auto& e : node.exprs) find_grouped(*e, grouped);
  }
  const bool sortable = can_sort_extremes(node);
  has_text_extremes_ = has_text_extremes_ || sortable;
  if (sortable && text_extremes_ == TextExtremes::sorted) {
    exprs_.set_keys(keys);
    auto groups = sorted_groups(node, from, names, keys);
    if (!groups.ok()) exprs_.set_keys({});
    TRY_ASSIGN(from, std::move(groups));
    by.clear();
  }
  if (!grouped.empty()) {
    // Window functions come behind the grouping, over its results.
    std::vector<std::string> results = names;
    exprs_.set_keys(keys);
    for (const plan::Expr* e : grouped) {
      const auto sql = exprs_.lower(*e);
      if (!sql.ok()) {
        exprs_.set_keys({});
        return sql.status();
      }
      const std::string name = fmt::format("a{}", results.size());
      if (keys.emplace(*sql, name).second) results.push_back(*sql + " AS " + name);
    }
    from = fmt::format("(SELECT {} FROM {}{})", millstream::join(results, ", "), from, by);
    by.clear();
  }
  exprs_.set_keys(std::move(keys));
  std::vector<std::string> columns;
  for (std::size_t i = 0; i < node.exprs.size(); ++i) {
    const auto sql = exprs_.lower(*node.exprs[i]);
    if (!sql.ok()) {
      exprs_.set_keys({});
      return sql.status();
    }
    columns.push_back(*sql + " AS " + column_name(node.output[i].id));
  }
  exprs_.set_keys({});
  const std::string list = columns.empty() ? "0 AS c_none" : millstream::join(columns, ", ");
  return wrap(fmt::format("SELECT {} FROM {}{}", list, from, by));
}

std::string NodeLowering::side(const Relation& relation, const Node& node) {
  if (relation.where.empty() && relation.joined) return "(" + relation.from + ")";
  const std::string name = fmt::format(" AS r{}", next_side_++);
  if (relation.where.empty() && !relation.from.empty()) return relation.from + name;
  return "(SELECT " + columns_of(node) + relation.tail() + ")" + name;
}

// Equalities of both sides are computed for all rows, as Spark does for the keys of a join; the
// other conditions in turn.
Result<std::string> NodeLowering::join_condition(const plan::Join& node) {
  if (node.condition == nullptr) return std::string("true");
  plan::IdSet left;
  plan::IdSet right;
  for (const auto& a : node.children[0]->output) left.insert(plan::key_of(a.id));
  for (const auto& a : node.children[1]->output) right.insert(plan::key_of(a.id));
  std::vector<plan::ExprPtr> parts;
  plan::split_conjuncts(node.condition, parts);
  std::vector<std::string> keys;
  std::vector<std::string> others;
  for (const auto& part : parts) {
    TRY_ASSIGN(std::string sql, exprs_.lower(*part));
    bool key = part->kind == plan::ExprKind::call && part->name == "equal";
    if (key) {
      const plan::Expr& a = *part->children[0];
      const plan::Expr& b = *part->children[1];
      key = (plan::subset(a, left) && plan::subset(b, right)) ||
            (plan::subset(a, right) && plan::subset(b, left));
    }
    (key ? keys : others).push_back(std::move(sql));
  }
  std::vector<std::string> all = keys;
  all.insert(all.end(), others.begin(), others.end());
  for (std::string& sql : guarded(all, keys.size())) keys.push_back(std::move(sql));
  return all_true(keys);
}

// Inner joins follow one another in one FROM, so that DuckDB may take them in another order.
Result<NodeLowering::Relation> NodeLowering::join(const plan::Join& node) {
  TRY_ASSIGN(Relation left, lower(node.children[0]));
  for (std::size_t i = 0; i < node.lateral.size(); ++i) {
    TRY_ASSIGN(std::string value, exprs_.lower(*node.lateral_values[i]));
    exprs_.bind(node.lateral[i], std::move(value));
  }
  TRY_ASSIGN(const Relation right, lower(node.children[1]));
  using plan::JoinType;
  static const std::map<JoinType, std::string> words = {
      {JoinType::inner, " INNER JOIN"}, {JoinType::left, " LEFT JOIN"},
      {JoinType::right, " RIGHT JOIN"}, {JoinType::full, " FULL JOIN"},
      {JoinType::semi, " SEMI JOIN"},   {JoinType::anti, " ANTI JOIN"},
      {JoinType::cross, " INNER JOIN"}};
  TRY_ASSIGN(const std::string condition, join_condition(node));
  const bool inner = node.type == JoinType::inner || node.type == JoinType::cross;
  Relation out;
  // Conditions above a chain stay above the longer one.
  if (inner && left.joined && node.lateral.empty()) out.where = std::exchange(left.where, {});
  const std::string first =
      left.joined && left.where.empty() ? left.from : side(left, *node.children[0]);
  const std::string from = fmt::format("{}{}{} {} ON {}", first, words.at(node.type),
                                       node.lateral.empty() ? "" : " LATERAL",
                                       side(right, *node.children[1]), condition);
  if (inner && node.lateral.empty()) {
    out.from = from;
    out.joined = true;
    return out;
  }
  const bool left_only = node.type == JoinType::semi || node.type == JoinType::anti;
  std::string columns = left_only ? columns_of(*node.children[0]) : columns_of(node);
  if (node.output.empty()) columns = "0 AS c_none";
  return wrap(fmt::format("SELECT {} FROM {}", columns, from));
}

namespace {

// The inputs of UNION ALLs within one another, all at once: DuckDB recurses over a chain of two and
// two.
std::vector<NodePtr> inputs_of(const plan::SetOperation& node) {
  std::vector<NodePtr> out;
  std::vector<NodePtr> open(node.children.rbegin(), node.children.rend());
  while (!open.empty()) {
    NodePtr child = std::move(open.back());
    open.pop_back();
    const bool nested = child->kind == NodeKind::set_operation &&
                        node.type == plan::SetOperationType::union_all &&
                        as<plan::SetOperation>(*child).type == node.type &&
                        child->output.size() == node.output.size();
    if (nested) {
      open.insert(open.end(), child->children.rbegin(), child->children.rend());
    } else {
      out.push_back(std::move(child));
    }
  }
  return out;
}

// SELECT without FROM: one row, written in the query.
bool is_written_row(const NodePtr& node) {
  if (node->kind != NodeKind::project || !node->children.empty()) return false;
  const auto& exprs = as<plan::Project>(*node).exprs;
  return !exprs.empty() && std::all_of(exprs.begin(), exprs.end(), [](const plan::ExprPtr& expr) {
    return plan::is_deterministic(*expr) && !plan::contains(*expr, plan::ExprKind::subquery) &&
           !plan::contains(*expr, plan::ExprKind::window) &&
           !plan::contains(*expr, plan::ExprKind::generator);
  });
}

Result<std::string> written_rows(ExprLowering& exprs, const std::vector<NodePtr>& rows) {
  std::vector<std::string> texts;
  for (const NodePtr& row : rows) {
    std::vector<std::string> values;
    for (const plan::ExprPtr& value : as<plan::Project>(*row).exprs) {
      TRY_ASSIGN(std::string sql, exprs.lower(*value));
      values.push_back(std::move(sql));
    }
    texts.push_back("(" + millstream::join(values, ", ") + ")");
  }
  return millstream::join(texts, ", ");
}

}  // namespace

Result<NodeLowering::Relation> NodeLowering::set_operation(const plan::SetOperation& node) {
  using plan::SetOperationType;
  static const std::map<SetOperationType, std::string> words = {
      {SetOperationType::union_all, " UNION ALL "},
      {SetOperationType::union_distinct, " UNION "},
      {SetOperationType::intersect_all, " INTERSECT ALL "},
      {SetOperationType::intersect, " INTERSECT "},
      {SetOperationType::except_all, " EXCEPT ALL "},
      {SetOperationType::except, " EXCEPT "}};
  const std::vector<NodePtr> inputs = inputs_of(node);
  const bool rows = node.type == SetOperationType::union_all &&
                    std::all_of(inputs.begin(), inputs.end(), is_written_row);
  if (rows) {
    // DuckDB runs the inputs of a UNION ALL side by side: first() and last() would go by chance.
    TRY_ASSIGN(const std::string written, written_rows(exprs_, inputs));
    std::vector<std::string> names;
    for (const auto& attribute : node.output) {
      exprs_.forget_magnitude(attribute.id);
      names.push_back(column_name(attribute.id));
    }
    return wrap(fmt::format("SELECT * FROM (VALUES {}) AS written({})", written,
                            millstream::join(names, ", ")));
  }
  std::string sql;
  for (const NodePtr& child : inputs) {
    TRY_ASSIGN(const Relation input, lower(child));
    std::vector<std::string> columns;
    std::size_t at = 0;
    for (const auto& attribute : child->output) {
      if (attribute.hidden) continue;
      if (at >= node.output.size())
        return Status::internal("a set operation's inputs have different widths");
      columns.push_back(column_name(attribute.id) + " AS " + column_name(node.output[at++].id));
    }
    if (!sql.empty()) sql += words.at(node.type);
    sql += "(SELECT " + (columns.empty() ? "0 AS c_none" : millstream::join(columns, ", ")) +
           input.tail() + ")";
  }
  // The output may go by the ids of one input, whose magnitudes are not the other's.
  for (const auto& attribute : node.output) exprs_.forget_magnitude(attribute.id);
  return wrap(sql);
}

Result<NodeLowering::Relation> NodeLowering::deduplicate(const plan::Deduplicate& node) {
  TRY_ASSIGN(const Relation input, lower(node.children[0]));
  if (node.keys.empty()) return wrap("SELECT DISTINCT " + columns_of(node) + input.tail());
  std::vector<std::string> keys;
  for (const auto& key : node.keys) {
    TRY_ASSIGN(std::string sql, exprs_.lower(*key));
    keys.push_back(std::move(sql));
  }
  std::vector<std::string> columns;
  std::unordered_set<std::int64_t> seen;
  for (const auto& attribute : node.output) {
    if (!seen.insert(static_cast<std::int64_t>(attribute.id)).second) continue;
    const std::string name = column_name(attribute.id);
    const bool is_key = std::find(keys.begin(), keys.end(), name) != keys.end();
    columns.push_back((is_key ? without_negative_zero(name, attribute.type) : name) + " AS " +
                      name);
  }
  return wrap(fmt::format("SELECT DISTINCT ON ({}) {}{}", millstream::join(keys, ", "),
                          millstream::join(columns, ", "), input.tail()));
}

Result<NodeLowering::Relation> NodeLowering::sort(const plan::Sort& node) {
  TRY_ASSIGN(const Relation input, lower(node.children[0]));
  // DuckDB refuses constants, which order nothing.
  std::vector<plan::SortKey> keys = node.keys;
  std::erase_if(keys, [](const plan::SortKey& key) { return plan::is_foldable(*key.expr); });
  TRY_ASSIGN(const std::string order, exprs_.lower_order(keys));
  if (order.empty()) return input;
  return wrap(
      fmt::format("SELECT {}{} ORDER BY {}", columns_of(*node.children[0]), input.tail(), order));
}

Result<NodeLowering::Relation> NodeLowering::limit(const plan::Limit& node) {
  TRY_ASSIGN(const Relation input, lower(node.children[0]));
  const std::string columns = columns_of(node);
  if (node.tail) {
    const std::int64_t count = node.count.value_or(0);
    return wrap(fmt::format(
        "SELECT {0} FROM (SELECT {0}, row_number() OVER () AS t_row, count(*) OVER () AS t_all{1}) "
        "WHERE t_row > t_all - {2} ORDER BY t_row",
        columns, input.tail(), count));
  }
  std::string sql = "SELECT " + columns + input.tail();
  if (node.count.has_value()) sql += fmt::format(" LIMIT {}", *node.count);
  if (node.offset > 0) sql += fmt::format(" OFFSET {}", node.offset);
  return wrap(sql);
}

Result<NodeLowering::Relation> NodeLowering::range(const plan::Range& node) {
  const std::string name = node.output.empty() ? "c_none" : column_name(node.output[0].id);
  if (node.step == 0) return Status::invalid("step cannot be 0");
  return wrap(fmt::format("SELECT range AS {} FROM range({}::BIGINT, {}::BIGINT, {}::BIGINT)", name,
                          node.start, node.end, node.step));
}

namespace {

// The partition of a row and the row's place in it, by which a sample takes it or not: each of
// Spark's partitions has a seed of its own.
struct SamplePlace {
  std::string partition;
  std::string row;  // from 1
};
SamplePlace sample_place(const plan::Sample& node) {
  const plan::Node* input = node.children[0].get();
  while (input->kind == plan::NodeKind::project && !input->children.empty())
    input = input->children[0].get();
  const auto partitions = partitions_of(*input);
  if (!partitions) return {"0", "row_number() OVER ()"};
  const std::string partition =
      fmt::format("((row_number() OVER ()) * {} - 1) // {}", partitions->count, partitions->rows);
  return {partition, fmt::format("row_number() OVER () - ({0}) * {1} // {2}", partition,
                                 partitions->rows, partitions->count)};
}

}  // namespace

Result<NodeLowering::Relation> NodeLowering::sample(const plan::Sample& node) {
  TRY_ASSIGN(const Relation input, lower(node.children[0]));
  const SamplePlace place = sample_place(node);
  if (node.with_replacement) {
    const double mean = node.upper - node.lower;
    if (!(mean < PoissonRandom::mean_end))
      return Status::unsupported("sampling of each row 40 times and more is not supported");
    return wrap(
        fmt::format("SELECT {0} FROM (SELECT {0}, unnest(range(t_x)) AS t_y FROM (SELECT {0}, "
                    "ms_sample_count({1}::BIGINT, {2}, {3}, {4:.17g}::DOUBLE) AS t_x{5}))",
                    columns_of(node), node.seed, place.partition, place.row, mean, input.tail()));
  }
  const std::string number =
      fmt::format("ms_sample({}::BIGINT + {}, {})", node.seed, place.partition, place.row);
  // A number for each row that depends on the seed and the row's place alone: complementary bounds
  // give disjoint samples. The numbers are Spark's where its rows are in one partition.
  if (node.by != nullptr) {
    TRY_ASSIGN(const std::string fraction, exprs_.lower(*node.by));
    return wrap(
        fmt::format("SELECT {0} FROM (SELECT {0}, {1} AS t_x, {2} AS t_f{3}) WHERE t_x < t_f",
                    columns_of(node), number, fraction, input.tail()));
  }
  return wrap(
      fmt::format("SELECT {0} FROM (SELECT {0}, {1} AS t_x{2}) WHERE t_x >= {3:.17g} AND t_x < "
                  "{4:.17g}",
                  columns_of(node), number, input.tail(), node.lower, node.upper));
}

// json_tuple(text, name…): one row for each, a column for each name.
Result<NodeLowering::Relation> NodeLowering::json_tuple(const plan::Generate& node,
                                                        const Relation& input) {
  const plan::Expr& generator = *node.generator;
  std::vector<std::string> columns = {columns_of(*node.children[0])};
  TRY_ASSIGN(const std::string text, exprs_.lower(*generator.children[0]));
  const std::size_t first = node.children[0]->output.size();
  for (std::size_t i = 1; i < generator.children.size(); ++i) {
    TRY_ASSIGN(const std::string name, exprs_.lower(*generator.children[i]));
    columns.push_back(
        fmt::format("ms_json_text(ms_json_field(ms_json_document({}, '{{'), {})) AS {}", text, name,
                    column_name(node.output[first + i - 1].id)));
  }
  return wrap("SELECT " + millstream::join(columns, ", ") + input.tail());
}

Result<NodeLowering::Relation> NodeLowering::generate(const plan::Generate& node) {
  TRY_ASSIGN(const Relation input, lower(node.children[0]));
  const plan::Expr& generator = *node.generator;
  if (generator.name == "json_tuple") return json_tuple(node, input);
  TRY_ASSIGN(const std::string value, exprs_.lower(*generator.children[0]));
  const column::TypePtr& type = generator.children[0]->type;
  const bool outer = node.outer || generator.name.ends_with("_outer");
  const std::string below = columns_of(*node.children[0]);
  const std::string from = fmt::format("(SELECT {}, {} AS t_all{})", below, value, input.tail());
  const std::size_t first = node.children[0]->output.size();
  std::vector<std::string> names;
  for (std::size_t i = first; i < node.output.size(); ++i)
    names.push_back(column_name(node.output[i].id));
  const bool map = type->kind() == TypeKind::map;
  const std::string size = map ? "cardinality(t_all)" : "len(t_all)";
  const auto unfold = [&](const std::string& list, const std::string& element) {
    if (!outer) return "unnest(" + list + ")";
    return fmt::format("unnest(CASE WHEN {} > 0 THEN {} ELSE [CAST(NULL AS {})] END)", size, list,
                       element);
  };
  std::vector<std::string> columns;
  std::size_t at = 0;
  if (generator.name.starts_with("pos")) {
    columns.push_back(fmt::format("CAST({} AS INTEGER) AS {}",
                                  unfold("range(CAST(" + size + " AS BIGINT))", "BIGINT"),
                                  names[at++]));
  }
  if (map) {
    TRY_ASSIGN(const std::string key, physical_sql(type->key()));
    TRY_ASSIGN(const std::string item, physical_sql(type->value()));
    columns.push_back(unfold("map_keys(t_all)", key) + " AS " + names[at++]);
    columns.push_back(unfold("map_values(t_all)", item) + " AS " + names[at++]);
  } else {
    TRY_ASSIGN(const std::string element, physical_sql(type->element()));
    const bool members = generator.name.starts_with("inline");
    columns.push_back(unfold("t_all", element) + " AS " + (members ? "t_row" : names[at++]));
    if (members) {
      std::vector<std::string> parts;
      for (std::size_t i = 0; i < names.size(); ++i)
        parts.push_back(fmt::format("struct_extract(t_row, 'f{}') AS {}", i, names[i]));
      return wrap(fmt::format("SELECT {0}, {1} FROM (SELECT {0}, {2} FROM {3})", below,
                              millstream::join(parts, ", "), columns[0], from));
    }
  }
  return wrap(fmt::format("SELECT {}, {} FROM {}", below, millstream::join(columns, ", "), from));
}

}  // namespace millstream::engine
