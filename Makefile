# Two commands set up a fresh machine: `make demo` shows the product, `make test` checks it.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
JOBS ?= 2

.PHONY: demo test lint types unit score bench soak soak-server fuzz prefixes report dist-check docs editors extension extension-bundled pictures clean

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -e '.[dev]'
	touch $@

demo: $(VENV)/.installed
	$(BIN)/python -m tools.demo

test: lint types unit editors

lint: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.installed
	$(BIN)/mypy

unit: $(VENV)/.installed
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal --benchmark-disable tests

# Exact golden cases / all golden cases, per pass.
score: $(VENV)/.installed
	$(BIN)/python -m tools.score

# Benchmarks of the core, then the server beside others on the same file and edits; the table goes to build/speed.md.
bench: $(VENV)/.bench-installed
	$(BIN)/python -m pytest tests/benchmarks --benchmark-only
	$(BIN)/python -m tests.benchmarks.report

$(VENV)/.bench-installed: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet -e '.[bench]'
	touch $@

# 10,000 random edits of golden kernels: after every one the facts are those of a fresh workspace.
EDITS ?= 10000
soak: $(VENV)/.installed
	SOAK_EDITS=$(EDITS) $(BIN)/python -m pytest -n $(JOBS) --dist worksteal --timeout 0 tests/engine/test_incremental.py

# The same over the protocol: random requests and cancellations beside the edits, two clients at once.
soak-server: $(VENV)/.installed
	SOAK_EDITS=$(EDITS) $(BIN)/python -m pytest -s tests/server/test_soak.py

# Half an hour of nearly right kernels; `make fuzz MINUTES=5 SEED=7` for another run.
MINUTES ?= 30
SEED ?= 0
fuzz: $(VENV)/.installed
	$(BIN)/python -m tools.fuzz --minutes $(MINUTES) --seed $(SEED) --jobs $(JOBS)

# How much the front end understands of the golden files and of the catalogue of errors.
report: $(VENV)/.installed
	$(BIN)/python -m tools.front_report --names

# Every prefix of every golden kernel, as if it were being typed; `make test` tries a sample.
prefixes: $(VENV)/.installed
	PREFIXES=all $(BIN)/python -m pytest -q -n $(JOBS) tests/frontend/test_prefixes.py

# Wheel and sdist, looked into, installed into a new environment and used from another folder.
dist-check: $(VENV)/.installed
	$(BIN)/python -m tools.dist_check

# Pages of rules and passes are generated; the site is built into site/ and any broken link is an error.
docs: $(VENV)/.docs-installed
	$(BIN)/python -m tools.rule_pages
	$(BIN)/python -m tools.pass_pages
	$(BIN)/python -m tools.operator_docs
	$(BIN)/python -m tools.transcripts
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

$(VENV)/.docs-installed: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet -e '.[docs]'
	touch $@

# Tests of the extension, and of the server in Neovim, Emacs and the VS Code workbench; says what the machine lacks and leaves it
# out. With PYPTO_EDITORS=required that is an error.
editors: $(VENV)/.installed
	PYTHON=$(abspath $(BIN))/python bash tests/editors/run.sh

# The .vsix, built twice and compared; `make extension-bundled` puts the server into it.
extension:
	bash tests/editors/install_extension_tools.sh
	cd vscode-extension && npm run --silent package:check

extension-bundled: $(VENV)/.installed
	bash tests/editors/install_extension_tools.sh
	cd vscode-extension && PYTHON=$(abspath $(BIN))/python npm run --silent bundle-server && npm run --silent package

# Pictures of the workbench for the documentation.
pictures: $(VENV)/.installed
	PYTHON=$(abspath $(BIN))/python bash tests/editors/take_pictures.sh docs/images

clean:
	rm -rf $(VENV) build dist site .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks .cache
