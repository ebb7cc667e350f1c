#include "session/output_files.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>

#include <algorithm>

#include "base/text.h"
#include "conc/thread_pool.h"
#include "connector/chained.h"
#include "plan/analyzer.h"
#include "plan/row_expressions.h"
#include "plan/tree.h"
#include "session/conf.h"
#include "session/kept_rows.h"
#include "session/resolver.h"
#include "session/table_change.h"
#include "spark/connect/expressions.pb.h"

namespace millstream::session {
namespace {

using plan::NodeKind;
using plan::NodePtr;

struct Partitioning {
  const plan::Repartition* shuffle = nullptr;
  std::size_t coalesced = 0;  // 0: any number
};

// Operators that leave the rows in the partitions that they come in.
bool keeps_partitions(const plan::Node& node) {
  switch (node.kind) {
    case NodeKind::project:
    case NodeKind::filter:
    case NodeKind::watermark:
    case NodeKind::collect_metrics:
      return true;
    case NodeKind::repartition:
      return !plan::as<plan::Repartition>(node).shuffle;
    case NodeKind::sort:
      return !plan::as<plan::Sort>(node).global;
    default:
      return false;
  }
}

// What the operators nearest to the result say; below a shuffle nothing counts.
Partitioning partitioning_of(const plan::Node& node) {
  Partitioning out;
  const plan::Node* at = &node;
  // A SELECT without FROM is a projection of nothing.
  for (; keeps_partitions(*at) && !at->children.empty(); at = at->children.front().get()) {
    if (at->kind != NodeKind::repartition) continue;
    const auto count = static_cast<std::size_t>(*plan::as<plan::Repartition>(*at).partitions);
    out.coalesced = out.coalesced == 0 ? count : std::min(out.coalesced, count);
  }
  if (at->kind == NodeKind::repartition) out.shuffle = &plan::as<plan::Repartition>(*at);
  return out;
}

// At most `count` partitions, each of neighbours.
std::vector<connector::Batches::Partition> coalesced(
    std::vector<connector::Batches::Partition> partitions, std::size_t count) {
  if (partitions.size() <= count) return partitions;
  std::vector<connector::Batches::Partition> out;
  for (std::size_t i = 0; i < count; ++i) {
    const auto from = static_cast<std::ptrdiff_t>(i * partitions.size() / count);
    const auto to = static_cast<std::ptrdiff_t>((i + 1) * partitions.size() / count);
    out.push_back(connector::chained({partitions.begin() + from, partitions.begin() + to}));
  }
  return out;
}

bool holds_map(const column::DataType& type) {
  if (type.kind() == column::TypeKind::map) return true;
  return std::ranges::any_of(type.fields(), [](const auto& f) { return holds_map(*f.type); });
}

// In SQL, over columns that hold the keys: the number of a row's partition, of `count`. Spark's own
// by hash; maps have no hash, but their texts have. Ranges are equal shares of the rows in order;
// equal keys stay together.
std::string bucket_of(const plan::Repartition& shuffle, const std::vector<std::string>& columns,
                      std::int64_t count) {
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const plan::SortKey& key = shuffle.keys[i];
    if (shuffle.ranges) {
      keys.push_back(columns[i] + (key.ascending ? " ASC" : " DESC") +
                     (key.nulls_first ? " NULLS FIRST" : " NULLS LAST"));
    } else {
      keys.push_back(holds_map(*key.expr->type) ? "CAST(" + columns[i] + " AS STRING)"
                                                : columns[i]);
    }
  }
  if (!shuffle.ranges)
    return fmt::format("CAST(pmod(hash({}), {}) AS BIGINT)", join(keys, ", "), count);
  return fmt::format("(CAST(rank() OVER (ORDER BY {}) AS BIGINT) - 1) * {} DIV count(1) OVER ()",
                     join(keys, ", "), count);
}

// The columns of `input` and the bucket that it is put into.
Result<NodePtr> with_bucket(Session& session, const plan::Repartition& shuffle, NodePtr input,
                            const plan::Attribute& bucket, std::int64_t count) {
  auto keyed = std::make_shared<plan::Project>();
  for (const auto& attribute : input->output)
    keyed->exprs.push_back(plan::make_attribute(attribute));
  keyed->output = input->output;
  auto project = std::make_shared<plan::Project>(*keyed);
  std::vector<std::string> names;
  for (const auto& key : shuffle.keys) {
    plan::Attribute column;
    column.id = plan::next_attribute_id();
    column.name = fmt::format("{{key {}}}", names.size());
    column.type = key.expr->type;
    column.nullable = key.expr->nullable;
    names.push_back("`" + column.name + "`");
    keyed->exprs.push_back(plan::make_alias(key.expr, column.name, column.id));
    keyed->output.push_back(std::move(column));
  }
  keyed->children.push_back(std::move(input));
  SessionResolver resolver(session);
  const auto settings = analyzer_settings(session.conf());
  const std::string no_text;
  plan::RowExpressions expressions(resolver, settings, no_text);
  spark::connect::Expression number;
  number.mutable_expression_string()->set_expression(bucket_of(shuffle, names, count));
  TRY_ASSIGN(const auto value, expressions.value({keyed}, number));
  project->exprs.push_back(plan::make_alias(value, bucket.name, bucket.id));
  project->output.push_back(bucket);
  project->children.push_back(std::move(keyed));
  return NodePtr(project);
}

// The plan with `rows` in the place of the shuffle. Their last column, `bucket` (null: there is
// none), is carried to the end, and orders what is ordered within partitions.
NodePtr in_place_of(const plan::Repartition* shuffle, const NodePtr& node, const NodePtr& rows,
                    const plan::Attribute* bucket) {
  if (node.get() == shuffle) return rows;
  auto copy = plan::clone(*node);
  copy->children[0] = in_place_of(shuffle, node->children[0], rows, bucket);
  if (bucket == nullptr) return copy;
  copy->output.push_back(*bucket);
  const auto value = plan::make_attribute(*bucket);
  if (copy->kind == NodeKind::project) static_cast<plan::Project&>(*copy).exprs.push_back(value);
  if (copy->kind == NodeKind::sort) {
    auto& keys = static_cast<plan::Sort&>(*copy).keys;
    keys.insert(keys.begin(), {value, true, true});
  }
  return copy;
}

// `count` partitions of as many rows; the first have one more.
std::vector<std::int64_t> equal_ends(std::int64_t rows, std::int64_t count) {
  std::vector<std::int64_t> out;
  std::int64_t end = 0;
  for (std::int64_t i = 0; i < count && end < rows; ++i) {
    end += rows / count + (i < rows % count ? 1 : 0);
    out.push_back(end);
  }
  return out;
}

// Of rows without a number of partitions: so many as Spark's adaptive execution makes.
std::int64_t partitions_for(std::int64_t bytes) {
  constexpr std::int64_t bytes_min = 1 << 20;
  constexpr std::int64_t bytes_max = 64 << 20;
  constexpr std::int64_t partitions_max = 200;
  const std::int64_t target = std::clamp(bytes / shared_pool().size(), bytes_min, bytes_max);
  return std::clamp((bytes + target - 1) / target, std::int64_t{1}, partitions_max);
}

// The rows, whose last column is the number of their partition and which are sorted by it, in these
// partitions.
Result<connector::Batches> cut(Session& session, connector::Batches rows) {
  std::vector<std::int64_t> ends;
  std::int64_t row = 0;
  std::optional<std::int64_t> last;
  const auto without_bucket =
      [&](const connector::RecordBatchPtr& batch) -> Result<connector::RecordBatchPtr> {
    const int column = batch->num_columns() - 1;
    const auto& buckets = static_cast<const arrow::Int64Array&>(*batch->column(column));
    for (std::int64_t i = 0; i < buckets.length(); ++i, ++row) {
      if (last && *last != buckets.Value(i)) ends.push_back(row);
      last = buckets.Value(i);
    }
    const auto without = batch->RemoveColumn(column);
    if (!without.ok()) return Status::internal("Arrow: {}", without.status().ToString());
    return *without;
  };
  auto schema = rows.schema;
  schema.pop_back();
  rows = mapped(std::move(rows), std::move(schema), without_bucket);
  TRY_ASSIGN(const auto kept, KeptRows::make(rows, session.runtime().temporary_directory));
  ends.push_back(row);
  return kept->in_partitions(ends);
}

// What is above may read hidden columns too.
NodePtr all_visible(NodePtr node) {
  auto project = std::make_shared<plan::Project>();
  for (plan::Attribute attribute : node->output) {
    attribute.hidden = false;
    project->exprs.push_back(plan::make_attribute(attribute));
    project->output.push_back(std::move(attribute));
  }
  project->children.push_back(std::move(node));
  return project;
}

Result<connector::Batches> shuffled_by_keys(Session& session, const NodePtr& node,
                                            const plan::Repartition& shuffle,
                                            const ActionContext& context) {
  NodePtr input = shuffle.children[0];
  std::int64_t count = shuffle.partitions.value_or(0);
  if (!shuffle.partitions) {
    input = all_visible(std::move(input));
    TRY_ASSIGN(const auto rows, session.execute(in_numbered_columns(input), context));
    TRY_ASSIGN(const auto kept, KeptRows::make(rows, session.runtime().temporary_directory));
    count = partitions_for(kept->bytes());
    input = scan_in_place(kept, *input);
  }
  if (count == 1) {
    TRY_ASSIGN(auto rows, session.execute(in_place_of(&shuffle, node, input, nullptr), context));
    rows.partitions = coalesced(std::move(rows.partitions), 1);
    return rows;
  }
  plan::Attribute bucket;
  bucket.id = plan::next_attribute_id();
  bucket.name = "{bucket}";
  bucket.type = column::long_type();
  auto sort = std::make_shared<plan::Sort>();
  sort->keys.push_back({plan::make_attribute(bucket), true, true});
  TRY_ASSIGN(auto numbered, with_bucket(session, shuffle, std::move(input), bucket, count));
  sort->output = numbered->output;
  sort->children.push_back(std::move(numbered));
  TRY_ASSIGN(auto rows, session.execute(in_place_of(&shuffle, node, sort, &bucket), context));
  return cut(session, std::move(rows));
}

// As many rows in each partition, in the order in which they come.
Result<connector::Batches> shuffled_evenly(Session& session, const NodePtr& node, int count,
                                           const ActionContext& context) {
  TRY_ASSIGN(auto rows, session.execute(node, context));
  if (count == 1) {
    rows.partitions = coalesced(std::move(rows.partitions), 1);
    return rows;
  }
  TRY_ASSIGN(const auto kept, KeptRows::make(rows, session.runtime().temporary_directory));
  return kept->in_partitions(equal_ends(kept->rows(), count));
}

}  // namespace

Result<OutputRows> execute_for_files(Session& session, const plan::NodePtr& node,
                                     const ActionContext& context) {
  const Partitioning partitioning = partitioning_of(*node);
  const auto* shuffle = partitioning.shuffle;
  OutputRows out;
  out.file_per_partition = true;
  if (shuffle != nullptr && !shuffle->keys.empty()) {
    TRY_ASSIGN(out.rows, shuffled_by_keys(session, node, *shuffle, context));
  } else if (shuffle != nullptr && shuffle->partitions) {
    TRY_ASSIGN(out.rows, shuffled_evenly(session, node, *shuffle->partitions, context));
  } else {
    TRY_ASSIGN(out.rows, session.execute(node, context));
    out.file_per_partition = partitioning.coalesced > 0;
  }
  if (partitioning.coalesced > 0)
    out.rows.partitions = coalesced(std::move(out.rows.partitions), partitioning.coalesced);
  return out;
}

}  // namespace millstream::session
