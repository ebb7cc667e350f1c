// sim --seeds N [--from S]: N simulated lives; sim --seed S: one of them, told step by step.
#include <fmt/core.h>

#include <cstdlib>
#include <string_view>

#include "base/log.h"
#include "base/text.h"
#include "world.h"

int main(int argc, char** argv) {
  std::int64_t seeds = 100;
  std::int64_t from = 1;
  bool one = false;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view name = argv[i];
    const std::int64_t value =
        i + 1 < argc ? millstream::parse_int64(argv[i + 1]).value_or(-1) : std::int64_t{-1};
    const bool known = name == "--seeds" || name == "--from" || name == "--seed";
    if (!known || value < 0) {
      fmt::print(stderr, "usage: sim --seeds N [--from S] | sim --seed S\n");
      return 2;
    }
    if (name == "--seeds") seeds = value;
    if (name != "--seeds") from = value;
    if (name == "--seed") one = true;
  }
  if (one) seeds = 1;
  millstream::set_log_level(millstream::LogLevel::error);
  std::int64_t batches = 0;
  std::int64_t failures = 0;
  int broken = 0;
  for (std::int64_t seed = from; seed < from + seeds && broken < 5; ++seed) {
    millstream::sim::World world(static_cast<std::uint64_t>(seed), one);
    const std::string wrong = world.live();
    batches += world.batches();
    failures += world.failures();
    if (wrong.empty()) continue;
    ++broken;
    fmt::print("seed {}: {}\n  replay: {} --seed {}\n", seed, wrong, argv[0], seed);
  }
  fmt::print("{} lives, {} batches, {} runs that failed on purpose: {}\n", seeds, batches, failures,
             broken == 0 ? "each row exactly once" : "BROKEN");
  return broken == 0 ? 0 : 1;
}
