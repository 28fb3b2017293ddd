# The two commands of the README, `make demo` and `make test`, and the daily ones.
# Everything that needs more than one line is a script in tools/.
SHELL := bash
.DEFAULT_GOAL := build
JOBS ?= $(shell nproc)
FUZZ_SECONDS ?= 60
PYTHON_TESTS ?= light# all: also those of torch, ray and datasets
SERIES ?= 4# one of so many of the long series of random graphs is tested; CI tests all (1), and what is slow
TIDY ?= all# changed: what differs from main
# A compiler cache where there is one (looked for when it is needed: setup may just have installed it).
export CCACHE_SLOPPINESS := pch_defines,time_macros  # it knows precompiled headers
LAUNCHER = $(if $(shell command -v ccache),-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)

.NOTPARALLEL:
.PHONY: help setup setup-test build compile python python-packages demo test test-cpp test-python test-aarch64 wheel wheels sdist sanitize thread-sanitize \
        python-sanitize valgrind fuzz mutants load torture bench bench-programs experiments peers images docs hooks format lint wasm wasm-check clean

help:  ## say what can be made
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' Makefile | expand -t 24

setup:  ## install the Debian packages that are missing (as root), or name them
	@tools/setup.sh build

build: setup python-packages compile python  ## compile the library and the program, and install the Python package in .venv

compile:  # the Python extension, too, where there is what it needs
	@cmake --preset release $(LAUNCHER) $$(tools/python.sh options)
	@cmake --build build -j $(JOBS)

python-packages:
	@tools/python.sh environment

python:
	@tools/python.sh build

demo:  ## decode bundled sentences, show their best trees, write the page; compiles the program only
	@tools/setup.sh program
	@tools/demo.sh $(JOBS) $(LAUNCHER)

test:  ## C++ and Python tests, and how long each part took (SERIES=1 PYTHON_TESTS=all: all that CI tests)
	@tools/parts.sh $(if $(filter 1,$(SERIES)),14,8) setup python-packages compile python setup-test test-cpp test-python

setup-test:
	@tools/setup.sh test

test-cpp:
	@COPPICE_TEST_ONE_OF=$(SERIES) ctest --test-dir build --output-on-failure -j $(JOBS) \
	  --output-log build/ctest.log $(if $(filter 1,$(SERIES)),,-LE slow); status=$$?; \
	printf '\nThe twenty slowest, in seconds:\n'; grep -E '^ *[0-9]+/[0-9]+ Test' build/ctest.log | \
	  sed -E 's/.*: ([^ ]+) .* ([0-9.]+) sec.*/\2\t\1/' | sort -rn | head -n 20; exit $$status

test-python:
	@tools/python.sh test $(PYTHON_TESTS)

wheel: build  ## a wheel in dist/ that brings the shared libraries it needs along
	@tools/python.sh wheel

wheels: setup  ## wheels in dist/ for Linux, x86-64 and aarch64, old systems and several Pythons, each tried
	@tools/wheels.sh

test-aarch64: setup  ## the C++ tests for aarch64, under qemu-user (takes long)
	@tools/test_aarch64.sh $(JOBS)

sdist: setup  ## the sources in dist/, as the package index wants them
	@tools/python.sh sdist

# Not the tests of the page and of JavaScript: what the program writes there is tested elsewhere, too.
sanitize: setup  ## all C++ tests with the address and undefined-behaviour sanitizers
	@tools/setup.sh lint
	@cmake --preset sanitize $(LAUNCHER)
	@cmake --build build-sanitize -j $(JOBS)
	@ctest --test-dir build-sanitize --output-on-failure -j $(JOBS) -E '^(view|wasm)\.'

# The tests that start threads.
thread-sanitize: setup  ## the tests of threads with the thread sanitizer
	@cmake --preset thread-sanitize $(LAUNCHER)
	@cmake --build build-tsan -j $(JOBS) --target threads_test cli_test
	@build-tsan/tests/threads_test --gtest_brief=1
	@build-tsan/tests/cli/cli_test --gtest_brief=1

python-sanitize: setup  ## Python tests with the extension under the address sanitizer
	@tools/python.sh sanitize

valgrind: build  ## a sample of the tests and the program under valgrind
	@tools/setup.sh valgrind
	@tools/valgrind.sh

fuzz: setup  ## every fuzz target for FUZZ_SECONDS (60)
	@tools/setup.sh lint
	@cmake --preset sanitize $(LAUNCHER)
	@cmake --build build-sanitize -j $(JOBS) --target fuzz_targets
	@tools/fuzz.sh $(JOBS) $(FUZZ_SECONDS)

mutants: setup  ## faults made on purpose, each of which a test must catch (takes long; MUTANTS="words")
	@python3 tests/mutants/mutants.py --jobs $(JOBS) $(MUTANTS)

load: build  ## a million sentences in one process: memory, rate, answers (takes a while)
	@python3 bench/load.py build/coppice data

torture: build  ## kills, full disks, closed descriptors and little memory at random, for SECONDS (180)
	@python3 tests/faults/torture.py build/coppice data $(or $(SECONDS),180)

bench: build bench-programs  ## the benchmarks
	@for program in build/bench/*_bench build/bench/cliffs; do "$$program"; done
	@for script in python_overhead distribution_numpy; do [ ! -x .venv/bin/python ] || .venv/bin/python bench/$$script.py; done

bench-programs:
	@cmake --preset bench $(LAUNCHER)
	@cmake --build build -j $(JOBS)

figures: build bench-programs  ## measure what documents say again, and write it there (some minutes; on a quiet machine)
	@$(MAKE) --no-print-directory python-packages python
	@python3 tools/figures.py measure $(FIGURES)

experiments: build bench-programs  ## the paper's experiments: CSVs, tables, figures (DATA=folder: more treebanks)
	@tools/python.sh experiments $(if $(DATA),--data "$(DATA)")

peers: build bench-programs  ## compare with other programs (PEERS="options": docs/comparison.md)
	@tools/python.sh peers $(PEERS)

# docs/images/rules.svg and architecture.svg are drawn by hand, those of the experiments and peers.svg by them.
images: build  ## the pictures of the documents again: screenshots of the pages, the gallery
	@tools/setup.sh test
	@COPPICE_IMAGES=docs/images python3 tests/view/annotate_test.py build/coppice data \
	  Annotate.test_pictures_of_the_documents
	@tools/python.sh gallery

docs: setup  ## the documentation site, in out/site; all links checked
	@cmake --preset release $(LAUNCHER)
	@cmake --build build -j $(JOBS) --target coppice_program
	@$(MAKE) --no-print-directory python-packages python
	@tools/python.sh docs
	@[ ! -d out/site ] || python3 tests/tools/site_browser_test.py out/site || [ $$? = 77 ]

PRE_COMMIT = PATH=".venv/bin:$$PATH" .venv/bin/pre-commit run --all-files
hooks: python-packages
	@tools/setup.sh lint
	@tools/python.sh requirements lint

format: hooks  ## format all sources
	@for hook in clang-format wrap ruff-format; do $(PRE_COMMIT) $$hook || true; done

lint: setup hooks  ## formatting, include order of the rooms, words, Python, workflows (.pre-commit-config.yaml); clang-tidy
	@$(PRE_COMMIT) --show-diff-on-failure
	@tools/tidy.sh $(JOBS) $(TIDY)

wasm:  ## the library as WebAssembly again, for the page and JavaScript (wasm/engine.js)
	@tools/setup.sh wasm
	@$(MAKE) --no-print-directory -C wasm -j $(JOBS)

wasm-check:  ## compile it again and try it in Node
	@tools/setup.sh wasm test
	@[ -x build/coppice ] || $(MAKE) --no-print-directory build
	@$(MAKE) --no-print-directory -C wasm -j $(JOBS) check

clean:  ## remove what was built
	rm -rf build build-demo build-tidy build-debug build-sanitize build-tsan build-wasm out
