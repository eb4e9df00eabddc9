# The one entry point for commands. `make` alone lists them.
.DEFAULT_GOAL := help
.PHONY: help setup demo test test-long test-live lint fix lock

PYTHON_BIN := .venv/bin/python
CHECKED := manage.py memory connectors bots console tests deploy requirements

help: ## list these commands
	@grep -E '^[a-z-]+:.*## ' Makefile | sed -E 's/^([a-z-]+):.*## /make \1\t/' | expand -t 20

setup: ## build the Python environment and link .venv to it
	@PYTHON="$(PYTHON)" sh deploy/setup.sh

demo: setup ## a sample workspace, three answers, then the pages on 127.0.0.1:8000 (DOCS=folder, PORT=8001, SERVE=0)
	@$(if $(PORT),ATTEST_BASE_URL=http://127.0.0.1:$(PORT)) $(PYTHON_BIN) manage.py demo $(if $(DOCS),--docs "$(DOCS)") $(if $(filter 0 no,$(SERVE)),--no-serve) $(if $(PORT),--port $(PORT))

test: setup ## all tests, with a seeded sample of the long ones
	@sh deploy/system_packages.sh
	@$(PYTHON_BIN) deploy/weaviate/build.py
	@$(PYTHON_BIN) -m pytest --no-header -n 2 --dist worksteal -m "not long and not live" $(ARGS)

test-long: setup ## the long suites (SUITE=word picks by name)
	@sh deploy/system_packages.sh
	@$(PYTHON_BIN) deploy/weaviate/build.py
	@HYPOTHESIS_PROFILE=long $(PYTHON_BIN) -m pytest --no-header -n 2 --dist worksteal -m "long or hypothesis" $(if $(SUITE),-k "$(SUITE)") $(ARGS)

test-live: setup ## ask a real OpenAI endpoint what the tests ask ours (needs OPENAI_API_KEY)
	@$(PYTHON_BIN) -m pytest --no-header -rs -m live tests/memory/language_models $(ARGS)

lint: setup ## style, types, import rules, lock files
	@$(PYTHON_BIN) -m ruff check -q $(CHECKED)
	@$(PYTHON_BIN) -m ruff format -q --check $(CHECKED)
	@out=$$(ATTEST_HOME=build/lint-home $(PYTHON_BIN) -m mypy memory connectors bots console manage.py deploy/environment.py requirements/check.py 2>&1) || { echo "$$out"; exit 1; }
	@out=$$(.venv/bin/lint-imports 2>&1) || { echo "$$out"; exit 1; }
	@$(PYTHON_BIN) requirements/check.py

fix: setup ## format, and mend what ruff can
	@$(PYTHON_BIN) -m ruff check -q --fix $(CHECKED) || true
	@$(PYTHON_BIN) -m ruff format -q $(CHECKED)

UV_COMPILE = $(PYTHON_BIN) deploy/environment.py pip compile -q --generate-hashes --no-emit-index-url --python-version 3.11
lock: setup ## compile requirements/*.in into locked *.txt
	@$(UV_COMPILE) requirements/tools.in -o requirements/tools.txt
	@$(UV_COMPILE) requirements/base.in -o requirements/base.txt
	@$(UV_COMPILE) -c requirements/base.txt requirements/dev.in -o requirements/dev.txt
	@$(PYTHON_BIN) requirements/check.py
