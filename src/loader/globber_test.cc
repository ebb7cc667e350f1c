#include "loader/globber.h"

#include <gtest/gtest.h>

namespace millstream::loader {
namespace {

struct Case {
  std::string pattern;
  std::string path;
  bool by_default;
  bool strict;
};

TEST(Globber, Table) {
  const std::vector<Case> cases = {
      {"/r/k", "/r/k/m/f.txt", true, true},
      {"/r/k", "/r/k_old/m/f.txt", false, false},
      {"/r/k", "/r/k.txt", false, false},
      {"/r/*/k/", "/r/x/k/f.txt", true, true},
      {"/r/*/k/", "/r/x/k/m/f.txt", true, true},
      {"/r/*/k/", "/r/x/y/k/f.txt", true, false},
      {"/r/*/k/", "/r/x/y/z/k/f.txt", true, false},
      {"/r/*/k", "/r/x/k_f.txt", true, false},
      {"/r/*/k/", "/r/x/k_f.txt", true, false},
      {"/r/*/k", "/r/x/kite/f.txt", true, false},
      {"/r/k*", "/r/k.txt", true, true},
      {"/r/k*", "/r/k/f.txt", true, true},
      {"/r/{a.txt,b.txt}", "/r/a.txt", true, true},
      {"/r/*/{a.txt,b.txt}", "/r/a.txt", false, false},
      {"/r/k/[cde-h]/m/", "/r/k/c/m/f.txt", true, true},
      {"/r/k/[cde-h]/m/", "/r/k/g/m/f.txt", true, true},
      {"/r/k/[^a]/m/", "/r/k/a/m/f.txt", false, false},
      {"/r/{a,b{c,d}}/", "/r/bd/f.txt", true, true},
      {"/r/?/f", "/r/ü/f", true, true},
      {"/r/a\\*b", "/r/a*b/f", true, true},
      {"/r/a\\*b", "/r/axb/f", false, false},
      {"/r/*.json", "/r/a.json", true, true},
      {"/r/*.json", "/r/x/a.json", true, false},
      {"/", "/r/a", true, true},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(Globber::compile(c.pattern, false)->matches(c.path), c.by_default)
        << c.pattern << " " << c.path;
    EXPECT_EQ(Globber::compile(c.pattern, true)->matches(c.path), c.strict)
        << c.pattern << " " << c.path;
  }
}

TEST(Globber, BaseAndPruning) {
  EXPECT_EQ(Globber::compile("/r/x/*/k", false)->base(), "/r/x");
  EXPECT_EQ(Globber::compile("/r/x/", false)->base(), "/r/x");
  EXPECT_EQ(Globber::compile("/r/a\\*b", false)->base(), "/r/a*b");
  EXPECT_EQ(Globber::compile("/*", false)->base(), "/");
  const auto strict = Globber::compile("/r/2024-*/x", true).value();
  EXPECT_TRUE(strict.may_match_below("/r/2024-01"));
  EXPECT_FALSE(strict.may_match_below("/r/2023-01"));
  EXPECT_TRUE(strict.may_match_below("/r"));
}

TEST(Globber, BadPatterns) {
  EXPECT_FALSE(Globber::compile("/r/{a,b", false).ok());
  EXPECT_FALSE(Globber::compile("/r/[ab", false).ok());
}

}  // namespace
}  // namespace millstream::loader
