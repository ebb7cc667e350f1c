# The menu. `make run` does the main job, `make test` proves it; both install and build what they need.
PYTHON := .venv/bin/python
BUILD := build/release
JOBS ?= $(shell nproc)
SOURCES := 'include/millstream/*.h' 'src/*.cc' 'src/*.h' 'examples/*.cpp' 'tests/fuzz/*.cc' 'tests/fuzz/*.h' 'tests/sim/*.cc' 'tests/sim/*.h'

.PHONY: help setup build run example-orders test test-spark fuzz bench lint fmt clean
.DEFAULT_GOAL := help

help:
	@echo "make setup       install pinned dependencies (no prompt; quick the second time)"
	@echo "make build       compile build/release/bin/millstream"
	@echo "make run         the main job: a stock PySpark program ingests real files into Delta"
	@echo "make example-orders  events of orders by MERGE into a table, with a dead-letter table beside it"
	@echo "make test        unit tests, simulation, conformance and end-to-end tests (no JVM)"
	@echo "make test-spark  the tests that hand checkpoints to real Spark and take them back (JVM)"
	@echo "make fuzz        fuzzers of SQL texts and plans for SECONDS=60 each (clang)"
	@echo "make bench       side-by-side races with Spark and DuckDB"
	@echo "make lint, fmt   clang-tidy and room checks; clang-format"
	@echo "make clean       remove what was built"

setup:
	@tools/setup.sh

$(BUILD)/build.ninja: CMakeLists.txt CMakePresets.json $(wildcard cmake/*.cmake) src/CMakeLists.txt | setup
	@cmake --preset release >/dev/null

build: setup $(BUILD)/build.ninja
	@ninja -C $(BUILD) -j $(JOBS) --quiet millstream

run: build
	@$(PYTHON) examples/make_flights.py scratch/flights
	@$(BUILD)/bin/millstream run examples/flights.py scratch/flights

example-orders: build
	@$(PYTHON) examples/orders/events.py scratch/orders
	@$(BUILD)/bin/millstream run examples/orders/pipeline.py scratch/orders
	@$(PYTHON) examples/orders/check.py scratch/orders

test: setup $(BUILD)/build.ninja
	@ninja -C $(BUILD) -j $(JOBS) --quiet
	@python3 tools/check_rooms.py
	@python3 tools/check_conditions.py
	@tools/setup_newer_client.sh
	@ctest --test-dir $(BUILD) --output-on-failure -j $(JOBS)
	@$(PYTHON) -m pytest -q -n $(JOBS) tests/conformance tests/doctests
	@$(PYTHON) -m pytest -q tests --ignore tests/spark --ignore tests/conformance --ignore tests/doctests

test-spark: build
	@ninja -C $(BUILD) -j $(JOBS) --quiet client_test
	@tools/setup_spark.sh
	@$(PYTHON) -m pytest -q tests/spark

fuzz: setup
	@tests/fuzz/run.sh $(SECONDS)

bench: build
	@tools/setup_spark.sh
	@$(PYTHON) bench/run.py

lint: build
	@.venv/bin/pip install -q --disable-pip-version-check clang-tidy==14.0.6 clang-format==14.0.6
	@python3 tools/check_rooms.py
	@python3 tools/check_conditions.py
	@git ls-files $(SOURCES) | xargs .venv/bin/clang-format --dry-run -Werror
	@$(PYTHON) tools/lint.py $(BUILD) --tidy .venv/bin/clang-tidy

fmt:
	@.venv/bin/pip install -q --disable-pip-version-check clang-format==14.0.6
	@git ls-files $(SOURCES) | xargs .venv/bin/clang-format -i

clean:
	@rm -rf build scratch
