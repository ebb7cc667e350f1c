#!/usr/bin/env bash
# Installs real Spark with Delta, the oracle that `make test-spark`, `make bench` and the recording
# of the conformance corpus compare us with: .venv-spark (pyspark) and third_party/spark-jars.
# Neither the build nor `make test` needs it. A second run takes a moment.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf 'setup-spark: %s\n' "$*"; }

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

install_java() {
  local missing=()
  command -v java >/dev/null || missing+=(openjdk-17-jre-headless)
  command -v mvn >/dev/null || missing+=(maven)
  [ ${#missing[@]} = 0 ] && return
  say "installing ${missing[*]}"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    "${missing[@]}" >/dev/null
}

install_pyspark() {
  local stamp=.venv-spark/requirements.stamp
  if [ -x .venv-spark/bin/python ] && cmp -s requirements-spark.txt "$stamp"; then return; fi
  say "creating .venv-spark"
  [ -x .venv-spark/bin/python ] || python3 -m venv .venv-spark
  .venv-spark/bin/python -m pip install --quiet --disable-pip-version-check \
    --requirement requirements-spark.txt
  cp requirements-spark.txt "$stamp"
}

install_jars() {
  local target=third_party/spark-jars
  if cmp -s tools/spark/pom.xml "$target/pom.xml"; then return; fi
  say "fetching the jars of Delta and Avro"
  mkdir -p "$target"
  mvn --quiet --batch-mode --file tools/spark/pom.xml dependency:copy-dependencies \
    -DincludeScope=runtime -DoutputDirectory="$PWD/$target"
  cp tools/spark/pom.xml "$target/pom.xml"
}

install_java
install_pyspark
install_jars
say "ready"
