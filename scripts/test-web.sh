#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Kiln in WebAssembly: builds the preset `wasm` and runs what can run in an engine: kernels, rules, acceptance programs, examples, in Node.
# KILN_NODE: another Node (the tests of relaxed SIMD want one of 2025 or newer). Skipped (77) where the compiler or Node is missing.
set -eu
cd "$(dirname "$0")/.."
compiler=$(command -v clang-19 || command -v clang-20 || command -v clang-21 || true)
[ -n "$compiler" ] && [ -d /usr/include/wasm32-wasi ] || { echo "skipped: no clang with wasi-libc (Debian: clang-19 lld-19 llvm-19 libclang-rt-19-dev-wasm32 wasi-libc)"; exit 77; }
command -v "${KILN_NODE:-node}" >/dev/null || { echo "skipped: no Node"; exit 77; }
cmake --preset wasm ${KILN_NODE:+-DKILN_NODE="$KILN_NODE"} "$@" >/dev/null
cmake --build --preset wasm -- -k 0
ctest --preset wasm -j "$(getconf _NPROCESSORS_ONLN)"
