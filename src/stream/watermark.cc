#include "stream/watermark.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "plan/tree.h"

namespace millstream::stream {
namespace {

constexpr std::string_view metric_prefix = "__millstream_watermark_";

plan::ExprPtr aggregate(const char* name, column::TypePtr type,
                        std::vector<plan::ExprPtr> children) {
  auto expr = std::make_shared<plan::Expr>();
  expr->kind = plan::ExprKind::aggregate;
  expr->name = name;
  expr->pretty = name;
  expr->type = std::move(type);
  expr->children = std::move(children);
  return plan::make_alias(expr, name, plan::next_attribute_id());
}

// The observation: count, min, max (microseconds), avg (seconds).
plan::NodePtr observed(std::shared_ptr<plan::Node> watermark, const plan::Attribute& event_time,
                       std::size_t index) {
  const auto epoch =
      std::make_shared<arrow::TimestampScalar>(0, arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"));
  auto time = std::make_shared<plan::Expr>();
  time->kind = plan::ExprKind::call;
  time->name = "coalesce";
  time->pretty = "coalesce";
  time->type = event_time.type;
  time->children = {plan::make_attribute(event_time),
                    plan::make_literal(epoch, event_time.type, "TIMESTAMP '1970-01-01 00:00:00'")};
  const plan::ExprPtr seconds = plan::make_cast(time, column::double_type(), false);
  auto node = std::make_shared<plan::CollectMetrics>();
  node->name = std::string(metric_prefix) + std::to_string(index);
  node->metrics = {aggregate("count", column::long_type(), {time}),
                   aggregate("min", event_time.type, {time}),
                   aggregate("max", event_time.type, {time}),
                   aggregate("avg", column::double_type(), {seconds})};
  node->output = watermark->output;
  node->children = {std::move(watermark)};
  return node;
}

std::int64_t floor_div(std::int64_t value, std::int64_t by) {
  return value / by - (value % by < 0 ? 1 : 0);
}

std::int64_t millis_at(const arrow::RecordBatch& row, int column) {
  const auto& times = static_cast<const arrow::TimestampArray&>(*row.column(column));
  return times.IsNull(0) ? 0 : floor_div(times.Value(0), 1000);
}

const plan::Attribute* find_attribute(const plan::Node& node, plan::AttributeId id) {
  const auto found = std::find_if(node.output.begin(), node.output.end(),
                                  [&](const auto& attribute) { return attribute.id == id; });
  return found == node.output.end() ? nullptr : &*found;
}

// All watermark nodes; without recursion, for plans of any depth.
std::vector<const plan::Watermark*> watermarks_of(const plan::Node& root) {
  std::vector<const plan::Watermark*> found;
  std::vector<const plan::Node*> open{&root};
  while (!open.empty()) {
    const plan::Node* node = open.back();
    open.pop_back();
    if (node->kind == plan::NodeKind::watermark) found.push_back(&plan::as<plan::Watermark>(*node));
    for (auto child = node->children.rbegin(); child != node->children.rend(); ++child) {
      open.push_back(child->get());
    }
  }
  return found;
}

}  // namespace

Result<plan::NodePtr> WatermarkTracker::instrument(plan::NodePtr root, bool operators_pass_it_on) {
  const auto watermarks = watermarks_of(*root);
  for (const auto* node : watermarks) {
    const bool redefined = plan::is_streaming(*node) && !watermarks_of(*node->children[0]).empty();
    if (redefined && operators_pass_it_on) {
      return Status::plain(
          ErrorKind::analysis,
          "Redefining watermark is disallowed. You can set the config "
          "'spark.sql.streaming.statefulOperator.allowMultiple' to 'false' to restore the previous "
          "behavior. Note that multiple stateful operators will be disallowed.");
    }
  }
  return watermarks.empty() ? root : rewrite(root);
}

plan::NodePtr WatermarkTracker::rewrite(const plan::NodePtr& node) {
  const bool tracked = node->kind == plan::NodeKind::watermark && plan::is_streaming(*node);
  const std::size_t index = nodes_.size();
  if (tracked) {
    nodes_.emplace_back();
    nodes_.back().delay_ms = plan::as<plan::Watermark>(*node).delay_ms;
  }
  std::vector<plan::NodePtr> children;
  bool changed = tracked;
  for (const auto& child : node->children) {
    children.push_back(rewrite(child));
    changed = changed || children.back() != child;
  }
  if (!changed) return node;
  auto copy = plan::clone(*node);
  copy->children = std::move(children);
  if (!tracked) return copy;
  const auto event_time = plan::as<plan::Watermark>(*node).event_time;
  return observed(std::move(copy), *find_attribute(*node, event_time), index);
}

void WatermarkTracker::begin_batch() {
  for (auto& node : nodes_) node.batch = {};
}

bool WatermarkTracker::take(const engine::ObservedMetrics& metrics) {
  if (!metrics.name.starts_with(metric_prefix)) return false;
  const auto index = parse_int64(std::string_view(metrics.name).substr(metric_prefix.size()));
  CHECK(index && *index < static_cast<std::int64_t>(nodes_.size()));
  EventTimes& times = nodes_[static_cast<std::size_t>(*index)].batch;
  const auto& row = *metrics.row;
  times = {};
  times.count = static_cast<const arrow::Int64Array&>(*row.column(0)).Value(0);
  if (times.count == 0) return true;
  times.min_ms = millis_at(row, 1);
  times.max_ms = millis_at(row, 2);
  const auto& seconds = static_cast<const arrow::DoubleArray&>(*row.column(3));
  times.avg_ms = static_cast<std::int64_t>(std::floor(seconds.Value(0) * 1000));
  return true;
}

std::int64_t WatermarkTracker::advance(std::int64_t current, const std::string& policy) {
  if (nodes_.empty()) return current;
  std::optional<std::int64_t> candidate;
  for (auto& node : nodes_) {
    if (node.batch.count > 0) {
      node.watermark_ms = std::max(node.watermark_ms, node.batch.max_ms - node.delay_ms);
    }
    if (!candidate) candidate = node.watermark_ms;
    candidate = policy == "max" ? std::max(*candidate, node.watermark_ms)
                                : std::min(*candidate, node.watermark_ms);
  }
  return std::max(current, *candidate);
}

std::map<std::string, std::string> WatermarkTracker::report(std::int64_t watermark_ms,
                                                            bool with_batch) const {
  std::map<std::string, std::string> out;
  if (nodes_.empty()) return out;
  out["watermark"] = iso_utc_ms(watermark_ms);
  if (!with_batch) return out;
  for (const auto& node : nodes_) {
    if (node.batch.count == 0) continue;
    out["min"] = iso_utc_ms(node.batch.min_ms);
    out["avg"] = iso_utc_ms(node.batch.avg_ms);
    out["max"] = iso_utc_ms(node.batch.max_ms);
    break;
  }
  return out;
}

}  // namespace millstream::stream
