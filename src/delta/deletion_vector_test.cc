#include "delta/deletion_vector.h"

#include <gtest/gtest.h>

namespace millstream::delta {
namespace {

const std::string table = "/t";

std::string bytes_of(std::string_view hex) {
  std::string bytes;
  std::string digits;
  for (const char c : hex) {
    if (c == ' ') continue;
    digits += c;
    if (digits.size() < 2) continue;
    bytes += static_cast<char>(std::stoi(digits, nullptr, 16));
    digits.clear();
  }
  return bytes;
}

// {0, 2, 5}, {3, 4, 7, 11, 18, 29} and {1, 2^32 + 1} in the portable format.
const std::string three = bytes_of(
    "d1d33964 0100000000000000 00000000 3a300000 01000000 0000 0200 10000000 0000 0200 0500");
const std::string six = bytes_of(
    "d1d33964 0100000000000000 00000000 3a300000 01000000 0000 0500 10000000 0300 0400 0700 0b00 "
    "1200 1d00");
const std::string two_halves = bytes_of(
    "d1d33964 0200000000000000 00000000 3a300000 01000000 0000 0000 10000000 0100 01000000 "
    "3a300000 "
    "01000000 0000 0000 10000000 0100");

// The deleted rows among `rows` from `first` on.
std::vector<std::int64_t> deleted(const DeletedRows& bitmap, std::int64_t first,
                                  std::int64_t rows) {
  std::vector<std::uint8_t> bits(static_cast<std::size_t>(rows + 7) / 8, 0xFF);
  bitmap.clear(first, rows, bits.data());
  std::vector<std::int64_t> out;
  for (std::int64_t i = 0; i < rows; ++i) {
    if ((bits[static_cast<std::size_t>(i / 8)] >> (i % 8) & 1) == 0) out.push_back(first + i);
  }
  return out;
}

std::string little(std::uint64_t value, int size) {
  std::string out;
  for (int i = 0; i < size; ++i) out += static_cast<char>(value >> (8 * i));
  return out;
}

std::string big(std::uint32_t value) {
  std::string out = little(value, 4);
  return {out.rbegin(), out.rend()};
}

std::string bitmap64(const std::string& bucket) {
  return little(1681511377, 4) + little(1, 8) + little(0, 4) + bucket;
}

DeletionVector inline_vector(const std::string& text, std::int64_t size, std::int64_t rows) {
  return {"i", text, std::nullopt, size, rows};
}

TEST(DeletionVector, ReadsArrays) {
  const auto rows = DeletedRows::parse(six);
  ASSERT_TRUE(rows.ok()) << rows.status().to_string();
  EXPECT_EQ(rows->count(), 6);
  EXPECT_EQ(rows->last(), 29);
  EXPECT_EQ(deleted(*rows, 0, 100), (std::vector<std::int64_t>{3, 4, 7, 11, 18, 29}));
  EXPECT_EQ(deleted(*rows, 4, 15), (std::vector<std::int64_t>{4, 7, 11, 18}));
  EXPECT_EQ(deleted(*rows, 30, 5), (std::vector<std::int64_t>{}));
}

TEST(DeletionVector, PositionsBeyondThirtyTwoBits) {
  const auto rows = DeletedRows::parse(two_halves);
  ASSERT_TRUE(rows.ok());
  EXPECT_EQ(rows->count(), 2);
  EXPECT_EQ(deleted(*rows, (1LL << 32) - 2, 8), (std::vector<std::int64_t>{(1LL << 32) + 1}));
}

TEST(DeletionVector, ReadsRunsAndBitmaps) {
  // Runs 10..12 and 65535 of the first 65536 rows; all even rows of the next; row 2 of the third.
  std::string bitmap(8192, '\x55');
  const std::string bucket = little(12347 | (2U << 16), 4) + "\x01" + little(0, 2) + little(3, 2) +
                             little(1, 2) + little(32767, 2) + little(2, 2) + little(0, 2) +
                             little(2, 2) + little(10, 2) + little(2, 2) + little(65535, 2) +
                             little(0, 2) + bitmap + little(2, 2);
  const auto rows = DeletedRows::parse(bitmap64(bucket));
  ASSERT_TRUE(rows.ok()) << rows.status().to_string();
  EXPECT_EQ(rows->count(), 4 + 32768 + 1);
  EXPECT_EQ(rows->last(), 2 * 65536 + 2);
  EXPECT_EQ(deleted(*rows, 0, 100), (std::vector<std::int64_t>{10, 11, 12}));
  EXPECT_EQ(deleted(*rows, 65530, 10), (std::vector<std::int64_t>{65535, 65536, 65538}));
  EXPECT_EQ(deleted(*rows, 131071, 10), (std::vector<std::int64_t>{131074}));
  EXPECT_EQ(deleted(*rows, 11, 200'000).size(), 3u + 32768u + 1u);
}

TEST(DeletionVector, EveryCutIsAnError) {
  for (const auto* whole : {&three, &six, &two_halves}) {
    for (std::size_t size = 0; size < whole->size(); ++size)
      EXPECT_FALSE(DeletedRows::parse(whole->substr(0, size)).ok()) << size;
    EXPECT_FALSE(DeletedRows::parse(*whole + "x").ok());
  }
}

// Any single wrong byte is an error or another set; never a read outside of the bytes.
TEST(DeletionVector, EveryWrongByteIsSurvived) {
  for (std::size_t i = 0; i < six.size(); ++i) {
    for (int value = 0; value < 256; ++value) {
      std::string bytes = six;
      bytes[i] = static_cast<char>(value);
      const auto rows = DeletedRows::parse(bytes);
      if (rows.ok()) {
        EXPECT_LE(deleted(*rows, 0, 1000).size(), 6u);
      }
    }
  }
}

TEST(DeletionVector, InlineText) {
  const auto store = io::memory_store();
  const auto rows = read_deletion_vector(
      *store, table, inline_vector("^Bg9^0rr910000000000iXQKl0rr91000625c8Xg000621POJ5", 38, 3));
  ASSERT_TRUE(rows.ok()) << rows.status().to_string();
  EXPECT_EQ(deleted(*rows, 0, 10), (std::vector<std::int64_t>{0, 2, 5}));
  EXPECT_TRUE(
      read_deletion_vector(
          *store, table, inline_vector("^Bg9^0rr910000000000iXQKl0rr91000625c8Xg000621POJ5", 38, 4))
          .status()
          .is("DELTA_DELETION_VECTOR_CARDINALITY_MISMATCH"));
  EXPECT_FALSE(read_deletion_vector(*store, table, inline_vector("no", 2, 1)).ok());
  EXPECT_FALSE(read_deletion_vector(*store, table, inline_vector("\x01\x02~~~", 2, 1)).ok());
}

TEST(DeletionVector, NamesOfFiles) {
  const auto path = [](const std::string& type, const std::string& text) {
    return deletion_vector_path(table, {type, text, 1, 0, 0}).value();
  };
  EXPECT_EQ(path("u", "01*zhl@^&yH)+oP+?.Z!"),
            "/t/deletion_vector_00112233-4455-6677-8899-aabbccddeeff.bin");
  EXPECT_EQ(path("u", "ab^-aqEH.-t@S}K{vb[*k^"),
            "/t/ab/deletion_vector_d2c639aa-8816-431a-aaf6-d3fe2512ff61.bin");
  EXPECT_EQ(path("p", "file:/other/a%20b.bin"), "/other/a b.bin");
}

TEST(DeletionVector, FileIsChecked) {
  const auto store = io::memory_store();
  const std::string path = "/t/deletion_vector_00112233-4455-6677-8899-aabbccddeeff.bin";
  const DeletionVector vector{"u", "01*zhl@^&yH)+oP+?.Z!", 1, 44, 6};
  const std::string whole = "\x01" + big(44) + six + big(0xacd74a79);
  const auto read = [&](const std::string& bytes) {
    CHECK(store->put(path, bytes).ok());
    return read_deletion_vector(*store, table, vector);
  };
  EXPECT_EQ(read(whole).value().count(), 6);
  EXPECT_TRUE(read("\x01" + big(43) + six + big(0xacd74a79))
                  .status()
                  .is("DELTA_DELETION_VECTOR_SIZE_MISMATCH"));
  EXPECT_TRUE(read(whole.substr(0, 20)).status().is("DELTA_DELETION_VECTOR_SIZE_MISMATCH"));
  EXPECT_TRUE(
      read("\x01" + big(44) + six + big(1)).status().is("DELTA_DELETION_VECTOR_CHECKSUM_MISMATCH"));
  ASSERT_TRUE(store->remove(path).ok());
  EXPECT_TRUE(
      read_deletion_vector(*store, table, vector).status().is("FAILED_READ_FILE.FILE_NOT_EXIST"));
}

TEST(DeletionVector, Z85) {
  EXPECT_EQ(encode_z85(std::string_view(
                "\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff", 16)),
            "01*zhl@^&yH)+oP+?.Z!");
  const auto bytes = decode_z85("^-aqEH.-t@S}K{vb[*k^");
  ASSERT_TRUE(bytes.has_value());
  EXPECT_EQ(encode_z85(*bytes), "^-aqEH.-t@S}K{vb[*k^");
}

TEST(DeletionVector, WrittenFilesAreReadBack) {
  const auto store = io::memory_store();
  DeletionVectorFile file(store, table);
  EXPECT_TRUE(file.empty());
  RowSet few;
  for (const std::int64_t row : {3, 4, 7, 11, 18, 29}) few.add(row);
  RowSet many;
  for (std::int64_t row = 0; row < 200'000; row += 3) many.add(row);
  const DeletionVector first = file.add(few);
  const DeletionVector second = file.add(many);
  EXPECT_EQ(first.offset, 1);
  EXPECT_EQ(first.size_in_bytes, 44);
  EXPECT_EQ(first.cardinality, 6);
  EXPECT_EQ(second.offset, 1 + 4 + 44 + 4);
  ASSERT_TRUE(file.write().ok());
  EXPECT_EQ(deletion_vector_path(table, first).value(), file.path());
  EXPECT_EQ(deleted(read_deletion_vector(*store, table, first).value(), 0, 40),
            (std::vector<std::int64_t>{3, 4, 7, 11, 18, 29}));
  const auto rows = read_deletion_vector(*store, table, second);
  ASSERT_TRUE(rows.ok()) << rows.status().to_string();
  EXPECT_EQ(rows->count(), many.count());
  EXPECT_EQ(rows->last(), 199'998);
  // The bytes of the first are those that the reference writes.
  EXPECT_EQ(store->get(file.path()).value().substr(0, 53),
            "\x01" + big(44) + six + big(0xacd74a79));
}

}  // namespace
}  // namespace millstream::delta
