#include <gtest/gtest.h>

#include "engine/statement.h"
#include "engine/test_plans.h"

namespace millstream::engine {
namespace {

using namespace testing;  // NOLINT

// `value`, and NULL where it is `other`.
plan::ExprPtr but(const plan::ExprPtr& value, const plan::ExprPtr& other) {
  auto out = std::make_shared<plan::Expr>(*value);
  out->kind = plan::ExprKind::case_when;
  out->name.clear();
  out->children = {fn("<", {value, other}), value, fn("<", {other, value}), value};
  out->nullable = true;
  return out;
}

// 30 rows: a group for 0 to 6 and one of NULL; "text 0" … with gaps.
plan::NodePtr rows() {
  const auto r = range(0, 30);
  const auto key = but(fn("%", {col(r, 0), lit(8)}), lit(7));
  const auto text =
      but(fn("concat", {lit("text "), cast(col(r, 0), column::string_type())}), lit("text 8"));
  return select(r, {key, text, col(r, 0)}, {"k", "v", "n"});
}

std::string run(const plan::NodePtr& node, TextExtremes how) {
  auto home = Home::open({.memory_bytes_max = 0, .threads = 2, .spill_directory = ""}).value();
  const auto statement = Statement::prepare(*home, node, "UTC", nullptr, {Reading::batches, how});
  if (!statement.ok()) return statement.status().to_string();
  const auto reader = (*statement)->run({}).value();
  std::string out;
  for (auto batch = reader->next().value(); batch != nullptr; batch = reader->next().value())
    out += batch->ToString();
  return out;
}

// `by`: a column that is different in each group.
void expect_same(const plan::NodePtr& groups, std::size_t by = 0) {
  const auto sorted = sort(groups, col(groups, by));
  EXPECT_EQ(run(sorted, TextExtremes::sorted), run(sorted, TextExtremes::hashed));
  EXPECT_NE(run(sorted, TextExtremes::sorted).find("text"), std::string::npos);
}

TEST(TextExtremes, OneAlone) {
  const auto r = rows();
  expect_same(aggregate(r, {col(r, 0)}, {fn("max", {col(r, 1)})}));
  expect_same(aggregate(r, {col(r, 0)}, {fn("min", {col(r, 1)})}));
}

TEST(TextExtremes, BesideOthers) {
  const auto r = rows();
  expect_same(aggregate(r, {col(r, 0)},
                        {fn("min", {col(r, 1)}), fn("count", {lit(1)}), fn("max", {col(r, 1)}),
                         fn("sum", {col(r, 2)}), fn("max", {col(r, 2)})}));
}

TEST(TextExtremes, OfSeveralKeys) {
  const auto r = rows();
  expect_same(aggregate(r, {col(r, 0), fn("%", {col(r, 2), lit(std::int64_t{3})})},
                        {fn("max", {col(r, 1)})}),
              2);
}

TEST(TextExtremes, InsideExpressions) {
  const auto r = rows();
  expect_same(
      aggregate(r, {col(r, 0)}, {fn("concat", {fn("max", {col(r, 1)}), fn("min", {col(r, 1)})})}));
}

}  // namespace
}  // namespace millstream::engine
