#include "io/fault_store.h"

#include <gtest/gtest.h>

#include "io/sim_store.h"

namespace millstream::io {
namespace {

TEST(FaultStore, AnErrorBeforeDoesNothingAndAfterDoesAll) {
  FaultStore before(memory_store(), fail_call(0, Fault::error_before));
  EXPECT_EQ(before.put("/a", "x").kind(), ErrorKind::io);
  EXPECT_FALSE(*before.exists("/a"));
  FaultStore after(memory_store(), fail_call(0, Fault::error_after));
  EXPECT_EQ(after.put("/a", "x").kind(), ErrorKind::io);
  EXPECT_EQ(*after.get("/a"), "x");
  EXPECT_EQ(after.calls(), 2);
}

TEST(FaultStore, ACrashLastsUntilReboot) {
  FaultStore store(memory_store(), fail_call(1, Fault::crash_after));
  EXPECT_TRUE(store.put("/a", "x").ok());
  EXPECT_FALSE(store.put("/b", "y").ok());
  EXPECT_FALSE(store.get("/a").ok());
  EXPECT_TRUE(store.crashed());
  store.reboot();
  EXPECT_EQ(*store.get("/a"), "x");
  EXPECT_EQ(*store.get("/b"), "y");
}

TEST(SimStore, RepeatsItselfFromItsSeed) {
  const auto outcome = [](std::uint64_t seed) {
    SimClock clock;
    Random random(seed);
    const auto store = sim_store(clock);
    store->choose_by(seeded_faults(clock, random, {100, 0}));
    std::string text;
    for (int i = 0; i < 200; ++i) text += store->put("/f", "x").ok() ? '.' : 'x';
    return text + std::to_string(clock.now_us());
  };
  EXPECT_EQ(outcome(1), outcome(1));
  EXPECT_NE(outcome(1), outcome(2));
}

}  // namespace
}  // namespace millstream::io
