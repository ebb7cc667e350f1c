#include "plan/explain.h"

#include "base/text.h"
#include "plan/analyzer.h"
#include "plan/tree.h"

namespace millstream::plan {
namespace {

std::string column_text(const Attribute& a) { return fmt::format("{}#{}", a.name, key_of(a.id)); }

const char* join_name(JoinType type) {
  switch (type) {
    case JoinType::inner:
      return "Inner";
    case JoinType::left:
      return "LeftOuter";
    case JoinType::right:
      return "RightOuter";
    case JoinType::full:
      return "FullOuter";
    case JoinType::semi:
      return "LeftSemi";
    case JoinType::anti:
      return "LeftAnti";
    case JoinType::cross:
      return "Cross";
  }
  return "";
}

const char* set_name(SetOperationType type) {
  switch (type) {
    case SetOperationType::union_all:
      return "Union false, false";
    case SetOperationType::union_distinct:
      return "Distinct Union false, false";
    case SetOperationType::intersect_all:
      return "Intersect true";
    case SetOperationType::intersect:
      return "Intersect false";
    case SetOperationType::except_all:
      return "Except true";
    case SetOperationType::except:
      return "Except false";
  }
  return "";
}

std::vector<ExprPtr> visible_exprs(const Project& project) {
  std::vector<ExprPtr> visible;
  for (std::size_t i = 0; i < project.exprs.size(); ++i) {
    if (!project.output[i].hidden) visible.push_back(project.exprs[i]);
  }
  return visible;
}

std::string limit_text(const Limit& limit) {
  if (limit.tail) return fmt::format("Tail {}", limit.count.value_or(0));
  std::string out;
  if (limit.count) out = fmt::format("GlobalLimit {}", *limit.count);
  if (limit.offset != 0) {
    out += fmt::format("{}Offset {}", out.empty() ? "" : ", ", limit.offset);
  }
  return out;
}

using Line = std::function<std::string(const Node&)>;

void draw(const Node& node, const Line& line, const std::string& indent, const std::string& mark,
          std::string& out) {
  out += indent + mark + line(node) + "\n";
  std::string inner = indent;
  if (!mark.empty()) inner += mark == "+- " ? "   " : ":  ";
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    draw(*node.children[i], line, inner, i + 1 == node.children.size() ? "+- " : ":- ", out);
  }
}

}  // namespace

std::string explained(const Expr& e) {
  if (e.kind == ExprKind::attribute) return fmt::format("{}#{}", e.name, key_of(e.id));
  if (e.kind == ExprKind::alias) {
    return fmt::format("{} AS {}#{}", explained(*e.children[0]), e.name, key_of(e.id));
  }
  return e.pretty;
}

std::string explained(const std::vector<ExprPtr>& exprs) {
  std::vector<std::string> out;
  for (const ExprPtr& e : exprs) out.push_back(explained(*e));
  return "[" + join(out, ", ") + "]";
}

std::string explained(const std::vector<Attribute>& attributes) {
  std::vector<std::string> out;
  for (const Attribute& a : attributes) {
    if (!a.hidden) out.push_back(column_text(a));
  }
  return "[" + join(out, ", ") + "]";
}

std::string explained(const std::vector<SortKey>& keys) {
  std::vector<std::string> out;
  for (const SortKey& key : keys) {
    out.push_back(fmt::format("{} {} {}", explained(*key.expr), key.ascending ? "ASC" : "DESC",
                              key.nulls_first ? "NULLS FIRST" : "NULLS LAST"));
  }
  return "[" + join(out, ", ") + "]";
}

std::string explained_operator(const Node& node) {
  switch (node.kind) {
    case NodeKind::scan:
      return fmt::format("Relation {} {}", explained(node.output),
                         as<Scan>(node).table->describe());
    case NodeKind::stream_scan:
      return fmt::format("StreamingRelation {} {}", explained(node.output),
                         as<StreamScan>(node).table->describe());
    case NodeKind::local:
      return "LocalRelation " + explained(node.output);
    case NodeKind::range: {
      const auto& range = as<Range>(node);
      return fmt::format("Range ({}, {}, step={})", range.start, range.end, range.step);
    }
    case NodeKind::project:
      return "Project " + explained(visible_exprs(as<Project>(node)));
    case NodeKind::filter:
      return "Filter " + explained(*as<Filter>(node).condition);
    case NodeKind::aggregate:
      return fmt::format("Aggregate {}, {}", explained(as<Aggregate>(node).keys),
                         explained(as<Aggregate>(node).exprs));
    case NodeKind::join: {
      const auto& join_node = as<Join>(node);
      return fmt::format(
          "Join {}{}", join_name(join_node.type),
          join_node.condition == nullptr ? "" : ", " + explained(*join_node.condition));
    }
    case NodeKind::set_operation:
      return set_name(as<SetOperation>(node).type);
    case NodeKind::deduplicate:
      return "Deduplicate " + explained(as<Deduplicate>(node).keys);
    case NodeKind::sort:
      return fmt::format("Sort {}, {}", explained(as<Sort>(node).keys), as<Sort>(node).global);
    case NodeKind::limit:
      return limit_text(as<Limit>(node));
    case NodeKind::generate:
      return "Generate " + as<Generate>(node).generator->pretty;
    case NodeKind::watermark:
      return fmt::format("EventTimeWatermark #{}, {} milliseconds",
                         key_of(as<Watermark>(node).event_time), as<Watermark>(node).delay_ms);
    case NodeKind::collect_metrics:
      return fmt::format("CollectMetrics {}, {}", as<CollectMetrics>(node).name,
                         explained(as<CollectMetrics>(node).metrics));
    case NodeKind::repartition: {
      const auto& repartition = as<Repartition>(node);
      return fmt::format("Repartition {}, {}", repartition.partitions.value_or(0),
                         repartition.shuffle);
    }
    case NodeKind::shared:
      return "CTERelationRef " + explained(node.output);
    case NodeKind::recursion:
      return "UnionLoop " + explained(node.output);
    case NodeKind::recursion_input:
      return "UnionLoopRef " + explained(node.output);
    case NodeKind::sample:
      return fmt::format("Sample {}, {}", as<Sample>(node).lower, as<Sample>(node).upper);
  }
  return "";
}

std::string draw_tree(const Node& root, const Line& line) {
  std::string out;
  draw(root, line, "", "", out);
  return out;
}

std::string explain_tree(const Node& node) { return draw_tree(node, explained_operator); }

}  // namespace millstream::plan
