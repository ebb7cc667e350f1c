// sim [--tables] --seeds N [--from S]: N simulated lives of streaming queries, or of tables that
// several machines write; sim [--tables] --seed S: one of them, told step by step.
#include <fmt/core.h>

#include <cstdlib>
#include <string_view>

#include "base/log.h"
#include "base/text.h"
#include "table_world.h"
#include "world.h"

namespace {

struct Lives {
  std::int64_t seeds = 100;
  std::int64_t from = 1;
  bool one = false;
  bool tables = false;
  std::int64_t steps = 0;  // that took effect
  std::int64_t failures = 0;
};

// What is broken; empty: nothing.
std::string live(Lives& lives, std::int64_t seed) {
  const auto number = static_cast<std::uint64_t>(seed);
  if (lives.tables) {
    millstream::sim::TableWorld world(number, lives.one);
    std::string wrong = world.live();
    lives.steps += world.told();
    lives.failures += world.failures();
    return wrong;
  }
  millstream::sim::World world(number, lives.one);
  std::string wrong = world.live();
  lives.steps += world.batches();
  lives.failures += world.failures();
  return wrong;
}

bool parse(int argc, char** argv, Lives& lives) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (name == "--tables") {
      lives.tables = true;
      continue;
    }
    const std::int64_t value =
        ++i < argc ? millstream::parse_int64(argv[i]).value_or(-1) : std::int64_t{-1};
    const bool known = name == "--seeds" || name == "--from" || name == "--seed";
    if (!known || value < 0) return false;
    if (name == "--seeds") lives.seeds = value;
    if (name != "--seeds") lives.from = value;
    if (name == "--seed") lives.one = true;
  }
  if (lives.one) lives.seeds = 1;
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  Lives lives;
  if (!parse(argc, argv, lives)) {
    fmt::print(stderr, "usage: sim [--tables] --seeds N [--from S] | sim [--tables] --seed S\n");
    return 2;
  }
  millstream::set_log_level(millstream::LogLevel::error);
  int broken = 0;
  for (std::int64_t seed = lives.from; seed < lives.from + lives.seeds && broken < 5; ++seed) {
    const std::string wrong = live(lives, seed);
    if (wrong.empty()) continue;
    ++broken;
    fmt::print("seed {}: {}\n  replay: {}{} --seed {}\n", seed, wrong, argv[0],
               lives.tables ? " --tables" : "", seed);
  }
  fmt::print("{} lives, {} {}, {} that failed on purpose: {}\n", lives.seeds, lives.steps,
             lives.tables ? "commits" : "batches", lives.failures,
             broken == 0 ? "each row exactly once" : "BROKEN");
  return broken == 0 ? 0 : 1;
}
