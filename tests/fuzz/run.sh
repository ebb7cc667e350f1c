#!/usr/bin/env bash
# usage: run.sh [SECONDS]: builds the fuzzers with clang and runs each for a while over the seeds of the conformance cases. What they
# find is left in build/fuzz/found; mend it and keep the input in tests/fuzz/found.
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${1:-60}
build=build/fuzz

clang=$(command -v clang++-19 || command -v clang++ || true)
if [ -z "$clang" ]; then
  echo "fuzz: installing clang"
  sudo=$([ "$(id -u)" = 0 ] || echo sudo)
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends clang-19 libclang-rt-19-dev >/dev/null
  clang=clang++-19
fi
[ -f $build/build.ninja ] || cmake --preset fuzz -DCMAKE_CXX_COMPILER="$clang" -DCMAKE_C_COMPILER="${clang/++/}" >/dev/null
ninja -C $build --quiet fuzz_sql fuzz_plan fuzz_plan_seeds

mkdir -p $build/corpus/sql $build/corpus/plan $build/seeds/sql $build/seeds/plan $build/found
.venv/bin/python tests/fuzz/make_corpus.py $build/seeds/sql
$build/bin/fuzz_plan_seeds $build/seeds/sql $build/seeds/plan
# What clients send, as soon as there is a server to record it with; some minutes, once.
if [ -x build/release/bin/millstream ] && [ ! -d $build/seeds/recorded ]; then
  rm -rf $build/seeds/recording
  .venv/bin/python tests/fuzz/record_plans.py $build/seeds/recording >$build/recording.log 2>&1
  mv $build/seeds/recording $build/seeds/recorded
fi
# Expressions may nest as deep as the parser lets them; the server runs them on a large stack too.
ulimit -s 1000000 2>/dev/null || ulimit -s unlimited
seeds_sql="$build/seeds/sql"
seeds_plan="$build/seeds/plan $(ls -d $build/seeds/recorded 2>/dev/null || true)"
for target in sql plan; do
  seeds=seeds_$target
  # Nothing of the operating system's leak check: interned types live until the end on purpose.
  # What is new grows into the first folder.
  ASAN_OPTIONS=detect_leaks=0 $build/bin/fuzz_$target $build/corpus/$target ${!seeds} tests/fuzz/found/$target \
    -max_total_time="$seconds" -max_len=4000 -timeout=10 -rss_limit_mb=4000 -artifact_prefix=$build/found/$target- \
    -print_final_stats=1
done
