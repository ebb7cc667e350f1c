// Where rows come from: tables, data sources, ranges.
#include "base/text.h"
#include "plan/char_comparison.h"
#include "plan/refusals.h"
#include "plan/relations.h"
#include "plan/tree.h"
#include "spark/connect/relations.pb.h"
#include "sql/parser.h"

namespace millstream::plan {

namespace sc = spark::connect;

namespace {

// The visible columns, to be addressed by that name and no other.
NodePtr make_alias_node(const NodePtr& input, const std::vector<std::string>& qualifier) {
  auto node = std::make_shared<Project>();
  node->alias = true;
  for (Attribute a : input->output) {
    if (a.hidden) continue;
    node->exprs.push_back(make_attribute(a));
    a.qualifier = qualifier;
    node->output.push_back(std::move(a));
  }
  node->children.push_back(input);
  return node;
}

template <typename Map>
Options options_of(const Map& map) {
  Options options;
  for (const auto& [name, value] : map) options.set(name, value);
  return options;
}

}  // namespace

Result<NodePtr> RelationAnalyzer::read(const sc::Read& proto) {
  if (proto.has_named_table()) {
    TRY_ASSIGN(auto parts, sql::parse_identifier(proto.named_table().unparsed_identifier()));
    if (parts.size() == 1 && !proto.is_streaming()) {
      if (const NodePtr node = defined(parts[0])) return make_alias_node(node, parts);
    }
    TRY_ASSIGN(NodePtr node, resolver_.named_table(parts, options_of(proto.named_table().options()),
                                                   proto.is_streaming()));
    // Its columns can be addressed by the table's name, and those of a view's definition by nothing
    // else.
    auto named = std::make_shared<Project>();
    named->alias = true;
    for (Attribute a : node->output) {
      named->exprs.push_back(make_attribute(a));
      if (a.qualifier.empty() || node->kind == NodeKind::project) a.qualifier = parts;
      named->output.push_back(std::move(a));
    }
    named->children.push_back(std::move(node));
    return NodePtr(named);
  }
  if (!proto.has_data_source()) {
    return oneof_not_set(proto, "READTYPE_NOT_SET");
  }
  const auto& source = proto.data_source();
  if (source.predicates_size() > 0) {
    return Status::unsupported("JDBC predicates are not supported");
  }
  const std::vector<std::string> paths(source.paths().begin(), source.paths().end());
  const std::string format = source.format().empty() ? "parquet" : source.format();
  const Options options = options_of(source.options());
  if (proto.is_streaming()) {
    if (paths.size() > 1) {
      return Status::error(
          "CONNECT_INVALID_PLAN.MULTIPLE_PATHS_NOT_SUPPORTED_FOR_STREAMING_SOURCE");
    }
    TRY_ASSIGN(auto table, resolver_.stream_source(format, source.schema(), options, paths));
    return make_scan(std::move(table));
  }
  TRY_ASSIGN(auto table, resolver_.data_source(format, source.schema(), options, paths));
  return with_filled_chars(make_scan(std::move(table)));
}

Result<NodePtr> RelationAnalyzer::range(const sc::Range& proto) {
  if (proto.step() == 0) return Status::invalid("requirement failed: step ({}) cannot be 0", 0);
  auto node = std::make_shared<Range>();
  node->start = proto.start();
  node->end = proto.end();
  node->step = proto.step();
  if (proto.has_num_partitions()) node->partitions = proto.num_partitions();
  Attribute id;
  id.id = next_attribute_id();
  id.name = "id";
  id.type = column::long_type();
  id.nullable = false;
  node->output.push_back(std::move(id));
  return NodePtr(node);
}

}  // namespace millstream::plan
