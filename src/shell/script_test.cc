#include "shell/script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millstream::shell {
namespace {

std::vector<std::string> cut(std::string text, std::string* rest = nullptr) {
  int line = 1;
  std::vector<std::string> texts;
  for (const Statement& statement : take_statements(&text, &line)) texts.push_back(statement.text);
  if (rest != nullptr) *rest = text;
  return texts;
}

TEST(TakeStatements, EndAtSemicolonsOutsideOfQuotesAndComments) {
  EXPECT_THAT(cut("select 1; select 2 ;"), testing::ElementsAre("select 1", "select 2"));
  EXPECT_THAT(cut("select 'a;b', \"c;d\", `e;f`;"),
              testing::ElementsAre("select 'a;b', \"c;d\", `e;f`"));
  EXPECT_THAT(cut("select 1 -- one; two\n + 2;"),
              testing::ElementsAre("select 1 -- one; two\n + 2"));
  EXPECT_THAT(cut("select /* ; */ 1;"), testing::ElementsAre("select /* ; */ 1"));
}

TEST(TakeStatements, KeepBlocksWhole) {
  const std::string block =
      "BEGIN DECLARE i = 0; l: WHILE i < 3 DO SET i = i + 1; IF CASE WHEN i = 2 THEN true END THEN "
      "LEAVE l; END IF; END WHILE l; BEGIN SELECT i; END; END";
  EXPECT_THAT(cut(block + "; select 2;"), testing::ElementsAre(block, "select 2"));
  EXPECT_THAT(cut("a: begin select 1; end a; select 2;"),
              testing::ElementsAre("a: begin select 1; end a", "select 2"));
  EXPECT_THAT(cut("select begin from t; select 2;"),
              testing::ElementsAre("select begin from t", "select 2"));
}

TEST(TakeStatements, LeaveOutThoseThatSayNothing) {
  EXPECT_THAT(cut(";; -- nothing\n ; select 1;"), testing::ElementsAre("select 1"));
}

TEST(TakeStatements, KeepWhatIsNotComplete) {
  std::string rest;
  EXPECT_THAT(cut("select 1; select 'a;\nb", &rest), testing::ElementsAre("select 1"));
  EXPECT_EQ(rest, " select 'a;\nb");
  EXPECT_THAT(cut("select 1 /* not closed; ", &rest), testing::IsEmpty());
  EXPECT_EQ(rest, "select 1 /* not closed; ");
}

TEST(TakeStatements, KnowTheirLines) {
  std::string text = "select 1;\n\n  select\n 2;\nselect 3";
  int line = 1;
  const auto statements = take_statements(&text, &line);
  ASSERT_EQ(statements.size(), 2U);
  EXPECT_EQ(statements[0].line, 1);
  EXPECT_EQ(statements[1].line, 3);
  const auto last = take_last(&text, line);
  ASSERT_EQ(last.size(), 1U);
  EXPECT_EQ(last[0].text, "select 3");
  EXPECT_EQ(last[0].line, 5);
}

TEST(TakeLast, IsNothingForBlanksAndComments) {
  std::string text = " \n -- the end\n";
  EXPECT_TRUE(take_last(&text, 1).empty());
}

}  // namespace
}  // namespace millstream::shell
