#!/usr/bin/env bash
# Installs everything that a build and `make test` need on a bare Debian 12 with Python 3.11:
# Debian packages, the Python environment (.venv), DuckDB and Apache DataSketches (third_party).
# It asks nothing. What is already there is not fetched again, so a second run takes a moment.
# The JVM oracle is not part of this: see tools/setup_spark.sh.
set -euo pipefail
cd "$(dirname "$0")/.."

delta_spark_version=4.4.0
duckdb_version=1.5.6
duckdb_npm=1.5.6-r.1
duckdb_library_sha256=3f4962cdd266eab2b479a5b5a4a6d063d279b2954ae814ed00385d553b747633
duckdb_sdist_sha256=166a91dbfacfc0c9f08cc76c0243cb6d3d4296bfab5bad72a3cfb63140a5b7c8
datasketches_version=4.1.0
datasketches_sdist_sha256=6a57e4d1e93ccf1035604e3d9181dbe490281673833ce5be477c197b1195c840

packages=(
  ccache ninja-build cmake g++ lld pkg-config make git python3-venv ca-certificates
  protobuf-compiler protobuf-compiler-grpc libprotobuf-dev libgrpc++-dev
  librocksdb-dev libsimdjson-dev libfmt-dev libcli11-dev nlohmann-json3-dev
  zlib1g-dev libzstd-dev libre2-dev libicu-dev libutf8proc-dev libxxhash-dev libssl-dev libcurl4-openssl-dev libedit-dev
  libgtest-dev libgmock-dev
)

say() { printf 'setup: %s\n' "$*"; }

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

install_debian_packages() {
  local missing=() package
  for package in "${packages[@]}"; do
    dpkg-query -W -f='${db:Status-Abbrev}' "$package" 2>/dev/null | grep -q '^.i' ||
      missing+=("$package")
  done
  # npm comes with some builds of node without being a Debian package of its own.
  command -v npm >/dev/null || missing+=(npm)
  [ ${#missing[@]} = 0 ] && return
  say "installing ${missing[*]}"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    "${missing[@]}" >/dev/null
}

install_python() {
  # The environment is rebuilt in place when the pins change; the stamp holds what it was built of.
  local stamp=.venv/requirements.stamp
  if [ -x .venv/bin/python ] && cmp -s requirements.txt "$stamp"; then return; fi
  say "creating .venv"
  [ -x .venv/bin/python ] || python3 -m venv .venv
  .venv/bin/python -m pip install --quiet --disable-pip-version-check --requirement requirements.txt
  cp requirements.txt "$stamp"
}

# Delta's Python package asks for the whole of PySpark; with the client it runs as well. The build reads
# its messages, the tests use it.
install_delta_spark() {
  local installed
  installed=$(.venv/bin/python -c 'import importlib.metadata as m; print(m.version("delta-spark"))' 2>/dev/null || true)
  [ "$installed" = "$delta_spark_version" ] && return
  say "installing delta-spark $delta_spark_version"
  .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps \
    "delta-spark==$delta_spark_version"
}

# DuckDB publishes its shared library for Linux inside an npm package, and its headers (the C++
# ones too) inside the Python source distribution of the same version.
install_duckdb() {
  local target=third_party/duckdb
  if [ "$(cat $target/version 2>/dev/null)" = "$duckdb_version $duckdb_npm" ]; then return; fi
  say "fetching DuckDB $duckdb_version"
  mkdir -p third_party
  # Not local: the trap runs after this function has returned if something fails.
  scratch=$(mktemp -d third_party/.duckdb.XXXXXX)
  trap 'rm -rf "$scratch"' EXIT

  (cd "$scratch" && npm pack --silent "@duckdb/node-bindings-linux-x64@$duckdb_npm" >/dev/null)
  mkdir -p "$scratch/lib" "$scratch/sdist" "$scratch/out/lib" "$scratch/out/include"
  tar -xzf "$scratch"/duckdb-node-bindings-*.tgz -C "$scratch/lib" package/libduckdb.so package/LICENSE
  echo "$duckdb_library_sha256  $scratch/lib/package/libduckdb.so" | sha256sum --check --quiet
  mv "$scratch/lib/package/libduckdb.so" "$scratch/out/lib/"
  mv "$scratch/lib/package/LICENSE" "$scratch/out/"

  .venv/bin/python -m pip download --quiet --disable-pip-version-check --no-deps \
    --no-binary duckdb --dest "$scratch/sdist" "duckdb==$duckdb_version"
  echo "$duckdb_sdist_sha256  $scratch/sdist/duckdb-$duckdb_version.tar.gz" | sha256sum --check --quiet
  tar -xzf "$scratch/sdist/duckdb-$duckdb_version.tar.gz" -C "$scratch/out/include" \
    --strip-components=5 --wildcards "duckdb-$duckdb_version/external/duckdb/src/include/*"

  echo "$duckdb_version $duckdb_npm" >"$scratch/out/version"
  rm -rf "$target"
  mv "$scratch/out" "$target"
  rm -rf "$scratch"
  trap - EXIT
}

# The C++ library of Apache DataSketches is headers; up to this version the Python package's source
# distribution holds them.
install_datasketches() {
  local target=third_party/datasketches
  if [ "$(cat $target/version 2>/dev/null)" = "$datasketches_version" ]; then return; fi
  say "fetching DataSketches $datasketches_version"
  mkdir -p third_party
  scratch=$(mktemp -d third_party/.datasketches.XXXXXX)
  trap 'rm -rf "$scratch"' EXIT

  .venv/bin/python -m pip download --quiet --disable-pip-version-check --no-deps \
    --no-binary datasketches --dest "$scratch" "datasketches==$datasketches_version"
  local sdist=$scratch/datasketches-$datasketches_version.tar.gz
  echo "$datasketches_sdist_sha256  $sdist" | sha256sum --check --quiet
  mkdir -p "$scratch/sdist" "$scratch/out/include"
  tar -xzf "$sdist" -C "$scratch/sdist" --strip-components=1
  local part
  for part in common hll kll theta tuple; do cp "$scratch/sdist/$part"/include/* "$scratch/out/include/"; done
  cp "$scratch/sdist/LICENSE" "$scratch/sdist/NOTICE" "$scratch/out/"

  echo "$datasketches_version" >"$scratch/out/version"
  rm -rf "$target"
  mv "$scratch/out" "$target"
  rm -rf "$scratch"
  trap - EXIT
}

install_debian_packages
install_python
install_delta_spark
install_duckdb
install_datasketches
say "ready"
