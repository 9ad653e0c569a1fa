# Two commands: `make demo` shows what this is, `make test` proves it. Both set up what they need.
BIN := .venv/bin
DONE := .venv/.done
.DEFAULT_GOAL := demo
.PHONY: demo test lint types unit browser

demo: browser
	$(BIN)/exactchange demo

test: lint types unit

lint: $(DONE)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(DONE)
	$(BIN)/mypy
	$(BIN)/pyright --warnings

unit: browser
	$(BIN)/python -m pytest -n 2 --dist worksteal

# Exit 4 with the ways out where no browser can be had.
browser: $(DONE)
	@$(BIN)/exactchange doctor --install-browser --quiet

$(DONE): pyproject.toml scripts/bootstrap.sh
	@sh scripts/bootstrap.sh
