#!/usr/bin/env bash
# Puts the Python files of the next Spark version's client into third_party, beside the pinned one of
# .venv, which has all that it needs but py4j. The package is published only with Spark's jars
# (450 MB); those are not unpacked. A second run takes a moment.
set -euo pipefail
cd "$(dirname "$0")/.."

version=4.3.0
sha256=e8c517948eff7088a7aa07449aa8eafa4a15a8d50319de2525a6fd26622476c6
target=third_party/pyspark-$version

[ -f $target/complete ] && exit 0
printf 'setup: fetching the client of Spark %s\n' $version
mkdir -p third_party
scratch=$(mktemp -d third_party/.pyspark.XXXXXX)
trap 'rm -rf "$scratch"' EXIT
.venv/bin/python -m pip download --quiet --disable-pip-version-check --no-cache-dir --no-deps \
  --no-binary pyspark --dest "$scratch" "pyspark==$version"
echo "$sha256  $scratch/pyspark-$version.tar.gz" | sha256sum --check --quiet
mkdir "$scratch/out"
tar -xzf "$scratch/pyspark-$version.tar.gz" -C "$scratch/out" --strip-components=1 --wildcards \
  "pyspark-$version/pyspark/*.py" "pyspark-$version/pyspark/*.json"
.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps \
  --target "$scratch/out" py4j==0.10.9.9
touch "$scratch/out/complete"
rm -rf $target
mv "$scratch/out" $target
