# Two commands: `make demo` shows what this is, `make test` proves it. Both set up what they need.
BIN := .venv/bin
DONE := .venv/.done
TRAC := .trac
.DEFAULT_GOAL := demo
REPEATS ?= 20
# Tests that name a rule of judging each. The laws take long, and what only a law notices has no such test.
LAWS := $(foreach law,cost determinism laws thousand,tests/judging/test_$(law).py)
RULES := $(filter-out $(LAWS),$(wildcard $(foreach room,language judging conditions,tests/$(room)/test_*.py)))
# Those of them that open pages in a browser: too dear to run against thousands of mutants.
PAGES := tests/language/test_documents.py tests/language/test_last_capture.py
.PHONY: demo test lint types unit browser trac soak fuzz episodes coverage mutants bench

demo: browser
	$(BIN)/exactchange demo

test: lint types unit coverage

lint: $(DONE)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(DONE)
	$(BIN)/mypy
	$(BIN)/pyright --warnings

# All tests but those of the rules, which `coverage` runs.
unit: browser trac
	$(BIN)/python -m pytest -n 2 --dist worksteal $(RULES:%=--ignore=%)

# Every branch of the code that decides a verdict is run by the tests that name its rules.
coverage: browser
	$(BIN)/coverage erase --rcfile=scripts/verdict_logic.ini
	$(BIN)/coverage run --rcfile=scripts/verdict_logic.ini -m pytest -n 2 --dist worksteal $(RULES)
	$(BIN)/coverage combine --rcfile=scripts/verdict_logic.ini --quiet
	$(BIN)/coverage report --rcfile=scripts/verdict_logic.ini

# Every small change of that code is noticed by one of those tests, or stands in scripts/mutation/equivalent.txt.
mutants: $(DONE)
	$(BIN)/python -W ignore -m scripts.mutation --tests $(filter-out $(PAGES),$(RULES))

# Every way through Trac, REPEATS times: minutes, so not part of `make test`.
soak: browser trac
	REPEATS=$(REPEATS) $(BIN)/python -m pytest tests/trac/test_soak.py -m soak -n 2 --dist load

# New generated examples, many thousands; what they find becomes an example that `make test` replays.
fuzz: browser
	$(BIN)/python -m pytest -m fuzz -n 2

# What captures and comparisons of pages cost, beside other tools: docs/benchmarks.md. BENCH=--write keeps the table.
bench: browser
	$(BIN)/python -m scripts.bench $(BENCH)

# The right run of every task that ships, recorded anew.
episodes: browser trac
	$(BIN)/python scripts/record_episodes.py

# Exit 4 with the ways out where no browser can be had.
browser: $(DONE)
	@$(BIN)/exactchange doctor --install-browser --quiet

$(DONE): pyproject.toml scripts/bootstrap.sh
	@sh scripts/bootstrap.sh

# A real application to judge, in an environment of its own, and the state that every run of it begins with.
trac: $(TRAC)/seed/VERSION

$(TRAC)/seed/VERSION: $(TRAC)/.done fixtures/applications/trac/seed.py
	@$(TRAC)/bin/python fixtures/applications/trac/seed.py $(TRAC)/seed

$(TRAC)/.done: fixtures/applications/trac/requirements.txt scripts/bootstrap.sh
	@sh scripts/bootstrap.sh $(TRAC) --requirement fixtures/applications/trac/requirements.txt
