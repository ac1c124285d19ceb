# What one can do here, each from a fresh clone. The tools live in .venv, made when first needed.
# Needs: Python 3.11 or later, make, a package index. Another Python: make PYTHON=python3.12 test

PYTHON ?= python3
JOBS ?= 4
# The newest Python that llvmlite has wheels for
NEWEST = 3.15
OLDEST = 3.11

VENV = .venv
BIN = $(VENV)/bin
PIP = $(BIN)/python -m pip install --quiet --disable-pip-version-check
# Each worker takes a run of files, so that what tests of a file share is made once, and then those
# that another has left.
PYTEST = $(BIN)/python -m pytest -n auto --maxprocesses $(JOBS) --dist worksteal
# Without bytecode every worker, and every process that a test starts, compiles all that it imports.
unexport PYTHONDONTWRITEBYTECODE

# A stamp is newer than PROJECTS when what it stands for is installed.
PROJECTS = pyproject.toml papers/pyproject.toml
PACKAGE = $(VENV)/installed-package
TOOLS = $(VENV)/installed-tools
DOCS = $(VENV)/installed-docs
TORCH = $(VENV)/installed-torch

.NOTPARALLEL:
.PHONY: help setup demo check layering quick test test-newest test-wheel test-long soak test-torch lint bench-gpu bench bench-optimal tables hardware reports docs clean

help:
	@echo "make demo       a short tour of what Paraxis does; writes paraxis-demo.html, in which a robot moves"
	@echo "make check      does it all work? lint, layering, quick tests of every folder (two minutes)"
	@echo "make test       the tests (minutes)"
	@echo "make test-newest  quick tests on Python $(NEWEST), which is downloaded if need be"
	@echo "make test-wheel   build a wheel and try it in bare environments of Python $(OLDEST) and $(NEWEST)"
	@echo "make test-long  the tests that take longer"
	@echo "make soak       random trials by the thousand (PARAXIS_SOAK=10 tries ten times as many)"
	@echo "make test-torch the tests of paraxis.torch (installs PyTorch, some gigabytes)"
	@echo "make lint       style, formatting and types"
	@echo "make bench      measure all that needs a CPU only, beside its peers, then make tables (an hour; needs gcc)"
	@echo "make bench-optimal  measure optimal control against Crocoddyl and IPOPT, in an environment of its own"
	@echo "make bench-gpu  measure on an NVIDIA GPU, beside CuPy, PyTorch, JAX and (GRID=folder) GRiD"
	@echo "make tables     write what was measured into the documentation"
	@echo "make hardware   simulate and synthesise circuits and chips, for the reports (an hour; needs iverilog)"
	@echo "make reports    the papers' numbers beside ours, regenerated in docs/papers/reports"
	@echo "make docs       the documentation, with its examples run, in docs/_build/html"
	@echo "make setup      only install: .venv with Paraxis, its papers and all that the tests need"
	@echo "make clean      remove what these commands made, .venv included"

setup: $(TOOLS)

demo: $(PACKAGE)
	@$(BIN)/paraxis demo
	@echo "  file://$$(pwd)/paraxis-demo.html"

# Steps of `make check`, each a target. All are run, even after a failure, and summed up at the end.
CHECKS = lint layering quick

check: $(TOOLS)
	@for step in $(CHECKS); do \
		echo "== make $$step"; start=$$(date +%s); outcome=ok; \
		$(MAKE) --no-print-directory $$step || { outcome=FAILED; failed="$$failed $$step"; }; \
		took=$$(($$(date +%s) - start)); \
		summary="$$summary$$(printf '  %-10s %-7s %3d s' $$step $$outcome $$took)\n"; \
	done; \
	printf "\n$$summary"; \
	test -z "$$failed" || { echo "Failed:$$failed. The reasons are above."; exit 1; }; \
	echo "All is well here. The whole suite: make test"

layering: $(TOOLS)
	$(BIN)/python -m pytest tests/test_layering.py tests/test_layout.py

# Telling tests of every folder of src/paraxis, about 90 s of CPU time in all. tests/test_quick.py
# finds folders that have none.
QUICK = \
	tests/test_checks.py tests/test_packaging.py \
	tests/robots/test_urdf.py tests/robots/test_dh.py tests/robots/test_zoo.py \
	tests/robots/test_locking.py tests/robots/test_hostile_names.py \
	tests/physics/test_algorithms.py tests/physics/test_ranked_elimination.py \
	tests/physics/test_joint_by_joint.py \
	tests/graph/test_evaluate.py tests/graph/test_simplification.py tests/graph/test_trace.py \
	tests/graph/test_text.py tests/graph/test_marks.py \
	tests/passes/test_count.py tests/passes/test_rewriting.py tests/passes/test_order_and_split.py \
	tests/targets/test_scan.py \
	tests/targets/cpu/test_operations.py tests/targets/cpu/test_arguments.py \
	tests/targets/cuda/test_text.py tests/targets/cuda/test_warps.py \
	tests/targets/cuda/test_functions.py \
	tests/targets/source/test_text.py \
	tests/chains/test_links.py tests/chains/test_closed.py tests/chains/test_row_junctions.py \
	tests/scene/test_show.py \
	tests/dynamics/test_contact_scales.py tests/dynamics/test_identification.py \
	tests/kinematics/test_closed_form.py \
	tests/trajectories/test_trajectories.py \
	tests/simulation/test_adaptive_steps.py tests/simulation/test_limits.py \
	tests/simulation/test_simulator.py tests/simulation/ground/test_hard.py \
	tests/control/test_controller.py tests/control/test_zero_order_hold.py \
	tests/control/test_signals.py \
	tests/gym/test_vector_env.py \
	tests/optimal/test_methods.py \
	tests/live/test_page.py::test_matrices_of_bodies_and_the_way_to_a_point \
	tests/targets/wasm/test_wasm.py::test_the_same_bits_anywhere_in_a_batch_and_alone \
	tests/sweeps/test_spaces.py tests/sweeps/test_sweep.py tests/targets/test_dask_arrays.py \
	tests/parallel/test_tasks.py tests/parallel/test_stg.py tests/parallel/test_streamlined.py \
	tests/parallel/test_gantt.py tests/drawing/test_frame.py \
	tests/hardware/test_cordic_accuracy.py tests/hardware/test_verilog_export.py \
	tests/frameworks/test_jax.py::test_a_program_with_several_outputs \
	tests/frameworks/test_jax.py::test_jacobians_and_hessians_against_programs \
	tests/studio/test_guard.py \
	tests/studio/test_work.py \
	tests/cli/test_safe_rate.py

quick: $(TOOLS)
	$(PYTEST) -m "not long" $(QUICK)

test: $(TOOLS)
	$(PYTEST) -m "not long and not soak"

test-newest:
	JOBS=$(JOBS) .ci/newest $(NEWEST)

test-wheel:
	.ci/wheel $(OLDEST) $(NEWEST)

test-long: $(TOOLS)
	$(PYTEST) -m long

soak: $(TOOLS)
	$(PYTEST) -m soak tests/soak

test-torch: $(TOOLS) $(TORCH)
	$(PYTEST) tests/frameworks/test_torch.py tests/frameworks/test_torch_calls.py \
	  tests/frameworks/test_torch_simulate.py tests/frameworks/test_torch_solve.py

lint: $(TOOLS)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# On a machine with an NVIDIA GPU, CuPy, PyTorch and JAX; GRID is a folder of URDF files where GRiD is built for them.
LOOPS_AS_GRAPHS = --xla_gpu_enable_command_buffer=FUSION,CUSTOM_CALL,WHILE,DYNAMIC_SLICE_FUSION --xla_gpu_graph_min_graph_size=1
bench-gpu: $(TOOLS)
	$(BIN)/python benchmarks/gpu_calls.py --json benchmarks/results/gpu_calls.json
	XLA_FLAGS="$(LOOPS_AS_GRAPHS)" $(BIN)/python benchmarks/gpu_calls.py --only jax --json benchmarks/results/gpu_calls_graphs.json
	$(BIN)/python benchmarks/gpu_small_batches.py --json benchmarks/results/gpu_small_batches.json
	$(BIN)/python benchmarks/gpu.py --json benchmarks/results/gpu.json
	$(BIN)/python benchmarks/gpu_chains.py --json benchmarks/results/gpu_chains.json
	$(BIN)/python benchmarks/gpu_ground.py --json benchmarks/results/gpu_ground.json
	$(BIN)/python benchmarks/gpu_inverse_kinematics.py --json benchmarks/results/gpu_inverse_kinematics.json
	$(BIN)/python benchmarks/gpu_optimal.py --json benchmarks/results/gpu_optimal.json
	test -z "$(GRID)" || $(BIN)/python benchmarks/gpu_grid.py --robots "$(GRID)" --json benchmarks/results/gpu_grid.json
	$(MAKE) --no-print-directory tables

# What `make bench` measures, one after another; each writes benchmarks/results/NAME.json. Some of them: make bench BENCHES="cpu ground"
BENCHES = cpu compile_times floating_base simulation simulator ground simulation_gradients environments \
	inverse_kinematics closed_loop unsynchronised threads scheduling cordic browser cluster chains
ground_OPTIONS = --steps 200

# In one sitting of about an hour on two cores, on which nothing else should run. All are run, even after a failure; what failed
# keeps its earlier results.
bench: $(TOOLS)
	@$(foreach name,$(BENCHES),\
		echo "== benchmarks/$(name).py"; start=$$(date +%s); outcome=ok; \
		$(BIN)/python benchmarks/$(name).py $($(name)_OPTIONS) --json benchmarks/results/$(name).json \
			|| { outcome=FAILED; failed="$$failed $(name)"; }; \
		summary="$$summary$$(printf '  %-22s %-7s %5d s' $(name) $$outcome $$(($$(date +%s) - start)))\n";) \
	printf "\n$$summary"; \
	$(MAKE) --no-print-directory tables || failed="$$failed tables"; \
	test -z "$$failed" || { echo "Failed:$$failed. The reasons are above."; exit 1; }

# Into README.md, docs/ and the report that compares with measured chains
tables: $(TOOLS)
	$(BIN)/python docs/make_plot.py
	$(BIN)/python docs/make_tables.py
	cp benchmarks/results/chains.json papers/paraxis_papers/log_depth/measured.json
	$(BIN)/paraxis report log-depth --markdown docs/papers/reports/log-depth.md > /dev/null

# Crocoddyl 3.2.1 is built for Pinocchio 4.0; beside a later one its robots are without gravity.
PEER = .venv-crocoddyl
bench-optimal: $(TOOLS)
	test -x $(PEER)/bin/python || $(PYTHON) -m venv $(PEER)
	$(PEER)/bin/python -m pip install --quiet -e '.[crocoddyl]'
	$(PEER)/bin/python benchmarks/optimal_control.py --json benchmarks/results/optimal_control.json
	$(PEER)/bin/python benchmarks/mpc.py --json benchmarks/results/mpc.json
	$(MAKE) --no-print-directory tables

hardware: $(TOOLS)
	$(BIN)/python benchmarks/same_bits.py --json papers/paraxis_papers/cordic/same_bits.json
	$(BIN)/python benchmarks/synthesis.py --json papers/paraxis_papers/cordic/synthesis.json
	$(BIN)/python benchmarks/processors.py --json papers/paraxis_papers/cordic/processors.json
	$(BIN)/python benchmarks/chip_bits.py --json papers/paraxis_papers/systolic/same_bits.json
	$(BIN)/python benchmarks/chip_synthesis.py --json papers/paraxis_papers/systolic/gates.json

reports: $(TOOLS)
	for name in $$($(BIN)/paraxis report | awk '/^ / { print $$1 }'); do \
		$(BIN)/paraxis report $$name --markdown docs/papers/reports/$$name.md > /dev/null || exit 1; done

docs: $(DOCS)
	$(BIN)/python -m sphinx -W --keep-going -q -j auto -b html docs docs/_build/html
	@echo "file://$$(pwd)/docs/_build/html/index.html"

clean:
	rm -rf $(VENV) $(VENV)-newest $(VENV)-wheel docs/_build docs/api/names build dist .pytest_cache .ruff_cache .hypothesis paraxis-demo.html
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
