#!/usr/bin/env bash
# Installs what `bench/run.py tpch` and `tpcds` need beside real Spark: DuckDB's generators of TPC data
# and the peer Sail, in .venv-bench. A second run takes a moment.
set -euo pipefail
cd "$(dirname "$0")/.."

stamp=.venv-bench/requirements.stamp
if [ -x .venv-bench/bin/python ] && cmp -s requirements-bench.txt "$stamp"; then exit; fi
printf 'setup-bench: creating .venv-bench\n'
[ -x .venv-bench/bin/python ] || python3 -m venv .venv-bench
.venv-bench/bin/python -m pip install --quiet --disable-pip-version-check --requirement requirements-bench.txt
cp requirements-bench.txt "$stamp"
