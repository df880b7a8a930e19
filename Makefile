# Holdfast: `make` lists the targets. Each target does its own set-up.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CACHE := $(or $(HOLDFAST_CACHE),$(HOME)/.cache/holdfast)
JOBS ?= 2
STAMP := $(VENV)/.holdfast-ready
QUICK_SPARK = SPARK_SUBMIT_OPTS="$$($(BIN)/python -m scripts.quick_java)"

.DEFAULT_GOAL := help
.PHONY: help venv java servers demo test check unit bench golden matrix truth soak operations jars fuzz docs clean

help:  ## list the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /\1\t/' | \
	  while IFS=$$'\t' read -r name text; do printf '  make %-8s %s\n' "$$name" "$$text"; done

venv: $(STAMP)  ## make .venv with Holdfast and every tool that tests need

# uv resolves and links from its cache: minutes the first time, a second afterwards.
$(STAMP): pyproject.toml scripts/check_python.py
	@$(PYTHON) scripts/check_python.py
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@test -x $(BIN)/uv || $(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip install --quiet --compile-bytecode --python $(BIN)/python -e '.[s3,gcs,azure,hdfs]' --group test
	@$(BIN)/python -m compileall -q src
	@touch $@

java:
	@bash scripts/check_java.sh

demo: java $(STAMP)  ## kill a real pipeline in the middle of a batch, start it again, count what is lost
	@$(BIN)/holdfast demo

test: java check unit  ## everything that decides whether a change may land

check: $(STAMP)  ## lint, types, import contracts, tidiness
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python -m pytest -q tests/test_tidy.py tests/test_public_api.py

servers:
	@bash scripts/get_servers.sh

unit: java servers $(STAMP)
	$(QUICK_SPARK) $(BIN)/python -m pytest -q -n $(JOBS) --dist loadfile --no-loadscope-reorder

bench: java servers $(STAMP)  ## measure speed against the alternatives; figures belong in docs/benchmarks.md
	$(BIN)/python benchmarks/run.py

golden: java $(STAMP)  ## make the golden checkpoints anew with real Spark 3.5 to 4.3
	$(BIN)/python scripts/golden/make.py

matrix: java $(STAMP)  ## restart damaged checkpoints, and run the pipeline, on each real Spark
	$(BIN)/python scripts/matrix/run.py $(if $(PART),--part $(PART))

truth: java servers $(STAMP)  ## change one thing, ask judge, start real Spark, compare (docs/truth.md); goes on where it was
	$(BIN)/python -m scripts.truth.run

soak: java servers $(STAMP)  ## 200 kills of the pipeline (docs/soak.md), every audit (docs/audit.md), long tests of sinks
	$(QUICK_SPARK) $(BIN)/python -m scripts.soak.run
	$(BIN)/python -m scripts.soak.audits
	HOLDFAST_SOAK=1 $(QUICK_SPARK) $(BIN)/python -m pytest -q -n $(JOBS) --dist loadfile tests/sinks tests/own \
		tests/audit/test_real_time.py
	$(BIN)/python -m scripts.soak.zombies
	$(BIN)/python -m scripts.soak.kafka_zombies --trials 200

operations: $(STAMP)  ## kill apply and undo before every durable call, go on and go back (docs/operations.md)
	$(BIN)/python -m scripts.operations.run

fuzz: $(STAMP)  ## a long fuzz campaign over every parser and every golden file
	$(BIN)/python scripts/fuzz/run.py

jars: java $(STAMP)  ## resolve the jars of the lake profile and of the Kafka broker into the cache
	$(BIN)/python scripts/jars/fetch.py lake kafka-broker

docs: $(STAMP)  ## write the generated parts of the docs anew
	$(BIN)/python scripts/docs/generate.py

clean:  ## remove the environment and caches of this folder
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
