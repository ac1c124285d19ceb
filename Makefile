# What one can do here, each from a fresh clone. The tools live in .venv, made when first needed.
# Needs: Python 3.11 or later, make, a package index. Another Python: make PYTHON=python3.12 test

PYTHON ?= python3
JOBS ?= 4

VENV = .venv
BIN = $(VENV)/bin
PIP = $(BIN)/python -m pip install --quiet --disable-pip-version-check
PYTEST = $(BIN)/python -m pytest -n auto --maxprocesses $(JOBS)

# A stamp is newer than PROJECTS when what it stands for is installed.
PROJECTS = pyproject.toml papers/pyproject.toml
PACKAGE = $(VENV)/installed-package
TOOLS = $(VENV)/installed-tools
DOCS = $(VENV)/installed-docs
TORCH = $(VENV)/installed-torch

.NOTPARALLEL:
.PHONY: help setup demo test test-long soak test-torch lint bench hardware reports docs clean

help:
	@echo "make demo       a short tour of what Paraxis does; writes paraxis-demo.html"
	@echo "make test       the tests (minutes)"
	@echo "make test-long  the tests that take longer"
	@echo "make soak       random trials by the thousand (PARAXIS_SOAK=10 tries ten times as many)"
	@echo "make test-torch the tests of paraxis.torch (installs PyTorch, some gigabytes)"
	@echo "make lint       style and formatting"
	@echo "make bench      measure against Pinocchio, CasADi and MuJoCo on this machine (needs gcc)"
	@echo "make hardware   simulate and synthesise CORDIC circuits, for the report (minutes; needs iverilog)"
	@echo "make reports    the papers' numbers beside ours, regenerated in docs/reports"
	@echo "make docs       the documentation, with its examples run, in docs/_build/html"
	@echo "make setup      only install: .venv with Paraxis, its papers and all that the tests need"
	@echo "make clean      remove what these commands made, .venv included"

setup: $(TOOLS)

demo: $(PACKAGE)
	@$(BIN)/paraxis demo
	@echo "  file://$$(pwd)/paraxis-demo.html"

test: $(TOOLS)
	$(PYTEST) -m "not long and not soak"

test-long: $(TOOLS)
	$(PYTEST) -m long

soak: $(TOOLS)
	$(PYTEST) -m soak tests/soak

test-torch: $(TOOLS) $(TORCH)
	$(PYTEST) tests/frameworks/test_torch.py

lint: $(TOOLS)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

bench: $(TOOLS)
	$(BIN)/python benchmarks/cpu.py --json benchmarks/results/cpu.json
	$(BIN)/python benchmarks/compile_times.py --json benchmarks/results/compile_times.json
	$(BIN)/python benchmarks/threads.py --json benchmarks/results/threads.json
	$(BIN)/python benchmarks/scheduling.py --json benchmarks/results/scheduling.json
	$(BIN)/python benchmarks/simulation.py --json benchmarks/results/simulation.json
	$(BIN)/python benchmarks/inverse_kinematics.py --json benchmarks/results/inverse_kinematics.json
	$(BIN)/python benchmarks/chains.py --json benchmarks/results/chains.json
	$(BIN)/python benchmarks/closed_loop.py --json benchmarks/results/closed_loop.json
	$(BIN)/python benchmarks/unsynchronised.py --json benchmarks/results/unsynchronised.json
	$(BIN)/python benchmarks/cordic.py --json benchmarks/results/cordic.json
	cp benchmarks/results/chains.json papers/paraxis_papers/log_depth/measured.json

hardware: $(TOOLS)
	$(BIN)/python benchmarks/same_bits.py --json papers/paraxis_papers/cordic/same_bits.json
	$(BIN)/python benchmarks/synthesis.py --json papers/paraxis_papers/cordic/synthesis.json

reports: $(TOOLS)
	for name in $$($(BIN)/paraxis report | awk '/^ / { print $$1 }'); do \
		$(BIN)/paraxis report $$name --markdown docs/reports/$$name.md > /dev/null || exit 1; done

docs: $(DOCS)
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo "file://$$(pwd)/docs/_build/html/index.html"

clean:
	rm -rf $(VENV) docs/_build build dist .pytest_cache .ruff_cache .hypothesis paraxis-demo.html
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# A virtual environment that works: a missing, half-made or broken one is made again.
NEW_ENOUGH = import sys; sys.exit(sys.version_info < (3, 11))
ENVIRONMENT = $(BIN)/python -c 'import pip; $(NEW_ENOUGH)' 2>/dev/null || { \
	$(PYTHON) -c '$(NEW_ENOUGH)' || { \
		echo "Paraxis needs Python 3.11 or later; $(PYTHON) is: $$($(PYTHON) --version 2>&1)" >&2; \
		echo "Name another one, as in: make PYTHON=python3.12 demo" >&2; exit 1; }; \
	echo "Making $(VENV) ..."; $(PYTHON) -m venv --clear $(VENV); }

$(PACKAGE): pyproject.toml
	@$(ENVIRONMENT)
	@echo "Installing Paraxis into $(VENV) ..."
	@$(PIP) -e .
	@touch $@

$(TOOLS): $(PROJECTS)
	@$(ENVIRONMENT)
	@echo "Installing Paraxis and what its tests need into $(VENV) (a few minutes the first time) ..."
	@$(PIP) -e '.[test,dev]' -e ./papers
	@touch $(PACKAGE) $@

$(DOCS): $(PROJECTS)
	@$(ENVIRONMENT)
	@echo "Installing Paraxis and what its documentation needs into $(VENV) ..."
	@$(PIP) -e '.[docs]' -e ./papers
	@touch $(PACKAGE) $@

$(TORCH): pyproject.toml
	@echo "Installing PyTorch into $(VENV) ..."
	@$(PIP) -e '.[torch]'
	@touch $@
