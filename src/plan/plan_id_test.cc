// Columns taken from a DataFrame object: the outcomes that real Spark gives.
#include "plan/test_plans.h"

namespace millstream::plan {
namespace {

// range(3) as DataFrame `n`.
std::string frame(int n) { return range() + id(n); }
std::string join_of(const std::string& left, const std::string& right, int n,
                    const std::string& rest = "", const std::string& type = "INNER") {
  return "join { left { " + left + " } right { " + right + " } join_type: JOIN_TYPE_" + type + " " +
         rest + " }" + id(n);
}
std::string equal(const std::string& a, const std::string& b) {
  return "{ unresolved_function { function_name: \"==\" arguments " + a + " arguments " + b +
         " } }";
}
std::string renamed(const std::string& input, const std::string& from, const std::string& to,
                    int n) {
  return "with_columns_renamed { input { " + input + " } renames { col_name: \"" + from +
         "\" new_col_name: \"" + to + "\" } }" + id(n);
}
std::string sorted(const std::string& input, const std::string& key) {
  return "sort { input { " + input + " } order { child " + key +
         " direction: SORT_DIRECTION_ASCENDING } is_global: true }";
}

TEST(PlanId, EachSideOfAJoin) {
  const std::string joined =
      join_of(frame(1), frame(2), 3, "join_condition " + equal(col("id", 1), col("id", 2)));
  const NodePtr node = plan_of(select(joined, {col("id", 2)}));
  EXPECT_EQ(node->output[0].id, node->children[0]->output[1].id);
}

TEST(PlanId, SelfJoinWithOneSideRenamed) {
  const std::string joined = join_of(frame(1), renamed(frame(1), "id", "b", 2), 3,
                                     "join_condition " + equal(col("id", 1), col("b", 2)));
  const NodePtr node = plan_of(joined);
  EXPECT_EQ(as<Join>(*node).condition->children[0]->id, node->output[0].id);
  EXPECT_EQ(as<Join>(*node).condition->children[1]->id, node->output[1].id);
}

TEST(PlanId, SelfJoinsAreAmbiguous) {
  const Status condition = error_of(
      join_of(frame(1), frame(1), 2, "join_condition " + equal(col("id", 1), col("id", 1))));
  EXPECT_TRUE(condition.is("AMBIGUOUS_COLUMN_REFERENCE"));
  EXPECT_EQ(condition.info().parameters.at("name"), "\"id\"");
  EXPECT_TRUE(error_of(select(join_of(frame(1), frame(1), 2, "", "CROSS"), {col("id", 1)}))
                  .is("AMBIGUOUS_COLUMN_REFERENCE"));
}

TEST(PlanId, ADirectInputBeatsANestedOne) {
  // df.join(df.filter(...).join(...)): the left input itself is meant.
  const std::string nested = where(frame(1), expr("id > 0")) + id(2);
  const NodePtr node =
      plan_of(join_of(frame(1), nested, 3, "join_condition " + equal(col("id", 1), col("id", 2))));
  EXPECT_EQ(as<Join>(*node).condition->children[0]->id, node->output[0].id);
}

TEST(PlanId, OtherDataFramesAreErrors) {
  const Status other = error_of(select(frame(1), {col("id", 7)}));
  EXPECT_TRUE(other.is("CANNOT_RESOLVE_DATAFRAME_COLUMN"));
  EXPECT_EQ(other.info().parameters.at("name"), "\"id\"");
  const std::string both = "set_op { left_input { " + frame(1) + " } right_input { " + frame(1) +
                           " } set_op_type: SET_OP_TYPE_UNION is_all: true }" + id(2);
  EXPECT_TRUE(error_of(select(both, {col("id", 1)})).is("CANNOT_RESOLVE_DATAFRAME_COLUMN"));
}

TEST(PlanId, HiddenKeyOfAUsingJoin) {
  const std::string joined = join_of(frame(1), frame(2), 3, "using_columns: \"id\"", "FULL_OUTER");
  const NodePtr node = plan_of(select(joined, {col("id", 2), col("id", 3), expr("id")}));
  const Node& join = *node->children[0]->children[0];
  ASSERT_EQ(join.kind, NodeKind::join);
  EXPECT_EQ(node->output[0].id, join.output[1].id);
  EXPECT_TRUE(node->output[0].nullable);
  EXPECT_EQ(node->output[1].id, node->output[2].id);
}

TEST(PlanId, ADroppedColumnIsLookedUpByName) {
  const std::string input = local("id INT, v INT") + id(1);
  const NodePtr node = plan_of(sorted(select(input, {col("v", 1)}) + id(2), col("id", 1)));
  EXPECT_EQ(columns_of(*node), "v INT");
  EXPECT_EQ(node->kind, NodeKind::project);
}

TEST(PlanId, OperatorsThatChangeNothingAreDataFramesToo) {
  const std::string hint = "hint { input { " + frame(1) + " } name: \"broadcast\" }" + id(2);
  EXPECT_EQ(columns_of(*plan_of(select(hint, {col("id", 1), col("id", 2)}))),
            "id BIGINT NOT NULL,id BIGINT NOT NULL");
}

TEST(PlanId, StarOfADataFrame) {
  const std::string joined = join_of(frame(1), frame(2), 3, "", "CROSS");
  const NodePtr node = plan_of(select(joined, {"{ unresolved_star { plan_id: 2 } }"}));
  ASSERT_EQ(node->output.size(), 1U);
  EXPECT_EQ(node->output[0].id, node->children[0]->output[1].id);
}

TEST(PlanId, WithColumnChains) {
  const std::string input = local("x INT") + id(1);
  const std::string plus = "{ unresolved_function { function_name: \"+\" arguments " + col("x", 1) +
                           " arguments { literal { integer: 1 } } } }";
  const std::string next =
      "with_columns { input { " + input + " } aliases { expr " + plus + " name: \"y\" } }" + id(2);
  EXPECT_EQ(columns_of(*plan_of(select(next, {col("x", 1), col("y", 2)}))), "x INT,y INT");
  // x is another column after it was replaced: the old one is gone.
  const std::string replaced =
      "with_columns { input { " + input + " } aliases { expr " + plus + " name: \"x\" } }" + id(2);
  EXPECT_TRUE(error_of(select(replaced, {col("x", 1)})).is("CANNOT_RESOLVE_DATAFRAME_COLUMN"));
}

}  // namespace
}  // namespace millstream::plan
