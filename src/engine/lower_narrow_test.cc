#include <gtest/gtest.h>

#include "engine/lower.h"
#include "engine/test_plans.h"

namespace millstream::engine {
namespace {

using namespace testing;  // NOLINT

class Narrow : public ::testing::Test {
 protected:
  Narrow() {
    price_ = attribute(column::decimal_type(15, 2));
    rate_ = attribute(column::decimal_type(15, 2));
  }

  static plan::ExprPtr attribute(const column::TypePtr& type) {
    plan::Attribute out;
    out.id = plan::next_attribute_id();
    out.name = "a";
    out.type = type;
    return plan::make_attribute(out);
  }

  // Whether the expression is computed in 64 bits.
  bool is_narrow(const plan::ExprPtr& e) {
    const std::string sql = exprs_.lower(*e).value();
    return sql.find("DECIMAL(18,") != std::string::npos;
  }

  plan::ExprPtr price_;
  plan::ExprPtr rate_;
  ExprLowering exprs_{"UTC"};
};

TEST_F(Narrow, ByWhatIsKnownOfBothSides) {
  const auto product = fn("*", {price_, fn("-", {lit(1), rate_})});
  EXPECT_FALSE(is_narrow(product));
  exprs_.set_magnitude(price_->id, 10'494'950);
  EXPECT_FALSE(is_narrow(product));
  exprs_.set_magnitude(rate_->id, 10);
  EXPECT_TRUE(is_narrow(product));
}

TEST_F(Narrow, NotWhereAProductMayBeWider) {
  exprs_.set_magnitude(price_->id, 999'999'999);
  exprs_.set_magnitude(rate_->id, 1'000'000'000);
  EXPECT_TRUE(is_narrow(fn("*", {price_, rate_})));  // below 10^18
  exprs_.set_magnitude(price_->id, 1'000'000'000);
  EXPECT_FALSE(is_narrow(fn("*", {price_, rate_})));
}

TEST_F(Narrow, NotWhereASumMayBeWider) {
  const auto wide = attribute(column::decimal_type(18, 0));
  exprs_.set_magnitude(wide->id, 499'999'999'999'999'999);
  EXPECT_TRUE(is_narrow(fn("+", {wide, wide})));
  exprs_.set_magnitude(wide->id, 500'000'000'000'000'000);
  EXPECT_FALSE(is_narrow(fn("+", {wide, wide})));
}

TEST_F(Narrow, NotOfOtherOperations) {
  exprs_.set_magnitude(price_->id, 5);
  exprs_.set_magnitude(rate_->id, 5);
  EXPECT_FALSE(is_narrow(fn("/", {price_, rate_})));
  EXPECT_FALSE(is_narrow(fn("%", {price_, rate_})));
}

TEST_F(Narrow, ForgottenColumnsAreNot) {
  exprs_.set_magnitude(price_->id, 5);
  exprs_.forget_magnitude(price_->id);
  EXPECT_FALSE(is_narrow(fn("*", {price_, price_})));
}

}  // namespace
}  // namespace millstream::engine
