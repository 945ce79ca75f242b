# Two commands do everything on a fresh machine: make play, make test.
PYTHON ?= python3
VENV := .venv
MINUTES ?= 30
# Tests, for two processors: many wait for a server, a store or a proxy.
AT_ONCE ?= 3
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
CATALOGS := $(wildcard client_cli/locale/*/LC_MESSAGES/paizhuo.po)
SENTENCES := build/paizhuo.pot
OPENSPIEL := $(VENV)/.openspiel
TOOLS := $(VENV)/.tools

.PHONY: setup openspiel tools play serve test test-fast check audit licences sbom format messages bench ladder soak proxies screens compiled clean

setup: $(STAMP)

# The catalogs are compiled when the project is installed.
$(STAMP): pyproject.toml constraints.txt hatch_build.py $(CATALOGS)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Paizhuo needs Python 3.11 or later; name one with: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing into $(VENV) (once) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt pip
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[server,lan]' --group dev
	@touch $@

# The extra of server/open_spiel; what tests it is skipped where it is missing.
openspiel: $(OPENSPIEL)

$(OPENSPIEL): $(STAMP)
	@echo "Installing OpenSpiel into $(VENV) (once) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[openspiel]'
	@touch $@

# What `make check` needs beside the tests: linters of deploy/, and the extra of server/operator/spans.py.
tools: $(TOOLS)

$(TOOLS): $(STAMP)
	@echo "Installing tools into $(VENV) (once) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[tracing]' --group tools
	@touch $@

play: $(STAMP)
	@$(BIN)/paizhuo play

serve: $(STAMP)
	@$(BIN)/paizhuo-server serve

test: $(STAMP)
	$(BIN)/python -m pytest -n $(AT_ONCE) --dist worksteal

test-fast: $(STAMP)
	$(BIN)/python -m pytest -n $(AT_ONCE) --dist worksteal -m "not slow"

check: $(TOOLS)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tests.supply licences
	$(BIN)/python -m tests.supply audit
	$(MAKE) --no-print-directory test

# With MUST=--must it fails where the network or the database has no answer, too.
audit: $(TOOLS)
	$(BIN)/python -m tests.supply audit $(MUST)

licences: $(TOOLS)
	@$(BIN)/python -m tests.supply licences

# What a server is installed with, and nothing that is only for work on it.
sbom: $(TOOLS)
	@rm -rf build/ships && mkdir -p dist && $(PYTHON) -m venv --without-pip build/ships
	@$(BIN)/python -m pip --python build/ships/bin/python install --quiet --disable-pip-version-check \
		--constraint constraints.txt '.[server,lan,tracing]'
	$(BIN)/cyclonedx-py environment --pyproject pyproject.toml --output-reproducible --of JSON \
		-o dist/paizhuo.cdx.json build/ships/bin/python

format: $(STAMP)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

messages: $(STAMP)
	@mkdir -p $(dir $(SENTENCES))
	@$(BIN)/pybabel --quiet extract --no-default-keywords -k tr -k tr_later -k tr_n:1,2 --omit-header --no-location \
		--sort-output --no-wrap -o $(SENTENCES) client_cli
	@$(BIN)/pybabel --quiet update -D paizhuo -d client_cli/locale -i $(SENTENCES) --no-fuzzy-matching --ignore-obsolete \
		--no-wrap --ignore-pot-creation-date

bench: $(STAMP)
	$(BIN)/paizhuo-server bench engine
	$(BIN)/paizhuo-server bench loop
	$(BIN)/paizhuo-server bench loop --rooms 100 --bots hard
	$(BIN)/paizhuo-server bench server

ladder: AT_ONCE := 2
ladder: $(STAMP)
	@mkdir -p build
	$(BIN)/paizhuo-server bench ladder --processes $(AT_ONCE) >build/ladder.md
	@mv build/ladder.md docs/ladder.md

# From a copy: what is compiled would lie beside its source, and be used in place of it.
compiled: $(STAMP)
	@rm -rf build/compiled && mkdir -p build/compiled
	@git archive HEAD | tar -x -C build/compiled
	HATCH_BUILD_HOOK_ENABLE_MYPYC=true $(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps \
		--wheel-dir dist build/compiled

soak: $(STAMP)
	@$(BIN)/python -m tests.soak --minutes $(MINUTES)

# Ten minutes of silence through each proxy that is installed, with all time-outs as they are shipped.
proxies: $(STAMP)
	PAIZHUO_REAL_SILENCE=1 $(BIN)/python -m pytest -v tests/e2e/test_proxies.py

screens: $(STAMP)
	$(BIN)/python -m tests.screens

clean:
	rm -rf $(VENV)
