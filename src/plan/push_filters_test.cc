// Where conditions end up, and what they must not pass.
#include "plan/test_plans.h"

namespace millstream::plan {
namespace {

const char* const left = "a INT, s STRING";

std::string joined(const std::string& type) {
  return "join { left { " + select(table(left), {expr("a"), expr("s")}) + " } right { " +
         select(table("b INT, t STRING"), {expr("b"), expr("t")}) + " } join_type: " + type + " }";
}

// The scans' predicates from left to right, "a,b".
std::string pushed(const Node& node) {
  if (node.kind == NodeKind::scan) {
    std::string out;
    for (const auto& p : as<Scan>(node).predicates) out += p.path[0];
    return out + ";";
  }
  std::string out;
  for (const auto& child : node.children) out += pushed(*child);
  return out;
}

const Join& join_in(const Node& node) {
  const Node* at = &node;
  while (at->kind != NodeKind::join) at = at->children[0].get();
  return as<Join>(*at);
}

NodePtr filtered(const std::string& input, const std::string& condition) {
  return optimize(plan_of(where(input, expr(condition))));
}

TEST(PushFilters, AProductBecomesAJoin) {
  const NodePtr node = filtered(joined("JOIN_TYPE_CROSS"), "a = b and a > 1 and t = 'x'");
  EXPECT_EQ(join_in(*node).type, JoinType::inner);
  EXPECT_NE(join_in(*node).condition, nullptr);
  EXPECT_EQ(pushed(*node), "a;t;");
}

TEST(PushFilters, OuterJoinsKeepWhatIsAskedOfTheirNulls) {
  EXPECT_EQ(pushed(*filtered(joined("JOIN_TYPE_LEFT_OUTER"), "a > 1 and t is null")), "a;;");
  EXPECT_EQ(pushed(*filtered(joined("JOIN_TYPE_RIGHT_OUTER"), "a > 1 and b > 2")), ";b;");
  EXPECT_EQ(pushed(*filtered(joined("JOIN_TYPE_FULL_OUTER"), "a > 1 and b > 2")), ";;");
  EXPECT_EQ(pushed(*filtered(joined("JOIN_TYPE_LEFT_SEMI"), "a > 1")), "a;;");
}

TEST(PushFilters, GroupingKeysAloneGoThrough) {
  const std::string groups = "aggregate { input { " + table(left) +
                             " } group_type: GROUP_TYPE_GROUPBY grouping_expressions " + expr("a") +
                             " aggregate_expressions " + expr("count(s) as n") + " }";
  EXPECT_EQ(pushed(*filtered(groups, "a = 1 and n > 2")), "a;");
}

TEST(PushFilters, NothingPassesALimitOrAWindow) {
  EXPECT_EQ(pushed(*filtered("limit { input { " + table(left) + " } limit: 3 }", "a = 1")), ";");
  EXPECT_EQ(
      pushed(*filtered(
          select(table(left), {expr("a"), expr("row_number() over (order by s) as r")}), "a = 1")),
      ";");
  const NodePtr limited = optimize(plan_of(
      "limit { input { " + select(table(left), {expr("count(*) over () as n")}) + " } limit: 3 }"));
  const Node* at = limited.get();
  while (!at->children.empty()) at = at->children[0].get();
  EXPECT_FALSE(as<Scan>(*at).limit.has_value());
}

TEST(PushFilters, DatesWrittenAsTextsChooseFiles) {
  EXPECT_EQ(pushed(*filtered(table("d DATE"), "d >= cast('2024-01-01' as date)")), "d;");
  EXPECT_EQ(pushed(*filtered(table("a INT"), "a between 1 and 5")), "aa;");
}

TEST(CutDeep, AThousandTermsBecomeSteps) {
  std::string sum = "a";
  for (int i = 0; i < 1000; ++i) sum += " + a";
  const NodePtr node = optimize(plan_of(select(table("a INT"), {expr(sum + " as x")})));
  EXPECT_EQ(columns_of(*node), "x INT");
  int steps = 0;
  for (const Node* at = node.get(); at->kind == NodeKind::project; at = at->children[0].get())
    ++steps;
  EXPECT_GT(steps, 5);
}

}  // namespace
}  // namespace millstream::plan
