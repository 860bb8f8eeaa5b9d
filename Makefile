# The two commands are `make demo` and `make test`; `make help` lists the rest.
BUILD ?= build
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
SUITE ?= all
CMAKE_FLAGS ?=

.PHONY: all build deps demo test quick-test bench docs format lint asan tsan fuzz fuzz-operations install clean help
all: build

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 18

deps: ## install missing Debian packages (says which)
	@tools/install-deps

build: deps ## build the library and build/atoll (Release)
	@tools/build $(BUILD) -DATOLL_TESTS=OFF -DATOLL_BENCH=OFF $(CMAKE_FLAGS)

demo: build ## rank Debian's packages, and show where every array lies
	@demo/run $(BUILD)

test: deps ## build everything and run every test
	@tools/build $(BUILD) -DATOLL_TESTS=ON -DATOLL_BENCH=ON $(CMAKE_FLAGS)
	@cd $(BUILD) && ctest -j $(JOBS) --output-on-failure --no-tests=error

bench: deps ## run the benchmarks; SUITE=graph runs one
	@tools/build $(BUILD) -DATOLL_BENCH=ON $(CMAKE_FLAGS)
	@bench/run $(BUILD) $(SUITE)

docs: deps ## write the API reference to build/docs/api/html/index.html
	@mkdir -p build/docs && doxygen docs/Doxyfile

format: deps ## format all C++ files in place
	@git ls-files '*.hpp' '*.cpp' | xargs clang-format-16 -i

lint: deps ## check the format, and run clang-tidy
	@git ls-files '*.hpp' '*.cpp' | xargs clang-format-16 --dry-run --Werror
	@tools/build build-lint -DCMAKE_CXX_COMPILER=clang++-16 -DATOLL_BENCH=OFF \
	  -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON --configure-only
	@git ls-files 'src/*.cpp' | xargs -P $(JOBS) -n 4 clang-tidy-16 --quiet -p build-lint

asan: deps ## unit and e2e tests under AddressSanitizer and UBSan (g++)
	@tools/build build-asan --preset asan
	@cd build-asan && ctest -j $(JOBS) --output-on-failure --no-tests=error -L 'unit|e2e'

tsan: deps ## unit and e2e tests under ThreadSanitizer (clang, libomp, Archer)
	@tools/build build-tsan --preset tsan
	@cd build-tsan && . ../tools/tsan-environment && ctest -j $(JOBS) --output-on-failure --no-tests=error -L 'unit|e2e'

fuzz: deps ## fuzz every parser, SECONDS each (default 60)
	@tools/fuzz $${SECONDS_EACH:-60}

fuzz-operations: deps ## ten minutes of random operations on placed arrays, by threads, against a model
	@tools/fuzz 600 fuzz_placement

install: deps ## install to PREFIX (default /usr/local)
	@tools/build $(BUILD) -DATOLL_TESTS=OFF -DATOLL_BENCH=OFF $(CMAKE_FLAGS)
	@cmake --install $(BUILD) --prefix $(PREFIX)

clean: ## remove what was built
	rm -rf build build-asan build-tsan build-lint build-fuzz
