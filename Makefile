# Two commands are enough on a fresh machine:  make serve   and   make test
# Both prepare what they need first (tools/prepare.py); when nothing changed that takes a moment.

HOST ?= 127.0.0.1
PORT ?= 8000
PYTHON ?= $(or $(shell command -v python3.11),$(shell command -v python3),python3.11)
BIN := .venv/bin
NODE_BIN := node_modules/.bin
CHECKS := $(BIN)/python tools/checks.py
# What fails does not hide what else would.
PARTS := @$(MAKE) --no-print-directory --keep-going

export HOST PORT
# Tests start many processes; where this is set, each compiles every module anew.
unexport PYTHONDONTWRITEBYTECODE


.DEFAULT_GOAL := help
.PHONY: help serve test test-full check format format-check lint types-python types-js test-js test-python test-browser \
	coverage bench screenshot messages api-types pins wheel prepare prepare-test clean

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

serve: prepare ## start the application; HOST=… PORT=… choose the address
	@exec $(BIN)/python -m server

test: prepare-test ## the gate: every check, and the tests that are not marked full; ten minutes
	@$(CHECKS) gate

test-full: prepare-test ## every check and every test; an hour, so before an issue is called resolved
	@$(CHECKS) full

check: prepare-test ## format, lint and types, Python and JavaScript, side by side
	$(PARTS) --jobs=2 --output-sync=target types-python format-check lint types-js

format-check: prepare-test
	$(BIN)/ruff format --check
	$(NODE_BIN)/prettier --check --cache --log-level=warn .

lint: prepare-test ## ruff's rules, and which module and which script may import which
	$(BIN)/ruff check
	PYTHONPATH=client $(BIN)/lint-imports --no-logo
	$(NODE_BIN)/depcruise --config .dependency-cruiser.cjs --output-type err static/js

types-python: prepare-test ## mypy (strict)
	$(BIN)/mypy

types-js: prepare-test ## tsc over JSDoc (strict), and the types of requests and answers, which editors read too
	$(BIN)/python tools/api_types.py
	$(NODE_BIN)/tsc

format: prepare-test ## rewrite files in the house format
	$(BIN)/ruff format
	$(BIN)/ruff check --fix
	$(NODE_BIN)/prettier --write --cache --log-level=warn .

test-js: prepare-test ## JavaScript unit tests
	node --test $$(find tests/js -name "*.test.js")

test-python: prepare-test ## the gate's Python tests without a browser
	@$(CHECKS) gate python

test-browser: prepare-test ## the gate's tests in a real Chromium against the real server
	@$(CHECKS) gate browser

coverage: prepare-test ## how much of the Python code the tests without a browser run; the floor stands in pyproject.toml
	$(BIN)/python -m pytest --numprocesses=auto --maxprocesses=4 --dist=worksteal --ignore=tests/browser \
		--ignore=tests/server/cluster --cov --cov-report=term

bench: prepare-test ## every benchmark, one after the other; at the end those in which something did not hold
	@failed=; for name in $$(grep -l __main__ benchmarks/*.py | xargs -n 1 basename --suffix=.py); do \
		echo "== $$name"; $(BIN)/python -m benchmarks.$$name || failed="$$failed $$name"; done; \
	test -z "$$failed" || { echo "did not hold:$$failed"; exit 1; }

screenshot: prepare-test ## take the README's picture anew
	$(BIN)/python tools/screenshot.py docs/explorer.png

messages: prepare-test ## bring the translation catalogues up to date with the code
	$(BIN)/python tools/messages.py

api-types: prepare-test ## make the types of requests and answers anew: JavaScript's and the Python client's
	$(BIN)/python tools/api_types.py
	$(BIN)/python tools/api_client.py

wheel: prepare ## build the Python packages into dist/: the application, and the client
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist . ./client

pins: ## resolve every dependency anew and write constraints.txt
	$(PYTHON) tools/pin.py

prepare:
	@$(PYTHON) tools/prepare.py serve

prepare-test:
	@$(PYTHON) tools/prepare.py test

clean: ## remove everything the commands above made
	rm -rf .venv node_modules tools/openapi_typescript/node_modules static/js/api/schema.d.ts dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis test-results *.egg-info
