#include "functions/registry.h"

#include <arrow/scalar.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "functions/lowering.h"

namespace millstream::functions {
namespace {

Argument arg(column::TypePtr type, std::string sql, bool nullable = true) {
  return {std::move(type), nullable, nullptr, std::move(sql)};
}
Argument literal(std::int32_t value) {
  return {column::int_type(), false, std::make_shared<arrow::Int32Scalar>(value),
          std::to_string(value)};
}

// "name: type" of a call, or the error's condition.
std::string call(std::string_view name, const std::vector<Argument>& arguments,
                 bool distinct = false) {
  const auto made = resolve(name, arguments, distinct, {});
  if (!made.ok())
    return made.status().condition().empty() ? made.status().message() : made.status().condition();
  return made->pretty + ": " + made->type->sql();
}

TEST(Functions, TypesAndNames) {
  const auto a = arg(column::int_type(), "a");
  const auto s = arg(column::string_type(), "s");
  const auto d = arg(column::decimal_type(5, 2), "d");
  EXPECT_EQ(call("+", {a, literal(1)}), "(a + 1): INT");
  EXPECT_EQ(call("/", {a, literal(2)}), "(a / 2): DOUBLE");
  EXPECT_EQ(call("+", {s, a}), "(s + a): BIGINT");
  EXPECT_EQ(call("*", {d, d}), "(d * d): DECIMAL(11,4)");
  EXPECT_EQ(call("/", {d, literal(3)}), "(d / 3): DECIMAL(9,6)");
  EXPECT_EQ(call("+", {d, a}), "(d + a): DECIMAL(13,2)");
  EXPECT_EQ(call("count", {literal(1)}), "count(1): BIGINT");
  EXPECT_EQ(call("sum", {a}, true), "sum(DISTINCT a): BIGINT");
  EXPECT_EQ(call("sum", {d}), "sum(d): DECIMAL(15,2)");
  EXPECT_EQ(call("avg", {d}), "avg(d): DECIMAL(9,6)");
  EXPECT_EQ(call("round", {arg(column::double_type(), "x")}), "round(x, 0): DOUBLE");
  EXPECT_EQ(call("CEIL", {arg(column::double_type(), "x")}), "CEIL(x): BIGINT");
  EXPECT_EQ(call("substring", {s, literal(2)}), "substring(s, 2, 2147483647): STRING");
  EXPECT_EQ(call("coalesce", {literal(1), s}), "coalesce(1, s): BIGINT");
  EXPECT_EQ(call("split", {s, s}), "split(s, s, -1): ARRAY<STRING>");
}

TEST(Functions, Errors) {
  const auto a = arg(column::int_type(), "a");
  const auto b = arg(column::boolean_type(), "b");
  EXPECT_EQ(call("no_such", {a}), "UNRESOLVED_ROUTINE");
  EXPECT_EQ(call("interval_add", {a, a}), "UNRESOLVED_ROUTINE");  // a target of rules only
  EXPECT_EQ(call("upper", {a, a}), "WRONG_NUM_ARGS.WITHOUT_SUGGESTION");
  EXPECT_EQ(call("==", {b, a}), "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES");
  EXPECT_EQ(call("+", {b, b}), "DATATYPE_MISMATCH.BINARY_OP_WRONG_TYPE");
  EXPECT_EQ(call("and", {a, a}), "DATATYPE_MISMATCH.BINARY_OP_WRONG_TYPE");
  EXPECT_EQ(call("sum", {b}), "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE");
  EXPECT_EQ(call("size", {a}), "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE");
  EXPECT_EQ(call("max", {arg(column::map_type(column::int_type(), column::int_type()), "m")}),
            "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE");
}

TEST(Functions, WiderTypes) {
  const auto wider = [](const column::TypePtr& a, const column::TypePtr& b) {
    const auto type = wider_type(a, b, true);
    return type == nullptr ? std::string("none") : type->sql();
  };
  EXPECT_EQ(wider(column::int_type(), column::string_type()), "BIGINT");
  EXPECT_EQ(wider(column::double_type(), column::string_type()), "DOUBLE");
  EXPECT_EQ(wider(column::int_type(), column::float_type()), "DOUBLE");
  EXPECT_EQ(wider(column::date_type(), column::timestamp_type()), "TIMESTAMP");
  EXPECT_EQ(wider(column::decimal_type(5, 2), column::long_type()), "DECIMAL(22,2)");
  EXPECT_EQ(wider(column::boolean_type(), column::int_type()), "none");
  EXPECT_EQ(wider(column::array_type(column::int_type()), column::array_type(column::long_type())),
            "ARRAY<BIGINT>");
}

TEST(Functions, EveryRuleHasALoweringOrIsTheEngines) {
  EXPECT_EQ(sql_template("upper"), "ms_upper({0})");
  EXPECT_EQ(sql_template("add"), "");
  EXPECT_FALSE(sql_template("no_such").has_value());
  EXPECT_EQ(expand_template("f({1*}, {0}) {tz}", {"a", "b", "c"}, "'UTC'", ""), "f(b, c, a) 'UTC'");
}

// docs/functions.md says what the table says. UPDATE_DOCS=1 writes it.
TEST(Functions, TheDocumentIsCurrent) {
  constexpr const char* path = MILLSTREAM_SOURCE_DIR "/docs/functions.md";
  if (std::getenv("UPDATE_DOCS") != nullptr) std::ofstream(path) << functions_document();
  std::ifstream file(path);
  const std::string found{std::istreambuf_iterator<char>(file), {}};
  EXPECT_TRUE(found == functions_document())
      << "make it anew: UPDATE_DOCS=1 functions_test --gtest_filter='*TheDocumentIsCurrent'";
}

}  // namespace
}  // namespace millstream::functions
