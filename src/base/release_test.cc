#include "base/release.h"

#include <gtest/gtest.h>

namespace millstream {
namespace {

constexpr int depth = 100'000;

struct Tree {
  explicit Tree(int* counter) : alive(counter) { ++*alive; }
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;
  ~Tree() {
    --*alive;
    Release release;
    for (auto& child : children) release.add(std::move(child));
  }

  int* alive;
  std::vector<std::shared_ptr<const Tree>> children;
};

TEST(Release, DeepTreesEndInALoop) {
  int alive = 0;
  std::shared_ptr<const Tree> shared;
  std::shared_ptr<Tree> root = std::make_shared<Tree>(&alive);
  for (int i = 1; i < depth; ++i) {
    auto parent = std::make_shared<Tree>(&alive);
    parent->children = {root, std::make_shared<Tree>(&alive), nullptr};
    root = std::move(parent);
    if (i == depth / 2) shared = root;
  }
  EXPECT_EQ(alive, 2 * depth - 1);
  root.reset();
  EXPECT_EQ(alive, 2 * (depth / 2 + 1) - 1);  // what another holds stays whole
  shared.reset();
  EXPECT_EQ(alive, 0);
}

}  // namespace
}  // namespace millstream
