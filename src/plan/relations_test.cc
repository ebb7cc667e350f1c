// Relations: the columns that come out of them, and what is refused.
#include "plan/test_plans.h"

namespace millstream::plan {
namespace {

const char* const abc = "a INT, s STRING, d DOUBLE";

std::string join_of(const std::string& left, const std::string& right, const std::string& type,
                    const std::string& rest) {
  return "join { left { " + left + " } right { " + right + " } join_type: JOIN_TYPE_" + type + " " +
         rest + " }";
}
std::string set_of(const std::string& left, const std::string& right, const std::string& type,
                   const std::string& rest = "is_all: true") {
  return "set_op { left_input { " + left + " } right_input { " + right +
         " } set_op_type: SET_OP_TYPE_" + type + " " + rest + " }";
}
std::string sorted(const std::string& input, const std::string& key) {
  return "sort { input { " + input + " } order { child " + key +
         " direction: SORT_DIRECTION_ASCENDING null_ordering: SORT_NULLS_FIRST } is_global: true }";
}
std::string grouped(const std::string& input, const std::vector<std::string>& keys,
                    const std::vector<std::string>& aggregates,
                    const std::string& type = "GROUPBY") {
  std::string out = "aggregate { input { " + input + " } group_type: GROUP_TYPE_" + type;
  for (const auto& k : keys) out += " grouping_expressions " + k;
  for (const auto& a : aggregates) out += " aggregate_expressions " + a;
  return out + " }";
}

TEST(Relations, ProjectFilterLimit) {
  const NodePtr node = plan_of(
      "limit { input { " +
      where(select(range(), {expr("id"), expr("id * 2 as x")}), expr("x > 2")) + " } limit: 5 }");
  EXPECT_EQ(columns_of(*node), "id BIGINT NOT NULL,x BIGINT NOT NULL");
  EXPECT_EQ(explain_tree(*node).substr(0, 13), "GlobalLimit 5");
}

TEST(Relations, NoInputIsOneRow) {
  const NodePtr node = plan_of("project { expressions " + expr("1 as x") + " }");
  EXPECT_EQ(columns_of(*node), "x INT NOT NULL");
  EXPECT_TRUE(node->children.empty());
}

TEST(Relations, WithColumnsReplacesInPlaceAndSeesTheInputOnly) {
  const std::string aliases = " aliases { expr " + expr("a + 1") +
                              " name: \"A\" } aliases { expr " + expr("a * 2") + " name: \"z\" }";
  const NodePtr node = plan_of("with_columns { input { " + local(abc) + " }" + aliases + " }");
  EXPECT_EQ(columns_of(*node), "A INT,s STRING,d DOUBLE,z INT");
  const Expr& z = *as<Project>(*node).exprs[3]->children[0];
  EXPECT_EQ(z.children[0]->id, node->children[0]->output[0].id);
}

TEST(Relations, RenameDropAndToDf) {
  EXPECT_EQ(columns_of(*plan_of("with_columns_renamed { input { " + local(abc) +
                                " } renames { col_name: \"A\" new_col_name: \"q\" }"
                                " renames { col_name: \"nope\" new_col_name: \"r\" } }")),
            "q INT,s STRING,d DOUBLE");
  EXPECT_EQ(columns_of(*plan_of("drop { input { " + local(abc) +
                                " } column_names: \"A\" column_names: \"zz\" columns " + col("s") +
                                " }")),
            "d DOUBLE");
  EXPECT_EQ(columns_of(*plan_of("to_df { input { " + local(abc) +
                                " } column_names: [\"x\", \"y\", \"z\"] }")),
            "x INT,y STRING,z DOUBLE");
  EXPECT_TRUE(error_of("to_df { input { " + local(abc) + " } column_names: \"x\" }")
                  .is("ASSIGNMENT_ARITY_MISMATCH"));
}

TEST(Relations, SortAndFilterFindDroppedColumns) {
  for (const std::string& text :
       {sorted(select(local(abc), {expr("s")}), expr("a")),
        where(select(local(abc), {expr("s")}), expr("a > 1")),
        sorted("limit { input { " + select(local(abc), {expr("s")}) + " } limit: 3 }",
               expr("a"))}) {
    const NodePtr node = plan_of(text);
    EXPECT_EQ(columns_of(*node), "s STRING") << text;
    EXPECT_EQ(node->kind, NodeKind::project);
  }
  const std::string aliased =
      "subquery_alias { input { " + select(local(abc), {expr("s")}) + " } alias: \"t\" }";
  EXPECT_TRUE(error_of(sorted(aliased, expr("a"))).is("UNRESOLVED_COLUMN.WITH_SUGGESTION"));
}

TEST(Relations, SortOrdinals) {
  const NodePtr node = plan_of(sorted(local(abc), expr("2")));
  EXPECT_EQ(as<Sort>(*node).keys[0].expr->id, node->output[1].id);
  const Status status = error_of(sorted(select(local(abc), {expr("s")}), expr("3")));
  EXPECT_TRUE(status.is("ORDER_BY_POS_OUT_OF_RANGE"));
  EXPECT_EQ(status.info().parameters.at("size"), "1");
}

TEST(Relations, Aggregate) {
  const NodePtr node = plan_of(grouped(local(abc), {expr("a + 1")},
                                       {expr("sum(d)"), expr("a + 1 as q"), expr("count(*) c")}));
  EXPECT_EQ(columns_of(*node), "`(a + 1)` INT,`sum(d)` DOUBLE,q INT,c BIGINT NOT NULL");
  const auto& aggregate = as<Aggregate>(*node);
  ASSERT_EQ(aggregate.keys.size(), 1U);
  EXPECT_EQ(aggregate.keys[0]->kind, ExprKind::attribute);
  EXPECT_EQ(aggregate.exprs[2]->children[0]->id, aggregate.keys[0]->id);
}

TEST(Relations, AggregateErrors) {
  const Status missing = error_of(grouped(local(abc), {expr("a")}, {expr("s")}));
  EXPECT_TRUE(missing.is("MISSING_AGGREGATION"));
  EXPECT_EQ(missing.info().parameters.at("expressionAnyValue"), "\"any_value(s)\"");
  EXPECT_TRUE(error_of(select(local(abc), {expr("sum(a)"), expr("s")})).is("MISSING_GROUP_BY"));
  EXPECT_TRUE(
      error_of(grouped(local(abc), {expr("sum(a)")}, {expr("count(1)")})).is("GROUP_BY_AGGREGATE"));
  const Status where_status = error_of(where(local(abc), expr("sum(a) > 1")));
  EXPECT_TRUE(where_status.is("INVALID_WHERE_CONDITION"));
  EXPECT_EQ(where_status.info().parameters.at("expressionList"), "sum(a)");
}

TEST(Relations, SortAndFilterOverAggregates) {
  const std::string input = grouped(local(abc), {expr("a")}, {expr("sum(d) as q")});
  EXPECT_EQ(columns_of(*plan_of(sorted(input, expr("sum(d)")))), "a INT,q DOUBLE");
  EXPECT_EQ(columns_of(*plan_of(sorted(input, expr("max(s)")))), "a INT,q DOUBLE");
  EXPECT_EQ(columns_of(*plan_of(where(input, expr("sum(d) > 1 and a > 0")))), "a INT,q DOUBLE");
  EXPECT_TRUE(error_of(sorted(input, expr("s"))).condition().starts_with("UNRESOLVED_COLUMN"));
  EXPECT_EQ(columns_of(*plan_of(
                select(grouped(local(abc), {expr("a")}, {expr("sum(d)")}), {expr("`sum(d)`")}))),
            "`sum(d)` DOUBLE");
}

TEST(Relations, RollupMakesKeysNullable) {
  const NodePtr node = plan_of(grouped(range(), {expr("id")}, {expr("count(1) as c")}, "ROLLUP"));
  EXPECT_EQ(columns_of(*node), "id BIGINT,c BIGINT NOT NULL");
  EXPECT_EQ(as<Aggregate>(*node).grouping_sets, (std::vector<std::vector<int>>{{0}, {}}));
}

TEST(Relations, GroupingSets) {
  const auto by = [](const std::string& sets) {
    return "aggregate { input { " + range() +
           " } group_type: GROUP_TYPE_GROUPING_SETS grouping_expressions " + expr("id") + " " +
           sets + " }";
  };
  const std::string id = "grouping_sets { grouping_set " + expr("id") + " }";
  const NodePtr node = plan_of(by(id + " grouping_sets { }"));
  EXPECT_EQ(as<Aggregate>(*node).grouping_sets, (std::vector<std::vector<int>>{{0}, {}}));
  EXPECT_EQ(error_of(by("grouping_sets { grouping_set " + expr("id + 1") + " }")).kind(),
            ErrorKind::unsupported_operation);
}

TEST(Relations, Pivot) {
  const std::string text = "aggregate { input { " + local(abc) +
                           " } group_type: GROUP_TYPE_PIVOT grouping_expressions " + expr("a") +
                           " aggregate_expressions " + expr("count(1) as n") +
                           " aggregate_expressions " + expr("sum(d)") + " pivot { col " +
                           expr("s") + " values { string: \"x\" } values { string: \"y\" } } }";
  EXPECT_EQ(columns_of(*plan_of(text)),
            "a INT,x_n BIGINT,`x_sum(d)` DOUBLE,y_n BIGINT,`y_sum(d)` DOUBLE");
}

TEST(Relations, TimeWindows) {
  const std::string input = local("t TIMESTAMP, k STRING");
  EXPECT_EQ(columns_of(*plan_of(select(
                input, {expr("window(t, '10 minutes')"), expr("window(t, '10 minutes').start")}))),
            "window STRUCT<start: TIMESTAMP, end: TIMESTAMP> NOT NULL,`window.start` TIMESTAMP");
  const NodePtr sliding = plan_of(grouped(
      input, {expr("window(t, '10 minutes', '4 minutes')"), expr("k")}, {expr("count(1) as n")}));
  EXPECT_EQ(columns_of(*sliding),
            "window STRUCT<start: TIMESTAMP, end: TIMESTAMP> NOT NULL,k STRING,n BIGINT NOT NULL");
  EXPECT_EQ(sliding->output[0].metadata, "{\"spark.timeWindow\":true}");
  EXPECT_TRUE(error_of(select(input, {expr("window(t, '1 minute', '2 minutes')")}))
                  .is("DATATYPE_MISMATCH.PARAMETER_CONSTRAINT_VIOLATION"));
}

TEST(Relations, StructsAreChangedMemberByMember) {
  const std::string input = local("st STRUCT<k: INT, n: STRUCT<x: INT, y: INT>> NOT NULL");
  const auto change = [](const std::string& path, const std::string& value) {
    return "{ update_fields { struct_expression " + col("st") + " field_name: \"" + path + "\"" +
           (value.empty() ? "" : " value_expression " + value) + " } }";
  };
  EXPECT_EQ(columns_of(*plan_of(select(
                input, {change("K", expr("'a'")), change("n.x", ""), change("z", expr("1"))}))),
            "`update_fields(st, WithField(a))` STRUCT<K: STRING NOT NULL, n: STRUCT<x: INT, y: "
            "INT>> NOT NULL,"
            "`update_fields(st, dropfield())` STRUCT<k: INT, n: STRUCT<y: INT>> NOT NULL,"
            "`update_fields(st, WithField(1))` STRUCT<k: INT, n: STRUCT<x: INT, y: INT>, z: INT "
            "NOT NULL> NOT NULL");
}

TEST(Relations, WindowOverAggregate) {
  const NodePtr node =
      plan_of(grouped(local(abc), {expr("a")}, {expr("sum(sum(d)) over (partition by a) as w")}));
  EXPECT_EQ(columns_of(*node), "a INT,w DOUBLE");
  EXPECT_EQ(node->kind, NodeKind::project);
  EXPECT_EQ(node->children[0]->kind, NodeKind::aggregate);
}

TEST(Relations, Generators) {
  const std::string input = local("a INT, arr ARRAY<INT>, m MAP<STRING, INT>");
  EXPECT_EQ(columns_of(*plan_of(select(input, {expr("a"), expr("explode(arr)")}))),
            "a INT,col INT");
  EXPECT_EQ(columns_of(*plan_of(select(input, {expr("posexplode(arr) as (p, c)"), expr("a")}))),
            "p INT NOT NULL,c INT,a INT");
  EXPECT_EQ(columns_of(*plan_of(select(input, {expr("explode_outer(m)")}))),
            "key STRING,value INT");
  EXPECT_EQ(
      columns_of(*plan_of(select(input, {expr("explode(arr) as x"), expr("explode(arr) as y")}))),
      "x INT,y INT");
  EXPECT_EQ(columns_of(*plan_of("with_columns { input { " + input + " } aliases { expr " +
                                expr("explode(arr)") + " name: \"arr\" } }")),
            "a INT,arr INT,m MAP<STRING, INT>");
  EXPECT_TRUE(
      error_of(where(input, expr("explode(arr)")))
          .info()
          .condition.starts_with("DATATYPE_MISMATCH") ||
      error_of(where(input, expr("explode(arr)"))).is("UNSUPPORTED_GENERATOR.OUTSIDE_SELECT"));
}

TEST(Relations, LateralAliases) {
  const NodePtr node = plan_of(select(local(abc), {expr("a + 1 as z"), expr("z + 1")}));
  EXPECT_EQ(columns_of(*node), "z INT,`(lateralAliasReference(z) + 1)` INT");
}

TEST(Relations, Joins) {
  const std::string l = local("a INT, s STRING");
  const std::string r = local("a BIGINT NOT NULL, t STRING");
  EXPECT_EQ(columns_of(*plan_of(join_of(l, r, "LEFT_OUTER", "using_columns: \"a\""))),
            "a INT,s STRING,t STRING");
  EXPECT_EQ(columns_of(*plan_of(join_of(l, r, "FULL_OUTER", "using_columns: \"a\""))),
            "a BIGINT,s STRING,t STRING");
  EXPECT_EQ(columns_of(*plan_of(join_of(l, r, "RIGHT_OUTER", "using_columns: \"a\""))),
            "a BIGINT NOT NULL,s STRING,t STRING");
  EXPECT_EQ(columns_of(*plan_of(join_of(l, r, "LEFT_SEMI", "using_columns: \"a\""))),
            "a INT,s STRING");
  EXPECT_EQ(columns_of(*plan_of(join_of(l, r, "CROSS", ""))),
            "a INT,s STRING,a BIGINT NOT NULL,t STRING");
  EXPECT_EQ(columns_of(*plan_of(join_of(l, r, "INNER", "join_condition " + expr("s = t")))),
            "a INT,s STRING,a BIGINT NOT NULL,t STRING");
  const Status using_status = error_of(join_of(l, r, "INNER", "using_columns: \"zz\""));
  EXPECT_TRUE(using_status.is("UNRESOLVED_USING_COLUMN_FOR_JOIN"));
  EXPECT_EQ(using_status.info().parameters.at("suggestion"), "`a`, `s`");
  EXPECT_TRUE(error_of(join_of(l, r, "INNER", "join_condition " + expr("s")))
                  .is("JOIN_CONDITION_IS_NOT_BOOLEAN_TYPE"));
  const Status ambiguous = error_of(select(join_of(l, r, "INNER", ""), {expr("a")}));
  EXPECT_TRUE(ambiguous.is("AMBIGUOUS_REFERENCE"));
  EXPECT_EQ(ambiguous.info().parameters.at("referenceNames"), "[`a`, `a`]");
}

TEST(Relations, AliasesQualify) {
  const std::string x = "subquery_alias { input { " + range() + " } alias: \"x\" }";
  const std::string y = "subquery_alias { input { " + range() + " } alias: \"y\" }";
  const std::string joined = join_of(x, y, "INNER", "join_condition " + expr("x.id = y.id"));
  EXPECT_EQ(columns_of(*plan_of(select(joined, {expr("y.id"), expr("x.*")}))),
            "id BIGINT NOT NULL,id BIGINT NOT NULL");
  EXPECT_EQ(error_of(select(joined, {expr("id")})).info().parameters.at("referenceNames"),
            "[`x`.`id`, `y`.`id`]");
  EXPECT_EQ(error_of(select(x, {expr("x.aa")})).info().parameters.at("proposal"), "`x`.`id`");
}

TEST(Relations, SetOperations) {
  EXPECT_EQ(columns_of(*plan_of(set_of(local("a INT"), local("s STRING"), "UNION"))), "a BIGINT");
  EXPECT_TRUE(
      error_of(set_of(local("a INT"), local("a INT, b INT"), "UNION")).is("NUM_COLUMNS_MISMATCH"));
  const Status wrong = error_of(set_of(local("a INT"), local("a ARRAY<INT>"), "UNION"));
  EXPECT_TRUE(wrong.is("INCOMPATIBLE_COLUMN_TYPE"));
  EXPECT_EQ(wrong.info().parameters.at("dataType1"), "\"ARRAY<INT>\"");
  EXPECT_EQ(columns_of(*plan_of(set_of(local("a INT, s STRING"), local("s STRING, a INT"), "UNION",
                                       "is_all: true by_name: true"))),
            "a INT,s STRING");
  EXPECT_TRUE(error_of(set_of(local("a INT, s STRING"), local("s STRING"), "UNION",
                              "is_all: true by_name: true"))
                  .is("UNRESOLVED_COLUMN_AMONG_FIELD_NAMES"));
  EXPECT_EQ(columns_of(*plan_of(set_of(local("a INT, s STRING"), local("s STRING, b INT"), "UNION",
                                       "is_all: true by_name: true allow_missing_columns: true"))),
            "a INT,s STRING,b INT");
  EXPECT_TRUE(error_of(set_of(local("m MAP<INT,INT>"), local("m MAP<INT,INT>"), "INTERSECT",
                              "is_all: false"))
                  .is("UNSUPPORTED_FEATURE.SET_OPERATION_ON_MAP_TYPE"));
}

TEST(Relations, Deduplicate) {
  EXPECT_EQ(
      columns_of(*plan_of("deduplicate { input { " + local(abc) + " } column_names: \"A\" }")),
      "a INT,s STRING,d DOUBLE");
  EXPECT_TRUE(error_of("deduplicate { input { " + local(abc) + " } column_names: \"zz\" }")
                  .is("CONNECT_INVALID_PLAN.UNRESOLVED_COLUMN_AMONG_FIELD_NAMES"));
}

TEST(Relations, Na) {
  const std::string values = " values { integer: 0 }";
  EXPECT_EQ(columns_of(*plan_of("fill_na { input { " + local(abc) + " }" + values + " }")),
            "a INT NOT NULL,s STRING,d DOUBLE NOT NULL");
  EXPECT_EQ(columns_of(*plan_of("drop_na { input { " + local(abc) + " } min_non_nulls: 2 }")),
            "a INT,s STRING,d DOUBLE");
  EXPECT_EQ(
      columns_of(*plan_of("replace { input { " + local(abc) +
                          " } replacements { old_value { double: 1 } new_value { double: 2 } } }")),
      "a INT,s STRING,d DOUBLE");
  EXPECT_TRUE(error_of("fill_na { input { " + local(abc) + " } cols: \"zz\"" + values + " }")
                  .is("UNRESOLVED_COLUMN.WITH_SUGGESTION"));
}

TEST(Relations, Metadata) {
  const std::string input = table("a INT");
  EXPECT_EQ(columns_of(*plan_of(input)), "a INT");
  EXPECT_EQ(columns_of(*plan_of(select(input, {expr("*"), expr("_metadata.file_path")}))),
            "a INT,file_path STRING NOT NULL");
  EXPECT_EQ(
      columns_of(*plan_of(where(select(input, {expr("a")}), expr("_metadata.file_size > 1")))),
      "a INT");
  EXPECT_EQ(columns_of(*plan_of(select(input, {expr("_metadata.*")}))),
            "file_path STRING NOT NULL,file_name STRING NOT NULL,file_size BIGINT NOT NULL");
}

TEST(Relations, Watermark) {
  const std::string stream =
      "read { is_streaming: true data_source { format: \"json\" schema: \"t TIMESTAMP, a INT\" } }";
  const NodePtr node = plan_of("with_watermark { input { " + stream +
                               " } event_time: \"t\" delay_threshold: \"10 minutes\" }");
  EXPECT_EQ(as<Watermark>(*node).delay_ms, 600'000);
  EXPECT_TRUE(is_streaming(*node));
  EXPECT_TRUE(error_of("with_watermark { input { " + stream +
                       " } event_time: \"a\" delay_threshold: \"1 day\" }")
                  .is("EVENT_TIME_IS_NOT_ON_TIMESTAMP_TYPE"));
  const std::string nested =
      "read { is_streaming: true data_source { format: \"json\" schema: \"t TIMESTAMP_NTZ, "
      "s STRUCT<t: TIMESTAMP>, w STRUCT<start: TIMESTAMP, end: TIMESTAMP>\" } }";
  const auto watermark_on = [&](const char* column) {
    return "with_watermark { input { " + nested + " } event_time: \"" + column +
           "\" delay_threshold: \"1 day\" }";
  };
  EXPECT_TRUE(error_of(watermark_on("t")).is("EVENT_TIME_IS_NOT_ON_TIMESTAMP_TYPE"));
  EXPECT_TRUE(error_of(watermark_on("s")).is("EVENT_TIME_IS_NOT_ON_TIMESTAMP_TYPE"));
  EXPECT_TRUE(error_of(watermark_on("s.t")).is("EVENT_TIME_MUST_BE_TOP_LEVEL_COLUMN"));
  EXPECT_TRUE(is_streaming(*plan_of(watermark_on("w"))));
  const Status unreadable = error_of("with_watermark { input { " + stream +
                                     " } event_time: \"t\" delay_threshold: \"foo\" }");
  EXPECT_TRUE(unreadable.is("CANNOT_PARSE_INTERVAL"));
  EXPECT_EQ(unreadable.kind(), ErrorKind::analysis);
}

TEST(Relations, Views) {
  FakeResolver resolver;
  resolver.views["v"] = plan_of(select(range(), {expr("id"), expr("id + 1 as x")}));
  const std::string view = "read { named_table { unparsed_identifier: \"v\" } }";
  EXPECT_EQ(columns_of(*plan_of(select(view, {expr("v.x")}), &resolver)), "x BIGINT NOT NULL");
  EXPECT_EQ(columns_of(*plan_of(join_of(view, view, "INNER", ""), &resolver)),
            "id BIGINT NOT NULL,x BIGINT NOT NULL,id BIGINT NOT NULL,x BIGINT NOT NULL");
  EXPECT_TRUE(error_of("read { named_table { unparsed_identifier: \"w\" } }", &resolver)
                  .is("TABLE_OR_VIEW_NOT_FOUND"));
}

TEST(Relations, WithoutRelationType) {
  EXPECT_TRUE(
      error_of("common { plan_id: 1 }").is("CONNECT_INVALID_PLAN.INVALID_ONE_OF_FIELD_NOT_SET"));
}

TEST(Relations, LongExpressions) {
  std::string sum = "a";
  for (int i = 0; i < 500; ++i) sum += " + 1";
  EXPECT_EQ(schema_of(*optimize(plan_of(select(local(abc), {expr(sum + " as x")})))).size(), 1U);
  std::string conjunction = "a > 0";
  for (int i = 0; i < 2000; ++i) conjunction += " and a > " + std::to_string(i);
  EXPECT_EQ(columns_of(*optimize(plan_of(where(local(abc), expr(conjunction))))),
            "a INT,s STRING,d DOUBLE");
}

TEST(Relations, WindowFramesAsTheApiSendsThem) {
  const std::string window =
      "{ window { window_function " + expr("sum(a)") + " partition_spec " + expr("s") +
      " order_spec { child " + expr("a") +
      " direction: SORT_DIRECTION_ASCENDING null_ordering: SORT_NULLS_FIRST }"
      " frame_spec { frame_type: FRAME_TYPE_ROW lower { value { literal { integer: -1 } } }"
      " upper { value { literal { integer: 1 } } } } } }";
  const NodePtr node = plan_of(select(local(abc), {window}));
  EXPECT_EQ(node->output[0].name,
            "sum(a) OVER (PARTITION BY s ORDER BY a ASC NULLS FIRST ROWS BETWEEN -1 FOLLOWING AND "
            "1 FOLLOWING)");
  const WindowSpec& spec = *as<Project>(*node).exprs[0]->children[0]->window;
  EXPECT_EQ(spec.lower.kind, FrameBound::Kind::preceding);
  EXPECT_EQ(spec.upper.kind, FrameBound::Kind::following);
}

TEST(Relations, AThousandOperatorsDeep) {
  spark::connect::Relation relation = relation_of(range());
  for (int i = 0; i < 1000; ++i) {
    spark::connect::Relation next;
    if (i % 2 == 0) {
      next = relation_of("filter { condition " + expr("id > 0") + " }");
      next.mutable_filter()->mutable_input()->Swap(&relation);
    } else {
      next = relation_of("with_columns { aliases { expr " + expr("id + 1") + " name: \"id\" } }");
      next.mutable_with_columns()->mutable_input()->Swap(&relation);
    }
    next.mutable_common()->set_plan_id(i);
    relation.Swap(&next);
  }
  FakeResolver resolver;
  const auto node = analyze(relation, resolver, AnalyzerSettings{});
  ASSERT_TRUE(node.ok()) << node.status().to_string();
  EXPECT_EQ(columns_of(*optimize(*node)), "id BIGINT NOT NULL");
}

}  // namespace
}  // namespace millstream::plan
