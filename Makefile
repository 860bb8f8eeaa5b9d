# The main targets are `make demo` and `make test`; `make help` lists all.
BUILD ?= build
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
SUITE ?= all
CMAKE_FLAGS ?=
MODULE ?= plan
COUNT ?= 40
SEED ?= 1

.PHONY: all build demo flow check test bench docs format lint asan tsan fuzz fuzz-operations mutants hostile install clean help taylor-green
all: build

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 18

build: ## build the library and build/atoll (Release); installs nothing
	@tools/install-deps --check build
	@tools/build $(BUILD) -DATOLL_TESTS=OFF -DATOLL_BENCH=OFF $(CMAKE_FLAGS)

demo: ## find and fix the placement of a stencil's arrays; rank Debian's packages
	@tools/install-deps demo
	@tools/build $(BUILD) --target atoll-cli --target atollgcc --target atoll-machine --target atoll-policies \
	  --target atoll-waits -DATOLL_TESTS=OFF -DATOLL_BENCH=OFF $(CMAKE_FLAGS)
	@demo/run $(BUILD)

flow: ## two flows to look at, in some two minutes: build/flow/index.html
	@tools/install-deps flow
	@tools/build $(BUILD) --target cloverleaf2d --target taylor-green -DATOLL_TESTS=OFF -DATOLL_BENCH=OFF $(CMAKE_FLAGS)
	@demo/flow $(BUILD)

taylor-green: ## the vortex on 64^3 points to t = 5, against a spectral run
	@tools/install-deps test
	@tools/build $(BUILD) -DATOLL_TESTS=ON $(CMAKE_FLAGS)
	@/usr/bin/python3 tests/e2e/taylor_green_64.py $(BUILD)

check: ## unit tests and quick end-to-end tests
	@tools/install-deps check
	@tools/build $(BUILD) -DATOLL_TESTS=ON $(CMAKE_FLAGS)
	@cd $(BUILD) && ctest -j $(JOBS) --output-on-failure --no-tests=error -L 'unit|e2e' -LE slow

test: ## build everything and run every test
	@tools/install-deps test
	@tools/build $(BUILD) -DATOLL_TESTS=ON -DATOLL_BENCH=ON $(CMAKE_FLAGS)
	@cd $(BUILD) && ctest -j $(JOBS) --output-on-failure --no-tests=error

bench: ## run the benchmarks; SUITE=graph runs one
	@tools/install-deps bench
	@tools/build $(BUILD) -DATOLL_BENCH=ON $(CMAKE_FLAGS)
	@bench/run $(BUILD) $(SUITE)

docs: ## write the API reference to build/docs/api/html/index.html
	@tools/install-deps docs
	@mkdir -p build/docs && doxygen docs/Doxyfile

format: ## format all C++ files in place
	@tools/install-deps lint
	@git ls-files '*.hpp' '*.cpp' | xargs clang-format-16 -i

lint: ## check comments, subjects of commits and the format, and run clang-tidy
	@tools/lint-changes
	@tools/install-deps lint
	@git ls-files '*.hpp' '*.cpp' | xargs clang-format-16 --dry-run --Werror
	@tools/build build-lint -DCMAKE_CXX_COMPILER=clang++-16 -DATOLL_BENCH=OFF \
	  -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DATOLL_UNITY=OFF --configure-only
	@git ls-files 'src/*.cpp' | xargs -P $(JOBS) -n 4 clang-tidy-16 --quiet -p build-lint

asan: ## unit and e2e tests under AddressSanitizer and UBSan (g++)
	@tools/install-deps lint
	@tools/build build-asan --preset asan
	@cd build-asan && ctest -j $(JOBS) --output-on-failure --no-tests=error -L 'unit|e2e'

tsan: ## unit and e2e tests under ThreadSanitizer (clang, libomp, Archer)
	@tools/install-deps lint
	@tools/build build-tsan --preset tsan
	@cd build-tsan && . ../tools/tsan-environment && ctest -j $(JOBS) --output-on-failure --no-tests=error -L 'unit|e2e'

fuzz: ## fuzz every parser, SECONDS each (default 60)
	@tools/install-deps lint
	@tools/fuzz $${SECONDS_EACH:-60}

fuzz-operations: ## ten minutes of random operations on placed arrays, by threads, against a model
	@tools/install-deps lint
	@tools/fuzz 600 fuzz_placement

mutants: ## random one-line faults: MODULE=plan COUNT=40 SEED=1; lists those that no test catches
	@tools/install-deps check
	@tools/mutants $(MODULE) --count $(COUNT) --seed $(SEED)

hostile: ## hostile arguments, files and environments for every verb: COUNT=4500 SEED=1; half an hour
	@tools/install-deps check
	@tools/build $(BUILD) -DATOLL_TESTS=ON $(CMAKE_FLAGS)
	@tools/hostile --build $(BUILD) --seed $(SEED) --jobs $(JOBS) $(if $(filter command environment,$(origin COUNT)),--count $(COUNT))

install: build ## install to PREFIX (default /usr/local)
	@cmake --install $(BUILD) --prefix $(PREFIX) >$(BUILD)/install.log || { cat $(BUILD)/install.log >&2; exit 1; }
	@echo "Atoll is in $(PREFIX). Where that isn't searched already:"
	@echo "  export PATH=$(PREFIX)/bin:\$$PATH PKG_CONFIG_PATH=$(PREFIX)/lib/pkgconfig"
	@echo "  cmake -DCMAKE_PREFIX_PATH=$(PREFIX) …"

clean: ## remove what was built
	rm -rf build build-asan build-tsan build-lint build-fuzz build-mutants
