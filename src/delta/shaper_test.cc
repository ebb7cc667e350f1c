#include "delta/shaper.h"

#include <gtest/gtest.h>

#include "delta/test_rows.h"

namespace millstream::delta {
namespace {

using connector::RecordBatchPtr;
using testing::Cell;
using testing::texts;

column::Schema schema(const char* ddl) { return column::parse_schema(ddl).value(); }

// Rows {1, {1, "a"}, [1]}, {NULL, NULL, NULL}, {3, {3, "c"}, [3, NULL]} of a BIGINT, a struct and a
// list.
RecordBatchPtr nested() {
  const auto from = schema("id BIGINT, s STRUCT<x: INT, y: STRING>, l ARRAY<INT>");
  const auto arrow_schema = column::to_arrow(from);
  auto ids = std::make_shared<arrow::Int64Builder>();
  auto structs = arrow::MakeBuilder(arrow_schema->field(1)->type()).ValueOrDie();
  auto lists = arrow::MakeBuilder(arrow_schema->field(2)->type()).ValueOrDie();
  auto& rows = static_cast<arrow::StructBuilder&>(*structs);
  auto& list = static_cast<arrow::ListBuilder&>(*lists);
  auto* x = static_cast<arrow::Int32Builder*>(rows.field_builder(0));
  auto* y = static_cast<arrow::StringBuilder*>(rows.field_builder(1));
  auto* items = static_cast<arrow::Int32Builder*>(list.value_builder());
  for (const int i : {1, 0, 3}) {
    if (i == 0) {
      CHECK(ids->AppendNull().ok() && rows.AppendNull().ok() && list.AppendNull().ok());
      continue;
    }
    CHECK(ids->Append(i).ok() && rows.Append().ok() && x->Append(i).ok() && list.Append().ok());
    CHECK(y->Append(i == 1 ? "a" : "c").ok() && items->Append(i).ok());
    CHECK(i != 3 || items->AppendNull().ok());
  }
  return arrow::RecordBatch::Make(
      arrow_schema, 3,
      {ids->Finish().ValueOrDie(), structs->Finish().ValueOrDie(), lists->Finish().ValueOrDie()});
}

std::vector<std::string> rows_of(const RecordBatchPtr& batch) {
  std::vector<std::string> rows;
  for (std::int64_t i = 0; i < batch->num_rows(); ++i) {
    std::string row;
    for (const auto& column : batch->columns()) {
      const auto value = column->GetScalar(i).ValueOrDie();
      row += (row.empty() ? "" : "|") + (value->is_valid ? value->ToString() : std::string("NULL"));
    }
    rows.push_back(row);
  }
  return rows;
}

// Whatever is shaped in one go is the same when it comes in slices.
TEST(Shaper, SlicesOfNestedColumns) {
  const auto from = schema("id BIGINT, s STRUCT<x: INT, y: STRING>, l ARRAY<INT>");
  const auto to = schema(
      "l ARRAY<BIGINT>, S STRUCT<y: STRING, z: DOUBLE, x: BIGINT>, id BIGINT, extra STRUCT<a: "
      "INT>");
  const Shaper shaper(from, to);
  const auto whole = shaper.shape(nested());
  ASSERT_TRUE(whole.ok()) << whole.status().to_string();
  ASSERT_TRUE((*whole)->ValidateFull().ok());
  const auto expected = rows_of(*whole);
  EXPECT_NE(expected[0].find("x:int64 = 1"), std::string::npos) << expected[0];
  EXPECT_EQ(expected[1], "NULL|NULL|NULL|NULL");
  for (int at = 0; at < 3; ++at) {
    const auto part = shaper.shape(nested()->Slice(at, 1));
    ASSERT_TRUE(part.ok());
    ASSERT_TRUE((*part)->ValidateFull().ok());
    EXPECT_EQ(rows_of(*part), std::vector<std::string>{expected[static_cast<std::size_t>(at)]});
  }
}

TEST(Shaper, NotNullInsideAStruct) {
  const auto from = schema("id BIGINT, s STRUCT<x: INT, y: STRING>, l ARRAY<INT>");
  const Shaper fits(from, schema("s STRUCT<x: INT NOT NULL, y: STRING>"));
  EXPECT_TRUE(fits.shape(nested()).ok());  // the NULL struct has no member that could be NULL
  const Shaper lacks(from, schema("s STRUCT<x: INT, q: INT NOT NULL>"));
  EXPECT_TRUE(lacks.shape(nested()).status().is("DELTA_NOT_NULL_CONSTRAINT_VIOLATED"));
}

struct CastCase {
  const char* from;
  Cell value;
  const char* to;
  std::string text;  // of the value, or the condition of the error
};

TEST(Shaper, Casts) {
  const auto n = [](std::int64_t value) { return Cell(value); };
  const auto t = [](const char* text) { return Cell(std::string(text)); };
  const std::vector<CastCase> cases = {
      {"INT", n(5), "BIGINT", "5"},
      {"BIGINT", n(300), "TINYINT", "CAST_OVERFLOW_IN_TABLE_INSERT"},
      {"INT", n(5), "DOUBLE", "5"},
      {"INT", n(5), "STRING", "5"},
      {"DOUBLE", Cell(5.0), "STRING", "5.0"},
      {"DOUBLE", Cell(5.9), "INT", "5"},
      {"DOUBLE", Cell(-5.9), "BIGINT", "-5"},
      {"DOUBLE", Cell(1e30), "BIGINT", "CAST_OVERFLOW_IN_TABLE_INSERT"},
      {"DOUBLE", Cell(1.005), "DECIMAL(5,2)", "1.01"},
      {"INT", n(7), "DECIMAL(5,2)", "7.00"},
      {"INT", n(7000), "DECIMAL(5,2)", "CAST_OVERFLOW_IN_TABLE_INSERT"},
      {"DECIMAL(10,4)", t("1.2345"), "DECIMAL(5,2)", "1.23"},
      {"DECIMAL(10,4)", t("1.2350"), "DECIMAL(5,2)", "1.24"},
      {"DECIMAL(10,2)", t("-3.99"), "INT", "-3"},
      {"STRING", t(" 12 "), "INT", "12"},
      {"STRING", t("twelve"), "INT", "CAST_INVALID_INPUT"},
      {"STRING", t("2024-01-02"), "DATE", "2024-01-02"},
      {"STRING", t("true"), "BOOLEAN", "true"},
      {"BOOLEAN", Cell(true), "STRING", "true"},
      {"DATE", n(19723), "STRING", "2024-01-01"},
      {"DATE", n(19723), "TIMESTAMP", "DELTA_FAILED_TO_MERGE_FIELDS"},
      {"BINARY", t("x"), "INT", "DELTA_FAILED_TO_MERGE_FIELDS"},
  };
  for (const auto& each : cases) {
    const auto from = schema((std::string("c ") + each.from).c_str());
    const auto to = schema((std::string("c ") + each.to).c_str());
    const auto shaped = Shaper(from, to).shape(testing::batch_of(from, {{each.value}}));
    const std::string got =
        shaped.ok() ? texts(connector::batches_of(to, {*shaped}))[0] : shaped.status().condition();
    EXPECT_EQ(got, each.text) << each.from << " to " << each.to;
  }
}

}  // namespace
}  // namespace millstream::delta
