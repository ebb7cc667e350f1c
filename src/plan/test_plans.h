// For this room's tests: plans from protobuf text, and a resolver with a few tables.
#pragma once

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "plan/analyzer.h"
#include "plan/optimize.h"
#include "plan/tree.h"
#include "spark/connect/relations.pb.h"

namespace millstream::plan {

class FakeTable final : public connector::Table, public connector::StreamTable {
 public:
  FakeTable(column::Schema schema, column::Schema metadata)
      : schema_(std::move(schema)), metadata_(std::move(metadata)) {}
  const column::Schema& schema() const override { return schema_; }
  const column::Schema& metadata_fields() const override { return metadata_; }
  std::string describe() const override { return "fake"; }
  Result<connector::Batches> scan(const connector::ScanRequest&) const override {
    return Status::internal("not read here");
  }
  Result<std::unique_ptr<connector::Source>> open(const connector::SourceContext&) const override {
    return Status::internal("not read here");
  }

 private:
  column::Schema schema_;
  column::Schema metadata_;
};

class FakeResolver final : public Resolver {
 public:
  Result<NodePtr> named_table(const std::vector<std::string>& parts, const Options&,
                              bool) override {
    const auto view = views.find(parts.back());
    if (view != views.end()) return with_fresh_ids(view->second);
    return Status::error("TABLE_OR_VIEW_NOT_FOUND", {{"relationName", "`" + parts.back() + "`"}});
  }
  Result<std::shared_ptr<const connector::Table>> data_source(
      const std::string&, const std::string& schema, const Options&,
      const std::vector<std::string>&) override {
    TRY_ASSIGN(auto columns, column::parse_schema(schema));
    return std::shared_ptr<const connector::Table>(
        std::make_shared<FakeTable>(columns, metadata()));
  }
  Result<std::shared_ptr<const connector::StreamTable>> stream_source(
      const std::string&, const std::string& schema, const Options&,
      const std::vector<std::string>&) override {
    TRY_ASSIGN(auto columns, column::parse_schema(schema));
    return std::shared_ptr<const connector::StreamTable>(
        std::make_shared<FakeTable>(columns, metadata()));
  }
  Result<NodePtr> cached_relation(const std::string& id) override {
    return Status::error("CONNECT_INVALID_PLAN.DATAFRAME_NOT_FOUND", {{"dfId", id}});
  }
  Result<std::string> cached_artifact(const std::string& hash) override { return artifacts[hash]; }

  static column::Schema metadata() {
    return {{"file_path", column::string_type(), false, {}},
            {"file_name", column::string_type(), false, {}},
            {"file_size", column::long_type(), false, {}}};
  }

  std::map<std::string, NodePtr> views;
  std::map<std::string, std::string> artifacts;
};

inline spark::connect::Relation relation_of(const std::string& text) {
  spark::connect::Relation relation;
  google::protobuf::TextFormat::Parser parser;
  parser.SetRecursionLimit(100000);
  EXPECT_TRUE(parser.ParseFromString(text, &relation)) << text;
  return relation;
}

inline Result<NodePtr> try_plan(const std::string& text, FakeResolver* resolver = nullptr) {
  FakeResolver own;
  return analyze(relation_of(text), resolver == nullptr ? own : *resolver, AnalyzerSettings{});
}

inline NodePtr plan_of(const std::string& text, FakeResolver* resolver = nullptr) {
  auto node = try_plan(text, resolver);
  EXPECT_TRUE(node.ok()) << node.status().to_string() << "\n" << text;
  return node.ok() ? *node : std::make_shared<Local>();
}

// "a INT,b STRING NOT NULL": the visible columns.
inline std::string columns_of(const Node& node) { return column::to_ddl(schema_of(node)); }

inline Status error_of(const std::string& text, FakeResolver* resolver = nullptr) {
  auto node = try_plan(text, resolver);
  EXPECT_FALSE(node.ok()) << text;
  return node.ok() ? Status::internal("no error") : node.status();
}

inline std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

// The text form of relations and expressions.
inline std::string expr(const std::string& sql) {
  return "{ expression_string { expression: \"" + escaped(sql) + "\" } }";
}
inline std::string col(const std::string& name, int plan_id = -1) {
  return "{ unresolved_attribute { unparsed_identifier: \"" + name + "\"" +
         (plan_id < 0 ? "" : " plan_id: " + std::to_string(plan_id)) + " } }";
}
inline std::string id(int plan_id) {
  return " common { plan_id: " + std::to_string(plan_id) + " }";
}
inline std::string range(int n = 3) { return "range { end: " + std::to_string(n) + " step: 1 }"; }
inline std::string table(const std::string& ddl) {
  return "read { data_source { format: \"json\" schema: \"" + ddl + "\" } }";
}
inline std::string local(const std::string& ddl) {
  return "local_relation { schema: \"" + ddl + "\" }";
}
inline std::string select(const std::string& input, const std::vector<std::string>& exprs) {
  std::string out = "project { input { " + input + " }";
  for (const auto& e : exprs) out += " expressions " + e;
  return out + " }";
}
inline std::string where(const std::string& input, const std::string& condition) {
  return "filter { input { " + input + " } condition " + condition + " }";
}

}  // namespace millstream::plan
