// Names, types and nullability of expressions, as real Spark 4.2 gives them.
#include "plan/test_plans.h"

namespace millstream::plan {
namespace {

const char* const d =
    "a INT, s STRING, d DOUBLE, arr ARRAY<INT>, m MAP<STRING,INT>, st STRUCT<k: INT, l: STRING>, b "
    "BIGINT NOT NULL";

struct Case {
  const char* sql;
  const char* name;
  const char* type;
  bool nullable;
};

class Names : public testing::TestWithParam<Case> {};

TEST_P(Names, AreThoseOfSpark) {
  const Case& c = GetParam();
  const NodePtr node = plan_of(select(local(d), {expr(c.sql)}));
  const column::Schema schema = schema_of(*node);
  ASSERT_EQ(schema.size(), 1U);
  EXPECT_EQ(schema[0].name, c.name) << c.sql;
  EXPECT_EQ(schema[0].type->simple_string(), c.type) << c.sql;
  EXPECT_EQ(schema[0].nullable, c.nullable) << c.sql;
}

INSTANTIATE_TEST_SUITE_P(
    Spark, Names,
    testing::Values(
        Case{"b + 1", "(b + 1)", "bigint", false}, Case{"cast(a as string)", "a", "string", true},
        Case{"cast(a + 1 as string)", "CAST((a + 1) AS STRING)", "string", true},
        Case{"cast('1' as int)", "CAST(1 AS INT)", "int", true},
        Case{"try_cast('1' as int)", "TRY_CAST(1 AS INT)", "int", true},
        Case{"a::string", "a", "string", true},
        Case{"cast(1 as string)", "CAST(1 AS STRING)", "string", false},
        Case{"cast(1.5 as int)", "CAST(1.5 AS INT)", "int", true},
        Case{"cast(1 as decimal(10,2))", "CAST(1 AS DECIMAL(10,2))", "decimal(10,2)", true},
        Case{"cast(st.k as string)", "CAST(st.k AS STRING)", "string", true},
        Case{"date'2024-01-01'", "DATE '2024-01-01'", "date", false},
        Case{"timestamp'2024-01-01 01:02:03.4'", "TIMESTAMP '2024-01-01 01:02:03.4'", "timestamp",
             false},
        Case{"timestamp_ntz'2024-01-01 01:02:03.4'", "TIMESTAMP_NTZ '2024-01-01 01:02:03.4'",
             "timestamp_ntz", false},
        Case{"interval '1' day", "INTERVAL '1' DAY", "interval day", false},
        Case{"interval 1 day 2 hours", "INTERVAL '1 02' DAY TO HOUR", "interval day to hour",
             false},
        Case{"interval '1-2' year to month", "INTERVAL '1-2' YEAR TO MONTH",
             "interval year to month", false},
        Case{"X'0a'", "X'0A'", "binary", false}, Case{"1.50", "1.50", "decimal(3,2)", false},
        Case{"1e1", "10.0", "double", false}, Case{"1L", "1", "bigint", false},
        Case{"1S", "1", "smallint", false}, Case{"1Y", "1", "tinyint", false},
        Case{"1D", "1.0", "double", false}, Case{"1F", "1.0", "float", false},
        Case{"1BD", "1", "decimal(1,0)", false}, Case{"-1", "-1", "int", false},
        Case{"- 1", "-1", "int", false}, Case{"-(1)", "(- 1)", "int", false},
        Case{"3000000000", "3000000000", "bigint", false}, Case{"null", "NULL", "void", true},
        Case{"true", "true", "boolean", false}));

INSTANTIATE_TEST_SUITE_P(
    Operators, Names,
    testing::Values(
        Case{"st.k", "k", "int", true}, Case{"st['k']", "st.k", "int", true},
        Case{"arr[0]", "arr[0]", "int", true}, Case{"m['k']", "m[k]", "int", true},
        Case{"m.k", "k", "int", true}, Case{"st.k + 1", "(st.k + 1)", "int", true},
        Case{"a between 1 and 2", "between(a, 1, 2)", "boolean", true},
        Case{"a in (1, 2)", "(a IN (1, 2))", "boolean", true},
        Case{"a not in (1, 2L)", "(NOT (a IN (1, 2)))", "boolean", true},
        Case{"a is null", "(a IS NULL)", "boolean", false},
        Case{"a = 1 and not a > 2 or a <> 3", "(((a = 1) AND (NOT (a > 2))) OR (NOT (a = 3)))",
             "boolean", true},
        Case{"(a = 1) is true", "((a = 1) <=> true)", "boolean", false},
        Case{"(a = 1) is not false", "(NOT ((a = 1) <=> false))", "boolean", false},
        Case{"a is distinct from 2", "(NOT (a <=> 2))", "boolean", false},
        Case{"a is not distinct from 2", "(a <=> 2)", "boolean", false},
        Case{"a == 1", "(a = 1)", "boolean", true},
        Case{"!(a = 1)", "(NOT (a = 1))", "boolean", true},
        Case{"case when a>1 then 1 when a>2 then 2L else 3.5 end",
             "CASE WHEN (a > 1) THEN 1 WHEN (a > 2) THEN 2 ELSE 3.5 END", "decimal(21,1)", false},
        Case{"case a when 1 then 'x' else s end", "CASE WHEN (a = 1) THEN x ELSE s END", "string",
             true},
        Case{"if(a>1, 1, 2)", "(IF((a > 1), 1, 2))", "int", false},
        Case{"struct(a, s as x, a+1)", "struct(a, s AS x, (a + 1))",
             "struct<a:int,x:string,col3:int>", false},
        Case{"(a, s)", "named_struct(a, a, s, s)", "struct<a:int,s:string>", false},
        Case{"count(*) over ()",
             "count(1) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)", "bigint",
             false},
        Case{
            "sum(a) over (partition by s order by a desc rows between 1 preceding and 1 following)",
            "sum(a) OVER (PARTITION BY s ORDER BY a DESC NULLS LAST ROWS BETWEEN 1 PRECEDING AND 1 "
            "FOLLOWING)",
            "bigint", true},
        Case{"row_number() over (partition by s order by a)",
             "row_number() OVER (PARTITION BY s ORDER BY a ASC NULLS FIRST ROWS BETWEEN UNBOUNDED "
             "PRECEDING AND CURRENT ROW)",
             "int", false},
        Case{"transform(arr, x -> x + 1)",
             "transform(arr, lambdafunction((namedlambdavariable() + 1), namedlambdavariable()))",
             "array<int>", true},
        Case{"current_date", "current_date()", "date", false}, Case{"a as b", "b", "int", true},
        Case{"a b", "b", "int", true}, Case{"a as", "as", "int", true}, Case{"A", "A", "int", true},
        Case{"`a`", "a", "int", true},
        Case{"sum(a) filter (where a > 1)", "sum(a) FILTER (WHERE (a > 1))", "bigint", true},
        Case{"count(distinct a, s)", "count(DISTINCT a, s)", "bigint", false},
        Case{"count(*)", "count(1)", "bigint", false},
        Case{"count(a) + 1", "(count(a) + 1)", "bigint", false}));

struct Wrong {
  const char* sql;
  const char* condition;
  ErrorParameters parameters;
};

class Errors : public testing::TestWithParam<Wrong> {};

TEST_P(Errors, AreThoseOfSpark) {
  const Status status = error_of(select(local(d), {expr(GetParam().sql)}));
  EXPECT_EQ(status.condition(), GetParam().condition) << status.to_string();
  for (const auto& [name, value] : GetParam().parameters) {
    EXPECT_EQ(status.info().parameters.at(name), value) << status.to_string();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Spark, Errors,
    testing::Values(
        Wrong{"aa",
              "UNRESOLVED_COLUMN.WITH_SUGGESTION",
              {{"objectName", "`aa`"}, {"proposal", "`a`, `b`, `d`, `m`, `s`"}}},
        Wrong{"st.zz", "FIELD_NOT_FOUND", {{"fieldName", "`zz`"}, {"fields", "`k`, `l`"}}},
        Wrong{"a.zz", "INVALID_EXTRACT_BASE_FIELD_TYPE", {{"base", "\"a\""}, {"other", "\"INT\""}}},
        Wrong{"nosuch(a)", "UNRESOLVED_ROUTINE", {{"routineName", "`nosuch`"}}},
        Wrong{"cast(a as date)",
              "DATATYPE_MISMATCH.CAST_WITH_FUNC_SUGGESTION",
              {{"sqlExpr", "\"CAST(a AS DATE)\""}, {"functionNames", "`DATE_FROM_UNIX_DATE`"}}},
        Wrong{"cast(arr as int)",
              "DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION",
              {{"srcType", "\"ARRAY<INT>\""}}},
        Wrong{"sum(sum(a))", "NESTED_AGGREGATE_FUNCTION", {}},
        Wrong{"sum(a) + b", "MISSING_GROUP_BY", {}},
        Wrong{"row_number()",
              "WINDOW_FUNCTION_WITHOUT_OVER_CLAUSE",
              {{"funcName", "\"row_number()\""}}},
        Wrong{"row_number() over (partition by s)",
              "WINDOW_FUNCTION_FRAME_NOT_ORDERED",
              {{"wf_name", "row_number"}, {"wf_expr", "row_number()"}}},
        Wrong{"explode(arr) + 1",
              "UNSUPPORTED_GENERATOR.NESTED_IN_EXPRESSIONS",
              {{"expression", "\"(explode(arr) + 1)\""}}},
        Wrong{"arr > 1",
              "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES",
              {{"left", "\"ARRAY<INT>\""}, {"right", "\"INT\""}}}));

TEST(AutoAlias, MarksNamesThatNobodyGave) {
  const NodePtr node = plan_of(select(local(d), {expr("a + 1"), expr("a"), expr("1"), expr("st.k"),
                                                 expr("cast(a as string)"), expr("a as x")}));
  EXPECT_EQ(node->output[0].metadata, R"({"__autoGeneratedAlias":"true"})");
  for (std::size_t i = 1; i < node->output.size(); ++i)
    EXPECT_EQ(node->output[i].metadata, "") << i;
}

TEST(Origin, OfTheFailingExpressionIsCarried) {
  const std::string with_origin =
      "{ common { origin { python_origin { fragment: \"__truediv__\" call_site: \"f.py:3\" } } }"
      " unresolved_function { function_name: \"/\" arguments " +
      col("a") + " arguments " + col("a") + " } }";
  const NodePtr node = plan_of(select(local(d), {with_origin}));
  const ExprPtr& call = as<Project>(*node).exprs[0]->children[0];
  ASSERT_TRUE(call->origin.has_value());
  EXPECT_EQ(call->origin->fragment, "__truediv__");
  EXPECT_EQ(call->origin->call_site, "f.py:3");
}

}  // namespace
}  // namespace millstream::plan
