# Everything here needs python3 (3.11 or newer) with its headers, make and a C++ compiler; what needs more says so.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := $(shell find src native -type f -not -name '*.pyc') CMakeLists.txt pyproject.toml README.md
SHOP := examples/shop
PEERS := .venv-peers
LEARN := .venv-learn
ENGINES := .venv-engines
INTEGRATIONS := .venv-integrations
SITE := .venv-site
# Where make live builds.
LIVE := build/live
# Where make dev builds the core.
DEV := build/dev
# A source archive would want tools to build it, which a fresh machine does not have.
WHEELS := --only-binary :all:
# The versions that are tested, out of those that are allowed.
PINS := -c tests/constraints.txt
# On all cores; one that has nothing left takes tests from another.
PYTEST := -m pytest -n logical --dist worksteal
# Which tests: make test T=tests/measures
T := tests
FORMATTED := $(wildcard native/*/*.cpp native/*/*.hpp)

.PHONY: dev demo test test-lowest simulate simulate-all peers test-learn test-engines test-integrations site pictures explore check format docs bench live test-live wheel test-wheels sanitized sanitize sanitize-threads test-arm fuzz clean

# The package as it stands in src, in the place of a wheel: what changes in src holds at once, and what changes in
# native/ is built when Python next imports it. Until make clean, no target installs a wheel into this environment.
dev: $(BIN)/python
	$(BIN)/python -m pip install --quiet --no-build-isolation $(WHEELS) $(PINS) -C build-dir=$(DEV) \
	  -C editable.rebuild=true -C editable.verbose=false --editable '.[check,test]'
	@touch $(VENV)/editable

demo: $(VENV)/installed
	@echo '$$ idealist evaluate shop.qrels a.run b.run'
	@$(BIN)/idealist evaluate $(SHOP)/shop.qrels $(SHOP)/a.run $(SHOP)/b.run
	@echo
	@echo '$$ idealist explain shop.qrels a.run --query red-lipstick --measure nDCG@5 --gain exp'
	@$(BIN)/idealist explain $(SHOP)/shop.qrels $(SHOP)/a.run --query red-lipstick --measure nDCG@5 --gain exp
	@echo
	@echo "In the browser: $(BIN)/python -m pip install 'idealist[web]' && $(BIN)/idealist serve --demo"

test: $(VENV)/test-ready
	$(BIN)/python $(PYTEST) -m 'not slow' $(T)

# What takes longer: error rates and coverage by simulation, bounded memory.
simulate: $(VENV)/test-ready
	$(BIN)/python $(PYTEST) -m slow $(T)

# The whole grids of tests/simulations on all cores, to their files of results and the tables of the documentation; of one grid:
# make simulate-all G=mean_difference
simulate-all: $(VENV)/test-ready
	cd tests && OMP_NUM_THREADS=1 ../$(BIN)/python -m simulations.grids $(G)

# Other tools beside ours, in an environment of their own; a file to a process, for some take long to start. They warn of
# each other's age, which is no fault of ours.
peers: $(PEERS)/ready
	$(PEERS)/bin/python $(PYTEST) --dist loadfile -W default tests/peers

# Learning: PyTorch, the tree libraries and sentence-transformers, in an environment of their own.
test-learn: $(LEARN)/ready
	$(LEARN)/bin/python $(PYTEST) -k 'learn or backends or ranklib' $(or $(filter tests/learn% tests/drop_ins%,$(T)),tests/learn $(wildcard tests/drop_ins/test_ranklib_*.py) tests/test_docs.py tests/kernels/test_algebra.py)

# Spark, Ray, Dask and SQL, in an environment of their own; all of a file in one process, which has one cluster.
test-engines: $(ENGINES)/ready
	@command -v java > /dev/null || test -x "$$JAVA_HOME/bin/java" || { \
	  echo "make test-engines needs Java 17 or newer for Spark: install a JRE (such as openjdk-17-jre-headless), or set JAVA_HOME"; exit 1; }
	$(ENGINES)/bin/python -m pytest -n 2 --dist loadfile $(or $(filter tests/engines%,$(T)),tests/engines)

# Trackers of experiments and other tools that we work inside, in an environment of their own; they warn of each other's
# age. A file tests/integrations/test_with_LIBRARY.py is for the library that it names.
test-integrations: $(INTEGRATIONS)/ready
	$(INTEGRATIONS)/bin/python -m pytest -n 2 --dist loadfile -W default $(or $(filter tests/integrations%,$(T)),tests/integrations/test_with_*.py)

# The lowest versions that pyproject.toml allows, in an environment of their own.
LOWEST := .venv-lowest
LOWEST_TESTS := tests/comparison tests/data tests/evaluation tests/show tests/statistics tests/votes tests/web
test-lowest: $(VENV)/wheel/built
	$(PYTHON) -m venv --clear $(LOWEST)
	$(PYTHON) tests/lowest_versions.py figures frames tables web > $(LOWEST)/pins.txt
	$(LOWEST)/bin/python -m pip install --quiet --no-compile -c $(LOWEST)/pins.txt \
	  "$$(echo $(VENV)/wheel/*.whl)[figures,frames,tables,web]" hypothesis httpx2 playwright pytest pytest-xdist
	$(LOWEST)/bin/python $(PYTEST) -W ignore -m 'not slow' $(or $(filter-out tests,$(T)),$(LOWEST_TESTS))

# The properties again, with examples that were not tried before, and more of them.
explore: $(VENV)/test-ready
	IDEALIST_EXAMPLES=new $(BIN)/python $(PYTEST) -m hypothesis $(T)

check: $(VENV)/check-ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy tests benchmarks examples live website
	$(BIN)/clang-format --dry-run --Werror $(FORMATTED)

format: $(VENV)/check-ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(FORMATTED)

# The reference pages, from the code.
docs: $(VENV)/installed $(LEARN)/ready
	$(BIN)/idealist measures --format markdown > docs/measures.md
	$(LEARN)/bin/idealist measures --backends --format markdown > docs/backends.md
	$(BIN)/idealist conventions --format markdown > docs/conventions.md
	$(BIN)/idealist compare --list-tests --format markdown > docs/statistics.md
	$(BIN)/python -m idealist.data.format_list docs/data.md

# The site, in an environment of its own: pages from the code, all pages built strictly, links checked. Its pages run Python where
# make live was run before; otherwise they have no buttons for that.
site: $(SITE)/ready
	$(SITE)/bin/python website/generate.py docs/generated
	NO_MKDOCS_2_WARNING=1 $(SITE)/bin/mkdocs build --strict --quiet
	$(SITE)/bin/python website/search.py build/site
	$(SITE)/bin/python website/languages.py build/site
	@if [ -e $(LIVE)/site ]; then cp -r $(LIVE)/site/. build/site/live; \
	  else echo "without Python in the browser: make live site builds the site with it"; fi
	$(SITE)/bin/python website/check.py build/site

# The pictures of the concept pages and of the README, and those of the workbench, which take chromium; not a part of make docs, since
# another matplotlib or browser draws other bytes.
pictures: $(VENV)/test-ready
	$(BIN)/python website/pictures.py docs/pictures
	$(BIN)/python website/screens.py docs

bench: $(VENV)/installed
	$(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m pip install --quiet -r benchmarks/peers.txt
	.venv-bench/bin/python -m pip install --quiet --force-reinstall --no-deps .
	.venv-bench/bin/python benchmarks/run.py

# Python in the browser, without a server, for the site: the core and NumPy for Pyodide, by the compiler that its runtime was made with.
PYODIDE := 315.0.0-alpha.2
NUMPY := 2.4.6
live: $(BIN)/python
	bash live/make.sh $(LIVE) $(PYODIDE) $(NUMPY) $(BIN)/python
	@echo "make site now builds a site that runs Python: $(PYTHON) -m http.server -d build/site"

# Live first: the site takes what it built.
test-live: live $(VENV)/test-ready
	$(MAKE) site
	IDEALIST_LIVE=build/site $(BIN)/python -m pytest -n 2 --dist loadfile tests/live

# What a release consists of, in dist: the source archive and, built from it, a wheel for Python 3.11 and one for all later versions,
# by the stable ABI. PYTHONS are interpreters, the oldest first: of the versions we support, those that the path has.
# make wheel PYTHONS='python3.11 /opt/python3.14/bin/python3'
PYTHONS ?= $(or $(foreach version,3.11 3.12 3.13 3.14,$(shell python$(version) -c 'import sys; print(sys.executable)' 2> /dev/null)),$(PYTHON))
WHEEL_ENVIRONMENT := build/wheel-environment
wheel: $(BIN)/python
	rm -rf dist
	$(BIN)/python -m pip install --quiet $(WHEELS) build
	$(BIN)/pyproject-build --sdist --outdir dist > /dev/null
	@set -e; for python in $(PYTHONS); do \
	  if ls dist/*-abi3-*.whl > /dev/null 2>&1; then break; fi; \
	  echo "a wheel by $$python"; \
	  $$python -m venv --clear $(WHEEL_ENVIRONMENT); \
	  $(WHEEL_ENVIRONMENT)/bin/python -m pip wheel --quiet --no-deps --wheel-dir dist dist/*.tar.gz; \
	done
	@ls dist

# The tests of what make wheel made, by each of PYTHONS, in an environment that has the wheel and nothing from here.
# make test-wheels T=tests/kernels PYTHONS=python3.12
test-wheels:
	@ls dist/*.whl > /dev/null || { echo "there is nothing to test: make wheel comes first"; exit 1; }
	@set -e; for python in $(PYTHONS); do \
	  version=$$($$python -c 'import sys; print("%d.%d" % sys.version_info[:2])'); \
	  environment=build/wheel-test-$$version; \
	  wheel=$$(ls dist/*-cp$$(echo $$version | tr -d .)-*.whl dist/*-abi3-*.whl 2> /dev/null | head -1); \
	  echo "Python $$version with $$wheel"; \
	  $$python -m venv --clear $$environment; \
	  $$environment/bin/python -m pip install --quiet --no-compile $(WHEELS) $(PINS) "$$wheel[test]"; \
	  PYTHONPATH= $$environment/bin/python -c 'import idealist, sys; assert idealist.__file__.startswith(sys.prefix), idealist.__file__'; \
	  PYTHONPATH= $$environment/bin/python $(PYTEST) -p no:cacheprovider -m 'not slow' $(T); \
	done

# The core under AddressSanitizer and UndefinedBehaviorSanitizer, and what Python needs to load it.
SANITIZED := build/sanitized
UNDER_SANITIZERS = LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libstdc++.so)" \
	ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 PYTHONMALLOC=malloc PYTHONPATH=$(SANITIZED)/package
sanitized: $(VENV)/test-ready
	$(BIN)/python -m pip install --quiet --no-build-isolation --no-deps --upgrade --target $(SANITIZED)/package \
	  -C cmake.define.IDEALIST_SANITIZE=address,undefined -C build-dir=$(SANITIZED)/cmake .
	$(UNDER_SANITIZERS) $(BIN)/python -c 'import idealist; assert "$(SANITIZED)" in idealist.__file__'

# The reader, matcher and kernels under them.
sanitize: sanitized
	$(UNDER_SANITIZERS) IDEALIST_EXAMPLES=few \
	  $(BIN)/python $(PYTEST) -p no:cacheprovider -m 'not slow' tests/data tests/kernels

# Threads of the core under ThreadSanitizer, which takes a core of its own, some minutes, and addresses that are not shuffled.
# The test that measures memory would measure that of the sanitizer.
THREADS := build/sanitized-threads
sanitize-threads: $(VENV)/test-ready
	$(BIN)/python -m pip install --quiet --no-build-isolation --no-deps --upgrade --target $(THREADS)/package \
	  -C cmake.define.IDEALIST_SANITIZE=thread -C build-dir=$(THREADS)/cmake .
	setarch -R env LD_PRELOAD="$$($(CXX) -print-file-name=libtsan.so)" PYTHONPATH=$(THREADS)/package \
	  TSAN_OPTIONS=suppressions=$(CURDIR)/tests/support/thread_sanitizer.txt \
	  $(BIN)/python -m pytest -p no:cacheprovider -m 'not slow' --deselect tests/data/test_streaming.py::test_memory_does_not_grow_with_the_run \
	  tests/kernels/test_threads.py tests/kernels/test_interrupts.py tests/kernels/test_union.py tests/data/test_streaming.py

# Values of measures by a core for 64-bit ARM, bit by bit, under qemu-user; takes root and Debian's packages debootstrap,
# g++-aarch64-linux-gnu and qemu-user.
test-arm: $(BIN)/python
	bash tests/golden/arm.sh build/arm $(BIN)

# Mutated files of every format through the readers, half the time as installed and half under the sanitizers:
# make fuzz SECONDS=600 SEED=7. The same seed damages the same files in the same order.
SECONDS ?= 60
SEED ?= 1
fuzz: sanitized
	$(BIN)/python tests/fuzz/fuzz.py --seed $(SEED) --seconds $$(($(SECONDS) / 2))
	$(UNDER_SANITIZERS) $(BIN)/python tests/fuzz/fuzz.py --seed $(SEED) --seconds $$(($(SECONDS) / 2))

clean:
	rm -rf $(VENV) $(LOWEST) $(PEERS) $(LEARN) $(ENGINES) $(INTEGRATIONS) $(SITE) .venv-bench build dist .bench docs/generated

# Where a step fails, as without Debian's python3-venv or the network, what it left would pass for done the next time.
$(BIN)/python:
	$(PYTHON) -m venv $(VENV) || { rm -f $@; exit 1; }
	$(BIN)/python -m pip install --quiet $(WHEELS) 'scikit-build-core>=0.10' 'nanobind>=2.9' cmake ninja || { rm -f $@; exit 1; }

# Built once, here; every environment installs this wheel. What it needs is compiled when it is first imported, which most of it
# never is: to compile all of it took longer than to download it.
$(VENV)/wheel/built: $(BIN)/python $(SOURCES)
	@echo "building the core: a minute or so"
	rm -rf $(VENV)/wheel
	$(BIN)/python -m pip wheel --quiet --no-build-isolation --no-deps --wheel-dir $(VENV)/wheel .
	@touch $@

ifeq ($(wildcard $(VENV)/editable),)
$(VENV)/installed: $(VENV)/wheel/built
	$(BIN)/python -m pip install --quiet --no-deps --force-reinstall $(VENV)/wheel/*.whl
	$(BIN)/python -m pip install --quiet --no-compile $(WHEELS) $(PINS) $(VENV)/wheel/*.whl
	@touch $@

$(VENV)/test-ready: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --no-compile $(WHEELS) $(PINS) "$$(echo $(VENV)/wheel/*.whl)[test]"
	@touch $@

$(VENV)/check-ready: $(VENV)/test-ready
	$(BIN)/python -m pip install --quiet --no-compile $(WHEELS) $(PINS) "$$(echo $(VENV)/wheel/*.whl)[check]"
	@touch $@
else
# Built here, so that the many processes that tests start need not look each by itself.
export PATH := $(abspath $(BIN)):$(PATH)
export SKBUILD_EDITABLE_SKIP := $(abspath $(DEV))
.PHONY: $(VENV)/installed $(VENV)/test-ready $(VENV)/check-ready
$(VENV)/installed $(VENV)/test-ready $(VENV)/check-ready:
	@SKBUILD_EDITABLE_SKIP= $(BIN)/python -c 'import idealist.kernels'
endif

# Some of these are built from source, each with the tools that it asks for.
$(PEERS)/tools: tests/peers/requirements.txt tests/peers/alone.txt
	$(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet --no-compile -r tests/peers/requirements.txt
	$(PEERS)/bin/python -m pip install --quiet --no-compile --no-deps -r tests/peers/alone.txt
	@touch $@

# torch by itself first: what asks for it then takes the one that is there.
$(LEARN)/tools: tests/learn/requirements.txt
$(INTEGRATIONS)/tools: tests/integrations/requirements.txt
$(LEARN)/tools $(INTEGRATIONS)/tools:
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --no-compile "$$(grep '^torch==' $<)"
	$(@D)/bin/python -m pip install --quiet --no-compile -r $<
	@touch $@

$(ENGINES)/tools: tests/engines/requirements.txt
$(SITE)/tools: website/requirements.txt
$(ENGINES)/tools $(SITE)/tools:
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --no-compile -r $<
	@touch $@

$(PEERS)/ready $(ENGINES)/ready $(INTEGRATIONS)/ready: %/ready: %/tools $(VENV)/wheel/built
	$(@D)/bin/python -m pip install --quiet --no-deps --force-reinstall $(VENV)/wheel/*.whl
	@touch $@

$(LEARN)/ready: $(LEARN)/tools $(VENV)/wheel/built
	$(LEARN)/bin/python -m pip install --quiet --no-deps --force-reinstall $(VENV)/wheel/*.whl
	$(LEARN)/bin/python -m pip install --quiet --no-compile "$$(echo $(VENV)/wheel/*.whl)[learn]" hypothesis pandas polars pyarrow pytest pytest-xdist
	@touch $@

$(SITE)/ready: $(SITE)/tools $(VENV)/wheel/built
	$(SITE)/bin/python -m pip install --quiet --no-deps --force-reinstall $(VENV)/wheel/*.whl
	$(SITE)/bin/python -m pip install --quiet --no-compile $(WHEELS) $(VENV)/wheel/*.whl
	@touch $@
