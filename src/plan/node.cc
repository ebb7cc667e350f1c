#include "plan/node.h"

#include "base/release.h"
#include "plan/analyzer.h"
#include "plan/tree.h"

namespace millstream::plan {
namespace {

template <typename NodeType, typename TablePtr>
NodePtr scan_of(TablePtr table, std::vector<std::string> qualifier) {
  auto scan = std::make_shared<NodeType>();
  for (const column::Field& field : table->schema()) {
    Attribute attribute;
    attribute.id = next_attribute_id();
    attribute.name = field.name;
    attribute.type = field.type;
    attribute.nullable = field.nullable;
    attribute.metadata = field.metadata;
    attribute.qualifier = qualifier;
    scan->output.push_back(std::move(attribute));
    scan->columns.push_back(field.name);
  }
  const column::Schema& metadata = table->metadata_fields();
  // A column of the data that is called _metadata wins over the hidden one.
  if (!metadata.empty() && column::find_field_ignore_case(table->schema(), "_metadata") < 0) {
    Attribute attribute;
    attribute.id = next_attribute_id();
    attribute.name = "_metadata";
    attribute.type = column::struct_type(metadata);
    attribute.nullable = false;
    attribute.qualifier = std::move(qualifier);
    attribute.hidden = true;
    scan->output.push_back(std::move(attribute));
    scan->columns.emplace_back("_metadata");
  }
  scan->table = std::move(table);
  return scan;
}

}  // namespace

Node::~Node() {
  if (children.empty()) return;
  Release release;
  for (NodePtr& child : children) release.add(std::move(child));
}

column::Schema schema_of(const Node& node) {
  column::Schema schema;
  for (const Attribute& a : node.output) {
    if (!a.hidden) schema.push_back(column::Field{a.name, a.type, a.nullable, a.metadata});
  }
  return schema;
}

bool is_streaming(const Node& node) {
  const Node* at = &node;
  while (at->children.size() == 1) at = at->children[0].get();
  if (at->kind == NodeKind::stream_scan) return true;
  for (const NodePtr& child : at->children) {
    if (is_streaming(*child)) return true;
  }
  return false;
}

NodePtr make_scan(std::shared_ptr<const connector::Table> table,
                  std::vector<std::string> qualifier) {
  return scan_of<Scan>(std::move(table), std::move(qualifier));
}

NodePtr make_scan(std::shared_ptr<const connector::StreamTable> table,
                  std::vector<std::string> qualifier) {
  return scan_of<StreamScan>(std::move(table), std::move(qualifier));
}

namespace {

using IdMap = std::unordered_map<std::int64_t, AttributeId>;

AttributeId fresh(IdMap& ids, AttributeId old) {
  const auto [at, added] = ids.try_emplace(key_of(old), AttributeId{});
  if (added) at->second = next_attribute_id();
  return at->second;
}

NodePtr refresh(const NodePtr& node, IdMap& ids) {
  auto copy = clone(*node);
  for (NodePtr& child : copy->children) child = refresh(child, ids);
  for (Attribute& a : copy->output) a.id = fresh(ids, a.id);
  if (copy->kind == NodeKind::join) {
    for (AttributeId& parameter : static_cast<Join&>(*copy).lateral)
      parameter = fresh(ids, parameter);
  }
  if (copy->kind == NodeKind::watermark) {
    auto& watermark = static_cast<Watermark&>(*copy);
    watermark.event_time = fresh(ids, watermark.event_time);
  }
  map_expressions(*copy, [&](const ExprPtr& expr) {
    return transform(expr, [&](const ExprPtr& e) -> ExprPtr {
      if (e->id == AttributeId{} && e->parameters.empty() && e->plan == nullptr) return e;
      auto next = std::make_shared<Expr>(*e);
      if (e->id != AttributeId{}) next->id = fresh(ids, e->id);
      // What a subquery's plan makes itself may be called as it was; its parameters may not.
      if (e->plan != nullptr) next->plan = refresh(e->plan, ids);
      for (AttributeId& parameter : next->parameters) parameter = fresh(ids, parameter);
      return next;
    });
  });
  return copy;
}

}  // namespace

NodePtr with_kept_rows(const NodePtr& node) {
  if (node->kept != nullptr && node->kept->schema().size() == node->output.size()) {
    auto scan = std::make_shared<Scan>();
    for (const column::Field& field : node->kept->schema()) scan->columns.push_back(field.name);
    scan->table = node->kept;
    scan->output = node->output;
    return scan;
  }
  std::shared_ptr<Node> copy;
  for (std::size_t i = 0; i < node->children.size(); ++i) {
    NodePtr child = with_kept_rows(node->children[i]);
    if (child == node->children[i]) continue;
    if (copy == nullptr) copy = clone(*node);
    copy->children[i] = std::move(child);
  }
  return copy == nullptr ? node : NodePtr(copy);
}

NodePtr with_fresh_ids(const NodePtr& node) {
  IdMap ids;
  return refresh(node, ids);
}

NodePtr with_ids(const NodePtr& node, const std::vector<Attribute>& output) {
  IdMap ids;
  for (std::size_t i = 0; i < output.size(); ++i) {
    ids.try_emplace(key_of(node->output[i].id), output[i].id);
  }
  return refresh(node, ids);
}

}  // namespace millstream::plan
