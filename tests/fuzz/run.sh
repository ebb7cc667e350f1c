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

mkdir -p $build/corpus/sql $build/corpus/plan $build/found
.venv/bin/python tests/fuzz/make_corpus.py $build/corpus/sql
# What clients send, where there is a server to record it with; some minutes, once.
if [ -x build/release/bin/millstream ] && [ -z "$(ls $build/corpus/plan)" ]; then
  .venv/bin/python tests/fuzz/record_plans.py $build/corpus/plan 2>/dev/null
fi
$build/bin/fuzz_plan_seeds $build/corpus/sql $build/corpus/plan
# Expressions may nest as deep as the parser lets them; the server runs them on a large stack too.
ulimit -s 1000000 2>/dev/null || ulimit -s unlimited
for target in sql plan; do
  # Nothing of the operating system's leak check: interned types live until the end on purpose.
  ASAN_OPTIONS=detect_leaks=0 $build/bin/fuzz_$target $build/corpus/$target tests/fuzz/found/$target \
    -max_total_time="$seconds" -max_len=4000 -timeout=10 -rss_limit_mb=4000 -artifact_prefix=$build/found/$target- \
    -print_final_stats=1
done
