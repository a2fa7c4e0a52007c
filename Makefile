# What one does in a checkout. Needs Python 3.11 or newer, git and make; everything else goes into .venv.

VENV := .venv
HOST := 127.0.0.1
PORT := 8000
# One more than the two cores that the tests are made for: while one waits for its browser, the others work.
WORKERS := 3
PYTEST := $(VENV)/bin/python -m pytest -n $(WORKERS) --dist worksteal

# The first interpreter that is new enough; `make PYTHON=... run` chooses another.
PYTHON ?= $(shell for python in python3 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)
PIP := $(VENV)/bin/python -m pip --disable-pip-version-check --quiet
# Wheels only: a source distribution would fetch what builds it, unpinned.
HASHED := install --require-hashes --only-binary :all:

.DEFAULT_GOAL := help
.PHONY: help run test test-all check format bench chromium wheel lock clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1|/p' $(MAKEFILE_LIST) | while IFS='|' read -r goal what; do \
		printf '%-16s %s\n' "$$goal" "$$what"; done

run: $(VENV)/installed ## serve the app [HOST=127.0.0.1] [PORT=8000]; needs no network once installed
	@exec $(VENV)/bin/merge-next serve --host $(HOST) --port $(PORT)

test: $(VENV)/installed-dev chromium ## all tests, browser tests included; at most five minutes on two cores
	$(PYTEST)

test-all: $(VENV)/installed-dev chromium ## the same at full size: more generated inputs, whole texts
	$(PYTEST) --full -o faulthandler_timeout=1800

check: $(VENV)/installed-dev ## ruff and mypy
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy

format: $(VENV)/installed-dev ## mend what ruff can mend
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .

bench: $(VENV)/installed-bench chromium ## how fast it is, beside its peers [BENCH="--text FILE --only PART --quick --gigabyte"]
	$(VENV)/bin/python -m tests.bench $(BENCH)

chromium: $(VENV)/installed-dev
	@$(VENV)/bin/python -m tests.browser.chromium

wheel: $(VENV)/installed ## dist/merge_next-*.whl
	$(PIP) wheel --no-deps --no-build-isolation --no-index --wheel-dir dist .
	@ls dist/*.whl

lock: ## resolve the dependencies anew [UPGRADE=--upgrade]; needs the network
	$(PYTHON) -m venv --clear $(VENV)-lock
	$(VENV)-lock/bin/python -m pip --quiet install uv==0.13.9
	$(VENV)-lock/bin/uv $(RESOLVE) --extra build pyproject.toml -o requirements.lock
	$(VENV)-lock/bin/uv $(RESOLVE) --extra build --extra dev -c requirements.lock pyproject.toml -o requirements-dev.lock
	$(VENV)-lock/bin/uv $(RESOLVE) --extra build --extra dev --extra bench -c requirements-dev.lock pyproject.toml \
		-o requirements-bench.lock
	rm -rf $(VENV)-lock

# For every Python and system that the project supports, not only for this one.
RESOLVE = pip compile --quiet --universal --generate-hashes --no-header --no-config $(UPGRADE)

clean: ## remove the environment and everything that was generated
	rm -rf $(VENV) $(VENV)-lock dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find app tokenizer tests -name __pycache__ -prune -exec rm -rf {} +

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "No Python 3.11 or newer was found; name one: make PYTHON=/path/to/python3" >&2; exit 1; }
	@echo "Making an environment in $(VENV)"
	@$(PYTHON) -m venv --clear $(VENV) || { rm -rf $(VENV); \
		echo "Python could not make an environment (Debian and Ubuntu keep that part in the package python3-venv)." >&2; exit 1; }

$(VENV)/installed: requirements.lock pyproject.toml | $(VENV)/bin/python
	@echo "Installing what the app needs"
	@$(PIP) $(HASHED) -r requirements.lock
	@$(PIP) install --no-deps --no-build-isolation --no-index --editable .
	@touch $@

$(VENV)/installed-dev: requirements-dev.lock $(VENV)/installed
	@echo "Installing what the tests need"
	@$(PIP) $(HASHED) -r requirements-dev.lock
	@touch $@

# A peer without a wheel for this Python and system is left out.
$(VENV)/installed-bench: requirements-bench.lock $(VENV)/installed-dev
	@echo "Installing the peers that the bench measures"
	@$(VENV)/bin/python -m tests.bench.install
	@touch $@
