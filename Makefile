# make demo   builds gass and compares a set of images with what plain guidance gives
# make test   builds everything and runs the tests
# make build  builds only; the program is build/bin/gass
# make bench  speed beside the tools people use today
# make asan   the tests under address and undefined-behaviour sanitizers
# make tsan   what threads share, under the thread sanitizer
# make nightly   what takes hours: the tests, also under sanitizers, 200 kills, and each parser 10 minutes under libFuzzer
# make fuzz   each parser 60 s under libFuzzer (FUZZ_SECONDS=n for another time)
# make lint   clang-format and clang-tidy
# make install PREFIX=/usr/local
# make package   a .deb and a .tar.gz, in build/

PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60

.PHONY: build demo test bench asan tsan fuzz nightly lint install package clean
.NOTPARALLEL:

build:
	@scripts/setup build
	@test -f build/build.ninja || cmake --preset release
	@cmake --build --preset release

demo: build
	build/bin/gass compare -p "a photo of a sunflower" -n 8 --seed 5000 --methods none,gass -o demo
	@echo
	@echo "Plain guidance (none) and gass, from the same seeds: open demo/compare.html, or look at demo/sheet.png."
	@echo "Three commands to try next:"
	@echo '  build/bin/gass generate -p "a red car" -n 8 -o cars         # a set of your own: cars/sheet.png'
	@echo '  build/bin/gass explain demo/01-gass                        # what gass did to the sunflowers, drawn'
	@echo '  build/bin/gass vary demo/01-gass/0002.png -n 8             # variations of the one that you like'

test:
	@scripts/setup test
	@cmake --preset ci
	@cmake --build --preset ci
	@ctest --preset ci

bench:
	@scripts/setup dev
	@cmake --preset release -DGASS_BENCH=ON
	@cmake --build --preset release
	.deps/venv/bin/python bench/open_weights.py build/bin
	.deps/venv/bin/python bench/networks.py build/bin
	.deps/venv/bin/python bench/networks.py build/bin --dtype bfloat16
	.deps/venv/bin/python bench/metrics.py build/bin
	.deps/venv/bin/python bench/features.py build/bin
	.deps/venv/bin/python bench/eval.py build/bin/gass
	.deps/venv/bin/python bench/server.py build/bin/gass
	build/bin/bench_sessions
	bench/generate mini-flow fp32
	bench/generate mini-flow bf16

asan:
	@scripts/setup test
	@cmake --preset asan
	@cmake --build --preset asan
	@ctest --preset asan

tsan:
	@scripts/setup test
	@cmake --preset tsan
	@cmake --build --preset tsan
	@ctest --preset tsan

fuzz:
	@scripts/setup dev
	@cmake --preset fuzz
	@cmake --build --preset fuzz
	@tests/fuzz/run build-fuzz/fuzz $(FUZZ_SECONDS)

nightly: test asan
	@ctest --preset nightly
	@$(MAKE) fuzz FUZZ_SECONDS=600

lint:
	@scripts/setup dev
	@scripts/lint

install: build
	cmake --install build --prefix $(PREFIX)

package:
	@scripts/setup package
	@test -f build/build.ninja || cmake --preset release
	@cmake --build --preset release
	cd build && cpack

clean:
	rm -rf build build-*
