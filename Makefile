# Two commands are enough on a fresh machine:  make serve   and   make test
# Both prepare what they need first (tools/prepare.py); when nothing changed that takes a moment.

HOST ?= 127.0.0.1
PORT ?= 8000
PYTHON ?= $(or $(shell command -v python3.11),$(shell command -v python3),python3.11)
BIN := .venv/bin
# A file's tests stay in one process, so that what they share is made once in it.
PYTEST := $(BIN)/python -m pytest --numprocesses=auto --maxprocesses=4 --dist=loadfile

export HOST PORT


.DEFAULT_GOAL := help
.PHONY: help serve test check format lint types test-js test-python test-browser test-slow bench screenshot messages \
	api-types pins format-check prepare prepare-test clean

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

serve: prepare ## start the application; HOST=… PORT=… choose the address
	@exec $(BIN)/python -m server

test: check test-js test-python test-browser ## every check, and every test but the slow ones

check: format-check lint types ## format, lint and types, Python and JavaScript

format-check: prepare-test
	$(BIN)/ruff format --check
	npx --no-install prettier --check --log-level=warn .

lint: prepare-test ## ruff's rules, and which module and which script may import which
	$(BIN)/ruff check
	PYTHONPATH=client $(BIN)/lint-imports --no-logo
	npx --no-install depcruise --config .dependency-cruiser.cjs --output-type err static/js

types: prepare-test ## mypy (strict) and tsc over JSDoc (strict)
	$(BIN)/mypy
	npx --no-install tsc

format: prepare-test ## rewrite files in the house format
	$(BIN)/ruff format
	$(BIN)/ruff check --fix
	npx --no-install prettier --write --log-level=warn .

test-js: prepare-test ## JavaScript unit tests
	node --test $$(find tests/js -name "*.test.js")

test-python: prepare-test ## Python tests without a browser
	$(PYTEST) -m "not slow" --ignore=tests/browser

test-browser: prepare-test ## tests in a real Chromium against the real server
	$(PYTEST) -m "not slow" tests/browser

test-slow: prepare-test ## what is long by nature: an image's installation, long trainings, every look, 20,000 clicks
	$(PYTEST) -m slow

bench: prepare-test ## our times and our peers', measured in one run
	@for name in $(basename $(notdir $(wildcard benchmarks/[a-z]*.py))); do \
		echo "== $$name"; $(BIN)/python -m benchmarks.$$name || exit 1; done

screenshot: prepare-test ## take the README's picture anew
	$(BIN)/python tools/screenshot.py docs/explorer.png

messages: prepare-test ## bring the translation catalogues up to date with the code
	$(BIN)/python tools/messages.py

api-types: prepare-test ## make the JavaScript types of requests and answers from the OpenAPI document
	$(BIN)/python tools/api_types.py

pins: ## resolve every dependency anew and write constraints.txt
	$(PYTHON) tools/pin.py

prepare:
	@$(PYTHON) tools/prepare.py serve

prepare-test:
	@$(PYTHON) tools/prepare.py test

clean: ## remove everything the commands above made
	rm -rf .venv node_modules .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis test-results *.egg-info
