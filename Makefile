# Every target sets up what it needs: `make demo` and `make test` work on a fresh checkout.

PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test test-long fuzz lint requirements bench clean

demo: .venv/ready
	@$(BIN)/python -m local chat

test: .venv/ready lint
	$(BIN)/pytest -m "not long" -n 2 --dist loadfile

test-long: .venv/ready lint
	$(BIN)/pytest -n 2 --dist worksteal

fuzz: .venv/ready
	$(BIN)/pytest tests/test_fuzz.py

lint: .venv/ready
	$(BIN)/ruff format --no-cache --check --quiet .
	$(BIN)/ruff check --no-cache --quiet .
	$(BIN)/mypy --no-error-summary
	$(BIN)/lint-imports --no-logo > .import-lint.log || { cat .import-lint.log; exit 1; }

bench: .venv/ready
	$(BIN)/python -m benchmarks.cold_start
	$(BIN)/python -m benchmarks.cold_start --answer
	$(BIN)/python -m benchmarks.concurrency
	$(BIN)/python -m benchmarks.meter
	$(BIN)/python -m benchmarks.board
	$(BIN)/python -m benchmarks.memory
	$(BIN)/python -m benchmarks.calibrate

requirements: .venv/ready
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --upgrade \
		--custom-compile-command "make requirements" -o requirements.txt requirements.in
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --upgrade \
		--custom-compile-command "make requirements" -o requirements-dev.txt requirements-dev.in

.venv/ready: requirements-dev.txt
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "Installing what this needs into .venv ..."
	@$(BIN)/pip install --quiet --require-hashes -r requirements-dev.txt
	@touch $@

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .import-lint.log
