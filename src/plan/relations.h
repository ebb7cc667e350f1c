// RelationAnalyzer: one relation after the other, inputs first, to resolved nodes. A chain of
// one-input relations is a loop, so its length costs no stack. Made for one analyze() call; the
// methods are spread over relation_*.cc by subject.
#pragma once

#include <string>
#include <vector>

#include "plan/expressions.h"
#include "plan/subquery.h"

namespace spark::connect {
class Aggregate;
class CachedLocalRelation;
class ChunkedCachedLocalRelation;
class CollectMetrics;
class Deduplicate;
class Drop;
class Hint;
class Join;
class AsOfJoin;
class LateralJoin;
class NearestByJoin;
class LocalRelation;
class NADrop;
class NAFill;
class NAReplace;
class Project;
class Range;
class Read;
class Repartition;
class RepartitionByExpression;
class SQL;
class Sample;
class SetOperation;
class Sort;
class Parse;
class StatApproxQuantile;
class StatCorr;
class StatCov;
class StatCrosstab;
class StatDescribe;
class StatFreqItems;
class StatSampleBy;
class StatSummary;
class Transpose;
class Unpivot;
class SubqueryAlias;
class ToDF;
class ToSchema;
class UnresolvedTableValuedFunction;
class WithColumns;
class WithColumnsRenamed;
class WithRelations;
class WithWatermark;
}  // namespace spark::connect

namespace millstream::plan {

class RelationAnalyzer final : private SubqueryAnalyzer {
 public:
  RelationAnalyzer(Resolver& resolver, const AnalyzerSettings& settings)
      : resolver_(resolver), settings_(settings) {}

  Result<NodePtr> relation(const spark::connect::Relation& proto);
  // For expressions over plans that are analysed already; `text` (may be null) is what places are
  // in.
  Scope scope_over(std::vector<NodePtr> inputs, const std::string* text) {
    text_ = text;
    return scope_of(std::move(inputs));
  }

 private:
  using Exprs = std::vector<ExprPtr>;

  Result<NodePtr> operators(const spark::connect::Relation& proto);
  Status placed(const Status& status, const spark::connect::Relation& proto) const;
  Result<NodePtr> leaf(const spark::connect::Relation& proto);  // and those with two inputs
  Result<NodePtr> unary(const spark::connect::Relation& proto, NodePtr input);
  Result<NodePtr> statistic(const spark::connect::Relation& proto, NodePtr input);
  NodePtr with_cached_rows(const spark::connect::Relation& proto, NodePtr node);

  // relation_leaf.cc, local_relation.cc
  Result<NodePtr> read(const spark::connect::Read& proto);
  Result<NodePtr> range(const spark::connect::Range& proto);
  Result<NodePtr> local(const spark::connect::LocalRelation& proto);
  Result<NodePtr> cached_local(const spark::connect::CachedLocalRelation& proto);
  Result<NodePtr> chunked_local(const spark::connect::ChunkedCachedLocalRelation& proto);

  // query.cc
  Result<NodePtr> sql(const spark::connect::SQL& proto);
  Result<NodePtr> with_relations(const spark::connect::WithRelations& proto);
  NodePtr defined(const std::string& name);
  Result<NodePtr> recursion(const std::string& name, const spark::connect::Relation& hint);
  Result<NodePtr> analyze_subquery(std::int64_t plan_id, OuterScope& outer) override;
  void define_subqueries(const std::vector<spark::connect::Relation>& subqueries) override;
  void forget_subqueries(std::size_t count) override;
  std::optional<ExprPtr> session_variable(const NameParts& parts) override {
    return resolver_.variable(parts);
  }
  std::shared_ptr<const SqlFunction> sql_function(const std::string& name) override {
    return resolver_.sql_function(name);
  }
  Resolver& resolver() override { return resolver_; }
  Result<ExprPtr> constant_value(const ExprPtr& constant) override;
  Result<NodePtr> sql_table_function(const SqlFunction& function,
                                     const spark::connect::UnresolvedTableValuedFunction& proto,
                                     ExpressionAnalyzer& analyzer);
  Result<NodePtr> table_function(const spark::connect::UnresolvedTableValuedFunction& proto);
  Result<NodePtr> table_changes(const spark::connect::UnresolvedTableValuedFunction& proto,
                                bool by_path, ExpressionAnalyzer& analyzer);
  Result<std::optional<std::string>> constant_text(ExprPtr constant, ExpressionAnalyzer& analyzer);
  Result<NodePtr> range_function(const spark::connect::UnresolvedTableValuedFunction& proto,
                                 ExpressionAnalyzer& analyzer);
  Result<ExprPtr> generator(const spark::connect::UnresolvedTableValuedFunction& proto,
                            ExpressionAnalyzer& analyzer);
  Result<NodePtr> lateral_join(const spark::connect::LateralJoin& proto);
  Result<NodePtr> lateral_generator(const spark::connect::LateralJoin& proto,
                                    const spark::connect::UnresolvedTableValuedFunction& function,
                                    NodePtr left);
  Result<NodePtr> lateral_query(const spark::connect::LateralJoin& proto, NodePtr left);
  Result<NodePtr> limit_by(const spark::connect::Expression_UnresolvedFunction& call,
                           NodePtr input);

  // inline_table.cc
  Result<NodePtr> inline_table(const spark::connect::UnresolvedTableValuedFunction& proto);
  Result<NodePtr> sql_keywords();
  Result<NodePtr> collations();

  // relation_repartition.cc
  Result<NodePtr> repartition(const spark::connect::Repartition& proto, NodePtr input);
  Result<NodePtr> repartition_by(const spark::connect::RepartitionByExpression& proto,
                                 NodePtr input);
  Result<NodePtr> hinted(const spark::connect::Hint& hint, NodePtr input);
  Result<spark::connect::Expression> hint_column(const std::string& hint,
                                                 const spark::connect::Expression& parameter,
                                                 const NodePtr& input);

  // select.cc
  class SelectAnalyzer;
  Result<NodePtr> select_query(const spark::connect::Aggregate& proto, NodePtr input);
  Result<ExprPtr> pivot_value(const spark::connect::Expression& proto, const ExprPtr& column);
  Result<NodePtr> pivot_query(const spark::connect::Aggregate& proto, NodePtr input);

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
  // relation_nearest.cc
  Result<NodePtr> as_of_join(const spark::connect::AsOfJoin& proto);
  Result<NodePtr> nearest_by_join(const spark::connect::NearestByJoin& proto);
  Result<NodePtr> join_nodes(const spark::connect::Join& proto, NodePtr left, NodePtr right);
  Result<NodePtr> natural_join(const spark::connect::Join& proto, const NodePtr& left,
                               const NodePtr& right);
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

  // relation_stat.cc
  Result<NodePtr> describe(const spark::connect::StatDescribe& proto, NodePtr input);
  Result<NodePtr> summary(std::vector<std::string> statistics, NodePtr input);
  Result<NodePtr> crosstab(const spark::connect::StatCrosstab& proto, NodePtr input);
  Result<NodePtr> covariance(const spark::connect::StatCov& proto, NodePtr input);
  Result<NodePtr> correlation(const spark::connect::StatCorr& proto, NodePtr input);
  Result<NodePtr> approx_quantile(const spark::connect::StatApproxQuantile& proto, NodePtr input);
  Result<NodePtr> frequent_items(const spark::connect::StatFreqItems& proto, NodePtr input);
  Result<NodePtr> sample_by(const spark::connect::StatSampleBy& proto, NodePtr input);
  Result<ExprPtr> column_named(const std::string& name, const NodePtr& input);

  // relation_parse.cc
  Result<NodePtr> parse(const spark::connect::Parse& proto, NodePtr input);

  // relation_unpivot.cc
  Result<NodePtr> unpivot(const spark::connect::Unpivot& proto, NodePtr input);
  Result<NodePtr> transpose(const spark::connect::Transpose& proto, NodePtr input);

  // relation_na.cc
  Result<NodePtr> fill_na(const spark::connect::NAFill& proto, NodePtr input);
  Result<NodePtr> drop_na(const spark::connect::NADrop& proto, NodePtr input);
  Result<NodePtr> replace(const spark::connect::NAReplace& proto, NodePtr input);

  // time_window.cc: replaces window(…) in `exprs` by a column that a projection of the new input
  // makes.
  Result<NodePtr> expand_time_windows(NodePtr input, Exprs& exprs);
  // session_window.cc: the same for session_window(…); `grouped`: the first `key_count` of `exprs`
  // are the keys of an aggregate, in whose groups windows that meet become one.
  Result<NodePtr> expand_session_windows(NodePtr input, Exprs& exprs, std::size_t key_count,
                                         bool grouped);
  // relation_aggregate.cc
  Result<NodePtr> pivot(const Exprs& values, NodePtr input, Exprs keys, Exprs aggregates,
                        ExprPtr column);
  Result<NodePtr> pivot_by_conditions(const Exprs& values, NodePtr input, Exprs keys,
                                      const Exprs& aggregates, const ExprPtr& column);
  Result<Exprs> pivot_values(const spark::connect::Aggregate& proto, const NodePtr& input,
                             const ExprPtr& column);
  Result<Exprs> distinct_values(const NodePtr& input, const ExprPtr& column);

  Scope scope_of(std::vector<NodePtr> inputs) {
    Scope scope(std::move(inputs), settings_.case_sensitive);
    scope.set_surroundings(this, outer_);
    scope.set_text(text_);
    return scope;
  }

  // A name of WITH, or of a DataFrame given to spark.sql.
  struct Definition {
    std::string name;
    NodePtr node;
    bool inlined = false;  // is put where it is named
  };

  Resolver& resolver_;
  const AnalyzerSettings& settings_;
  std::vector<Definition> definitions_;  // in reach, innermost last
  std::vector<std::pair<std::int64_t, const spark::connect::Relation*>> subqueries_;  // likewise
  std::vector<const spark::connect::Relation*> subqueries_open_;  // under analysis, outermost first
  const std::string* text_ = nullptr;                             // of SQL, that is analysed now
  OuterScope* outer_ = nullptr;  // of the query around the one that is analysed
};

// --- nodes
// ----------------------------------------------------------------------------------------------------------

// A projection. The input's hidden columns stay reachable through it.
NodePtr make_project(NodePtr input, std::vector<ExprPtr> exprs);
// The same columns; a node of its own to carry a DataFrame's id or other qualifiers.
NodePtr make_identity(NodePtr input);
NodePtr make_filter(NodePtr input, ExprPtr condition);
// `right`, with ids of its own when it shares some with `left`.
NodePtr apart_from(const Node& left, const NodePtr& right);
// Without hidden columns: for operators that compare or match whole rows.
NodePtr visible_only(NodePtr input);
std::vector<ExprPtr> visible_columns(const Node& node);
// Each row `arrays[0]`'s length times: column i of copy k is element k of array i. The columns of
// `before` (attributes) come first; then `arrays` (aliases of arrays), under their names.
Result<NodePtr> make_unfolded(NodePtr input, std::vector<ExprPtr> before,
                              std::vector<ExprPtr> arrays, std::size_t length,
                              ExpressionAnalyzer& analyzer);
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

// Windows inside of windows become columns below.
NodePtr separate_windows(NodePtr input, std::vector<ExprPtr>& exprs);
// The plan with each name of WITH in the place where it is read, but those that are worth being
// computed once.
NodePtr place_definitions(const NodePtr& node);
// The node with other attributes, the given ones for those of its output.
NodePtr with_ids(const NodePtr& node, const std::vector<Attribute>& output);

// Each node but the arguments of aggregate functions. The function of an OVER counts as none.
void visit_outside_aggregates(const Expr& e, const std::function<void(const Expr&)>& f);
bool has_aggregate_function(const Expr& expr);
bool has_nested_aggregate(const Expr& expr);  // sum(sum(x))
Status check_no_generator(const Expr& expr, const std::string& operator_name);
// DATATYPE_MISMATCH.INVALID_ORDERING_TYPE: values of the key have no order.
Status check_ordering(const SortKey& key);
// An Aggregate that the SQL parser wrote for a SELECT; see select.cc.
bool is_sql_select(const spark::connect::Aggregate& proto);
bool is_sql_pivot(const spark::connect::Aggregate& proto);  // and for a PIVOT

// lateral_aliases.cc: names of aliases that stand earlier in the same list, `z` in (a + 1) AS z,
// z + 1. What such an alias stands for is computed once, in a projection below; among groups each
// name stands for all of it.
class LateralAliases {
 public:
  // `list` grows while its items are resolved.
  LateralAliases(std::vector<ExprPtr>& list, bool case_sensitive)
      : list_(list), case_sensitive_(case_sensitive) {}

  Result<std::optional<ExprPtr>> find(const NameParts& parts);
  // The input with what the names found stand for, when the list is whole.
  NodePtr settle(NodePtr input, bool grouped);

 private:
  struct Named {
    AttributeId alias;
    ExprPtr definition;
    Attribute column;
  };

  ExprPtr column_of(const NameParts& parts);  // null: there is none, or more than one

  std::vector<ExprPtr>& list_;
  const bool case_sensitive_;
  bool settled_ = false;      // names of keys and conditions stand for all of it
  std::vector<Named> named_;  // a definition may name the columns of those before it
};

// The list of a SELECT that aggregates and has generators: these work on what the aggregate gives.
class GeneratorsAbove {
 public:
  // Puts to `below` what the aggregate computes for that item.
  void add(const ExprPtr& item, std::vector<std::string> names, std::vector<ExprPtr>& below);
  bool any() const { return any_; }
  // Where what the item needs begins in `below`.
  std::size_t place_of(std::size_t item) const { return items_[item].first; }
  std::size_t size() const { return items_.size(); }
  // The list over the aggregate's output.
  std::vector<ExprPtr> over(const Node& aggregate) const;
  std::vector<std::vector<std::string>> names() const;

 private:
  struct Item {
    ExprPtr generator;  // null: another column
    std::size_t first = 0;
    std::vector<std::string> names;
  };
  std::vector<Item> items_;
  bool any_ = false;
};
// The names that the columns of the generator, which was expanded last, get; none: its own.
Result<std::vector<std::string>> generator_names(const ExprPtr& item,
                                                 const ExpressionAnalyzer& analyzer);
// The rows of `input`, each with those that the generator makes of it.
NodePtr make_generate(NodePtr input, const ExprPtr& generator,
                      const std::vector<std::string>& names);

// relation_aggregate.cc. `keys` are attributes or aliases; `exprs` (attributes or aliases) hold
// aggregate functions and what the keys determine; `having` (may be null) says which groups stay.
Result<NodePtr> make_aggregate(NodePtr input, std::vector<ExprPtr> keys, std::vector<ExprPtr> exprs,
                               std::vector<std::vector<int>> grouping_sets = {},
                               ExprPtr having = nullptr);
// The Aggregate with more columns, for expressions of a Sort or Filter above it, which are
// rewritten to refer to them.
Result<NodePtr> extend_aggregate(const NodePtr& aggregate, std::vector<ExprPtr>& exprs);

}  // namespace millstream::plan
