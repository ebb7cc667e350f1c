#include "format/parquet_encoding.h"

#include <arrow/array.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/io/memory.h>
#include <arrow/record_batch.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/statistics.h>

#include <random>

#include "format/json_test_util.h"
#include "format/parquet.h"

namespace millstream::format {
namespace {

using ArrayPtr = std::shared_ptr<arrow::Array>;
using Texts = std::vector<std::optional<std::string>>;

ArrayPtr texts(const Texts& values) {
  arrow::StringBuilder builder;
  for (const auto& value : values) {
    EXPECT_TRUE((value ? builder.Append(*value) : builder.AppendNull()).ok());
  }
  return builder.Finish().ValueOrDie();
}

// Reading a dictionary back.
Texts decoded(const arrow::Array& chunk) {
  const auto& array = static_cast<const arrow::DictionaryArray&>(chunk);
  const auto& values = static_cast<const arrow::StringArray&>(*array.dictionary());
  Texts out;
  for (std::int64_t i = 0; i < array.length(); ++i) {
    if (array.IsNull(i)) {
      out.emplace_back();
    } else {
      out.emplace_back(values.GetString(array.GetValueIndex(i)));
    }
  }
  return out;
}

TEST(DictionaryChunks, ShareOneDictionary) {
  const std::string head(20, 'h');
  const Texts first = {"a", std::nullopt, "", "ab", "abc", "abcd", "abcdefgh"};
  const Texts second = {"a",   head + "1" + head,  head + "2" + head,  "abcdefg", std::nullopt,
                        "abc", "abcdefgh12345678", "abcdefgh12345679", "new"};
  const auto chunks = dictionary_chunks({texts(first), texts(second)->Slice(1)});
  ASSERT_TRUE(chunks.has_value());
  EXPECT_EQ(decoded(*(*chunks)[0]), first);
  EXPECT_EQ(decoded(*(*chunks)[1]), Texts(second.begin() + 1, second.end()));
  const auto& a = static_cast<const arrow::DictionaryArray&>(*(*chunks)[0]);
  const auto& b = static_cast<const arrow::DictionaryArray&>(*(*chunks)[1]);
  EXPECT_EQ(a.data()->dictionary, b.data()->dictionary);
  EXPECT_EQ(a.dictionary()->length(), 12);
  EXPECT_TRUE(a.ValidateFull().ok() && b.ValidateFull().ok());
}

TEST(DictionaryChunks, ManyValuesGrowTheTable) {
  Texts values;
  for (int i = 0; i < 20'000; ++i) values.emplace_back(std::to_string(i * 7919 % 10'000));
  const auto chunks = dictionary_chunks({texts(values)});
  ASSERT_TRUE(chunks.has_value());
  EXPECT_EQ(decoded(*chunks->front()), values);
}

TEST(DictionaryChunks, NoneForNullsOnlyOrTooManyValues) {
  EXPECT_FALSE(dictionary_chunks({texts({std::nullopt})}).has_value());
  Texts values;
  for (int i = 0; i <= 1 << 16; ++i) values.emplace_back(std::to_string(i));
  EXPECT_FALSE(dictionary_chunks({texts(values)}).has_value());
  values.assign({std::string(1 << 20, 'x'), "y"});
  EXPECT_FALSE(dictionary_chunks({texts(values)}).has_value());
}

// A few thousand rows: few different words, random digits, rising numbers, random bits.
connector::RecordBatchPtr rows_of(std::int64_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  arrow::StringBuilder words;
  arrow::StringBuilder digits;
  arrow::Int64Builder rising;
  arrow::Int64Builder bits;
  for (std::int64_t i = 0; i < count; ++i) {
    EXPECT_TRUE(
        (i % 7 == 3 ? words.AppendNull() : words.Append("word " + std::to_string(seed + i % 20)))
            .ok());
    EXPECT_TRUE(digits.Append(fmt::format("{:016x}{:016x}", random(), random())).ok());
    EXPECT_TRUE(rising.Append(i).ok());
    EXPECT_TRUE(bits.Append(static_cast<std::int64_t>(random())).ok());
  }
  const auto schema = column::to_arrow(
      column::parse_schema("words STRING, digits STRING, rising BIGINT, bits BIGINT").value());
  return arrow::RecordBatch::Make(schema, count,
                                  {words.Finish().ValueOrDie(), digits.Finish().ValueOrDie(),
                                   rising.Finish().ValueOrDie(), bits.Finish().ValueOrDie()});
}

struct Written {
  std::shared_ptr<io::Store> store = io::memory_store();
  ParquetFile file;
  std::vector<connector::RecordBatchPtr> batches;
};

Written write(ParquetWriteOptions options) {
  Written out;
  const auto schema =
      column::parse_schema("words STRING, digits STRING, rising BIGINT, bits BIGINT").value();
  auto writer = ParquetWriter::open(out.store, "/t/a.parquet", schema, options).value();
  for (unsigned seed = 0; seed < 3; ++seed) {
    out.batches.push_back(rows_of(3000, seed * 100));
    EXPECT_TRUE(writer->write(out.batches.back()).ok());
  }
  out.file = writer->close().value();
  return out;
}

std::shared_ptr<parquet::FileMetaData> footer_of(const Written& written) {
  const std::string bytes = written.store->get(written.file.path).value();
  auto input = std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(bytes));
  return parquet::ParquetFileReader::Open(input)->metadata();
}

TEST(ParquetEncoding, IsChosenByTheValues) {
  const auto footer = footer_of(write({}));
  const auto chunk = [&](int i) { return footer->RowGroup(0)->ColumnChunk(i); };
  EXPECT_TRUE(chunk(0)->has_dictionary_page());
  EXPECT_EQ(chunk(0)->compression(), parquet::Compression::SNAPPY);
  EXPECT_EQ(chunk(0)->statistics()->EncodeMin(), "word 0");
  EXPECT_EQ(chunk(0)->statistics()->EncodeMax(), "word 9");
  EXPECT_EQ(chunk(0)->statistics()->null_count(), 3 * 429);
  EXPECT_FALSE(chunk(1)->has_dictionary_page());
  EXPECT_EQ(chunk(1)->compression(), parquet::Compression::UNCOMPRESSED);
  EXPECT_EQ(chunk(2)->compression(), parquet::Compression::SNAPPY);
  EXPECT_EQ(chunk(3)->compression(), parquet::Compression::UNCOMPRESSED);
  // A codec that saves something on digits is used for them.
  ParquetWriteOptions options;
  options.compression = "zstd";
  EXPECT_EQ(footer_of(write(options))->RowGroup(0)->ColumnChunk(1)->compression(),
            parquet::Compression::ZSTD);
}

TEST(ParquetEncoding, RowGroupsHaveTheirOwnDictionaries) {
  ParquetWriteOptions options;
  options.row_group_rows_max = 2000;  // groups that begin and end within batches
  const auto written = write(options);
  EXPECT_EQ(footer_of(written)->num_row_groups(), 5);
  auto reader = ParquetReader::open(
      written.store, written.file.path,
      column::parse_schema("words STRING, digits STRING, rising BIGINT, bits BIGINT").value());
  std::vector<connector::RecordBatchPtr> read;
  for (auto batch = (*reader)->next().value(); batch != nullptr; batch = (*reader)->next().value())
    read.push_back(batch);
  EXPECT_EQ(testing::render(read), testing::render(written.batches));
}

}  // namespace
}  // namespace millstream::format
