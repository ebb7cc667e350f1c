// to_number and to_char; the conformance cases hold Spark's own answers.
#include "functions/number_format.h"

#include <gtest/gtest.h>

namespace millstream::functions {
namespace {

std::string written(std::string_view format, std::string_view number) {
  const auto parsed = NumberFormat::parse(format);
  return parsed.ok() ? parsed->write(number) : parsed.status().condition();
}

TEST(NumberFormat, Writes) {
  EXPECT_EQ(written("999", "0"), "   ");
  EXPECT_EQ(written("9.99", "0"), "0.00");
  EXPECT_EQ(written("S99999.99", "3.25"), "    +3.25");
  EXPECT_EQ(written("9999PR", "-5"), "   <5>");
  EXPECT_EQ(written("0,000", "1234567"), "# ###");
  EXPECT_EQ(written("9.9", "5.55"), "#.#");
}

TEST(NumberFormat, Reads) {
  const auto format = NumberFormat::parse("$9,999.99");
  ASSERT_TRUE(format.ok());
  EXPECT_EQ(format->precision(), 6);
  EXPECT_TRUE(format->read("$1,234.5") == std::optional<__int128>(123450));
  for (const char* bad : {"1", "$1234.5", "$12,34", "$1,234.567", "$", "", "$1,234.5x"})
    EXPECT_FALSE(format->read(bad).has_value()) << bad;
}

TEST(NumberFormat, RefusesFormats) {
  for (const char* bad : {"", "x", "S", "9$", "9.9,9", "S9S", "9x", "9S9"})
    EXPECT_FALSE(NumberFormat::parse(bad).ok()) << bad;
}

}  // namespace
}  // namespace millstream::functions
