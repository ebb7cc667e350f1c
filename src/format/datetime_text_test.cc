#include "format/datetime_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "format/json_numbers.h"

namespace millstream::format {
namespace {

std::string date(std::string_view text) {
  std::int32_t days;
  return parse_date_lenient(text, days) ? date_text(days) : "bad";
}

TEST(DateTimeText, LenientDates) {
  EXPECT_EQ(date("2024-01-05"), "2024-01-05");
  EXPECT_EQ(date(" 2024-1-5 "), "2024-01-05");
  EXPECT_EQ(date("2024"), "2024-01-01");
  EXPECT_EQ(date("2024-07"), "2024-07-01");
  EXPECT_EQ(date("2024-01-05Tanything"), "2024-01-05");
  EXPECT_EQ(date("2024-01-05 10:00"), "2024-01-05");
  EXPECT_EQ(date("19000"), "+19000-01-01");
  EXPECT_EQ(date("-0044-03-15"), "-0044-03-15");
  EXPECT_EQ(date("2000-02-29"), "2000-02-29");
  for (const char* bad : {"", "2024-02-30", "1900-02-29", "01/05/2024", "20240105", "2024-13-01",
                          "2024-1-", "2024 ", "24-01-05", "x"}) {
    EXPECT_EQ(date(bad), std::string_view(bad) == "2024 " ? "2024-01-01" : "bad") << bad;
  }
}

std::string timestamp(std::string_view text, const char* zone = "UTC") {
  std::int64_t micros;
  return parse_timestamp_lenient(text, TimeZone::find(zone).value(), micros)
             ? timestamp_text(micros)
             : "bad";
}

TEST(DateTimeText, LenientTimestamps) {
  EXPECT_EQ(timestamp("2024-01-05T10:11:12.123456789Z"), "2024-01-05 10:11:12.123456");
  EXPECT_EQ(timestamp("2024-01-05 1:2:3"), "2024-01-05 01:02:03");
  EXPECT_EQ(timestamp("2024-01-05 10"), "2024-01-05 10:00:00");
  EXPECT_EQ(timestamp("2024-01-05"), "2024-01-05 00:00:00");
  EXPECT_EQ(timestamp("2024"), "2024-01-01 00:00:00");
  EXPECT_EQ(timestamp("2024-01-05 10:11:12+01:30"), "2024-01-05 08:41:12");
  EXPECT_EQ(timestamp("2024-01-05 10:11:12-8"), "2024-01-05 18:11:12");
  EXPECT_EQ(timestamp("2024-01-05 10:11:12.5 Europe/Berlin"), "2024-01-05 09:11:12.5");
  EXPECT_EQ(timestamp("2024-01-05 10:11:12 PST"), "2024-01-05 18:11:12");
  EXPECT_EQ(timestamp("2024-01-05 10:11:12", "America/New_York"), "2024-01-05 15:11:12");
  EXPECT_EQ(timestamp("1969-12-31 23:59:59.999999"), "1969-12-31 23:59:59.999999");
  for (const char* bad :
       {"", "x", "2024-01-05 25:00:00", "2024-01-05 10:60", "2024-01-05 10:11:12 Nowhere/City",
        "2024-02-30 10:00:00", "2024-01-05 10:11Z", "1704448800", "2024-01-05 10:11:12+19:00",
        "2024-01-05 10:11:12.5.5"}) {
    EXPECT_EQ(timestamp(bad), "bad") << bad;
  }
}

TEST(DateTimeText, GapsAndOverlapsOfAZone) {
  EXPECT_EQ(timestamp("2024-03-31 02:30:00", "Europe/Berlin"),
            "2024-03-31 01:30:00");  // skipped: an hour later
  EXPECT_EQ(timestamp("2024-10-27 02:30:00", "Europe/Berlin"),
            "2024-10-27 00:30:00");  // twice: the earlier
  const TimeZone zone = TimeZone::find("Europe/Berlin").value();
  EXPECT_EQ(zone.offset_of_local(days_from_civil(2024, 7, 1) * 86'400), 7200);
  EXPECT_EQ(zone.offset_of_local(days_from_civil(2024, 7, 2) * 86'400), 7200);
  EXPECT_EQ(zone.offset_of_local(days_from_civil(2024, 12, 1) * 86'400), 3600);
  EXPECT_FALSE(TimeZone::find("Mars/Base").ok());
}

std::string with_pattern(std::string_view pattern, std::string_view text) {
  const auto compiled = DateTimePattern::compile(pattern);
  if (!compiled.ok()) return "refused";
  DateTimePattern::Fields fields;
  if (!compiled->parse(text, fields)) return "bad";
  const std::int64_t offset = fields.zone ? fields.zone->offset_of_local(fields.local_seconds) : 0;
  return timestamp_text((fields.local_seconds - offset) * 1'000'000 + fields.micros);
}

TEST(DateTimeText, Patterns) {
  EXPECT_EQ(with_pattern("dd/MM/yyyy", "05/01/2024"), "2024-01-05 00:00:00");
  EXPECT_EQ(with_pattern("dd/MM/yyyy", "5/1/2024"), "bad");
  EXPECT_EQ(with_pattern("d/M/yy", "5/1/24"), "2024-01-05 00:00:00");
  EXPECT_EQ(with_pattern("yyyyMMddHHmmss", "20240105101112"), "2024-01-05 10:11:12");
  EXPECT_EQ(with_pattern("yyyy-MM-dd'T'HH:mm:ss[.SSS][XXX]", "2024-01-05T10:11:12"),
            "2024-01-05 10:11:12");
  EXPECT_EQ(with_pattern("yyyy-MM-dd'T'HH:mm:ss[.SSS][XXX]", "2024-01-05T10:11:12.5+01:00"),
            "2024-01-05 09:11:12.5");
  EXPECT_EQ(with_pattern("MMM d, yyyy h:mm a", "Jan 5, 2024 3:04 PM"), "2024-01-05 15:04:00");
  EXPECT_EQ(with_pattern("yyyy-MM-dd", "2024-01-05x"), "bad");
  EXPECT_EQ(with_pattern("yyyy-MM-dd", "2024-02-30"), "bad");
  EXPECT_EQ(with_pattern("yyyy-QQ", "2024-01"), "refused");
  const auto pattern = DateTimePattern::compile("yyyy-MM-dd'T'HH:mm:ss.SSSXXX").value();
  EXPECT_EQ(pattern.format(1'704'448'800'123'456, 3600), "2024-01-05T10:00:00.123+01:00");
  EXPECT_EQ(pattern.format(-1, 0), "1969-12-31T23:59:59.999Z");
}

std::string decimal(std::string_view text, int precision, int scale) {
  __int128 value;
  if (!parse_decimal(text, precision, scale, true, value)) return "bad";
  std::string out;
  const bool negative = value < 0;
  for (__int128 rest = negative ? -value : value; rest > 0 || out.empty(); rest /= 10) {
    out.insert(out.begin(), static_cast<char>('0' + static_cast<int>(rest % 10)));
  }
  return (negative ? "-" : "") + out;
}

TEST(JsonNumbers, Decimals) {
  EXPECT_EQ(decimal("1.005", 5, 2), "101");
  EXPECT_EQ(decimal("-1.005", 5, 2), "-101");
  EXPECT_EQ(decimal("0.004", 5, 2), "0");
  EXPECT_EQ(decimal("999.994", 5, 2), "99999");
  EXPECT_EQ(decimal("999.995", 5, 2), "bad");
  EXPECT_EQ(decimal("1,234.5", 7, 2), "123450");
  EXPECT_EQ(decimal("1e2", 5, 2), "10000");
  EXPECT_EQ(decimal("1e-400", 5, 2), "0");
  EXPECT_EQ(decimal("1e400", 38, 0), "bad");
  EXPECT_EQ(decimal("0e400", 38, 0), "0");
  EXPECT_EQ(decimal(std::string(38, '9'), 38, 0), std::string(38, '9'));
  EXPECT_EQ(decimal(std::string(39, '9'), 38, 0), "bad");
  EXPECT_EQ(decimal(std::string(38, '9'), 38, 1), "bad");
  EXPECT_EQ(decimal("0." + std::string(50, '1'), 38, 38), std::string(38, '1'));
  const std::string ones(37, '1');
  EXPECT_EQ(decimal(fmt::format("0.{}25", ones), 38, 38), fmt::format("{}3", ones));
  EXPECT_EQ(decimal("x", 5, 2), "bad");
  EXPECT_EQ(decimal("1e", 5, 2), "bad");
  EXPECT_EQ(decimal("", 5, 2), "bad");
}

TEST(JsonNumbers, Doubles) {
  for (const char* text :
       {"0.1", "123456.789", "1e-7", "9007199254740993", "1.7976931348623157e308", "5e-324",
        "2.2250738585072014e-308", "0.000001", "123456789012345678", "-0.0", "1e22", "1.5e-10"}) {
    EXPECT_EQ(parse_double(text), std::strtod(text, nullptr)) << text;
  }
}

}  // namespace
}  // namespace millstream::format
