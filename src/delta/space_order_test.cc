#include "delta/space_order.h"

#include <arrow/builder.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace millstream::delta {
namespace {

std::shared_ptr<arrow::Array> numbers(const std::vector<std::int64_t>& values) {
  arrow::Int64Builder builder;
  CHECK(builder.AppendValues(values).ok() && builder.AppendNull().ok());
  return builder.Finish().ValueOrDie();
}

TEST(SpaceOrder, PlacesAreOrderedAsTheValuesAre) {
  std::vector<std::int64_t> values;
  for (std::int64_t i = -500'000; i < 500'000; i += 7) values.push_back(i * i * i);
  ValueSample sample;
  sample.add(*numbers(values));
  const auto places = ValueRanges(sample, 10).places(*numbers(values));
  EXPECT_TRUE(std::is_sorted(places.begin(), places.end() - 1));
  EXPECT_EQ(places.back(), 0U);  // NULL
  EXPECT_EQ(places[0], 1U);
  EXPECT_EQ(*std::ranges::max_element(places), 1023U);
}

TEST(SpaceOrder, TextsAndConstantsHavePlaces) {
  arrow::StringBuilder builder;
  for (const char* text : {"", "b", "a", "\xff"}) CHECK(builder.Append(text).ok());
  const auto texts = builder.Finish().ValueOrDie();
  ValueSample sample;
  sample.add(*texts);
  const auto places = ValueRanges(sample, 10).places(*texts);
  EXPECT_LT(places[0], places[2]);
  EXPECT_LT(places[2], places[1]);
  EXPECT_LT(places[1], places[3]);
  ValueSample same;
  same.add(*numbers({5, 5, 5}));
  const auto constant = ValueRanges(same, 10).places(*numbers({5, 5, 5}));
  EXPECT_EQ(constant[0], constant[2]);
}

TEST(SpaceOrder, BitsAreInterleaved) {
  EXPECT_EQ(bits_per_column(1), 10);
  EXPECT_EQ(bits_per_column(9), 7);
  EXPECT_EQ(bits_per_column(100), 1);
  const auto keys = interleaved({{0b11, 0b00, 0b10}, {0b00, 0b11, 0b01}}, 2);
  EXPECT_EQ(keys, (std::vector<std::int64_t>{0b1010, 0b0101, 0b1001}));
}

}  // namespace
}  // namespace millstream::delta
