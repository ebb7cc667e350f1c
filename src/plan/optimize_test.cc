// Pruning, merging and pushdown keep what a plan means and make scans read less.
#include "plan/test_plans.h"

namespace millstream::plan {
namespace {

const char* const wide = "a INT, s STRING, d DOUBLE, st STRUCT<k: INT, l: STRING>, t BIGINT";

const Node* scan_below(const Node& node) {
  const Node* at = &node;
  while (!at->children.empty()) at = at->children[0].get();
  return at;
}

std::vector<std::string> columns_read(const Node& node) {
  return as<Scan>(*scan_below(node)).columns;
}

TEST(Optimize, ScansReadWhatIsUsed) {
  const NodePtr node = optimize(plan_of(select(where(table(wide), expr("d < 1")), {expr("s")})));
  EXPECT_EQ(columns_read(*node), (std::vector<std::string>{"s", "d"}));
  EXPECT_EQ(columns_of(*node), "s STRING");
  EXPECT_EQ(columns_read(*optimize(plan_of(table(wide)))),
            (std::vector<std::string>{"a", "s", "d", "st", "t"}));
  const NodePtr count = optimize(plan_of(
      "aggregate { input { " + table(wide) +
      " } group_type: GROUP_TYPE_GROUPBY aggregate_expressions " + expr("count(1)") + " }"));
  EXPECT_TRUE(columns_read(*count).empty());
}

TEST(Optimize, MetadataIsReadOnlyWhenAsked) {
  EXPECT_EQ(columns_read(*optimize(plan_of(select(table("a INT"), {expr("_metadata.file_name")})))),
            (std::vector<std::string>{"_metadata"}));
  EXPECT_EQ(columns_read(*optimize(plan_of(select(table("a INT"), {expr("a")})))),
            (std::vector<std::string>{"a"}));
}

TEST(Optimize, ProjectionsMerge) {
  std::string text = table("a INT, b INT");
  for (int i = 0; i < 50; ++i) {
    text = "with_columns { input { " + text + " } aliases { expr " + expr("a + 1") +
           " name: \"a\" } }";
  }
  const NodePtr node = optimize(plan_of(text));
  EXPECT_EQ(node->kind, NodeKind::project);
  EXPECT_EQ(node->children[0]->kind, NodeKind::scan);
  EXPECT_EQ(columns_of(*node), "a INT,b INT");
  // Used twice, an expensive definition is computed once below.
  const NodePtr twice =
      optimize(plan_of(select(select(table("a INT"), {expr("a + 1 as x")}), {expr("x * x as y")})));
  EXPECT_EQ(twice->children[0]->kind, NodeKind::project);
}

TEST(Optimize, NonDeterministicDefinitionsStay) {
  const NodePtr node = optimize(
      plan_of(select(select(table("a INT"), {expr("uuid() as u")}), {expr("u"), expr("u as v")})));
  EXPECT_EQ(node->children[0]->kind, NodeKind::project);
}

TEST(Optimize, ComparisonsReachTheScan) {
  const NodePtr node = optimize(plan_of(
      where(where(table(wide), expr("a > 3 and st.k = 1")), expr("s in ('x', 'y') or a = 1"))));
  const auto& scan = as<Scan>(*scan_below(*node));
  ASSERT_EQ(scan.predicates.size(), 2U);
  EXPECT_EQ(scan.predicates[0].path, (std::vector<std::string>{"a"}));
  EXPECT_EQ(scan.predicates[0].op, connector::Predicate::Op::greater);
  EXPECT_EQ(scan.predicates[1].path, (std::vector<std::string>{"st", "k"}));
  EXPECT_EQ(node->kind, NodeKind::filter);
}

TEST(Optimize, ComparisonsSeenThroughRenamesAndWideningCasts) {
  const NodePtr node =
      optimize(plan_of(where(select(table(wide), {expr("a as x")}), expr("5L >= x"))));
  const auto& scan = as<Scan>(*scan_below(*node));
  ASSERT_EQ(scan.predicates.size(), 1U);
  EXPECT_EQ(scan.predicates[0].op, connector::Predicate::Op::less_equal);
  EXPECT_EQ(scan.predicates[0].path, (std::vector<std::string>{"a"}));
}

TEST(Optimize, NothingPassesALimitOrADoublesNan) {
  const NodePtr limited =
      optimize(plan_of(where("limit { input { " + table(wide) + " } limit: 3 }", expr("a > 3"))));
  EXPECT_TRUE(as<Scan>(*scan_below(*limited)).predicates.empty());
  EXPECT_EQ(as<Scan>(*scan_below(*limited)).limit, 3);
  // NaN is greater than any bound that a file's statistics know.
  EXPECT_TRUE(as<Scan>(*scan_below(*optimize(plan_of(where(table(wide), expr("d > 3D"))))))
                  .predicates.empty());
  const NodePtr filtered =
      optimize(plan_of("limit { input { " + where(table(wide), expr("a > 3")) + " } limit: 3 }"));
  EXPECT_FALSE(as<Scan>(*scan_below(*filtered)).limit.has_value());
}

TEST(Optimize, UnionsKeepTheirColumnsInStep) {
  const std::string u = "set_op { left_input { " + table("a INT, b INT") + " } right_input { " +
                        table("c INT, d INT") + " } set_op_type: SET_OP_TYPE_UNION is_all: true }";
  const NodePtr node = optimize(plan_of(select(u, {expr("b")})));
  const NodePtr& set = node->kind == NodeKind::set_operation ? node : node->children[0];
  ASSERT_EQ(set->kind, NodeKind::set_operation);
  EXPECT_EQ(set->output.size(), 1U);
  EXPECT_EQ(set->children[0]->output[0].name, "b");
  EXPECT_EQ(set->children[1]->output[0].name, "d");
}

TEST(Optimize, JoinsReadBothSidesSparingly) {
  const std::string joined = "join { left { " + table("k INT, x INT, y INT") + " } right { " +
                             table("k INT, z INT, w INT") +
                             " } using_columns: \"k\" join_type: JOIN_TYPE_INNER }";
  const NodePtr node = optimize(plan_of(select(joined, {expr("x"), expr("w")})));
  const Node* at = node.get();
  while (at->kind != NodeKind::join) at = at->children[0].get();
  EXPECT_EQ(as<Scan>(*at->children[0]).columns, (std::vector<std::string>{"k", "x"}));
  EXPECT_EQ(as<Scan>(*at->children[1]).columns, (std::vector<std::string>{"k", "w"}));
}

}  // namespace
}  // namespace millstream::plan
