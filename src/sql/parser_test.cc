#include "sql/parser.h"

#include <gtest/gtest.h>

#include "spark/connect/relations.pb.h"

namespace millstream::sql {
namespace {

namespace sc = spark::connect;

// The tree in a short form: names, literals as they print, calls as name(arguments).
std::string shown(const sc::Expression& e) {
  using Kind = sc::Expression;
  switch (e.expr_type_case()) {
    case Kind::kLiteral: {
      std::string text = e.literal().ShortDebugString();
      while (!text.empty() && text.back() == ' ') text.pop_back();
      return text;
    }
    case Kind::kUnresolvedAttribute:
      return e.unresolved_attribute().unparsed_identifier();
    case Kind::kUnresolvedStar:
      return e.unresolved_star().unparsed_target() + "*";
    case Kind::kUnresolvedFunction: {
      std::string out = e.unresolved_function().function_name() + "(";
      if (e.unresolved_function().is_distinct()) out += "DISTINCT ";
      for (int i = 0; i < e.unresolved_function().arguments_size(); ++i) {
        out += (i == 0 ? "" : ", ") + shown(e.unresolved_function().arguments(i));
      }
      return out + ")";
    }
    case Kind::kAlias: {
      std::string out = shown(e.alias().expr()) + " AS";
      for (const auto& name : e.alias().name()) out += " " + name;
      return out;
    }
    case Kind::kCast:
      return "cast(" + shown(e.cast().expr()) + " " + e.cast().type_str() + ")";
    case Kind::kUnresolvedExtractValue:
      return shown(e.unresolved_extract_value().child()) + "[" +
             shown(e.unresolved_extract_value().extraction()) + "]";
    case Kind::kLambdaFunction:
      return "lambda " + shown(e.lambda_function().function());
    default:
      return e.ShortDebugString();
  }
}

std::string parsed(const std::string& text) {
  sc::Expression e;
  std::vector<sc::Relation> subqueries;
  const Status status = parse_expression(text, &e, &subqueries);
  return status.ok() ? shown(e) : status.condition() + "|" + status.message();
}

TEST(Parser, Precedence) {
  EXPECT_EQ(parsed("a + b * c"), "+(`a`, *(`b`, `c`))");
  EXPECT_EQ(parsed("a - b - c"), "-(-(`a`, `b`), `c`)");
  EXPECT_EQ(parsed("a or b and not c"), "or(`a`, and(`b`, not(`c`)))");
  EXPECT_EQ(parsed("not a = b"), "not(=(`a`, `b`))");
  EXPECT_EQ(parsed("a & b | c ^ d"), "|(&(`a`, `b`), ^(`c`, `d`))");
  EXPECT_EQ(parsed("a || b + c"), "+(concat(`a`, `b`), `c`)");
  EXPECT_EQ(parsed("a < b = c"), "=(<(`a`, `b`), `c`)");
  EXPECT_EQ(parsed("-a * ~b"), "*(-(`a`), ~(`b`))");
  EXPECT_EQ(parsed("a div b % c"), "%(div(`a`, `b`), `c`)");
  EXPECT_EQ(parsed("a << 1 + 2"), "<<(`a`, +(integer: 1, integer: 2))");
  EXPECT_EQ(parsed("a between 1 and 2 and b"), "and(between(`a`, integer: 1, integer: 2), `b`)");
}

TEST(Parser, Literals) {
  EXPECT_EQ(parsed("1"), "integer: 1");
  EXPECT_EQ(parsed("-2147483648"), "integer: -2147483648");
  EXPECT_EQ(parsed("2147483648"), "long: 2147483648");
  EXPECT_EQ(parsed("9223372036854775808"),
            "decimal { value: \"9223372036854775808\" precision: 19 scale: 0 }");
  EXPECT_EQ(parsed(".5"), "decimal { value: \"0.5\" precision: 1 scale: 1 }");
  EXPECT_EQ(parsed("0.001"), "decimal { value: \"0.001\" precision: 3 scale: 3 }");
  EXPECT_EQ(parsed("1.5e2"), "double: 150");
  EXPECT_EQ(parsed("'it''s'"), "string: \"it\\'s\"");
  EXPECT_EQ(parsed(R"('a\nb\\d\%')"), R"(string: "a\nb\\d\\%")");
  EXPECT_EQ(parsed(R"(r'a\nb')"), R"(string: "a\\nb")");
  EXPECT_EQ(parsed("'a' \"b\""), "string: \"ab\"");
  EXPECT_EQ(parsed(R"('\u0041\101')"), "string: \"AA\"");
  EXPECT_EQ(parsed("X'1F'"), "binary: \"\\037\"");
  EXPECT_EQ(parsed("date '1970-01-03'"), "date: 2");
  EXPECT_EQ(parsed("timestamp '1970-01-01 00:00:01+01:00'"), "timestamp: -3599000000");
  EXPECT_EQ(parsed("timestamp '1970-01-01T00:00:01'"),
            "ms_local_timestamp(long: 1000000, boolean: false)");
  EXPECT_EQ(parsed("interval '1 02:03:04.5' day to second"),
            "day_time_interval: 93784500000 data_type { day_time_interval { start_field: 0 "
            "end_field: 3 } }");
  EXPECT_EQ(parsed("interval -1 week"),
            "day_time_interval: -604800000000 data_type { day_time_interval { start_field: 0 "
            "end_field: 0 } }");
}

TEST(Parser, NamesAndMembers) {
  EXPECT_EQ(parsed("a.b.`c.d`"), "`a`.`b`.`c.d`");
  EXPECT_EQ(parsed("a[0].b"), "`a`[integer: 0][string: \"b\"]");
  EXPECT_EQ(parsed("t.*"), "`t`.**");
  EXPECT_EQ(parsed("f(x).y"), "f(`x`)[string: \"y\"]");
  EXPECT_EQ(parsed("explode(m) as (k, v)"), "explode(`m`) AS k v");
  EXPECT_EQ(parsed("1a"), "`1a`");
  EXPECT_EQ(parsed("date"), "`date`");
  EXPECT_EQ(parsed("interval"), "`interval`");
  EXPECT_EQ(parsed("a /* x /* y */ */ + -- z\n 1"), "+(`a`, integer: 1)");
}

TEST(Parser, Forms) {
  EXPECT_EQ(parsed("case a when 1 then 'x' end"), "when(=(`a`, integer: 1), string: \"x\")");
  EXPECT_EQ(parsed("cast(a as struct<x: array<int>>)"), "cast(`a` struct<x: array<int>>)");
  EXPECT_EQ(parsed("a::decimal(10, 2) + 1"), "+(cast(`a` decimal(10, 2)), integer: 1)");
  EXPECT_EQ(parsed("a not like 'x' escape '#'"), "not(like(`a`, string: \"x\", string: \"#\"))");
  EXPECT_EQ(parsed("a like any ('x', 'y')"),
            "ms_like_likeany(or(like(`a`, string: \"x\"), like(`a`, string: \"y\")), `a`)");
  EXPECT_EQ(parsed("count(distinct a)"), "count(DISTINCT `a`)");
  EXPECT_EQ(parsed("count(*)"), "count(*)");
  EXPECT_EQ(parsed("filter(a, (x, i) -> x > i)"), "filter(`a`, lambda >(`x`, `i`))");
  EXPECT_EQ(parsed("extract(year from d)"), "extract(string: \"year\", `d`)");
  EXPECT_EQ(parsed("substring(s from 2 for 3)"), "substring(`s`, integer: 2, integer: 3)");
  EXPECT_EQ(parsed("trim(leading from s)"), "ltrim(`s`)");
  EXPECT_EQ(parsed("position('a' in s)"), "locate(string: \"a\", `s`)");
  EXPECT_EQ(parsed("sum(a) filter (where b)"), "ms_filter(sum(`a`), `b`)");
  EXPECT_EQ(parsed("first(a ignore nulls)"), "first(`a`, boolean: true)");
}

TEST(Parser, ErrorsSayWhere) {
  EXPECT_EQ(parsed("a +"),
            "PARSE_SYNTAX_ERROR|\n[PARSE_SYNTAX_ERROR] Syntax error at or near end of input. "
            "SQLSTATE: 42601 (line 1, pos 3)"
            "\n\n== SQL ==\na +\n---^^^\n");
  EXPECT_EQ(parsed("a b c"),
            "PARSE_SYNTAX_ERROR|\n[PARSE_SYNTAX_ERROR] Syntax error at or near 'c': extra input "
            "'c'. SQLSTATE: 42601 (line "
            "1, pos 4)\n\n== SQL ==\na b c\n----^^^\n");
  EXPECT_EQ(parsed("'abc"),
            "PARSE_SYNTAX_ERROR|\n[PARSE_SYNTAX_ERROR] Syntax error at or near '''. SQLSTATE: "
            "42601 (line 1, pos 0)\n\n== "
            "SQL ==\n'abc\n^^^\n");
  EXPECT_EQ(parsed(""),
            "PARSE_EMPTY_STATEMENT|\n[PARSE_EMPTY_STATEMENT] Syntax error, unexpected empty "
            "statement. SQLSTATE: "
            "42617 (line 1, pos 0)\n\n== SQL ==\n\n^^^\n");
  EXPECT_EQ(parsed("date'foo'"),
            "INVALID_TYPED_LITERAL|\n[INVALID_TYPED_LITERAL] The value of the typed literal "
            "\"DATE\" is invalid: 'foo'. "
            "SQLSTATE: 42604");
  EXPECT_EQ(parsed("300Y"),
            "INVALID_NUMERIC_LITERAL_RANGE|\n[INVALID_NUMERIC_LITERAL_RANGE] Numeric literal 300 "
            "is outside the valid range "
            "for tinyint with minimum value of -128 and maximum value of 127. Please adjust the "
            "value accordingly. SQLSTATE: "
            "22003");
  for (const char* text :
       {"(a", "a @ 1", "f(", "case when a", "cast(a as", "a.", "a[", "*1", "a not b"}) {
    EXPECT_TRUE(parsed(text).starts_with("PARSE_SYNTAX_ERROR")) << text << " -> " << parsed(text);
  }
  EXPECT_TRUE(parsed("a in ()").starts_with("INVALID_SQL_SYNTAX.EMPTY_IN_PREDICATE"));
  EXPECT_TRUE(parsed("cast(a as foo)").starts_with("UNSUPPORTED_DATATYPE"));
}

TEST(Parser, DeepInputIsAnErrorOrWorks) {
  std::string open(2000, '(');
  EXPECT_TRUE(
      parsed(open + "a" + std::string(2000, ')')).starts_with("FAILED_TO_PARSE_TOO_COMPLEX"));
  std::string minus;
  for (int i = 0; i < 2000; ++i) minus += "- ";
  EXPECT_TRUE(parsed(minus + "a").starts_with("FAILED_TO_PARSE_TOO_COMPLEX"));
  std::string conjunction = "a";
  for (int i = 0; i < 2000; ++i) conjunction += " and a";
  EXPECT_FALSE(parsed(conjunction).starts_with("FAILED"));
  std::string sum = "a";
  for (int i = 0; i < 1000; ++i) sum += " + 1";
  EXPECT_FALSE(parsed(sum).starts_with("FAILED"));
  std::string member = "a";
  for (int i = 0; i < 5000; ++i) member += "[0]";
  EXPECT_TRUE(parsed(member).starts_with("FAILED_TO_PARSE_TOO_COMPLEX"));
}

TEST(Parser, AnyBytesGiveAnErrorNotACrash) {
  const std::string seeds[] = {"case when a then b end",
                               "cast(a as map<int,int>)",
                               "sum(x) over (partition by k)",
                               "'\\u00'",
                               "interval '1' day",
                               "f(x -> y)",
                               "a not between 1 and 2"};
  for (const std::string& seed : seeds) {
    for (std::size_t i = 0; i <= seed.size(); ++i) {
      parsed(seed.substr(0, i));
      parsed(seed.substr(i));
      for (const char c : {'\0', '\xff', '(', '\'', '`', '<', '.', '\\'}) {
        std::string text = seed;
        text.insert(i, 1, c);
        parsed(text);
      }
    }
  }
}

TEST(Identifier, PartsAndQuotes) {
  EXPECT_EQ(*parse_identifier("a.b.`c.d`"), (std::vector<std::string>{"a", "b", "c.d"}));
  EXPECT_EQ(*parse_identifier("`a``b`"), (std::vector<std::string>{"a`b"}));
  EXPECT_EQ(*parse_identifier("count(1)"), (std::vector<std::string>{"count(1)"}));
  for (const char* wrong : {"a.", ".a", "a..b", "`a", "a`b`", "`a`b"}) {
    EXPECT_TRUE(parse_identifier(wrong).status().is("INVALID_ATTRIBUTE_NAME_SYNTAX")) << wrong;
  }
}

}  // namespace
}  // namespace millstream::sql
