// JSON, CSV and XML texts, and what is not one of them.
#include <gtest/gtest.h>

#include "base/csv_text.h"
#include "base/json_text.h"
#include "base/xml_text.h"

namespace millstream {
namespace {

using Texts = std::vector<std::string>;

TEST(JsonText, ReadsOneDocumentAndLeavesTheRest) {
  EXPECT_EQ(json_document(" {\"a\": [1, {}]} rest"), "{\"a\": [1, {}]}");
  EXPECT_EQ(json_document("'x'"), "'x'");
  for (const char* bad :
       {"", "{", "[1,]", "{\"a\"}", "01", "1x", "nulls", "\"\\x\"", "{a:1}", "[1 2]"})
    EXPECT_FALSE(json_document(bad)) << bad;
  EXPECT_FALSE(json_document(std::string(100000, '[')));
}

TEST(JsonText, DialectsTakeMore) {
  const auto of = [](const char* option) { return JsonDialect::of({{option, "true"}}); };
  EXPECT_TRUE(json_document("01", of("allownumericleadingzeros")));
  EXPECT_TRUE(json_document("{a:1}", of("allowunquotedfieldnames")));
  EXPECT_TRUE(json_document("/* c */ [1 // d\n]", of("allowcomments")));
  EXPECT_FALSE(json_document("[1 /* c", of("allowcomments")));
  EXPECT_FALSE(json_document("'x'", JsonDialect::of({{"allowsinglequotes", "false"}})));
}

TEST(JsonText, IsWrittenAgainAsJacksonDoes) {
  EXPECT_EQ(json_compact("{ 'a' : [1.50, 1e3, -0, 12345678901234567890] }"),
            "{\"a\":[1.5,1000.0,0,12345678901234567890]}");
  EXPECT_EQ(json_unescape("\"\\u00e9\\ud83d\\ude00\\n\""), "\xC3\xA9\xF0\x9F\x98\x80\n");
}

TEST(CsvText, QuotesAreTakenOffWhereTheyCloseAField) {
  const CsvDialect dialect;
  EXPECT_EQ(csv_fields("1,\"a,b\",\"x\\\"y\"", dialect), (Texts{"1", "a,b", "x\"y"}));
  EXPECT_EQ(csv_fields("\"a\"x,b\nc", dialect), (Texts{"\"a\"x", "b"}));
  EXPECT_EQ(csv_fields("\"open,b", dialect), (Texts{"open,b"}));
  EXPECT_EQ(csv_fields(",", dialect), (Texts{"", ""}));
  EXPECT_TRUE(csv_fields("", dialect).empty());
  EXPECT_EQ(csv_fields("a||b", CsvDialect::of({{"sep", "||"}}, false)), (Texts{"a", "b"}));
}

TEST(CsvText, FieldsAreQuotedWhereTheyMustBe) {
  const CsvDialect dialect = CsvDialect::of({}, true);
  EXPECT_EQ(csv_field(" x ", dialect), "x");
  EXPECT_EQ(csv_field("a,b", dialect), "\"a,b\"");
  EXPECT_EQ(csv_field("a\"b", dialect), "\"a\\\"b\"");
  EXPECT_EQ(csv_field("", dialect), "\"\"");
}

TEST(XmlText, ReadsElementsAttributesAndText) {
  const auto root =
      parse_xml("<?xml version='1.0'?><!-- c --><a b=\"1&amp;2\">x<c/><![CDATA[<y>]]></a>");
  ASSERT_TRUE(root);
  EXPECT_EQ(root->name, "a");
  EXPECT_EQ(root->attributes[0].second, "1&2");
  EXPECT_EQ(root->content(), "x<y>");
  EXPECT_TRUE(root->has_elements());
}

TEST(XmlText, RefusesWhatIsMalformedOrHostile) {
  for (const char* bad :
       {"", "<a", "<a>", "<a></b>", "<a b=1/>", "<a b='1' b='2'/>", "<a>&no;</a>", "<a>&#0;</a>",
        "<a/><b/>", "text", "<!DOCTYPE a [<!ENTITY e 'x'>]><a>&e;</a>", "<a><![CDATA[x</a>"})
    EXPECT_FALSE(parse_xml(bad)) << bad;
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "<a>";
  EXPECT_FALSE(parse_xml(deep));
}

}  // namespace
}  // namespace millstream
