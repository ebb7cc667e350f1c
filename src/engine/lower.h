// A resolved plan as one DuckDB statement. Columns are named by their attribute's id ("c17"), so
// that names never meet. What cannot be computed as Spark does is refused by name. Used by one
// thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/value_kernel.h"
#include "plan/node.h"

namespace millstream::engine {

// A decimal operation that DuckDB does not have with Spark's result type; registered when a
// statement first needs it.
struct DecimalKernel {
  enum class Op : std::uint8_t {
    add,
    subtract,
    multiply,
    divide,
    remainder,
    pmod,
    div,
    round,
    from_string,
    from_double,
    high_part,  // a number of 38 digits as two that can be added up: high * 10^19 + low
    low_part,
    whole_sum  // of the sums of both parts
  };
  enum class Rounding : std::uint8_t { half_up, half_even, floor, ceiling };
  Op op = Op::add;
  int left_scale = 0;
  int right_scale = 0;  // round: the digits kept, may be negative
  int precision = 38;   // of the result
  int scale = 0;
  Rounding rounding = Rounding::half_up;
  bool null_on_error = false;

  std::string name() const;
  bool operator<(const DecimalKernel& other) const { return name() < other.name(); }
};

std::string sql_quote(std::string_view text);  // 'it''s'
std::string column_name(plan::AttributeId id);
// True when computing the SQL of an expression may end in an error that depends on the row.
bool can_fail(std::string_view sql);

// A decimal as Spark prints it.
std::string decimal_to_varchar(const std::string& value, const column::DataType& type);

// All conditions of a WHERE or ON, each under those before it where it can fail.
std::string all_true(const std::vector<std::string>& conditions);
std::vector<std::string> guarded(const std::vector<std::string>& conditions, std::size_t from);

// Expressions as SQL text.
class ExprLowering {
 public:
  explicit ExprLowering(std::string time_zone) : time_zone_(std::move(time_zone)) {}

  Result<std::string> lower(const plan::Expr& expr);
  // A key of a grouping, whose SQL is the same wherever it is lowered.
  Result<std::string> lower_key(const plan::Expr& expr);
  // A part of a WHERE, which takes NULL for false.
  Result<std::string> lower_conjunct(const plan::Expr& expr);
  Result<std::string> lower_order(const std::vector<plan::SortKey>& keys);
  Result<std::string> cast(const std::string& value, const column::TypePtr& from,
                           const column::TypePtr& to, bool ansi, bool attempt);
  Result<std::string> literal(const arrow::Scalar& value, const column::TypePtr& type);

  // No value of the column, an integer or a decimal without its point, is larger, whatever its
  // sign.
  void set_magnitude(plan::AttributeId id, std::int64_t max) { magnitudes_[id] = max; }
  void forget_magnitude(plan::AttributeId id) { magnitudes_.erase(id); }
  // An output column that is another one, or computed from others, is no larger than that.
  Status pass_magnitude(plan::AttributeId id, const plan::Expr& expr);

  // While it is set, an expression whose SQL is a key's text is that key's column.
  void set_keys(std::map<std::string, std::string> keys) { keys_ = std::move(keys); }

  // The rows below are a range in so many partitions, in order; otherwise they are in one.
  struct Partitions {
    std::int64_t rows = 0;
    int count = 1;
  };
  void set_partitions(std::optional<Partitions> partitions) { partitions_ = partitions; }

  // How the plan of a subquery becomes a statement.
  using SubqueryLowering = std::function<Result<std::string>(const plan::NodePtr&)>;
  void set_subquery_lowering(SubqueryLowering lowering) { lower_plan_ = std::move(lowering); }
  // What an expression without columns is, as SQL; nothing when computing it fails.
  using Evaluation = std::function<std::optional<std::string>(const std::string& sql,
                                                              const column::TypePtr& type)>;
  void set_evaluation(Evaluation evaluation) { evaluate_ = std::move(evaluation); }
  // The value of a lambda's, subquery's or lateral join's parameter.
  void bind(plan::AttributeId parameter, std::string sql) {
    lambda_names_[parameter] = std::move(sql);
  }

  std::set<DecimalKernel>& decimal_kernels() { return decimal_kernels_; }
  const std::map<std::string, ValueKernel>& value_kernels() const { return value_kernels_; }
  bool uses_now() const { return uses_now_; }

 private:
  using Arguments = std::vector<std::string>;

  Result<std::string> lower_kind(const plan::Expr& expr);
  Result<Arguments> lower_all(const std::vector<plan::ExprPtr>& exprs);
  Result<std::string> call(const plan::Expr& expr, const std::string& name,
                           const Arguments& arguments);
  std::optional<Result<std::string>> arithmetic_call(const plan::Expr& expr,
                                                     const std::string& name, const Arguments& a);
  Result<std::string> decimal_arithmetic(const plan::Expr& expr, const std::string& op,
                                         const Arguments& a, bool attempt);
  // A decimal of which all values are known to fit 64 bits (lower_narrow.cc).
  struct Narrow {
    std::string sql;  // of the type DECIMAL(18, scale)
    int scale = 0;
    std::int64_t max = 0;  // without its point
  };
  using MaybeNarrow = Result<std::optional<Narrow>>;
  MaybeNarrow narrow(const plan::Expr& expr);
  MaybeNarrow narrow_attribute(const plan::Expr& expr);
  MaybeNarrow narrow_literal(const plan::Expr& expr);
  MaybeNarrow narrow_cast(const plan::Expr& expr);
  MaybeNarrow narrow_arithmetic(const plan::Expr& expr);
  MaybeNarrow narrow_case(const plan::Expr& expr);
  Result<std::string> summed(const plan::Expr& expr, const std::string& sql);
  // Not where an expression is found by its SQL: among keys, but for what an aggregate is given.
  bool may_narrow() const { return narrow_off_ == 0 && (keys_.empty() || in_aggregate_); }
  Result<std::string> integral_arithmetic(const plan::Expr& expr, const std::string& op,
                                          const Arguments& a, bool attempt);
  Result<std::string> rounding(const plan::Expr& expr, const std::string& name, const Arguments& a);
  std::string compared(const std::string& sql, const column::TypePtr& type);
  std::string sort_key(const std::string& sql, const column::TypePtr& type);
  std::optional<std::string> ordering_call(const plan::Expr& expr, const std::string& name,
                                           const Arguments& a);
  std::optional<Result<std::string>> collection_call(const plan::Expr& expr,
                                                     const std::string& name, const Arguments& a);
  std::optional<Result<std::string>> other_call(const plan::Expr& expr, const std::string& name,
                                                const Arguments& a);
  std::optional<Result<std::string>> time_call(const plan::Expr& expr, const std::string& name,
                                               const Arguments& a);
  Result<std::string> higher_order(const plan::Expr& expr);
  Result<std::string> fold(const plan::Expr& expr);
  Result<std::string> body_of(const plan::Expr& lambda, const std::vector<std::string>& parameters);
  Result<std::string> over_entries(const plan::Expr& expr, const std::string& map);
  Result<std::string> zip_maps(const plan::Expr& expr, const Arguments& maps);
  Result<std::string> sort_by(const plan::Expr& expr, const std::string& list);
  // from_json and kin: the last argument may hold options.
  Result<std::string> document_call(const plan::Expr& expr, const std::string& name,
                                    const Arguments& a);
  Result<std::string> hash_call(const plan::Expr& expr, const Arguments& a);
  Result<std::string> aggregate(const plan::Expr& expr);
  // sum() of decimals in a type as wide as the sum's.
  std::string decimal_sum(const plan::Expr& expr, const std::string& value, int precision,
                          int scale, const std::string& filter, bool null_on_overflow);
  // An aggregate that is a function of the lists of its arguments' values.
  std::string over_lists(const plan::Expr& expr, std::string_view function, const Arguments& a,
                         const std::string& filter);
  // An aggregate that makes or merges sketches (sketches.h).
  Result<std::string> sketch_aggregate(const plan::Expr& expr, Arguments a,
                                       const std::string& filter);
  Result<std::string> window(const plan::Expr& expr);
  Result<std::string> frame(const plan::WindowSpec& spec);
  Result<std::string> logic(const plan::Expr& expr);
  Result<std::optional<std::string>> folded_or(const std::vector<const plan::Expr*>& parts);
  Result<std::string> until_null(const plan::Expr& expr, Arguments arguments);
  std::string in_turn(const std::vector<const plan::Expr*>& parts, const Arguments& sql, bool both);
  Result<std::string> from_template(const plan::Expr& expr, std::string_view text, Arguments a,
                                    const std::string& type);
  static plan::ExprPtr negation_moved_in(const plan::Expr& negation);
  Result<std::string> case_when(const plan::Expr& expr);
  Result<std::string> in_list(const plan::Expr& expr);
  Result<std::string> subquery(const plan::Expr& expr);
  // `is_open`: what is neither true nor false may stay NULL.
  Result<std::string> in_subquery(const plan::Expr& expr, bool negated, bool is_open = false);
  Result<std::string> subquery_plan(const plan::Expr& expr, const Arguments& arguments);
  Result<std::string> cast_to_string(const std::string& value, const column::DataType& from);
  Result<std::string> cast_from_string(const std::string& value, const column::DataType& to,
                                       bool attempt);
  Result<std::string> cast_to_number(const std::string& value, const column::DataType& from,
                                     const column::DataType& to, bool ansi, bool attempt);
  std::string joined_texts(const std::string& list, const plan::Expr& separator,
                           const std::string& separator_sql);
  Result<std::string> cast_to_time(const std::string& value, const column::DataType& from,
                                   const column::DataType& to, std::string_view mode);
  Result<std::string> cast_time_to_number(const std::string& value, const column::DataType& from,
                                          const column::DataType& to, bool ansi, bool attempt);
  static std::string cast_time_to_time(const std::string& value, const column::DataType& from,
                                       const column::DataType& to);
  Result<std::string> cast_nested(const std::string& value, const column::DataType& from,
                                  const column::TypePtr& to, bool ansi, bool attempt);
  std::string use(DecimalKernel kernel);
  // A call of a function over values of these types.
  std::string use(std::string_view function, const std::vector<column::TypePtr>& types,
                  const column::TypePtr& result, const Arguments& arguments,
                  std::map<std::string, std::string> options = {});
  std::string now();
  std::string zone() const { return sql_quote(time_zone_); }
  std::string fresh_variable() { return "v" + std::to_string(next_variable_++); }

  std::string time_zone_;
  std::map<std::string, std::string> keys_;
  std::set<DecimalKernel> decimal_kernels_;
  std::map<std::string, ValueKernel> value_kernels_;
  std::map<plan::AttributeId, std::string> lambda_names_;
  std::map<plan::AttributeId, std::int64_t> magnitudes_;
  int narrow_off_ = 0;
  bool in_aggregate_ = false;
  std::optional<Partitions> partitions_;
  std::string window_over_;  // " OVER (…)" while an aggregate is lowered as a window function
  SubqueryLowering lower_plan_;
  Evaluation evaluate_;
  bool uses_now_ = false;
  int next_variable_ = 0;
};

// The aggregates that a grouping computes: those within window functions too, but not the window
// functions.
void find_grouped(const plan::Expr& e, std::vector<const plan::Expr*>& out);

// How MAX and MIN of texts by group are computed.
enum class TextExtremes : std::uint8_t {
  hashed,  // quick; the texts of all groups are in memory, outside of DuckDB's limit
  sorted,  // beyond memory
};

// Nodes as SQL text. Leaves (scans, local rows, observed sub-plans) are asked of `leaf`.
class NodeLowering {
 public:
  class Leaves {
   public:
    virtual ~Leaves() = default;
    // What stands after FROM for the rows of `node`, its columns named by column_name.
    virtual Result<std::string> leaf(const plan::NodePtr& node) = 0;
  };

  NodeLowering(ExprLowering& exprs, Leaves& leaves) : exprs_(exprs), leaves_(leaves) {
    exprs_.set_subquery_lowering([this](const plan::NodePtr& node) { return statement(node); });
  }
  void set_text_extremes(TextExtremes how) { text_extremes_ = how; }
  // Whether the statement computes some that could be sorted.
  bool has_text_extremes() const { return has_text_extremes_; }
  // A statement with a column for each visible output column, in order; `SELECT 0` for none.
  Result<std::string> statement(const plan::NodePtr& node);

 private:
  // Something to select from, and the conditions still to be put to it.
  struct Relation {
    std::string from;
    std::vector<std::string> where;
    bool joined = false;       // `from` is a chain of joins
    std::string tail() const;  // " FROM … WHERE …"
  };

  Result<Relation> lower(const plan::NodePtr& node);
  Result<Relation> project(const plan::Project& node);
  Result<Relation> filter(const plan::Filter& node);
  Result<Relation> aggregate(const plan::Aggregate& node);
  bool can_sort_extremes(const plan::Aggregate& node) const;
  Result<std::string> sorted_groups(const plan::Aggregate& node, std::string rows,
                                    const std::vector<std::string>& names,
                                    std::map<std::string, std::string>& keys);
  Result<Relation> join(const plan::Join& node);
  Result<std::string> join_condition(const plan::Join& node);
  std::string side(const Relation& relation, const plan::Node& node);  // what stands beside JOIN
  Result<Relation> set_operation(const plan::SetOperation& node);
  Result<Relation> deduplicate(const plan::Deduplicate& node);
  Result<Relation> sort(const plan::Sort& node);
  Result<Relation> limit(const plan::Limit& node);
  Result<Relation> generate(const plan::Generate& node);
  Result<Relation> json_tuple(const plan::Generate& node, const Relation& input);
  Result<Relation> sample(const plan::Sample& node);
  Result<Relation> range(const plan::Range& node);
  Result<Relation> shared(const plan::Shared& node);
  Relation wrap(const std::string& select);
  std::string columns_of(const plan::Node& node);  // "c1, c2", each once

  ExprLowering& exprs_;
  Leaves& leaves_;
  TextExtremes text_extremes_ = TextExtremes::hashed;
  bool has_text_extremes_ = false;
  int next_side_ = 0;
  int statements_open_ = 0;
  std::map<const plan::Node*, std::string> shared_names_;  // by definition
  std::vector<std::string> shared_;  // "w1 AS (…)", each after those that it reads
};

}  // namespace millstream::engine
