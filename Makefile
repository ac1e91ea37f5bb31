# SPDX-License-Identifier: Apache-2.0
# The few commands of every day; the build itself is CMake (see CMakePresets.json).
.DEFAULT_GOAL := all
.PHONY: all demo test test-sanitized javascript test-web check-all bench bench-gpt2 bench-models bench-sharding bench-web docs site gallery package format format-check tidy clean

all:                ## the library, optimised, in build/release
	@scripts/setup.sh build
	@cmake --preset release
	@cmake --build --preset release

demo:               ## installs what is missing, builds in the shortest time (build/quick), learns to read handwritten digits
	@scripts/setup.sh build
	@cmake --preset quick >/dev/null
	@cmake --build --preset quick --target example_demo
	@build/quick/examples/demo data/digits.npz

test:               ## installs what is missing, builds, runs every test that is short
	@scripts/setup.sh test
	@scripts/setup-webgpu.sh || echo "tests of WebGPU are skipped"
	@scripts/run-tests.sh release

test-sanitized:     ## the same tests under AddressSanitizer, LeakSanitizer and UndefinedBehaviorSanitizer, checks of the IR after every pass
	@scripts/setup.sh test
	@scripts/run-tests.sh asan

javascript:         ## the JavaScript package, its modules with and without threads, in build/wasm/package
	@scripts/setup.sh web
	@for p in wasm wasm-threads; do cmake --preset $$p >/dev/null && cmake --build --preset $$p --target javascript_package || exit; done
	@cp build/wasm-threads/package/kiln/kiln-threads*.wasm build/wasm/package/kiln/

test-web:           ## builds Kiln for WebAssembly and tests it in Node and in the browsers that are here
	@scripts/setup.sh web
	@scripts/setup-web.sh || echo "tests in browsers are skipped"
	@scripts/test-web.sh

check-all:          ## both, and what takes longer: the other compiler, ThreadSanitizer, no optimisation, long sweeps and fuzzers, every kernel of the tests
                    ## through every backend, format, clang-tidy, coverage of the rules
	@scripts/setup.sh check
	@scripts/setup-webgpu.sh || echo "tests of WebGPU are skipped"
	@scripts/models-venv.sh
	@scripts/run-tests.sh --all release asan clang coverage tsan

bench:              ## measures, prints a table and writes build/bench.json; ROWS="product conv": only rows with such names, or of such families;
                    ## BUSY=1: beside a niced process that never rests. scripts/bench-summary.py tells means of families and what misses;
                    ## scripts/bench-compare.py lets two builds of it take turns
	@scripts/setup.sh bench
	@scripts/bench-venv.sh
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target bench
	@build/release/bench/bench $(if $(BUSY),--busy) $(or $(ROWS),build/bench.json)

bench-models:       ## measures models in ONNX's format that packages ship beside onnxruntime, by turns in one run, on one thread and two
	@scripts/setup.sh bench
	@scripts/models-venv.sh
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target bench_onnx
	@build/peers-models/bin/python bench/models/onnx.py build/release/bench/bench_onnx build/peers-models/packages

bench-gpt2:         ## measures a model of GPT-2's shape (text read and written, a step of training) beside PyTorch and onnxruntime, as far as PYTHON has
                    ## them; ARGS: see bench/peer_gpt2.py
	@scripts/setup.sh bench
	@cmake --build --preset release --target bench_gpt2
	@[ -f build/gpt2.safetensors ] || $(or $(PYTHON),build/venv/bin/python) scripts/make-gpt2.py build/gpt2.safetensors
	@$(or $(PYTHON),build/venv/bin/python) bench/peer_gpt2.py build/release/bench/bench_gpt2 build/gpt2.safetensors $(or $(ARGS),--narrow --train)

bench-sharding:     ## measures programs over two devices: threads of one process, processes by MPI, beside one device and plain MPI;
                    ## and prints what a large transformer's step would move over 8, 64 and 1,024 devices
	@scripts/setup.sh bench
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target bench_sharding bench_partition kiln_mpi
	@scripts/bench-sharding.sh build/release

bench-web:          ## measures the JavaScript package in Node and Chromium beside jax-js, numpy-ts, TensorFlow.js and Kiln for this machine; prints tables;
                    ## ARGS="--only=chain,fft --no-browser": see bindings/javascript/bench/main.mjs
	@scripts/setup.sh bench
	@scripts/setup.sh web
	@scripts/setup-web.sh || echo "Debian's Node has no relaxed SIMD: products are slower there"
	@bindings/javascript/bench/run.sh $(ARGS)

docs:               ## the documentation: build/docs/html/index.html, and man pages in build/docs/man (man -M build/docs/man kn_scan)
	@scripts/setup.sh docs
	@python3 scripts/make-docs.py build/docs

site: javascript    ## the site of Kiln in the browser, with the JavaScript package: build/site, for any server of static files
	@scripts/make-site.sh build/site

gallery:            ## runs the programs of the gallery and stores what they print and draw
	@scripts/setup.sh test
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target gallery

package:            ## packages of Debian in build/package: the libraries, what programs are compiled with, the documentation
	@scripts/setup.sh docs
	@cmake --preset package >/dev/null
	@cmake --build --preset package
	@python3 scripts/make-docs.py build/package/docs
	@cd build/package && cpack -G DEB
	@ls -1 build/package/*.deb

format:             ## formats the sources
	@scripts/format.sh

format-check:
	@scripts/format.sh --check

tidy:               ## runs clang-tidy over src/
	@scripts/tidy.sh

clean:
	rm -rf build
