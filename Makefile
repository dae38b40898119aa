# Everything here needs only python3 (3.11 or newer), make and a C++ compiler.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := $(shell find src native -type f -not -name '*.pyc') CMakeLists.txt pyproject.toml README.md
SHOP := examples/shop
PEERS := .venv-peers
FORMATTED := $(wildcard native/*.cpp native/*.hpp)

.PHONY: demo test peers explore check format docs bench wheel sanitize clean

demo: $(VENV)/installed
	@echo '$$ idealist evaluate shop.qrels a.run b.run'
	@$(BIN)/idealist evaluate $(SHOP)/shop.qrels $(SHOP)/a.run $(SHOP)/b.run
	@echo
	@echo '$$ idealist explain shop.qrels a.run --query red-lipstick --measure nDCG@5 --gain exp'
	@$(BIN)/idealist explain $(SHOP)/shop.qrels $(SHOP)/a.run --query red-lipstick --measure nDCG@5 --gain exp

test: $(VENV)/test-ready
	$(BIN)/python -m pytest

# The conventions of other tools beside the tools themselves, in an environment of their own.
peers: $(PEERS)/ready
	$(PEERS)/bin/python -m pytest tests/peers

# The properties again, with examples that were not tried before, and more of them.
explore: $(VENV)/test-ready
	IDEALIST_EXAMPLES=new $(BIN)/python -m pytest -m hypothesis

check: $(VENV)/check-ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy tests benchmarks examples
	$(BIN)/clang-format --dry-run --Werror $(FORMATTED)

format: $(VENV)/check-ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(FORMATTED)

# The reference pages, from the code.
docs: $(VENV)/installed
	$(BIN)/idealist measures --format markdown > docs/measures.md
	$(BIN)/idealist conventions --format markdown > docs/conventions.md

bench: $(VENV)/installed
	$(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m pip install --quiet -r benchmarks/peers.txt
	.venv-bench/bin/python -m pip install --quiet --force-reinstall --no-deps .
	.venv-bench/bin/python benchmarks/run.py

wheel: $(VENV)/bin/python
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist .

# The reader, matcher and kernels under AddressSanitizer and UndefinedBehaviorSanitizer.
SANITIZED := build/sanitized
sanitize: $(VENV)/test-ready
	$(BIN)/python -m pip install --quiet --no-build-isolation --no-deps --upgrade --target $(SANITIZED)/package \
	  -C cmake.define.IDEALIST_SANITIZE=ON -C build-dir=$(SANITIZED)/cmake .
	LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libstdc++.so)" \
	ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 PYTHONMALLOC=malloc PYTHONPATH=$(SANITIZED)/package \
	$(BIN)/python -c 'import idealist; assert "$(SANITIZED)" in idealist.__file__'
	LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libstdc++.so)" \
	ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 PYTHONMALLOC=malloc PYTHONPATH=$(SANITIZED)/package \
	IDEALIST_EXAMPLES=few $(BIN)/python -m pytest -p no:cacheprovider -m 'not slow' tests/io tests/data tests/kernels

clean:
	rm -rf $(VENV) $(PEERS) .venv-bench build dist .bench

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet 'scikit-build-core>=0.10' 'nanobind>=2.9' cmake ninja

$(VENV)/installed: $(BIN)/python $(SOURCES)
	$(BIN)/python -m pip install --quiet --no-build-isolation --no-deps --force-reinstall .
	$(BIN)/python -m pip install --quiet --no-build-isolation .
	@touch $@

$(VENV)/test-ready: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --no-build-isolation '.[test]'
	@touch $@

$(VENV)/check-ready: $(VENV)/test-ready
	$(BIN)/python -m pip install --quiet --no-build-isolation '.[check]'
	@touch $@

$(PEERS)/tools: tests/peers/requirements.txt tests/peers/alone.txt
	$(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet --no-compile -r tests/peers/requirements.txt
	$(PEERS)/bin/python -m pip install --quiet --no-compile --no-deps -r tests/peers/alone.txt
	@touch $@

$(PEERS)/ready: $(PEERS)/tools $(VENV)/installed
	$(BIN)/python -m pip wheel --quiet --no-build-isolation --no-deps --wheel-dir $(PEERS)/wheel .
	$(PEERS)/bin/python -m pip install --quiet --force-reinstall --no-deps --no-index --find-links $(PEERS)/wheel idealist
	@touch $@

# Mutated files of every format through the readers, half the time as installed and half under the sanitizers:
# make fuzz SECONDS=600
SECONDS ?= 60
.PHONY: fuzz
fuzz: $(VENV)/test-ready
	$(BIN)/python -m pip install --quiet --no-build-isolation --no-deps --upgrade --target $(SANITIZED)/package \
	  -C cmake.define.IDEALIST_SANITIZE=ON -C build-dir=$(SANITIZED)/cmake .
	$(BIN)/python tests/fuzz/fuzz.py --seconds $$(($(SECONDS) / 2))
	LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libstdc++.so)" \
	ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 PYTHONMALLOC=malloc PYTHONPATH=$(SANITIZED)/package \
	$(BIN)/python tests/fuzz/fuzz.py --seconds $$(($(SECONDS) / 2))
