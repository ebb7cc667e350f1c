#include <arrow/array.h>
#include <arrow/scalar.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "avro/decode.h"
#include "avro/encode.h"
#include "avro/types.h"

namespace millstream::avro {
namespace {

using ::testing::HasSubstr;

std::shared_ptr<const Schema> parse(const std::string& json) {
  auto schema = Schema::parse(json);
  EXPECT_TRUE(schema.ok()) << schema.status().to_string();
  return schema.ok() ? *schema : nullptr;
}

std::string error_of(const std::string& json) {
  const auto schema = Schema::parse(json);
  return schema.ok() ? "none" : schema.status().message();
}

std::string spark_type(const std::string& json) {
  const auto type = to_spark(parse(json)->root());
  return type.ok() ? type->type->simple_string() : type.status().message();
}

// What the bytes are as the Spark type of the schema.
std::string decoded(const std::string& json, std::string_view bytes) {
  const auto schema = parse(json);
  auto decoder = Decoder::make(schema, schema, to_spark(schema->root())->type, {});
  if (!decoder.ok()) return decoder.status().message();
  Input in(bytes);
  const Status status = (*decoder)->decode(in);
  if (!status.ok()) return status.message();
  const auto array = (*decoder)->finish().value();
  return (*array->GetScalar(0))->ToString();
}

TEST(AvroSchema, SaysWhatIsWrong) {
  EXPECT_THAT(error_of("{"), HasSubstr("not JSON"));
  EXPECT_THAT(error_of(R"("nosuch")"), HasSubstr("\"nosuch\" is not defined"));
  EXPECT_THAT(error_of(R"({"type":"record","name":"a b","fields":[]})"), HasSubstr("'a b'"));
  EXPECT_THAT(error_of(R"({"type":"record","name":"r"})"), HasSubstr("without fields"));
  EXPECT_THAT(error_of(R"(["int","int"])"), HasSubstr("twice in a union"));
  EXPECT_THAT(error_of(R"(["int",["long"]])"), HasSubstr("within a union"));
  EXPECT_THAT(error_of(R"({"type":"fixed","name":"f","size":-1})"), HasSubstr("size"));
  EXPECT_THAT(
      error_of(
          R"({"type":"record","name":"r","fields":[{"name":"a","type":"int","default":"x"}]})"),
      HasSubstr("invalid default for field a"));
  EXPECT_THAT(error_of(std::string(100'000, '[')), HasSubstr("too deeply"));
}

TEST(AvroSchema, NamesAreThoseOfTheirNamespace) {
  const auto schema = parse(R"({"type":"record","name":"a.b.R","fields":[
    {"name":"x","type":{"type":"enum","name":"E","symbols":["A"]}},{"name":"y","type":"E"},
    {"name":"z","type":"a.b.E"}]})");
  EXPECT_EQ(schema->root().full_name, "a.b.R");
  EXPECT_EQ(schema->root().fields[1].type, schema->root().fields[0].type);
  EXPECT_EQ(schema->root().fields[2].type->full_name, "a.b.E");
}

TEST(AvroTypes, AreSparks) {
  EXPECT_EQ(spark_type(R"(["null","long","int"])"), "bigint");
  EXPECT_EQ(spark_type(R"(["string","int"])"), "struct<member0:string,member1:int>");
  EXPECT_EQ(spark_type(R"({"type":"bytes","logicalType":"decimal","precision":4,"scale":9})"),
            "binary");
  EXPECT_THAT(
      spark_type(R"({"type":"record","name":"r","fields":[{"name":"n","type":["null","r"]}]})"),
      HasSubstr("recursive"));
}

TEST(AvroTypes, SchemaOfAStruct) {
  const auto type = column::parse_type("struct<a:int,d:decimal(5,2)>").value();
  EXPECT_EQ(
      to_avro_schema(type, false, "r", "n").value(),
      R"({"type":"record","name":"r","namespace":"n","fields":[{"name":"a","type":["int","null"]},)"
      R"({"name":"d","type":[{"type":"fixed","name":"fixed","namespace":"n.r.d","size":3,)"
      R"("logicalType":"decimal","precision":5,"scale":2},"null"]}]})");
  EXPECT_EQ(bytes_for_precision(1), 1);
  EXPECT_EQ(bytes_for_precision(9), 4);
  EXPECT_EQ(bytes_for_precision(38), 16);
}

TEST(AvroDecode, Values) {
  EXPECT_EQ(decoded(R"("int")", "\x03"), "-2");
  EXPECT_EQ(decoded(R"(["null","string"])", std::string("\x02\x04hi")), "hi");
  EXPECT_EQ(
      decoded(R"({"type":"bytes","logicalType":"decimal","precision":4,"scale":2})", "\x02\xff"),
      "-0.01");
}

TEST(AvroDecode, HostileBytes) {
  const std::string array = R"({"type":"array","items":"null"})";
  // Counts that no bytes stand behind.
  EXPECT_THAT(decoded(array, "\xfe\xff\xff\xff\xff\xff\xff\xff\x7f"), HasSubstr("more items"));
  EXPECT_THAT(decoded(R"({"type":"array","items":"int"})", "\x80\x01\x00"),
              HasSubstr("more items"));
  EXPECT_THAT(decoded(R"("string")",
                      "\x7e"
                      "ab"),
              HasSubstr("ends within"));
  EXPECT_THAT(decoded(R"("string")", "\x01"), HasSubstr("ends within"));
  EXPECT_THAT(decoded(R"("long")", std::string(11, '\xff')), HasSubstr("ends within"));
  EXPECT_THAT(decoded(R"("int")", "\xfe\xff\xff\xff\x7f"), HasSubstr("an int that is none"));
  EXPECT_THAT(decoded(R"(["null","int"])", "\x04"), HasSubstr("branch"));
  EXPECT_THAT(decoded(R"({"type":"enum","name":"e","symbols":["A"]})", "\x02"),
              HasSubstr("symbol"));
}

TEST(AvroDecode, RecursionEnds) {
  const auto schema =
      parse(R"({"type":"record","name":"r","fields":[{"name":"n","type":["null","r"]}]})");
  // Nothing of it is wanted, so it is skipped at any depth that the bytes have.
  auto decoder = Decoder::make(schema, schema, column::struct_type({}), {});
  ASSERT_TRUE(decoder.ok());
  const std::string deep(1'000'000, '\x02');
  Input in(deep);
  EXPECT_THAT((*decoder)->decode(in).message(), HasSubstr("nested too deeply"));
}

TEST(AvroEncode, GivesBackWhatWasDecoded) {
  const std::string json = R"({"type":"record","name":"r","fields":[
    {"name":"a","type":["null","int"]},{"name":"m","type":{"type":"map","values":"long"}},
    {"name":"d","type":{"type":"bytes","logicalType":"decimal","precision":20,"scale":0}}]})";
  const auto schema = parse(json);
  const auto type = to_spark(schema->root())->type;
  std::string bytes("\x02\x05\x04\x02k\x01\x02l\x02\x00\x04\xff\x00", 13);
  auto decoder = Decoder::make(schema, schema, type, {});
  ASSERT_TRUE(decoder.ok()) << decoder.status().to_string();
  Input in(bytes);
  ASSERT_TRUE((*decoder)->decode(in).ok());
  EXPECT_TRUE(in.at_end());
  const auto encoder = Encoder::make(schema, type, {});
  ASSERT_TRUE(encoder.ok()) << encoder.status().to_string();
  std::string out;
  ASSERT_TRUE((*encoder)->encode(*(*decoder)->finish().value(), 0, out).ok());
  EXPECT_EQ(out, bytes);
}

}  // namespace
}  // namespace millstream::avro
