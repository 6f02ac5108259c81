# What this repository can do. `make` lists it.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

export CARGO_TARGET_DIR ?= $(CURDIR)/target
BUILD := $(CURDIR)/.build
VENV := $(BUILD)/venv
PYTHON := $(VENV)/bin/python
NODE_BINDING := bindings/node
PYTHON_BINDING := bindings/python

.PHONY: help
help: ## list the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

.PHONY: deps
deps: ## find or install what tests need (as root on Debian), or name it
	@tests/setup/deps.sh

# --- builds -------------------------------------------------------------------------------------

$(BUILD)/python: $(PYTHON_BINDING)/requirements-dev.txt
	@mkdir -p $(BUILD)
	@test -x $(PYTHON) || python3 -m venv $(VENV)
	@$(PYTHON) -m pip install --quiet --disable-pip-version-check -r $<
	@touch $@

$(BUILD)/node: $(NODE_BINDING)/package-lock.json
	@mkdir -p $(BUILD)
	@# Not `npm ci`: npm leaves other platforms' optional packages out of the lock file, and then
	@# refuses its own file. `--no-save` installs what is locked and never changes the file.
	@cd $(NODE_BINDING) && npm install --no-save --silent --no-audit --no-fund
	@touch $@

.PHONY: build build-rust build-python build-node
build: build-rust build-python build-node ## build everything, in debug

build-rust:
	@cargo build --quiet -p toolkeep -p toolkeep-ffi -p toolkeep-examples

build-python: $(BUILD)/python
	@cd $(PYTHON_BINDING) && VIRTUAL_ENV=$(VENV) $(VENV)/bin/maturin develop --quiet >/dev/null 2>$(BUILD)/maturin.log || { cat $(BUILD)/maturin.log; exit 1; }

build-node: $(BUILD)/node
	@cd $(NODE_BINDING) && npm run --silent build
	@mkdir -p examples/node/node_modules && ln -sfn ../../../$(NODE_BINDING) examples/node/node_modules/toolkeep

# --- the main job -------------------------------------------------------------------------------

.PHONY: demo
demo: build ## one agent session in Rust, Python, Node and C, transcripts compared
	@PYTHON=$(PYTHON) examples/demo.sh

# --- tests --------------------------------------------------------------------------------------

.PHONY: test test-rust test-python test-node test-demo
test: deps test-rust test-python test-node test-demo ## every suite in every language

test-rust:
	@echo "== Rust, the C ABI, C and C++"
	@cargo test --quiet -p toolkeep -p toolkeep-scrub -p toolkeep-shell -p toolkeep-ffi -p toolkeep-vectors -p toolkeep-examples --features toolkeep/docker,toolkeep/postgres

test-python: build-python
	@echo "== Python"
	@$(PYTHON) -m pytest -q -c $(PYTHON_BINDING)/pyproject.toml --rootdir . tests/python

test-node: build-node
	@echo "== Node"
	@cd $(NODE_BINDING) && npm test --silent

test-demo: build
	@echo "== A backend of a host's own"
	@cargo run --quiet -p toolkeep-examples --bin backend >/dev/null
	@echo "== The session, in four languages"
	@PYTHON=$(PYTHON) examples/demo.sh --quiet

# --- quality ------------------------------------------------------------------------------------

.PHONY: lint lint-rust lint-python lint-node gen
lint: lint-rust lint-python lint-node ## format, lints, types, generated files, docs

lint-rust:
	@cargo fmt --all --check
	@cargo clippy --quiet --workspace --all-targets -- -D warnings
	@# The core of a Rust host that wants none of its features.
	@cargo clippy --quiet -p toolkeep --lib -- -D warnings
	@cargo clippy --quiet -p toolkeep-ffi -p toolkeep-python -p toolkeep-node --features toolkeep-ffi/bench,toolkeep-python/bench,toolkeep-node/bench -- -D warnings
	@# The program that confines commands is compiled by the core's build script.
	@rustfmt --edition 2024 --config-path . --check core/confine/main.rs
	@mkdir -p $(BUILD) && clippy-driver --edition 2024 --crate-type bin --crate-name confine -C panic=abort --sysroot "$$(rustc --print sysroot)" -D warnings --emit=metadata -o $(BUILD)/confine.rmeta core/confine/main.rs
	@RUSTDOCFLAGS="-D warnings" cargo doc --quiet --no-deps -p toolkeep -p toolkeep-scrub -p toolkeep-shell --all-features
	@cargo xtask gen --check

lint-python: build-python
	@$(VENV)/bin/ruff check --quiet --config $(PYTHON_BINDING)/pyproject.toml $(PYTHON_BINDING) tests/python tests/bench tests/chat_server.py examples/python
	@$(VENV)/bin/ruff format --quiet --check --config $(PYTHON_BINDING)/pyproject.toml $(PYTHON_BINDING) tests/python tests/bench tests/chat_server.py examples/python
	@MYPYPATH=tests/python $(VENV)/bin/mypy --no-error-summary --config-file $(PYTHON_BINDING)/pyproject.toml $(PYTHON_BINDING)/python tests/python tests/chat_server.py examples/python
	@$(PYTHON) -m mypy.stubtest --mypy-config-file $(PYTHON_BINDING)/pyproject.toml toolkeep._toolkeep >/dev/null

lint-node: build-node
	@cd $(NODE_BINDING) && npm run --silent types && npm run --silent drift

gen: build-node ## write what is generated: operations, reference, C header, README snippets
	@cargo xtask gen
	@TOOLKEEP_UPDATE=1 cargo test --quiet -p toolkeep-ffi header

# --- measurements -------------------------------------------------------------------------------

.PHONY: bench bench-docs soak
bench: deps $(BUILD)/python $(BUILD)/node ## print ratios against the named baselines
	@PYTHON=$(PYTHON) VENV=$(VENV) tests/bench/run.sh

bench-docs: deps $(BUILD)/python $(BUILD)/node ## measure, and put the figures into docs/benchmarks.md
	@PYTHON=$(PYTHON) VENV=$(VENV) tests/bench/run.sh > $(BUILD)/bench.md
	@sed -i '/^## One run$$/q' docs/benchmarks.md
	@{ echo; cat $(BUILD)/bench.md; } >> docs/benchmarks.md

soak: deps build ## the long forms of the tests
	@TOOLKEEP_SOAK=1 cargo test --release --quiet -p toolkeep -p toolkeep-scrub -p toolkeep-shell --features toolkeep/docker,toolkeep/postgres
	@TOOLKEEP_SOAK=1 $(PYTHON) -m pytest -q -c $(PYTHON_BINDING)/pyproject.toml --rootdir . tests/python
	@cd $(NODE_BINDING) && TOOLKEEP_SOAK=1 npm test --silent
	@tests/fuzz.sh

.PHONY: clean
clean: ## remove what was built here
	@rm -rf $(BUILD) target
