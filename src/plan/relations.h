// RelationAnalyzer: one relation after the other, inputs first, to resolved nodes. A chain of
// one-input relations is a loop, so its length costs no stack. Made for one analyze() call; the
// methods are spread over relation_*.cc by subject.
#pragma once

#include <string>
#include <vector>

#include "plan/expressions.h"

namespace spark::connect {
class Aggregate;
class CachedLocalRelation;
class ChunkedCachedLocalRelation;
class CollectMetrics;
class Deduplicate;
class Drop;
class Join;
class LocalRelation;
class NADrop;
class NAFill;
class NAReplace;
class Project;
class Range;
class Read;
class Repartition;
class Sample;
class SetOperation;
class Sort;
class SubqueryAlias;
class ToDF;
class ToSchema;
class WithColumns;
class WithColumnsRenamed;
class WithWatermark;
}  // namespace spark::connect

namespace millstream::plan {

class RelationAnalyzer {
 public:
  RelationAnalyzer(Resolver& resolver, const AnalyzerSettings& settings)
      : resolver_(resolver), settings_(settings) {}

  Result<NodePtr> relation(const spark::connect::Relation& proto);

 private:
  using Exprs = std::vector<ExprPtr>;

  Result<NodePtr> leaf(const spark::connect::Relation& proto);  // and those with two inputs
  Result<NodePtr> unary(const spark::connect::Relation& proto, NodePtr input);

  // relation_leaf.cc, local_relation.cc
  Result<NodePtr> read(const spark::connect::Read& proto);
  Result<NodePtr> range(const spark::connect::Range& proto);
  Result<NodePtr> local(const spark::connect::LocalRelation& proto);
  Result<NodePtr> cached_local(const spark::connect::CachedLocalRelation& proto);
  Result<NodePtr> chunked_local(const spark::connect::ChunkedCachedLocalRelation& proto);

  // relation_project.cc
  Result<NodePtr> project(const spark::connect::Project& proto, NodePtr input);
  Result<NodePtr> filter(const spark::connect::Expression& condition, NodePtr input);
  Result<NodePtr> sort(const spark::connect::Sort& proto, NodePtr input);
  Result<NodePtr> with_columns(const spark::connect::WithColumns& proto, NodePtr input);
  Result<NodePtr> renamed(const spark::connect::WithColumnsRenamed& proto, NodePtr input);
  Result<NodePtr> drop(const spark::connect::Drop& proto, NodePtr input);
  Result<NodePtr> select(Exprs exprs, const std::vector<std::vector<std::string>>& generator_names,
                         NodePtr input);

  // relation_aggregate.cc
  Result<NodePtr> aggregate(const spark::connect::Aggregate& proto, NodePtr input);
  Result<NodePtr> collect_metrics(const spark::connect::CollectMetrics& proto, NodePtr input);

  // relation_join.cc
  Result<NodePtr> join_relation(const spark::connect::Join& proto);
  Result<NodePtr> using_join(const spark::connect::Join& proto, const NodePtr& left,
                             const NodePtr& right);
  Result<NodePtr> set_operation(const spark::connect::SetOperation& proto);

  // relation_shape.cc
  Result<NodePtr> deduplicate(const spark::connect::Deduplicate& proto, NodePtr input);
  Result<NodePtr> watermark(const spark::connect::WithWatermark& proto, NodePtr input);
  Result<NodePtr> subquery_alias(const spark::connect::SubqueryAlias& proto, NodePtr input);
  Result<NodePtr> to_df(const spark::connect::ToDF& proto, NodePtr input);
  Result<NodePtr> to_schema(const spark::connect::ToSchema& proto, NodePtr input);
  Result<NodePtr> sample(const spark::connect::Sample& proto, NodePtr input);
  Result<NodePtr> limit(NodePtr input, std::optional<std::int64_t> count, std::int64_t offset,
                        bool tail);

  // relation_na.cc
  Result<NodePtr> fill_na(const spark::connect::NAFill& proto, NodePtr input);
  Result<NodePtr> drop_na(const spark::connect::NADrop& proto, NodePtr input);
  Result<NodePtr> replace(const spark::connect::NAReplace& proto, NodePtr input);

  // time_window.cc: replaces window(…) in `exprs` by a column that a projection of the new input
  // makes.
  Result<NodePtr> expand_time_windows(NodePtr input, Exprs& exprs);
  // relation_aggregate.cc
  Result<NodePtr> pivot(const spark::connect::Aggregate& proto, NodePtr input, Exprs keys,
                        Exprs aggregates, ExprPtr column);

  Scope scope_of(std::vector<NodePtr> inputs) const {
    return Scope(std::move(inputs), settings_.case_sensitive);
  }

  Resolver& resolver_;
  const AnalyzerSettings& settings_;
};

// --- nodes
// ----------------------------------------------------------------------------------------------------------

// A projection. The input's hidden columns stay reachable through it.
NodePtr make_project(NodePtr input, std::vector<ExprPtr> exprs);
// The same columns; a node of its own to carry a DataFrame's id or other qualifiers.
NodePtr make_identity(NodePtr input);
NodePtr make_filter(NodePtr input, ExprPtr condition);
// Without hidden columns: for operators that compare or match whole rows.
NodePtr visible_only(NodePtr input);
std::vector<ExprPtr> visible_columns(const Node& node);
// The node with a DataFrame's id; nodes are shared, so it is a copy.
NodePtr with_plan_id(const NodePtr& node, std::int64_t plan_id);

// Columns below `node` that it does not output, for the names of a Sort or Filter above it.
class MissingColumns {
 public:
  MissingColumns(NodePtr node, bool case_sensitive)
      : node_(std::move(node)), case_sensitive_(case_sensitive) {}
  Result<std::optional<ExprPtr>> find(const NameParts& parts,
                                      std::optional<std::int64_t> plan_id) const;
  // The node with the columns that `exprs` need and it lacks; itself when it lacks none. Over an
  // aggregate, `exprs` may hold aggregate functions: they become columns of it, and `exprs` then
  // refer to those.
  Result<NodePtr> provide(std::vector<ExprPtr>& exprs) const;

 private:
  NodePtr node_;
  bool case_sensitive_;
};

// Each node but the arguments of aggregate functions. The function of an OVER counts as none.
void visit_outside_aggregates(const Expr& e, const std::function<void(const Expr&)>& f);
bool has_aggregate_function(const Expr& expr);
Status check_no_generator(const Expr& expr, const std::string& operator_name);

// relation_aggregate.cc. `keys` are attributes or aliases; `exprs` (attributes or aliases) hold
// aggregate functions and what the keys determine.
Result<NodePtr> make_aggregate(NodePtr input, std::vector<ExprPtr> keys, std::vector<ExprPtr> exprs,
                               std::vector<std::vector<int>> grouping_sets = {});
// The Aggregate with more columns, for expressions of a Sort or Filter above it, which are
// rewritten to refer to them.
Result<NodePtr> extend_aggregate(const NodePtr& aggregate, std::vector<ExprPtr>& exprs);

}  // namespace millstream::plan
