# Two commands: `make demo` shows what this is, `make test` proves it. Both set up what they need.
BIN := .venv/bin
DONE := .venv/.done
TRAC := .trac
# Further applications whose pages are read. Each is set up in less than a minute.
APPS := datasette node-red radicale jupyterlab wagtail
.DEFAULT_GOAL := demo
REPEATS ?= 20
# Tests that name a rule of judging each. The laws take long, and what only a law notices has no such test.
LAWS := $(foreach law,cost determinism laws thousand,tests/judging/test_$(law).py)
RULES := $(filter-out $(LAWS),$(wildcard $(foreach room,language judging conditions,tests/$(room)/test_*.py)))
# Those of them that are too dear to run against thousands of mutants: they open pages, or hold that nothing costs or harms.
DEAR := $(foreach dear,documents last_capture,tests/language/test_$(dear).py) tests/conditions/test_linear_time.py \
	$(foreach dear,endless_code no_harm redundant_steps touches_nothing,tests/judging/test_$(dear).py)
.PHONY: demo test lint types unit browser trac apps apps-test soak fuzz episodes coverage mutants bench

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
unit: browser trac apps
	$(BIN)/python -m pytest -n 2 --dist worksteal $(RULES:%=--ignore=%)

# Every branch of the code that decides a verdict is run by the tests that name its rules.
coverage: browser
	$(BIN)/coverage erase --rcfile=scripts/verdict_logic.ini
	$(BIN)/coverage run --rcfile=scripts/verdict_logic.ini -m pytest -n 2 --dist worksteal $(RULES)
	$(BIN)/coverage combine --rcfile=scripts/verdict_logic.ini --quiet
	$(BIN)/coverage report --rcfile=scripts/verdict_logic.ini

# Every small change of that code is noticed by one of those tests, or stands in scripts/mutation/equivalent.txt.
mutants: $(DONE)
	$(BIN)/python -W ignore -m scripts.mutation --tests $(filter-out $(DEAR),$(RULES))

# Every way through Trac, REPEATS times: minutes, so not part of `make test`.
soak: browser trac
	REPEATS=$(REPEATS) $(BIN)/python -m pytest tests/trac/test_soak.py -m soak -n 2 --dist load

# The pages of every application that `make apps` sets up, for ten seconds each.
apps-test: browser apps
	$(BIN)/python -m pytest tests/apps -m "apps or not apps" -n 2 --dist loadgroup

# New generated examples, many thousands; what they find becomes an example that `make test` replays.
fuzz: browser
	$(BIN)/python -m pytest -m fuzz -n 2

# What captures and comparisons cost, beside other tools: docs/benchmarks.md, which also names the options.
# BENCH=--write keeps the tables; BENCH_PAGES and BENCH_DATABASES are for one of the two alone.
bench: browser
	$(BIN)/python -m scripts.bench $(BENCH) $(BENCH_PAGES)
	$(BIN)/python -m scripts.bench.databases $(BENCH) $(BENCH_DATABASES)

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

# More of them, each in an environment of its own with the state that every run of it begins with.
.PRECIOUS: .apps/%/.done
apps: $(APPS:%=.apps/%/.seeded)

.apps/%/.seeded: .apps/%/.done fixtures/applications/%/seed.py
	@.apps/$*/bin/python fixtures/applications/$*/seed.py .apps/$*/seed
	@touch $@

.apps/%/.done: fixtures/applications/%/requirements.txt scripts/bootstrap.sh
	@echo "setup: $*" >&2
	@sh scripts/bootstrap.sh .apps/$* --requirement $<

# By the npm of the Node.js that pyright runs on, so that none need be installed.
.apps/node-red/.done: fixtures/applications/node-red/package-lock.json scripts/npm_install.py | $(DONE)
	@echo "setup: node-red" >&2
	@$(BIN)/python scripts/npm_install.py $(<D) $(@D)

.apps/node-red/.seeded: .apps/node-red/.done $(addprefix fixtures/applications/node-red/,flows.json users.json)
	@mkdir -p $(@D)/seed
	@cp fixtures/applications/node-red/flows.json $(@D)/seed/flows.json
	@cp fixtures/applications/node-red/users.json $(@D)/seed/.config.users.json
	@touch $@
