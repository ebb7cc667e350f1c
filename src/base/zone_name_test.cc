#include "base/zone_name.h"

#include <gtest/gtest.h>

namespace millstream {
namespace {

TEST(ZoneName, OffsetsInEachForm) {
  EXPECT_EQ(parse_zone_name("Z").offset_seconds, 0);
  EXPECT_EQ(parse_zone_name("+8").offset_seconds, 8 * 3600);
  EXPECT_EQ(parse_zone_name("UTC+08:00").offset_seconds, 8 * 3600);
  EXPECT_EQ(parse_zone_name("-0330").offset_seconds, -(3 * 3600 + 30 * 60));
  EXPECT_EQ(parse_zone_name("GMT-03:30:15").offset_seconds, -(3 * 3600 + 30 * 60 + 15));
  EXPECT_EQ(parse_zone_name("EST").offset_seconds, -5 * 3600);
}

TEST(ZoneName, WhatIsNoOffsetIsARegion) {
  EXPECT_EQ(parse_zone_name("Europe/Berlin").region, "Europe/Berlin");
  EXPECT_EQ(parse_zone_name("PST").region, "America/Los_Angeles");
  for (const auto* name : {"+19:00", "+18:01", "+1:2:3:4", "+08:61", "+", "UTC+x", ""})
    EXPECT_FALSE(parse_zone_name(name).offset_seconds.has_value()) << name;
}

}  // namespace
}  // namespace millstream
