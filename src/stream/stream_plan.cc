#include "stream/stream_plan.h"

#include <algorithm>
#include <unordered_set>

#include "base/text.h"
#include "plan/analyzer.h"
#include "plan/tree.h"

namespace millstream::stream {
namespace {

using connector::OutputMode;
using plan::JoinType;
using plan::Node;
using plan::NodeKind;
using plan::SetOperationType;

// Children before parents, left to right; without recursion, for plans of any depth.
std::vector<const Node*> in_post_order(const Node& root) {
  std::vector<const Node*> order;
  std::vector<const Node*> open{&root};
  while (!open.empty()) {
    const Node* node = open.back();
    open.pop_back();
    order.push_back(node);
    for (const auto& child : node->children) open.push_back(child.get());
  }
  std::reverse(order.begin(), order.end());
  return order;
}

// Spark's refusals carry the plan and the condition of old texts.
Status refused(const Node& node, std::string message) {
  ErrorInfo info;
  info.kind = ErrorKind::analysis;
  info.condition = "_LEGACY_ERROR_TEMP_3102";
  info.parameters["msg"] = message;
  info.message = std::move(message) + ";\n" + plan::explain_tree(node);
  info.java_class = "org.apache.spark.sql.catalyst.ExtendedAnalysisException";
  return Status(std::move(info));
}

Status mode_refused(OutputMode mode, const char* operation) {
  return Status::error("STREAMING_OUTPUT_MODE.UNSUPPORTED_OPERATION",
                       {{"outputMode", mode_name(mode)}, {"operation", operation}});
}

Status stateful(const char* operation) {
  return Status::unsupported(
      "{} on a streaming DataFrame keeps state between batches, which Millstream does not support "
      "yet: "
      "run this query on Apache Spark, from the same checkpoint",
      operation);
}

bool has_node(const Node& node, NodeKind kind) {
  for (const Node* at : in_post_order(node)) {
    if (at->kind == kind) return true;
  }
  return false;
}

// window(): the struct that it makes does not carry the watermark's metadata.
bool is_window(const plan::Expr& key) {
  return key.type->kind() == column::TypeKind::struct_ && key.type->fields().size() == 2 &&
         key.type->fields()[0].name == "start" && key.type->fields()[1].name == "end";
}

bool has_watermark(const Node& child, const std::vector<plan::ExprPtr>& keys) {
  std::vector<plan::AttributeId> event_times;
  for (const auto& attribute : child.output) {
    if (attribute.metadata.find("spark.watermarkDelayMs") != std::string::npos) {
      event_times.push_back(attribute.id);
    }
  }
  for (const auto& key : keys) {
    bool found = false;
    plan::visit(*key, [&](const plan::Expr& expr) {
      found = found ||
              (expr.kind == plan::ExprKind::attribute &&
               std::find(event_times.begin(), event_times.end(), expr.id) != event_times.end());
      return !found;
    });
    if (found || (is_window(*key) && has_node(child, NodeKind::watermark))) return true;
  }
  return false;
}

class SupportCheck {
 public:
  SupportCheck(const Node& root, OutputMode mode, bool as_spark)
      : mode_(mode), as_spark_(as_spark), nodes_(in_post_order(root)) {
    for (const Node* node : nodes_) {
      bool streaming = node->kind == NodeKind::stream_scan;
      for (const auto& child : node->children) streaming = streaming || is_streaming(*child);
      if (streaming) streaming_.insert(node);
    }
  }

  Status run(const Node& root) const {
    if (!is_streaming(root)) {
      return refused(
          root, "Queries without streaming sources cannot be executed with writeStream.start()");
    }
    TRY(check_mode());
    for (const Node* node : nodes_) {
      if (!is_streaming(*node)) continue;
      TRY(check_node(*node));
      TRY(check_expressions(*node));
    }
    return Status::OK();
  }

 private:
  bool is_streaming(const Node& node) const { return streaming_.contains(&node); }

  Status refused_by_spark(const Node& node, std::string message) const {
    return as_spark_ ? refused(node, std::move(message)) : Status::OK();
  }

  Status check_mode() const {
    bool any = false;
    for (const Node* node : nodes_) {
      if (node->kind != NodeKind::aggregate || !is_streaming(*node)) continue;
      any = true;
      const auto& aggregate = plan::as<plan::Aggregate>(*node);
      if (as_spark_ && mode_ == OutputMode::append &&
          !has_watermark(*node->children[0], aggregate.keys)) {
        return mode_refused(mode_, "streaming aggregations without watermark");
      }
    }
    if (!any && mode_ == OutputMode::complete)
      return mode_refused(mode_, "no streaming aggregations");
    return Status::OK();
  }

  Status check_node(const Node& node) const {
    switch (node.kind) {
      case NodeKind::aggregate:
        return stateful("An aggregation");
      case NodeKind::deduplicate:
        return check_deduplicate(plan::as<plan::Deduplicate>(node));
      case NodeKind::join:
        return check_join(plan::as<plan::Join>(node));
      case NodeKind::set_operation:
        return check_set_operation(plan::as<plan::SetOperation>(node));
      case NodeKind::sort:
        return refused_by_spark(
            node,
            "Sorting is not supported on streaming DataFrames/Datasets, unless it is on aggregated "
            "DataFrame/Dataset in Complete output mode");
      case NodeKind::limit:
        return check_limit(plan::as<plan::Limit>(node));
      case NodeKind::sample:
        return refused_by_spark(node, "Sampling is not supported on streaming DataFrames/Datasets");
      case NodeKind::watermark:
        return check_watermark(plan::as<plan::Watermark>(node));
      default:
        return Status::OK();
    }
  }

  Status check_deduplicate(const plan::Deduplicate& node) const {
    if (!node.within_watermark) return stateful("dropDuplicates or distinct");
    const auto& columns = node.children[0]->output;
    const bool watermarked = std::any_of(columns.begin(), columns.end(), [](const auto& column) {
      return column.metadata.find("spark.watermarkDelayMs") != std::string::npos;
    });
    if (watermarked || !as_spark_) return stateful("dropDuplicatesWithinWatermark");
    return refused(
        node,
        "dropDuplicatesWithinWatermark is not supported on streaming DataFrames/DataSets without "
        "watermark");
  }

  Status check_limit(const plan::Limit& node) const {
    if (node.offset > 0 && as_spark_)
      return refused(node, "Offset is not supported on streaming DataFrames/Datasets");
    if (mode_ == OutputMode::update && as_spark_) {
      return refused(
          node, "Limits are not supported on streaming DataFrames/Datasets in Update output mode");
    }
    return stateful("limit");
  }

  Status check_set_operation(const plan::SetOperation& node) const {
    std::size_t streams = 0;
    for (const auto& child : node.children) streams += is_streaming(*child) ? 1 : 0;
    switch (node.type) {
      case SetOperationType::union_all:
      case SetOperationType::union_distinct:
        if (streams < node.children.size()) {
          TRY(refused_by_spark(
              node, "Union between streaming and batch DataFrames/Datasets is not supported"));
        }
        return node.type == SetOperationType::union_all ? Status::OK() : stateful("union distinct");
      case SetOperationType::intersect:
      case SetOperationType::intersect_all:
        TRY(refused_by_spark(node, "Intersect of streaming DataFrames/Datasets is not supported"));
        return stateful("intersect");
      case SetOperationType::except:
      case SetOperationType::except_all:
        if (is_streaming(*node.children.back())) {
          TRY(refused_by_spark(
              node, "Except on a streaming DataFrame/Dataset on the right is not supported"));
        }
        return stateful("except");
    }
    return Status::OK();
  }

  // Spark takes a window's struct as event time and reads its bytes for a time.
  Status check_watermark(const plan::Watermark& node) const {
    for (const auto& column : node.output) {
      if (column.id != node.event_time || column.type->kind() == column::TypeKind::timestamp)
        continue;
      return Status::unsupported(
          "withWatermark on the column '{}' of type {} is not supported by Millstream: use a "
          "TIMESTAMP column, such as the start of the window",
          column.name, column.type->sql());
    }
    return Status::OK();
  }

  Status check_join(const plan::Join& node) const;
  Status check_expressions(const Node& node) const;

  OutputMode mode_;
  bool as_spark_;
  std::vector<const Node*> nodes_;
  std::unordered_set<const Node*> streaming_;
};

Status SupportCheck::check_join(const plan::Join& node) const {
  const bool left = is_streaming(*node.children[0]);
  const bool right = is_streaming(*node.children[1]);
  const auto one_sided = [&](const char* type, const char* stream_side, const char* static_side) {
    return refused_by_spark(
        node, fmt::format("{} join with a streaming DataFrame/Dataset on the {} and a static "
                          "DataFrame/Dataset on the {} is not supported",
                          type, stream_side, static_side));
  };
  if (node.type == JoinType::anti && right) {
    TRY(refused_by_spark(
        node, "LeftAnti joins with a streaming DataFrame/Dataset on the right are not supported"));
  }
  if (left && right) return stateful("A join of two streams");
  switch (node.type) {
    case JoinType::full:
      return refused_by_spark(
          node, fmt::format("FullOuter joins with streaming DataFrames/Datasets on the {} and a "
                            "static DataFrame/Dataset on the {} is not supported",
                            left ? "left" : "right", left ? "right" : "left"));
    case JoinType::left:
      return right ? one_sided("LeftOuter", "right", "left") : Status::OK();
    case JoinType::semi:
      return right ? one_sided("LeftSemi", "right", "left") : Status::OK();
    case JoinType::right:
      if (!left) return Status::OK();
      return refused_by_spark(
          node,
          "RightOuter join with a streaming DataFrame/Dataset on the left and a static "
          "DataFrame/DataSet on the right not supported");
    default:
      return Status::OK();
  }
}

Status SupportCheck::check_expressions(const Node& node) const {
  Status result;
  std::size_t column = 0;
  plan::for_each_expression(node, [&](const plan::Expr& top) {
    const std::string name = column < node.output.size() ? node.output[column].name : top.name;
    ++column;
    plan::visit(top, [&](const plan::Expr& expr) {
      if (!result.ok()) return false;
      if (expr.kind == plan::ExprKind::window && as_spark_) {
        const std::string text =
            to_upper(expr.children.empty() ? expr.pretty : expr.children[0]->pretty);
        const auto over = expr.pretty.find(" OVER ");
        const std::string window =
            over == std::string::npos ? expr.pretty : expr.pretty.substr(over + 6);
        result = Status::error("NON_TIME_WINDOW_NOT_SUPPORTED_IN_STREAMING",
                               {{"windowFunc", text},
                                {"columnName", fmt::format("`{}`", name)},
                                {"windowSpec", to_upper(window)}});
      } else if (expr.kind == plan::ExprKind::call && expr.name == "monotonically_increasing_id") {
        result = refused_by_spark(
            node,
            "Expression(s): monotonically_increasing_id() is not supported with streaming "
            "DataFrames/Datasets");
      }
      return result.ok();
    });
  });
  return result;
}

}  // namespace

const char* mode_name(OutputMode mode) {
  switch (mode) {
    case OutputMode::append:
      return "append";
    case OutputMode::update:
      return "update";
    case OutputMode::complete:
      return "complete";
  }
  return "";
}

StreamPlan inspect(plan::NodePtr root) {
  StreamPlan out;
  out.schema = plan::schema_of(*root);
  for (const Node* node : in_post_order(*root)) {
    if (node->kind != NodeKind::stream_scan) continue;
    const auto& scan = plan::as<plan::StreamScan>(*node);
    const auto known = std::find(out.tables.begin(), out.tables.end(), scan.table);
    const auto source = static_cast<std::size_t>(known - out.tables.begin());
    if (known == out.tables.end()) out.tables.push_back(scan.table);
    // The same DataFrame used twice may be one node: one scan of it is enough.
    const auto seen = std::any_of(out.scans.begin(), out.scans.end(),
                                  [&](const auto& other) { return other.node == &scan; });
    if (!seen) out.scans.push_back({&scan, source});
  }
  out.root = std::move(root);
  return out;
}

std::optional<connector::EventTime> event_time_of(const StreamPlan& plan, std::size_t source) {
  const auto scan = std::ranges::find(plan.scans, source, &StreamPlan::Scan::source);
  if (scan == plan.scans.end()) return std::nullopt;
  for (const Node* node : in_post_order(*plan.root)) {
    if (node->kind != NodeKind::watermark) continue;
    const auto below = in_post_order(*node);
    if (std::ranges::find(below, scan->node) == below.end()) continue;
    const auto& watermark = plan::as<plan::Watermark>(*node);
    connector::EventTime found{"", watermark.delay_ms};
    for (const auto& attribute : scan->node->output) {
      if (attribute.id == watermark.event_time) found.column = attribute.name;
    }
    return found;
  }
  return std::nullopt;
}

Status check_supported(const Node& root, OutputMode mode, bool as_spark) {
  return SupportCheck(root, mode, as_spark).run(root);
}

}  // namespace millstream::stream
