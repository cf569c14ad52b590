# Everything a newcomer needs. Each target makes the environments it runs in first; `make` alone lists the targets.

# The first Python that runs: a launcher that exists may still refuse to start.
HOST_PYTHON = $(or $(shell for each in python3 python3.13 python3.11; do \
	$$each -c "import sys; sys.exit(sys.version_info < (3, 8))" 2>/dev/null && echo $$each && break; done), \
	$(error No Python 3 runs on this machine: install Python 3.11 and 3.13))
ENVIRONMENTS = $(HOST_PYTHON) tools/environments.py
PACKAGE_PYTHON = .venv/bin/python
BENCH_PYTHON = .venv-bench/bin/python
BLENDER_PYTHON = .venv-blender/5.2/bin/python
ALL_BLENDERS = 4.2 4.5 5.0 5.1 5.2

BUILD = $(BLENDER_PYTHON) tools/build.py

.PHONY: help setup demo test bench sources fuzz characters build release gui site clean

help:
	@echo "make setup   make every environment: the package, the oldest numpy, and Blender $(ALL_BLENDERS)"
	@echo "make demo    weave the demo actions in Blender 5.2 and put the results in build/demo/"
	@echo "make test    run what is quick of what must hold     (ALL=1: everything; BLENDER=4.2: in that Blender only)"
	@echo "make bench   measure speed, beside other libraries   (QUICK=1: in short; LINE=dtw: one line)"
	@echo "make sources run what shows each element of the source documents: a section of docs/measured.md"
	@echo "make fuzz    try damaged files, graphs, recipes, jobs, meshes, paths, libraries   (COUNT=100000; SEED=2; SIGNALS=200: being stopped)"
	@echo "make characters   try every verb on shipped characters and varied clips, and judge each result: docs/measured.md"
	@echo "make build   build the extension's zip               (FAST=1: with numba, for this platform; ALL=1, too: for each)"
	@echo "make release build and try all that is published, into build/release/"
	@echo "make gui     press the buttons in Blender's real windows, pictures in build/gui/"
	@echo "make site    build the documentation as a site in build/site/      (CHECK=1: and see every page in headless Chromium)"
	@echo "make clean   remove what was built                   (ALL=1: the environments and fetched wheels, too)"

setup:
	$(ENVIRONMENTS) package oldest $(ALL_BLENDERS)

demo:
	$(ENVIRONMENTS) package 5.2
	zip=$$($(BUILD)) && $(PACKAGE_PYTHON) tools/demo.py "$$zip"

test:
	$(ENVIRONMENTS) package $(if $(ALL),oldest) 5.2 $(or $(BLENDER),$(if $(ALL),$(ALL_BLENDERS)))
	BLENDER="$(BLENDER)" $(PACKAGE_PYTHON) tools/run_tests.py $(if $(ALL),--all) $(if $(RECORD),--record)

# One thread, so that what is compared is the work and not how it is spread.
bench: export OPENBLAS_NUM_THREADS = 1
bench: export OMP_NUM_THREADS = 1
bench:
	$(ENVIRONMENTS) bench $(if $(QUICK)$(LINE),5.2,$(ALL_BLENDERS))
	zip=$$($(BUILD)) && $(BENCH_PYTHON) tools/bench/run.py "$$zip" $(if $(QUICK),--quick) $(if $(LINE),--line $(LINE))

sources: export OPENBLAS_NUM_THREADS = 1
sources:
	$(ENVIRONMENTS) package 5.2
	$(PACKAGE_PYTHON) tools/sources.py

fuzz:
	$(ENVIRONMENTS) package
	$(PACKAGE_PYTHON) -W ignore $(if $(SIGNALS),tools/fuzz/signals.py --count $(SIGNALS),tools/fuzz/run.py \
		$(if $(COUNT),--count $(COUNT))) $(if $(SEED),--seed $(SEED))

characters:
	$(ENVIRONMENTS) package $(ALL_BLENDERS)
	zip=$$($(BUILD)) && $(PACKAGE_PYTHON) tools/shipped.py "$$zip" && $(PACKAGE_PYTHON) tools/right.py "$$zip"

build:
	$(ENVIRONMENTS) 5.2
	$(BUILD) $(if $(FAST),--fast) $(if $(ALL),--all) $(if $(findstring command line,$(origin PYTHON)),--python $(PYTHON))

release:
	$(ENVIRONMENTS) package $(ALL_BLENDERS)
	$(PACKAGE_PYTHON) tools/release.py

gui:
	$(ENVIRONMENTS) package 5.2
	$(PACKAGE_PYTHON) tools/gui.py

site:
	$(ENVIRONMENTS) docs
	.venv-docs/bin/python tools/site.py $(if $(CHECK),--check)

clean:
	find addon core tests tools -name __pycache__ -prune -exec rm -rf {} +
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis
	if [ -d build ]; then find build -mindepth 1 -maxdepth 1 ! -name wheels -exec rm -rf {} +; fi
	$(if $(ALL),rm -rf build .venv .venv-oldest .venv-bench .venv-docs .venv-blender action_loom.egg-info)
