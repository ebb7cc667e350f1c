// The resolved plan: operators with their output columns. Immutable trees shared by pointer; made
// by the analyzer.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "connector/source.h"
#include "connector/table.h"
#include "plan/expr.h"

namespace millstream::plan {

enum class NodeKind : std::uint8_t {
  scan,             // Scan
  stream_scan,      // StreamScan
  local,            // Local: rows that came with the plan
  range,            // Range
  project,          // Project
  filter,           // Filter
  aggregate,        // Aggregate
  join,             // Join
  set_operation,    // SetOperation
  deduplicate,      // Deduplicate
  sort,             // Sort
  limit,            // Limit: offset, count; or the last rows (tail)
  generate,         // Generate: explode and kin
  watermark,        // Watermark
  collect_metrics,  // CollectMetrics: observe
  repartition,      // Repartition
  sample,           // Sample
  shared,           // Shared: a name of WITH that is read in several places
  recursion,        // Recursion: WITH RECURSIVE
  recursion_input,  // RecursionInput: in a step, the rows of the step before
};

struct Node;
using NodePtr = std::shared_ptr<const Node>;

struct Node {
  NodeKind kind;
  std::vector<NodePtr> children;
  std::vector<Attribute> output;
  std::optional<std::int64_t> plan_id;  // the DataFrame that it is, in the client's numbering
  // Of a cached DataFrame: its rows, a column for each of `output`. What runs in the node's place
  // while the number of columns is the same.
  std::shared_ptr<const connector::Table> kept;

  explicit Node(NodeKind k) : kind(k) {}
  virtual ~Node();  // at any depth
};

struct Scan final : Node {
  Scan() : Node(NodeKind::scan) {}
  std::shared_ptr<const connector::Table> table;
  std::vector<std::string>
      columns;  // the table's name for output[i]; "_metadata" for the hidden struct
  std::vector<connector::Predicate> predicates;  // pushed down; the Filter above stays
  std::optional<std::int64_t> limit;
};

struct StreamScan final : Node {
  StreamScan() : Node(NodeKind::stream_scan) {}
  std::shared_ptr<const connector::StreamTable>
      table;  // one Source for each distinct table pointer in a plan
  std::vector<std::string> columns;
  std::vector<connector::Predicate> predicates;
};

struct Local final : Node {
  Local() : Node(NodeKind::local) {}
  std::vector<connector::RecordBatchPtr> batches;  // Arrow form of output
};

struct Range final : Node {
  Range() : Node(NodeKind::range) {}
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::int64_t step = 1;
  std::optional<int> partitions;
};

struct Project final : Node {
  Project() : Node(NodeKind::project) {}
  std::vector<ExprPtr> exprs;  // attribute or alias; output[i] is its attribute. No child: one row
  bool alias =
      false;  // a DataFrame's alias or a view: columns below it are out of reach for names above it
};

struct Filter final : Node {
  Filter() : Node(NodeKind::filter) {}
  ExprPtr condition;
};

struct Aggregate final : Node {
  Aggregate() : Node(NodeKind::aggregate) {}
  // One set for GROUP BY; several for ROLLUP, CUBE, GROUPING SETS: indexes into keys.
  std::vector<ExprPtr> keys;
  std::vector<std::vector<int>> grouping_sets;  // empty: the one set of all keys
  std::vector<ExprPtr> exprs;  // the output: attribute or alias over keys and aggregates
};

enum class JoinType : std::uint8_t { inner, left, right, full, semi, anti, cross };

struct Join final : Node {
  Join() : Node(NodeKind::join) {}
  JoinType type = JoinType::inner;
  ExprPtr condition;  // null: none
  // LATERAL: the lambda_variables in the right input, and their values of each left row.
  std::vector<AttributeId> lateral;
  std::vector<ExprPtr> lateral_values;
};

enum class SetOperationType : std::uint8_t {
  union_all,
  union_distinct,
  intersect_all,
  intersect,
  except_all,
  except
};

struct SetOperation final : Node {
  SetOperation() : Node(NodeKind::set_operation) {}
  SetOperationType type =
      SetOperationType::union_all;  // children's columns have the output's types already
};

struct Deduplicate final : Node {
  Deduplicate() : Node(NodeKind::deduplicate) {}
  std::vector<ExprPtr> keys;  // attributes; empty: all columns
  bool within_watermark = false;
};

struct Sort final : Node {
  Sort() : Node(NodeKind::sort) {}
  std::vector<SortKey> keys;
  bool global = true;
};

struct Limit final : Node {
  Limit() : Node(NodeKind::limit) {}
  std::optional<std::int64_t> count;
  std::int64_t offset = 0;
  bool tail = false;  // the last `count` rows
};

struct Generate final : Node {
  Generate() : Node(NodeKind::generate) {}
  ExprPtr generator;
  bool outer = false;
  // output = the child's columns, then the generated ones
};

struct Watermark final : Node {
  Watermark() : Node(NodeKind::watermark) {}
  AttributeId event_time{};
  std::int64_t delay_ms = 0;
};

struct CollectMetrics final : Node {
  CollectMetrics() : Node(NodeKind::collect_metrics) {}
  std::string name;
  std::vector<ExprPtr> metrics;  // aliases over aggregates
};

struct Repartition final : Node {
  Repartition() : Node(NodeKind::repartition) {}
  std::optional<int> partitions;
  bool shuffle = true;
  std::vector<SortKey> keys;  // rows of a key are together; empty: rows as they come
  bool ranges = false;        // in the keys' order; else by their hash
};

struct Sample final : Node {
  Sample() : Node(NodeKind::sample) {}
  double lower = 0;
  double upper = 1;
  bool with_replacement = false;
  std::int64_t seed = 0;
  ExprPtr by;  // of sampleBy: the row's fraction, in the place of both bounds
};

// A leaf for the passes: its definition is a plan of its own, which all that share it point to.
struct Shared final : Node {
  Shared() : Node(NodeKind::shared) {}
  NodePtr definition;
  std::vector<AttributeId> columns;  // of the definition, for output[i]
};

// A leaf for the passes too: the rows of `anchor`, then those of `step` over them, over those, and
// so on until a step gives none. output[i] is the i-th visible column of both.
struct Recursion final : Node {
  Recursion() : Node(NodeKind::recursion) {}
  NodePtr anchor;
  NodePtr step;
  AttributeId loop{};                 // of its RecursionInputs
  std::int64_t levels_max = 0;        // RECURSION_LEVEL_LIMIT_EXCEEDED
  std::int64_t rows_max = 0;          // RECURSION_ROW_LIMIT_EXCEEDED
  std::optional<std::int64_t> limit;  // more rows than these are not wanted
};

struct RecursionInput final : Node {
  RecursionInput() : Node(NodeKind::recursion_input) {}
  AttributeId loop{};
};

template <typename T>
const T& as(const Node& node) {
  return static_cast<const T&>(node);
}

// The plan with a scan in the place of each node whose rows are kept.
NodePtr with_kept_rows(const NodePtr& node);

column::Schema schema_of(const Node& node);  // the visible columns
bool is_streaming(const Node& node);

}  // namespace millstream::plan
