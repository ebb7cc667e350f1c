#include "plan/well_formed.h"

#include <gtest/gtest.h>

#include "plan/test_plans.h"

namespace millstream::plan {
namespace {

Status check(const std::string& text) { return check_well_formed(relation_of(text)); }

TEST(WellFormed, WhatClientsSendIs) {
  EXPECT_TRUE(check(select(range(), {col("id"), expr("id + 1")})).ok());
  EXPECT_TRUE(check("project { expressions " + expr("1") + " }").ok());
  EXPECT_TRUE(check("join { left { " + range() + " } right { " + range() + " } }").ok());
  EXPECT_TRUE(check("sql { query: 'select ms_row(1)' }").ok());  // the parser refuses that
}

TEST(WellFormed, PartsThatAreMissingAreNamed) {
  const auto missing = [](const std::string& text) {
    const Status status = check(text);
    EXPECT_EQ(status.condition(), "CONNECT_INVALID_PLAN.INVALID_ONE_OF_FIELD_NOT_SET") << text;
    const auto found = status.info().parameters.find("fullName");
    return found == status.info().parameters.end() ? std::string() : found->second;
  };
  EXPECT_EQ(missing(""), "spark.connect.Relation");
  EXPECT_EQ(missing("filter { condition " + expr("true") + " }"), "spark.connect.Relation");
  EXPECT_EQ(missing("filter { input { " + range() + " } }"), "spark.connect.Expression");
  EXPECT_EQ(missing(select(range(), {"{ }"})), "spark.connect.Expression");
  EXPECT_EQ(missing(select(range(), {"{ alias { name: 'a' } }"})), "spark.connect.Expression");
  EXPECT_EQ(
      missing(select(range(), {"{ unresolved_function { function_name: 'abs' arguments { } } }"})),
      "spark.connect.Expression");
  EXPECT_EQ(missing("sql { query: 'select :a' named_arguments { key: 'a' value { } } }"),
            "spark.connect.Expression");
}

TEST(WellFormed, TheParsersOwnCallsAreNobodyElses) {
  const auto named = [](const std::string& name) {
    return select(range(), {"{ unresolved_function { function_name: '" + name + "' } }"});
  };
  for (const char* name : {"ms_select", "MS_Row", "builtin.ms_row", "`system`.`builtin`.`ms_row`"})
    EXPECT_EQ(check(named(name)).condition(), "UNRESOLVED_ROUTINE") << name;
  EXPECT_EQ(check("unresolved_table_valued_function { function_name: 'ms_values' }").condition(),
            "UNRESOLVED_ROUTINE");
  EXPECT_EQ(check("hint { input { " + range() + " } name: 'ms_recursive' }").condition(),
            "UNRESOLVED_ROUTINE");
  EXPECT_TRUE(check(named("ms_double")).ok());  // a user may have written that
  for (const char* text : {"ms_filter(id)", "`ms_row`()", "builtin.ms_local_timestamp()"})
    EXPECT_EQ(error_of(select(range(), {expr(text)})).condition(), "UNRESOLVED_ROUTINE") << text;
}

}  // namespace
}  // namespace millstream::plan
