// The binary form of variants: what is built is read again, and what is malformed does no harm.
#include "engine/variant.h"

#include <gtest/gtest.h>

namespace millstream::engine {
namespace {

Variant sample() {
  VariantBuilder builder;
  builder.add_key("b");
  const std::string list = VariantBuilder::array(
      {VariantBuilder::integer(-129), VariantBuilder::null(), VariantBuilder::decimal(150, 2)});
  auto object = builder.object({{"b", list}, {"a", VariantBuilder::text("x\"y")}});
  return builder.finish(*object);
}

TEST(Variant, IsReadAsItWasBuilt) {
  const Variant variant = sample();
  const VariantView view(variant.value, variant.metadata);
  EXPECT_EQ(view.json("UTC"), "{\"a\":\"x\\\"y\",\"b\":[-129,null,1.5]}");
  EXPECT_EQ(view.bytes(), variant.value);
  ASSERT_TRUE(view.field("b"));
  EXPECT_EQ(view.field("b")->items()[0].integer(), -129);
  EXPECT_EQ(view.field("b")->items()[0].bytes().size(), 3U);
  EXPECT_FALSE(view.field("c"));
}

TEST(Variant, KeysComeOnce) {
  VariantBuilder builder;
  EXPECT_FALSE(builder.object({{"a", VariantBuilder::null()}, {"a", VariantBuilder::null()}}));
}

TEST(Variant, DamageIsHarmless) {
  const Variant variant = sample();
  for (std::size_t i = 0; i < variant.value.size(); ++i) {
    for (const int bit : {1, 4, 16, 128}) {
      Variant damaged = variant;
      damaged.value[i] = static_cast<char>(damaged.value[i] ^ bit);
      (void)VariantView(damaged.value, damaged.metadata).json("UTC");
      (void)VariantView(std::string_view(damaged.value).substr(0, i), variant.metadata).json("UTC");
    }
  }
  for (std::size_t i = 0; i < variant.metadata.size(); ++i) {
    Variant damaged = variant;
    damaged.metadata[i] = static_cast<char>(damaged.metadata[i] ^ 0x55);
    (void)VariantView(damaged.value, damaged.metadata).json("UTC");
  }
}

TEST(Variant, DepthAndSharingAreBounded) {
  std::string deep = VariantBuilder::null();
  for (int i = 0; i < 20000; ++i) deep = VariantBuilder::array({deep});
  EXPECT_LT(VariantView(deep, {}).json("UTC").size(), 5000U);
  // An array of 200 items that are all the same array of 200, and so on.
  std::string shared = VariantBuilder::array({VariantBuilder::null()});
  for (int i = 0; i < 20; ++i) {
    std::vector<std::string> items(200, std::string());
    items.push_back(shared);
    shared = VariantBuilder::array(items);
  }
  EXPECT_LT(VariantView(shared, {}).json("UTC").size(), 5000U);
}

}  // namespace
}  // namespace millstream::engine
